// Numbers and values in words.

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const count = (number) => number.toLocaleString("en-US");

const minus = (number) => (number < 0 ? "−" + -number : String(number));

export const signed = (number) => (number > 0 ? "+" + number : minus(number));

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

/** Values in the words of a game, whose card says whether its scores are points. */
export function wordsOf({ points, sides }) {
  const other = (side) => sides.find((one) => one !== side);

  /** What a position is worth, as the server writes it, with a real minus sign. */
  const worth = (value) => {
    if (!value) return "?";
    const outcome = !points && value.exact && !value.distance && OUTCOMES.get(value.points);
    return outcome ? value.text.replace(/^[^,]+/, outcome) : value.text.replaceAll("-", "−");
  };

  /** The same where there is little room: `win 13` for `win in 13`. */
  const brief = (value) => worth(value).replace(" in ", " ").split(",")[0];

  /** What a margin at the end means. */
  const margin = (number) => (points ? signed(number) : (OUTCOMES.get(number) ?? signed(number)));

  /** What the value of a position means. */
  const verdict = (at) => {
    const mover = capital(at.mover);
    if (at.repeats) {
      const end = points ? "the game ends, and what is left is divided" : "the game is a draw";
      return `This position was there before: ${end}.`;
    }
    if (at.over && !at.value) return "The game is over.";
    if (!at.value) return `${mover} to move; the value is not known.`;
    const start = at.over ? "The game is over: " : `${mover} to move: `;
    const end = at.over ? "." : " with best play.";
    const { distance } = at.value;
    const winner = capital(at.value.points > 0 ? at.mover : other(at.mover));
    if (distance) {
      if (distance.moves === 0) return `${start}${winner} wins.`;
      const moves = distance.moves === 1 ? "1 move" : `${distance.moves} moves`;
      const how = distance.metric === "dtc" ? `, with a conversion in ${moves}` : ` in ${moves}`;
      return `${start}${winner} wins${how}${end}`;
    }
    if (at.result) {
      const [first, second] = sides.map((side) => at.result[side]);
      const who = first === second ? "a draw" : `${capital(first > second ? sides[0] : sides[1])} wins`;
      return `${start}${who}, ${first}–${second}${end}`;
    }
    if (!points && at.value.exact) {
      return `${start}${at.value.points === 0 ? "a draw" : `${winner} wins`}${end}`;
    }
    if (at.value.exact && at.value.points === 0) return `${start}an even game from here.`;
    return `${start}${worth(at.value)} for ${mover} from here on with best play.`;
  };

  /** A move in words, for a screen reader. */
  const describe = (choice, shown) => {
    const parts = [choice.move];
    if (choice.captures > 0) parts.push(`banks ${choice.captures}`);
    if (choice.again) parts.push("moves again");
    if (shown && choice.value) {
      parts.push(`value ${worth(choice.value)}`);
      if (choice.outcome) parts.push(choice.outcome);
      if (choice.best) parts.push("best");
    }
    return parts.join(", ");
  };

  return { worth, brief, margin, verdict, describe };
}
