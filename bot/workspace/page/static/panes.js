// The channel, the thread beside it, and App Home.

import { blocks } from "./blocks.js";
import { composer, showHint } from "./composer.js";
import { control } from "./controls.js";
import { byId, find, h } from "./dom.js";
import { unescaped } from "./markup.js";
import { showMessages } from "./messages.js";
import { channels, go, here, mark, messages, place, rows } from "./store.js";
import { act, speak } from "./told.js";

const channelForm = composer("Message", () => ({ channel: here.channel }));
const replyForm = composer("Reply", () => ({ channel: here.channel, thread: here.thread }));
let shownPlace = "";
let homeShown = "";
let newest = "";

export function start() {
  byId("composer").append(channelForm);
  byId("reply-composer").append(replyForm);
  byId("thread-close").addEventListener("click", closeThread);
}

export function closeThread() {
  const root = here.thread;
  go({ thread: "" });
  const left = byId("messages").querySelector(`[data-ts="${CSS.escape(root)}"]`);
  left?.focus();
}

export function update() {
  const open = here.home ? null : channel();
  byId("messages").hidden = byId("composer").hidden = !open;
  byId("home").hidden = !here.home;
  if (here.home) showHome();
  if (open) showChannel(open);
  showThread(open);
}

function channel() {
  const mine = channels();
  const found = mine.find((each) => each.id === here.channel) ?? mine[0];
  if (found && found.id !== here.channel) Object.assign(here, { channel: found.id, thread: "" });
  return found;
}

function headline(title, about) {
  byId("place").textContent = title;
  byId("place-about").textContent = about;
}

function showChannel(open) {
  headline(
    `${mark(open)} ${open.name}`,
    open.archived ? "archived" : open.shared ? "shared with another company" : "",
  );
  const everything = messages(open.id);
  const replies = new Map();
  for (const row of everything) {
    if (row.thread && !row.only_you)
      replies.set(row.thread, [...(replies.get(row.thread) ?? []), row]);
  }
  const list = byId("messages");
  if (shownPlace !== open.id) list.replaceChildren();
  showMessages(
    list,
    everything.filter((row) => row.in_channel),
    { replies },
  );
  if (shownPlace !== open.id) list.scrollTop = list.scrollHeight;
  shownPlace = open.id;
  channelForm.hidden = open.archived;
  const commands = place()
    .commands.map((each) => `${each.name} ${each.hint}`)
    .join("; ");
  showHint(channelForm, commands ? `Enter sends. Commands: ${commands}` : "Enter sends.");
  announce(everything);
}

// Tells a screen reader of what the bot or a person newly said in the open thread.
function announce(everything) {
  const last = everything.at(-1);
  const stamp = last ? last.ts : "";
  if (
    newest &&
    last &&
    stamp > newest &&
    (last.thread === here.thread || last.in_channel || last.only_you)
  )
    speak(unescaped(last.text).slice(0, 200));
  newest = stamp > newest ? stamp : newest;
}

function showThread(open) {
  const root = open && here.thread ? rows.get(`message:${open.id}:${here.thread}`) : null;
  const pane = byId("thread");
  pane.hidden = !root;
  byId("panes").classList.toggle("with-thread", Boolean(root));
  const list = byId("replies");
  if (!root) {
    list.replaceChildren();
    list.dataset.root = "";
    return;
  }
  const below = messages(open.id).filter((row) => row.thread === here.thread);
  const fresh = list.dataset.root !== here.thread;
  if (fresh) list.replaceChildren();
  list.dataset.root = here.thread;
  showMessages(list, [root, ...below], {});
  if (fresh) {
    list.scrollTop = list.scrollHeight;
    byId("messages").querySelector(".open")?.scrollIntoView({ block: "nearest" });
  }
  showHint(replyForm, "Enter sends, Shift+Enter makes a line.");
}

function showHome() {
  headline("Handrail", "App Home");
  const view = rows.get("home");
  const sign = view ? `${view.serial}` : "none";
  if (homeShown === sign) return;
  homeShown = sign;
  const pane = byId("home");
  const name = pane.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  if (!view) pane.replaceChildren(h("p", {}, "Loading …"));
  else {
    const press = (action, given = {}) =>
      act({ act: "press_in_view", view: view.id, action, given });
    pane.replaceChildren(
      ...blocks(view.blocks, { controls: (element) => control(element, press), field: () => null }),
    );
  }
  if (name) find(pane, name)?.focus();
}
