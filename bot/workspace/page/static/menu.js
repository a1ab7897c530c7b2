// A button that opens a menu: arrow keys, Home, End, Escape; the focus returns to the button.

import { h, newId } from "./dom.js";

let open = null;

export function menuButton({ name, focus, items, words = "⋯" }) {
  const id = newId("menu");
  const button = h(
    "button",
    {
      type: "button",
      class: "more",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "aria-controls": id,
      "aria-label": name,
      title: name,
      "data-focus": focus,
      onclick: () => (open?.button === button ? close() : show(button, id, items())),
      onkeydown: (event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        event.stopPropagation();
        show(button, id, items());
      },
    },
    words,
  );
  return button;
}

function show(button, id, items) {
  close();
  const menu = h(
    "div",
    { class: "menu", role: "menu", id, onkeydown: (event) => keys(event, menu) },
    items.map((item) =>
      h(
        "button",
        {
          type: "button",
          role: "menuitem",
          tabindex: -1,
          class: item.danger ? "danger-words" : null,
          onclick: () => {
            close(true);
            item.run();
          },
        },
        item.words,
      ),
    ),
  );
  (button.closest("dialog, section, nav") ?? document.body).append(menu);
  const at = button.getBoundingClientRect();
  const top = at.bottom + menu.offsetHeight > innerHeight ? at.top - menu.offsetHeight : at.bottom;
  menu.style.top = `${Math.max(4, top)}px`;
  menu.style.left = `${Math.max(4, Math.min(at.left, innerWidth - menu.offsetWidth - 4))}px`;
  button.setAttribute("aria-expanded", "true");
  open = { button, menu };
  menu.firstElementChild?.focus();
}

function close(back = false) {
  if (!open) return;
  const { button, menu } = open;
  open = null;
  menu.remove();
  button.setAttribute("aria-expanded", "false");
  if (back) button.focus();
}

function keys(event, menu) {
  const list = [...menu.children];
  const at = list.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to !== undefined) list.at(to % list.length).focus();
  else if (event.key === "Escape" || event.key === "Tab") close(true);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

document.addEventListener("pointerdown", (event) => {
  if (open && !open.menu.contains(event.target) && !open.button.contains(event.target)) close();
});
