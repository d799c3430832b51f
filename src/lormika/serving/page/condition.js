// Conditions on cases: how they are written, and examples of them.

import { data, el, link } from "./dom.js";

const MOST_NAMES = 40;

/** A column as a condition names it. */
const quoteName = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``);

/** A value as a condition writes it. */
function quoteValue(value) {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
}

/** A condition that about half of all cases meet. */
export function exampleOf({ features }) {
  const number = features.find(({ kind, quantiles }) => kind === "number" && quantiles.length);
  if (!number) return "a condition";
  return `${quoteName(number.name)} > ${number.quantiles[Math.floor(number.quantiles.length / 2)]}`;
}

/** Examples to press, rules of writing, and the columns that there are. */
export function conditionHelp(description, attempt) {
  const { features, classes, data: table } = description;
  const category = features.find(({ kind, categories }) => kind === "category" && categories.length);
  const gaps = features.find(({ missing }) => missing > 0) ?? features.find((one) => one.may_be_missing);
  const examples = [
    exampleOf(description),
    category ? `${quoteName(category.name)} = ${quoteValue(category.categories[0].value)}` : null,
    gaps ? `${quoteName(gaps.name)} is missing` : null,
    `prediction = ${quoteValue(classes[0].label)} and certainty < 0.6`,
  ].filter(Boolean);
  const names = [...features.map(({ name }) => name), ...table.others];
  const columns = names.slice(0, MOST_NAMES).map((name, place) => [place ? ", " : "", data(quoteName(name))]);
  const code = (text) => el("code", {}, text);
  const rule = (...words) => el("li", {}, words);
  return [
    el("p", {}, "Press one to try it:"),
    el(
      "ul",
      {},
      examples.map((text) =>
        el(
          "li",
          {},
          link(text, () => attempt(text)),
        ),
      ),
    ),
    el(
      "ul",
      { class: "faded rules-of-writing" },
      rule("Compare a column with a value: ", code("="), " ", code("!="), " ", code("<"), " ", code(">="), " …"),
      rule("Join several with ", code("and"), ", ", code("or"), ", ", code("not"), "; brackets group them."),
      rule("One of several: ", code('in ["a", "b"]'), "."),
      rule("A value that is not known: ", code("is missing"), " or ", code("is not missing"), "."),
      rule("A name with blanks or signs stands in backticks: ", code("`net income` > 50"), "."),
      rule("A text that could be taken for something else stands in quotes: ", code('"and so on"'), "."),
    ),
    el("p", { class: "faded" }, "Columns: ", columns, names.length > MOST_NAMES ? " …" : "", ", prediction, certainty"),
  ];
}
