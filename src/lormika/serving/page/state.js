// State: which case, what is changed, what must not change, how it is asked; with undo and redo.

const KEPT = 200; // steps back

export class Store extends EventTarget {
  #past = [];
  #future = [];
  #gesture = null;

  constructor(state, query) {
    super();
    this.state = state;
    this.query = query; // which cases are listed
  }

  /** List other cases, which is no step back. */
  list(query) {
    this.query = query;
    this.dispatchEvent(new CustomEvent("list"));
  }

  /** Change something. Changes with the same gesture, such as a slider being drawn, are one step back. */
  change(patch, gesture = null) {
    const before = this.state;
    const now = { ...before, ...patch };
    if (JSON.stringify(now) === JSON.stringify(before)) return;
    if (gesture === null || gesture !== this.#gesture) {
      this.#past.push(before);
      this.#past.splice(0, this.#past.length - KEPT);
    }
    this.#gesture = gesture;
    this.#future = [];
    this.#become(now);
  }

  /** Take over a state without a step back, as from a link. */
  replace(state) {
    this.#gesture = null;
    this.#become(state);
  }

  /** The hand has left the slider. */
  endGesture() {
    this.#gesture = null;
  }

  undo() {
    this.#step(this.#past, this.#future);
  }

  redo() {
    this.#step(this.#future, this.#past);
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  #step(from, to) {
    if (!from.length) return;
    to.push(this.state);
    this.#gesture = null;
    this.#become(from.pop());
  }

  #become(now) {
    const before = this.state;
    this.state = now;
    this.dispatchEvent(new CustomEvent("change", { detail: { before, now } }));
  }

  // What the parts of the page do with it.

  /** Another case: its values are as they are in the data. */
  open(row) {
    this.change({ row, edits: {}, compared: null });
  }

  /** Give a feature another value; its own value is no change. */
  edit(name, value, own, gesture = null) {
    const edits = { ...this.state.edits };
    if (Object.is(value, own)) delete edits[name];
    else edits[name] = value;
    this.change({ edits }, gesture);
  }

  /** Lock a feature: "fixed", "up", "down", or "" for free. */
  lock(name, way) {
    const locks = { ...this.state.locks };
    if (way) locks[name] = way;
    else delete locks[name];
    this.change({ locks });
  }

  reset() {
    this.change({ edits: {} });
  }
}

/** The case of a question. */
export const caseOf = ({ row, edits }) => ({ row, changes: edits });

/** The options of a question: those that were chosen, and the locks as constraints. */
export function optionsOf({ options, locks }) {
  const { detail: _, ...chosen } = options;
  const of = (way) => Object.keys(locks).filter((name) => locks[name] === way);
  const constraints = Object.fromEntries(
    ["fixed", "up", "down"].map((way) => [way, of(way)]).filter(([, names]) => names.length),
  );
  return Object.keys(constraints).length ? { ...chosen, constraints } : chosen;
}

/** The two cases that are compared: what was before stands before what is after. */
export function comparedCases(state) {
  const isBefore = state.compared.row === state.row;
  return isBefore ? [state.compared, state] : [state, state.compared];
}

/** Everything that decides an explanation. */
export const questionOf = (state) => ({ case: caseOf(state), options: optionsOf(state), detail: state.options.detail });
