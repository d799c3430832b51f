// What every figure means, on demand: a small button beside it, and a list of all.

import { fetchJson } from "./ask.js";
import { byId, el } from "./dom.js";

let all = null;

const load = () => (all ??= fetchJson("definitions").then((list) => new Map(list.map((one) => [one.name, one.text]))));

/** A word that says what it means when it is pressed. */
export function term(name, text = name) {
  const button = el("button", { type: "button", class: "term-button", "aria-haspopup": "dialog" }, text);
  button.addEventListener("click", () => show(button, name));
  return button;
}

async function show(button, name) {
  const box = byId("definition");
  let meaning;
  try {
    meaning = (await load()).get(name) ?? "There is no definition of this.";
  } catch (error) {
    all = null;
    meaning = error.message;
  }
  box.replaceChildren(el("strong", {}, name), el("p", {}, meaning));
  place(box, button);
}

/** Show a small box below an element, inside the window; Escape and a click elsewhere close it. */
export function place(box, anchor) {
  if (!box.matches(":popover-open")) box.showPopover({ source: anchor });
  const at = anchor.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8));
  const below = at.bottom + 6;
  const top = below + box.offsetHeight < innerHeight ? below : Math.max(8, at.top - box.offsetHeight - 6);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

/** All definitions as a list. */
export async function listDefinitions() {
  const list = await load();
  return el(
    "dl",
    { class: "definitions" },
    [...list].map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]),
  );
}
