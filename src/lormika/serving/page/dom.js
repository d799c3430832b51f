// Elements of the page. Texts are set as texts, so that nothing in the data can become markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: `el("button", { class: "quiet", onclick: undo }, "Undo")`. */
export function el(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Make an element of a picture. */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

export const byId = (id) => document.getElementById(id);

let count = 0;

/** A name that no other element has. */
export const newId = (stem) => `${stem}-${(count += 1)}`;

/** Say something to those who hear the page; the same words twice are said twice. */
export function announce(text) {
  const live = byId("live");
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}

/** A button that looks like a link. */
export const link = (text, act, more = {}) =>
  el("button", { type: "button", class: "link", onclick: act, ...more }, text);

/** A text of the data, whose direction does not disturb what is around it. */
export const data = (text, more = {}) => el("bdi", more, text);

const NARROW = "(max-width: 760px)";

/** A part of the page that can be folded away, as it is at first on a small screen. */
export const foldable = (title, ...content) =>
  el("details", { class: "fold", open: !matchMedia(NARROW).matches }, el("summary", {}, el("h2", {}, title)), content);
