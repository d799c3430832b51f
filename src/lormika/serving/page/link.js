// Permalinks: the whole state after the #, which no server sees.

const OPTIONS = ["objective", "target", "detail"];
const LISTED = { text: "", prediction: "", list: "all" }; // all cases

/** A state, and which cases are listed, as the part of an address after the #. */
export function toHash(state, query, defaults, dataHash) {
  const parts = new URLSearchParams({ row: state.row });
  addObject(parts, "edits", state.edits);
  addObject(parts, "locks", state.locks);
  for (const name of OPTIONS) {
    const value = state.options[name];
    if (value !== undefined && value !== defaults[name]) parts.set(name, JSON.stringify(value));
  }
  if (state.options.k !== defaults.k) parts.set("k", state.options.k);
  if (state.options.at_least !== undefined) parts.set("at_least", state.options.at_least);
  if (state.options.spread !== undefined) parts.set("spread", state.options.spread);
  if (state.compared) parts.set("compared", JSON.stringify(state.compared));
  addObject(parts, "find", Object.fromEntries(Object.entries(query).filter(([name, value]) => value !== LISTED[name])));
  if (dataHash) parts.set("data", dataHash.slice(0, 12));
  return `#${parts}`;
}

function addObject(parts, name, object) {
  if (Object.keys(object).length) parts.set(name, JSON.stringify(object));
}

/** The state that a link holds; what it does not say is as at the start, and what cannot be read is left out. */
export function fromHash(hash, start, description) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const known = new Set(description.features.map((feature) => feature.name));
  const row = parts.has("row") ? Number(parts.get("row")) : start.row;
  const options = { ...start.options };
  for (const name of OPTIONS) {
    const value = read(parts.get(name));
    if (description.options[name].choices.includes(value)) options[name] = value;
  }
  const k = Number(parts.get("k"));
  if (Number.isInteger(k) && k >= description.options.k.least && k <= description.options.k.greatest) options.k = k;
  const sure = read(parts.get("at_least"));
  if (typeof sure === "number" && sure >= 0 && sure <= 1) options.at_least = sure;
  if (typeof read(parts.get("spread")) === "boolean") options.spread = read(parts.get("spread"));
  return {
    row: isRow(row, description) ? row : start.row,
    edits: keepKnown(read(parts.get("edits")), known, isValue),
    locks: keepKnown(read(parts.get("locks")), known, (way) => ["fixed", "up", "down"].includes(way)),
    options,
    compared: readCompared(read(parts.get("compared")), known, description),
  };
}

/** The cases that a link lists. */
export function queryOf(hash, description) {
  const said = read(new URLSearchParams(hash.replace(/^#/, "")).get("find")) ?? {};
  const query = { ...LISTED };
  if (typeof said.text === "string") query.text = said.text;
  if (description.classes.some(({ label }) => String(label) === said.prediction)) query.prediction = said.prediction;
  if (description.lists.some(({ name }) => name === said.list)) query.list = said.list;
  return query;
}

/** What a link says that cannot be true here; null if all is well. */
export function doubtOf(hash, description) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  if (parts.has("row") && !isRow(Number(parts.get("row")), description))
    return `The link names row ${parts.get("row")}, but the data have the rows 0 to ${description.data.rows - 1}.`;
  const made = parts.get("data");
  if (made && description.data.sha256 && !description.data.sha256.startsWith(made))
    return "The link was made with other data: the row may be another case now.";
  return null;
}

function readCompared(value, known, description) {
  if (!value || typeof value !== "object" || !isRow(value.row, description)) return null;
  return { row: value.row, edits: keepKnown(value.edits, known, isValue) };
}

const isRow = (row, description) => Number.isInteger(row) && row >= 0 && row < description.data.rows;
const isValue = (value) => value === null || ["number", "string", "boolean"].includes(typeof value);

function keepKnown(object, known, test) {
  if (!object || typeof object !== "object") return {};
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => known.has(name) && test(value)));
}

function read(text) {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
