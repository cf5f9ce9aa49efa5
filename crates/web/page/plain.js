// A board for any game, from its notation and its moves.

import { h } from "./dom.js";

/** Shows a position as text and its moves as buttons. */
class Plain {
  constructor({ act, words }) {
    this.act = act;
    this.words = words;
    this.element = h("div", { class: "plain", role: "group", "aria-label": "Board" });
  }

  render({ position, drawing, choices, shown, hint, editing }) {
    const focused = this.element.contains(document.activeElement)
      ? document.activeElement.dataset.move
      : null;
    this.element.replaceChildren(
      h("pre", { class: "drawing", "aria-label": "Position" }, drawing ?? position),
      h(
        "div",
        { class: "buttons" },
        !editing &&
          choices.map((choice) => {
            const classes = ["move"];
            if (shown && choice.outcome) classes.push(choice.outcome);
            if ((shown && choice.best) || hint.has(choice.move)) classes.push("best");
            return h(
              "button",
              {
                class: classes.join(" "),
                "data-move": choice.move,
                "aria-label": this.words.describe(choice, shown),
                onclick: () => this.act(choice),
              },
              h("span", { class: "name" }, choice.move),
              shown && choice.value && h("span", { class: "score" }, this.words.worth(choice.value)),
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
  keys: [],
  editor: null,
};
