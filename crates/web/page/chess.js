// Boards of chess, from FEN alone: `4k3/8/8/8/8/8/8/4K2R w K -`.

import { s } from "./dom.js";
import { PIECES, piece } from "./pieces.js";
import { Routes, routeKeys } from "./routes.js";

const PATTERN =
  /^((?:[KQRBNPkqrbnp1-8]{1,8}\/){7}[KQRBNPkqrbnp1-8]{1,8}) ([wb])(?: (\S+))?(?: (\S+))?(?: \d+ \d+)?$/;
const FILES = "abcdefgh";
const SQUARE = 60;
const EDGE = 18;
const SIZE = 8 * SQUARE + 2 * EDGE;
/** The men to be set up, White's and Black's. */
const TRAY = ["KQRBNP", "kqrbnp"];
/** The squares on which a king and a rook stand where it may still be castled. */
const CASTLING = { K: "e1 h1", Q: "e1 a1", k: "e8 h8", q: "e8 a8" };

/** The men by their squares, as letters. */
function read(text) {
  const found = PATTERN.exec(text.trim());
  if (!found) return null;
  const men = new Map();
  const ranks = found[1].split("/");
  for (const [down, rank] of ranks.entries()) {
    let file = 0;
    for (const letter of rank) {
      if (/\d/.test(letter)) file += Number(letter);
      else {
        men.set(FILES[file] + (8 - down), letter);
        file += 1;
      }
    }
    if (file !== 8) return null;
  }
  return { men, mover: found[2], castling: found[3] ?? "-" };
}

/** What was captured in passing is over with a change, and rights whose men are gone are, too. */
function write({ men, mover, castling }) {
  const ranks = Array.from({ length: 8 }, (_, down) =>
    [...FILES]
      .map((file) => men.get(file + (8 - down)) ?? "1")
      .join("")
      .replace(/1+/g, (run) => String(run.length)),
  );
  const stands = (right) => {
    const [king, rook] = CASTLING[right].split(" ").map((square) => men.get(square));
    return right === right.toUpperCase() ? king === "K" && rook === "R" : king === "k" && rook === "r";
  };
  const rights = [...castling].filter((right) => right in CASTLING && stands(right)).join("");
  return `${ranks.join("/")} ${mover} ${rights || "-"} -`;
}

/** The middle of a square. */
function middle(name, flip) {
  const [file, rank] = [FILES.indexOf(name[0]), Number(name[1]) - 1];
  const [right, down] = flip ? [7 - file, rank] : [file, 7 - rank];
  return [EDGE + SQUARE * (right + 0.5), EDGE + SQUARE * (down + 0.5)];
}

/** Places beside the squares: `=q` what a pawn becomes, `+Q` a man to be set up. */
const isMan = (name) => name[0] === "=" || name[0] === "+";

const kind = {
  style: "chess",
  radius: 27,
  read,
  size: (_, { editing }) => [SIZE, SIZE + (editing ? 2 * SQUARE : 0)],
  places: (_, { flip, editing }, way) => {
    const squares = [...FILES].flatMap((file) => Array.from({ length: 8 }, (_, i) => file + (i + 1)));
    const all = squares.map((name) => [name, middle(name, flip)]);
    if (editing) {
      TRAY.forEach((men, row) =>
        [...men].forEach((man, i) =>
          all.push([`+${man}`, [EDGE + SQUARE * (i + 1.5), SIZE + SQUARE * (row + 0.5)]]),
        ),
      );
    }
    // A pawn on the last rank: what it becomes, from its square towards the middle of the board.
    if (way.length === 2) {
      const [x, y] = middle(way[1], flip);
      const step = y < SIZE / 2 ? SQUARE : -SQUARE;
      [..."qrbn"].forEach((man, i) => all.push([`=${man}`, [x, y + i * step]]));
    }
    return all.map(([name, [x, y]]) => ({ name, x, y }));
  },
  ground: (_, { flip }) => {
    const name = (text, x, y) => s("text", { class: "edge", x, y, "aria-hidden": "true" }, text);
    return [...FILES].flatMap((file, i) => {
      const [x] = middle(file + "1", flip);
      const [, y] = middle("a" + (i + 1), flip);
      return [name(file, x, SIZE - 4), name(i + 1, EDGE / 2, y + 5)];
    });
  },
  spot: (_, name, [x, y]) => {
    const dark = !isMan(name) && (FILES.indexOf(name[0]) + Number(name[1])) % 2 === 1;
    const style = name[0] === "=" ? "option" : name[0] === "+" ? "tray" : dark ? "dark" : "light";
    return [s("rect", { class: style, x: x - SQUARE / 2, y: y - SQUARE / 2, width: SQUARE, height: SQUARE })];
  },
  man: ({ men, mover }, name, at) => {
    const man = name[0] === "+" ? name[1] : name[0] === "=" ? colour(name[1], mover) : men.get(name);
    return man ? piece(man, at) : null;
  },
  label: ({ men }, name, names) => {
    if (name[0] === "=") return `becomes a ${PIECES[name[1].toUpperCase()].name}`;
    const man = name[0] === "+" ? name[1] : men.get(name);
    if (!man) return `${name}, empty`;
    const side = names[man === man.toUpperCase() ? 0 : 1];
    const text = `${side}'s ${PIECES[man.toUpperCase()].name}`;
    return name[0] === "+" ? `${text}, to be set up` : `${name}, ${text}`;
  },
  // The name of UCI has the squares: `e7e8q`.
  route: (_, { other_name: name = "" }) => {
    const squares = [name.slice(0, 2), name.slice(2, 4)];
    return name.length === 5 ? [...squares, `=${name[4]}`] : squares;
  },
  steps: () => 2,
  takes: () => false,
  // Men fill their squares: the colour says who wins.
  chip: (brief) => brief.replace(/^(win|loss) /, ""),
  isTray: (name) => name[0] === "+",
};

const colour = (letter, mover) => (mover === "w" ? letter.toUpperCase() : letter);

/** Boards of chess. */
export const chess = {
  reads: (text) => read(text) !== null,
  draw: (hooks) => new Routes(kind, hooks),
  keys: routeKeys,
  editor: {
    help: "click a man below the board and then squares, or a man on the board and where it goes",
    removes: true,
    mover: (text) => (read(text).mover === "w" ? 0 : 1),
    turn: (text) => {
      const model = read(text);
      return write({ ...model, mover: model.mover === "w" ? "b" : "w" });
    },
    // A position has both kings.
    clear: (text) => {
      const kings = [...read(text).men].filter(([, man]) => man.toLowerCase() === "k");
      return write({ ...read(text), men: new Map(kings) });
    },
    /** `how` is `remove`, a man such as `+Q` that is put there, or the square that a man goes to. */
    change: (text, square, how) => {
      const model = read(text);
      const man = model.men.get(square);
      if (how === "remove") model.men.delete(square);
      else if (how[0] === "+") {
        if (man === how[1]) model.men.delete(square);
        else model.men.set(square, how[1]);
      } else if (man && how !== square) {
        model.men.delete(square);
        model.men.set(how, man);
      }
      return write(model);
    },
  },
};
