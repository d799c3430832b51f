// What to compare a case with: another case, or itself before the changes.

import { fetchJson } from "./ask.js";
import { field, openDialog } from "./dialog.js";
import { el, link } from "./dom.js";

/** Ask what to compare with. */
export function askComparison(store, description) {
  const { row, edits } = store.state;
  const other = el("input", { type: "text", required: true, autocomplete: "off" });
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const choose = (compared) => {
    dialog.close();
    store.change({ compared });
  };
  const find = async (event) => {
    event.preventDefault();
    try {
      choose({ row: await rowOf(other.value.trim()), edits: {} });
    } catch (error) {
      trouble.textContent = error.message;
      trouble.hidden = false;
    }
  };
  const by = description.data.id === null ? "by its row" : `by its row or ${description.data.id}`;
  const form = el(
    "form",
    { onsubmit: find },
    field(`Another case, ${by}`, other, "Or press ⇄ beside a case in the list."),
    trouble,
    el("button", { class: "primary" }, "Compare"),
  );
  const before = Object.keys(edits).length
    ? el(
        "p",
        {},
        link("With the same case before the changes", () => choose({ row, edits: {} })),
      )
    : el("p", { class: "faded" }, "Once you have changed values, you can compare before and after.");
  const dialog = openDialog(`Compare case ${row} with …`, before, form);
  (dialog.querySelector(".link") ?? other).focus();
}

/** The row that is called so. */
async function rowOf(text) {
  const found = await fetchJson("cases", { text, limit: 1 });
  if (!["row", "id"].includes(found.how) || !found.total) throw new Error(`There is no case ${text}.`);
  return found.cases[0].row;
}
