// Checkers, chess and morris: moves that are ways from place to place.

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
  run("solve", "checkers", "--up-to", "3", "--data", data);
  run("solve", "morris", "--men", "3", "--up-to", "all", "--data", data);
  run("solve", "chess", "--up-to", "krk", "--data", data);
  run("solve", "chess", "--up-to", "krk", "--metric", "dtz", "--data", data);
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
    const columns = await page.$$eval(".slices thead th", (all) => all.map((one) => one.textContent));
    equal(columns, ["Slice", "Positions", "Size", "Bits each", "Won, drawn, lost"], "distances have no mean");
    await page.selectOption("[name=result]", "lost");
    await page.click("#find");
    await shows(page, "#verdict", "Black to move: White wins");
    await page.goto(`${base}/games/checkers/practice`);
    await page.waitForSelector("#slice option", { state: "attached" });
    const from = await page.$$eval("#slice option", (all) => all.map((one) => one.textContent));
    ok(from.includes("2 men v 1 king"), from.join("; "));
    await page.goto(`${base}/games`);
    await shows(page, "main", "usual rules: 10 databases");
  });

  test("checkers: a game in PDN is pasted and reviewed", async (page) => {
    await page.goto(`${base}/games/checkers`);
    await shows(page, "#note", "The start is beyond the databases; this is an ending from them.");
    await page.click("#open");
    const tags = '[Black "Ann"]\n[White "Bob"]\n[Result "0-1"]';
    await page.fill("#game-text", `${tags}\n\n1. 11-15 23-18 2. 8-11 27-23 3. 10-14 0-1`);
    await page.click("#open-text");
    await shows(page, "#review .headline", "Black (Ann) against White (Bob): Black won.");
    await shows(page, "#review .accounts", "Black: 0 errors");
    await becomes(() => moves(page).then((all) => all.length), 6, "its moves");
  });

  test("chess: men are clicked and dragged, pawns promoted, positions set up", async (page) => {
    await page.goto(`${base}${at("8/8/8/8/8/3k4/8/K1R5 w - -", "chess")}`);
    await shows(page, "#verdict", "White to move: White mates in 15 moves with best play.");
    await becomes(
      () => page.$$eval(".choices th", (all) => all.slice(0, 3).map((one) => one.textContent)),
      ["Move", "For White", "DTZ"],
      "a column for each metric",
    );
    await page.click(spot("a1"));
    await becomes(() => targets(page).then((all) => all.sort()), ["a2", "b1", "b2"], "where the king can go");
    await shot(page, "chess");
    await go(page, "b1");
    await becomes(() => moves(page), ["start", "Kb1"], "by clicking");
    const [from, to] = await Promise.all(
      ["d3", "d2"].map((name) => page.locator(spot(name)).first().boundingBox()),
    );
    const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
    await page.mouse.move(...middle(from));
    await page.mouse.down();
    await page.mouse.move(...middle(to), { steps: 4 });
    await becomes(() => targets(page).then((all) => all.includes("d2")), true, "dots while it is dragged");
    await page.mouse.up();
    await becomes(() => moves(page), ["start", "Kb1", "Kd2"], "by dragging");
    await page.goto(`${base}${at("8/P7/8/8/8/2k5/8/K7 w - -", "chess")}`);
    await page.click(spot("a7"));
    await page.click(spot("a8"));
    await becomes(() => targets(page).then((all) => all.length), 4, "what the pawn becomes");
    await go(page, "=r");
    await becomes(() => moves(page), ["start", "a8=R"], "a rook");
    await becomes(() => held(page, "a8"), "a8, White's rook", "it is there");
    await page.click("#setup");
    await page.click(spot("+q"));
    await page.click(spot("h1"));
    await becomes(() => held(page, "h1"), "h1, Black's queen", "a man is put there");
    await shows(page, "#problem", "The side that is not to move is in check.");
    await page.click("#mover");
    await page.click("#done");
    await becomes(
      async () => (await address(page)).searchParams.get("from"),
      "R7/8/8/8/8/2k5/8/K6q w - -",
      "set up",
    );
  });

  test("chess: KRK and KPK are built from the page, with their longest wins", async (page) => {
    const base = await serve(place());
    await page.goto(`${base}/games/chess/databases`);
    await page.fill('[name="upto"]', "kpk");
    await page.press('[name="upto"]', "Enter");
    equal(await page.inputValue("#metric"), "dtw", "moves to mate, where nothing else is chosen");
    await page.click("#build");
    await page.waitForSelector(".slices");
    const names = () => page.$$eval(".slices tbody th", (all) => all.map((one) => one.textContent));
    await becomes(() => names().then((all) => all.includes("krk") && all.includes("kpk")), true, "both");
    await page.click('[data-slice="krk"] button');
    await shows(page, "#longest-wins", "White mates in 16");
    await shot(page, "chess-databases");
    await page.click("#longest-wins a");
    await shows(page, "#verdict", "White mates in 16 moves");
    await becomes(() => moves(page).then((all) => all.length), 32, "with its line");
    // The same by another metric is on the board at once.
    await page.goto(`${base}/games/chess/databases`);
    await page.fill('[name="upto"]', "krk");
    await page.press('[name="upto"]', "Enter");
    await page.getByLabel("Databases tell").selectOption("dtz50");
    await shows(page, "#metric-about", "within 50 moves");
    await shot(page, "chess-build");
    await page.click("#build");
    await shows(page, "#metrics", "DTZ50 (kk, krk)");
    await page.goto(`${base}${at("8/8/8/8/8/3k4/8/K1R5 w - -", "chess")}`);
    await shows(page, ".choices thead", "DTZ50");
    await becomes(
      () => page.$eval(".choices .best td:last-child", (one) => one.textContent),
      "15",
      "the distance of the best move",
    );
  });

  test("chess: how often a level errs, and how well both sides have played", async (page) => {
    const [begin, line] = ["8/8/8/8/8/3k4/8/K1R5 w - -", "Kb2 Kd4 Kb3 Kd3 Ka4 Kd4 Rc6 Ke4"];
    await page.goto(`${base}${at(begin, "chess")}&line=${encodeURIComponent(line)}&at=0`);
    await page.selectOption("#level", "3");
    equal(await page.textContent("#error-rates"), "", "nobody plays");
    await page.selectOption("#opponent", "Black");
    await shows(page, "#error-rates", "the best");
    const said = await page.textContent("#error-rates");
    const told = run("play", "chess", "--level", "3", "--position", begin, "--side", "White", "--data", data);
    ok(told.includes(said), `${said} or ${told}`);
    await page.selectOption("#level", "perfect");
    await becomes(() => page.textContent("#error-rates"), "", "the perfect player does not err");
    await page.selectOption("#opponent", "");
    await page.click("#review-line");
    await shows(page, "#apparent", "White: apparent competence");
    await shows(page, "#apparent", "nearest to level");
    await page.$eval(".under", (one) => one.scrollIntoView({ block: "end" }));
    await shot(page, "chess-review");
  });

  test("morris: values cover no name of a point", async (page) => {
    await page.goto(`${base}${at("W:Wa1,b3,c2:Ba2,b2,c3", "morris")}&options=men%3D3`);
    await page.waitForSelector(".chip");
    const boxes = (selector) =>
      page.$$eval(selector, (all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    const [names, covers] = [await boxes(".number"), await boxes(".chip, .man, .best .ring")];
    equal(names.length, 9, "points");
    ok(covers.length > 6, "stones and values");
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    equal(names.filter((name) => covers.some((one) => meet(name, one))).length, 0, "covered");
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
    await shows(page, ".hand.moving", "White: take a stone");
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
