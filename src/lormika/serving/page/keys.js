// Shortcuts: single keys outside of fields, which can be turned off; and the help that lists them.

import { el } from "./dom.js";
import { openDialog } from "./dialog.js";
import { listDefinitions } from "./definitions.js";

const OFF = "lormika-keys-off";
let bound = [];

/** Keys and what they do: `[["/", "find a case", act], …]`. */
export function bindKeys(keys) {
  bound = [...keys, ["?", "this help", openHelp]];
  document.addEventListener("keydown", (event) => {
    const control = event.ctrlKey || event.metaKey;
    const name = control && event.key.toLowerCase() === "z" ? (event.shiftKey ? "Ctrl+Shift+Z" : "Ctrl+Z") : event.key;
    if (
      event.altKey ||
      (control && !name.startsWith("Ctrl")) ||
      document.querySelector("dialog[open]") ||
      isTyping(event.target)
    )
      return;
    if (!control && isOff()) return;
    const found = bound.find(([key]) => key.split(" or ").includes(name));
    if (!found) return;
    event.preventDefault();
    found[2]();
  });
}

const isTyping = (target) =>
  target.matches?.("textarea, select, input:not([type=range], [type=checkbox], [type=radio])") ?? false;

function isOff() {
  try {
    return localStorage.getItem(OFF) === "1";
  } catch {
    return false;
  }
}

/** What can be done with the page, by hand and by key. */
export function openHelp() {
  const box = el("input", {
    type: "checkbox",
    onchange: () => {
      try {
        localStorage.setItem(OFF, box.checked ? "0" : "1");
      } catch {
        /* kept for this visit only */
      }
    },
  });
  box.checked = !isOff();
  const definitions = el("details", {}, el("summary", {}, "What every figure means"));
  listDefinitions().then(
    (list) => definitions.append(list),
    (error) => definitions.append(error.message),
  );
  openDialog(
    "How to use this page",
    el(
      "ol",
      { class: "steps" },
      el("li", {}, el("b", {}, "Find a case"), " by its row, or press one of a list, such as the least certain."),
      el("li", {}, el("b", {}, "Read"), " what the model says, why, and what would turn it."),
      el(
        "li",
        {},
        el("b", {}, "Ask what if:"),
        " move a slider or choose a value; the answer follows at once. “apply” at a rule does what it says.",
      ),
      el("li", {}, el("b", {}, "Lock"), " what cannot be changed, such as an age: suggestions keep to it."),
      el("li", {}, el("b", {}, "Take away"), " a letter, a report, or a link that opens exactly this again."),
    ),
    el("h3", {}, "Keys"),
    el(
      "dl",
      { class: "keys" },
      bound.map(([key, text]) =>
        el(
          "div",
          {},
          el(
            "dt",
            {},
            key.split(" or ").map((one, place) => [place ? " or " : "", el("kbd", {}, one)]),
          ),
          el("dd", {}, text),
        ),
      ),
    ),
    el("label", { class: "switch" }, box, "single keys do something"),
    definitions,
  );
}
