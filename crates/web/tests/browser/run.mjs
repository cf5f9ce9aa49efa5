// The explorer in a real browser: node run.mjs PROGRAM [DIRECTORY FOR SCREENSHOTS]

import { axeTests } from "./axe.mjs";
import { clientTests } from "./client.mjs";
import { dobutsuTests } from "./dobutsu.mjs";
import { explorerTests } from "./explorer.mjs";
import { fleetTests } from "./fleet.mjs";
import { becomes, equal, finish, ok, place, run, serve, test } from "./harness.mjs";
import { address, at, moves, played, settled, shot, shows, titled, values } from "./page.mjs";
import { menTests } from "./men.mjs";
import { reviewTests } from "./review.mjs";
import { wordsTests } from "./words.mjs";

const STONES = 10;
const data = place();
run("solve", "awari", "--stones", String(STONES), "--data", data);
run("solve", "kalah", "--up-to", "6", "--data", data);
run("solve", "krk", "--data", data);
run("book", "new", "kalah", "--pits", "3", "--seeds", "2", "--data", data);
run(
  "book",
  "expand",
  "kalah",
  "--pits",
  "3",
  "--seeds",
  "2",
  "--data",
  data,
  "--expansions",
  "12",
  "--depth",
  "2",
);
const base = await serve(data);
const empty = await serve(place());

const ENDING = "0,0,1,0,3,2/2,1,1,0,0,0 S 20-18";
const probe = (position) => JSON.parse(run("probe", "awari", position, "--data", data, "--format", "json"));
const number = (text) => Number(text.replace("−", "-").replace("+", ""));

/** Clicks a move on the board and waits until it is played. */
async function play(page, move) {
  const before = (await moves(page)).length;
  await page.click(`.pit[data-move="${move}"] .hole`);
  await played(page, before);
}

test("opens with values that equal the probe command's", async (page) => {
  for (const position of [ENDING, "1,0,2,0,0,1/0,3,0,1,1,0 N", "0,1,0,0,2,0/1,0,0,4,0,1 S 19-20"]) {
    await page.goto(at(position));
    await page.waitForSelector("[data-choice]");
    const probed = probe(position);
    const { south, north } = await page
      .evaluate(
        async (one) => (await fetch(`/api/v1/games/awari/moves?position=${encodeURIComponent(one)}`)).json(),
        position,
      )
      .then(({ banked }) => banked ?? { south: null, north: null });
    const board = position
      .match(/\d+/g)
      .slice(0, 12)
      .map(Number)
      .reduce((sum, one) => sum + one);
    const sign = / N/.test(position) ? -1 : 1;
    // The margin of South, or what both end up with.
    const expected = probed.moves.map(({ move, value: { points }, best }) => {
      const margin = sign * points;
      const result = `${south + (board + margin) / 2}–${north + (board - margin) / 2}`;
      return [move, south === null ? margin : result, best];
    });
    const read = (text) => (south === null ? number(text) : text);
    const shown = (await values(page)).map(([move, text, best]) => [move, read(text), best]);
    equal([...shown].sort(), [...expected].sort(), position);
    for (const [move, value] of expected) {
      const chip = await page.textContent(`.pit[data-move="${move}"] .chip .score`);
      equal(read(chip), value, `the chip of ${move}`);
    }
  }
});

test("opens without an address of its own at something worth seeing", async (page) => {
  await page.goto("/");
  await page.waitForSelector(".pit.best");
  await becomes(
    async () => (await page.textContent("#note")).includes("beyond the databases"),
    true,
    "the note explains why it is an ending",
  );
  await titled(page, "Awari – Nutcracker");
});

