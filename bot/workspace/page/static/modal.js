// The form that the app opened: its inputs, what Slack itself refuses, and the app's own errors.

import { blocks, textOf } from "./blocks.js";
import { control, label } from "./controls.js";
import { find, h } from "./dom.js";
import { field, nameOfField, problem } from "./fields.js";
import { rows } from "./store.js";
import { act } from "./told.js";

let dialog = null;
let shown = "";
let opener = null;

export function update() {
  const view = rows.get("modal");
  if (!view) return dialog && drop();
  const sign = `${view.id}:${view.serial}`;
  if (sign === shown) return undefined;
  const typed = dialog && shown.startsWith(`${view.id}:`) ? values(dialog) : {};
  shown = sign;
  if (!dialog) open();
  fill(view, typed);
  return undefined;
}

function open() {
  const from = document.activeElement;
  opener = {
    element: from,
    name: from?.dataset?.focus,
    key: from?.closest?.("[data-key]")?.dataset.key,
  };
  dialog = h("dialog", {
    class: "modal",
    "aria-labelledby": "modal-title",
    oncancel: (event) => {
      event.preventDefault();
      leave();
    },
  });
  document.body.append(dialog);
  dialog.showModal();
}

function drop() {
  dialog.close();
  dialog.remove();
  dialog = null;
  shown = "";
  returnFocus();
}

// The button that opened the form may have been made anew meanwhile.
function returnFocus() {
  const { element, name, key } = opener ?? {};
  if (element?.isConnected) return element.focus();
  const around =
    key && [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
  return (around && ((name && find(around, name)) || around))?.focus();
}

function leave() {
  const view = rows.get("modal");
  if (view) act({ act: "close", view: view.id });
}

function fill(view, typed) {
  const before = document.activeElement?.dataset.field
    ? document.activeElement.dataset.focus
    : null;
  const press = (action, given = {}) => act({ act: "press_in_view", view: view.id, action, given });
  const inside = blocks(view.blocks, {
    controls: (element) => control(element, press),
    field: (block) => field(block, typed, view.errors),
  });
  const form = h(
    "form",
    {
      method: "dialog",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        submit(view, form);
      },
    },
    h(
      "div",
      { class: "modal-head" },
      h("h2", { id: "modal-title" }, textOf(view.title)),
      h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: leave }, "✕"),
    ),
    h(
      "div",
      { class: "modal-body", tabindex: 0, role: "group", "aria-labelledby": "modal-title" },
      inside,
    ),
    h(
      "div",
      { class: "row modal-foot" },
      h(
        "button",
        { type: "button", onclick: leave, "data-focus": "close" },
        label(view.close) || "Close",
      ),
      view.submit && h("button", { class: "primary", "data-focus": "submit" }, label(view.submit)),
    ),
  );
  dialog.replaceChildren(form);
  const invalid = form.querySelector('[aria-invalid="true"]');
  const first = form.querySelector(".modal-body :is(input, textarea, select)");
  (
    invalid ??
    (before && find(form, before)) ??
    first ??
    find(form, "submit") ??
    find(form, "close")
  ).focus();
}

function values(within) {
  const found = {};
  for (const each of within.querySelectorAll("[data-field]")) {
    const name = each.dataset.field;
    if (each.type === "checkbox")
      found[name] = [...(found[name] ?? []), ...(each.checked ? [each.value] : [])];
    else if (each.type === "radio") {
      if (each.checked) found[name] = each.value;
    } else if (each.multiple) found[name] = [...each.selectedOptions].map((option) => option.value);
    else found[name] = each.value;
  }
  return found;
}

async function submit(view, form) {
  const given = values(form);
  const errors = {};
  for (const block of view.blocks) {
    const why = block.type === "input" && problem(block, given[nameOfField(block)]);
    if (why) errors[block.block_id] = why;
  }
  if (Object.keys(errors).length) return fill({ ...view, errors }, given);
  const button = find(form, "submit");
  button.disabled = true;
  const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  await act({ act: "submit", view: view.id, values: filled });
  button.disabled = false;
  return undefined;
}
