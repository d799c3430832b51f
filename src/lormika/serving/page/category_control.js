// The control of a category: chips if they are few and short, else a list with search, in which others can be typed.

import { Chips } from "./chips.js";
import { el, link } from "./dom.js";
import { missingBox } from "./missing.js";
import { SearchList } from "./search_list.js";

const MOST_CHIPS = 5;
const MOST_LETTERS = 44; // of all chips together

/** A control for a feature of categories. */
export const makeCategoryControl = (feature, own, hear) => new CategoryControl(feature, own, hear);

class CategoryControl {
  #inner;
  #turned = new Map();

  constructor(feature, own, hear) {
    this.feature = feature;
    this.hear = hear;
    this.missing = missingBox(feature, own, (isMissing) =>
      hear(isMissing ? null : (own ?? feature.categories[0].value), "end"),
    );
    this.element = el("div", { class: "category-control" });
    const letters = feature.categories.reduce((sum, { text }) => sum + text.length + 3, 0);
    this.#use(feature.distinct <= MOST_CHIPS && letters <= MOST_LETTERS ? new Chips(feature, hear) : this.#makeList());
  }

  #makeList() {
    return new SearchList(this.feature, this.hear);
  }

  #use(inner) {
    this.#inner = inner;
    const isOpen = this.feature.open && inner instanceof Chips;
    const more = isOpen
      ? link("another …", () => this.#type(), { "aria-label": `another … value of ${this.feature.label}` })
      : null;
    if (more) inner.element.append(more);
    this.element.replaceChildren(inner.element);
    inner.mark(this.#turned);
  }

  /** Chips give way to a field for a value that is none of theirs. */
  #type() {
    const list = this.#makeList();
    this.#use(list);
    list.show(this.value, this.text);
    list.focus();
  }

  show(value, text) {
    this.value = value;
    this.text = text;
    const isKnown = value === null || this.feature.categories.some((one) => one.value === value);
    if (!isKnown && this.#inner instanceof Chips) this.#use(this.#makeList());
    this.#inner.show(value, text);
    this.missing?.show(value === null);
  }

  mark(effect) {
    this.#turned = new Map((effect ? effect.turning : []).map(({ low, label }) => [low, label]));
    this.#inner.mark(this.#turned);
  }
}
