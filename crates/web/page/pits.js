// Boards of two rows of pits, from notation alone: `4,4,4/4,4,4 S 0-0`.

import { focusedElement, motion, s } from "./dom.js";

const PATTERN = /^(\d+(?:,\d+)*)\/(\d+(?:,\d+)*)(?: ([SN]))?(?: (\d+)-(\d+))?$/;
/** Stones that are drawn one by one. */
const DOZEN = 12;
const PIT = 124;
const RADIUS = 53;
const STONE = 12.5;

/** The board in a notation, or nothing if it is of another kind. */
function readPits(text) {
  const found = PATTERN.exec(text);
  if (!found) return null;
  const numbers = (list) => list.split(",").map(Number);
  const [south, north] = [numbers(found[1]), numbers(found[2])];
  if (south.length !== north.length) return null;
  const banked = found[4] === undefined ? null : [Number(found[4]), Number(found[5])];
  return { rows: [south, north], mover: found[3] === "N" ? 1 : 0, banked };
}

function writePits({ rows, mover, banked }) {
  const side = mover === 1 ? "N" : "S";
  const captured = banked ? ` ${banked[0]}-${banked[1]}` : "";
  return `${rows[0].join(",")}/${rows[1].join(",")} ${side}${captured}`;
}

/** Which pit a move sows, by the letter it begins with. */
function pitOf(move) {
  const code = move.charCodeAt(0);
  if (code >= 65 && code <= 90) return { side: 0, pit: code - 65 };
  if (code >= 97 && code <= 122) return { side: 1, pit: code - 97 };
  return null;
}

const ring = (number, radius, turn) =>
  Array.from({ length: number }, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / number;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });

/** Where the stones of a pit are drawn: in rings, so that they can be counted. */
function places(number, pit) {
  const turn = pit * 0.9 + number * 0.35;
  if (number <= 0) return [];
  if (number === 1) return [[0, 0]];
  if (number <= 5) return ring(number, 8 + 2.8 * number, turn);
  if (number <= 9) return [[0, 0], ...ring(number - 1, 10 + 3 * (number - 1), turn)];
  return [...ring(3, 14.6, turn), ...ring(number - 3, 38, turn + 0.4)];
}

const clamp = (number) => Math.min(number, DOZEN);

/** Draws a board; `act(choice)` plays, `edit(side, pit, change)` changes the number of stones. */
class Pits {
  constructor({ act, edit, words }) {
    this.act = act;
    this.edit = edit;
    this.words = words;
    this.element = s("svg", { class: "pits", role: "group", "aria-label": "Board" });
    this.narrow = matchMedia("(max-width: 640px)");
  }

  /** Where things are. */
  layout(pits) {
    const narrow = this.narrow.matches;
    const side = narrow ? 18 : 118;
    const width = pits * PIT + 2 * side;
    const top = narrow ? 130 : 70;
    const height = narrow ? 500 : 382;
    const row = [top + 54 + PIT + 10, top + 54];
    const centre = (which, pit) => {
      const seen = this.flip ? 1 - which : which;
      const column = seen === 0 ? pit : pits - 1 - pit;
      return [side + PIT * (column + 0.5), row[seen]];
    };
    const store = (which) => {
      const seen = this.flip ? 1 - which : which;
      if (narrow) return { x: width / 2, y: seen === 0 ? height - 32 : 32, w: width - 16, h: 52 };
      return { x: seen === 0 ? width - 60 : 60, y: (row[0] + row[1]) / 2, w: 88, h: 186 };
    };
    const board = { y: top - 18, h: 2 * PIT + 30 };
    const chip = (which) => ((this.flip ? 1 - which : which) === 0 ? board.y + board.h + 25 : board.y - 25);
    return { narrow, width, height, centre, store, board, chip };
  }

