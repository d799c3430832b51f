// How the rules are asked for: measure, how many, which class, plain or detailed.

import { el } from "./dom.js";
import { term } from "./definitions.js";

const COUNTS = [1, 2, 3, 5, 10, 20];

/** The line of options above the rules. */
export function makeOptions(description, store) {
  const { objective, k, target } = description.options;
  const set = (name, value) => {
    const options = { ...store.state.options };
    if (value === undefined) delete options[name];
    else options[name] = value;
    store.change({ options });
  };
  const counts = [...new Set([...COUNTS, k.default, store.state.options.k])]
    .filter((count) => count >= k.least && count <= k.greatest)
    .sort((a, b) => a - b);
  const choose = {
    objective: select("Measure that ranks the rules", objective.choices, objective.choices, (place) =>
      set("objective", objective.choices[place]),
    ),
    k: select(
      "How many rules of each kind",
      counts,
      counts.map((count) => `up to ${count} of each kind`),
      (place) => set("k", counts[place]),
    ),
    target: select(
      "Class that a change must lead to",
      [undefined, ...target.choices],
      ["any other class", ...description.classes.map(({ text }) => text)],
      (place) => set("target", place ? target.choices[place - 1] : undefined),
    ),
  };
  const detailed = el("input", {
    type: "checkbox",
    role: "switch",
    onchange: () => set("detail", detailed.checked ? "detailed" : "plain"),
  });
  const update = () => {
    const { options } = store.state;
    for (const [name, one] of Object.entries(choose)) one.show(options[name]);
    detailed.checked = options.detail === "detailed";
  };
  store.addEventListener("change", update);
  update();
  return el(
    "div",
    { class: "options", role: "group", "aria-label": "How rules are chosen" },
    el("label", {}, "ranked by ", choose.objective.element),
    rankTerm(store),
    el("label", {}, choose.k.element),
    el("label", {}, "turn to ", choose.target.element),
    el("label", { class: "switch" }, detailed, "all figures"),
  );
}

function select(label, values, texts, hear) {
  const element = el(
    "select",
    { "aria-label": label, onchange: () => hear(Number(element.value)) },
    texts.map((text, place) => el("option", { value: place }, String(text))),
  );
  return {
    element,
    show: (value) => {
      element.value = String(values.indexOf(value));
    },
  };
}

function rankTerm(store) {
  const place = el("span", {});
  const update = () => place.replaceChildren(term(store.state.options.objective, "?"));
  store.addEventListener("change", update);
  update();
  place.className = "rank-term";
  return place;
}
