// A bar of the certainty, with the border and the certainty before a change.

import { svg } from "./dom.js";

const HEIGHT = 10;

/** Where a certainty of a class is on the bar: as the probability of one class, so that it moves when the class turns. */
export function shareOf(answer, label) {
  if (!answer || answer.unit !== "probability") return null;
  const own = answer.probabilities.find((one) => one.label === label);
  return own ? own.probability : null;
}

/** The bar; `share` and `before` from 0 to 1, `border` null where there is none. */
export function bar(share, { before = null, border = null, tone = "for" } = {}) {
  const rect = (x, width, name, y = 3, height = HEIGHT) =>
    svg("rect", { x: `${100 * x}%`, width: `${100 * width}%`, y, height, rx: 5, class: name });
  const tick = (x, name) => svg("line", { x1: `${100 * x}%`, x2: `${100 * x}%`, y1: 0, y2: HEIGHT + 6, class: name });
  return svg("svg", { class: "bar", height: HEIGHT + 6, "aria-hidden": "true", focusable: "false" },
    rect(0, 1, "bar-track"),
    rect(0, share, `bar-${tone}`),
    before !== null && before !== share ? tick(before, "bar-before") : null,
    border !== null ? tick(border, "bar-border") : null);
}