  /** Shows a position with its moves. */
  render({ position, choices, shown, flip, banked, final, editing, removing, hint, names }) {
    const model = readPits(position);
    if (!model) return;
    // At the end everything is where it is counted.
    if (final) {
      model.rows = model.rows.map((row) => row.map(() => 0));
      model.banked = final;
    }
    const focused = this.element.contains(document.activeElement) ? focusedElement().dataset.pit : null;
    this.flip = flip;
    this.removing = removing;
    this.model = model;
    const pits = model.rows[0].length;
    const place = this.layout(pits);
    this.place = place;
    this.element.setAttribute("viewBox", `0 0 ${place.width} ${place.height}`);
    const moves = new Map();
    for (const choice of choices) {
      const at = pitOf(choice.move);
      if (at) moves.set(`${at.side}${at.pit}`, choice);
    }
    this.stones = new Map();
    const parts = [defs(), boardShape(place)];
    for (const which of [0, 1]) {
      const moving = model.mover === which;
      parts.push(this.drawStore(which, (model.banked ?? banked)[which], names[which], moving, editing));
    }
    for (const which of [0, 1]) {
      for (let pit = 0; pit < pits; pit += 1) {
        parts.push(this.drawPit(which, pit, moves.get(`${which}${pit}`), { shown, editing, hint }));
      }
    }
    this.element.replaceChildren(...parts);
    if (focused) this.element.querySelector(`[data-pit="${focused}"]`)?.focus();
  }

