// Where a person types: messages, replies, slash commands, and new words for an old message.

import { find, h, newId } from "./dom.js";
import { unescaped } from "./markup.js";
import { messageKey, place } from "./store.js";
import { act, tell } from "./told.js";

// A field with a Send button. `where()` gives channel and thread; what was typed stays if refused.
export function composer(name, where) {
  const hint = newId("hint");
  const box = h("textarea", {
    rows: 1,
    "aria-label": name,
    placeholder: name,
    "aria-describedby": hint,
    onkeydown: (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      send();
    },
  });
  const send = async () => {
    const text = box.value.trim();
    if (!text) return;
    box.value = "";
    const answer = await said(text, where());
    if (!answer.ok && !box.value) box.value = text;
  };
  return h(
    "form",
    {
      class: "composer",
      onsubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    box,
    h("button", { class: "primary" }, "Send"),
    h("p", { class: "hint", id: hint }),
  );
}

async function said(text, { channel, thread }) {
  const slash = /^(\/[\w-]+)(?:\s+([\s\S]*))?$/.exec(text);
  if (!slash) return act({ act: "post", channel, text, thread: thread || null });
  const known = place().commands.some((each) => each.name === slash[1]);
  if (!known) {
    tell(`${slash[1]} is not a valid command.`);
    return { ok: false };
  }
  if (thread) {
    tell(`${slash[1]} is not supported in threads. Sorry!`);
    return { ok: false };
  }
  return act({ act: "command", channel, name: slash[1], text: slash[2] ?? "" });
}

export function showHint(form, words) {
  const hint = form.querySelector(".hint");
  if (hint.textContent !== words) hint.textContent = words;
}

// Puts a field in the place of a message's words.
export function startEditing(row) {
  const inside = document.querySelectorAll(`.message[data-key="${CSS.escape(messageKey(row))}"]`);
  const shown = [...inside].at(-1);
  const old = shown?.querySelector(".body");
  if (!old) return;
  const box = h("textarea", { rows: 4, "aria-label": "Edit message", value: typedText(row) });
  const finish = () => {
    form.replaceWith(old);
    find(shown, "more")?.focus();
  };
  const save = async () => {
    const answer = await act({
      act: "edit",
      channel: row.channel,
      ts: row.ts,
      text: box.value.trim(),
    });
    if (answer.ok && form.isConnected) finish();
  };
  const form = h(
    "form",
    {
      class: "editing",
      onsubmit: (event) => {
        event.preventDefault();
        save();
      },
      onkeydown: (event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          finish();
        }
      },
    },
    box,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: finish }, "Cancel"),
      h("button", { class: "primary" }, "Save"),
    ),
  );
  old.replaceWith(form);
  box.focus();
}

function typedText(row) {
  const leaves = row.blocks
    .flatMap((block) => block.elements ?? [])
    .flatMap((part) => part.elements ?? []);
  return leaves.map((leaf) => leaf.text ?? "").join("") || unescaped(row.text);
}