test("plays a line by clicking, captures, goes back and forth", async (page) => {
  await page.goto(at(ENDING));
  await page.waitForSelector(".pit.legal");
  const best = probe(ENDING).moves.find((one) => one.captures > 0);
  await play(page, best.move);
  const totals = await page.$$eval(".store .total", (all) => all.map((one) => Number(one.textContent)));
  equal(totals, [20 + best.captures, 18], "the stores after a capture");
  const reply = (await values(page))[0][0];
  await play(page, reply);
  await becomes(() => moves(page), ["start", best.move, reply], "the line");
  await page.click("#undo");
  await page.click("#undo");
  await becomes(() => page.$eval("#undo", (one) => one.disabled), true, "nothing to take back");
  await page.click("#redo");
  await becomes(
    async () => (await page.$$eval(".line .now", (all) => all.map((one) => one.textContent)))[0],
    best.move,
    "after redo",
  );
  await page.click("#last");
  await page.click('.line [data-ply="0"]');
  await becomes(async () => (await values(page)).length, probe(ENDING).moves.length, "back at the start");
  await page.click("#flip");
  await becomes(
    async () => (await address(page)).searchParams.get("flip"),
    "1",
    "the address knows that the board is turned",
  );
});

test("a link reopens position and line", async (page, context) => {
  await page.goto(at(ENDING));
  await page.waitForSelector(".pit.legal");
  await play(page, (await values(page))[0][0]);
  await play(page, (await values(page))[0][0]);
  await page.click("#undo");
  const [line, verdict, shown] = [await moves(page), await page.textContent("#verdict"), await values(page)];
  const other = await context.newPage();
  await other.goto((await address(page)).href);
  await other.waitForSelector(".line .now");
  await becomes(() => moves(other), line, "the line");
  await becomes(() => other.textContent("#verdict"), verdict, "the verdict");
  await becomes(() => values(other), shown, "the values");
});

test("marks errors and draws the course of the game", async (page) => {
  await page.goto(at(ENDING));
  await page.waitForSelector(".pit.legal");
  const worst = probe(ENDING).moves.at(-1);
  await play(page, worst.move);
  await becomes(async () => (await moves(page))[1].endsWith("?"), true, "the error is marked");
  await page.waitForSelector(".course .slip, .course .grave");
  await page.click('.course [data-ply="0"]');
  await shows(page, ".line .now", "start");
  await page.waitForSelector('.course [data-ply="0"].now');
  // One stop for the Tab key, arrow keys for the rest.
  await becomes(() => page.$$eval(".course [tabindex='0']", (all) => all.length), 1, "stops of the Tab key");
  await page.focus(".course [tabindex='0']");
  await page.keyboard.press("ArrowRight");
  const focused = () => page.evaluate(() => document.activeElement.dataset.ply);
  await becomes(focused, "1", "the next point");
  await becomes(() => page.textContent(".line .now"), "start", "arrow keys only walk");
  await page.keyboard.press("Enter");
  await page.waitForSelector('.line .now[data-ply="1"]');
  await becomes(focused, "1", "the focus stays");
  await page.keyboard.press("Home");
  await becomes(focused, "0", "the first point");
});

test("hides values", async (page) => {
  await page.goto(at(ENDING));
  await page.waitForSelector(".chip");
  await page.click("#values");
  await becomes(
    () => page.$$eval(".chip, .badge, .pit.best, .course", (all) => all.length),
    0,
    "what gives values away",
  );
  await becomes(() => page.textContent("#verdict"), "South to move.", "the verdict");
  // A hint disappears again: start to wait before it appears.
  await Promise.all([page.waitForSelector(".pit.hint"), page.click("#hint")]);
  await page.reload();
  await page.waitForSelector(".pit.legal");
  await becomes(() => page.$$eval(".chip", (all) => all.length), 0, "the choice is kept");
});

