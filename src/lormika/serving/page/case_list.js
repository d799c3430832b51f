// The list of cases that were found: a page of it, which of them is open, and which is compared.

import { data, el, link } from "./dom.js";
import { caseName } from "./verdict.js";

const LEAST = 6; // cases on a page
const MOST = 20;
const HEIGHT = 34; // of a case, in pixels
const USUAL = 900; // height of a window with the fewest

/** How many cases a page of the list has: more on a tall screen. */
export const pageSize = () =>
  Math.max(LEAST, Math.min(MOST, LEAST + Math.floor((window.innerHeight - USUAL) / HEIGHT)));

/** The list; `act` has open(row), compare(row), turn(pages) and seek(), which looks for the open case. */
export function makeCaseList({ total, offset, cases, read_as: readAs }, act) {
  const note = readAs ? el("p", { class: "faded read-as" }, "Read as ", el("code", {}, data(readAs))) : null;
  if (!total) return [note, el("p", { class: "faded none" }, "No case is like that.")];
  return [
    note,
    el(
      "ul",
      { class: "cases", "aria-label": "Cases found" },
      cases.map((one) => makeItem(one, act)),
    ),
    makePages(total, offset, cases.length, act),
    el("p", { class: "faded elsewhere", hidden: true }),
  ];
}

function makeItem(one, act) {
  const note = one.otherwise ? ["labelled ", data(String(one.label))] : null;
  const open = el(
    "button",
    { type: "button", class: "case", "data-row": one.row, onclick: () => act.open(one.row) },
    el("span", { class: "case-name" }, data(one.id ?? String(one.row))),
    el("span", {}, one.text === null ? "…" : data(one.text)),
    el("span", { class: "figure" }, one.certainty_text ?? ""),
    note ? el("span", { class: "case-note" }, note) : null,
  );
  const compare = el(
    "button",
    {
      type: "button",
      class: "quiet small",
      "data-compare": one.row,
      "aria-label": `Compare with ${caseName(one.row, one.id)}`,
      title: "compare with this case",
      onclick: () => act.compare(one.row),
    },
    "⇄",
  );
  return el("li", {}, open, compare);
}

function makePages(total, offset, count, act) {
  const turn = (by, text, name, off) =>
    el(
      "button",
      { type: "button", class: "quiet small", disabled: off, "aria-label": name, onclick: () => act.turn(by) },
      text,
    );
  const shown = (number) => number.toLocaleString("en");
  return el(
    "div",
    { class: "pages" },
    turn(-1, "‹", "Cases before these", offset === 0),
    el("span", { class: "faded", role: "status" }, `${shown(offset + 1)}–${shown(offset + count)} of ${shown(total)}`),
    turn(1, "›", "More cases", offset + count >= total),
  );
}

/** Mark the open and the compared case; where the open one is not seen, say so. */
export function markCases(place, { row, compared }, act) {
  let seen = false;
  for (const button of place.querySelectorAll(".case")) {
    const own = Number(button.dataset.row);
    seen ||= own === row;
    if (own === row) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    button.parentElement.classList.toggle("open", own === row);
    button.parentElement.classList.toggle("compared", compared !== null && own === compared.row);
    button.nextElementSibling.disabled = own === row;
  }
  const elsewhere = place.querySelector(".elsewhere");
  if (!elsewhere) return;
  elsewhere.hidden = seen;
  elsewhere.replaceChildren(
    "The open case is not on this page · ",
    link("show it", () => act.seek()),
  );
}
