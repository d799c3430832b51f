// Two cases side by side, or one before and after, with the differences marked.

import { makeBoard } from "./board.js";
import { makeDifferences } from "./differences.js";
import { data, el } from "./dom.js";
import { makePlain } from "./plain.js";
import { headline } from "./verdict.js";

/** The view of a comparison. */
export function makeComparison(state, answer, description, store, copy) {
  const isBefore = state.compared.row === state.row;
  const names = isBefore ? ["Before", "After"] : answer.names.map(capital);
  const title = isBefore ? `${capital(answer.names[0])} before and after` : `${names[0]} and ${answer.names[1]}`;
  return el(
    "section",
    { class: "comparison", "aria-label": "Comparison" },
    el(
      "div",
      { class: "comparison-head" },
      el("h2", {}, title),
      isBefore ? null : swap(state, store),
      el(
        "button",
        { type: "button", class: "primary", onclick: () => store.change({ compared: null }) },
        "End comparison",
      ),
    ),
    el("p", { class: "comparison-summary" }, data(answer.summary)),
    el(
      "div",
      { class: "sides" },
      answer.cases.map((one, place) => side(one, names[place], answer.closer === place)),
    ),
    makeDifferences(answer, names, description),
    boards(answer, names, copy),
  );
}

function swap(state, store) {
  return el(
    "button",
    {
      type: "button",
      class: "quiet",
      onclick: () =>
        store.change({
          row: state.compared.row,
          edits: state.compared.edits,
          compared: { row: state.row, edits: state.edits },
        }),
    },
    "Swap",
  );
}

/** One case; its colours are neutral, since what is for one may be against the other. */
function side(answer, name, isCloser) {
  const badge = isCloser ? el("p", { class: "badge" }, "closer to the border") : null;
  return el("article", { class: "card-box side" }, headline(answer, name), badge, makePlain(answer));
}

/** The rules of each, with its own colours, and what these mean there. */
function boards({ cases }, names, copy) {
  return el(
    "details",
    { class: "each-board" },
    el("summary", {}, el("h3", {}, "Rules of each")),
    el(
      "div",
      { class: "sides" },
      cases.map((one, place) =>
        el(
          "section",
          { "aria-label": `Rules: ${names[place]}` },
          el("p", { class: "side-name" }, names[place]),
          el(
            "p",
            { class: "faded" },
            el("span", { class: "tone-for" }, "blue"),
            ": ",
            data(one.text),
            ", as the model says here · ",
            el("span", { class: "tone-against" }, "orange"),
            ": against that",
          ),
          makeBoard(one, { copy }),
        ),
      ),
    ),
  );
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
