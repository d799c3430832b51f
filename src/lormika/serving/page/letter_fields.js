// What only the sender of a letter knows. What is about one person is forgotten when the letter is about another case.

import { field } from "./dialog.js";
import { el } from "./dom.js";
import { caseOf } from "./state.js";

const FIELDS = [
  ["recipient", "To", "name and address", 3],
  ["sender", "From", "name and address of your organisation", 3],
  ["decision", "Decision, in your words", "may be left empty", 2],
  ["contact", "Whom to write to with questions", "name, telephone, e-mail", 2],
  ["signature", "Signed by", "", 1],
];
const PERSONAL = ["recipient", "decision"];
const kept = {}; // what was filled in, for the next letter of this visit
let about = null; // the case of the last letter

/** The fields of the letter about a case, with what is known already. */
export function makeFields(state) {
  const now = JSON.stringify(caseOf(state));
  if (now !== about) for (const name of PERSONAL) delete kept[name];
  about = now;
  return FIELDS.map(([name, label, hint, rows]) => {
    const input = el(rows > 1 ? "textarea" : "input", {
      rows: rows > 1 ? rows : null,
      placeholder: hint,
      value: kept[name] ?? "",
      oninput: () => {
        kept[name] = input.value;
      },
    });
    return field(label, input);
  });
}

/** What is filled in. */
export const filledIn = () => Object.fromEntries(Object.entries(kept).filter(([, text]) => text.trim()));
