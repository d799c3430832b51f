// Categories as chips, if they are few and short.

import { data, el, newId } from "./dom.js";

export class Chips {
  constructor(feature, hear) {
    this.inputs = new Map();
    const name = newId("chips");
    const chips = feature.categories.map(({ value, text, rows }) => {
      const input = el("input", { type: "radio", name, onchange: () => hear(value, "end") });
      const turn = el("span", { class: "unseen" });
      this.inputs.set(value, { input, turn });
      return el(
        "label",
        { class: "pick", title: `${rows.toLocaleString("en")} rows of the background have this` },
        input,
        data(text),
        turn,
      );
    });
    this.element = el("div", { class: "picks", role: "radiogroup", "aria-label": feature.label }, chips);
  }

  show(value) {
    for (const [own, { input }] of this.inputs) input.checked = own === value;
  }

  mark(turned) {
    for (const [value, { input, turn }] of this.inputs) {
      input.parentElement.classList.toggle("turns", turned.has(value));
      turn.textContent = turned.has(value) ? ` (turns to ${turned.get(value)})` : "";
    }
  }
}
