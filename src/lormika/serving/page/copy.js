// Copying texts, and saving files.

import { announce, el } from "./dom.js";
import { openDialog } from "./dialog.js";

/** Copy a text; where the browser does not allow that, show it, ready to be copied. */
export async function copyText(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${name}.`);
  } catch {
    const field = el("textarea", { readonly: true, rows: 6, "aria-label": `Text to copy: ${name}` });
    field.value = text;
    openDialog("Copy this", field);
    field.focus();
    field.select();
  }
}

/** Save a file that the server has made. */
export function saveFile({ blob, name }) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  toast(`Saved ${name}.`);
}

let shown = null;

/** Say something for a moment. */
export function toast(text) {
  shown?.remove();
  const own = (shown = el("p", { class: "toast", "aria-hidden": "true" }, text));
  document.body.append(own);
  announce(text);
  setTimeout(() => own.remove(), 4000);
}
