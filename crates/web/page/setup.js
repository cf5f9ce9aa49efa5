// A position that is set up: by clicking on the board, or by its notation.

import { boardOf } from "./boards.js";
import { h } from "./dom.js";
import { capital } from "./words.js";

/** How long a position stays as it is before it is checked, in milliseconds. */
const CHECK = 250;

/**
 * The form under the board. `changed` is called where the position is another, `wrong` with what is
 * wrong with it, `finish` with its notation in the end, and `cancel` instead of that.
 */
export function setup({ api, card, signal }, { changed, wrong, finish, cancel }) {
  /** The notation while a position is set up. */
  let text = null;
  let removing = false;
  let checking = null;
  const element = h("div", { class: "setup" });
  const field = h("input", {
    id: "notation",
    "aria-label": "Position",
    spellcheck: "false",
    autocomplete: "off",
    oninput: () => become(field.value),
  });

  /** Says what is wrong with the position, as soon as it stays for a moment. */
  const check = () => {
    const position = text;
    clearTimeout(checking);
    checking = setTimeout(async () => {
      const found = await api.check(position.trim()).catch((error) => error.message);
      if (text === position && !signal.aborted) wrong(found ?? "");
    }, CHECK);
  };

  const become = (notation) => {
    text = notation;
    if (field.value !== text) field.value = text;
    changed();
    check();
  };

  const edited = (change) => {
    const { editor } = boardOf(text);
    if (editor) become(change(editor, text));
  };

  const button = (id, name, action, more = {}) =>
    h("button", { type: "button", id, onclick: action, ...more }, name);

  const form = () => {
    const { editor } = boardOf(text);
    const submit = (event) => {
      event.preventDefault();
      finish(text.trim());
    };
    const remove = (event) => {
      removing = !removing;
      event.target.setAttribute("aria-pressed", String(removing));
      changed();
    };
    return h(
      "form",
      { onsubmit: submit },
      h("label", {}, "Position ", field),
      h(
        "div",
        { class: "tools" },
        h("button", { class: "primary", id: "done" }, "Done"),
        button("cancel", "Cancel", cancel),
        editor && button("mover", "Other side moves", () => edited((one, position) => one.turn(position))),
        editor && button("clear", "Clear", () => edited((one, position) => one.clear(position))),
        editor?.removes && button("remove", "Remove", remove, { "aria-pressed": "false" }),
      ),
    );
  };

  return {
    element,
    /** The notation, or nothing where no position is set up. */
    get text() {
      return text;
    },
    /** Whether a click takes away. */
    get removing() {
      return removing;
    },
    open(position) {
      text = position;
      removing = false;
      field.value = position;
      element.replaceChildren(form());
      changed();
      field.focus({ preventScroll: true });
    },
    close() {
      text = null;
      clearTimeout(checking);
      element.replaceChildren();
    },
    /** A change by a click on the board. */
    change: (...what) => edited((editor, position) => editor.change(position, ...what)),
    /** What to do, in a sentence. */
    help() {
      const { editor } = boardOf(text);
      if (!editor) return "Set up a position: write it below.";
      const mover = capital(card.sides[editor.mover(text)]);
      return `Set up a position, ${mover} to move: ${editor.help}, or write it below.`;
    },
  };
}
