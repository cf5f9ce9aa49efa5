// Boards of squares with discs, from notation alone: `8/8/8/3ox3/3xo3/8/8/8 x`.

import { focusedElement, h, put, s } from "./dom.js";

const SQUARE = 60;
const EDGE = 30;

/** The squares in a notation, or nothing if it is of another kind. */
function readGrid(text) {
  const [board, side, ...more] = text.split(" ");
  if (more.length || !/^[xo]$/.test(side ?? "") || !/^[xo.0-9/]+$/.test(board)) return null;
  const rows = board
    .split("/")
    .map((row) =>
      [...row.matchAll(/\d+|./g)].flatMap(([one]) =>
        /\d/.test(one) ? Array(Math.min(Number(one), 26)).fill(".") : [one],
      ),
    );
  const size = rows.length;
  return rows.every((row) => row.length === size) ? { rows, side } : null;
}

function writeGrid({ rows, side }) {
  const line = (row) => row.join("").replace(/\.+/g, (empty) => empty.length);
  return `${rows.map(line).join("/")} ${side}`;
}

/** What a square becomes when it is clicked in an editor. */
const CYCLE = [".", "x", "o"];

/** The name of a square, `a1` at the top left. */
export const nameOf = (row, file) => String.fromCharCode(97 + file) + (row + 1);

/** Draws squares and discs; moves are clicked where they go, `edit(row, file, change)` changes a square. */
class Grid {
  constructor({ act, edit, words }) {
    this.act = act;
    this.edit = edit;
    this.words = words;
    this.picture = s("svg", { class: "grid", role: "group", "aria-label": "Board" });
    this.others = h("div", { class: "buttons" });
    this.counts = h("p", { class: "discs" });
    this.element = h("div", { class: "plain" }, this.picture, this.counts, this.others);
  }

  render({ position, choices, shown, hint, editing, removing, flip, names }) {
    const model = readGrid(position);
    if (!model) return;
    const { move: focused, square } = this.element.contains(document.activeElement)
      ? focusedElement().dataset
      : {};
    const size = model.rows.length;
    const all = size * SQUARE + 2 * EDGE;
    this.picture.setAttribute("viewBox", `0 0 ${all} ${all}`);
    const moves = new Map(editing ? [] : choices.map((choice) => [choice.move, choice]));
    const parts = [
      s("rect", {
        class: "felt",
        x: EDGE - 6,
        y: EDGE - 6,
        width: size * SQUARE + 12,
        height: size * SQUARE + 12,
        rx: 10,
      }),
    ];
    for (let i = 0; i < size; i += 1) {
      const middle = EDGE + SQUARE * ((flip ? size - 1 - i : i) + 0.5);
      parts.push(
        s("text", { class: "edge", x: middle, y: EDGE - 11 }, String.fromCharCode(97 + i)),
        s("text", { class: "edge", x: EDGE - 17, y: middle + 5 }, i + 1),
      );
    }
    model.rows.forEach((row, r) =>
      row.forEach((content, f) => {
        const at = flip ? [size - 1 - r, size - 1 - f] : [r, f];
        parts.push(
          this.square(r, f, at, content, moves.get(nameOf(r, f)), { shown, hint, editing, removing }),
        );
      }),
    );
    this.picture.replaceChildren(...parts);
    const count = (disc) => model.rows.flat().filter((one) => one === disc).length;
    put(
      this.counts,
      ["x", "o"].map((disc, i) =>
        h("span", { class: `count-of ${disc === "x" ? "black" : "white"}` }, `${names[i]} ${count(disc)}`),
      ),
    );
    const rest = [...moves.values()].filter((choice) => !/^[a-z]\d+$/.test(choice.move));
    this.others.replaceChildren(
      ...rest.map((choice) =>
        h(
          "button",
          {
            class: "move",
            "data-move": choice.move,
            "aria-label": this.words.describe(choice, shown),
            onclick: () => this.act(choice),
          },
          choice.move,
        ),
      ),
    );
    if (editing && square) this.element.querySelector(`[data-square="${square}"]`)?.focus();
    else if (focused) this.element.querySelector(`[data-move="${CSS.escape(focused)}"]`)?.focus();
  }

  square(row, file, at, content, choice, { shown, hint, editing, removing }) {
    const [x, y] = [EDGE + at[1] * SQUARE, EDGE + at[0] * SQUARE];
    const [cx, cy] = [x + SQUARE / 2, y + SQUARE / 2];
    const name = nameOf(row, file);
    const held = content === "x" ? "black" : content === "o" ? "white" : "empty";
    const value = shown && choice?.value ? choice.standing.brief : "";
    const mark = !choice
      ? null
      : value
        ? s(
            "text",
            { class: `value${value.length > 3 ? " long" : ""}`, "aria-hidden": "true", x: cx, y: cy + 7 },
            value,
          )
        : s("circle", { class: "spot", cx, cy, r: 8 });
    const classes = [
      "square",
      choice && "legal",
      shown && choice?.standing.kind,
      choice && ((shown && choice.best) || hint.has(choice.move)) && "best",
      editing && "edited",
    ];
    const press = (event) => {
      if (editing) this.edit(row, file, event.shiftKey || removing ? -1 : 1);
      else this.act(choice);
    };
    const act =
      choice || editing
        ? {
            role: "button",
            tabindex: 0,
            "data-move": choice?.move,
            onclick: press,
            onkeydown: (event) => {
              if (event.key !== "Enter" && event.key !== " ") return;
              event.preventDefault();
              press(event);
            },
            oncontextmenu: (event) => {
              if (!editing) return;
              event.preventDefault();
              this.edit(row, file, -1);
            },
          }
        : { role: "img" };
    const label = choice ? this.words.describe(choice, shown) : `${name} ${held}`;
    return s(
      "g",
      { class: classes.filter(Boolean).join(" "), "data-square": name, ...act, "aria-label": label },
      s("rect", { x, y, width: SQUARE, height: SQUARE }),
      // Within the square: its neighbours are drawn after it.
      s("rect", { class: "frame", x: x + 3, y: y + 3, width: SQUARE - 6, height: SQUARE - 6, rx: 4 }),
      content === "." ? mark : s("circle", { class: `disc ${held}`, cx, cy, r: SQUARE * 0.41 }),
    );
  }

  async animate() {}
}

/** Boards of discs. */
export const grid = {
  reads: (text) => readGrid(text) !== null,
  draw: (hooks) => new Grid(hooks),
  keys: () => [],
  editor: {
    help: "click a square for black, white or empty",
    mover: (text) => (readGrid(text).side === "x" ? 0 : 1),
    turn: (text) => {
      const { rows, side } = readGrid(text);
      return writeGrid({ rows, side: side === "x" ? "o" : "x" });
    },
    clear: (text) => {
      const { rows, side } = readGrid(text);
      return writeGrid({ rows: rows.map((row) => row.map(() => ".")), side });
    },
    change: (text, row, file, by) => {
      const { rows, side } = readGrid(text);
      rows[row][file] = CYCLE[(CYCLE.indexOf(rows[row][file]) + by + CYCLE.length) % CYCLE.length];
      return writeGrid({ rows, side });
    },
  },
};
