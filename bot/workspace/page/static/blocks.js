// Blocks as Slack shows them. What a block holds to press or fill is made by `controls`.

import { h, newId } from "./dom.js";
import { mrkdwn, unescaped } from "./markup.js";
import { markdown, richText, table } from "./rich.js";

export function textOf(text) {
  if (!text) return [];
  return text.type === "mrkdwn" ? mrkdwn(text.text) : plainLines(text.text);
}

function plainLines(text) {
  return unescaped(text)
    .split("\n")
    .flatMap((line, number) => (number ? [h("br"), line] : [line]));
}

// `controls(element, block)` returns the control of an interactive element; `field(block)` an input.
export function blocks(list, { controls, field }) {
  return list.map((block) =>
    h("div", { class: `block ${block.type}` }, inside(block, controls, field)),
  );
}

function inside(block, controls, field) {
  switch (block.type) {
    case "header":
      return h("p", { class: "heading" }, textOf(block.text));
    case "section":
      return [
        h(
          "div",
          { class: "words" },
          block.text && h("p", {}, textOf(block.text)),
          block.fields &&
            h(
              "div",
              { class: "fields" },
              block.fields.map((each) => h("p", {}, textOf(each))),
            ),
        ),
        block.accessory &&
          h("div", { class: "accessory" }, element(block.accessory, block, controls)),
      ];
    case "context":
      return block.elements.map((each) =>
        each.type === "image" ? image(each) : h("p", {}, textOf(each)),
      );
    case "actions":
    case "context_actions":
      return block.elements.map((each) => element(each, block, controls));
    case "divider":
      return h("hr");
    case "rich_text":
      return richText(block);
    case "markdown":
      return markdown(block.parsed ?? []);
    case "table":
      return table(block);
    case "image":
      return image(block);
    case "input":
      return field(block);
    default:
      return h("p", { class: "unknown" }, `A block of type ${block.type} is not shown here.`);
  }
}

function element(part, block, controls) {
  return part.type === "image" ? image(part) : controls(part, block);
}

// Nothing is loaded from elsewhere: an image is told by its words.
function image(part) {
  return h(
    "span",
    { class: "image", role: "img", "aria-label": part.alt_text, id: newId("image") },
    `Image: ${part.alt_text}`,
  );
}
