// What tests do with a page, and read from it.

import { join } from "node:path";
import { shots } from "./harness.mjs";

export const at = (position, game = "awari") => `/games/${game}?from=${encodeURIComponent(position)}`;
export const shot = async (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`) });
export const settled = (page) => page.waitForFunction(() => !document.querySelector(".travel"));
/** The address as the page itself knows it: the browser reports it a little later. */
export const address = async (page) => new URL(await page.evaluate(() => location.href));
/** Waits until an element shows a text. */
export const shows = (page, selector, text) =>
  page.waitForFunction(
    ([where, what]) => document.querySelector(where)?.textContent.includes(what),
    [selector, text],
  );
export const titled = (page, name) => page.waitForFunction((start) => document.title.startsWith(start), name);
export const moves = (page) => page.$$eval(".line [data-ply]", (all) => all.map((one) => one.textContent));

/** Waits until a line has this many moves and shows the last. */
export async function played(page, plies) {
  await page.waitForFunction((ply) => document.querySelector(`.line [data-ply="${ply}"].now`), plies);
  await settled(page);
}

/** The value that the board shows for every move. */
export const values = (page) =>
  page.$$eval("[data-choice]", (rows) =>
    rows.map((row) => [
      row.dataset.choice,
      row.querySelector(".badge").textContent,
      row.classList.contains("best"),
    ]),
  );

/** By how much a page is wider than its window. */
export const excess = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
