// The buttons under the board, and what the keyboard does.

import { h } from "./dom.js";

/** What the keys do; a kind of board has keys of its own. */
export function keysHelp(own) {
  const keys = [
    ["← →", "back and forth"],
    ["Home End", "to the ends of the line"],
    ...own,
    ["v", "values"],
    ["t", "turn the board"],
    ["?", "hint"],
  ];
  return h(
    "details",
    { class: "keys" },
    h("summary", {}, "Keys"),
    h(
      "p",
      { class: "note" },
      keys.map(([key, what], i) => [i > 0 && " · ", h("kbd", {}, key), ` ${what}`]),
    ),
  );
}

/** The action of a key that is the same on every board, if it has one. */
export function actionOf(event, actions) {
  if (event.ctrlKey || event.metaKey) return event.key === "z" ? actions.back : null;
  return {
    ArrowLeft: actions.back,
    Backspace: actions.back,
    ArrowRight: actions.forward,
    Home: actions.first,
    End: actions.last,
    v: actions.toggleValues,
    t: actions.turn,
    "?": actions.hint,
  }[event.key];
}

/** The buttons; `random` is there where there are databases to take a position from. */
export function tools(actions, { random }) {
  const button = (id, label, text, action) =>
    // A sign needs a name; a word is one.
    h("button", { id, title: label, "aria-label": /[a-z]/.test(text) ? null : label, onclick: action }, text);
  const first = button("first", "Back to the start of the line", "|◀", actions.first);
  const undo = button("undo", "Back one move", "◀", actions.back);
  const redo = button("redo", "Forward one move", "▶", actions.forward);
  const last = button("last", "To the end of the line", "▶|", actions.last);
  const flip = button("flip", "Turn the board round", "⇅ Flip", actions.turn);
  const values = button("values", "Show or hide values", "Hide values", actions.toggleValues);
  const setup = button("setup", "Set up a position", "Set up", actions.setUp);
  const hint = button("hint", "Show a best move for a moment", "Hint", actions.hint);
  const others = [
    random && button("random", "A random position from the databases", "Random", actions.random),
    button("start", "Where the game starts", "Start", actions.start),
    button("open", "Open a game: paste it, or choose a file", "Open game", actions.open),
    button("copy", "Copy a link to this position and line", "Copy link", actions.copy),
  ].filter(Boolean);
  /** On a phone the moves come first, and what is used rarely is behind one button. */
  const more = h("button", { id: "more", "aria-expanded": "false", "aria-controls": "more-tools" }, "More");
  const rest = h("div", { class: "rest", id: "more-tools" }, flip, values, setup, others);
  more.addEventListener("click", () => {
    const open = rest.classList.toggle("open");
    more.setAttribute("aria-expanded", String(open));
  });
  const element = h(
    "div",
    { class: "tools", role: "group", "aria-label": "Line and position" },
    h("div", { class: "steps" }, first, undo, redo, last, hint, more),
    rest,
  );

  function render({ session, shown, editing }) {
    values.textContent = shown ? "Hide values" : "Show values";
    for (const one of [first, undo]) one.disabled = editing || session.at === 0;
    for (const one of [redo, last]) one.disabled = editing || session.atEnd;
    for (const one of [values, hint, ...others]) one.disabled = editing;
  }

  return { element, render, focusSetup: () => setup.focus() };
}
