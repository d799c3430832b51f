// The page: its parts, and what each hears of the others.

import { fetchJson } from "./ask.js";
import { Asking } from "./asking.js";
import { announce, byId, el } from "./dom.js";
import { Finder } from "./find.js";
import { bindKeys } from "./keys.js";
import { doubtOf, fromHash, queryOf, toHash } from "./link.js";
import { Reader } from "./reader.js";
import { comparedCases, Store } from "./state.js";
import { makeActions } from "./takeaway.js";
import { Trail } from "./trail.js";
import { said } from "./verdict.js";
import { WhatIf } from "./whatif.js";

/** What is asked if nothing was chosen. */
function startOf({ start, options }) {
  const { objective, k, detail } = options;
  return {
    row: start.row,
    edits: {},
    locks: {},
    compared: null,
    options: { objective: objective.default, k: k.default, detail: detail.default },
  };
}

function showSource({ data, model }) {
  document.title = `${data.name} · lormika`;
  const chip = (text, title) => el("span", { class: "chip-dark", title }, text);
  const hash = model.sha256 ? ` · ${model.sha256.slice(0, 4)}…` : "";
  byId("source").replaceChildren(
    chip(
      `${data.name} · ${data.rows.toLocaleString("en")} rows`,
      data.sha256 ? `SHA-256 of the data: ${data.sha256}` : data.name,
    ),
    chip(`${model.name}${hash}`, model.sha256 ? `SHA-256 of the model: ${model.sha256}` : (model.note ?? model.name)),
  );
}

/** Load the values of a row; null if another row was wanted in the meantime. */
async function openRow(row, store, parts) {
  const found = await fetchJson(`cases/${row}`);
  if (store.state.row !== row) return;
  parts.whatIf.open(found);
  parts.reader.open(found);
}

function connect(store, asking, parts, description, start) {
  const { whatIf, reader, trail } = parts;
  let opening = openRow(store.state.row, store, parts);
  const fail = (error) => reader.showTrouble(error, () => location.reload());
  opening.catch(fail);
  store.addEventListener("change", ({ detail: { before, now } }) => {
    if (before.row !== now.row) (opening = openRow(now.row, store, parts)).catch(fail);
    const kept = { ...before, options: 0, locks: 0, compared: 0 };
    const isSameCase = JSON.stringify(kept) === JSON.stringify({ ...now, options: 0, locks: 0, compared: 0 });
    keepAddress(store, start, description, isNewView(before, now));
    asking.request(now, !isSameCase);
  });
  store.addEventListener("list", () => keepAddress(store, start, description, false));
  const isOf = (state) => state.row === store.state.row;
  asking.addEventListener("prediction", async ({ detail: { state, answer } }) => {
    await opening.catch(() => {});
    if (!isOf(state)) return;
    whatIf.showAnswer(answer);
    reader.showPrediction(answer);
    announce(answer.changed.length ? `Now ${said(answer)}` : `Case ${state.row}: ${said(answer)}`);
  });
  asking.addEventListener("explanation", async ({ detail: { state, answer } }) => {
    await opening.catch(() => {});
    if (!isOf(state)) return;
    whatIf.showAnswer(answer);
    whatIf.showEffects(answer.effects);
    reader.showExplanation(answer);
    trail.add(state, answer);
  });
  asking.addEventListener("comparison", async ({ detail: { state, answer } }) => {
    await opening.catch(() => {});
    if (!isOf(state)) return;
    const own = answer.cases[comparedCases(state).indexOf(state)];
    whatIf.showAnswer(own);
    whatIf.showEffects(own.effects);
    reader.showComparison(state, answer);
  });
  asking.addEventListener("asking", () => reader.showAsking());
  asking.addEventListener("progress", ({ detail: { job, waited } }) => {
    whatIf.outdate();
    reader.showProgress(job, waited, () => asking.stop());
  });
  const again = () => asking.request(store.state);
  asking.addEventListener("stopped", () => {
    whatIf.outdate();
    reader.showStopped(again);
  });
  asking.addEventListener("trouble", ({ detail: { error } }) => {
    whatIf.outdate();
    reader.showTrouble(error, again);
  });
  asking.addEventListener("idle", async () => {
    await opening.catch(() => {});
    if (!asking.isAsking) reader.showIdle();
  });
}

/** Whether another case is seen, or a comparison that was not, or no longer. */
const isNewView = (before, now) =>
  before.row !== now.row || JSON.stringify(before.compared) !== JSON.stringify(now.compared);

/** The address always holds the state; Back leads to the case or the comparison before. */
function keepAddress({ state, query }, start, description, isNew) {
  const hash = toHash(state, query, start.options, description.data.sha256);
  if (hash === location.hash) return;
  if (isNew) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

function bindAll(store, parts, actions) {
  const { options } = store.state;
  bindKeys([
    ["/", "find a case", () => parts.finder.focus()],
    ["j", "next case of the list", () => parts.finder.step(1)],
    ["k", "case before it", () => parts.finder.step(-1)],
    ["w", "to what if", () => parts.whatIf.focus()],
    ["a", "to the answer", () => byId("answer").focus()],
    ["u or Ctrl+Z", "undo", () => store.undo()],
    ["U or Ctrl+Shift+Z", "redo", () => store.redo()],
    ["r", "reset all changes", () => store.reset()],
    [
      "d",
      "plain or all figures",
      () =>
        store.change({
          options: {
            ...store.state.options,
            detail: store.state.options.detail === options.detail ? "detailed" : options.detail,
          },
        }),
    ],
    ["c", "compare", actions.compare],
    ["l", "copy the link", actions.link],
    ["m", "letter", actions.letter],
  ]);
}

async function begin() {
  const description = await fetchJson("description");
  showSource(description);
  const start = startOf(description);
  const store = new Store(fromHash(location.hash, start, description), queryOf(location.hash, description));
  const asking = new Asking();
  const parts = {
    finder: new Finder(byId("find"), description, store),
    whatIf: new WhatIf(byId("what-if"), description, store),
  };
  parts.reader = new Reader(description, store);
  parts.trail = new Trail(byId("what-if"), description, store);
  const actions = makeActions(byId("actions"), description, store);
  connect(store, asking, parts, description, start);
  bindAll(store, parts, actions);
  const doubt = doubtOf(location.hash, description);
  if (doubt) parts.reader.showDoubt(doubt);
  addEventListener("popstate", () => {
    store.query = queryOf(location.hash, description);
    store.replace(fromHash(location.hash, start, description));
    parts.finder.show();
  });
  keepAddress(store, start, description, false);
  asking.request(store.state);
}

begin().catch((error) => {
  byId("trouble").replaceChildren(
    el(
      "p",
      { class: "trouble", role: "alert" },
      error.message,
      " ",
      el("button", { type: "button", onclick: () => location.reload() }, "Try again"),
    ),
  );
});
