// One feature: its name, its lock, its control, and what it was before.

import { makeCategoryControl } from "./category_control.js";
import { data, el } from "./dom.js";
import { NumberControl } from "./number_control.js";

const WAYS = { "": "may change", fixed: "⊘ fixed", up: "↑ only up", down: "↓ only down" };
const ALOUD = { "": "may change", fixed: "must not change", up: "may only rise", down: "may only fall" };

export class FeatureRow {
  constructor(feature, own, text, store, always) {
    Object.assign(this, { feature, own, text, store });
    const hear = (value, gesture) => this.#hear(value, gesture);
    this.control =
      feature.kind === "number" ? new NumberControl(feature, own, hear) : makeCategoryControl(feature, own, hear);
    this.was = el(
      "button",
      {
        type: "button",
        class: "was",
        hidden: true,
        onclick: () => store.edit(feature.name, own, own),
        "aria-label": `was ${text} ↺ ${feature.label}: back to that`,
      },
      "was ",
      data(text),
      " ↺",
    );
    this.lock = this.#makeLock(always);
    this.element = el(
      "div",
      { class: "feature", role: "group", "aria-label": feature.label },
      el(
        "div",
        { class: "feature-head" },
        el("span", { class: "feature-name", title: feature.name }, data(feature.label)),
        this.control.missing?.element,
        this.lock,
      ),
      this.control.element,
      this.was,
    );
    this.value = own;
  }

  #makeLock(always) {
    const ordered = this.feature.kind === "number" || this.feature.ordered;
    const ways = ordered ? ["", "fixed", "up", "down"] : ["", "fixed"];
    const options = ways.map((way) => el("option", { value: way, title: ALOUD[way] }, WAYS[way]));
    const label = `May ${this.feature.label} change in suggestions?`;
    const select = el(
      "select",
      {
        class: "lock",
        "aria-label": label,
        title: label,
        onchange: () => this.store.lock(this.feature.name, select.value),
      },
      options,
    );
    if (always)
      Object.assign(select, { disabled: true, value: always, title: "This was set when the server was started." });
    this.always = always;
    return select;
  }

  #hear(value, gesture) {
    const name = this.feature.name;
    this.store.edit(name, value, this.own, `slide ${name}`);
    if (gesture === "end") this.store.endGesture();
  }

  update(isChanged, value, way) {
    this.value = isChanged ? value : this.own;
    this.element.classList.toggle("changed", isChanged);
    this.was.hidden = !isChanged;
    this.control.show(this.value, isChanged ? this.#wording(this.value) : this.text);
    if (!this.always) this.lock.value = way;
    this.element.classList.toggle("locked", Boolean(way || this.always));
  }

  /** How the server writes a value. */
  setText(text, value) {
    if (value === this.value) this.control.show(value, text);
  }

  #wording(value) {
    if (value === null) return "missing";
    const known = this.feature.categories?.find((one) => one.value === value);
    return known ? known.text : `${value}${this.feature.unit ? ` ${this.feature.unit}` : ""}`;
  }
}
