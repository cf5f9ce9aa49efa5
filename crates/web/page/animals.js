// Boards of dobutsu shogi, from notation alone: `gle/.c./.C./ELG S -`.

import { announce, focusedElement, motion, s } from "./dom.js";
import { ANIMALS, tile } from "./faces.js";
import { nameOf } from "./grid.js";

const PATTERN = /^([.LEGCH]{3}(?:\/[.LEGCH]{3}){3}) ([SG]) (-|[EGC]+)$/i;
const MOVE = /^([LEGCH])(?:\*|([a-c][1-4])[-x])([a-c][1-4])\+?$/;
const FILES = 3;
const RANKS = 4;
const SIDES = "SG";
const IN_HAND = "EGC";

const SQUARE = 100;
const TRAY = 98;
const SLOT = 92;
const GAP = 12;
const EDGE = 24;
const NAME = 30;
const WIDTH = 2 * (TRAY + GAP) + EDGE + FILES * SQUARE;
const HEIGHT = EDGE + RANKS * SQUARE + 6;

/** A man of the notation: its letter, and the number of its side. */
const manOf = (letter) => ({
  letter: letter.toUpperCase(),
  side: letter === letter.toUpperCase() ? 0 : 1,
});

const letterOf = ({ letter, side }) => (side === 0 ? letter : letter.toLowerCase());

/** A man in a hand has a place, too: `0*C` are the chicks of the first side. */
const inHand = (side, letter) => `${side}*${letter}`;
const isHand = (place) => place.includes("*");

/**
 * The men in a notation by their squares, and both hands as letters; nothing if it is of another
 * kind.
 */
function readAnimals(text) {
  const found = PATTERN.exec(text);
  if (!found || !SIDES.includes(found[2])) return null;
  const men = new Map();
  found[1].split("/").forEach((row, rank) =>
    [...row].forEach((letter, file) => {
      if (letter !== ".") men.set(nameOf(rank, file), manOf(letter));
    }),
  );
  const hands = ["", ""];
  for (const { letter, side } of [...found[3]].filter((one) => one !== "-").map(manOf)) hands[side] += letter;
  return { men, hands, mover: SIDES.indexOf(found[2]) };
}

function writeAnimals({ men, hands, mover }) {
  const rows = Array.from({ length: RANKS }, (_, rank) =>
    Array.from({ length: FILES }, (_, file) => {
      const man = men.get(nameOf(rank, file));
      return man ? letterOf(man) : ".";
    }).join(""),
  );
  const sorted = hands.map((hand) =>
    [...IN_HAND].map((one) => one.repeat(hand.split(one).length - 1)).join(""),
  );
  return `${rows.join("/")} ${SIDES[mover]} ${sorted[0] + sorted[1].toLowerCase() || "-"}`;
}

/** Takes a man from its place. */
function take(model, place) {
  if (!isHand(place)) {
    const man = model.men.get(place);
    model.men.delete(place);
    return man;
  }
  const [side, letter] = [Number(place[0]), place[2]];
  model.hands[side] = model.hands[side].replace(letter, "");
  return { letter, side };
}

/** Moves a man to a square or into a hand, as no rule of the game does it. What was there changes places. */
function moved(text, from, to) {
  const model = readAnimals(text);
  const man = take(model, from);
  if (isHand(to)) {
    // A lion is in no hand.
    if (man.letter === "L") return text;
    model.hands[Number(to[0])] += man.letter === "H" ? "C" : man.letter;
    return writeAnimals(model);
  }
  const other = model.men.get(to);
  if (other && isHand(from)) return text;
  if (other) model.men.set(from, other);
  model.men.set(to, man);
  return writeAnimals(model);
}

/** What a man becomes when it is turned: a chick a hen, any other the opponent's, and a hen its chick. */
function turned(text, place) {
  const model = readAnimals(text);
  const { letter, side } = model.men.get(place);
  const hen = { letter: "H", side };
  const other = { letter: letter === "H" ? "C" : letter, side: 1 - side };
  model.men.set(place, letter === "C" ? hen : other);
  return writeAnimals(model);
}

