// The inputs of forms, and what Slack itself says about what was typed.

import { textOf } from "./blocks.js";
import { label, optionsOf } from "./controls.js";
import { h, newId } from "./dom.js";

export const nameOfField = (block) => block.block_id;

// An input block with its label, hint and error. `typed` keeps what a person typed before.
export function field(block, typed, errors) {
  const element = block.element;
  const name = nameOfField(block);
  const id = newId("field");
  const why = errors[name] ?? errors[element.action_id];
  const told = [block.hint && `${id}-hint`, why && `${id}-error`].filter(Boolean).join(" ");
  const marks = {
    id,
    "data-field": name,
    "data-focus": name,
    "aria-describedby": told || null,
    "aria-invalid": why ? "true" : null,
    "aria-required": block.optional ? null : "true",
  };
  const grouped = /radio|checkbox/.test(element.type);
  const inside = input(element, marks, typed[name]);
  const words = [
    textOf(block.label),
    block.optional && h("span", { class: "optional" }, " (optional)"),
  ];
  return [
    grouped
      ? h("fieldset", { "aria-describedby": told || null }, h("legend", {}, words), inside)
      : [h("label", { for: id }, words), inside],
    block.hint && h("p", { class: "hint", id: `${id}-hint` }, textOf(block.hint)),
    why && h("p", { class: "error", id: `${id}-error` }, why),
  ];
}

const TYPES = {
  number_input: "number",
  email_text_input: "email",
  url_text_input: "url",
  datepicker: "date",
  timepicker: "time",
};

function input(element, marks, typed) {
  const value =
    typed ?? element.initial_value ?? element.initial_date ?? element.initial_time ?? "";
  const common = { ...marks, value, placeholder: label(element.placeholder) || null };
  if (/radio|checkbox/.test(element.type)) return choices(element, marks, typed);
  if (element.type.includes("select")) return select(element, marks, typed);
  if (element.multiline) return h("textarea", { ...common, rows: 6 });
  return h("input", { ...common, type: TYPES[element.type] ?? "text", autocomplete: "off" });
}

function choices(element, marks, typed) {
  const many = element.type === "checkboxes";
  const chosen = new Set(
    [
      typed ??
        [...(element.initial_options ?? []), element.initial_option]
          .filter(Boolean)
          .map((each) => each.value),
    ].flat(),
  );
  const { id, ...rest } = marks;
  return element.options.map((option, number) =>
    h(
      "label",
      { class: "choice" },
      h("input", {
        ...rest,
        "data-focus": `${marks["data-focus"]}-${number}`,
        "aria-required": null,
        type: many ? "checkbox" : "radio",
        name: id,
        value: option.value,
        checked: chosen.has(option.value),
      }),
      h("span", {}, textOf(option.text)),
    ),
  );
}

function select(element, marks, typed) {
  const many = element.type.startsWith("multi_");
  const initial =
    element.initial_option?.value ?? (element.initial_options ?? []).map((each) => each.value);
  const chosen = new Set([typed ?? initial].flat());
  return h(
    "select",
    { ...marks, multiple: many },
    !many && h("option", { value: "" }, label(element.placeholder) || "Choose…"),
    optionsOf(element).map((each) =>
      h("option", { value: each.value, selected: chosen.has(each.value) }, label(each.text)),
    ),
  );
}

// Why Slack would not let the form go, or null.
export function problem(block, value) {
  const { min_length: least = 0, max_length: most = 3000, type } = block.element;
  const empty = !value || value.length === 0;
  if (empty) return block.optional ? null : "Please complete this required field.";
  if (type !== "plain_text_input") return null;
  const length = [...value].length;
  if (length > most) return `Please shorten this to ${most} characters or fewer; it has ${length}.`;
  return length < least ? `Please write at least ${least} characters.` : null;
}
