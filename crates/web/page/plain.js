// A board for any game, from its notation and its moves.

import { focusedElement, h } from "./dom.js";

/** Shows a position as text and its moves as buttons. */
class Plain {
  constructor({ act, words }) {
    this.act = act;
    this.words = words;
    this.element = h("div", { class: "plain", role: "group", "aria-label": "Board" });
  }

  render({ position, drawing, choices, shown, hint, editing }) {
    const focused = this.element.contains(document.activeElement) ? focusedElement().dataset.move : null;
    this.element.replaceChildren(
      h("pre", { class: "drawing", "aria-label": "Position" }, drawing ?? position),
      h(
        "div",
        { class: "buttons" },
        !editing &&
          choices.map((choice) => {
            const classes = ["move"];
            if (shown) classes.push(choice.standing.kind);
            if ((shown && choice.best) || hint.has(choice.move)) classes.push("best");
            return h(
              "button",
              {
                class: classes.join(" "),
                "data-move": choice.move,
                onclick: () => this.act(choice),
              },
              h("span", { class: "name" }, choice.move),
              shown && choice.value && [" ", h("span", { class: "score" }, choice.standing.text)],
              shown && choice.best && h("span", { class: "unseen" }, ", best"),
            );
          }),
      ),
    );
    if (focused) this.element.querySelector(`[data-move="${CSS.escape(focused)}"]`)?.focus();
  }

  async animate() {}
}

/** What any game has. It cannot be set up by clicking. */
export const plain = {
  reads: () => true,
  draw: (hooks) => new Plain(hooks),
  keys: () => [],
  editor: null,
};