  /** What a place that can be edited does: a click adds or removes, and so do keys. */
  editing(which, pit) {
    const by = (event) => (event.shiftKey || this.removing ? -1 : 1);
    return {
      onclick: (event) => {
        // A long press on a touch screen is a right click, and after that a click.
        if (performance.now() - (this.pressed ?? -1000) > 700) this.edit(which, pit, by(event));
      },
      oncontextmenu: (event) => {
        event.preventDefault();
        this.pressed = performance.now();
        this.edit(which, pit, -1);
      },
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          this.edit(which, pit, by(event));
        } else if (event.key === "+" || event.key === "-") {
          this.edit(which, pit, event.key === "+" ? 1 : -1);
        } else this.walk(event, which, pit);
      },
    };
  }

  drawStore(which, number, name, moving, editing) {
    const { x, y, w, h } = this.place.store(which);
    const narrow = this.place.narrow;
    const stones = [];
    const columns = narrow ? 24 : 3;
    const gap = narrow ? (w - 200) / columns : 25;
    for (let i = 0; i < Math.min(number, 24); i += 1) {
      const column = i % columns;
      const line = Math.floor(i / columns);
      const [left, top] = narrow
        ? [x - w / 2 + 184 + column * gap, y]
        : [x - 25 + column * gap, y + h / 2 - 24 - line * 20];
      stones.push(stone([left, top], i + which * 7));
    }
    const label = narrow ? [x - w / 2 + 20, y + 9] : [x, y - h / 2 - 17];
    // The label says what is written here.
    const hidden = { "aria-hidden": "true" };
    const total = narrow ? [x - w / 2 + 158, y + 9] : [x, y + h / 2 + 30];
    return s(
      "g",
      {
        class: `store${moving ? " moving" : ""}${narrow ? " lying" : ""}${editing ? " edited" : ""}`,
        ...(editing ? this.editing(which, "store") : {}),
      },
      s(
        "g",
        {
          class: "press",
          "data-pit": `${which}store`,
          role: editing ? "button" : "img",
          tabindex: editing ? 0 : undefined,
          "aria-label": `${name} has banked ${number}${editing ? ", plus to add, minus to remove" : ""}`,
        },
        s("rect", { x: x - w / 2, y: y - h / 2, width: w, height: h, rx: narrow ? 26 : 42 }),
        stones,
      ),
      s(
        "text",
        { ...hidden, x: label[0], y: label[1], class: "name", "text-anchor": narrow ? "start" : "middle" },
        name,
      ),
      s(
        "text",
        { ...hidden, x: total[0], y: total[1], class: "total", "text-anchor": narrow ? "end" : "middle" },
        number,
      ),
    );
  }

  drawPit(which, pit, choice, { shown, editing, hint }) {
    const [x, y] = this.place.centre(which, pit);
    const number = this.model.rows[which][pit];
    const letter = String.fromCharCode((which === 0 ? 65 : 97) + pit);
    const key = `${which}${pit}`;
    const best = shown && choice?.best;
    const classes = ["pit"];
    if (choice && !editing) classes.push("legal");
    if (best) classes.push("best");
    if (choice && hint.has(choice.move)) classes.push("hint");
    if (shown && choice) classes.push(choice.standing.kind);
    const stones = places(clamp(number), pit + 6 * which).map(([dx, dy], i) =>
      stone([x + dx, y + dy], i + pit * 3),
    );
    this.stones.set(key, stones);
    const label =
      choice && !editing
        ? `Pit ${letter}, ${number}: ${this.words.describe(choice, shown)}`
        : `Pit ${letter}, ${number}${editing ? ", plus to add, minus to remove" : ", no move"}`;
    const play = {
      onclick: () => choice && this.act(choice),
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          if (choice) this.act(choice);
        } else this.walk(event, which, pit);
      },
    };
    const group = s(
      "g",
      {
        class: classes.join(" "),
        "data-move": choice?.move,
        ...(editing ? this.editing(which, pit) : play),
      },
      s(
        "g",
        {
          class: "press",
          "data-pit": key,
          role: editing || choice ? "button" : "img",
          // Arrow keys go to every pit, Tab only to those that can be sown.
          tabindex: editing || choice ? 0 : -1,
          "aria-label": label,
        },
        s("circle", { class: "reach", cx: x, cy: y, r: RADIUS + 8 }),
        s("circle", { class: "hole", cx: x, cy: y, r: RADIUS }),
        s("g", { class: "stones" }, stones),
      ),
      number > DOZEN && s("text", { x, y: y + 14, class: "many", "aria-hidden": "true" }, number),
      s(
        "text",
        { x: x + RADIUS * 0.74, y: y + RADIUS * 0.98, class: "number", "aria-hidden": "true" },
        number,
      ),
      s(
        "text",
        { x: x - RADIUS * 0.8, y: y - RADIUS * 0.74, class: "letter", "aria-hidden": "true" },
        letter,
      ),
    );
    if (choice && shown && choice.value) group.append(this.chip(which, x, choice));
    return group;
  }

  chip(which, x, choice) {
    const y = this.place.chip(which);
    const { brief: text, kind } = choice.standing;
    const { narrow } = this.place;
    // Where letters are large there is room for the result alone.
    const more = choice.captures > 0 && !narrow && !choice.book ? `×${choice.captures}` : "";
    // Those of neighbours do not touch.
    const w = (narrow ? 22 + 18 * text.length : 26 + 12.4 * text.length) + (more ? 8 + 10 * more.length : 0);
    return s(
      "g",
      {
        class: `chip ${kind}${choice.best ? " best" : ""}${choice.book ? " book" : ""}`,
        "aria-hidden": "true",
      },
      s("rect", { x: x - w / 2, y: y - 17, width: w, height: 34, rx: 17 }),
      s(
        "text",
        { x, y: y + 8 },
        s("tspan", { class: "score" }, text),
        more && s("tspan", { class: "captures", dx: 6 }, more),
      ),
    );
  }

  /** Lets arrow keys move the focus. */
  walk(event, which, pit) {
    if (!/^Arrow/.test(event.key) || pit === "store") return;
    event.preventDefault();
    event.stopPropagation();
    this.step(which, pit, event.key);
  }

  /** Moves the focus to a neighbour on the screen. */
  step(which, pit, key) {
    const pits = this.model.rows[0].length;
    let next;
    if (key === "ArrowUp" || key === "ArrowDown") next = [1 - which, pits - 1 - pit];
    else {
      const bottom = (this.flip ? 1 - which : which) === 0;
      const right = (key === "ArrowRight") === bottom;
      next = [which, pit + (right ? 1 : -1)];
    }
    this.element.querySelector(`[data-pit="${next[0]}${next[1]}"]`)?.focus();
  }

  /**
   * Shows how stones travel from a position to the one that follows: what pits gain comes from the pit
   * that was emptied, what they lose and what is left of its stones goes to the store of the mover.
   */
  async animate(choice, next) {
    const from = pitOf(choice.move);
    const after = readPits(next);
    if (!motion() || !from || !after || !this.stones) return;
    const pits = this.model.rows[0].length;
    const own = this.stones.get(`${from.side}${from.pit}`) ?? [];
    const number = this.model.rows[from.side][from.pit];
    const pace = Math.max(14, Math.min(75, 520 / Math.max(1, number)));
    const layer = s("g", { class: "travel" });
    this.element.append(layer);
    const origin = this.place.centre(from.side, from.pit);
    const { x, y } = this.place.store(this.model.mover);
    for (const old of own) old.classList.add("gone");
    this.element.querySelector(`[data-pit="${from.side}${from.pit}"] ~ .many`)?.remove();
    const sent = [];
    const send = (end) => {
      const piece = stone(end, sent.length + from.pit * 3);
      layer.append(piece);
      sent.push(travel(piece, origin, end, sent.length * pace, 210));
    };
    const lost = [];
    // Round the board, from the emptied pit on.
    for (let step = 1; step < 2 * pits; step += 1) {
      const place = from.pit + step;
      const side = (from.side + Math.floor(place / pits)) % 2;
      const pit = place % pits;
      const [had, has] = [this.model.rows[side][pit], after.rows[side][pit]];
      const centre = this.place.centre(side, pit);
      const spots = places(clamp(has), pit + 6 * side);
      for (let i = clamp(had); i < clamp(has); i += 1)
        send([centre[0] + spots[i][0], centre[1] + spots[i][1]]);
      if (has < had) lost.push(...(this.stones.get(`${side}${pit}`) ?? []));
    }
    while (sent.length < Math.min(number, own.length)) send([x, y]);
    await Promise.all(sent);
    const taken = lost.map((piece, i) => {
      const start = [Number(piece.getAttribute("data-x")), Number(piece.getAttribute("data-y"))];
      const copy = stone([x, y], 1);
      layer.append(copy);
      piece.classList.add("gone");
      return travel(copy, start, [x, y], i * 18, 260);
    });
    await Promise.all(taken);
    layer.remove();
  }
}

