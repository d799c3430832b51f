// What if? A control for each feature, what is changed and locked, and the answer at once.

import { data, el, foldable, link } from "./dom.js";
import { term } from "./definitions.js";
import { FeatureRow } from "./feature_row.js";
import { alwaysLocked } from "./lock.js";
import { certaintyBar, isTurned, said } from "./verdict.js";

const MANY = 14; // features, from which on a field finds them

export class WhatIf {
  #rows = new Map();

  constructor(panel, description, store) {
    this.description = description;
    this.store = store;
    this.undo = el("button", { type: "button", class: "quiet small", onclick: () => store.undo() }, "Undo");
    this.redo = el("button", { type: "button", class: "quiet small", onclick: () => store.redo() }, "Redo");
    this.reset = el("button", { type: "button", class: "quiet small", onclick: () => store.reset() }, "Reset");
    this.answer = el("div", { class: "quick-answer" });
    this.list = el("div", { class: "features" });
    this.count = el("span", { class: "faded grow" });
    const head = el(
      "div",
      { class: "what-if-head" },
      this.answer,
      el("div", { class: "line" }, this.count, this.undo, this.redo, this.reset),
    );
    this.fold = foldable("What if?", head, this.#filter(), this.list, this.#legend());
    panel.append(this.fold);
    store.addEventListener("change", () => this.#update());
  }

  /** Controls for another case. */
  open(found) {
    this.found = found;
    this.#rows.clear();
    const groups = new Map();
    for (const feature of this.description.features) {
      const row = new FeatureRow(
        feature,
        found.values[feature.name],
        found.texts[feature.name],
        this.store,
        alwaysLocked(feature.name, this.description.constraints),
      );
      this.#rows.set(feature.name, row);
      if (!groups.has(feature.group)) groups.set(feature.group, []);
      groups.get(feature.group).push(row.element);
    }
    this.list.replaceChildren(
      ...[...groups].flatMap(([group, rows]) =>
        group === null ? rows : [el("h3", { class: "group-name" }, data(group)), ...rows],
      ),
    );
    this.#update();
  }

  /** The model's answer about the values that are set. */
  showAnswer(answer) {
    for (const [name, row] of this.#rows) {
      const isChanged = answer.changed.includes(name);
      row.showAnswer(answer.texts[name], answer.values[name], isChanged ? answer.outside[name] : null);
    }
    this.answer.classList.remove("old");
    const turned = isTurned(answer);
    this.answer.replaceChildren(
      el("span", { class: "tone-for" }, data(said(answer))),
      certaintyBar(answer) ?? "",
      turned ? el("span", { class: "turned-mark" }, "turned") : "",
    );
  }

  /** The answer that is shown is about other values. */
  outdate() {
    this.answer.classList.add("old");
  }

  /** Where the model turns. */
  showEffects(effects) {
    const byName = new Map(effects.map((effect) => [effect.feature, effect]));
    for (const [name, row] of this.#rows) row.control.mark(byName.get(name) ?? null);
  }

  /** Put the focus to the first control. */
  focus() {
    this.fold.open = true;
    this.list.querySelector("input:not([disabled]), select")?.focus();
  }

  #update() {
    const { edits, locks } = this.store.state;
    for (const [name, row] of this.#rows) row.update(name in edits, edits[name], locks[name] ?? "");
    const changes = Object.keys(edits).length;
    this.count.textContent = changes ? `${changes} ${changes === 1 ? "value" : "values"} changed` : "as in the data";
    this.undo.disabled = !this.store.canUndo;
    this.redo.disabled = !this.store.canRedo;
    this.reset.disabled = !changes;
    this.unlock.hidden = !Object.keys(locks).length;
  }

  #filter() {
    if (this.description.features.length < MANY) return null;
    const field = el("input", {
      type: "search",
      placeholder: "find a feature",
      "aria-label": "Find a feature",
      class: "feature-filter",
    });
    field.addEventListener("input", () => {
      const text = field.value.toLowerCase();
      for (const [name, row] of this.#rows)
        row.element.hidden = !`${name} ${row.feature.label}`.toLowerCase().includes(text);
    });
    return field;
  }

  #legend() {
    this.unlock = el(
      "span",
      {},
      " · ",
      link("unlock all", () => this.store.change({ locks: {} })),
    );
    return el(
      "p",
      { class: "faded legend-line" },
      el("span", { class: "swatch-turns", "aria-hidden": "true" }),
      " orange: there the model ",
      term("turning values", "turns"),
      " · ",
      term("locks", "locks"),
      " keep a suggestion from changing a feature",
      this.unlock,
    );
  }
}
