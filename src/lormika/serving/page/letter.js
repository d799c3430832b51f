// The letter to the person whom the case is about: what only the sender knows, a look at it, and the page to print.

import { askFile, isStopped } from "./ask.js";
import { copyText, saveFile } from "./copy.js";
import { el } from "./dom.js";
import { field, openDialog } from "./dialog.js";
import { questionOf } from "./state.js";

const FIELDS = [
  ["recipient", "To", "name and address", 3],
  ["sender", "From", "name and address of your house", 3],
  ["decision", "Decision, in your words", "may be left empty", 2],
  ["contact", "Whom to write to with questions", "name, telephone, e-mail", 2],
  ["signature", "Signed by", "", 1],
];
const KINDS = [
  ["adverse-action", "decision with its principal reasons"],
  ["explanation", "explanation of a result"],
];
const kept = {}; // what was filled in, for the next letter of this visit

/** Open the form; the letter is about the case as it is shown. */
export function openLetter(store) {
  const inputs = FIELDS.map(([name, label, hint, rows]) => {
    const input = el(rows > 1 ? "textarea" : "input", {
      rows: rows > 1 ? rows : null,
      placeholder: hint,
      oninput: () => {
        kept[name] = input.value;
      },
    });
    input.value = kept[name] ?? "";
    return field(label, input);
  });
  const kind = el(
    "select",
    {},
    KINDS.map(([value, text]) => el("option", { value }, text)),
  );
  const date = el("input", { type: "date" });
  const view = el("div", {
    class: "letter-view",
    role: "region",
    "aria-label": "The letter",
    tabindex: "0",
    hidden: true,
  });
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const make = () =>
    askFile("letter", {
      ...questionOf(store.state),
      template: kind.value,
      fields: filled(),
      ...(date.value ? { time: date.value } : {}),
    });
  const attempt = (act) => async () => {
    trouble.hidden = true;
    try {
      await act(await make());
    } catch (error) {
      if (isStopped(error)) return;
      trouble.textContent = error.message;
      trouble.hidden = false;
    }
  };
  const show = attempt(async ({ blob }) => {
    view.replaceChildren(...paragraphs(await blob.text()));
    view.hidden = false;
  });
  const changed = Object.keys(store.state.edits).length;
  openDialog(
    "Letter about this case",
    changed
      ? el(
          "p",
          { class: "trouble" },
          `The letter would be about the case with ${changed} changed ${changed === 1 ? "value" : "values"}. For the case as it is in the data, reset the changes first.`,
        )
      : null,
    el("div", { class: "letter-form" }, field("Kind", kind), inputs, field("Date", date)),
    trouble,
    el(
      "div",
      { class: "line" },
      el(
        "button",
        { type: "button", class: "primary", onclick: attempt(async (file) => saveFile(file)) },
        "Save letter",
      ),
      el("button", { type: "button", class: "quiet", onclick: show }, "Show text"),
      el(
        "button",
        {
          type: "button",
          class: "quiet",
          onclick: attempt(async ({ blob }) =>
            copyText(
              paragraphs(await blob.text())
                .map((one) => one.textContent)
                .join("\n\n"),
              "the letter",
            ),
          ),
        },
        "Copy text",
      ),
    ),
    view,
  );
  kind.focus();
  show();
}

const filled = () => Object.fromEntries(Object.entries(kept).filter(([, text]) => text.trim()));

/** The texts of a letter, one paragraph after the other; nothing of its markup is taken over. */
function paragraphs(page) {
  const parsed = new DOMParser().parseFromString(page.replace(/<style>[\s\S]*?<\/style>/g, ""), "text/html");
  return [...parsed.querySelectorAll("h1, h2, p, li")]
    .map((one) => {
      const text = one.textContent.trim().replace(/\s+/g, " ");
      if (!text) return null;
      return el(
        one.tagName === "H1" || one.tagName === "H2" ? "h3" : "p",
        { class: one.tagName === "LI" ? "item" : null },
        one.tagName === "LI" ? `• ${text}` : text,
      );
    })
    .filter(Boolean);
}