function travel(piece, from, to, delay, duration) {
  const [dx, dy] = [from[0] - to[0], from[1] - to[1]];
  const frames = [
    { transform: `translate(${dx}px, ${dy}px)` },
    { transform: `translate(${dx / 2}px, ${dy / 2 - 26}px)`, offset: 0.5 },
    { transform: "translate(0px, 0px)" },
  ];
  return piece
    .animate(frames, { delay, duration, fill: "both", easing: "ease-in-out" })
    .finished.catch(() => {});
}

function stone([x, y], i) {
  return s(
    "g",
    { class: `stone tint${i % 4}`, "data-x": x.toFixed(1), "data-y": y.toFixed(1) },
    s("circle", { class: "shade", cx: (x + 1.2).toFixed(1), cy: (y + 2).toFixed(1), r: STONE }),
    s("circle", { class: "body", cx: x.toFixed(1), cy: y.toFixed(1), r: STONE }),
    s("ellipse", { class: "gleam", cx: (x - 3).toFixed(1), cy: (y - 4).toFixed(1), rx: 3.6, ry: 2.4 }),
  );
}

function defs() {
  return s(
    "defs",
    {},
    s(
      "linearGradient",
      { id: "wood", x1: 0, y1: 0, x2: 0, y2: 1 },
      s("stop", { offset: 0, class: "wood-light" }),
      s("stop", { offset: 1, class: "wood-dark" }),
    ),
    s(
      "radialGradient",
      { id: "hollow", cx: 0.5, cy: 0.38, r: 0.65 },
      s("stop", { offset: 0, class: "hollow-deep" }),
      s("stop", { offset: 0.75, class: "hollow-mid" }),
      s("stop", { offset: 1, class: "hollow-edge" }),
    ),
  );
}

function boardShape(place) {
  const inset = place.narrow ? 4 : 6;
  const { y, h } = place.board;
  return s("rect", { class: "plank", x: inset, y, width: place.width - 2 * inset, height: h, rx: 46 });
}

/** Boards of pits. */
export const pits = {
  reads: (text) => readPits(text) !== null,
  sows: true,
  draw: (hooks) => new Pits(hooks),
  keys: (text) => {
    const last = String.fromCharCode(96 + readPits(text).rows[0].length);
    return [[`a–${last}`, "sow that pit"]];
  },
  choice: (key, moves) => moves.find((one) => one.move[0].toLowerCase() === key.toLowerCase()),
  editor: {
    help: "click a pit or a store to add a stone; with “Remove”, to take one away",
    removes: true,
    mover: (text) => readPits(text).mover,
    turn: (text) => {
      const model = readPits(text);
      return writePits({ ...model, mover: 1 - model.mover });
    },
    clear: (text) => {
      const model = readPits(text);
      const banked = model.banked && [0, 0];
      return writePits({ ...model, rows: model.rows.map((row) => row.map(() => 0)), banked });
    },
    change: (text, side, pit, by) => {
      const { rows, mover, banked } = readPits(text);
      if (pit !== "store") {
        rows[side][pit] = Math.max(0, rows[side][pit] + by);
        return writePits({ rows, mover, banked });
      }
      const counts = banked ?? [0, 0];
      counts[side] = Math.max(0, counts[side] + by);
      return writePits({ rows, mover, banked: counts });
    },
  },
};
