// A list with search, for features of many categories: what is typed is looked for on the server, or taken as it is.

import { fetchJson, isStopped } from "./ask.js";
import { data, el, newId } from "./dom.js";

const SHOWN = 30;

export class SearchList {
  #abort = null;
  #choices = [];
  #place = -1;

  constructor(feature, hear) {
    this.feature = feature;
    this.hear = hear;
    const id = newId("choices");
    this.list = el("ul", { id, role: "listbox", class: "choices-list", "aria-label": feature.label, hidden: true });
    this.field = el("input", {
      type: "text",
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": id,
      "aria-autocomplete": "list",
      "aria-label": feature.label,
      autocomplete: "off",
      oninput: () => this.#search(this.field.value),
      onkeydown: (event) => this.#key(event),
      onfocus: () => this.field.select(),
      onclick: () => this.#search(""),
      onblur: () => this.#close(),
    });
    this.element = el("div", { class: "search-list" }, this.field, this.list);
  }

  show(value, text) {
    this.text = value === null ? "" : text;
    this.field.value = this.text;
    this.field.placeholder = value === null ? "missing" : "";
  }

  mark(turned) {
    this.turned = turned;
  }

  focus() {
    this.field.focus();
    this.#search("");
  }

  async #search(text) {
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    try {
      const found = await fetchJson("categories", { column: this.feature.name, text, limit: SHOWN }, abort.signal);
      this.#open(found, text);
    } catch (error) {
      if (!isStopped(error)) this.#open({ total: 0, categories: [] }, "", error.message);
    }
  }

  #open({ total, categories }, text, message = "nothing is called so") {
    const typed = text.trim();
    const isNew = this.feature.open && typed && !categories.some((one) => one.text === typed);
    this.#choices = isNew ? [...categories, { value: typed, text: typed, rows: 0 }] : categories;
    this.#place = -1;
    const items = this.#choices.map((one, place) => this.#item(one, place));
    if (!this.#choices.length)
      items.push(
        el("li", { class: "faded", role: "option", "aria-disabled": "true", "aria-selected": "false" }, message),
      );
    if (total > categories.length)
      items.push(
        el(
          "li",
          { class: "faded", role: "option", "aria-disabled": "true", "aria-selected": "false" },
          `${(total - categories.length).toLocaleString("en")} more: type to search`,
        ),
      );
    this.list.replaceChildren(...items);
    this.list.hidden = false;
    this.field.setAttribute("aria-expanded", "true");
    if (text && this.#choices.length) this.#move(1);
  }

  #item(one, place) {
    const isNew = !one.rows;
    const turns = this.turned?.has(one.value);
    return el(
      "li",
      {
        role: "option",
        id: `${this.list.id}-${place}`,
        "aria-selected": "false",
        class: turns ? "turns" : null,
        onmousedown: (event) => {
          event.preventDefault();
          this.#choose(place);
        },
      },
      data(one.text),
      el("small", { class: "faded" }, isNew ? " not in the background" : ` ${one.rows.toLocaleString("en")} rows of the background`),
      turns ? el("small", {}, ` · turns to ${this.turned.get(one.value)}`) : null,
    );
  }

  #close() {
    this.#abort?.abort();
    this.list.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
    this.field.value = this.text ?? "";
  }

  #key(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) this.#search("");
      else this.#move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && this.#place >= 0) {
      event.preventDefault();
      this.#choose(this.#place);
    } else if (event.key === "Escape" && !this.list.hidden) {
      event.stopPropagation();
      this.#close();
    }
  }

  #move(by) {
    const count = this.#choices.length;
    if (!count) return;
    this.#place = (this.#place + by + count) % count;
    [...this.list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === this.#place)));
    const item = this.list.children[this.#place];
    this.field.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  }

  #choose(place) {
    const { value, text } = this.#choices[place];
    this.text = text;
    this.#close();
    this.hear(value, "end");
  }
}
