// The lock of a feature: whether suggestions may change it, and in which way.

import { el, newId, svg } from "./dom.js";

const WAYS = { "": "may change", fixed: "fixed", up: "only up", down: "only down" };
const SAID = {
  "": (name) => `Suggestions may change ${name}. Choose “fixed” to keep it as it is.`,
  fixed: (name) => `Suggestions keep ${name} fixed.`,
  up: (name) => `Suggestions let ${name} only rise.`,
  down: (name) => `Suggestions let ${name} only fall.`,
};
const KEPT = {
  fixed: (name) => `${name} fixed`,
  up: (name) => `${name} from falling`,
  down: (name) => `${name} from rising`,
};

export class Lock {
  /** `always` is a lock that was set when the server was started; `hear(way)` is told what the user wants. */
  constructor(feature, always, hear) {
    this.feature = feature;
    this.always = always;
    const ways = hasDirection(feature) ? ["", "fixed", "up", "down"] : ["", "fixed"];
    const hint = newId("lock");
    this.select = el(
      "select",
      {
        class: "lock",
        "aria-label": `May ${feature.label} change in suggestions?`,
        "aria-describedby": hint,
        onchange: () => hear(this.select.value),
      },
      (always && !ways.includes(always) ? [...ways, always] : ways).map((way) =>
        el("option", { value: way }, WAYS[way]),
      ),
    );
    this.select.disabled = Boolean(always);
    this.hint = el("span", { class: "lock-hint", id: hint });
    this.shackle = svg("path", { class: "shackle" });
    const icon = svg(
      "svg",
      { viewBox: "0 0 12 14", class: "lock-icon", "aria-hidden": "true", focusable: "false" },
      this.shackle,
      svg("rect", { x: 1, y: 6, width: 10, height: 8, rx: 1.5 }),
    );
    this.element = el("span", { class: "lock-box" }, icon, this.select, this.hint);
    this.show("");
  }

  show(way) {
    const own = this.always || way;
    this.select.value = own;
    this.element.classList.toggle("on", Boolean(own));
    this.shackle.setAttribute("d", own ? "M3 6V4a3 3 0 0 1 6 0v2" : "M3 6V3.5a3 3 0 0 1 5.6-1.5");
    const end = this.always ? " This was set when the server was started." : "";
    this.hint.textContent = SAID[own](this.feature.label) + end;
  }
}

/** Whether a feature can rise and fall: not, if it is only true or false. */
function hasDirection({ kind, ordered, categories, whole, least, greatest }) {
  if (kind === "number") return !(whole && least === 0 && greatest === 1);
  return ordered && categories.some(({ value }) => typeof value !== "boolean");
}

/** The lock that a feature has always, whatever the page says. */
export function alwaysLocked(name, constraints) {
  for (const way of ["fixed", "up", "down"]) if (constraints.some((one) => one[way]?.includes(name))) return way;
  return "";
}

/** What suggestions keep to, in words; null: they may change everything. */
export function keptWords({ features, constraints }, locks) {
  const kept = features
    .map(({ name, label }) => [alwaysLocked(name, constraints) || locks[name], label])
    .filter(([way]) => way)
    .map(([way, label]) => KEPT[way](label));
  return kept.length ? `keeps ${kept.join(", ")}` : null;
}
