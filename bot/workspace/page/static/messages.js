// One message, and lists of messages.

import { blocks } from "./blocks.js";
import { control } from "./controls.js";
import { byId, h, reconcile, time } from "./dom.js";
import { mrkdwn } from "./markup.js";
import { menuButton } from "./menu.js";
import { go, here, me, messageKey, nameOf, place, roleOf, user } from "./store.js";
import { act } from "./told.js";
import { startEditing } from "./composer.js";

// Shows messages in a list. `threads`: with the count of replies that opens the thread.
export function showMessages(list, shown, { replies = null }) {
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  reconcile(list, shown, {
    key: messageKey,
    sign: (row) => [
      row.serial,
      replies?.get(row.ts)?.length ?? "",
      place().serial,
      here.thread === row.ts,
    ],
    make: (row) => item(row, replies),
  });
  if (!list.querySelector(':scope > [tabindex="0"]') && list.lastElementChild)
    list.lastElementChild.tabIndex = 0;
  if (atEnd) list.scrollTop = list.scrollHeight;
}

function item(row, replies) {
  const open = replies && here.thread === row.ts;
  return h(
    "li",
    {
      class: `message${row.only_you ? " only-you" : ""}${open ? " open" : ""}`,
      tabindex: -1,
      "data-ts": row.ts,
      "aria-label": spoken(row),
    },
    avatar(row),
    h(
      "div",
      { class: "said" },
      head(row),
      body(row),
      row.files.map((name) => h("p", { class: "file" }, `File: ${name}`)),
      reactions(row),
      replies && !row.only_you && count(row, replies.get(row.ts) ?? []),
    ),
    tools(row, replies),
  );
}

const author = (row) => row.name ?? (row.user ? nameOf(row.user) : "An app");
const isBot = (row) => !row.user || user(row.user)?.bot;

function spoken(row) {
  return `${author(row)}: ${row.text.slice(0, 120)}`;
}

function avatar(row) {
  const words = author(row)
    .split(/\s+/)
    .map((each) => each[0] ?? "")
    .slice(0, 2)
    .join("")
    .toUpperCase();
  const colour = [...(row.user ?? row.name ?? "app")].reduce(
    (sum, each) => (sum * 31 + each.codePointAt(0)) % 6,
    0,
  );
  const own = row.user === place().bot;
  return h(
    "span",
    { class: `avatar ${own ? "bot" : `tone-${colour}`}`, "aria-hidden": "true" },
    own ? h("img", { src: "/page/icon.svg", alt: "", width: 36, height: 36 }) : words,
  );
}

function head(row) {
  const role = roleOf(row.user);
  return h(
    "p",
    { class: "by" },
    h("strong", {}, row.deleted ? "Slackbot" : author(row)),
    isBot(row) && !row.deleted && h("span", { class: "badge" }, "APP"),
    role && h("span", { class: "role" }, role),
    time(Number(row.ts)),
    row.only_you && h("span", { class: "private" }, "Only visible to you"),
  );
}

function body(row) {
  if (row.deleted) return h("p", { class: "deleted" }, row.text);
  const inside = row.blocks.length
    ? blocks(row.blocks, {
        controls: (element) => control(element, (action, given) => press(row, action, given)),
        field: () => null,
      })
    : [h("p", {}, mrkdwn(row.text))];
  const more = row.attachments.map((each) =>
    h(
      "div",
      { class: "attachment" },
      ["pretext", "title", "text", "footer"]
        .filter((name) => each[name])
        .map((name) => h("p", {}, mrkdwn(each[name]))),
    ),
  );
  return h(
    "div",
    { class: "body" },
    inside,
    more,
    row.edited && h("span", { class: "edited" }, "(edited)"),
  );
}

function press(row, action, given = {}) {
  return act({
    act: "press",
    channel: row.channel,
    ts: row.ts,
    version: row.version,
    action,
    given,
  });
}

function reactions(row) {
  const names = new Map();
  for (const [name] of row.reactions) names.set(name, (names.get(name) ?? 0) + 1);
  return (
    names.size > 0 &&
    h(
      "p",
      { class: "reactions" },
      [...names].map(([name, number]) => h("span", {}, `:${name}: ${number}`)),
    )
  );
}

function count(row, below) {
  if (!below.length) return null;
  const words = `${below.length} ${below.length === 1 ? "reply" : "replies"}`;
  return h(
    "button",
    { type: "button", class: "replies", "data-focus": "thread", onclick: () => openThread(row) },
    words,
    h("span", { class: "last" }, "last at ", time(Number(below.at(-1).ts))),
  );
}

export function openThread(row) {
  go({ channel: row.channel, thread: row.thread ?? row.ts });
  requestAnimationFrame(() => byId("reply-composer").querySelector("textarea")?.focus());
}

function tools(row, replies) {
  if (row.deleted || row.only_you) return null;
  return h(
    "div",
    { class: "tools" },
    replies &&
      h(
        "button",
        {
          type: "button",
          "aria-label": "Reply in thread",
          title: "Reply in thread",
          "data-focus": "reply",
          onclick: () => openThread(row),
        },
        "↩",
      ),
    menuButton({ name: "More actions", focus: "more", items: () => offers(row) }),
  );
}

function offers(row) {
  const shortcuts = place().shortcuts.map((each) => ({
    words: each.name,
    run: () => act({ act: "shortcut", channel: row.channel, ts: row.ts, callback: each.id }),
  }));
  const thread = { words: "Open thread", run: () => openThread(row) };
  if (row.user !== me()) return [...shortcuts, thread];
  return [
    ...shortcuts,
    thread,
    { words: "Edit message", run: () => startEditing(row) },
    {
      words: "Delete message",
      danger: true,
      run: () => act({ act: "delete", channel: row.channel, ts: row.ts }),
    },
  ];
}
