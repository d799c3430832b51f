// The control of a number: a slider, a field, and missing.

import { el } from "./dom.js";
import { missingBox } from "./missing.js";
import { Slider } from "./slider.js";

export class NumberControl {
  /** `hear(value, gesture)` is told what the user wants. */
  constructor(feature, own, hear) {
    this.feature = feature;
    this.slider = Slider.fits(feature)
      ? new Slider(feature, own, (value, isOver) => hear(value, isOver ? "end" : "slide"))
      : null;
    this.field = el("input", {
      type: "number",
      step: "any",
      "aria-label": `${feature.label}${feature.unit ? `, in ${feature.unit}` : ""}`,
      inputmode: feature.whole ? "numeric" : "decimal",
      onchange: () => this.#typed(hear),
    });
    this.missing = missingBox(feature, own, (isMissing) => hear(isMissing ? null : (own ?? this.#typical()), "end"));
    this.element = el(
      "div",
      { class: "number-control" },
      this.slider?.element,
      el(
        "span",
        { class: "number-field" },
        this.field,
        feature.unit ? el("span", { class: "unit" }, feature.unit) : null,
      ),
    );
  }

  #typical() {
    const { quantiles } = this.feature;
    return quantiles.length ? quantiles[Math.floor(quantiles.length / 2)] : 0;
  }

  #typed(hear) {
    const value = this.field.valueAsNumber;
    if (Number.isFinite(value)) hear(value, "end");
    else this.field.value = this.value ?? "";
  }

  show(value, text) {
    this.value = value;
    if (document.activeElement !== this.field || this.field.valueAsNumber !== value) this.field.value = value ?? "";
    this.field.placeholder = value === null ? "missing" : "";
    this.slider?.show(value, text);
    this.missing?.show(value === null);
  }

  mark(effect) {
    this.slider?.mark(effect ? effect.turning : []);
  }
}
