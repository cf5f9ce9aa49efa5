// What the address of a board names: a position and a line, or something interesting.

import { slice } from "./words.js";

/** A riddle of the largest database: one move alone is best; where there are points, another captures more. */
const riddle = ({ points }) => ({
  min_score: 1,
  only: "best",
  ...(points && { captures: "none", tempting: true }),
  seed: 7,
});

/** The position to begin with, and why it is that one. */
export async function opening(api, card, from) {
  if (from) return { root: from, note: "" };
  if (!card.slices.length || card.slices.includes(card.start_slice)) return { root: card.start, note: "" };
  // The start is not in the databases.
  const found = await api
    .random(riddle(card))
    .catch(() => api.random({ seed: 7 }))
    .catch(() => null);
  if (!found) return { root: card.start, note: "" };
  // Where slices are not numbers of something, their names say little.
  const plain = card.unit === "slice";
  const counts = !plain && /^\d+$/.test(card.start_slice);
  const start = counts ? `, ${slice(card.start_slice, card.unit)},` : "";
  const ending = plain ? "from them" : `with ${slice(card.slices.at(-1), card.unit)}`;
  return {
    root: found.position,
    note: `The start${start} is beyond the databases; this is an ending ${ending}.`,
  };
}
