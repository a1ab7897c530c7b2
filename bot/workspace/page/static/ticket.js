// The box "New ticket": a message to change and post, as the acting person.

import { byId, h } from "./dom.js";
import { ask, go, me, nameOf } from "./store.js";
import { act, tell } from "./told.js";

export async function newTicket() {
  const made = await ask("new-ticket");
  if (!made.ok && made.told) return tell(made.told);
  if (document.querySelector("dialog[open]")) return; // the button was pressed twice
  const box = h("textarea", {
    id: "ticket-text",
    rows: 8,
    value: made.text,
    "aria-describedby": "ticket-hint",
  });
  const close = () => {
    dialog.close();
    dialog.remove();
    byId("new-ticket").focus();
  };
  let posting = false;
  const post = async () => {
    if (posting) return;
    posting = true;
    const answer = await act({ act: "post", channel: made.channel, text: box.value.trim() });
    posting = false;
    if (!answer.ok) return;
    close();
    go({ channel: made.channel, thread: "", home: false });
  };
  const dialog = h(
    "dialog",
    {
      class: "modal",
      "aria-labelledby": "ticket-title",
      oncancel: (event) => {
        event.preventDefault();
        close();
      },
    },
    h(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          post();
        },
      },
      h(
        "div",
        { class: "modal-head" },
        h("h2", { id: "ticket-title" }, "New ticket"),
        h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: close }, "✕"),
      ),
      h(
        "div",
        { class: "modal-body" },
        h("label", { for: "ticket-text" }, "Message"),
        box,
        h(
          "p",
          { class: "hint", id: "ticket-hint" },
          `The first line names ticket and customer. It is posted by ${nameOf(me())}, who then cannot approve what comes of it.`,
        ),
      ),
      h(
        "div",
        { class: "row modal-foot" },
        h("button", { type: "button", onclick: close }, "Cancel"),
        h("button", { class: "primary" }, "Post"),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return box.focus();
}
