// The shortest answer: the main reasons, and what would turn the prediction, each with a button that tries it.

import { data, el } from "./dom.js";

/** `actions.apply(rule)` tries a change; without it there are no buttons. `kept` says what suggestions keep to. */
export function makePlain({ plain, rules, story, text }, actions = {}, kept = null) {
  return el("div", { class: "plain" }, reasons(plain, text), changes(plain, rules, story, actions, kept));
}

function reasons({ reasons: found }, text) {
  const items = found.map(({ feature, value, without }) =>
    el(
      "li",
      {},
      el("b", {}, data(feature)),
      ": ",
      data(value),
      without ? el("span", { class: "faded" }, ` – ${without}`) : null,
    ),
  );
  const none = el("p", {}, "No single value stands out: with none of them changed is the model less certain.");
  return el(
    "section",
    { "aria-label": "Main reasons" },
    el("h3", {}, "Main reasons for ", data(text)),
    items.length ? el("ol", {}, items) : none,
  );
}

function changes({ changes: found }, rules, story, actions, kept) {
  const items = found.map(({ rule, details, result }) =>
    el(
      "li",
      {},
      details.map(({ feature, now, then }, place) => [
        place ? ", together with " : "",
        el("b", {}, data(feature)),
        ": ",
        data(then),
        el("span", { class: "faded" }, " instead of ", data(now)),
      ]),
      " → ",
      el("b", { class: "tone-against" }, data(result.text)),
      result.certainty_text === null ? "" : ` (${result.certainty_text})`,
      " ",
      actions.apply ? tryButton(rules[rule], actions) : null,
    ),
  );
  const none = story.changes.map((span) => span.text).join("") || "No change that was tried turns it.";
  return el(
    "section",
    { "aria-label": "What would turn it" },
    el("h3", {}, "What would turn it", kept ? el("span", { class: "kept-words" }, ` ${kept}`) : null),
    items.length ? el("ul", {}, items) : el("p", {}, none),
  );
}

const tryButton = (rule, actions) =>
  el(
    "button",
    {
      type: "button",
      class: "link try",
      "aria-label": `try it: ${rule.changes_text}`,
      onclick: () => actions.apply(rule),
    },
    "try it",
  );