/** From where to where a move goes. */
function pathOf(move, mover) {
  const found = MOVE.exec(move);
  return found && { from: found[2] ?? inHand(mover, found[1]), to: found[3] };
}

/**
 * Draws the board with the hands at its sides. A man is clicked, and then where it goes; `edit(from,
 * to)` moves a man, `edit(place, place)` turns it.
 */
class Animals {
  constructor({ act, edit, words }) {
    this.act = act;
    this.edit = edit;
    this.words = words;
    this.element = s("svg", {
      class: "animals",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "group",
      "aria-label": "Board",
      onkeydown: (event) => this.key(event),
    });
    this.chosen = null;
  }

  render(view) {
    const { position, choices, flip, editing, names } = view;
    const model = readAnimals(position);
    if (!model) return;
    const focused = this.element.contains(document.activeElement) ? focusedElement().dataset.place : null;
    if (this.view?.position !== position || this.view.editing !== editing) this.chosen = null;
    this.view = view;
    this.model = model;
    this.flip = flip;
    this.moves = new Map();
    for (const choice of choices) {
      const path = pathOf(choice.move, model.mover);
      if (!path) continue;
      if (!this.moves.has(path.from)) this.moves.set(path.from, new Map());
      this.moves.get(path.from).set(path.to, choice);
    }
    const parts = [this.drawTray(0, names[0]), this.drawTray(1, names[1])];
    for (let rank = 0; rank < RANKS; rank += 1) {
      const [, y] = this.centre(nameOf(rank, 0));
      parts.push(s("text", { class: "edge", x: TRAY + GAP + EDGE / 2, y: y + 5 }, rank + 1));
      for (let file = 0; file < FILES; file += 1) parts.push(this.drawSquare(rank, file));
    }
    for (let file = 0; file < FILES; file += 1) {
      const [x] = this.centre(nameOf(0, file));
      parts.push(s("text", { class: "edge", x, y: EDGE - 7 }, String.fromCharCode(97 + file)));
    }
    this.element.replaceChildren(...parts);
    if (focused) this.element.querySelector(`[data-place="${focused}"]`)?.focus();
  }

  /** Whether a side is shown at the bottom. */
  below(side) {
    return side === (this.flip ? 1 : 0);
  }

  /** The top left corner of the tray of a side: each has it at the right hand. */
  tray(side) {
    const height = NAME + IN_HAND.length * SLOT;
    return this.below(side) ? [WIDTH - TRAY, HEIGHT - 6 - height, height] : [0, EDGE, height];
  }

  /** The middle of a place. */
  centre(place) {
    if (isHand(place)) {
      const side = Number(place[0]);
      const [x, y] = this.tray(side);
      const slot = IN_HAND.indexOf(place[2]);
      const row = this.below(side) ? slot : IN_HAND.length - 1 - slot;
      return [x + TRAY / 2, y + (this.below(side) ? NAME : 0) + SLOT * (row + 0.5)];
    }
    const [file, rank] = [place.charCodeAt(0) - 97, Number(place[1]) - 1];
    const [right, down] = this.flip ? [FILES - 1 - file, RANKS - 1 - rank] : [file, rank];
    return [TRAY + GAP + EDGE + SQUARE * (right + 0.5), EDGE + SQUARE * (down + 0.5)];
  }

  drawTray(side, name) {
    const [x, y, height] = this.tray(side);
    return s(
      "g",
      { class: `tray${this.model.mover === side ? " moving" : ""}` },
      s("rect", { x: x + 2, y, width: TRAY - 4, height, rx: 12 }),
      s("text", { class: "name", x: x + TRAY / 2, y: this.below(side) ? y + 21 : y + height - 10 }, name),
      [...IN_HAND].map((letter) => this.drawSlot(side, letter, name)),
    );
  }

