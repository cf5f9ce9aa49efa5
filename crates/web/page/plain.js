// A board for any game, from its notation and its moves.

import { h } from "./dom.js";
import { describe, worth } from "./words.js";

/** Shows a position as text and its moves as buttons. */
export class Plain {
  constructor({ act }) {
    this.act = act;
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
                "aria-label": describe(choice, shown),
                onclick: () => this.act(choice),
              },
              h("span", { class: "name" }, choice.move),
              shown && choice.value && h("span", { class: "score" }, worth(choice.value)),
            );
          }),
      ),
    );
    if (focused) this.element.querySelector(`[data-move="${CSS.escape(focused)}"]`)?.focus();
  }

  async animate() {}
}
