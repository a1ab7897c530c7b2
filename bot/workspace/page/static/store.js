// The rows that the server sends, who looks at them, and which place is open.

const token = document.querySelector('meta[name="page-token"]').content;
const ANEW_MS = 1500;
const listeners = new Set();
let source = null;
let serial = 0;
let asked = false;

export const rows = new Map();
export const here = { channel: "", thread: "", home: false };

export const place = () => rows.get("place") ?? { people: [], commands: [], shortcuts: [] };
export const me = () => sessionStorage.getItem("acting") ?? "";
export const user = (id) => rows.get(`user:${id}`);
export const nameOf = (id) => user(id)?.real ?? id ?? "somebody";
export const roleOf = (id) => place().people.find((each) => each.id === id)?.role ?? "";

export function all(prefix) {
  const found = [];
  for (const [key, row] of rows) if (key.startsWith(prefix)) found.push(row);
  return found;
}

export const channels = () => all("channel:").filter((each) => each.member);
export const mark = (channel) => (channel.direct ? "✉" : channel.private ? "🔒" : "#");
export const messageKey = (row) => `message:${row.channel}:${row.ts}`;

// Messages of a channel by time; those of a thread with its root first.
export function messages(channel) {
  return all(`message:${channel}:`).sort((a, b) => (a.ts < b.ts ? -1 : 1));
}

// Calls `told` after each change, at most once for each frame.
export function onChange(told) {
  listeners.add(told);
}

export function changed() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    for (const told of listeners) told();
  });
}

export function go(where) {
  Object.assign(here, where);
  const parts = here.home ? ["home"] : [here.channel, here.thread].filter(Boolean);
  history.replaceState(null, "", `#${parts.join("/")}`);
  changed();
}

export function readPlace() {
  const [first = "", second = ""] = location.hash.slice(1).split("/");
  if (first === "home") here.home = true;
  else Object.assign(here, { channel: first, thread: second, home: false });
}

// Opens the feed of one person's rows; `lost` is called while the server cannot be reached.
export function follow(person, lost) {
  sessionStorage.setItem("acting", person);
  history.replaceState(null, "", `/${location.hash}`);
  source?.close();
  source = new EventSource(`/page/feed?${new URLSearchParams({ as: person, token })}`);
  source.onmessage = (event) => {
    lost(false);
    take(JSON.parse(event.data));
  };
  source.onerror = () => {
    lost(true);
    if (source.readyState === EventSource.CLOSED) setTimeout(startAnew, ANEW_MS);
  };
}

// The server refuses this window: it was started anew, perhaps with other people.
function startAnew() {
  sessionStorage.removeItem("acting");
  location.reload();
}

function take(change) {
  if (change.fresh) rows.clear();
  for (const key of change.drop) rows.delete(key);
  for (const [key, row] of Object.entries(change.set)) {
    row.key = key;
    row.serial = ++serial;
    rows.set(key, row);
  }
  changed();
}

// Asks the server; resolves to its answer, with `told` where it refused.
export async function ask(path, body = {}) {
  const address = `/page/${path}?${new URLSearchParams({ as: me() })}`;
  const headers = { "content-type": "application/json", "x-page-token": token };
  try {
    const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
    return { ok: answer.ok, ...(await answer.json()) };
  } catch {
    return { ok: false, told: "The workspace cannot be reached." };
  }
}
