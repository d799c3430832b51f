// Take away: the link, the report, the letter, and the data of an answer.

import { askFile, isStopped } from "./ask.js";
import { copyText, saveFile, toast } from "./copy.js";
import { el } from "./dom.js";
import { askComparison } from "./compare_dialog.js";
import { openHelp } from "./keys.js";
import { openLetter } from "./letter.js";
import { questionOf } from "./state.js";

/** The buttons at the top. */
export function makeActions(bar, description, store) {
  const save = (what) => async () => {
    try {
      toast("It is being written …");
      saveFile(await askFile(what, questionOf(store.state)));
    } catch (error) {
      if (!isStopped(error)) toast(error.message);
    }
  };
  const actions = {
    compare: () => askComparison(store, description),
    link: () => copyText(location.href, "the link: it holds the case, all changes and locks"),
    letter: () => openLetter(store),
    report: save("report"),
    json: save("json"),
    help: openHelp,
  };
  const button = (name, text, title, kind = "") =>
    el("button", { type: "button", class: kind, title, onclick: actions[name] }, text);
  bar.append(
    button("compare", "Compare", "two cases side by side, or before and after"),
    button("link", [el("span", { class: "wide" }, "Copy "), "link"], "an address that opens exactly this again"),
    button("json", "JSON", "the explanation as data"),
    button("report", "Report", "a page to keep, with everything", "bright"),
    button("letter", "Letter", "an answer to the person whom the case is about", "bright"),
    el(
      "button",
      {
        type: "button",
        class: "round",
        "aria-label": "Help and keyboard shortcuts",
        title: "help (?)",
        onclick: actions.help,
      },
      "?",
    ),
  );
  return actions;
}
