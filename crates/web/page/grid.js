// Boards of squares with discs, from notation alone: `8/8/8/3ox3/3xo3/8/8/8 x`.

import { h, s } from "./dom.js";
import { describe, score } from "./words.js";

const SQUARE = 60;
const EDGE = 30;

/** The squares in a notation, or nothing if it is of another kind. */
export function readGrid(text) {
  const [board, side, ...more] = text.split(" ");
  if (more.length || !/^[xo]$/.test(side ?? "") || !/^[xo.0-9/]+$/.test(board)) return null;
  const rows = board.split("/").map((row) =>
    [...row.matchAll(/\d+|./g)].flatMap(([one]) => (/\d/.test(one) ? Array(Math.min(Number(one), 26)).fill(".") : [one])));
  const size = rows.length;
  return rows.every((row) => row.length === size) ? { rows, side } : null;
}

const nameOf = (row, file) => String.fromCharCode(97 + file) + (row + 1);

/** Draws squares and discs; moves are clicked where they go. */
export class Grid {
  constructor({ act }) {
    this.act = act;
    this.picture = s("svg", { class: "grid", role: "group", "aria-label": "Board" });
    this.others = h("div", { class: "buttons" });
    this.element = h("div", { class: "plain" }, this.picture, this.others);
  }

  render({ position, choices, shown, hint, editing }) {
    const model = readGrid(position);
    if (!model) return;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.move : null;
    const size = model.rows.length;
    const all = size * SQUARE + 2 * EDGE;
    this.picture.setAttribute("viewBox", `0 0 ${all} ${all}`);
    const moves = new Map(editing ? [] : choices.map((choice) => [choice.move, choice]));
    const parts = [s("rect", { class: "felt", x: EDGE - 6, y: EDGE - 6, width: size * SQUARE + 12, height: size * SQUARE + 12, rx: 10 })];
    for (let i = 0; i < size; i += 1) {
      const middle = EDGE + SQUARE * (i + 0.5);
      parts.push(s("text", { class: "edge", x: middle, y: EDGE - 11 }, String.fromCharCode(97 + i)),
        s("text", { class: "edge", x: EDGE - 17, y: middle + 5 }, i + 1));
    }
    model.rows.forEach((row, r) => row.forEach((content, f) => {
      parts.push(this.square(r, f, content, moves.get(nameOf(r, f)), { shown, hint }));
    }));
    this.picture.replaceChildren(...parts);
    const rest = [...moves.values()].filter((choice) => !/^[a-z]\d+$/.test(choice.move));
    this.others.replaceChildren(...rest.map((choice) =>
      h("button", { class: "move", "data-move": choice.move, "aria-label": describe(choice, shown), onclick: () => this.act(choice) }, choice.move)));
    if (focused) this.element.querySelector(`[data-move="${CSS.escape(focused)}"]`)?.focus();
  }

  square(row, file, content, choice, { shown, hint }) {
    const [x, y] = [EDGE + file * SQUARE, EDGE + row * SQUARE];
    const [cx, cy] = [x + SQUARE / 2, y + SQUARE / 2];
    const name = nameOf(row, file);
    const held = content === "x" ? "black" : content === "o" ? "white" : "empty";
    const value = shown && choice?.value;
    const mark = !choice ? null : value
      ? s("text", { class: "value", x: cx, y: cy + 7 }, score(choice.value))
      : s("circle", { class: "spot", cx, cy, r: 8 });
    const classes = ["square", choice && "legal", shown && choice?.outcome, (shown || hint) && choice?.best && "best"];
    const act = choice ? {
      role: "button", tabindex: 0, "data-move": choice.move, onclick: () => this.act(choice),
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.act(choice);
      },
    } : { role: "img" };
    return s("g", { class: classes.filter(Boolean).join(" "), ...act, "aria-label": choice ? describe(choice, shown) : `${name} ${held}` },
      s("rect", { x, y, width: SQUARE, height: SQUARE }),
      content === "." ? mark : s("circle", { class: `disc ${held}`, cx, cy, r: SQUARE * 0.41 }));
  }

  async animate() {}
}
