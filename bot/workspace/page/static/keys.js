// Arrow keys in lists, Escape out of the thread.

import { byId } from "./dom.js";
import { closeThread } from "./panes.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export function start() {
  for (const id of ["messages", "replies"]) byId(id).addEventListener("keydown", inMessages);
  document.querySelector(".sidebar").addEventListener("keydown", inSidebar);
  byId("thread").addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeThread();
  });
}

function inMessages(event) {
  const item = event.target.closest(".message");
  const list = event.currentTarget;
  if (
    event.target === list &&
    list.lastElementChild &&
    (event.key === "ArrowUp" || event.key === "ArrowDown")
  )
    return to(event, list.lastElementChild, list);
  if (!item || event.target !== item) return undefined;
  if (event.key === "Enter") {
    (item.querySelector('[data-focus="reply"]') ?? item.querySelector("button"))?.click();
    return event.preventDefault();
  }
  const ends = { Home: list.firstElementChild, End: list.lastElementChild };
  const next =
    event.key in ends
      ? ends[event.key]
      : STEPS[event.key] === 1
        ? item.nextElementSibling
        : STEPS[event.key] === -1
          ? item.previousElementSibling
          : null;
  return next ? to(event, next, list) : undefined;
}

function to(event, item, list) {
  event.preventDefault();
  for (const each of list.children) each.tabIndex = -1;
  item.tabIndex = 0;
  item.focus();
}

function inSidebar(event) {
  if (!(event.key in STEPS)) return;
  const entries = [...event.currentTarget.querySelectorAll(".entry")];
  const at = entries.indexOf(document.activeElement);
  entries[(at + STEPS[event.key] + entries.length) % entries.length]?.focus();
  event.preventDefault();
}
