// Elements from words and data. Texts become text nodes; nothing here reads markup.

const WEB = /^(https?:|mailto:)/i;

// h("button", { class: "x", onclick: f }, "text", child): null and false children are left out.
export function h(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) set(made, name, value);
  made.append(
    ...children.flat(3).filter((each) => each !== null && each !== undefined && each !== false),
  );
  return made;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === "function") element.addEventListener(name.slice(2), value);
  else if (name === "href" && !WEB.test(value) && !value.startsWith("#")) element.title = value;
  else if (name === "value" || name === "checked") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

export const byId = (id) => document.getElementById(id);

// Makes the children of `list` those of `items`, in order; an element whose `sign` is as before
// stays as it is, and focus stays on the same control of an element that is made anew.
export function reconcile(list, items, { key, sign, make }) {
  const old = new Map([...list.children].map((each) => [each.dataset.key, each]));
  let last = null;
  for (const item of items) {
    const name = key(item);
    const before = old.get(name);
    old.delete(name);
    const element = current(before, String(sign(item)), () => make(item));
    element.dataset.key = name;
    const place = last ? last.nextElementSibling : list.firstElementChild;
    if (element !== place) list.insertBefore(element, place);
    last = element;
  }
  for (const gone of old.values()) gone.remove();
}

// Returns the element as it is, or a new one in its place.
function current(before, sign, make) {
  if (before?.dataset.sign === sign) return before;
  const made = make();
  made.dataset.sign = sign;
  if (before) replace(before, made);
  return made;
}

// Replaces an element; the focus inside it moves to the control of the same name, or to the whole.
export function replace(before, after) {
  const focused = before.contains(document.activeElement) ? document.activeElement : null;
  const name = focused?.dataset.focus;
  if (before.tabIndex === 0) after.tabIndex = 0;
  before.replaceWith(after);
  if (focused) ((name && find(after, name)) || after).focus({ preventScroll: true });
}

export function find(within, name) {
  return [...within.querySelectorAll("[data-focus]")].find((each) => each.dataset.focus === name);
}

let numbers = 0;
export const newId = (stem) => `${stem}-${++numbers}`;

const moment = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const exact = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
export const clock = (seconds) => moment.format(new Date(seconds * 1000));
export const clockExact = (seconds) => exact.format(new Date(seconds * 1000));
export const time = (seconds) =>
  h(
    "time",
    {
      datetime: new Date(seconds * 1000).toISOString(),
      title: whole.format(new Date(seconds * 1000)),
    },
    clock(seconds),
  );
