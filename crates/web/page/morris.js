// Boards of morris, from notation alone: `W:Wd2,d3:Ba4:H7,8`.

import { s } from "./dom.js";
import { Routes, routeKeys } from "./routes.js";

const PATTERN =
  /^([WB]):W((?:[a-g][1-7](?:,[a-g][1-7])*)?):B((?:[a-g][1-7](?:,[a-g][1-7])*)?)(?::H(\d+),(\d+))?$/;
const EDGE = 44;
const TRAY = 46;
const WIDTH = 520;
/** Steps around a ring from its upper left corner, in units of its half side. */
const AROUND = [
  [-1, 1],
  [0, 1],
  [1, 1],
  [1, 0],
  [1, -1],
  [0, -1],
  [-1, -1],
  [-1, 0],
];
const CYCLE = [undefined, "W", "B"];

/** How many rings a board has, and whether corners are joined: the drawing in words has its columns. */
function boardOf(drawing, before) {
  const columns = /^ {3}((?:[a-g] ?)+)$/m
    .exec(drawing ?? "")?.[1]
    .trim()
    .split(" ").length;
  if (!columns) return before ?? { rings: 3, diagonals: false };
  return { rings: (columns - 1) / 2, diagonals: columns === 3 || /diagonals/.test(drawing) };
}

function read(text, view, before) {
  const found = PATTERN.exec(text);
  if (!found) return null;
  const men = new Map();
  for (const [list, side] of [
    [found[2], "W"],
    [found[3], "B"],
  ]) {
    for (const name of list.split(",").filter(Boolean)) men.set(name, side);
  }
  const hands = found[4] === undefined ? null : [Number(found[4]), Number(found[5])];
  return { men, mover: found[1], hands, board: boardOf(view?.drawing, before?.board) };
}

function write({ men, mover, hands }) {
  const list = (side) =>
    [...men]
      .filter(([, one]) => one === side)
      .map(([name]) => name)
      .sort()
      .join(",");
  const hand = hands && (hands[0] > 0 || hands[1] > 0) ? `:H${hands.join(",")}` : "";
  return `${mover}:W${list("W")}:B${list("B")}${hand}`;
}

/** The points as column and row from the middle, ring by ring. */
const ringsOf = ({ rings }) =>
  Array.from({ length: rings }, (_, ring) =>
    AROUND.map(([right, up]) => [right * (rings - ring), up * (rings - ring)]),
  );

/** Lines of three points, as they are drawn. */
function linesOf(board) {
  const all = ringsOf(board);
  const lines = all.flatMap((ring) =>
    [0, 2, 4, 6].map((corner) => [ring[corner], ring[corner + 1], ring[(corner + 2) % 8]]),
  );
  for (let i = 0; i < 8; i += 1) {
    if (i % 2 === 0 && !board.diagonals) continue;
    if (all.length === 1 && i < 4) lines.push([all[0][i], [0, 0], all[0][i + 4]]);
    if (all.length > 1) lines.push(all.map((ring) => ring[i]));
  }
  return lines;
}

/** @param {{ rings: number }} board
 * @param {number[]} point column and row from the middle */
const nameOf = ({ rings }, point) => String.fromCharCode(97 + rings + point[0]) + (rings + point[1] + 1);

/** @param {{ rings: number }} board
 * @param {number[]} point column and row from the middle
 * @param {boolean} flip */
const middleOf = ({ rings }, point, flip) => {
  const [right, up] = point;
  const unit = (WIDTH / 2 - EDGE) / rings;
  const turn = flip ? -1 : 1;
  return [WIDTH / 2 + turn * unit * right, TRAY + WIDTH / 2 - turn * unit * up];
};

const pointsOf = (board) => [...ringsOf(board).flat(), ...(board.rings === 1 ? [[0, 0]] : [])];

const kind = {
  style: "morris",
  radius: 24,
  read,
  size: () => [WIDTH, WIDTH + 2 * TRAY],
  places: ({ board }, { flip }) =>
    pointsOf(board).map((point) => {
      const [x, y] = middleOf(board, point, flip);
      return { name: nameOf(board, point), x, y };
    }),
  ground: ({ board, men, hands, mover }, { flip, names, editing }, way) => {
    const parts = [s("rect", { class: "plate", x: 4, y: TRAY, width: WIDTH - 8, height: WIDTH, rx: 14 })];
    for (const line of linesOf(board)) {
      const owners = line.map((point) => men.get(nameOf(board, point)));
      const mill = line.length === 3 && owners[0] && owners.every((one) => one === owners[0]);
      const [[x1, y1], [x2, y2]] = [line[0], line[line.length - 1]].map((point) =>
        middleOf(board, point, flip),
      );
      parts.push(s("line", { class: mill ? `mill ${owners[0]}` : "line", x1, y1, x2, y2 }));
    }
    ["W", "B"].forEach((side, i) => {
      const y = (i === 0) === !flip ? WIDTH + 1.5 * TRAY : TRAY / 2;
      // Once a stone has its new place, what is left of the move is a stone to take.
      const takes = mover === side && !editing && way.length === (hands?.[i] ? 1 : 2);
      const left = takes ? ": take a stone" : hands ? `: ${hands[i]} to place` : "";
      parts.push(
        s(
          "text",
          { class: `hand${mover === side ? " moving" : ""}`, x: WIDTH / 2, y: y + 6 },
          names[i] + left,
        ),
      );
    });
    return parts;
  },
  spot: (_, name, [x, y]) => [
    s("circle", { class: "reach", cx: x, cy: y, r: 24 }),
    s("circle", { class: "point", cx: x, cy: y, r: 6 }),
    // Above a stone and its ring, beside the line: what a move is worth stands below.
    s("text", { class: "number", x: x + 6, y: y - 27, "aria-hidden": "true" }, name),
  ],
  man: ({ men }, name, [x, y]) =>
    men.has(name)
      ? s(
          "g",
          { class: `man ${men.get(name) === "W" ? "white" : "black"}` },
          s("circle", { class: "body", cx: x, cy: y, r: 19 }),
          s("circle", { class: "rim", cx: x, cy: y, r: 12 }),
        )
      : null,
  label: ({ men }, name, names) =>
    `${name}, ${men.has(name) ? `${names[men.get(name) === "W" ? 0 : 1]}'s stone` : "empty"}`,
  route: (move) => move.split(/[-x]/),
  // What is taken does not move.
  steps: (move) => move.split("x")[0].split("-").length,
  takes: () => false,
};

/** Boards of morris. */
export const morris = {
  reads: (text) => read(text) !== null,
  draw: (hooks) => new Routes(kind, hooks),
  keys: routeKeys,
  editor: {
    help: "click a point for a stone, again for Black's; stones to place are written as H7,8",
    removes: true,
    mover: (text) => (read(text).mover === "W" ? 0 : 1),
    turn: (text) => {
      const model = read(text);
      return write({
        ...model,
        mover: model.mover === "W" ? "B" : "W",
        hands: model.hands?.toReversed() ?? null,
      });
    },
    clear: (text) => write({ ...read(text), men: new Map(), hands: null }),
    change: (text, name, how) => {
      const model = read(text);
      const now = CYCLE.indexOf(model.men.get(name));
      const next = how === "remove" ? undefined : CYCLE[(now + 1) % CYCLE.length];
      model.men.delete(name);
      if (next) model.men.set(name, next);
      return write(model);
    },
  },
};
