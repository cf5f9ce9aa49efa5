// Charts that the server draws. Their marks are buttons; the page says what they do.

import { focusedElement, h } from "./dom.js";

const FORTH = new Set(["ArrowRight", "ArrowDown"]);
const BACK = new Set(["ArrowLeft", "ArrowUp"]);

/** A picture of the server as an element that can be imported. */
export const drawing = (text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement;

/** The same mark in another drawing of the chart has the same data. */
const keyOf = (mark) => JSON.stringify({ ...mark.dataset });

/**
 * A place for a chart. `pick` is called with the data of a mark that is clicked, or chosen with Enter
 * or the space bar. One mark is a stop of the Tab key, arrow keys lead to the others.
 */
export function chart(pick) {
  /** @type {any} */
  const element = h("div", { class: "chart-place" });
  let latest = 0;
  const marks = () => [...element.querySelectorAll("[role=button]")];

  const stopAt = (mark) => {
    for (const one of element.querySelectorAll('[tabindex="0"]')) one.setAttribute("tabindex", "-1");
    mark?.setAttribute("tabindex", "0");
  };
  const walk = (event, mark) => {
    const all = marks();
    const at = all.indexOf(mark);
    const to = FORTH.has(event.key)
      ? Math.min(at + 1, all.length - 1)
      : BACK.has(event.key)
        ? Math.max(at - 1, 0)
        : { Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    stopAt(all[to]);
    all[to].focus();
  };
  element.addEventListener("click", (event) => {
    const mark = event.target.closest("[role=button]");
    if (mark) pick(mark.dataset);
  });
  element.addEventListener("keydown", (event) => {
    const mark = event.target.closest("[role=button]");
    if (!mark) return;
    if (event.key !== "Enter" && event.key !== " ") walk(event, mark);
    else {
      event.preventDefault();
      pick(mark.dataset);
    }
  });

  /** Shows a picture; the mark that has the focus keeps it, if it is still there. */
  const put = (picture) => {
    const held = element.contains(document.activeElement) ? keyOf(focusedElement()) : null;
    element.replaceChildren(picture);
    if (held === null) return;
    const mark = marks().find((one) => keyOf(one) === held) ?? marks()[0];
    stopAt(mark);
    mark?.focus();
  };

  return {
    element,
    /** Shows what is promised, unless something else is promised meanwhile; gives whether it did. */
    async show(promise) {
      latest += 1;
      const mine = latest;
      const picture = await promise;
      if (mine !== latest) return false;
      put(document.importNode(picture, true));
      return true;
    },
    /** Shows nothing. */
    clear() {
      latest += 1;
      element.replaceChildren();
    },
    /** Highlights the marks with this data, and lets the Tab key stop at the first of them. */
    point(name, value) {
      const chosen = marks().filter((one) => one.dataset[name] === String(value));
      for (const one of marks()) one.classList.toggle("now", chosen.includes(one));
      if (chosen.length && !element.contains(document.activeElement)) stopAt(chosen[0]);
    },
  };
}
