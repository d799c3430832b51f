// How far slow work is: what is being done, how long one has waited, and a way to stop it.

import { el } from "./dom.js";

export class Progress {
  /** `limit`: seconds that one answer may take. */
  constructor(limit) {
    this.limit = limit;
    this.element = el("div", { class: "progress", hidden: true });
  }

  /** `waited`: seconds since the first change that has not been answered; each change is a question of its own. */
  show(job, waited, stop) {
    const rows = job.rows ? ` · ${job.rows.toLocaleString("en")} rows asked` : "";
    const words = el("span", { role: "status" }, `${capital(job.doing)} · ${Math.round(waited)} s${rows}`);
    if (this.element.hidden)
      this.element.replaceChildren(
        el("progress", { max: this.limit, "aria-label": "Time, of that which an answer may take" }),
        words,
        el("button", { type: "button", onclick: stop }, "Stop"),
      );
    else this.element.children[1].replaceWith(words);
    this.element.firstChild.value = job.seconds;
    this.element.hidden = false;
  }

  hide() {
    this.element.hidden = true;
  }
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