  drawSlot(side, letter, name) {
    const place = inHand(side, letter);
    const [x, y] = this.centre(place);
    const count = this.model.hands[side].split(letter).length - 1;
    const animal = ANIMALS[letter].name;
    const label = `${name}'s hand: ${count === 0 ? "no" : count} ${animal}${count > 1 ? "s" : ""}`;
    return this.drawPlace(place, label, count > 0, [
      s("rect", {
        class: "ground",
        x: x - TRAY / 2 + 6,
        y: y - SLOT / 2 + 2,
        width: TRAY - 12,
        height: SLOT - 4,
        rx: 8,
      }),
      count > 0 && s("g", { class: "man" }, tile(letter, [x, y], { owner: side, down: !this.below(side) })),
      count > 1 && s("circle", { class: "count", cx: x + 32, cy: y - 30, r: 12 }),
      count > 1 && s("text", { class: "count", x: x + 32, y: y - 24.5 }, count),
    ]);
  }

  drawSquare(rank, file) {
    const place = nameOf(rank, file);
    const [x, y] = this.centre(place);
    const man = this.model.men.get(place);
    const { names } = this.view;
    const label = `${place}, ${man ? `${names[man.side]}'s ${ANIMALS[man.letter].name}` : "empty"}`;
    const home = rank === 0 ? " home1" : rank === RANKS - 1 ? " home0" : "";
    return this.drawPlace(place, label, man !== undefined, [
      s("rect", {
        class: `ground${home}`,
        x: x - SQUARE / 2,
        y: y - SQUARE / 2,
        width: SQUARE,
        height: SQUARE,
      }),
      man &&
        s("g", { class: "man" }, tile(man.letter, [x, y], { owner: man.side, down: !this.below(man.side) })),
    ]);
  }

  /** A place that can be pressed where a man can go or come from. */
  drawPlace(place, label, held, parts) {
    const { shown, hint, editing } = this.view;
    const [x, y] = this.centre(place);
    const own = this.moves.get(place);
    const choice = this.chosen === null ? undefined : this.moves.get(this.chosen)?.get(place);
    // Moves come best first: a man shows its best.
    const first = own?.values().next().value;
    const shows = choice ?? (this.chosen === null ? first : undefined);
    const hinted = [...hint]
      .map((move) => pathOf(move, this.model.mover))
      .some((path) => path?.from === place || path?.to === place);
    const active = editing ? held || this.chosen !== null : Boolean(own || choice);
    const classes = [
      "place",
      active && "active",
      choice && "target",
      place === this.chosen && "chosen",
      shown && shows?.standing.kind,
      ((shown && shows?.best) || hinted) && "best",
    ];
    const number = own && `, ${own.size} ${own.size === 1 ? "move" : "moves"}`;
    const best = own && shown && first.value ? `, ${first.standing.said}` : "";
    const more = choice ? `: ${this.words.describe(choice, shown)}` : own ? number + best : "";
    return s(
      "g",
      {
        class: classes.filter(Boolean).join(" "),
        "data-place": place,
        "data-move": choice?.move,
        role: active ? "button" : "img",
        tabindex: active ? 0 : -1,
        "aria-pressed": active && place === this.chosen ? "true" : undefined,
        "aria-label": label + more,
        onclick: () => this.press(place),
      },
      parts,
      choice &&
        !(shown && choice.value) &&
        s("circle", { class: held ? "spot around" : "spot", cx: x, cy: y, r: held ? 46 : 12 }),
      shown && shows?.value && this.chip([x, y], shows, held),
      s("rect", { class: "ring", x: x - 45, y: y - 45, width: 90, height: 90, rx: 9 }),
    );
  }

  /** What a move is worth, short enough for a square; below the man that is there. */
  chip([x, y], choice, held) {
    const text = choice.standing.brief;
    const w = 18 + 10.5 * text.length;
    const middle = held ? y + 35 : y;
    return s(
      "g",
      { class: `chip ${choice.standing.kind}${choice.best ? " best" : ""}`, "aria-hidden": "true" },
      s("rect", { x: x - w / 2, y: middle - 12.5, width: w, height: 25, rx: 12.5 }),
      s("text", { x, y: middle + 6 }, text),
    );
  }

