// Numbers and values in words.

import { h } from "./dom.js";

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A message of the server as a sentence. */
export const sentence = (text) => capital(text) + (/[.?!]$|^$/.test(text) ? "" : ".");

/** Options that are in force: one that is not set, such as `no-flying=no`, says nothing. */
export const inForce = (rules) =>
  rules
    .split(/, */)
    .filter((option) => !option.endsWith("=no"))
    .map((option) => option.replace(/=yes$/, ""))
    .join(", ");

/** The heading of a page about a game: its name, what the page shows, and the rules it is under. */
export const headingOf = ({ name, title, rules }, what = "") => {
  const options = inForce(rules ?? "");
  return h(
    "h1",
    {},
    capital(title ?? name) + (what && `: ${what}`),
    options && h("span", { class: "rules-line" }, options),
  );
};

export const count = (number) => number.toLocaleString("en-US");

/** What distances of a metric are counted to, where that is not the end of the game. */
const goal = (metric = "") => (metric === "dtc" ? "conversion" : /^dt[zh]/.test(metric) && "zeroing");

/** Whether a distance is the smallest rule of moves under which a position is won. */
const isRule = ({ metric = "", moves = 0 } = {}) =>
  metric === "dtr" || (metric.startsWith("dth") && moves > Number(metric.slice(3)));

/** The moves that a win or loss takes; nothing where that is not counted. */
export const movesOf = ({ distance }) => {
  if (!distance) return undefined;
  const { moves, or_one_more } = distance;
  return or_one_more ? `${moves} or ${moves + 1}` : String(moves);
};

/** The same in a column of numbers. */
export const movesInColumn = (value) => movesOf(value)?.replace(" or ", "–");

/** Whether values of a metric count moves. */
export const isDistance = (metric) => /^dt[wczrh]/.test(metric);

/** What a metric is called in a table. */
export const metricName = (metric) => (metric === "dtw" ? "Moves" : metric.toUpperCase());

/** Games in which winning is to mate. */
const MATING = ["chess", "krk"];

/** The abbreviation of a metric; in chess the end of the game is mate. */
export const metricAbbreviation = (metric, game) =>
  metric === "dtw" && MATING.includes(game) ? "DTM" : metric.toUpperCase();

/** What databases of a metric tell: in a few words, and what that is good for. */
export function metricInWords(metric, game) {
  const end = MATING.includes(game) ? "mate" : "the end of the game";
  const [, rule] = /^dt[zh](\d+)$/.exec(metric) ?? [];
  if (metric === "dtw") return [`moves to ${end}`, `Who wins, and how many moves away ${end} is.`];
  if (metric === "dtc")
    return [
      "moves to a capture or promotion",
      "Who wins, and how soon the next capture or promotion of best play comes. Distances are shorter, " +
        "files smaller.",
    ];
  if (metric === "dtz")
    return [
      "moves to a capture or pawn move",
      "Who wins, and how soon the next capture or pawn move comes: the count that a rule of fifty moves " +
        "goes by, without that rule.",
    ];
  if (metric === "dtr")
    return [
      "the rule that a win needs",
      "The smallest number of moves without a capture or pawn move that must be allowed for a win to be won.",
    ];
  if (metric === "wdl") return ["win, draw or loss", "Who wins, but not how soon: the smallest files."];
  if (rule && metric.startsWith("dtz"))
    return [
      `moves under a rule of ${rule} moves`,
      `As DTZ, but a win counts only if every capture or pawn move comes within ${rule} moves after the ` +
        "one before.",
    ];
  if (rule) return [`DTZ${rule}, else DTR`, `As DTZ${rule} where that is won, else as DTR.`];
  return [metric, ""];
}

/** What a position or move is worth: by the metric that the explorer goes by, else by another one. */
const valueOf = ({ value, metrics = [] }) => value ?? metrics[0]?.value;

const minus = (number) => (number < 0 ? "−" + -number : String(number));

export const signed = (number) => (number > 0 ? "+" + number : minus(number));

