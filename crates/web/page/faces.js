// The animals of dobutsu shogi: a tile that points forward, a face, and a dot for every step.

import { s } from "./dom.js";

/** Left and forward of every step, as the owner sees it. */
const ORTHOGONAL = [
  [0, 1],
  [-1, 0],
  [1, 0],
  [0, -1],
];
const FORWARD = [
  [-1, 1],
  [1, 1],
];
const BACKWARD = [
  [-1, -1],
  [1, -1],
];

const eyes = (apart, y) => [-apart, apart].map((cx) => s("circle", { class: "eye", cx, cy: y, r: 2.3 }));

function lion() {
  const mane = Array.from({ length: 10 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 10;
    return s("circle", { class: "mane", cx: 16 * Math.sin(angle), cy: 16 * Math.cos(angle), r: 7.5 });
  });
  return [
    mane,
    s("circle", { class: "gold", r: 15 }),
    eyes(5.5, -3),
    s("path", { class: "eye", d: "M-3.5 3H3.5L0 7Z" }),
    s("path", { class: "stroke", d: "M0 7V9M-5 10Q-2.5 12.5 0 9.5Q2.5 12.5 5 10" }),
  ];
}

function elephant() {
  const ear = (cx) => [
    s("ellipse", { class: "grey", cx, cy: -3, rx: 11, ry: 14 }),
    s("ellipse", { class: "pink", cx, cy: -3, rx: 6.5, ry: 9 }),
  ];
  return [
    ear(-15),
    ear(15),
    s("circle", { class: "grey", cy: -2, r: 15 }),
    s("path", { class: "trunk-edge", d: "M0 3V14Q0 20 7 19" }),
    s("path", { class: "trunk", d: "M0 3V14Q0 20 7 19" }),
    eyes(6.5, -4),
  ];
}

function giraffe() {
  const horn = (x) => [
    s("path", { class: "stroke", d: `M${x} -14V-21` }),
    s("circle", { class: "spot", cx: x, cy: -22, r: 3 }),
  ];
  return [
    horn(-5),
    horn(5),
    s("path", { class: "yellow", d: "M-10 -12Q-22 -18 -22 -9Q-16 -5 -10 -7Z" }),
    s("path", { class: "yellow", d: "M10 -12Q22 -18 22 -9Q16 -5 10 -7Z" }),
    s("path", { class: "yellow", d: "M-11 -12Q0 -21 11 -12L8 9Q0 15 -8 9Z" }),
    [
      [-5, -10, 3],
      [6, -9, 2.6],
      [0, -13, 2.2],
    ].map(([cx, cy, r]) => s("circle", { class: "spot", cx, cy, r })),
    s("ellipse", { class: "cream", cy: 11, rx: 11, ry: 8 }),
    eyes(5.5, -1),
    [-3.5, 3.5].map((cx) => s("circle", { class: "eye", cx, cy: 10, r: 1.4 })),
  ];
}

const beak = (y) => s("path", { class: "beak", d: `M-5 ${y}H5L0 ${y + 8}Z` });

function chick() {
  return [
    s("path", { class: "stroke", d: "M-2 -15L-4 -21M2 -15L5 -20" }),
    s("circle", { class: "yellow", r: 16 }),
    s("path", { class: "stroke", d: "M-13 4Q-9 9 -5.5 5M13 4Q9 9 5.5 5" }),
    eyes(6, -4),
    beak(0),
  ];
}

function hen() {
  return [
    s("path", { class: "comb", d: "M-11 -11Q-14 -22 -6 -18Q-3 -26 1 -18Q8 -24 9 -16Q14 -16 11 -10Z" }),
    s("circle", { class: "white", r: 16 }),
    s("path", { class: "comb", d: "M-3 7Q-6 15 0 16Q6 15 3 7Z" }),
    eyes(6, -4),
    beak(0),
  ];
}

/** The animals by the letters of the notation. */
export const ANIMALS = {
  L: { name: "lion", face: lion, steps: [...ORTHOGONAL, ...FORWARD, ...BACKWARD] },
  E: { name: "elephant", face: elephant, steps: [...FORWARD, ...BACKWARD] },
  G: { name: "giraffe", face: giraffe, steps: ORTHOGONAL },
  C: { name: "chick", face: chick, steps: [[0, 1]] },
  H: { name: "hen", face: hen, steps: [...ORTHOGONAL, ...FORWARD] },
};

/** Where a step's dot is on the tile, which is narrower at its front. */
const dot = ([right, forward]) => ({
  cx: right * (forward > 0 ? 25 : 32),
  cy: forward > 0 ? (right === 0 ? -33 : -23) : forward < 0 ? 33 : 5,
});

/** A tile around a point; `owner` is the number of its side, and it points down where `down` is set. */
export function tile(letter, [x, y], { owner, down }) {
  const { name, face, steps } = ANIMALS[letter];
  return s(
    "g",
    { class: `tile owner${owner} ${name}`, transform: `translate(${x} ${y})${down ? " rotate(180)" : ""}` },
    s("path", { class: "wood", d: "M0 -43L32 -31L39 40H-39L-32 -31Z" }),
    steps.map((step) => s("circle", { class: "step", ...dot(step), r: 3.2 })),
    s("g", { class: "face", transform: "translate(0 4) scale(1.1)" }, face()),
  );
}
