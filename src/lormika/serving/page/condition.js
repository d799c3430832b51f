// Conditions on cases: how they are written, and examples of them.

import { data, el, link } from "./dom.js";

const MOST_NAMES = 40;

/** A column as a condition names it. */
export const quoteName = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``);

/** A value as a condition writes it. */
export function quoteValue(value) {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
}

/** A condition that about half of all cases meet. */
export function exampleOf({ features }) {
  const number = features.find(({ kind, quantiles }) => kind === "number" && quantiles.length);
  if (!number) return "a condition";
  return `${quoteName(number.name)} > ${number.quantiles[Math.floor(number.quantiles.length / 2)]}`;
}

/** Examples to press, and the columns that there are. */
export function conditionHelp(description, attempt) {
  const category = description.features.find(({ kind, categories }) => kind === "category" && categories.length);
  const examples = [
    exampleOf(description),
    category ? `${quoteName(category.name)} == ${quoteValue(category.categories[0].value)}` : null,
    `prediction == ${quoteValue(description.classes[0].label)} and certainty < 0.6`,
  ].filter(Boolean);
  const names = [...description.features.map(({ name }) => name), ...description.data.others];
  const columns = names.slice(0, MOST_NAMES).map((name, place) => [place ? ", " : "", data(quoteName(name))]);
  const items = examples.map((text) => el("li", {}, link(text, () => attempt(text))));
  return [
    el("p", { class: "faded" }, "Compare columns with values, join with and, or, not. Press one to try it:"),
    el("ul", {}, items),
    el("p", { class: "faded" }, "Columns: ", columns, names.length > MOST_NAMES ? " …" : ""),
  ];
}
