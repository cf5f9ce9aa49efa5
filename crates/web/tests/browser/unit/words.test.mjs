// Numbers and values in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { capital, count, metricInWords, signed, signedMean, size, slice, wordsOf } from "../../../page/words.js";

const points = wordsOf({ points: true, sides: ["south", "north"] });
const outcomes = wordsOf({ points: false, sides: ["white", "black"] });
const exact = (number) => ({ points: number, exact: true, lower: number, upper: number, text: String(number) });

test("means have two decimals", () => {
  assert.deepEqual([0.6, -0.3, 1.123, 0, -0.001].map(signedMean), ["+0.60", "−0.30", "+1.12", "0.00", "0.00"]);
});

test("numbers", () => {
  assert.deepEqual([3, 0, -2].map(signed), ["+3", "0", "−2"]);
  assert.equal(count(1234567), "1,234,567");
  assert.deepEqual([17, 2048, 300 * 1024, 5 * 1024 ** 3].map(size), ["17 B", "2.0 KiB", "300 KiB", "5.0 GiB"]);
  assert.equal(capital("south"), "South");
});

test("slices", () => {
  assert.equal(slice("15", "stones"), "15 stones");
  assert.equal(slice("1", "stones"), "1 stone");
  assert.equal(slice("krkn", "slice"), "slice krkn");
  assert.equal(slice("3-2", "men"), "slice 3-2");
});

test("every metric is explained, each in other words", () => {
  const all = ["dtw", "dtc", "dtz", "dtz50", "dth50", "dtr", "wdl"].map((one) => metricInWords(one, "chess"));
  for (const place of [0, 1]) assert.equal(new Set(all.map((words) => words[place])).size, all.length);
  assert.equal(metricInWords("dtw", "chess")[0], "moves to mate");
  assert.equal(metricInWords("dtw", "checkers")[0], "moves to the end of the game");
  assert.equal(metricInWords("dtz30", "chess")[0], "moves under a rule of 30 moves");
});

test("what only another metric tells stands for a value", () => {
  const value = { ...exact(1), distance: { metric: "dtz", moves: 4 } };
  const found = outcomes.standing({ value: null, metrics: [{ metric: "dtz", value }], mover: "white" });
  assert.equal(found.text, "win, zeroing in 4");
});

test("distances to a zeroing move and smallest rules are told as what they are", () => {
  const at = (metric, moves, more) => {
    const value = { ...exact(1), distance: { metric, moves, ...more } };
    return { value, mover: "white", result: null };
  };
  const text = (...one) => outcomes.standing(at(...one)).text;
  assert.equal(text("dtr", 3), "win by a rule of 3");
  assert.equal(text("dtr", 3, { or_one_more: true }), "win by a rule of 3 or 4");
  assert.equal(text("dth5", 5), "win, zeroing in 5");
  assert.equal(text("dth5", 6), "win by a rule of 6");
  const said = (...one) => outcomes.verdict(at(...one));
  assert.match(said("dtr", 3), /wins if the rule gives 3 moves without a capture or a pawn's move\.$/);
  assert.match(said("dtz", 16), /wins, zeroing or the end in 16 moves with best play\.$/);
  assert.match(said("dtc", 0), /wins; the next move is a conversion\.$/);
});

test("a standing is the first side's, whoever moves", () => {
  const { standing } = points;
  assert.deepEqual(
    [standing({ value: exact(3), mover: "south" }), standing({ value: exact(3), mover: "north" })].map((one) => [
      one.text,
      one.kind,
      one.number,
    ]),
    [
      ["+3", "win", 3],
      ["−3", "loss", -3],
    ],
  );
  assert.equal(standing({ value: exact(3), mover: "north" }, 5).text, "+2", "counted from the start of the line");
  const result = { south: 29, north: 19 };
  assert.equal(standing({ value: exact(-3), result, mover: "north" }).text, "29–19");
  assert.deepEqual(standing({ value: null, mover: "south" }).kind, "unknown");
});

test("bounds change places with the side", () => {
  const value = { points: 2, exact: false, lower: 2, text: "≥ 2" };
  assert.equal(points.standing({ value, mover: "south" }).text, "≥ 2");
  assert.equal(points.standing({ value, mover: "north" }).text, "≤ −2");
  const guess = { points: 1.25, exact: false, guess: 1.25, lower: 0, upper: 3, text: "" };
  assert.equal(points.standing({ value: guess, mover: "north" }).text, "~−1.25, −3 to 0");
});

test("outcomes and distances", () => {
  const value = { ...exact(1), distance: { moves: 8, metric: "dtw" }, text: "win in 8" };
  assert.equal(outcomes.standing({ value, mover: "white" }).text, "win in 8");
  assert.equal(outcomes.standing({ value, mover: "black" }).said, "Black wins in 8");
  assert.equal(outcomes.standing({ value: exact(0), mover: "black" }).text, "draw");
  assert.equal(outcomes.verdict({ mover: "white", value }), "White to move: White wins in 8 moves with best play.");
  assert.deepEqual([1, 0, -1].map(outcomes.margin), ["win", "draw", "loss"]);
});

test("verdicts", () => {
  const at = { mover: "north", value: exact(2), over: false };
  assert.equal(points.verdict(at), "North to move: North gets 2 more than South from here on with best play.");
  const result = { south: 31, north: 17 };
  assert.equal(points.verdict({ ...at, result, over: true }), "The game is over: South wins 31–17.");
  const mate = points.verdict({ ...at, result, over: true, end: "checkmate" });
  assert.equal(mate, "The game is over by checkmate: South wins 31–17.");
  assert.equal(
    points.verdict({ ...at, result, decided: "south" }),
    "North to move: South wins 31–17 with best play. South already has more than half.",
  );
  assert.match(points.verdict({ ...at, result, over: true, repeats: true }), /^The position was repeated/);
  assert.equal(points.verdict({ mover: "south", value: null }), "South to move; the value is not known.");
});

test("moves for a screen reader", () => {
  const choice = { move: "E3x5", captures: 5, again: true, value: exact(1), best: true, standing: { said: "a win" } };
  assert.equal(points.describe(choice, true), "E3x5, banks 5, moves again, a win, best");
  assert.equal(points.describe(choice, false), "E3x5, banks 5, moves again");
});
