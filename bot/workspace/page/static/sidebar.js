// Channels, apps, who acts, and the buttons at the top.

import { byId, h, reconcile } from "./dom.js";
import { ask, channels, follow, go, here, mark, me, nameOf, place, user } from "./store.js";
import { act, tell } from "./told.js";
import { newTicket } from "./ticket.js";

const THEMES = ["auto", "light", "dark"];

export function start(lost) {
  byId("acting").addEventListener("change", (event) => {
    go({ thread: here.thread });
    follow(event.target.value, lost);
  });
  byId("new-ticket").addEventListener("click", newTicket);
  byId("reset").addEventListener("click", reset);
  byId("theme").addEventListener("click", () =>
    theme(THEMES[(THEMES.indexOf(localStorage.getItem("theme") ?? "auto") + 1) % THEMES.length]),
  );
  theme(localStorage.getItem("theme") ?? "auto");
}

function theme(name) {
  localStorage.setItem("theme", name);
  document.documentElement.dataset.theme = name;
  byId("theme").textContent = `Theme: ${name}`;
}

async function reset() {
  const button = byId("reset");
  button.disabled = true;
  const answer = await ask("reset");
  button.disabled = false;
  if (answer.ok) go({ thread: "", home: false });
  else tell(answer.told);
}

export function update() {
  const now = place();
  document.title = now.title ?? "Local workspace";
  byId("title").textContent = now.title ?? "Local workspace";
  if (byId("notice").textContent !== (now.notice ?? ""))
    byId("notice").textContent = now.notice ?? "";
  byId("new-ticket").hidden = !now.new_ticket;
  byId("reset").hidden = !now.reset;
  people(now);
  places();
}

function people(now) {
  reconcile(byId("acting"), now.people, {
    key: (each) => each.id,
    sign: (each) => `${nameOf(each.id)}${each.role}`,
    make: (each) => h("option", { value: each.id }, `${nameOf(each.id)} (${each.role})`),
  });
  if (byId("acting").value !== me()) byId("acting").value = me();
}

function places() {
  const open = (each) => !here.home && each.id === here.channel;
  reconcile(byId("channels"), channels(), {
    key: (each) => each.id,
    sign: (each) => [each.serial, open(each)],
    make: (each) =>
      h(
        "li",
        {},
        entry(`${mark(each)} ${each.name}`, open(each), each.id, () =>
          go({ channel: each.id, thread: "", home: false }),
        ),
      ),
  });
  const bot = user(place().bot);
  reconcile(byId("apps"), bot ? [bot] : [], {
    key: (each) => each.id,
    sign: (each) => [each.serial, here.home],
    make: (each) => h("li", {}, entry(each.real, here.home, each.id, openHome)),
  });
}

function entry(words, open, name, onclick) {
  return h(
    "button",
    {
      type: "button",
      class: "entry",
      "aria-current": open ? "page" : null,
      "data-focus": name,
      onclick,
    },
    words,
  );
}

export function openHome() {
  go({ home: true, thread: "" });
  act({ act: "open_home" });
}

// The person whom this window was opened for, or the first one.
export function firstPerson() {
  return new URLSearchParams(location.search).get("as") ?? (me() || document.body.dataset.first);
}
