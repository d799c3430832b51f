// The verdict: what the model says, how sure it is, how far the border is, and what it said before the change.

import { bar } from "./bar.js";
import { data, el } from "./dom.js";
import { term } from "./definitions.js";

const NEARLY = 0.99; // from here on, figures would look surer than a model can be

/** How a case is called. */
export const caseName = (row, id) => (id === null || id === undefined ? `Case ${row}` : `Case ${id}`);

/** Whether the prediction is another one than of the case without changes. */
export const isTurned = (answer) => answer.before !== null && answer.before.prediction !== answer.prediction;

/** The words for a prediction: "rejected (74%)". */
export const said = ({ text, certainty_text: certainty }) => (certainty === null ? text : `${text} (${certainty})`);

/** The part that changes at once: label, bar and certainty. */
export function headline(answer, title) {
  return el(
    "div",
    { class: "headline" },
    el("p", { class: "faded" }, title),
    el("p", { class: "label" }, data(answer.text)),
    certaintyBar(answer),
    certaintyLine(answer),
    beforeLine(answer),
  );
}

/** The bar from 0 to 1: the probability of the class that is predicted; the mark is at the border. */
export function certaintyBar({ unit, certainty, border }) {
  if (unit !== "probability") return null;
  return bar(certainty, border === null ? null : (border.at ?? border.rival.probability));
}

function certaintyLine(answer) {
  const { unit, certainty, certainty_text: figure, border } = answer;
  if (figure === null) return el("p", { class: "faded" }, "The model gives labels only, no ", term("certainty"), ".");
  const isNearly = unit === "probability" && certainty > NEARLY;
  return el(
    "p",
    { class: "faded" },
    unit === "margin" ? "margin " : null,
    el("b", { title: figure }, isNearly ? "more than 99%" : figure),
    " ",
    term("certainty", unit === "margin" ? "certainty" : "sure"),
    border === null ? null : [" · ", borderWords(border)],
  );
}

/** The border, with the word that says what it is. */
function borderWords({ text }) {
  const [before, after] = text.split("border");
  return after === undefined
    ? [data(text), " ", el("span", { class: "whole" }, "(", term("border"), ")")]
    : [before, term("border"), after];
}

function beforeLine(answer) {
  if (!answer.changed.length || answer.before === null) return null;
  return el(
    "p",
    { class: isTurned(answer) ? "before turned" : "before" },
    "before the change: ",
    data(said(answer.before)),
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

/** The card of one case; `plain` has the main reasons, and is null while they are looked for. */
export function verdictCard(answer, heading, plain, story, remark) {
  return el(
    "article",
    { class: "verdict card-box" },
    headline(answer, heading),
    plain
      ? el("div", { class: "grounds" }, plain, story)
      : el("p", { class: "faded waiting" }, "The reasons are being looked for …"),
    remark,
  );
}

/** The sentences behind a fold. */
export const foldedSentences = (story, isOpen) =>
  el("details", { class: "in-sentences", open: isOpen }, el("summary", {}, "What similar cases say"), sentences(story));
