// The table of values in which two cases differ, and what the model says of each with the other's value.

import { data, el } from "./dom.js";
import { term } from "./definitions.js";

const MOST_SAME = 20; // features that are named

/** The table; `names` are those of the cases. */
export function makeDifferences({ differences: found, same }, names, description) {
  if (!found.length) return el("p", { class: "faded" }, "All values are the same.");
  const titles = ["feature", ...names];
  const swaps = names.map((name, place) => `${name} with the value of ${lower(names[1 - place])}`);
  return el(
    "div",
    { class: "scroll", role: "region", "aria-label": "Values that differ", tabindex: "0" },
    el(
      "table",
      { class: "differences" },
      el(
        "caption",
        {},
        `They differ in ${found.length} of ${found.length + same.length} features; what moves the model most comes first. `,
        "The last columns say what the model answers if ",
        term("exchanged values", "this value alone"),
        " is exchanged.",
      ),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          [...titles, ...swaps].map((title) => el("th", { scope: "col" }, data(title))),
        ),
      ),
      el(
        "tbody",
        {},
        found.map((one) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, data(one.label)),
            one.texts.map((text) => el("td", { class: "differs" }, data(text))),
            one.swapped.map((answer) => el("td", { class: "swapped" }, swap(answer))),
          ),
        ),
      ),
    ),
    same.length ? sameFeatures(same, description) : null,
  );
}

/** What the model answers with the other's value. */
function swap({ certainty_texts: texts, turned, text }) {
  const label = turned ? [" → ", el("b", {}, data(text))] : null;
  if (texts === null) return turned ? ["turns", label] : "stays";
  if (texts[0] === texts[1] && !turned) return el("span", { class: "faded" }, "stays ", texts[1]);
  return [`${texts[0]} → ${texts[1]}`, turned ? [", turns", label] : null];
}

function sameFeatures(same, { features }) {
  const labels = new Map(features.map(({ name, label }) => [name, label]));
  return el(
    "p",
    { class: "faded" },
    "The same in both: ",
    same.slice(0, MOST_SAME).map((name, place) => [place ? ", " : "", data(labels.get(name) ?? name)]),
    same.length > MOST_SAME ? ` and ${same.length - MOST_SAME} more` : "",
    ".",
  );
}

const lower = (text) => text.charAt(0).toLowerCase() + text.slice(1);
