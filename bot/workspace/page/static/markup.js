// Slack's mrkdwn as elements: one pass, no nesting beyond what Slack itself does.

import { h } from "./dom.js";
import { channels, go, nameOf, place, rows } from "./store.js";

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
export const unescaped = (text) => text.replace(/&(?:amp|lt|gt);/g, (found) => ENTITIES[found]);

const FENCE = /```\n?([\s\S]*?)```/;
const EDGE = "[\\s\\p{P}\\p{S}]";
// Code, then Slack's own tokens, then *bold*, _italic_, ~strike~ between word boundaries.
const INLINE = new RegExp(
  "`([^`\\n]+)`|<([^<>\\n]+)>|" + `(?<=^|${EDGE})([*_~])(?=\\S)([^\\n]*?\\S)\\3(?=$|${EDGE})`,
  "u",
);
const STYLES = { "*": "strong", _: "em", "~": "s" };

// Elements of a whole text: preformatted blocks, quotes, lines.
export function mrkdwn(text) {
  const fence = FENCE.exec(text);
  if (!fence) return lines(text);
  const after = text.slice(fence.index + fence[0].length).replace(/^\n/, "");
  return [
    ...lines(text.slice(0, fence.index).replace(/\n$/, "")),
    h("pre", { tabindex: 0 }, unescaped(fence[1].replace(/\n$/, ""))),
    ...(after ? mrkdwn(after) : []),
  ];
}

function lines(text) {
  if (!text) return [];
  const found = [];
  let quoted = null;
  text.split("\n").forEach((line, number) => {
    const quote = /^(?:&gt;|>) ?(.*)$/.exec(line);
    if (quote) {
      if (!quoted) found.push((quoted = h("blockquote")));
      else quoted.append(h("br"));
      quoted.append(...inline(quote[1]));
      return;
    }
    if (number && !quoted) found.push(h("br"));
    quoted = null;
    found.push(...inline(line));
  });
  return found;
}

function inline(text) {
  const found = INLINE.exec(text);
  if (!found) return text ? [unescaped(text)] : [];
  const [whole, code, token, sign, inside] = found;
  const middle =
    code !== undefined
      ? h("code", {}, unescaped(code))
      : token !== undefined
        ? reference(token)
        : h(STYLES[sign], {}, inline(inside));
  const rest = text.slice(found.index + whole.length);
  return [...inline(text.slice(0, found.index)), middle, ...inline(rest)];
}

// <@U1>, <#C1|name>, <!subteam^S1>, <!date^…>, <!here>, <https://…|label>.
function reference(token) {
  const [target, label = ""] = cut(token, "|");
  if (target.startsWith("@")) return mention(`@${nameOf(target.slice(1))}`, target.slice(1));
  if (target.startsWith("#"))
    return mention(
      `#${rows.get(`channel:${target.slice(1)}`)?.name ?? (label || target.slice(1))}`,
    );
  if (target.startsWith("!subteam^"))
    return mention(`@${rows.get(`group:${target.slice(9)}`)?.handle ?? target.slice(9)}`);
  if (target.startsWith("!date^")) return date(target, label);
  if (target.startsWith("!")) return mention(`@${target.slice(1)}`);
  return link(unescaped(target), label ? unescaped(label) : undefined);
}

function cut(text, sign) {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

export const mention = (words, id = "") =>
  h("span", { class: id && id === place().me ? "mention mine" : "mention" }, words);

const DATES = {
  date_num: { dateStyle: "short" },
  date_short: { dateStyle: "medium" },
  date_long: { dateStyle: "full" },
  date: { dateStyle: "long" },
  time: { timeStyle: "short" },
  time_secs: { timeStyle: "medium" },
};

function date(target, fallback) {
  const [, seconds, pattern = ""] = target.split("^");
  const at = new Date(Number(seconds) * 1000);
  if (Number.isNaN(at.getTime())) return unescaped(fallback);
  const words = pattern.replace(/\{(\w+?)(?:_pretty)?\}/g, (whole, name) =>
    name in DATES ? new Intl.DateTimeFormat(undefined, DATES[name]).format(at) : whole,
  );
  return h("time", { datetime: at.toISOString(), title: unescaped(fallback) }, words);
}

// A link; one to a message of this workspace opens it here.
export function link(address, label = address) {
  const inside = own(address);
  if (!inside)
    return h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, label);
  return h(
    "a",
    {
      href: `#${inside.channel}/${inside.thread}`,
      onclick: (event) => {
        event.preventDefault();
        openHere(inside);
      },
    },
    label,
  );
}

export function own(address) {
  const start = `https://${place().domain}.slack.com/archives/`;
  const found =
    address.startsWith(start) &&
    /^(\w+)\/p(\d+)(\d{6})(?:\?(.*))?$/.exec(address.slice(start.length));
  if (!found) return null;
  const ts = `${found[2]}.${found[3]}`;
  return {
    channel: found[1],
    ts,
    thread: new URLSearchParams(found[4] ?? "").get("thread_ts") ?? ts,
  };
}

export function openHere({ channel, thread }) {
  if (channels().some((each) => each.id === channel)) go({ channel, thread, home: false });
}
