// What a person is told at once: why something was not done. And what a screen reader is told.

import { byId, h } from "./dom.js";
import { ask } from "./store.js";

const SHOWN_MS = 9000;
let timer = 0;

export function tell(words) {
  clearTimeout(timer);
  const close = h(
    "button",
    { type: "button", class: "plain", "aria-label": "Dismiss", onclick: hush },
    "✕",
  );
  byId("told").replaceChildren(h("p", {}, words), close);
  timer = setTimeout(hush, SHOWN_MS);
}

function hush() {
  byId("told").replaceChildren();
}

export function speak(words) {
  byId("spoken").textContent = words;
}

// Does something as the acting person, and tells them if it was refused.
export async function act(body) {
  const answer = await ask("act", body);
  if (!answer.ok) tell(answer.told);
  return answer;
}
