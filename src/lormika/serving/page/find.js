// Finding a case: by row, ID or condition, in lists, a page at a time.

import { fetchJson, isStopped } from "./ask.js";
import { data, el, foldable, link, newId } from "./dom.js";
import { conditionHelp, exampleOf, quoteValue } from "./condition.js";
import { caseName } from "./verdict.js";

const PAGE = 6;
const AGAIN = 1000; // milliseconds until the progress of the predictions is looked at again

export class Finder {
  #abort = null;
  #cases = [];

  constructor(panel, description, store) {
    this.description = description;
    this.store = store;
    this.query = { text: "", list: "all", predicted: "", offset: 0 };
    this.results = el("div", { class: "results" });
    this.fold = foldable("Find a case", this.#form(), this.results);
    panel.append(this.fold);
    store.addEventListener("change", () => this.#mark());
    this.search();
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
    if (place >= 0 && place < this.#cases.length) this.store.open(this.#cases[place].row);
    else if (by > 0 && this.query.offset + PAGE < this.total) await this.#turn(PAGE, 0);
    else if (by < 0 && this.query.offset > 0) await this.#turn(-PAGE, PAGE - 1);
  }

  async #turn(by, place) {
    this.query.offset += by;
    await this.search();
    if (this.#cases[place]) this.store.open(this.#cases[place].row);
  }

  #form() {
    const { data: table, lists, classes } = this.description;
    const hint = newId("hint");
    const named = table.id === null ? "a row number" : `a row number, a name (${table.id})`;
    this.text = el("input", {
      type: "search",
      class: "grow",
      placeholder: `${this.description.start.row}, or ${exampleOf(this.description)}`,
      "aria-label": `Row, name or condition`,
      "aria-describedby": hint,
      autocomplete: "off",
      spellcheck: "false",
    });
    this.list = this.#select(
      "Order",
      lists.map(({ name, text }) => [name, text]),
      "list",
    );
    this.predicted = this.#select(
      "Predicted",
      [["", "any prediction"], ...classes.map(({ text }, place) => [String(place), text])],
      "predicted",
    );
    const form = el(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          this.#begin();
        },
      },
      el("div", { class: "line" }, this.text, el("button", { class: "primary" }, "Find")),
      el(
        "p",
        { class: "faded hint", id: hint },
        `${named}, or a condition. `,
        link("How?", () => this.#help(), { "aria-label": "How to write a condition" }),
      ),
      el("div", { class: "line" }, this.predicted, this.list),
    );
    this.help = el("div", { class: "help", hidden: true });
    this.text.addEventListener("input", () => {
      if (!this.text.value) this.#begin();
    });
    return [form, this.help];
  }

  #select(label, choices, name) {
    const options = choices.map(([value, text]) => el("option", { value }, text));
    return el(
      "select",
      {
        "aria-label": label,
        onchange: (event) => {
          this.query[name] = event.target.value;
          this.#begin();
        },
      },
      options,
    );
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

  #begin() {
    this.opens = true; // the only case that is called so
    this.query.offset = 0;
    this.query.text = this.text.value.trim();
    return this.search();
  }

  /** Ask the server for the page of the list that is wanted. */
  async search(isLast = false) {
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    const { list, offset } = this.query;
    try {
      const found = await fetchJson("cases", { text: this.#condition(), list, offset, limit: PAGE }, abort.signal);
      this.#show(found);
      const lacks = !found.ready || found.cases.some((one) => one.prediction === null);
      if (lacks && !isLast) await this.#watch(abort.signal);
    } catch (error) {
      if (!isStopped(error)) this.results.replaceChildren(el("p", { class: "trouble", role: "alert" }, error.message));
    }
  }

  #condition() {
    const { text, predicted } = this.query;
    if (predicted === "" || (text && !/[=<>]|\bin\b/.test(text))) return text; // a row or a name
    const test = `prediction == ${quoteValue(this.description.classes[Number(predicted)].label)}`;
    return text ? `(${text}) and ${test}` : test;
  }

  #show(found) {
    this.total = found.total;
    this.#cases = found.cases;
    const items = found.cases.map((one) => this.#item(one));
    this.progress = el("p", { class: "faded" });
    this.results.replaceChildren(
      found.total
        ? el("ul", { class: "cases", "aria-label": "Cases found" }, items)
        : el("p", { class: "faded none" }, "No case is like that."),
      this.#pages(found),
      this.progress,
    );
    this.#mark();
    if (this.opens && ["row", "id"].includes(found.how) && found.total === 1) this.#open(found.cases[0].row);
    this.opens = false;
  }

  #item(one) {
    const certainty = one.certainty_text ?? "";
    const note = one.otherwise ? ["labelled ", data(String(one.label))] : null;
    const open = el(
      "button",
      { type: "button", class: "case", "data-row": one.row, onclick: () => this.#open(one.row) },
      el("span", { class: "case-name" }, data(one.id ?? String(one.row))),
      el("span", {}, one.text === null ? "…" : data(one.text)),
      el("span", { class: "figure" }, certainty),
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
        onclick: () => this.#compare(one.row),
      },
      "⇄",
    );
    return el("li", {}, open, compare);
  }

  #open(row) {
    if (row !== this.store.state.row) this.store.open(row);
  }

  #compare(row) {
    if (row !== this.store.state.row) this.store.change({ compared: { row, edits: {} } });
  }

  #pages({ total, offset, cases }) {
    if (!total) return null;
    const turn = (by, text, name, off) =>
      el(
        "button",
        {
          type: "button",
          class: "quiet small",
          disabled: off,
          "aria-label": name,
          onclick: () => {
            this.query.offset += by;
            this.search();
          },
        },
        text,
      );
    return el(
      "div",
      { class: "pages" },
      turn(-PAGE, "‹", "Cases before these", offset === 0),
      el(
        "span",
        { class: "faded", role: "status" },
        `${(offset + 1).toLocaleString("en")}–${(offset + cases.length).toLocaleString("en")} of ${total.toLocaleString("en")}`,
      ),
      turn(PAGE, "›", "More cases", offset + cases.length >= total),
    );
  }

  #mark() {
    const { row, compared } = this.store.state;
    for (const button of this.results.querySelectorAll(".case")) {
      const own = Number(button.dataset.row);
      if (own === row) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      button.parentElement.classList.toggle("compared", compared !== null && own === compared.row);
      button.nextElementSibling.disabled = own === row;
    }
  }

  /** Predictions of all rows are still being made: say how far they are, and look again. */
  async #watch(signal) {
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
    if (!signal.aborted) await this.search(ready);
  }
}
