// Two cases side by side, or one before and after, with the differences marked.

import { fetchJson } from "./ask.js";
import { makeBoard } from "./board.js";
import { data, el, link } from "./dom.js";
import { field, openDialog } from "./dialog.js";
import { headline, sentences } from "./verdict.js";

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
      answer.cases.map((one, place) => side(one, names[place], answer.closer === place, description)),
    ),
    differences(answer, names, description),
    el("h3", {}, "Rules of each"),
    el(
      "div",
      { class: "sides" },
      answer.cases.map((one, place) =>
        el(
          "section",
          { "aria-label": `Rules: ${names[place]}` },
          el("p", { class: "side-name" }, names[place]),
          makeBoard(one, { copy }),
        ),
      ),
    ),
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

function side(answer, name, isCloser, description) {
  const badge = isCloser ? el("p", { class: "badge" }, "closer to the border") : null;
  return el("article", { class: "card-box side" }, headline(answer, description, name), badge, sentences(answer.story));
}

function differences({ differences: found, same }, names, description) {
  if (!found.length) return el("p", { class: "faded" }, "All values are the same.");
  const most = Math.max(...found.flatMap(({ effects }) => effects.map((effect) => effect ?? 0)), 0);
  const row = (one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, data(one.label)),
      one.texts.map((text) => el("td", { class: "differs" }, data(text))),
      el("td", {}, weight(one, most)),
    );
  const labels = new Map(description.features.map(({ name, label }) => [name, label]));
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "differences" },
      el(
        "caption",
        {},
        `They differ in ${found.length} of ${found.length + same.length} features; what the predictions depend on most comes first`,
      ),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "feature"),
          names.map((name) => el("th", { scope: "col" }, name)),
          el("th", { scope: "col" }, "weight"),
        ),
      ),
      el("tbody", {}, found.map(row)),
    ),
    same.length
      ? el(
          "p",
          { class: "faded" },
          "The same in both: ",
          same.slice(0, 20).map((name, place) => [place ? ", " : "", data(labels.get(name) ?? name)]),
          same.length > 20 ? ` and ${same.length - 20} more` : "",
          ".",
        )
      : null,
  );
}

/** How much the predictions depend on a feature, as a word for ears and dots for eyes. */
function weight({ effects }, most) {
  const own = Math.max(...effects.map((effect) => effect ?? 0));
  const level = most ? Math.round((3 * own) / most) : 0;
  const word = ["hardly", "a little", "much", "very much"][level];
  return el(
    "span",
    { class: "weight" },
    el("span", { class: "weight-dots", "aria-hidden": "true" }, "●".repeat(level), "○".repeat(3 - level)),
    ` ${word}`,
  );
}

/** Ask what to compare with. */
export function askComparison(store, description) {
  const { row, edits } = store.state;
  const other = el("input", { type: "text", required: true, autocomplete: "off" });
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const choose = (compared) => {
    dialog.close();
    store.change({ compared });
  };
  const find = async (event) => {
    event.preventDefault();
    try {
      choose({ row: await rowOf(other.value.trim()), edits: {} });
    } catch (error) {
      trouble.textContent = error.message;
      trouble.hidden = false;
    }
  };
  const by = description.data.id === null ? "by its row" : `by its row or ${description.data.id}`;
  const form = el(
    "form",
    { onsubmit: find },
    field(`Another case, ${by}`, other, "Or press ⇄ beside a case in the list."),
    trouble,
    el("button", { class: "primary" }, "Compare"),
  );
  const before = Object.keys(edits).length
    ? el(
        "p",
        {},
        link("With the same case before the changes", () => choose({ row, edits: {} })),
      )
    : el("p", { class: "faded" }, "Once you have changed values, you can compare before and after.");
  const dialog = openDialog(`Compare case ${row} with …`, before, form);
  (dialog.querySelector(".link") ?? other).focus();
}

/** The row that is called so. */
async function rowOf(text) {
  const found = await fetchJson("cases", { text, limit: 1 });
  if (!["row", "id"].includes(found.how) || !found.total) throw new Error(`There is no case ${text}.`);
  return found.cases[0].row;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
