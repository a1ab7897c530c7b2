// Rich text (what people type), parsed Markdown, and tables.

import { h } from "./dom.js";
import { link, mention, mrkdwn } from "./markup.js";
import { nameOf, rows } from "./store.js";

export function richText(block) {
  return (block.elements ?? []).map(richPart);
}

function richPart(part) {
  switch (part.type) {
    case "rich_text_list":
      return h(
        part.style === "ordered" ? "ol" : "ul",
        {},
        part.elements.map((each) => h("li", {}, each.elements.map(richLeaf))),
      );
    case "rich_text_quote":
      return h("blockquote", {}, part.elements.map(richLeaf));
    case "rich_text_preformatted":
      return h("pre", { tabindex: 0 }, part.elements.map(richLeaf));
    default:
      return h("span", {}, (part.elements ?? []).map(richLeaf));
  }
}

const STYLES = { bold: "strong", italic: "em", strike: "s", code: "code" };

function richLeaf(leaf) {
  switch (leaf.type) {
    case "link":
      return link(leaf.url, leaf.text ?? leaf.url);
    case "user":
      return mention(`@${nameOf(leaf.user_id)}`, leaf.user_id);
    case "usergroup":
      return mention(`@${rows.get(`group:${leaf.usergroup_id}`)?.handle ?? leaf.usergroup_id}`);
    case "channel":
      return mention(`#${rows.get(`channel:${leaf.channel_id}`)?.name ?? leaf.channel_id}`);
    case "broadcast":
      return mention(`@${leaf.range}`);
    case "emoji":
      return `:${leaf.name}:`;
    default:
      return Object.keys(leaf.style ?? {}).reduce(
        (inside, name) => (STYLES[name] ? h(STYLES[name], {}, inside) : inside),
        leaf.text ?? "",
      );
  }
}

const TAGS = new Set(
  "p br strong em s code pre a ul ol li blockquote h1 h2 h3 h4 h5 h6 hr table thead tbody tr th td span".split(
    " ",
  ),
);
const HEADINGS = /^h[1-6]$/;

// Markdown as the server parsed it: texts and [tag, address, children]. Headings of a message are
// no headings of the page.
export function markdown(nodes) {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    const [tag, address, children] = node;
    const inside = markdown(children);
    if (tag === "a") return link(address, inside);
    if (HEADINGS.test(tag)) return h("p", { class: "heading" }, h("strong", {}, inside));
    if (tag === "pre") return h("pre", { tabindex: 0 }, inside);
    return h(TAGS.has(tag) ? tag : "div", {}, inside);
  });
}

export function table(block) {
  const [head = [], ...rest] = block.rows ?? [];
  const cells = (row, tag) =>
    h(
      "tr",
      {},
      row.map((cell) => h(tag, tag === "th" ? { scope: "col" } : {}, cellText(cell))),
    );
  return h(
    "div",
    { class: "table", tabindex: 0, role: "region", "aria-label": "Table" },
    h(
      "table",
      {},
      h("thead", {}, cells(head, "th")),
      h(
        "tbody",
        {},
        rest.map((row) => cells(row, "td")),
      ),
    ),
  );
}

function cellText(cell) {
  return cell.type === "rich_text"
    ? richText(cell)
    : cell.type === "mrkdwn"
      ? mrkdwn(cell.text)
      : String(cell.text ?? "");
}
