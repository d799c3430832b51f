// Finding a case: by row, ID or condition, in lists, a page at a time.

import { fetchJson, isStopped } from "./ask.js";
import { makeCaseList, markCases, pageSize } from "./case_list.js";
import { conditionHelp, exampleOf } from "./condition.js";
import { announce, data, el, foldable, link, newId } from "./dom.js";

const AGAIN = 1000; // milliseconds until the progress of the predictions is looked at again

export class Finder {
  #abort = null;
  #cases = [];
  #offset = 0;
  #total = 0;

  constructor(panel, description, store) {
    this.description = description;
    this.store = store;
    this.page = pageSize();
    this.results = el("div", { class: "results" });
    this.act = {
      open: (row) => row !== store.state.row && store.open(row),
      compare: (row) => row !== store.state.row && store.change({ compared: { row, edits: {} } }),
      turn: (by) => this.#turn(by),
      seek: () => this.#seek(),
    };
    this.fold = foldable("Find a case", this.#form(), this.results);
    panel.append(this.fold);
    store.addEventListener("change", () => this.#mark());
    this.show();
  }

  /** Show the list that is wanted, on the page of the open case. */
  show() {
    const { text, prediction, list } = this.store.query;
    this.text.value = text;
    this.predicted.value = prediction;
    this.list.value = list;
    this.#offset = 0;
    return this.search({ around: this.store.state.row });
  }

  /** Put the focus into the search field. */
  focus() {
    this.fold.open = true;
    this.text.focus();
    this.text.select();
  }

  /** Open the next case of the list, or the one before. */
  async step(by) {
    const place = this.#cases.findIndex((one) => one.row === this.store.state.row) + by;
    if (place >= 0 && place < this.#cases.length) return this.store.open(this.#cases[place].row);
    if (by > 0 ? this.#offset + this.page >= this.#total : this.#offset === 0) return;
    await this.#turn(by);
    const next = this.#cases[by > 0 ? 0 : this.#cases.length - 1];
    if (next) this.store.open(next.row);
  }

  #turn(by) {
    this.#offset = Math.max(0, this.#offset + by * this.page);
    return this.search();
  }

  async #seek() {
    const row = this.store.state.row;
    await this.search({ around: row });
    if (!this.#cases.some((one) => one.row === row))
      this.results.querySelector(".elsewhere")?.replaceChildren("The open case is not in this list.");
  }

  #form() {
    const { data: table, lists, classes, start } = this.description;
    const hint = newId("hint");
    const named = table.id === null ? "a row number" : `a row number, a name (${table.id})`;
    this.text = el("input", {
      type: "search",
      class: "grow",
      placeholder: `${start.row}, or ${exampleOf(this.description)}`,
      "aria-label": "Row, name or condition",
      "aria-describedby": hint,
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.text.value || this.#begin(),
    });
    const classesOf = classes.map(({ label, text }) => [String(label), text]);
    this.predicted = this.#select("Predicted", [["", "any prediction"], ...classesOf]);
    this.list = this.#select(
      "Order",
      lists.map(({ name, text }) => [name, text]),
    );
    this.help = el("div", { class: "help", hidden: true });
    const send = (event) => {
      event.preventDefault();
      this.#begin(true);
    };
    return [
      el(
        "form",
        { onsubmit: send },
        el("div", { class: "line" }, this.text, el("button", { class: "primary" }, "Find")),
        el(
          "p",
          { class: "faded hint", id: hint },
          `${named}, or a condition. `,
          link("How?", () => this.#help(), { "aria-label": "How to write a condition" }),
        ),
        el("div", { class: "line" }, this.predicted, this.list),
      ),
      this.help,
    ];
  }

  #select(label, choices) {
    const options = choices.map(([value, text]) => el("option", { value }, text));
    return el("select", { "aria-label": label, onchange: () => this.#begin() }, options);
  }

  #help() {
    this.help.hidden = !this.help.hidden;
    if (this.help.childElementCount) return;
    const attempt = (text) => {
      this.text.value = text;
      this.#begin();
    };
    this.help.append(...conditionHelp(this.description, attempt));
  }

  #begin(opens = false) {
    this.#offset = 0;
    this.store.list({ text: this.text.value.trim(), prediction: this.predicted.value, list: this.list.value });
    return this.search({ opens });
  }

  /** Ask the server for the page of the list that is wanted; `opens`: the only case that is called so is opened. */
  async search({ opens = false, around, isLast = false } = {}) {
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    const page = { offset: this.#offset, limit: this.page, around };
    try {
      const found = await fetchJson("cases", { ...this.store.query, ...page }, abort.signal);
      this.#show(found);
      if (opens && ["row", "id"].includes(found.how) && found.total === 1) this.act.open(found.cases[0].row);
      const lacks = !found.ready || found.cases.some((one) => one.prediction === null);
      if (lacks && !isLast) await this.#watch(abort.signal, around);
    } catch (error) {
      if (!isStopped(error))
        this.results.replaceChildren(el("p", { class: "trouble", role: "alert" }, data(error.message)));
    }
  }

  #show(found) {
    this.#cases = found.cases;
    this.#offset = found.offset;
    this.#total = found.total;
    this.progress = el("p", { class: "faded" });
    const parts = makeCaseList(found, this.act).filter(Boolean);
    this.results.replaceChildren(...parts, this.progress);
    this.#mark();
    if (found.read_as) announce(`Read as ${found.read_as}`);
  }

  #mark() {
    markCases(this.results, this.store.state, this.act);
  }

  /** Predictions of all rows are still being made: say how far they are, and look again. */
  async #watch(signal, around) {
    const { done, total, ready, error } = await fetchJson("progress", {}, signal);
    if (error) this.progress.textContent = `Not all rows could be predicted: ${error}`;
    else if (!ready)
      this.progress.replaceChildren(
        "Predicting all rows ",
        el("progress", { max: total, value: done, "aria-label": "Rows predicted" }),
        ` ${Math.floor((100 * done) / Math.max(1, total))}%`,
      );
    if (error) return;
    if (!ready) await new Promise((resolve) => setTimeout(resolve, AGAIN));
    if (!signal.aborted) await this.search({ around, isLast: ready });
  }
}
