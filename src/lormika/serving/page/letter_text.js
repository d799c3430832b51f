// The text of a letter: paragraphs, items of lists and rows of tables; nothing of its markup is taken over.

import { el } from "./dom.js";

/** The texts of a letter as elements of this page, one after the other. */
export function readLetter(page) {
  const parsed = new DOMParser().parseFromString(page.replace(/<style>[\s\S]*?<\/style>/g, ""), "text/html");
  for (const one of parsed.querySelectorAll("br, .facts span + span")) one.before(BREAK);
  return [...parsed.querySelectorAll("h1, h2, p, li, tbody tr")].map(makeText).filter(Boolean);
}

/** All texts of a letter as one. */
export const joinTexts = (texts) => texts.map((one) => one.textContent).join("\n\n");

const BREAK = "\u2028"; // a line that ends: other white space of the markup means nothing

function makeText(one) {
  const text = one.tagName === "TR" ? rowText(one) : plain(one);
  if (!text) return null;
  const isItem = ["LI", "TR"].includes(one.tagName);
  return el(
    ["H1", "H2"].includes(one.tagName) ? "h3" : "p",
    { class: isItem ? "item" : null },
    isItem ? `• ${text}` : text,
  );
}

/** A row of the table of reasons in words: the detail and its value, then the last column with its name. */
function rowText(row) {
  const [detail, value, other] = row.cells;
  const name = plain(row.closest("table").tHead.rows[0].cells[other.cellIndex]);
  const reason = detail.querySelector("small");
  reason?.remove();
  const said = `${plain(detail)}: ${plain(value)} — ${name.toLowerCase()}: ${plain(other)}`;
  return reason ? `${said}\n${plain(reason)}` : said;
}

const plain = (one) =>
  one.textContent
    .split(BREAK)
    .map((line) => line.trim().replace(/\s+/g, " "))
    .join("\n")
    .trim();
