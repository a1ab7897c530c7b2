// Buttons, selects and menus, in messages and views. `press(action, given)` tells the server.

import { h } from "./dom.js";
import { textOf } from "./blocks.js";
import { confirmed } from "./confirm.js";
import { openHere, own, unescaped } from "./markup.js";
import { menuButton } from "./menu.js";
import { place, all, channels } from "./store.js";

export const label = (text) => unescaped(text?.text ?? "");

export function control(element, press) {
  const ask = async (given, from) => {
    if (element.confirm && !(await confirmed(element.confirm))) return;
    from?.setAttribute("aria-busy", "true");
    await press(element.action_id, given);
    from?.removeAttribute("aria-busy");
  };
  switch (element.type) {
    case "button":
      return button(element, ask);
    case "overflow":
      return menuButton({
        name: "More options",
        focus: element.action_id,
        items: () =>
          element.options.map((option) => ({
            words: label(option.text),
            run: () => ask({ selected_option: option }),
          })),
      });
    case "checkboxes":
    case "radio_buttons":
      return choices(element, ask);
    case "datepicker":
      return h("input", {
        type: "date",
        "aria-label": label(element.placeholder) || "Date",
        value: element.initial_date ?? "",
        "data-focus": element.action_id,
        onchange: (event) => ask({ selected_date: event.target.value }),
      });
    default:
      return element.type.endsWith("select")
        ? select(element, ask)
        : h("span", { class: "unknown" }, `An element of type ${element.type} is not shown here.`);
  }
}

function button(element, ask) {
  const made = h(
    "button",
    {
      type: "button",
      class: element.style ?? null,
      "data-focus": element.action_id,
      "data-action": element.action_id,
      "aria-label": element.accessibility_label,
      onclick: () => {
        follow(element.url);
        ask({}, made);
      },
    },
    textOf(element.text),
  );
  return made;
}

function follow(address) {
  if (!address) return;
  const inside = own(address);
  if (inside) openHere(inside);
  else if (/^https?:/i.test(address)) window.open(address, "_blank", "noopener,noreferrer");
}

// The options of a select: its own, or the people or channels of the workspace.
export function optionsOf(element) {
  if (element.type.includes("users"))
    return all("user:").map((each) => ({ text: { text: each.real }, value: each.id }));
  if (/channels|conversations/.test(element.type))
    return channels().map((each) => ({ text: { text: `#${each.name}` }, value: each.id }));
  return element.option_groups
    ? element.option_groups.flatMap((group) => group.options)
    : (element.options ?? []);
}

// What Slack puts into an action for the value that was chosen.
export function givenOf(element, value) {
  if (element.type.includes("users")) return { selected_user: value };
  if (element.type.includes("channels")) return { selected_channel: value };
  if (element.type.includes("conversations")) return { selected_conversation: value };
  return { selected_option: optionsOf(element).find((each) => each.value === value) };
}

function select(element, ask) {
  const initial =
    element.initial_option?.value ?? element.initial_user ?? element.initial_channel ?? "";
  return h(
    "select",
    {
      "data-focus": element.action_id,
      "aria-label": label(element.placeholder) || "Choose",
      onchange: (event) => ask(givenOf(element, event.target.value)),
    },
    h(
      "option",
      { value: "", disabled: true, selected: !initial },
      label(element.placeholder) || "Choose…",
    ),
    optionsOf(element).map((each) =>
      h("option", { value: each.value, selected: each.value === initial }, label(each.text)),
    ),
  );
}

function choices(element, ask) {
  const many = element.type === "checkboxes";
  const name = `${element.action_id}-${place().me}`;
  const chosen = new Set(
    [...(element.initial_options ?? []), element.initial_option]
      .filter(Boolean)
      .map((each) => each.value),
  );
  const told = () =>
    many
      ? { selected_options: element.options.filter((each) => chosen.has(each.value)) }
      : { selected_option: element.options.find((each) => chosen.has(each.value)) };
  const change = (option, on) => {
    if (!many) chosen.clear();
    if (on) chosen.add(option.value);
    else chosen.delete(option.value);
    ask(told());
  };
  return h(
    "span",
    { class: "choices", role: many ? "group" : "radiogroup", "aria-label": "Options" },
    element.options.map((option) =>
      h(
        "label",
        {},
        h("input", {
          type: many ? "checkbox" : "radio",
          name,
          checked: chosen.has(option.value),
          onchange: (event) => change(option, event.target.checked),
        }),
        " ",
        textOf(option.text),
      ),
    ),
  );
}