/** A mean with its sign and two decimals, so that means of a column can be compared. */
export function signedMean(mean) {
  const text = Math.abs(mean).toFixed(2);
  if (Number(text) === 0) return text;
  return (mean > 0 ? "+" : "−") + text;
}

export function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let amount = bytes / 1024;
  let unit = 0;
  while (amount >= 1000 && unit + 1 < units.length) {
    amount /= 1024;
    unit += 1;
  }
  return `${amount < 100 ? amount.toFixed(1) : amount.toFixed(0)} ${units[unit]}`;
}

/** `15 stones`, or `slice krkn` where a slice's name is not a number of something. */
export const slice = (name, unit) =>
  unit === "slice" || !/^\d+$/.test(name)
    ? `slice ${name}`
    : `${name} ${name === "1" ? unit.replace(/s$/, "") : unit}`;

/** How a game without points ends, by its score. */
const OUTCOMES = new Map([
  [1, "win"],
  [0, "draw"],
  [-1, "loss"],
]);

/** Numbers that are proven or guessed, as text: `~+1.25, 0 to 3`. */
function inexact({ lower, upper, guess }) {
  const parts = [];
  if (guess !== undefined) parts.push("~" + signed(Number(guess.toFixed(2))));
  if (lower !== undefined && upper !== undefined) parts.push(`${minus(lower)} to ${minus(upper)}`);
  else if (lower !== undefined) parts.push(`≥ ${minus(lower)}`);
  else if (upper !== undefined) parts.push(`≤ ${minus(upper)}`);
  return parts.join(", ") || "?";
}

const kindOf = (number) => (number > 0 ? "win" : number < 0 ? "loss" : "draw");

