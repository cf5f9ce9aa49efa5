// Words on the page: the rules of a game, and values of games without points.

import { becomes, equal, run, test } from "./harness.mjs";
import { at, excess, shows, values } from "./page.mjs";

export function wordsTests() {
  test("shows the rules of a game beside its board", async (page) => {
    for (const [game, sentence] of [
      ["dobutsu", "Whoever takes the lion wins."],
      ["kalah", "If the last seed falls into the own store, the same side moves again."],
      ["wythoff", "There are two piles of counters."],
    ]) {
      const { rules, start } = JSON.parse(run("games", game, "--format", "json"));
      await page.goto(at(start, game));
      await page.click("text=Rules");
      await shows(page, ".words", sentence);
      const text = await page.textContent(".words");
      equal(/[*`|]|^- /.test(text.replace("C*b2", "")), false, `${game}: no mark is left of Markdown`);
      const parts = await page.$$eval(".words > *", (all) => all.map((one) => one.tagName));
      equal(parts.length, rules.split(/\n{2,}/).length, `${game}: every paragraph`);
      equal(parts.includes("UL"), game === "kalah", `${game}: a list`);
      equal(parts.includes("TABLE"), game === "wythoff", `${game}: a table`);
    }
  });

  test(
    "shows rules in the list of games and on a phone",
    async (page) => {
      await page.goto("/games");
      const card = page.locator(".card", { hasText: "Othello" });
      await card.locator("summary", { hasText: /^Rules$/ }).click();
      await card.locator(".words", { hasText: "Black, x, and White, o, place discs" }).waitFor();
      await becomes(async () => (await excess(page)) <= 0, true, "nothing is cut off at the side");
    },
    { viewport: { width: 390, height: 844 } },
  );

  test("calls a draw a draw where scores are no points", async (page) => {
    await page.goto(at("Ke1 Ra1 kb2 b", "krk"));
    await page.waitForSelector("[data-choice]");
    const shown = new Map((await values(page)).map(([move, value]) => [move, value]));
    equal([shown.get("Kxa1"), shown.get("Kc2")], ["draw", "win in 8"], "the moves, for White");
    await becomes(() => page.textContent('.move[data-move="Kxa1"] .score'), "draw", "the board");
    await becomes(() => page.textContent("#verdict"), "Black to move: a draw with best play.", "the verdict");
    await becomes(
      () => page.$$eval(".choices th", (all) => all.map((one) => one.textContent)),
      ["Move", "For White"],
      "nothing is banked",
    );
    await page.click('.move[data-move="Kxa1"]');
    await shows(page, "#verdict", "The game is over: a draw.");
    await page.waitForSelector('.course [data-ply="1"].now');
    await becomes(
      () => page.$$eval(".course .end", (all) => all.map((one) => one.textContent)),
      ["loss", "draw", "win"],
      "the graph",
    );
  });
}
