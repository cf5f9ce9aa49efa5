// The men of chess, drawn around the middle of a square of 60.

import { s } from "./dom.js";

const BASE = "M-15 22 L-15 18 Q-15 15 -12 15 L12 15 Q15 15 15 18 L15 22 Z";

/** For each letter of FEN: its name, its outlines, balls as `[x, y, radius]`, and thin lines upon it. */
export const PIECES = {
  K: {
    name: "king",
    outlines: [
      "M-2 -24 H2 V-20 H6 V-16 H2 V-10 H-2 V-16 H-6 V-20 H-2 Z",
      "M-12 15 C-24 -2 -15 -10 -8 -10 C-3 -10 0 -6 0 -2 C0 -6 3 -10 8 -10 C15 -10 24 -2 12 15 Z",
    ],
    balls: [],
    lines: ["M-10 9 Q0 6 10 9"],
  },
  Q: {
    name: "queen",
    outlines: ["M-12 15 L-18 -10 L-9 1 L-9 -15 L-2 0 L0 -17 L2 0 L9 -15 L9 1 L18 -10 L12 15 Z"],
    balls: [
      [-18, -12, 3],
      [-9, -17, 3],
      [0, -20, 3],
      [9, -17, 3],
      [18, -12, 3],
    ],
    lines: ["M-11 9 Q0 6 11 9"],
  },
  R: {
    name: "rook",
    outlines: [
      "M-14 -18 H-8 V-13 H-3 V-18 H3 V-13 H8 V-18 H14 V-8 L10 -4 V10 L13 15 H-13 L-10 10 V-4 L-14 -8 Z",
    ],
    balls: [],
    lines: ["M-10 -4 H10", "M-10 10 H10"],
  },
  B: {
    name: "bishop",
    outlines: ["M0 -18 C-11 -10 -13 -2 -7 6 L-9 15 H9 L7 6 C13 -2 11 -10 0 -18 Z"],
    balls: [[0, -20, 3]],
    lines: ["M0 -10 V0", "M-4 -5 H4", "M-7 7 Q0 5 7 7"],
  },
  N: {
    name: "knight",
    outlines: [
      "M-10 15 C-11 6 -1 4 -1 -3 L-8 1 C-11 5 -16 2 -15 -2 L-7 -13 L-8 -20 L-1 -16 C11 -15 15 -3 13 15 Z",
    ],
    balls: [],
    lines: ["M-5 -9 L-4 -8", "M5 -11 C9 -5 9 4 8 12"],
  },
  P: {
    name: "pawn",
    outlines: ["M-4 -3 C-5 5 -9 9 -11 15 H11 C9 9 5 5 4 -3 Z"],
    balls: [[0, -9, 7]],
    lines: [],
  },
};

/** A man by its letter, White's in upper case, around the middle of its square. */
export function piece(letter, [x, y]) {
  const { outlines, balls, lines } = PIECES[letter.toUpperCase()];
  const side = letter === letter.toUpperCase() ? "white" : "black";
  return s(
    "g",
    { class: `man piece ${side}` },
    s(
      "g",
      { transform: `translate(${x} ${y})` },
      [...outlines, BASE].map((d) => s("path", { class: "body", d })),
      balls.map(([cx, cy, r]) => s("circle", { class: "body", cx, cy, r })),
      lines.map((d) => s("path", { class: "crease", d })),
    ),
  );
}
