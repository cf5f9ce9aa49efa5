// Boards of checkers, from notation alone: `B:W21,K30:B1,K5`.

import { s } from "./dom.js";
import { Routes, routeKeys } from "./routes.js";

const PATTERN = /^([BW]):W((?:K?\d+(?:,K?\d+)*)?):B((?:K?\d+(?:,K?\d+)*)?)$/;
const SQUARE = 60;
const EDGE = 14;
const SIZE = 8 * SQUARE + 2 * EDGE;
/** What a square becomes when it is clicked in an editor. */
const CYCLE = [null, "b", "B", "w", "W"];

/** The men by their squares: `b` and `w`, kings `B` and `W`. */
function read(text) {
  const found = PATTERN.exec(text);
  if (!found || !(found[2] || found[3])) return null;
  const men = new Map();
  for (const [list, letter] of [
    [found[2], "w"],
    [found[3], "b"],
  ]) {
    for (const word of list.split(",").filter(Boolean)) {
      const king = word.startsWith("K");
      men.set(king ? word.slice(1) : word, king ? letter.toUpperCase() : letter);
    }
  }
  return { men, mover: found[1] };
}

function write({ men, mover }) {
  const list = (letter) =>
    [...men]
      .filter(([, man]) => man.toLowerCase() === letter)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([square, man]) => (man === letter ? "" : "K") + square)
      .join(",");
  return `${mover}:W${list("w")}:B${list("b")}`;
}

/** Column and row of a square, from the top left: Black's home rank is at the top. */
function place(square) {
  const row = Math.floor((square - 1) / 4);
  return [2 * ((square - 1) % 4) + (row % 2 === 0 ? 1 : 0), row];
}

const kind = {
  style: "checkers",
  radius: 25,
  read,
  size: () => [SIZE, SIZE],
  // Black begins and plays towards 32: seen from Black, 1 is at the lower right.
  places: (_, { flip }) =>
    Array.from({ length: 32 }, (_, i) => {
      const [column, row] = place(i + 1);
      const [right, down] = flip ? [column, row] : [7 - column, 7 - row];
      return { name: String(i + 1), x: EDGE + SQUARE * (right + 0.5), y: EDGE + SQUARE * (down + 0.5) };
    }),
  ground: () => [
    s("rect", { class: "light", x: EDGE, y: EDGE, width: 8 * SQUARE, height: 8 * SQUARE, rx: 4 }),
  ],
  spot: (_, name, [x, y]) => [
    s("rect", { class: "dark", x: x - SQUARE / 2, y: y - SQUARE / 2, width: SQUARE, height: SQUARE }),
    // In the corner, clear of a man and its ring.
    s(
      "text",
      { class: "number", x: x - SQUARE / 2 + 1.5, y: y - SQUARE / 2 + 9.5, "aria-hidden": "true" },
      name,
    ),
  ],
  man: ({ men }, name, [x, y]) => {
    const man = men.get(name);
    if (!man) return null;
    const side = man.toLowerCase() === "b" ? "black" : "white";
    return s(
      "g",
      { class: `man ${side}` },
      s("circle", { class: "body", cx: x, cy: y, r: 22 }),
      s("circle", { class: "rim", cx: x, cy: y, r: 15 }),
      man === man.toUpperCase() && s("path", { class: "crown", d: crown(x, y) }),
    );
  },
  label: ({ men }, name, names) => {
    const man = men.get(name);
    if (!man) return `${name}, empty`;
    const side = man.toLowerCase() === "b" ? 0 : 1;
    return `${name}, ${names[side]}'s ${man === man.toUpperCase() ? "king" : "man"}`;
  },
  route: (move) => move.split(/[-x]/),
  steps: (move) => move.split(/[-x]/).length,
  takes: (move) => move.includes("x"),
};

const crown = (x, y) =>
  `M${x - 11} ${y + 8} L${x - 12} ${y - 6} L${x - 5} ${y + 1} L${x} ${y - 9} L${x + 5} ${y + 1} L${x + 12} ${y - 6} L${x + 11} ${y + 8} Z`;

/** Boards of checkers. */
export const checkers = {
  reads: (text) => read(text) !== null,
  draw: (hooks) => new Routes(kind, hooks),
  keys: routeKeys,
  editor: {
    help: "click a square for a man, again for a king, then for White's",
    removes: true,
    mover: (text) => (read(text).mover === "B" ? 0 : 1),
    turn: (text) => {
      const model = read(text);
      return write({ ...model, mover: model.mover === "B" ? "W" : "B" });
    },
    // A board without any man is no position: one king of each side is left.
    clear: (text) => {
      const men = new Map([
        ["32", "W"],
        ["1", "B"],
      ]);
      return write({ ...read(text), men });
    },
    change: (text, square, how) => {
      const model = read(text);
      const now = CYCLE.indexOf(model.men.get(square) ?? null);
      const next = how === "remove" ? null : CYCLE[(now + 1) % CYCLE.length];
      model.men.delete(square);
      if (next) model.men.set(square, next);
      return model.men.size > 0 ? write(model) : text;
    },
  },
};
