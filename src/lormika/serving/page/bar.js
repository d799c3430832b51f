// A bar of the certainty, with the border.

import { svg } from "./dom.js";

const HEIGHT = 10;

/** The bar; `share` and `border` from 0 to 1, `border` null where there is none. */
export function bar(share, border = null) {
  const rect = (width, name) =>
    svg("rect", { x: 0, width: `${100 * width}%`, y: 3, height: HEIGHT, rx: 5, class: name });
  const at = `${100 * border}%`;
  return svg(
    "svg",
    { class: "bar", height: HEIGHT + 6, "aria-hidden": "true", focusable: "false" },
    rect(1, "bar-track"),
    rect(share, "bar-share"),
    border === null ? null : svg("line", { x1: at, x2: at, y1: 0, y2: HEIGHT + 6, class: "bar-border" }),
  );
}