  /** A man is chosen, goes somewhere, or is put back. */
  press(place) {
    const { editing } = this.view;
    const held = isHand(place) ? this.model.hands[place[0]].includes(place[2]) : this.model.men.has(place);
    const choice = this.chosen === null ? undefined : this.moves.get(this.chosen)?.get(place);
    if (choice) {
      this.act(choice);
      return;
    }
    if (editing && this.chosen !== null) {
      const from = this.chosen;
      this.chosen = null;
      if (from !== place) this.edit(from, place);
      else if (!isHand(place)) this.edit(place, place);
      else this.render(this.view);
      return;
    }
    const can = editing ? held : this.moves.has(place);
    this.choose(can && place !== this.chosen ? place : null);
  }

  choose(place) {
    if (place === this.chosen) return;
    this.chosen = place;
    this.render(this.view);
    if (place === null) return;
    const targets = [...(this.moves.get(place)?.keys() ?? [])];
    announce(
      this.view.editing ? `${place} is taken; where shall it stand?` : `It can go to ${targets.join(", ")}.`,
    );
  }

  key(event) {
    const place = event.target.dataset?.place;
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.press(place);
    else if (event.key === "Escape" && this.chosen !== null) this.choose(null);
    else if (/^Arrow/.test(event.key)) this.step(place, event.key);
    else return;
    event.preventDefault();
  }

  /** Moves the focus to the nearest place in a direction. */
  step(place, key) {
    const [x, y] = this.centre(place);
    const across = key === "ArrowLeft" || key === "ArrowRight";
    const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    let nearest = null;
    let least = Infinity;
    for (const other of this.element.querySelectorAll("[data-place]")) {
      const [ox, oy] = this.centre(other.dataset.place);
      const [along, aside] = across ? [ox - x, oy - y] : [oy - y, ox - x];
      const far = along * sign + 2 * Math.abs(aside);
      if (along * sign > Math.abs(aside) && far < least) [nearest, least] = [other, far];
    }
    nearest?.focus();
  }

  /** Shows how a man goes to its square. */
  async animate(choice) {
    const path = pathOf(choice.move, this.model.mover);
    const man = path && this.element.querySelector(`[data-place="${path.from}"] .man`);
    if (!motion() || !man) return;
    const [[x, y], [tx, ty]] = [this.centre(path.from), this.centre(path.to)];
    const layer = s("g", { class: "travel" }, man.cloneNode(true));
    if (!isHand(path.from)) man.remove();
    this.element.append(layer);
    const frames = [
      { transform: "translate(0px, 0px)" },
      { transform: `translate(${tx - x}px, ${ty - y}px)` },
    ];
    await layer
      .animate(frames, { duration: 260, fill: "both", easing: "ease-in-out" })
      .finished.catch(() => {});
    layer.remove();
  }
}

/** Boards of animals. */
export const animals = {
  reads: (text) => readAnimals(text) !== null,
  draw: (hooks) => new Animals(hooks),
  keys: () => [
    ["Tab", "to a man on the board"],
    ["Enter", "takes it, and puts it down"],
    ["Esc", "puts it back"],
  ],
  editor: {
    help: "click a man, then a square or a hand; click it twice to turn it",
    mover: (text) => readAnimals(text).mover,
    turn: (text) => {
      const model = readAnimals(text);
      return writeAnimals({ ...model, mover: 1 - model.mover });
    },
    clear: (text) => {
      const model = readAnimals(text);
      for (const [place, { letter }] of [...model.men]) {
        if (letter === "L") continue;
        take(model, place);
        model.hands[0] += letter === "H" ? "C" : letter;
      }
      return writeAnimals(model);
    },
    change: (text, from, to) => (from === to ? turned(text, from) : moved(text, from, to)),
  },
};
