// One feature: its name, its lock, its control, what it was before, and whether the data have such a value.

import { makeCategoryControl } from "./category_control.js";
import { data, el } from "./dom.js";
import { Lock } from "./lock.js";
import { NumberControl } from "./number_control.js";

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
    this.lock = new Lock(feature, always, (way) => store.lock(feature.name, way));
    this.note = el("p", { class: "outside", role: "status", hidden: true });
    this.element = el(
      "div",
      { class: "feature", role: "group", "aria-label": feature.label },
      el(
        "div",
        { class: "feature-head" },
        el("span", { class: "feature-name", title: feature.name }, data(feature.label)),
        this.control.missing?.element,
        this.lock.element,
      ),
      this.control.element,
      this.was,
      this.note,
    );
    this.value = own;
  }

  #hear(value, gesture) {
    const name = this.feature.name;
    this.store.edit(name, value, this.own, `slide ${name}`);
    if (gesture === "end") this.store.endGesture();
  }

  update(isChanged, value, way) {
    const before = this.value;
    this.value = isChanged ? value : this.own;
    if (this.value !== before) this.note.hidden = true; // until the server has said something of the new value
    this.element.classList.toggle("changed", isChanged);
    this.was.hidden = !isChanged;
    this.control.show(this.value, isChanged ? this.#wording(this.value) : this.text);
    this.lock.show(way);
  }

  /** How the server writes a value, and what it says of one that the data do not have. */
  showAnswer(text, value, outside) {
    if (value !== this.value) return;
    this.control.show(value, text);
    this.note.textContent = outside ?? "";
    this.note.hidden = !outside;
  }

  #wording(value) {
    if (value === null) return "missing";
    const known = this.feature.categories?.find((one) => one.value === value);
    return known ? known.text : `${value}${this.feature.unit ? ` ${this.feature.unit}` : ""}`;
  }
}
