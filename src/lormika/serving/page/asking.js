// Asking: after a change first the prediction, then the explanation. One question at a time, always the newest.

import { ask, isStopped } from "./ask.js";
import { caseOf, comparedCases, questionOf } from "./state.js";

const PATIENCE = 1000; // milliseconds that an outdated question may still take before it is stopped

export class Asking extends EventTarget {
  #wanted = null;
  #running = null; // { abort, began }
  #since = null; // when the first question came that has no answer yet

  /** Ask about a state: its prediction, too, unless only options have changed. */
  request(state, withPrediction = true) {
    const predict = withPrediction || (this.#wanted?.predict ?? false);
    this.#wanted = { state, predict };
    this.#since ??= performance.now();
    if (this.#running === null) this.#work();
    else this.#hurry();
  }

  get isAsking() {
    return this.#running !== null;
  }

  /** The user has had enough. */
  stop() {
    this.#wanted = null;
    this.#running?.abort.abort();
  }

  // Stopping may end the model's process: questions that are over soon are better waited for.
  #hurry() {
    const running = this.#running;
    setTimeout(
      () => {
        if (this.#running === running && this.#wanted !== null) running.abort.abort();
      },
      Math.max(0, running.began + PATIENCE - performance.now()),
    );
  }

  async #work() {
    while (this.#wanted !== null) {
      const { state, predict } = this.#wanted;
      this.#wanted = null;
      const abort = new AbortController();
      this.#running = { abort, began: performance.now() };
      this.#tell("asking", { state });
      try {
        await this.#askBoth(state, predict, abort.signal);
      } catch (error) {
        if (this.#wanted === null) this.#tell(isStopped(error) ? "stopped" : "trouble", { state, error });
      }
      this.#running = null;
    }
    this.#since = null;
    this.#tell("idle", {});
  }

  async #askBoth(state, predict, signal) {
    const tell = (job) => this.#tell("progress", { job, waited: (performance.now() - this.#since) / 1000 });
    if (predict) {
      const prediction = await ask("predict", { case: caseOf(state) }, { signal, tell });
      this.#tell("prediction", { state, answer: prediction });
    }
    if (this.#wanted !== null) return;
    if (state.compared) {
      const cases = comparedCases(state).map(caseOf);
      const { options, detail } = questionOf(state);
      this.#tell("comparison", { state, answer: await ask("compare", { cases, options, detail }, { signal, tell }) });
    } else {
      this.#tell("explanation", { state, answer: await ask("explain", questionOf(state), { signal, tell }) });
    }
  }

  #tell(what, detail) {
    this.dispatchEvent(new CustomEvent(what, { detail }));
  }
}