test(
  "sets up a position by clicking and by notation",
  async (page) => {
    await page.goto(at("0,0,0,0,0,1/1,0,0,0,0,0 S"));
    await page.waitForSelector(".pit.legal");
    await page.click("#setup");
    await page.click('[data-pit="02"] .hole');
    await page.click('[data-pit="02"] .hole');
    await page.click('[data-pit="10"] .hole', { modifiers: ["Shift"] });
    await page.click('[data-pit="13"] .hole', { button: "left" });
    await becomes(() => page.inputValue("#notation"), "0,0,2,0,0,1/0,0,0,1,0,0 S", "what was clicked");
    await page.click("#mover");
    await page.click("#done");
    await page.waitForSelector('.pit[data-move="d1"]');
    const probed = probe("0,0,2,0,0,1/0,0,0,1,0,0 N");
    equal(number((await values(page))[0][1]), -probed.moves[0].value.points, "its value");
    await page.click("#setup");
    await page.fill("#notation", "nonsense");
    await page.click("#done");
    await page.waitForFunction(() =>
      document.querySelector("#problem").textContent.includes("a position looks like"),
    );
    await page.fill("#notation", ENDING);
    await page.click("#done");
    await page.waitForSelector('.pit[data-move="E3x5"], .pit[data-move^="E3"]');
    await becomes(() => moves(page), ["start"], "a new line");
  },
  { wrongly: true },
);

test("sets up discs on squares by clicking", async (page) => {
  await page.goto("/games/othello");
  await page.waitForSelector(".square.legal");
  await page.click("#setup");
  await page.click('[data-square="c3"]');
  await page.click('[data-square="f6"]');
  await page.click('[data-square="f6"]');
  await page.click('[data-square="d4"]', { button: "right" });
  await becomes(() => page.inputValue("#notation"), "8/8/2x5/3xx3/3xo3/5o2/8/8 x", "what was clicked");
  await shows(page, "#verdict", "Black to move");
  await page.click("#mover");
  await shows(page, "#verdict", "White to move");
  await page.click("#flip");
  await page.click("#done");
  await page.waitForSelector(".square.legal");
  await becomes(
    async () => (await address(page)).searchParams.get("from"),
    "8/8/2x5/3xx3/3xo3/5o2/8/8 o",
    "the position",
  );
  const top = (name) => page.$eval(`[data-square="${name}"] rect`, (one) => Number(one.getAttribute("y")));
  await becomes(async () => (await top("c3")) > (await top("f6")), true, "the board is turned round");
});

test("is played with the keyboard and announces what happens", async (page) => {
  await page.goto(at(ENDING));
  await page.waitForSelector(".pit.legal");
  const first = await page.$(".pit.legal .press");
  await first.focus();
  const label = await first.getAttribute("aria-label");
  ok(/^Pit [A-F], \d+: .*(wins|draw)/.test(label), `the label is complete: ${label}`);
  await page.keyboard.press("Enter");
  await page.waitForSelector('.line [data-ply="1"].now');
  await page.waitForFunction(() => /plays/.test(document.querySelector("#announcer").textContent));
  await page.keyboard.press("Backspace");
  await shows(page, ".line .now", "start");
  await page.keyboard.press("ArrowRight");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Home");
  await page.keyboard.press("e");
  await page.waitForFunction(() =>
    document.querySelector('.line [data-ply="1"].now')?.textContent.startsWith("E"),
  );
  await settled(page);
});

test(
  "animates nothing when the system requests reduced motion",
  async (page) => {
    await page.goto(at(ENDING));
    await page.waitForSelector(".pit.legal");
    await page.evaluate(() => {
      window.travels = 0;
      new MutationObserver((changes) => {
        for (const change of changes)
          for (const node of change.addedNodes) if (node.classList?.contains("travel")) window.travels += 1;
      }).observe(document.querySelector(".pits"), { childList: true, subtree: true });
    });
    await play(page, (await values(page))[0][0]);
    await becomes(() => page.evaluate(() => window.travels), 0, "stones that travelled");
  },
  { reducedMotion: "reduce" },
);