/** Values in the words of a game, whose card says whether its scores are points. */
export function wordsOf({ name, points, sides }) {
  const other = (side) => sides.find((one) => one !== side);
  const first = capital(sides[0]);
  /** What the winner does, where nothing but the end of the game is counted to. */
  const wins = MATING.includes(name) ? "mates" : "wins";

  /** What a position is worth to its mover, as the server writes it, with a real minus sign. */
  const worth = (value) => {
    if (!value) return "?";
    const outcome = !points && value.exact && !value.distance && OUTCOMES.get(value.points);
    return outcome ? value.text.replace(/^[^,]+/, outcome) : value.text.replaceAll("-", "−");
  };

  /**
   * What a value means for the end of the game, always for the first side, whoever moves: `text` and
   * `brief` to be shown, `said` for screen readers, `kind` for the colour, and one `number` for charts.
   * `base` is by how much the first side is ahead where the value is counted from.
   */
  const standing = (one, base = 0) => {
    const { result, mover } = one;
    const value = valueOf(one);
    if (!value) return { text: "?", brief: "?", said: "value unknown", kind: "unknown", number: null };
    const sign = mover === sides[0] ? 1 : -1;
    const made = (text, said, kind, number) => ({
      text,
      brief: text.replace(" in ", " ").split(",")[0],
      said,
      kind,
      number,
    });
    if (result) {
      const [mine, theirs] = sides.map((side) => result[side]);
      return made(`${mine}–${theirs}`, ending(result), kindOf(mine - theirs), mine - theirs);
    }
    const unchecked = value.checked === false ? ", unchecked" : "";
    if (value.exact && !points) {
      const kind = kindOf(sign * value.points);
      const winner = capital(kind === "win" ? sides[0] : sides[1]);
      const far = value.distance ? ` in ${movesOf(value)}` : "";
      const rule = isRule(value.distance);
      const to = goal(value.distance?.metric);
      const how = rule ? ` by a rule of ${movesOf(value)}` : to ? `, ${to}${far}` : far;
      const said = kind === "draw" ? "a draw" : `${winner} ${far && !to && !rule ? wins : "wins"}${how}`;
      return made(kind + how + unchecked, said, kind, Math.sign(sign * value.points));
    }
    const number = base + sign * value.points;
    if (value.exact) {
      const text = signed(number) + unchecked;
      return made(text, `${text} for ${first}`, kindOf(number), number);
    }
    const seen = (one) => (one === undefined ? undefined : base + sign * one);
    const [lower, upper] = [seen(value.lower), seen(value.upper)];
    const bounds = sign > 0 ? { lower, upper } : { lower: upper, upper: lower };
    const kind = bounds.lower > 0 ? "win" : bounds.upper < 0 ? "loss" : "unknown";
    const guess = seen(value.guess);
    const text = inexact({ ...bounds, guess }) + unchecked;
    const brief = guess === undefined ? text : `~${signed(Number(guess.toFixed(1)))}`;
    return { ...made(text, `${text} for ${first}`, kind, number), brief };
  };

  /** Who wins, and with what both end up. */
  const ending = (result) => {
    const [mine, theirs] = sides.map((side) => result[side]);
    if (mine === theirs) return `a draw, ${mine}–${theirs}`;
    const winner = capital(mine > theirs ? sides[0] : sides[1]);
    return `${winner} wins ${Math.max(mine, theirs)}–${Math.min(mine, theirs)}`;
  };

  /** What a margin at the end means. */
  const margin = (number) => (points ? signed(number) : (OUTCOMES.get(number) ?? signed(number)));

  /** What the value of a position means. `base` as above, `line` whether it is from the start of a line. */
  const verdict = (node, base = 0, line = false) => {
    const at = { ...node, value: valueOf(node) };
    const mover = capital(at.mover);
    if (at.over && !at.value) return "The game is over.";
    if (!at.value) return `${mover} to move; the value is not known.`;
    const start = at.repeats
      ? "The position was repeated, so the game is over: "
      : at.over
        ? `The game is over${at.end ? ` by ${at.end}` : ""}: `
        : `${mover} to move: `;
    const end = at.over ? "." : " with best play.";
    const { distance } = at.value;
    const winner = capital(at.value.points > 0 ? at.mover : other(at.mover));
    if (distance) {
      if (at.over || (distance.moves === 0 && !goal(distance.metric))) return `${start}${winner} wins.`;
      const moves = movesOf(at.value) === "1" ? "1 move" : `${movesOf(at.value)} moves`;
      if (isRule(distance)) {
        return `${start}${winner} wins if the rule gives ${moves} without a capture or a pawn's move.`;
      }
      const to = goal(distance.metric);
      if (to && distance.moves === 0) {
        return `${start}${winner} wins; the next move is a ${to === "zeroing" ? "zeroing move" : to}.`;
      }
      const how = to ? `, ${to} or the end in ${moves}` : ` in ${moves}`;
      return `${start}${winner} ${to ? "wins" : wins}${how}${end}`;
    }
    if (at.result) {
      const decided = at.decided ? ` ${capital(at.decided)} already has more than half.` : "";
      return `${start}${ending(at.result)}${end}${decided}`;
    }
    if (!points && at.value.exact) {
      return `${start}${at.value.points === 0 ? "a draw" : `${winner} wins`}${end}`;
    }
    if (at.forced) return `${start}${at.forced}.`;
    const since = line ? " from the start of this line on" : at.over ? "" : " from here on";
    if (!at.value.exact) return `${start}${standing(at, base).text} for ${first}${since}${end}`;
    const { number } = standing(at, base);
    if (number === 0) return `${start}neither side gets more${since}${end}`;
    const [ahead, behind] = (number > 0 ? sides : [...sides].reverse()).map(capital);
    return `${start}${ahead} gets ${Math.abs(number)} more than ${behind}${since}${end}`;
  };

  /** A move in words, for a screen reader. */
  const describe = (choice, shown) => {
    const parts = [choice.move];
    if (choice.captures > 0) parts.push(`banks ${choice.captures}`);
    if (choice.again) parts.push("moves again");
    if (shown && choice.value) {
      parts.push(choice.standing.said);
      if (choice.best) parts.push("best");
    }
    return parts.join(", ");
  };

  return { first, worth, standing, margin, verdict, describe };
}
