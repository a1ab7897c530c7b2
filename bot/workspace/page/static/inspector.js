// The traffic between Slack and the app: events in, calls out, what was refused and why.

import { byId, clockExact, h, reconcile } from "./dom.js";
import { all, ask, place } from "./store.js";

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
  const whole = h("pre", { tabindex: 0, "aria-label": `All of ${each.what}` });
  return h(
    "li",
    {},
    h(
      "details",
      { ontoggle: (event) => event.target.open && open(each, whole) },
      h("summary", { class: `line ${each.way} ${each.state}`, "data-focus": "line" }, head(each)),
      whole,
    ),
  );
}

// Fills in all that a line is about, as text, once somebody asks for it.
async function open(each, whole) {
  if (whole.textContent) return;
  const [, way, number] = each.key.split(":");
  const answer = await ask(`traffic/${way}/${number}`);
  whole.textContent = answer.text ?? answer.told;
}

function head(each) {
  const into = each.way === "in";
  const state = stateOf(each);
  return [
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
  ];
}

function stateOf(each) {
  if (each.state === "refused") return "refused";
  if (each.way === "out") return "ok";
  return each.ms === null ? "waiting" : `${each.ms} ms`;
}
