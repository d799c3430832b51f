// The verdict: what the model says, how sure it is, what it said before the change, and the sentences.

import { bar } from "./bar.js";
import { data, el } from "./dom.js";
import { term } from "./definitions.js";

/** How a case is called. */
export const caseName = (row, id) => (id === null || id === undefined ? `Case ${row}` : `Case ${id}`);

/** Whether the prediction is another one than of the case without changes. */
export const isTurned = (answer) => answer.before !== null && answer.before.prediction !== answer.prediction;

/** The words for a prediction: "rejected (74%)". */
export const said = (answer) =>
  answer.certainty_text === null ? answer.text : `${answer.text} (${answer.certainty_text})`;

/** The part that changes at once: label, bar and certainty. */
export function headline(answer, description, title) {
  return el(
    "div",
    { class: "headline" },
    el("p", { class: "faded" }, title),
    el("p", { class: "label" }, data(answer.text)),
    certaintyBar(answer, description),
    certaintyLine(answer, description),
    beforeLine(answer, description),
  );
}

/** The bar from 0 to 1: the probability of the class that is predicted. */
export function certaintyBar(answer, description) {
  return answer.unit === "probability" ? bar(answer.certainty, description.classes.length === 2 ? 0.5 : null) : null;
}

function certaintyLine(answer, description) {
  if (answer.certainty_text === null)
    return el("p", { class: "faded" }, "The model gives labels only, no ", term("certainty"), ".");
  const two = description.classes.length === 2;
  const border = answer.unit === "probability" ? "half is the " : "zero is the ";
  return el(
    "p",
    { class: "faded" },
    answer.unit === "margin" ? "margin " : null,
    el("b", {}, answer.certainty_text),
    " ",
    term("certainty", answer.unit === "margin" ? "certainty" : "sure"),
    two ? [` · ${border}`, term("border")] : null,
  );
}

function beforeLine(answer, description) {
  if (!answer.changed.length || answer.before === null) return null;
  const entry = description.classes.find((one) => one.label === answer.before.prediction);
  const certainty = answer.before.certainty;
  const figure =
    certainty === null
      ? ""
      : answer.unit === "probability"
        ? ` (${Math.round(100 * certainty)}%)`
        : ` (${certainty.toFixed(2)})`;
  return el(
    "p",
    { class: isTurned(answer) ? "before turned" : "before" },
    "before the change: ",
    data(entry ? entry.text : String(answer.before.prediction)),
    figure,
  );
}

/** The sentences of a story. */
export function sentences(story) {
  const paragraph = (spans, more = {}) => (spans.length ? el("p", more, spans.map(span)) : null);
  return el(
    "div",
    { class: "sentences" },
    paragraph(story.reasons),
    paragraph(story.changes),
    paragraph(story.checked, { class: "faded" }),
  );
}

const span = ({ text, tone }) => (tone === "plain" ? text : el("bdi", { class: `tone-${tone}` }, text));

/** The card of one case. */
export function verdictCard(answer, story, description, heading, remark) {
  return el(
    "article",
    { class: "verdict card-box" },
    headline(answer, description, heading),
    story ? sentences(story) : el("p", { class: "faded waiting" }, "The reasons are being looked for …"),
    remark,
  );
}
