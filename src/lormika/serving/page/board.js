// The board: effects and rules, as the server renders them, with what can be done about each rule.

import { byId, el } from "./dom.js";
import { place, term } from "./definitions.js";

const FIGURES = {
  share: "share",
  coverage: "coverage",
  lift: "lift",
  leverage: "leverage",
  "p-value": "p-value",
  support: "support",
  confidence: "confidence",
};

/**
 * The board of an answer; `kept` says what suggestions keep to. The server has escaped all that comes from data. Positions are in style attributes, which the
 * page's policy forbids: they are put aside while it is parsed (no text holds a bare quotation mark, so only attributes
 * are met), and set as properties, which it allows.
 */
export function makeBoard(answer, actions, kept = null) {
  const template = document.createElement("template");
  template.innerHTML = answer.board.replaceAll(' style="', ' data-style="');
  const board = template.content.firstElementChild;
  for (const element of board.querySelectorAll("[data-style]")) {
    element.style.cssText = element.dataset.style;
    element.removeAttribute("data-style");
  }
  board.querySelector(".card")?.remove(); // the verdict stands above
  board.querySelector(".meanings")?.remove(); // words with dots, and the help, say what figures mean
  board.removeAttribute("role"); // a part of the answer, no landmark of its own
  board.removeAttribute("aria-label");
  explainFigures(board);
  if (kept !== null)
    for (const group of board.querySelectorAll(".group.hypothetical h3"))
      group.append(el("span", { class: "kept-words" }, kept));
  board.querySelectorAll("li.rule").forEach((item, number) => addActions(item, answer.rules[number], actions));
  return board;
}

function explainFigures(board) {
  for (const element of board.querySelectorAll(".head")) element.removeAttribute("aria-hidden");
  for (const short of board.querySelectorAll("abbr")) short.replaceWith(term(short.textContent));
  for (const name of board.querySelectorAll(".rule dt")) {
    const known = FIGURES[name.textContent.trim()];
    if (known) name.replaceChildren(term(known));
  }
  const titles = board.querySelectorAll(":scope > .title");
  const key = board.querySelector(":scope > .key");
  if (titles.length > 1) titles[0].append(" ", term("effect", "what is an effect?"));
  if (titles.length) titles[titles.length - 1].append(" ", term("similar cases", "which are similar?"));
  if (key) key.append(" ", el("span", {}, "✔ ", term("checked")));
}

function addActions(item, rule, actions) {
  const row = el("div", { class: "rule-actions" });
  if (rule.changes && actions.apply)
    row.append(
      el(
        "button",
        {
          type: "button",
          class: "apply",
          "aria-label": `Apply: ${rule.changes_text}`,
          onclick: () => actions.apply(rule),
        },
        "apply",
      ),
    );
  item.append(
    el(
      "button",
      {
        type: "button",
        class: "link rule-copy",
        "aria-haspopup": "menu",
        "aria-label": `copy the rule ${rule.text}`,
        onclick: (event) => openMenu(event.currentTarget, rule, actions.copy),
      },
      "copy",
    ),
  );
  const answer = item.querySelector(".answer");
  const edits = answer.querySelector(":scope > .below");
  if (edits) row.prepend(edits); // what is applied stands beside the button
  if (row.childElementCount) answer.append(row);
}

function openMenu(anchor, rule, copy) {
  const menu = byId("menu");
  const entry = (name, text) =>
    el(
      "button",
      {
        type: "button",
        role: "menuitem",
        disabled: text === null,
        onclick: () => {
          menu.hidePopover();
          anchor.focus();
          copy(text, name);
        },
      },
      text === null ? `${name}: it cannot say this` : name,
    );
  menu.setAttribute("role", "menu");
  menu.replaceChildren(
    entry("as a sentence", rule.sentence),
    entry("as SQL", rule.sql),
    entry("as a pandas query", rule.query),
  );
  place(menu, anchor);
  menu.querySelector("button:not([disabled])").focus();
}
