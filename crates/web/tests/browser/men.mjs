// Checkers and morris: moves that are ways from place to place.

import { becomes, equal, ok, place, run, serve, test } from "./harness.mjs";
import { address, at, moves, played, shot, shows } from "./page.mjs";

const spot = (name) => `.place[data-place="${name}"]`;
/** What a place holds, as a screen reader says it, without its moves. */
const held = async (page, name) =>
  (await page.getAttribute(spot(name), "aria-label")).replace(/(, \d+ moves?|:).*/, "");
const active = (page) => page.$$eval(".place.active", (all) => all.map((one) => one.dataset.place));
const targets = (page) => page.$$eval(".place.target", (all) => all.map((one) => one.dataset.place));

/** Clicks the places of a move, and waits until it is played. */
async function go(page, ...places) {
  const plies = (await moves(page)).length;
  for (const name of places) await page.click(spot(name));
  await played(page, plies);
}

export async function menTests() {
  const data = place();
  run("solve", "checkers", "--up-to", "2", "--data", data);
  const base = await serve(data);

  test("checkers: men move, must capture, jump on and become kings by clicking", async (page) => {
    await page.goto(at("B:W15,23,30:B10,12", "checkers"));
    await page.waitForSelector(".place.active");
    equal(await active(page), ["10"], "the man that must capture is the only one that moves");
    equal(await page.$$eval(".place.forced", (all) => all.length), 1, "and it is marked");
    await page.click(spot("10"));
    await becomes(() => targets(page), ["26"], "it jumps twice");
    await go(page, "26");
    await becomes(() => held(page, "26"), "26, Black's man", "it is there");
    equal([await held(page, "15"), await held(page, "23")], ["15, empty", "23, empty"], "both are taken");
    await becomes(() => moves(page), ["start", "10x26"], "the line");
    await page.goto(at("B:W5,K32:B27", "checkers"));
    await go(page, "27", "31");
    await becomes(() => held(page, "31"), "31, Black's king", "a king");
    await shot(page, "checkers");
    await page.click("#setup");
    await page.click(spot("18"));
    await becomes(() => held(page, "18"), "18, Black's man", "a man is put there");
    await page.click("#mover");
    await page.click("#done");
    await becomes(async () => (await address(page)).searchParams.get("from"), "B:W5,K32:B18,K31", "set up");
  });

  test("checkers: slices are shown in words", async (page) => {
    await page.goto(`${base}/games/checkers/databases`);
    await page.waitForSelector(".slices tbody tr");
    const names = await page.$$eval(".slices tbody th", (all) => all.map((one) => one.textContent));
    ok(names.includes("1 king v 1 man"), names.join("; "));
  });

  test("morris: stones are placed, moved and taken after a mill by clicking", async (page) => {
    await page.goto(at("W:W:B:H9,9", "morris"));
    await page.waitForSelector(".place.active");
    equal((await active(page)).length, 24, "any point");
    await go(page, "d6");
    await becomes(() => held(page, "d6"), "d6, White's stone", "the stone");
    await page.goto(at("W:Wa7,d7,g4,b2:Ba1,d1,g1,e4", "morris"));
    await page.waitForSelector("line.mill", { state: "attached" });
    equal(await page.$$eval("line.mill", (all) => all.length), 1, "Black's mill is marked");
    await page.click(spot("g4"));
    await becomes(() => targets(page).then((all) => all.sort()), ["f4", "g7"], "where it can go");
    await page.click(spot("g7"));
    await becomes(() => targets(page), ["e4"], "a stone outside the mill is to be taken");
    await shot(page, "morris");
    await go(page, "e4");
    await becomes(() => held(page, "e4"), "e4, empty", "it is taken");
    await becomes(() => moves(page), ["start", "g4-g7xe4"], "the line");
    await shows(page, ".hand.moving", "Black");
    await page.click("#setup");
    await page.click(spot("f6"));
    await page.click(spot("f6"));
    await becomes(() => held(page, "f6"), "f6, Black's stone", "a stone is put there");
    await page.click("#done");
    await becomes(
      async () => (await address(page)).searchParams.get("from"),
      "B:Wa7,b2,d7,g7:Ba1,d1,f6,g1",
      "set up",
    );
    await page.goto(at("W:W:B:H6,6", "morris") + "&options=men%3D6");
    await page.waitForSelector(".place.active");
    equal((await active(page)).length, 16, "two rings");
  });
}
