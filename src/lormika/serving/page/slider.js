// A slider over the distribution of a number, with the values at which the model turns.

import { el, svg } from "./dom.js";
import { Scale } from "./scale.js";

const HEIGHT = 26;
const PLACES = 1000; // of the slider's own axis
const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };

export class Slider {
  /** `hear(value, isOver)` is told every value; isOver once the hand has left the slider. */
  constructor(feature, own, hear) {
    this.scale = new Scale(feature);
    this.hear = hear;
    this.input = el("input", {
      type: "range",
      min: 0,
      max: PLACES,
      step: "any",
      "aria-label": feature.label,
      oninput: () => hear(this.scale.value(this.input.value / PLACES), false),
      onchange: () => hear(this.scale.value(this.input.value / PLACES), true),
      onkeydown: (event) => this.#key(event),
    });
    this.turns = svg("g", {});
    this.element = el("div", { class: "slider" }, this.#picture(feature.histogram, own), this.input);
  }

  /** Whether there is anything to slide over. */
  static fits({ axis }) {
    return axis.length > 1 && axis[0] < axis[axis.length - 1];
  }

  show(value, text) {
    this.value = value;
    this.element.classList.toggle("off", value === null);
    if (value !== null) this.input.value = PLACES * this.scale.at(value);
    this.input.setAttribute("aria-valuetext", text);
  }

  /** Mark the pieces of the axis at which the prediction turns. */
  mark(pieces) {
    this.turns.replaceChildren(
      ...pieces.map(({ low, high, label }) => {
        const from = low === null ? 0 : this.#at(low);
        const to = high === null ? 100 : this.#at(high);
        const width = Math.max(to - from, 1.2);
        return svg(
          "rect",
          { x: Math.min(from, 100 - width), width, y: HEIGHT, height: 4, class: "turns" },
          svg("title", {}, `turns to ${label}`),
        );
      }),
    );
  }

  /** Keys go by steps of the value, wherever the axis is stretched. */
  #key(event) {
    const by = STEPS[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const from = this.value ?? this.scale.value(this.input.value / PLACES);
    this.hear(this.scale.round(from + by * this.scale.step), true);
  }

  #at(value) {
    return 100 * this.scale.at(value);
  }

  #picture(histogram, own) {
    const mark =
      typeof own === "number"
        ? svg("rect", { x: this.#at(own) - 0.5, width: 1, y: 0, height: HEIGHT, class: "own" })
        : null;
    return svg(
      "svg",
      { viewBox: `0 0 100 ${HEIGHT + 4}`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
      histogram ? this.#heaps(histogram) : null,
      mark,
      svg("rect", { x: 0, width: 100, y: HEIGHT, height: 4, class: "track" }),
      this.turns,
    );
  }

  /** Bars whose areas are as the numbers of rows. */
  #heaps({ edges, counts }) {
    const bars = counts.map((count, place) => {
      const [from, to] = [this.#at(edges[place]), this.#at(edges[place + 1])];
      return { from, width: to - from, height: count / Math.max(to - from, 0.1), count };
    });
    const most = Math.max(...bars.map(({ height }) => height));
    return bars
      .filter(({ count }) => count)
      .map(({ from, width, height }) => {
        const own = Math.max(1.5, ((HEIGHT - 2) * height) / most);
        return svg("rect", { x: from, width: Math.max(0.4, width - 0.4), y: HEIGHT - own, height: own, class: "heap" });
      });
  }
}
