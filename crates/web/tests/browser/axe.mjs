// No page has anything that axe finds fault with.

import { createRequire } from "node:module";
import { equal, test } from "./harness.mjs";
import { at } from "./page.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What is wrong on a page: the rule and the first element it names. */
export async function violations(page) {
  await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(
      (one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3)}`,
    );
  });
}

export function axeTests(ending, empty) {
  const all = [
    [at(ending), ".pit.best"],
    [`${at(ending)}&line=E3x5`, ".course .now"],
    ["/games/othello", ".square.legal"],
    [at("Ke1 Ra1 kb2 b", "krk"), ".move.best"],
    [at("gle/.c./.C./ELG S -", "dobutsu"), ".place.active"],
    ["/games/awari/databases", ".histogram [data-score]"],
    ["/games/awari/practice", ".pit.legal"],
    ["/games/kalah/book?options=pits=3,seeds=2", ".drop-outs [data-depth]"],
    ["/games", ".card"],
    ["/api", ".operation"],
    ["/fleet", "h1"],
    [`${empty}/games/awari?options=pits=4`, "#build"],
    ["/nothing", "[role=alert]"],
  ];
  // Colours are the same on all pages: three of them in the dark will do.
  for (const [colorScheme, pages] of [
    ["light", all],
    ["dark", all.filter(([where]) => /20-18$|databases|book|practice/.test(where))],
  ]) {
    test(
      `axe finds nothing: ${colorScheme}`,
      async (page) => {
        const found = {};
        for (const [where, ready] of pages) {
          await page.goto(where);
          await page.waitForSelector(ready);
          const wrong = await violations(page);
          if (wrong.length) found[where] = wrong;
        }
        const check = async (what) => {
          const wrong = await violations(page);
          if (wrong.length) found[what] = wrong;
        };
        await page.goto("/games/awari/practice");
        await page.click("#reveal");
        await check("a solved puzzle");
        await page.goto(`${at(ending)}&line=C1`);
        await page.click("#review-line");
        await page.waitForSelector("#save-record");
        await page.click(".seeds summary");
        await page.waitForSelector(".heats");
        await check("a review");
        await page.click("#open");
        await check("a game to open");
        await page.goto(at(ending));
        await page.click("#setup");
        await check("set up");
        equal(found, {}, "violations");
      },
      // The policy of the page forbids the script that is added to it.
      { colorScheme, bypassCSP: true, wrongly: true, reducedMotion: "reduce" },
    );
  }
}
