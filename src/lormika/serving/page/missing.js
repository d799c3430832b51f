// The box that says that a value is not known.

import { el } from "./dom.js";

/** Null where values cannot be missing. */
export function missingBox(feature, own, hear) {
  if (!feature.may_be_missing && own !== null) return null;
  const box = el("input", {
    type: "checkbox",
    "aria-label": `${feature.label} is missing`,
    onchange: () => hear(box.checked),
  });
  return {
    element: el("label", { class: "missing" }, box, "missing"),
    show: (isMissing) => {
      box.checked = isMissing;
    },
  };
}
