// How the rules are asked for: how many, which class, plain or detailed; and, behind a fold, what few people change.

import { term } from "./definitions.js";
import { el } from "./dom.js";

const COUNTS = [1, 2, 3, 5, 10, 20];
const SURE = [0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/** The options above the rules. */
export class Options {
  #predicted = null;

  constructor(description, store) {
    this.description = description;
    this.store = store;
    const { objective, k } = description.options;
    const { options } = store.state;
    const counts = among(COUNTS, k.default, options.k).filter((count) => count >= k.least && count <= k.greatest);
    const sure = among(SURE, options.at_least);
    this.choose = {
      k: select("How many rules of each kind", counts, (count) => `up to ${count} of each kind`, this.#set("k")),
      target: this.#target(),
      objective: select("Measure that ranks the rules", objective.choices, String, this.#set("objective")),
      at_least: select(
        "How certain a change must make it",
        [undefined, ...sure],
        (share) => (share === undefined ? "any certainty" : `${Number((100 * share).toFixed(2))}% sure`),
        this.#set("at_least"),
      ),
    };
    this.detailed = this.#box((isOn) => this.#set("detail")(isOn ? "detailed" : "plain"), { role: "switch" });
    this.spread = this.#box((isOn) => this.#set("spread")(isOn || undefined));
    this.element = this.#line();
    store.addEventListener("change", () => this.#update());
    this.#update();
  }

  /** What the model says: to turn it to that makes no sense. */
  showPrediction(label) {
    this.#predicted = label;
    this.#update();
  }

  #target() {
    const { choices } = this.description.options.target;
    const texts = new Map(this.description.classes.map(({ label, text }) => [label, text]));
    return select(
      "Class that a change must lead to",
      [undefined, ...choices],
      (label) => (label === undefined ? "any other class" : texts.get(label)),
      this.#set("target"),
    );
  }

  #set(name) {
    return (value) => {
      const options = { ...this.store.state.options };
      if (value === undefined) delete options[name];
      else options[name] = value;
      this.store.change({ options });
    };
  }

  #box(hear, more = {}) {
    const box = el("input", { type: "checkbox", ...more, onchange: () => hear(box.checked) });
    return box;
  }

  #line() {
    this.toward = el("label", {}, "turn to ", this.choose.target.element);
    this.rank = el("span", { class: "rank-term" });
    const isSure = this.description.model.unit === "probability";
    return el(
      "div",
      { class: "options", role: "group", "aria-label": "How rules are chosen" },
      el("label", {}, this.choose.k.element),
      this.toward,
      el("label", { class: "switch" }, this.detailed, "all figures"),
      el(
        "details",
        { class: "more-options" },
        el("summary", {}, "more options"),
        el(
          "div",
          { class: "options" },
          isSure ? el("label", {}, "a change must lead to at least ", this.choose.at_least.element) : null,
          el("label", { class: "switch" }, this.spread, "suggestions of different features"),
          el("label", {}, "ranked by ", this.choose.objective.element),
          this.rank,
        ),
      ),
    );
  }

  #update() {
    const { options } = this.store.state;
    for (const [name, one] of Object.entries(this.choose)) one.show(options[name]);
    this.detailed.checked = options.detail === "detailed";
    this.spread.checked = options.spread ?? this.description.options.spread.default;
    this.rank.replaceChildren(term(options.objective, "?"));
    this.choose.target.forbid(this.#predicted);
    // Of two classes, the other one is the only one.
    this.toward.hidden = this.description.classes.length === 2 && options.target === undefined;
  }
}

const among = (values, ...more) =>
  [...new Set([...values, ...more])].filter((value) => value !== undefined).sort((a, b) => a - b);

function select(label, values, text, hear) {
  const element = el(
    "select",
    { "aria-label": label, onchange: () => hear(values[Number(element.value)]) },
    values.map((value, place) => el("option", { value: place }, text(value))),
  );
  return {
    element,
    show: (value) => {
      element.value = String(values.indexOf(value));
    },
    /** One value cannot be chosen; if it is all the same, it is seen. */
    forbid: (value) =>
      values.forEach((one, place) => {
        const option = element.options[place];
        option.disabled = value !== null && one === value;
        option.hidden = option.disabled && element.value !== String(place);
        option.textContent = `${text(one)}${option.disabled ? " (predicted now)" : ""}`;
      }),
  };
}
