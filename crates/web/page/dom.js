// Elements made in one call, and sentences for screen readers.

const SVG = "http://www.w3.org/2000/svg";

/** Sets attributes and appends children; what is nothing is left out. */
export function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

export const s = (name, attributes, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

/** Replaces what is in an element; what is nothing is left out. */
export function put(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

/**
 * The first element that a selector finds.
 * @returns {any}
 */
export const $ = (selector) => document.querySelector(selector);

/** Gives a text to the browser as a file to be kept. */
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Announces a text to a screen reader. */
export function announce(text) {
  $("#announcer").textContent = text;
}

/**
 * What has the focus; boards are SVG, whose elements have data as those of HTML have.
 * @returns {HTMLElement}
 */
export const focusedElement = () => /** @type {HTMLElement} */ (document.activeElement);

/** Whether things may move about. */
export const motion = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;
