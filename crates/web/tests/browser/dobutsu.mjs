// Dobutsu shogi: men that are moved, taken and dropped.

import { becomes, equal, ok, serve, test } from "./harness.mjs";
import { address, at, excess, moves, played, shot, shows } from "./page.mjs";

const START = "gle/.c./.C./ELG S -";
/** A directory with the databases of the whole game, which takes minutes to solve: perfect play is tested
    only where there is one. */
const SOLVED = process.env.DOBUTSU;

const man = (place) => `.place[data-place="${place}"]`;
/** What a place holds, as a screen reader says it, without its moves. */
const held = async (page, place) =>
  (await page.getAttribute(man(place), "aria-label")).replace(/, \d+ moves?.*/, "");
const targets = (page) => page.$$eval(".place.target", (all) => all.map((one) => one.dataset.place).sort());

/** Clicks a man and where it goes, and waits until it is there. */
async function go(page, from, to) {
  const plies = (await moves(page)).length;
  await page.click(man(from));
  await page.click(man(to));
  await played(page, plies);
}

/** The board of a position, whether or not there are databases. */
async function open(page, position = START, game = at(position, "dobutsu")) {
  await page.goto(game);
  await page.waitForSelector(".place.active");
}

export async function dobutsuTests() {
  test("moves, takes and drops men by clicking", async (page) => {
    await open(page);
    await page.click(man("b3"));
    await becomes(() => targets(page), ["b2"], "where the chick can go");
    await page.click(man("a2"));
    await becomes(() => targets(page), [], "a click elsewhere puts it back");
    await page.click(man("b4"));
    await becomes(() => targets(page), ["a3", "c3"], "where the lion can go");
    await go(page, "b3", "b2");
    await becomes(() => held(page, "b2"), "b2, Sente's chick", "it has taken the other chick");
    await becomes(() => held(page, "0*C"), "Sente's hand: 1 chick", "which is in the hand");
    await go(page, "c1", "b2");
    await becomes(() => held(page, "1*C"), "Gote's hand: 1 chick", "the elephant takes it back");
    await page.click(man("0*C"));
    await becomes(
      () => targets(page),
      ["a2", "a3", "b3", "c1", "c2", "c3"],
      "a drop goes to any empty square",
    );
    await page.click(man("a3"));
    await played(page, 3);
    await becomes(() => moves(page), ["start", "Cb3xb2", "Ec1xb2", "C*a3"], "the line");
    equal(
      [await held(page, "a3"), await held(page, "0*C")],
      ["a3, Sente's chick", "Sente's hand: no chick"],
      "the chick is dropped",
    );
    await page.click("#undo");
    equal(
      [await held(page, "a3"), await held(page, "0*C")],
      ["a3, empty", "Sente's hand: 1 chick"],
      "the drop is taken back",
    );
    await page.click("#first");
    await becomes(() => held(page, "c1"), "c1, Gote's elephant", "all is taken back");
  });

  test("a chick becomes a hen, and the taken lion ends the game", async (page) => {
    await open(page, "..l/C.g/e../ELG S c");
    await go(page, "a2", "a1");
    await becomes(() => held(page, "a1"), "a1, Sente's hen", "the hen");
    const faces = await page.$$eval(".tile.hen", (all) => all.length);
    equal([faces, (await moves(page)).at(-1)], [1, "Ca2-a1+"], "it looks like one");
    await open(page, "..l/C.G/e../ELg S c");
    await go(page, "c2", "c1");
    await shows(page, "#verdict", "The game is over: Sente wins.");
  });

  test("is played with men and hands by the keyboard", async (page) => {
    await open(page, "gl./.e./.../ELG S Cc");
    await page.focus(man("b4"));
    await page.keyboard.press("Enter");
    await page.waitForSelector(`${man("b4")}[aria-pressed=true]`);
    await page.waitForFunction(() => /can go to/.test(document.querySelector("#announcer").textContent));
    await page.keyboard.press("Escape");
    await becomes(() => targets(page), [], "the lion is put back");
    // Past the giraffe to the hand, and back to the board.
    for (const key of ["ArrowRight", "ArrowRight", "Enter", "ArrowLeft", "ArrowUp"])
      await page.keyboard.press(key);
    await becomes(() => page.evaluate(() => document.activeElement.dataset.place), "c3", "the focus");
    await page.keyboard.press("Enter");
    await played(page, 1);
    await becomes(() => moves(page), ["start", "C*c3"], "the line");
    await page.keyboard.press("Backspace");
    await shows(page, ".line .now", "start");
  });

  test("sets up men and hands by clicking", async (page) => {
    await open(page);
    await page.click("#setup");
    await page.click(man("b2"));
    await page.click(man("0*E"));
    await page.click(man("b3"));
    await page.click(man("a2"));
    for (const place of ["a2", "a2", "c4", "c4", "c4", "a3"]) await page.click(man(place));
    const set = "gle/H../g../EL. S C";
    await becomes(() => page.inputValue("#notation"), set, "what was clicked");
    await page.click("#mover");
    await page.click("#done");
    // While a position is set up, places are active too.
    await page.waitForSelector("#done", { state: "hidden" });
    await becomes(
      async () => (await address(page)).searchParams.get("from"),
      set.replace("S", "G"),
      "the position",
    );
    await page.click("#setup");
    await page.click("#clear");
    await becomes(() => page.inputValue("#notation"), ".l./.../.../.L. G EEGGCC", "lions stay");
  });

  test(
    "the board with hands fits a phone",
    async (page) => {
      await open(page, "gl./.e./.../ELG S Cc");
      await becomes(async () => (await excess(page)) <= 0, true, "nothing is cut off at the side");
      const box = async (place) => (await page.$(`${man(place)} .ground`)).boundingBox();
      const { width, y, height } = await box("b4");
      ok(width >= 40, `a square is large enough for a finger: ${width}`);
      ok(y + height <= (await page.evaluate(() => innerHeight)), "the whole board is visible");
      await becomes(async () => (await box("b1")).y < y, true, "Sente is below");
      await page.click("#more");
      await page.click("#flip");
      await becomes(async () => (await box("b1")).y > (await box("b4")).y, true, "Gote is below");
      await go(page, "0*C", "c3");
      await becomes(async () => (await moves(page)).at(-1), "C*c3", "a drop on the turned board");
    },
    { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, reducedMotion: "reduce" },
  );

  if (!SOLVED) return;
  const base = await serve(SOLVED);
  test("plays dobutsu shogi perfectly from its databases", async (page) => {
    await open(page, START, `${base}/games/dobutsu`);
    await shows(page, "#verdict", "Sente to move: Gote wins in 39 moves with best play.");
    await page.selectOption("#opponent", "Gote");
    for (let turn = 1; turn <= 6; turn += 1) {
      await page.click("[data-choice] button");
      await page.waitForFunction(
        (plies) => document.querySelectorAll(".line [data-ply]").length === plies,
        2 * turn + 1,
      );
      await page.waitForFunction(() => /Your move|over/.test(document.querySelector("#rival").textContent));
      if (/over/.test(await page.textContent("#rival"))) break;
    }
    await page.click("#values");
    const line = await moves(page);
    equal(
      line.filter((move, ply) => ply > 0 && ply % 2 === 0 && move.endsWith("?")),
      [],
      "errors of the perfect player",
    );
    await shows(page, "#verdict", "Gote wins in");
  });
  test("shows what moves and drops of dobutsu shogi are worth", async (page) => {
    await open(page, "g.e/.l./.../ELG S Cc", `${base}${at("g.e/.l./.../ELG S Cc", "dobutsu")}`);
    await page.waitForSelector(".place .chip");
    await page.click(man("0*C"));
    await page.waitForSelector(".place.target .chip");
    await shot(page, "explorer-dobutsu");
  });
}
