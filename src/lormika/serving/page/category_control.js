// The control of a category: chips if they are few and short, a list, or a list with search if they are many.

import { data, el, newId } from "./dom.js";
import { missingBox } from "./missing.js";
import { SearchList } from "./search_list.js";

const MOST_CHIPS = 5;
const MOST_LETTERS = 44; // of all chips together
const MOST_LISTED = 15;

/** A control for a feature of categories. */
export function makeCategoryControl(feature, own, hear) {
  const letters = feature.categories.reduce((sum, { text }) => sum + text.length + 3, 0);
  const isKnown = own === null || feature.categories.some(({ value }) => value === own);
  if (feature.distinct <= MOST_CHIPS && letters <= MOST_LETTERS && isKnown) return new Chips(feature, own, hear);
  return feature.distinct <= MOST_LISTED && isKnown ? new List(feature, own, hear) : new SearchList(feature, own, hear);
}

class Chips {
  constructor(feature, own, hear) {
    this.inputs = new Map();
    const name = newId("chips");
    const chips = feature.categories.map(({ value, text, rows }) => {
      const input = el("input", { type: "radio", name, onchange: () => hear(value, "end") });
      const turn = el("span", { class: "unseen" });
      this.inputs.set(value, { input, turn });
      return el(
        "label",
        { class: "pick", title: `${rows.toLocaleString("en")} rows have this` },
        input,
        data(text),
        turn,
      );
    });
    this.missing = missingBox(feature, own, (isMissing) =>
      hear(isMissing ? null : (own ?? feature.categories[0].value), "end"),
    );
    this.element = el("div", { class: "picks", role: "radiogroup", "aria-label": feature.label }, chips);
  }

  show(value) {
    for (const [own, { input }] of this.inputs) input.checked = own === value;
    this.missing?.show(value === null);
  }

  mark(effect) {
    const turned = turnedValues(effect);
    for (const [value, { input, turn }] of this.inputs) {
      input.parentElement.classList.toggle("turns", turned.has(value));
      turn.textContent = turned.has(value) ? ` (turns to ${turned.get(value)})` : "";
    }
  }
}

class List {
  constructor(feature, own, hear) {
    this.feature = feature;
    this.options = feature.categories.map(({ text }, place) => el("option", { value: place }, text));
    this.none = feature.may_be_missing || own === null ? el("option", { value: "" }, "missing") : null;
    this.select = el(
      "select",
      { "aria-label": feature.label, onchange: () => hear(this.#chosen(), "end") },
      this.options,
      this.none,
    );
    this.element = el("div", { class: "list-control" }, this.select);
  }

  #chosen() {
    return this.select.value === "" ? null : this.feature.categories[Number(this.select.value)].value;
  }

  show(value) {
    const place = this.feature.categories.findIndex((one) => one.value === value);
    this.select.value = place < 0 ? "" : String(place);
  }

  mark(effect) {
    const turned = turnedValues(effect);
    this.feature.categories.forEach(({ value, text }, place) => {
      this.options[place].textContent = turned.has(value) ? `${text} — turns to ${turned.get(value)}` : text;
    });
  }
}

/** Categories at which the prediction turns, with what it turns to. */
export const turnedValues = (effect) => new Map((effect ? effect.turning : []).map(({ low, label }) => [low, label]));
