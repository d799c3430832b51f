// The answer: verdict, rules or a comparison; and what is said of answers that are late, or old.

import { makeBoard } from "./board.js";
import { makeComparison } from "./compare.js";
import { copyText, toast } from "./copy.js";
import { byId, data, el } from "./dom.js";
import { keptWords } from "./lock.js";
import { Options } from "./options.js";
import { makePlain } from "./plain.js";
import { Progress } from "./progress.js";
import { caseName, foldedSentences, verdictCard } from "./verdict.js";

const PLACES = ["verdict", "comparison", "reading"];

export class Reader {
  #found = null;
  #explained = null; // the last explanation of this case

  constructor(description, store) {
    this.description = description;
    this.store = store;
    this.options = new Options(description, store);
    this.boardPlace = el("div", { class: "board" });
    this.progress = new Progress(description.limits.seconds);
    byId("reading").append(el("div", { class: "reading-head" }, this.options.element), this.boardPlace);
    byId("verdict").before(this.progress.element);
    store.addEventListener("change", () => this.#showDetail());
    this.#showDetail();
  }

  /** Another case is on its way. */
  open(found) {
    this.#found = found;
    this.#explained = null;
  }

  showPrediction(answer) {
    this.options.showPrediction(answer.prediction);
    if (this.store.state.compared) return;
    this.#showVerdict(answer, this.#explained);
    freshen(byId("verdict"));
    const grounds = byId("verdict").querySelector(".grounds");
    if (grounds) outdate(grounds);
  }

  showExplanation(answer) {
    this.#explained = answer;
    this.options.showPrediction(answer.prediction);
    this.#show("verdict", "reading");
    this.#showVerdict(answer, answer);
    const actions = { apply: (rule) => this.#apply(rule), copy: copyText };
    const board = makeBoard(answer, actions, this.#kept());
    this.#keepPlace(() => this.boardPlace.replaceChildren(board));
    this.#freshen();
  }

  showComparison(state, answer) {
    this.#show("comparison");
    byId("comparison").replaceChildren(makeComparison(state, answer, this.description, this.store, copyText));
    this.#freshen();
  }

  #kept() {
    return keptWords(this.description, this.store.state.locks);
  }

  #showDetail() {
    byId("answer").classList.toggle("detailed", this.store.state.options.detail === "detailed");
  }

  /** New reasons replace the old ones without moving what the reader looks at, or taking the focus. */
  #keepPlace(change) {
    const buttons = () => [...this.boardPlace.querySelectorAll("button, summary")];
    const place = buttons().indexOf(document.activeElement);
    change();
    if (place >= 0) (buttons()[place] ?? byId("answer")).focus({ preventScroll: true });
  }

  #showVerdict(answer, explained) {
    const changed = answer.changed.length ? ", changed" : "";
    const heading = `${caseName(answer.row, this.#found?.id)}${changed} · the model says`;
    const isOpen = this.store.state.options.detail === "detailed";
    const plain = explained && makePlain(explained, { apply: (rule) => this.#apply(rule) }, this.#kept());
    const story = explained && foldedSentences(explained.story, isOpen);
    byId("verdict").replaceChildren(verdictCard(answer, heading, plain, story, this.#remark(answer)));
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
    for (const name of PLACES) byId(name).hidden = !names.includes(name);
  }

  showAsking() {
    byId("answer").setAttribute("aria-busy", "true");
  }

  /** Slow work: what is being done, for how long, and a way to stop it. */
  showProgress(job, waited, stop) {
    this.progress.show(job, waited, stop);
    this.boardPlace.classList.add("old");
  }

  showIdle() {
    byId("answer").removeAttribute("aria-busy");
    this.progress.hide();
  }

  showStopped(again) {
    this.#outdate();
    this.#tell("It was stopped. What you see below is about other values.", again);
  }

  showTrouble(error, again) {
    this.#outdate();
    this.#tell(error.message, error.kind === "input" ? null : again); // the same values are refused again
  }

  #outdate() {
    for (const name of PLACES) outdate(byId(name));
  }

  #freshen() {
    for (const name of PLACES) freshen(byId(name));
    this.boardPlace.classList.remove("old");
    if (!this.doubt) byId("trouble").replaceChildren();
    this.doubt = false;
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
}

/** What is about other values than those that are set cannot be pressed. */
function outdate(element) {
  element.inert = true;
  element.classList.add("old");
}

function freshen(element) {
  element.inert = false;
  element.classList.remove("old");
}
