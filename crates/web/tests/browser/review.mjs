// Games that are opened and reviewed, puzzles, seeds, and a game that a file describes.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { becomes, equal, ok, place, run, serve, test } from "./harness.mjs";
import { address, at, moves, played, shot, shows, titled } from "./page.mjs";

const POSITION = "0,0,1,0,3,2/2,1,1,0,0,0 S 20-18";

/** A game in which both sides play what comes last, some moves long. */
async function badGame(page, plies) {
  const line = [];
  for (let ply = 0; ply < plies; ply += 1) {
    const query = new URLSearchParams({ position: POSITION, moves: line.join(" ") });
    const found = await (await page.request.get(`/api/v1/games/awari/moves?${query}`)).json();
    if (!found.moves.length) break;
    line.push(found.moves.at(-1).move);
  }
  return line;
}

export async function reviewTests() {
  test("a game that is pasted is reviewed, and what was better is played out", async (page) => {
    const line = await badGame(page, 8);
    await page.goto("/games/kalah");
    await page.waitForSelector(".pit.legal");
    await page.click("#open");
    await page.click("#open-text");
    await shows(page, "#open-game [role=alert]", "Paste a game first");
    const record = `[Game "awari"]\n[First "Ann"]\n[Second "Bob"]\n[Position "${POSITION}"]\n\n${line.join(" ")} *`;
    await page.fill("#game-text", record);
    await page.click("#open-text");
    await shows(page, "#review .headline", "South (Ann) against North (Bob)");
    await titled(page, "Awari");
    await becomes(async () => (await moves(page)).length, line.length + 1, "its moves");
    await page.waitForSelector(".course .slip, .course .grave");
    await page.$eval(".under", (one) => one.scrollIntoView({ block: "end" }));
    await shot(page, "explorer-review");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-picture")]);
    ok(readFileSync(await download.path(), "utf8").startsWith("<svg "), "a picture");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-record")]);
    const text = readFileSync(await saved.path(), "utf8");
    ok(text.includes('[First "Ann"]') && text.includes("loses"), text);
    // What was better than the first error, in place of it.
    const ply = Number(await page.getAttribute("[data-better]", "data-better"));
    await page.click("[data-better]");
    await played(page, ply);
    await becomes(async () => (await moves(page)).length, ply + 1, "the line ends with it");
    await shows(page, ".others li", "Game");
    await page.reload();
    await shows(page, ".others", "Other lines");
    await becomes(async () => (await moves(page)).length, ply + 1, "and both lines stay");
    await page.click(".others [data-other]");
    await played(page, ply);
    await becomes(async () => (await moves(page)).length, line.length + 1, "the game again");
    await becomes(
      async () => (await address(page)).searchParams.get("line").split(" ").length,
      line.length,
      "in the address, too",
    );
  });

  test("a game that is dropped is opened as far as it is legal", async (page) => {
    const [first] = await badGame(page, 1);
    await page.goto(at(POSITION));
    await page.waitForSelector(".pit.legal");
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    }, `[Position "${POSITION}"]\n\n${first} Z9`);
    await shows(page, "#open-game [role=alert]", "Move 2");
    await page.click("#open-game .found button");
    await page.waitForSelector('.line [data-ply="1"]');
    await becomes(async () => (await moves(page)).length, 2, "up to there");
  });

  test("practice says at once whether a move holds", async (page) => {
    await page.goto("/games/awari/practice");
    await page.waitForSelector(".pit.legal");
    const from = new URL(await page.getAttribute("#on-board", "href"), await page.url()).searchParams.get(
      "from",
    );
    const query = new URLSearchParams({ position: from });
    const found = await (await page.request.get(`/api/v1/games/awari/moves?${query}`)).json();
    const [right, wrong] = [true, false].map((held) =>
      found.moves.find((one) => (one.outcome === found.outcome) === held),
    );
    await becomes(() => page.$$eval(".chip", (all) => all.length), 0, "values are hidden");
    await page.click(`.pit[data-move="${wrong.move}"] .hole`);
    await shows(page, "#answer", `No: ${wrong.move}`);
    await page.keyboard.press(right.move[0].toLowerCase());
    await shows(page, "#answer", `Right: ${right.move}`);
    await shows(page, "#tally", "Solved 0 of 1");
    await becomes(() => page.$$eval(".levels tr", (all) => all.length), 10, "every level");
    await shot(page, "explorer-practice");
    await page.selectOption("#difficulty", "hard");
    // The next one has not been answered.
    await shows(page, "#levels", "is shown with the answer");
    ok(/Levels? 1 to (8|9)|Every/.test(await page.textContent("#levels")), "a hard one");
  });

  test("shows what one seed more or less changes", async (page) => {
    await page.goto(at("0,0,1,0,2,1/0,1,1,0,0,0 S"));
    await page.click(".seeds summary");
    await page.waitForSelector(".heats");
    const found = await (
      await page.request.get(`/api/v1/games/awari/seeds?position=0,0,1,0,2,1/0,1,1,0,0,0%20S`)
    ).json();
    const shown = await page.$$eval(".heats:nth-child(2) tr:nth-child(2) .change", (all) =>
      all.map((one) => Number(one.textContent.replace("−", "-"))),
    );
    equal(
      shown,
      found.rows[0].map((pit) => pit.more.change),
      "one seed more for South",
    );
    await shot(page, "explorer-seeds");
    await page.click(".heats a");
    await page.waitForFunction((text) => new URL(location.href).searchParams.get("from") !== text, POSITION);
  });

  const data = place();
  const file = join(data, "small-oware.toml");
  writeFileSync(
    file,
    'inherits = "oware"\npits = 3\nseeds = 2\ngrand-slam = "legal"\nabout = "Oware for a coffee break"\n',
  );
  run("solve", file, "--up-to", "6", "--data", data);
  const base = await serve(data, file);

  test(
    "draws a game that a file describes",
    async (page) => {
      await page.goto(`${base}/`);
      await shows(page, "h1", "Small-oware");
      await page.waitForSelector(".pit.legal");
      await becomes(() => page.$$eval(".pit", (all) => all.length), 6, "its pits");
      await becomes(
        () => page.$eval("#game", (one) => one.selectedOptions[0].textContent),
        "small-oware",
        "its name",
      );
      const [, options] = (await page.$eval("#game", (one) => one.value)).split("?");
      await page.goto(`${base}/games/sowing?options=${options}&from=${encodeURIComponent("1,0,2/0,1,1 S")}`);
      // Bounds overlap, so that no move is known to be best.
      await shows(page, "#verdict", "on a repetition");
      await page.waitForSelector(".pit .chip");
      await page.click("[data-choice] button");
      await played(page, 1);
      await page.click("nav [data-page=databases]");
      await shows(page, "h1", "Small-oware: databases");
      await titled(page, "small-oware");
      // A game as small as this may have no riddle to begin with.
    },
    { wrongly: true },
  );
}
