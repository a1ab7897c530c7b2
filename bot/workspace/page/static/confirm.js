// Dialogs of the page's own: a yes or no before a click counts.

import { h, newId } from "./dom.js";
import { textOf } from "./blocks.js";

// Resolves to whether the person said yes. `asks` is Slack's confirm object.
export function confirmed(asks) {
  const plain = (text) => ({ type: "plain_text", text });
  const title = newId("confirm");
  const said = newId("confirm");
  return new Promise((resolve) => {
    const answer = (yes) => {
      dialog.close();
      dialog.remove();
      resolve(yes);
    };
    const dialog = h(
      "dialog",
      {
        class: "confirm",
        role: "alertdialog",
        "aria-labelledby": title,
        "aria-describedby": said,
        oncancel: (event) => {
          event.preventDefault();
          answer(false);
        },
      },
      h("h2", { id: title }, textOf(asks.title)),
      h("p", { id: said }, textOf(asks.text)),
      h(
        "div",
        { class: "row" },
        h(
          "button",
          { type: "button", onclick: () => answer(false) },
          textOf(asks.deny ?? plain("Cancel")),
        ),
        h(
          "button",
          {
            type: "button",
            class: asks.style === "danger" ? "danger" : "primary",
            "data-answer": "yes",
            onclick: () => answer(true),
          },
          textOf(asks.confirm ?? plain("Yes")),
        ),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
