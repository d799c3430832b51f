// The letter to the person whom the case is about: what only the sender knows, a look at it, and the page to print.

import { askFile, isStopped } from "./ask.js";
import { copyText, saveFile } from "./copy.js";
import { el, link } from "./dom.js";
import { field, openDialog } from "./dialog.js";
import { filledIn, makeFields } from "./letter_fields.js";
import { joinTexts, readLetter } from "./letter_text.js";
import { questionOf } from "./state.js";

const KINDS = [
  ["adverse-action", "decision with its principal reasons"],
  ["explanation", "explanation of a result"],
];
const PAUSE = 400; // milliseconds without a key until the text is made anew

/** Open the form; the letter is about the case as it is shown. */
export function openLetter(store) {
  const kind = el(
    "select",
    {},
    KINDS.map(([value, text]) => el("option", { value }, text)),
  );
  const date = el("input", { type: "date" });
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const make = () =>
    askFile("letter", {
      ...questionOf(store.state),
      template: kind.value,
      fields: filledIn(),
      ...(date.value ? { time: date.value } : {}),
    });
  const attempt = async (act) => {
    trouble.hidden = true;
    try {
      await act(await make());
    } catch (error) {
      if (isStopped(error)) return;
      trouble.textContent = error.message;
      trouble.hidden = false;
    }
  };
  const view = new LetterView(attempt);
  const fields = makeFields(store.state);
  const isChanged = Object.keys(store.state.edits).length > 0;
  const dialog = openDialog(
    isChanged ? "Hypothetical letter" : "Letter about this case",
    isChanged ? warn(store, () => dialog.close()) : null,
    el(
      "div",
      { class: "letter-form", oninput: () => view.outdate() },
      field("Kind", kind),
      fields,
      field("Date", date),
    ),
    trouble,
    makeButtons(attempt),
    view.element,
  );
  closeWithCase(dialog, store);
  kind.focus();
  view.refresh();
}

/** Back may lead to another case, which this letter is not about. */
function closeWithCase(dialog, store) {
  const close = () => dialog.close();
  store.addEventListener("change", close);
  dialog.addEventListener("close", () => store.removeEventListener("change", close));
}

/** Say that the letter is about values that nobody has. */
function warn(store, close) {
  const changed = Object.keys(store.state.edits).length;
  return el(
    "p",
    { class: "trouble" },
    el("b", {}, "This letter is hypothetical"),
    `: it is about the case with ${changed} changed ${changed === 1 ? "value" : "values"}, and says so. `,
    "For a letter about the case as it is, ",
    link("reset the changes", () => {
      close();
      store.reset();
      openLetter(store);
    }),
    ".",
  );
}

function makeButtons(attempt) {
  const button = (kind, text, act) =>
    el("button", { type: "button", class: kind, onclick: () => attempt(act) }, text);
  return el(
    "div",
    { class: "line" },
    button("primary", "Save letter", async (file) => saveFile(file)),
    button("quiet", "Copy text", async ({ blob }) => copyText(joinTexts(readLetter(await blob.text())), "the letter")),
  );
}

/** The text of the letter as the form is filled in; it is pale until it is that. */
class LetterView {
  #timer = null;
  #wanted = 0; // counts what was asked for: only the last text is shown

  constructor(attempt) {
    this.attempt = attempt;
    this.element = el("div", {
      class: "letter-view",
      role: "region",
      "aria-label": "The letter",
      tabindex: "0",
      hidden: true,
    });
  }

  outdate() {
    this.#wanted += 1;
    this.element.classList.add("old");
    this.element.setAttribute("aria-busy", "true");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refresh(), PAUSE);
  }

  async refresh() {
    const own = (this.#wanted += 1);
    let texts = null;
    await this.attempt(async ({ blob }) => {
      texts = readLetter(await blob.text());
    });
    if (own !== this.#wanted) return;
    this.element.hidden = texts === null; // there is no letter that could be shown: what is wrong is said above
    this.element.replaceChildren(...(texts ?? []));
    this.element.classList.remove("old");
    this.element.removeAttribute("aria-busy");
  }
}
