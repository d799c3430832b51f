// A slider over the distribution of a number, with the values at which the model turns.

import { el, svg } from "./dom.js";

const HEIGHT = 26;

export class Slider {
  /** `hear(value, isOver)` is told every value; isOver once the hand has left the slider. */
  constructor(feature, own, hear) {
    this.feature = feature;
    const values = [feature.least, feature.greatest, own].filter((value) => typeof value === "number");
    [this.low, this.high] = [Math.min(...values), Math.max(...values)];
    this.own = own;
    this.input = el("input", {
      type: "range", min: this.low, max: this.high, step: feature.step, "aria-label": feature.label,
      oninput: () => hear(Number(this.input.value), false), onchange: () => hear(Number(this.input.value), true),
    });
    this.turns = svg("g", {});
    this.element = el("div", { class: "slider" }, this.#picture(), this.input);
  }

  /** Whether there is anything to slide over. */
  static fits(feature, own) {
    return feature.least !== null && (feature.least < feature.greatest || (typeof own === "number" && own !== feature.least));
  }

  show(value, text) {
    this.element.classList.toggle("off", value === null);
    if (value !== null) this.input.value = value;
    this.input.setAttribute("aria-valuetext", text);
  }

  /** Mark the pieces of the axis at which the prediction turns. */
  mark(pieces) {
    this.turns.replaceChildren(...pieces.map(({ low, high, label }) => {
      const from = low === null ? 0 : this.#at(low);
      const to = high === null ? 100 : this.#at(high);
      const width = Math.max(to - from, 1.2);
      const name = svg("title", {}, `turns to ${label}`);
      return svg("rect", { x: Math.max(0, from - (to === from ? width / 2 : 0)), width, y: HEIGHT, height: 4, class: "turns" }, name);
    }));
  }

  #at(value) {
    return this.high === this.low ? 50 : (100 * (Math.min(Math.max(value, this.low), this.high) - this.low)) / (this.high - this.low);
  }

  #picture() {
    const { histogram } = this.feature;
    const bars = histogram ? this.#bars(histogram) : [];
    const own = typeof this.own === "number" ? svg("rect", { x: this.#at(this.own) - 0.5, width: 1, y: 0, height: HEIGHT, class: "own" }) : null;
    return svg("svg", { viewBox: `0 0 100 ${HEIGHT + 4}`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
      bars, own, svg("rect", { x: 0, width: 100, y: HEIGHT, height: 4, class: "track" }), this.turns);
  }

  #bars({ edges, counts }) {
    const most = Math.max(...counts);
    return counts.map((count, place) => {
      const [from, to] = [this.#at(edges[place]), this.#at(edges[place + 1])];
      const height = count ? Math.max(1.5, (HEIGHT - 2) * Math.sqrt(count / most)) : 0;
      return svg("rect", { x: from, width: Math.max(0.4, to - from - 0.4), y: HEIGHT - height, height, class: "heap" });
    });
  }
}
