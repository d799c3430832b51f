// The answer: verdict, rules or a comparison; and how far it is, if that takes a while.

import { makeBoard } from "./board.js";
import { makeComparison } from "./compare.js";
import { copyText, toast } from "./copy.js";
import { byId, data, el } from "./dom.js";
import { makeOptions } from "./options.js";
import { caseName, verdictCard } from "./verdict.js";

export class Reader {
  #found = null;
  #story = null;

  constructor(description, store) {
    this.description = description;
    this.store = store;
    this.boardPlace = el("div", { class: "board" });
    this.progress = el("div", { class: "progress", hidden: true });
    byId("reading").append(el("div", { class: "reading-head" }, makeOptions(description, store)), this.boardPlace);
    byId("verdict").before(this.progress);
  }

  /** Another case is on its way. */
  open(found) {
    this.#found = found;
    this.#story = null;
  }

  showPrediction(answer) {
    if (this.store.state.compared) return;
    this.#showVerdict(answer, this.#story);
    byId("verdict").querySelector(".sentences")?.classList.add("old");
  }

  showExplanation(answer) {
    this.#story = answer.story;
    this.#show("verdict", "reading");
    this.#showVerdict(answer, answer.story);
    const board = makeBoard(answer, { apply: (rule) => this.#apply(rule), copy: copyText });
    this.#keepPlace(() => this.boardPlace.replaceChildren(board));
    this.#clearTrouble();
  }

  showComparison(state, answer) {
    this.#show("comparison");
    byId("comparison").replaceChildren(makeComparison(state, answer, this.description, this.store, copyText));
    this.#clearTrouble();
  }

  /** New reasons replace the old ones without moving what the reader looks at, or taking the focus. */
  #keepPlace(change) {
    const buttons = () => [...this.boardPlace.querySelectorAll("button, summary")];
    const place = buttons().indexOf(document.activeElement);
    change();
    if (place >= 0) (buttons()[place] ?? byId("answer")).focus({ preventScroll: true });
  }

  #showVerdict(answer, story) {
    const name = caseName(answer.row, this.#found?.id);
    const changed = answer.changed.length ? ", changed" : "";
    byId("verdict").replaceChildren(
      verdictCard(answer, story, this.description, `${name}${changed} · the model says`, this.#remark(answer)),
    );
  }

  #remark(answer) {
    const { label = null, others = {} } = this.#found ?? {};
    const target = this.description.data.target;
    const more = Object.entries(others).filter(([name]) => name !== target);
    if (label === null && !more.length) return null;
    const isOther = label !== null && !answer.changed.length && String(label) !== String(answer.prediction);
    return el(
      "p",
      { class: "remark-line faded" },
      label === null
        ? null
        : [
            "In the data: ",
            data(target ?? "label"),
            " = ",
            data(String(label), { class: isOther ? "tone-against" : null }),
            isOther ? ", which the model predicts otherwise" : "",
          ],
      more
        .slice(0, 12)
        .map(([name, value], place) => [
          place || label !== null ? " · " : "",
          data(name),
          " ",
          data(String(value ?? "missing")),
        ]),
    );
  }

  #apply(rule) {
    this.store.change({ edits: { ...this.store.state.edits, ...rule.changes } });
    toast(`Applied: ${rule.changes_text}`);
  }

  #show(...names) {
    for (const name of ["verdict", "comparison", "reading"]) byId(name).hidden = !names.includes(name);
  }

  showAsking() {
    byId("answer").setAttribute("aria-busy", "true");
  }

  /** Slow work: what is being done, for how long, and a way to stop it. */
  showProgress(job, stop) {
    const rows = job.rows ? ` · ${job.rows.toLocaleString("en")} rows asked` : "";
    const limit = this.description.limits.seconds;
    const words = el("span", { role: "status" }, `${capital(job.doing)} · ${Math.round(job.seconds)} s${rows}`);
    if (this.progress.hidden)
      this.progress.replaceChildren(
        el("progress", { max: limit, value: job.seconds, "aria-label": "Time, of that which an answer may take" }),
        words,
        el("button", { type: "button", onclick: stop }, "Stop"),
      );
    else {
      this.progress.firstChild.value = job.seconds;
      this.progress.children[1].replaceWith(words);
    }
    this.progress.hidden = false;
    this.boardPlace.classList.add("old");
  }

  showIdle() {
    byId("answer").removeAttribute("aria-busy");
    this.progress.hidden = true;
    this.boardPlace.classList.remove("old");
  }

  showStopped(again) {
    this.#tell("It was stopped. What you see may be about other values.", again);
  }

  showTrouble(error, again) {
    this.#tell(error.message, again);
  }

  showDoubt(text) {
    this.#tell(text, null);
    this.doubt = true;
  }

  #tell(text, again) {
    byId("trouble").replaceChildren(
      el(
        "p",
        { class: "trouble", role: "alert" },
        data(text),
        " ",
        again ? el("button", { type: "button", onclick: again }, "Try again") : null,
      ),
    );
  }

  #clearTrouble() {
    if (!this.doubt) byId("trouble").replaceChildren();
    this.doubt = false;
  }
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