test(
  "loses a game on purpose to the perfect player",
  async (page) => {
    await page.goto(at("0,0,1,0,3,2/2,1,1,0,0,0 S 19-19"));
    await page.waitForSelector(".pit.legal");
    await page.selectOption("#opponent", "north");
    const over = () => page.$eval("#verdict", (one) => /is over/.test(one.textContent));
    for (let turn = 0; turn < 200 && !(await over()); turn += 1) {
      await page.waitForFunction(() => /over|Your move/.test(document.querySelector("#rival").textContent));
      if (await over()) break;
      const position = (await address(page)).searchParams;
      const line = await page.evaluate(async (query) => {
        const parameters = new URLSearchParams({ position: query.from, moves: query.line ?? "" });
        return (await fetch(`/api/v1/games/awari/line?${parameters}`)).json();
      }, Object.fromEntries(position));
      const worst = probe(line.nodes.at(-1).position).moves.at(-1).move;
      const ply = (await moves(page)).length;
      await page.click(`.pit[data-move="${worst}"] .hole`);
      await page.waitForFunction(
        (count) => document.querySelectorAll(".line [data-ply]").length > count,
        ply,
      );
    }
    const verdict = await page.textContent("#verdict");
    ok(/North wins/.test(verdict), `the perfect player wins: ${verdict}`);
  },
  { reducedMotion: "reduce" },
);

test("plays with a weak player above the databases, and searches", async (page) => {
  await page.goto("/games/othello");
  await page.waitForSelector(".square.legal");
  await page.selectOption("#level", "1");
  await page.selectOption("#opponent", "white");
  await page.click('.square[data-move="d3"]');
  await page.waitForFunction(() => document.querySelectorAll(".line [data-ply]").length === 3);
  await page.waitForFunction(() => /Your move/.test(document.querySelector("#rival").textContent));
  await page.click("#undo");
  await becomes(() => moves(page).then((all) => all.length), 3, "the line is kept");
  await becomes(() => page.textContent(".line .now"), "start", "one's own move is taken back");
  await page.click("#values");
  await page.click("#search");
  await page.waitForSelector("#estimate");
  await shot(page, "explorer-othello");
});

test("plays from a book, with draws and variety as chosen", async (page) => {
  const asked = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname.endsWith("/reply")) asked.push(url.searchParams);
  });
  const start = encodeURIComponent("2,2,2/2,2,2 S 0-0");
  await page.goto(`/games/kalah?options=pits=3,seeds=2&from=${start}`);
  await page.waitForSelector(".pit.legal");
  await becomes(() => page.isVisible("#book-style"), false, "without the book there is nothing to choose");
  await page.check("#uses-book");
  await becomes(() => page.isVisible("#book-style"), true, "with it there is");
  await page.selectOption("#book-draws", "win");
  await page.selectOption("#book-public-draws", "loss");
  await page.fill("#book-variety", "0.5");
  const side = await page.$eval("#opponent", (one) => one.options[1].value);
  await page.selectOption("#opponent", side);
  await page.waitForFunction(() => document.querySelectorAll(".line [data-ply]").length > 1);
  equal(asked[0].get("book"), "true", "the book");
  equal(asked[0].get("draws"), "win", "draws");
  equal(asked[0].get("public_draws"), "loss", "public draws");
  equal(asked[0].get("variety"), "0.5", "variety");
  await page.reload();
  await page.waitForSelector(".pit.legal, #verdict");
  await becomes(() => page.isChecked("#uses-book"), true, "the choice stays");
  await becomes(() => page.inputValue("#book-variety"), "0.5", "and so does the variety");
});

test("shows a book", async (page) => {
  await page.goto("/games/kalah/book?options=pits=3,seeds=2");
  await page.waitForSelector("#bookfacts");
  await becomes(async () => (await page.textContent("#bookfacts")).includes("positions"), true, "facts");
  await page.waitForSelector(".branch .branch");
  const leaf = await page.waitForSelector(".drop-outs [data-depth]");
  await leaf.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".line [data-ply]");
  await page.click('.line [data-ply="0"]');
  await page.waitForSelector('.line [data-ply="0"].now');
  await page.waitForSelector("#book [data-book]");
  const first = await page.getAttribute("#book [data-book]", "data-book");
  await page.click("#book [data-book] button");
  await page.waitForFunction(
    (move) => document.querySelector('.line [data-ply="1"].now')?.textContent.startsWith(move),
    first,
  );
  await settled(page);
  await page.click(".around summary");
  await shows(page, ".around", "Reached from");
  await page.waitForSelector(".around .branch .branch");
});

