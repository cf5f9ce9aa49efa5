// What the board says of a game and its end, and how one moves about.

import { becomes, equal, ok, place, run, serve, test } from "./harness.mjs";
import { address, at, excess, moves, played, shot, shows, titled } from "./page.mjs";

/** A South that is ahead: moves that lose points still win. */
const AHEAD = "0,0,1,0,3,2/2,1,1,0,0,0 S 26-12";

const badges = (page, where) =>
  page.$$eval(`${where} .badge`, (all) => all.map((one) => [one.textContent, one.className]));

/** The kind of a result for the first side. */
const kind = (text) => {
  const [first, second] = text.split("–").map(Number);
  return first > second ? "win" : first < second ? "loss" : "draw";
};

export async function explorerTests() {
  test("chips, table, line and graph show the final result, from one side", async (page) => {
    await page.goto(`${at(AHEAD)}`);
    await page.waitForSelector(".pit.best");
    for (let ply = 0; ply < 4; ply += 1) {
      const table = await badges(page, "[data-choice]");
      const chips = await page.$$eval(".pit .chip", (all) =>
        all.map((one) => [one.querySelector(".score").textContent, one.getAttribute("class")]),
      );
      equal(chips.length, table.length, "a chip for every move");
      for (const [text, classes] of [...table, ...chips]) {
        ok(/^\d+(\.5)?–\d+(\.5)?$/.test(text), `a final result: ${text}`);
        ok(classes.includes(kind(text)), `${text} is coloured ${classes}`);
      }
      const best = await page.getAttribute("[data-choice].best", "data-choice");
      await page.click(`.pit[data-move="${best}"] .hole`);
      await played(page, ply + 1);
    }
    const line = await badges(page, ".line");
    equal(new Set(line.map(([text]) => text)).size, 1, `best play keeps the result: ${line.join(" ")}`);
    equal(line[0][1].includes(kind(line[0][0])), true, "its colour");
    await page.waitForSelector('.course [data-ply="4"]');
    const paths = await page.$$eval(".course .line", (all) => all.map((one) => one.getAttribute("d")));
    const heights = paths.flatMap((path) =>
      path
        .slice(1)
        .split("L")
        .map((corner) => corner.split(" ")[1]),
    );
    equal([paths.length, new Set(heights).size], [4, 1], "and so does the chart");
    await shot(page, "explorer-results");
  });

  test("values without captured stones count from the start of the line, for one side", async (page) => {
    await page.goto(at("0,0,1,0,3,2/2,1,1,0,0,0 N"));
    await page.waitForSelector(".pit.best");
    const best = await page.$eval("[data-choice].best .badge", (one) => one.textContent);
    for (let ply = 0; ply < 3; ply += 1) {
      const move = await page.getAttribute("[data-choice].best", "data-choice");
      await page.click(`[data-choice="${move}"] button`);
      await played(page, ply + 1);
    }
    await becomes(
      async () => (await badges(page, ".line")).map(([text]) => text),
      [best, best, best],
      "the margin of South stays through best play",
    );
  });

  test("tells how a game ended", async (page) => {
    await page.goto(at("0,0,0,0,0,0/1,1,0,0,1,0 S"));
    await shows(page, "#verdict", "The game is over: North gets 3 more than South.");
    await page.goto(at("0,0,0,0,0,0/0,1,2,0,1,1 S 10-9", "kalah"));
    await shows(page, "#verdict", "The game is over: North wins 14–10.");
    await becomes(
      () => page.$$eval(".store .total", (all) => all.map((one) => one.textContent)),
      ["10", "14"],
      "the stores have what was left",
    );
    await becomes(() => page.$$eval(".pit .stone", (all) => all.length), 0, "the pits are empty");
    await becomes(
      () => page.getAttribute("#verdict", "data-outcome"),
      "loss",
      "the colour of a loss of South",
    );
    await page.goto(at("0,0,1,0,3,2/2,1,1,0,0,0 S 30-8"));
    await shows(page, "#verdict", "South already has more than half.");
    // The two stones go round until a position repeats.
    await page.goto(at("0,0,0,0,0,1/0,0,0,0,0,1 S 30-16"));
    await page.waitForSelector(".pit.legal");
    for (let ply = 1; await page.$(".pit.legal"); ply += 1) {
      ok(ply < 60, "it ends");
      await page.click("[data-choice] button");
      await played(page, ply);
    }
    await shows(page, "#verdict", "The position was repeated, so the game is over: South wins 31–17.");
  });

  test("a long line is opened with few requests", async (page) => {
    const start = "1,0,2,0,0,1/0,3,0,1,1,0 S 20-18";
    const found = await page.request.get(`/api/v1/games/awari/best-line?position=${start}&plies=100`);
    const line = (await found.json()).nodes.map((node) => node.played?.move).filter(Boolean);
    let requests = 0;
    page.on("request", (request) => {
      if (/\/(moves|line)\?/.test(request.url())) requests += 1;
    });
    await page.goto(`${at(start)}&line=${line.join("+")}`);
    await page.waitForSelector(".line .now");
    await becomes(async () => (await moves(page)).length, line.length + 1, "the line");
    ok(line.length > 5 && requests <= 2, `${requests} requests for ${line.length} moves`);
    await page.click('.line [data-ply="2"]');
    await page.waitForSelector(".line .now[data-ply='2']");
    await page.waitForSelector(".pit.best");
    await page.goto(`${at(start)}&line=${line.slice(0, 2).join("+")}+Z9`);
    await shows(page, "#note", "The line ends here");
  });

  test("shows the best line and plays it", async (page) => {
    await page.goto(at(AHEAD));
    await page.waitForSelector("#best-line [data-best]");
    const best = await page.$$eval("#best-line [data-best]", (all) => all.map((one) => one.textContent));
    await page.click('#best-line [data-best="2"]');
    await played(page, 3);
    await becomes(async () => (await moves(page)).slice(1), best.slice(0, 3), "the line that was clicked");
  });

  test("knows whose turn it is after a move was taken back", async (page) => {
    await page.goto(at(AHEAD));
    await page.waitForSelector(".pit.legal");
    await page.selectOption("#opponent", "south");
    await played(page, 1);
    await page.click("#undo");
    await shows(page, "#rival", "It is the program's turn.");
    await page.click("#let-it");
    await played(page, 1);
    await shows(page, "#rival", "Your move.");
    await page.reload();
    await page.waitForSelector(".pit.legal");
    await becomes(() => page.inputValue("#opponent"), "south", "the opponent stays");
    await becomes(() => page.$$eval(".chip", (all) => all.length), 0, "values are hidden");
    await page.selectOption("#opponent", "");
    await page.waitForSelector(".chip");
  });

  test("back leads to the position before", async (page) => {
    await page.goto(at(AHEAD));
    await page.waitForSelector(".pit.legal");
    const from = async () => (await address(page)).searchParams.get("from");
    const seen = [await from()];
    for (let i = 0; i < 2; i += 1) {
      await page.click("#random");
      await page.waitForFunction(
        (before) => new URL(location.href).searchParams.get("from") !== before,
        seen.at(-1),
      );
      seen.push(await from());
    }
    for (const before of [seen[1], seen[0]]) {
      await page.goBack();
      await page.waitForFunction((one) => new URL(location.href).searchParams.get("from") === one, before);
      await page.waitForSelector(".pit.legal");
    }
    await page.goto("/games/awari/databases");
    await page.waitForSelector("#find");
    await page.fill("[name=score]", "+3");
    await page.selectOption("[name=only]", "winning");
    await page.check("[name=tempting]");
    await page.click("#find");
    await page.waitForSelector(".pit.legal");
    await page.goBack();
    await page.waitForSelector("#find");
    await becomes(
      () => page.$$eval("[name=score], [name=only]", (all) => all.map((one) => one.value)),
      ["+3", "winning"],
      "the conditions",
    );
    await becomes(() => page.isChecked("[name=tempting]"), true, "the last one");
    await page.fill("[name=score]", "much");
    await becomes(
      () => page.$eval("[name=score]", (one) => one.checkValidity()),
      false,
      "a score is a number",
    );
  });

  test("the keyboard keeps its place", async (page) => {
    await page.goto(at(AHEAD));
    await page.waitForSelector(".pit.legal");
    await page.focus("[data-choice] button");
    await page.keyboard.press("Enter");
    await played(page, 1);
    await becomes(
      () => page.evaluate(() => Boolean(document.activeElement.closest("[data-choice]"))),
      true,
      "the table",
    );
    await page.focus('.line [data-ply="0"]');
    await page.keyboard.press("Enter");
    await page.waitForSelector(".line .now[data-ply='0']");
    await becomes(() => page.evaluate(() => document.activeElement.dataset.ply), "0", "the line");
    await page.click("#setup");
    await page.keyboard.press("Escape");
    await page.waitForSelector("#done", { state: "hidden" });
    await becomes(() => page.evaluate(() => document.activeElement.id), "setup", "escape leaves the set-up");
    await page.click("nav [data-page=databases]");
    await titled(page, "Awari");
    await page.waitForFunction(() => document.activeElement.tagName === "H1");
    await shows(page, "#announcer", "Awari");
  });

  test(
    "sets up a position by touch, with what is captured",
    async (page) => {
      await page.goto(at("0,0,4,0,3,2/2,1,1,0,0,2 S 20-13"));
      await page.waitForSelector(".pit.legal");
      await page.tap("#more");
      await page.tap("#setup");
      await becomes(() => page.isDisabled("#random"), true, "what would discard it");
      await page.tap('[data-pit="02"] .hole');
      await becomes(
        () => page.inputValue("#notation"),
        "0,0,5,0,3,2/2,1,1,0,0,2 S 20-13",
        "captured stones stay",
      );
      await shows(page, "#problem", "stones");
      await page.tap("#remove");
      await page.tap('[data-pit="02"] .hole');
      await page.tap('[data-pit="02"] .hole');
      await page.tap('[data-pit="0store"] rect');
      await page.tap("#remove");
      await page.tap('[data-pit="1store"] rect');
      await page.tap('[data-pit="1store"] rect');
      await becomes(() => page.inputValue("#notation"), "0,0,3,0,3,2/2,1,1,0,0,2 S 19-15", "what was tapped");
      await page.waitForFunction(() => document.querySelector("#problem").textContent === "");
      await becomes(() => page.getAttribute("#verdict", "data-outcome"), "", "no colour of another position");
      await page.fill("#notation", "nonsense");
      await shows(page, "#problem", "a position looks like");
      await page.fill("#notation", "0,0,3,0,3,2/2,1,1,0,0,2 S 19-15");
      await page.tap("#done");
      await page.waitForSelector(".pit.legal");
    },
    { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  );

  const data = place();
  run("solve", "kalah", "--pits", "3", "--up-to", "6", "--data", data);
  run("solve", "awari", "--stones", "3", "--data", data);
  run("solve", "othello", "--size", "4", "--up-to", "1", "--data", data);
  run("book", "new", "othello", "--size", "6", "--depth", "0", "--data", data);
  const base = await serve(data);

  test("finds databases and books of other rules", async (page) => {
    await page.goto(`${base}/games`);
    await page.waitForSelector(".holdings");
    await page.click(".holdings a:text('databases up to 6')");
    await shows(page, "h1", "Kalah: databases");
    await shows(page, "h1", "pits=3, seeds=4");
    await page.waitForSelector("[data-slice='6']");
    await titled(page, "Kalah (pits=3)");
    await becomes(() => page.inputValue("#game"), "kalah?pits=3", "the choice of games knows the rules");
    await page.selectOption("#game", "othello?size=6");
    await shows(page, "h1", "Othello: databases");
    await shows(page, "h1", "size=6");
    await page.click("nav [data-page=book]");
    await shows(page, "#bookfacts", "positions");
    await page.click("nav [data-page=board]");
    await shows(page, "h1", "size=6");
    await page.goto(`${base}/games/othello/databases`);
    await shows(page, "#others", "under other rules: size=4");
    await page.click("#others a");
    await shows(page, "h1", "size=4");
    await page.waitForSelector("[data-slice='1']");
  });

  test("engine and book speak for one side, and no column is empty", async (page) => {
    await page.goto(at("4,4,4,4,4,0/5,5,5,5,4,4 N 0-0"));
    await page.waitForSelector(".pit.legal");
    await page.click("#search");
    await shows(page, "#estimate", "for South");
    const small = encodeURIComponent("2,2,2/2,2,2 S 0-0");
    await page.goto(`/games/kalah?options=pits=3,seeds=2&from=${small}`);
    await shows(page, "#book th:nth-child(2)", "For South");
    await page.goto("/games/othello");
    await page.waitForSelector(".square.legal");
    await becomes(
      () => page.$$eval(".choices [data-choice]", (all) => all.length),
      4,
      "moves without values are buttons",
    );
    await shows(page, ".discs", "Black 2");
  });

  test("opens at a position that the databases of other rules know", async (page) => {
    await page.goto(`${base}/games/kalah?options=pits=3`);
    await page.waitForSelector(".pit.best");
    await shows(page, "#note", "beyond the databases");
    await becomes(
      async () => !(await page.textContent("#verdict")).includes("not known"),
      true,
      "its value is known",
    );
  });

  test("a search that waits is told its place", async (page) => {
    const running = new AbortController();
    const url = `${base}/api/v1/games/othello/search?seconds=20`;
    for (let i = 0; i < 2; i += 1) {
      const { body } = await fetch(url, { signal: running.signal });
      await body.getReader().read();
    }
    await page.goto(`${base}/games/othello`);
    await page.waitForSelector(".square.legal");
    await page.click("#search");
    await shows(page, "#queued", "when a running search ends");
    running.abort();
    await page.waitForSelector("#estimate");
    await becomes(() => page.$("#queued"), null, "it runs");
  });

  test("says what keys and buttons there are, and copies a link", async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${base}/games/kalah?options=pits=3&from=${encodeURIComponent("1,0,2/0,1,1 S 0-0")}`);
    await page.waitForSelector(".pit.legal");
    await shows(page, ".keys", "a–c sow that pit");
    await becomes(() => page.$$eval("[role=toolbar]", (all) => all.length), 0, "no toolbar without its keys");
    await page.click("#copy");
    await shows(page, "#note", "The link is copied.");
    await becomes(() => page.getAttribute("#note", "role"), "status", "that is no alarm");
    await becomes(() => page.textContent("#problem"), "", "and no problem");
    await page.goto(`${base}/games/othello`);
    await page.waitForSelector(".square.legal");
    await becomes(async () => !(await page.textContent(".keys")).includes("sow"), true, "nothing is sown");
  });

  test("the tree of a growing book grows", async (page) => {
    const growing = place();
    const book = `${growing}/kalah.book`;
    run("book", "new", "kalah", "--book", book, "--depth", "0", "--data", growing);
    const grower = await serve(growing, "--grow", book, "--depth", "0", "--threads", "1");
    await page.goto(`${grower}/games/kalah/book`);
    await page.waitForSelector(".branch .branch");
    await page.click(".branch .branch summary");
    await page.waitForSelector(".branch .branch .branch");
    const words = () => page.$$eval(".branch summary", (all) => all.map((one) => one.textContent).join("|"));
    const before = await words();
    await page.focus(".branch .branch summary");
    await page.waitForFunction(
      (old) =>
        [...document.querySelectorAll(".branch summary")].map((one) => one.textContent).join("|") !== old,
      before,
    );
    await becomes(() => page.evaluate(() => document.activeElement.tagName), "SUMMARY", "the focus stays");
    await becomes(
      async () => (await page.$(".branch .branch[open]")) !== null,
      true,
      "what is open stays open",
    );
    await becomes(
      () => page.$$eval(".drop-outs [tabindex='0']", (all) => all.length),
      1,
      "one stop for the Tab key",
    );
    // So does the panel beside the board.
    const kalah = encodeURIComponent("4,4,4,4,4,4/4,4,4,4,4,4 S 0-0");
    await page.goto(`${grower}/games/kalah?from=${kalah}`);
    await page.waitForSelector("#book [data-book]");
    const panel = await page.textContent("#book");
    await page.waitForFunction((old) => document.querySelector("#book").textContent !== old, panel);
  });

  test(
    "addresses that lead nowhere are explained",
    async (page) => {
      for (const wrong of ["/nothing", "/games/awari/nopage", "/games/%E0%A4%A"]) {
        await page.goto(wrong);
        await page.waitForSelector("[role=alert]");
        ok(/There is no/.test(await page.textContent("[role=alert]")), wrong);
      }
    },
    { wrongly: true },
  );

  test(
    "fits a window of 320 pixels",
    async (page) => {
      for (const where of [
        at(AHEAD),
        "/games/awari/databases",
        "/games/kalah/book?options=pits=3,seeds=2",
        "/games",
        "/games/awari/practice",
      ]) {
        await page.goto(where);
        await page.waitForSelector("#main h1");
        await becomes(
          async () => (await excess(page)) <= 0,
          true,
          `${where} is ${await excess(page)} pixels too wide`,
        );
      }
    },
    { viewport: { width: 320, height: 640 } },
  );
}
