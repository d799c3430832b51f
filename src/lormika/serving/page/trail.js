// Asked so far: changes that were tried on this case, and what the model said; each can be gone back to.

import { data, el } from "./dom.js";
import { said } from "./verdict.js";

const MOST = 8;

export class Trail {
  #entries = new Map();
  #row = null;

  constructor(panel, description, store) {
    this.labels = new Map(description.features.map(({ name, label }) => [name, label]));
    this.store = store;
    this.list = el("ol", {});
    this.element = el(
      "section",
      { class: "panel-part trail", "aria-label": "Asked so far", hidden: true },
      el("h3", {}, "Asked so far"),
      this.list,
    );
    panel.append(this.element);
  }

  /** Note an answer about a changed case. */
  add(state, answer) {
    if (state.row !== this.#row) this.#entries.clear();
    this.#row = state.row;
    const key = JSON.stringify(Object.entries(state.edits).sort());
    if (answer.changed.length) {
      this.#entries.delete(key);
      this.#entries.set(key, { edits: state.edits, answer });
      if (this.#entries.size > MOST) this.#entries.delete(this.#entries.keys().next().value);
    }
    this.#show();
  }

  #show() {
    this.element.hidden = this.#entries.size === 0;
    this.list.replaceChildren(
      ...[...this.#entries.values()].reverse().map(({ edits, answer }) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "link", onclick: () => this.store.change({ edits }) },
            answer.changed.map((name, place) => [
              place ? ", " : "",
              data(`${this.labels.get(name)} → ${answer.texts[name]}`),
            ]),
          ),
          " ",
          data(said(answer), { class: "faded" }),
        ),
      ),
    );
  }
}