test("a hint comes from the book where there are no databases", async (page) => {
  const start = encodeURIComponent("2,2,2/2,2,2 S 0-0");
  await page.goto(`/games/kalah?options=pits=3,seeds=2&from=${start}`);
  await page.waitForSelector("#book tr.best");
  const best = await page.$$eval("#book tr.best", (all) => all.map((one) => one.dataset.book));
  // What the book says is on the board and in the table of moves, too.
  await page.waitForSelector(".pit.best .chip");
  await becomes(
    async () => (await page.$$eval(".choices tr.best", (all) => all.map((one) => one.dataset.choice))).sort(),
    [...best].sort(),
    "the best moves in the table",
  );
  const [hint] = await Promise.all([page.waitForSelector(".pit.hint"), page.click("#hint")]);
  const hinted = await hint.getAttribute("data-move");
  ok(best.includes(hinted), `${hinted} is one of ${best}`);
});

test("closes an idle book", async (page) => {
  const facts = () => run("book", "stats", "kalah", "--pits", "3", "--seeds", "2", "--data", data);
  await page.goto("/games/kalah/book?options=pits=3,seeds=2");
  await page.waitForSelector(".drop-outs [data-depth]");
  for (let tries = 0; ; tries += 1) {
    try {
      facts();
      break;
    } catch (error) {
      ok(tries < 60 && /another process/.test(error.stderr), String(error.stderr));
    }
    await page.waitForTimeout(500);
  }
});

test("shows no late answer over a newer page", async (page) => {
  let open;
  const gate = new Promise((resolve) => {
    open = resolve;
  });
  let requested;
  const waiting = new Promise((resolve) => {
    requested = resolve;
  });
  await page.route("**/api/v1/games/awari/slices*", async (route) => {
    requested();
    await gate;
    // The page may have stopped waiting for it.
    await route.continue().catch(() => {});
  });
  await page.goto(at(ENDING));
  await page.waitForSelector(".pit.best");
  await page.click("nav [data-page=databases]");
  await waiting;
  await page.click("nav [data-page=games]");
  await titled(page, "Games");
  open();
  await page.evaluate(async () => (await fetch("/api/v1/games/awari/slices")).json());
  await becomes(() => page.textContent("main h1"), "Games", "what is shown");
});

test("switches the game", async (page) => {
  await page.goto(at(ENDING));
  await page.waitForSelector(".pit.legal");
  await page.selectOption("#game", "kalah?");
  await titled(page, "Kalah");
  await page.waitForSelector(".pit.best");
  const move = (await values(page))[0][0];
  await play(page, move);
  await page.goBack();
  await titled(page, "Awari");
  await page.click("nav [data-page=games]");
  await page.waitForSelector(".card h2");
  const names = await page.$$eval(".card h2", (all) => all.map((one) => one.textContent));
  ok(names.includes("Awari") && names.includes("Kalah"), names.join());
  await page.click(".card summary:text('Other rules')");
  await page.fill(".card input[name=pits]", "3");
  await page.click(".card .rules button");
  await page.waitForURL(/options=pits/);
});

test("shows the databases and finds positions in them", async (page) => {
  await page.goto("/games/awari/databases");
  await page.waitForSelector(".histogram [data-score]");
  await becomes(() => page.$$eval("tbody [data-slice]", (all) => all.length), STONES + 1, "databases");
  await page.click(`[data-slice="${STONES}"]`);
  await page.waitForSelector(".extreme");
  await page.selectOption("[name=only]", "winning");
  await page.selectOption("[name=captures]", "none");
  await page.click("#find");
  await page.waitForSelector(".pit.best");
  const probed = probe((await address(page)).searchParams.get("from"));
  const wins = probed.moves.filter((one) => one.value.points > 0);
  equal([wins.length, wins[0]?.captures], [1, 0], "the only winning move captures nothing");
  await page.goBack();
  await page.waitForSelector(".histogram [data-score]");
  await becomes(
    () => page.$$eval(".histogram [tabindex='0']", (all) => all.length),
    1,
    "one stop for the Tab key",
  );
  await page.click('.histogram [data-score="3"]');
  await page.waitForSelector(".pit.best");
  equal(probe((await address(page)).searchParams.get("from")).value.points, 3, "the score that was clicked");
});

