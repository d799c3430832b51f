// Dialogs: the browser's own, which hold the focus and close with Escape.

import { el, newId } from "./dom.js";

/** Open a dialog; it is gone when it is closed. */
export function openDialog(title, ...content) {
  const heading = newId("dialog");
  const dialog = el(
    "dialog",
    { "aria-labelledby": heading },
    el(
      "header",
      {},
      el("h2", { id: heading }, title),
      el("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, "✕"),
    ),
    content,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A label above a field. */
export const field = (text, control, hint = null) =>
  el("label", { class: "field" }, el("span", {}, text), control, hint ? el("small", { class: "faded" }, hint) : null);
