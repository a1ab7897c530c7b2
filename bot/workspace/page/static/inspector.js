// The traffic between Slack and the app: events in, calls out, what was refused and why.

import { byId, clockExact, h, reconcile } from "./dom.js";
import { all, place } from "./store.js";

export function start() {
  byId("inspect").addEventListener("click", () => show(byId("inspector").hidden));
  byId("only-refused").addEventListener("change", update);
  show(sessionStorage.getItem("inspector") === "open");
}

function show(open) {
  sessionStorage.setItem("inspector", open ? "open" : "shut");
  byId("inspector").hidden = !open;
  byId("inspect").setAttribute("aria-expanded", String(open));
  byId("panes").classList.toggle("with-inspector", open);
  update();
}

export function update() {
  const lines = all("traffic:").sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const refused = lines.filter((each) => each.state === "refused");
  const button = byId("inspect");
  const words = refused.length ? `Inspector (${refused.length} refused)` : "Inspector";
  if (button.textContent !== words) button.textContent = words;
  if (byId("inspector").hidden || !place().title) return;
  const into = lines.filter((each) => each.way === "in");
  const slowest = Math.max(0, ...into.map((each) => each.ms ?? 0));
  byId("inspector-sum").textContent =
    `${into.length} in, slowest acknowledgement ${slowest} ms; ${lines.length - into.length} out; ${refused.length} refused`;
  const list = byId("lines");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  reconcile(list, byId("only-refused").checked ? refused : lines, {
    key: (each) => each.key,
    sign: (each) => each.serial,
    make: line,
  });
  if (atEnd) list.scrollTop = list.scrollHeight;
}

function line(each) {
  const into = each.way === "in";
  const state =
    each.state === "refused"
      ? "refused"
      : into
        ? each.ms === null
          ? "waiting"
          : `${each.ms} ms`
        : "ok";
  return h(
    "li",
    { class: `line ${each.way} ${each.state}` },
    h("span", { class: "way", title: into ? "to the app" : "from the app" }, into ? "→" : "←"),
    h("span", { class: "unseen" }, into ? "to the app" : "from the app"),
    h(
      "span",
      { class: "what" },
      each.what,
      each.about && h("small", {}, ` ${each.about}`),
      each.tries > 1 && h("small", {}, ` ×${each.tries}`),
    ),
    h("span", { class: "state" }, state),
    h("span", { class: "at" }, each.at === null ? "" : clockExact(each.at)),
    each.problems.map((words) => h("span", { class: "problem" }, words)),
  );
}
