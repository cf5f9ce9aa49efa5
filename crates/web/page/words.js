// Numbers and values in words.

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const count = (number) => number.toLocaleString("en-US");

/** What a position is worth, as the server writes it, with a real minus sign. */
export const worth = (value) => (value ? value.text.replaceAll("-", "−") : "?");

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

/** What the value of a position means. */
export function verdict(at, sides) {
  const mover = capital(at.mover);
  if (at.over && !at.value) return "The game is over.";
  if (!at.value) return `${mover} to move; the value is not known.`;
  const start = at.over ? "The game is over: " : `${mover} to move: `;
  const { distance } = at.value;
  if (distance) {
    const winner = capital(at.value.points > 0 ? at.mover : sides.find((side) => side !== at.mover));
    if (distance.moves === 0) return `${start}${winner} wins.`;
    const moves = distance.moves === 1 ? "1 move" : `${distance.moves} moves`;
    const how = distance.metric === "dtc" ? `, with a conversion in ${moves}` : ` in ${moves}`;
    return `${start}${winner} wins${how} with best play.`;
  }
  if (at.result) {
    const [first, second] = sides.map((side) => at.result[side]);
    const who = first === second ? "a draw" : `${capital(first > second ? sides[0] : sides[1])} wins`;
    const end = `${who}, ${first}–${second}`;
    return at.over ? `${start}${end}.` : `${start}${end} with best play.`;
  }
  if (at.value.exact && at.value.points === 0) return `${start}an even game from here.`;
  return `${start}${worth(at.value)} for ${mover} from here on with best play.`;
}

/** A move in words, for a screen reader. */
export function describe(choice, shown) {
  const parts = [choice.move];
  if (choice.captures > 0) parts.push(`banks ${choice.captures}`);
  if (choice.again) parts.push("moves again");
  if (shown && choice.value) {
    parts.push(`value ${worth(choice.value)}`);
    if (choice.outcome) parts.push(choice.outcome);
    if (choice.best) parts.push("best");
  }
  return parts.join(", ");
}
