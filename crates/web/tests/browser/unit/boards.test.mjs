// Which board suits a notation, and how a position is edited.

import assert from "node:assert/strict";
import { test } from "node:test";
import { animals } from "../../../page/animals.js";
import { boardOf } from "../../../page/boards.js";
import { chess } from "../../../page/chess.js";
import { grid } from "../../../page/grid.js";
import { pits } from "../../../page/pits.js";
import { plain } from "../../../page/plain.js";

test("a board for every notation", () => {
  for (const [position, kind] of [
    ["4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", pits],
    ["0,12/1,0", pits],
    ["4,4/4,4,4 S", plain],
    ["8/8/8/3ox3/3xo3/8/8/8 x", grid],
    ["2/1x o", grid],
    ["8/8/8 x", plain],
    ["3/3/4 x", plain],
    ["gle/.c./.C./ELG S -", animals],
    ["8/8/8/8/8/3k4/8/K1R5 w - -", chess],
    ["8/8/8/8/8/3k4/8/K1R5 w", chess],
    ["8/8/8/8/8/3k4/8/K1R6 w - -", plain],
    ["Ke1 Ra1 kb2 b", plain],
    ["", plain],
    ["nonsense", plain],
  ]) {
    assert.equal(boardOf(position), kind, position);
  }
});

test("keys are those of the board", () => {
  assert.deepEqual(pits.keys("4,4,4,4/4,4,4,4 S"), [["a–d", "sow that pit"]]);
  assert.deepEqual([grid.keys(), plain.keys()], [[], []]);
});

test("stones are added and taken away", () => {
  const { change, clear, mover, turn } = pits.editor;
  assert.equal(change("0,1/2,0 S", 0, 1, 1), "0,2/2,0 S");
  assert.equal(change("0,1/2,0 S 3-4", 1, 1, -1), "0,1/2,0 S 3-4", "no pit has less than nothing");
  assert.equal(change("0,1/2,0 N", 1, "store", 1), "0,1/2,0 N 0-1");
  assert.deepEqual([mover("0,1/2,0 N"), mover("0,1/2,0")], [1, 0]);
  assert.equal(turn("0,1/2,0 S 3-4"), "0,1/2,0 N 3-4");
  assert.equal(clear("0,1/2,0 S 3-4"), "0,0/0,0 S 0-0");
});

test("squares go round", () => {
  const { change, clear, mover, turn } = grid.editor;
  assert.equal(change("2/2 x", 0, 1, 1), "1x/2 x");
  assert.equal(change("1x/2 x", 0, 1, 1), "1o/2 x");
  assert.equal(change("1o/2 x", 0, 1, 1), "2/2 x");
  assert.equal(change("2/2 x", 1, 0, -1), "2/o1 x");
  assert.deepEqual([mover("2/2 x"), mover("2/2 o"), turn("2/2 x")], [0, 1, "2/2 o"]);
  assert.equal(clear("xo/1x o"), "2/2 o");
});

test("men change places, sides and ranks", () => {
  const { change, turn } = animals.editor;
  const start = "gle/.c./.C./ELG S -";
  assert.equal(change(start, "b3", "0*C"), "gle/.c./.../ELG S C", "into a hand");
  assert.equal(change("gle/.c./.../ELG S C", "0*C", "a2"), "gle/Cc./.../ELG S -", "and back");
  assert.equal(change(start, "b3", "b3"), "gle/.c./.H./ELG S -", "a chick becomes a hen");
  assert.equal(change(start, "b4", "1*C"), start, "a lion is in no hand");
  assert.equal(turn(start), "gle/.c./.C./ELG G -");
});

test("men of chess are put, moved and taken away, and rights go with them", () => {
  const { change, clear, mover, turn } = chess.editor;
  const castle = "4k3/8/8/8/8/8/8/4K2R w K -";
  assert.equal(change(castle, "a8", "+q"), "q3k3/8/8/8/8/8/8/4K2R w K -");
  assert.equal(change(castle, "h1", "h8"), "4k2R/8/8/8/8/8/8/4K3 w - -");
  assert.equal(change(castle, "h1", "remove"), "4k3/8/8/8/8/8/8/4K3 w - -");
  assert.equal(change(castle, "h1", "+R"), "4k3/8/8/8/8/8/8/4K3 w - -", "the same man once more");
  assert.equal(clear(castle), "4k3/8/8/8/8/8/8/4K3 w - -", "the kings are left");
  assert.deepEqual([mover(castle), turn(castle)], [0, "4k3/8/8/8/8/8/8/4K2R b K -"]);
});
