// Starts the page: follows the rows of one person, and draws what changed.

import { byId } from "./dom.js";
import * as inspector from "./inspector.js";
import * as keys from "./keys.js";
import * as modal from "./modal.js";
import * as panes from "./panes.js";
import * as sidebar from "./sidebar.js";
import { changed, follow, onChange, place, readPlace } from "./store.js";

function lost(is) {
  document.body.classList.toggle("lost", is);
  if (is) byId("notice").textContent = "The workspace cannot be reached; trying again …";
}

readPlace();
addEventListener("hashchange", () => {
  readPlace();
  changed();
});
sidebar.start(lost);
panes.start();
keys.start();
inspector.start();
onChange(() => {
  if (!place().title) return;
  for (const part of [panes, sidebar, modal, inspector]) part.update();
});
follow(sidebar.firstPerson(), lost);
