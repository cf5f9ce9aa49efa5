// Addresses of pages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { boardUrl, pageUrl, where } from "../../../page/url.js";

const at = (address) => where(new URL(address, "http://localhost"));

test("an address names a page", () => {
  for (const [address, page, game] of [
    ["/", "board", null],
    ["/games", "games", null],
    ["/games/awari", "board", "awari"],
    ["/games/awari/databases?options=pits%3D4", "databases", "awari"],
    ["/games/kalah/book", "book", "kalah"],
    ["/games/awari/practice", "practice", "awari"],
    ["/fleet", "fleet", null],
    ["/games/awari/nothing", "missing", "awari"],
    ["/nothing", "missing", null],
    ["/games/%E0%A4%A", "board", "%E0%A4%A"],
  ]) {
    const found = at(address);
    assert.deepEqual([found.page, found.game], [page, game], address);
  }
});

test("a board's address is read as it was written", () => {
  const state = { from: "0,4/1,0 S 20-13", line: ["A4", "b1+"], at: 1, options: "pits=2", flip: true };
  const { game, query } = at(boardUrl("awari", state));
  assert.equal(game, "awari");
  assert.deepEqual(Object.fromEntries(query), {
    options: "pits=2",
    from: state.from,
    line: "A4 b1+",
    at: "1",
    flip: "1",
  });
  assert.equal(at(pageUrl("book", "kalah", "pits=3,seeds=2")).query.get("options"), "pits=3,seeds=2");
});
