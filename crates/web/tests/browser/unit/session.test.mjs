// The line on the board.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, ahead, banked } from "../../../page/session.js";

const node = (position, more = {}) => ({ position, moves: [], ...more });
const move = (name) => ({ move: name });

test("a line grows, is walked, and is kept beside another", () => {
  const session = new Session([node("start")]);
  session.play(move("A"), node("after A"));
  session.play(move("b"), node("after b"));
  assert.deepEqual([session.moves(), session.at, session.atEnd], [["A", "b"], 2, true]);
  session.go(1);
  assert.deepEqual([session.now.position, session.atEnd, session.moves(1)], ["after A", false, ["A"]]);
  session.play(move("b"), node("after b"));
  assert.deepEqual(session.moves(), ["A", "b"], "the same move again keeps the line");
  session.go(0);
  session.play(move("C"), node("after C"));
  assert.deepEqual([session.moves(), session.now.position], [["C"], "after C"]);
  const [{ ply, moves, end }] = session.branches;
  assert.deepEqual([ply, moves, end.position], [0, ["A", "b"], "after b"]);
  session.go(99);
  assert.equal(session.at, 1);
  session.go(-1);
  assert.equal(session.at, 0);
});

test("a line from a link gets the moves of its positions later, and keeps those played", () => {
  const session = new Session([
    { position: "start", played: move("A") },
    { position: "after A", played: move("b") },
    { position: "after b" },
  ]);
  session.play(move("A"), node("after A", { moves: [move("b")] }));
  assert.deepEqual([session.now.moves, session.now.played], [[move("b")], move("b")]);
  assert.deepEqual(session.moves(), ["A", "b"]);
});

test("lines beside the one that is shown are found again", () => {
  const line = (...names) => [...names, null].map((name, i) => ({ ...node(`ply ${i}`), played: name && move(name) }));
  const session = new Session(line("A", "b", "C"));
  session.take(line("A", "d"));
  session.take(line("A", "b", "E", "f"));
  assert.deepEqual(session.moves(), ["A", "b", "E", "f"]);
  assert.deepEqual(session.lines.map((one) => one.join(" ")), ["A b E f", "A d", "A b C"]);
  assert.ok(session.turnTo(["A", "b", "C"]));
  assert.deepEqual(session.moves(), ["A", "b", "C"]);
  assert.ok(!session.turnTo(["A", "x"]), "there is no such line");
  assert.deepEqual(session.lines.length, 3);
  session.drop(session.branches.find((one) => one.moves[0] === "d"));
  assert.deepEqual(session.branches.map((one) => [one.ply, ...one.moves]), [[2, "E", "f"]]);
});

test("what both have is of the game where that is known, else of the line", () => {
  const sides = ["south", "north"];
  const taken = { south: 2, north: 5 };
  assert.deepEqual(banked({ taken, banked: null }, sides), [2, 5]);
  assert.equal(ahead({ taken, banked: null }, sides), -3);
  assert.equal(ahead({ taken, banked: { south: 20, north: 13 } }, sides), 7);
});