test("builds the small set while one watches", async (page) => {
  await page.goto(`${empty}/games/awari?options=pits=3`);
  await page.waitForSelector("#build");
  await becomes(
    async () => (await page.textContent(".build")).includes("No databases of awari yet"),
    true,
    "it is shown",
  );
  await page.click("#build");
  await page.waitForSelector(".pit.best", { timeout: 40000 });
  const probed = await page.evaluate(async () =>
    (await fetch("/api/v1/games/awari/probe?options=pits=3")).json(),
  );
  equal(probed.value.exact, true, "the start has its value");
});

test("a reload shows the build that runs, which can be cancelled", async (page) => {
  // Minutes of work: it does not end by itself.
  await page.goto(`${empty}/games/awari/databases`);
  await page.waitForSelector("#build");
  const start = (up_to) =>
    page.evaluate(
      async (up_to) =>
        (
          await fetch("/api/v1/jobs", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ game: "awari", up_to }),
          })
        ).status,
      up_to,
    );
  equal(await start("17"), 202, "the job is accepted");
  for (const address of ["/games/awari", "/games/awari/databases"]) {
    await page.goto(`${empty}${address}`);
    await page.waitForSelector(".build progress");
    await shows(page, ".build h2", "Building awari: 17 stones");
  }
  await page.focus("#cancel-build");
  await page.waitForTimeout(400);
  await becomes(() => page.evaluate(() => document.activeElement.id), "cancel-build", "the focus stays");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !document.querySelector(".build progress"));
});

test("explains and tries its interface", async (page) => {
  await page.goto("/api");
  await page.waitForSelector(".operation");
  const operation = page.locator(".operation", { hasText: "/api/v1/games/{game}/moves" });
  await operation.locator("input[name=position]").fill(ENDING);
  await operation.locator("button").click();
  await operation.locator("pre", { hasText: "200 OK" }).waitFor();
});

test(
  "explains what is wrong with an address",
  async (page) => {
    await page.goto("/games/chequers");
    await page.waitForSelector("[role=alert]");
    await becomes(
      async () => (await page.textContent("[role=alert]")).includes("chequers"),
      true,
      "which game",
    );
    await page.goto(at("4,4/4,4"));
    await page.waitForFunction(() =>
      document.querySelector("[role=alert]")?.textContent.includes("South has 6 pits"),
    );
  },
  { wrongly: true },
);

for (const [name, options] of [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
]) {
  test(
    `fits the window: ${name}`,
    async (page) => {
      // An error and the best play after it.
      const error = probe(ENDING).moves.at(-1);
      const found = await page.request.get(`/api/v1/games/awari/line?position=${ENDING}&moves=${error.move}`);
      const after = (await found.json()).nodes.at(-1).position;
      const best = await (
        await page.request.get(`/api/v1/games/awari/best-line?position=${after}&plies=9`)
      ).json();
      const line = [error.move, ...best.nodes.map((node) => node.played?.move).filter(Boolean)];
      await page.goto(`${at(ENDING)}&at=0&line=${line.join("+")}`);
      await page.waitForSelector(".pit.best");
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      await becomes(async () => (await wide()) <= 0, true, "nothing is cut off at the side");
      const legal = await page.$(".pit.legal");
      const box = await (await legal.$(".hole")).boundingBox();
      ok(box.width >= 40, `a pit is large enough for a finger: ${box.width}`);
      await shot(page, name === "light" ? "explorer" : `explorer-${name}`);
      await page.goto("/games/awari/databases");
      await page.waitForSelector(".histogram [data-score]");
      await becomes(async () => (await wide()) <= 0, true, "nor on the page of databases");
      await page.click(`[data-slice="${STONES}"]`);
      await page.waitForSelector(".extreme");
      if (name === "light") await shot(page, "explorer-databases");
    },
    options,
  );
}

wordsTests();
clientTests(base, ENDING);
axeTests(ENDING, empty);
await explorerTests();
await reviewTests();
await fleetTests();
await dobutsuTests();
await menTests();
await finish(base);
