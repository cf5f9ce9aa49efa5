// The page of a fleet.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { becomes, equal, place, program, run, serve, test } from "./harness.mjs";
import { excess, shot, shows } from "./page.mjs";

export async function fleetTests() {
  const data = place();
  const book = join(data, "fleet.book");
  const tokens = join(data, "tokens");
  const rules = ["kalah", "--pits", "4", "--seeds", "3"];
  run("book", "new", ...rules, "--book", book, "--depth", "0", "--data", data);
  const token = run("token", "new", "anna", "--role", "work", "--tokens", tokens).trim();
  const base = await serve(data, "--grow", book, "--tokens", tokens, "--depth", "0", "--nodes", "3000");

  /** Runs a worker while something is tested. */
  const working = async (name, work) => {
    const worker = spawn(
      program,
      ["worker", base, "--name", name, "--depth", "0", "--threads", "1", "--data", data],
      { env: { ...process.env, NUTCRACKER_TOKEN: token }, stdio: "ignore" },
    );
    try {
      await work();
    } finally {
      worker.kill("SIGKILL");
    }
  };

  for (const [name, options] of [
    ["light", {}],
    ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark" }],
  ]) {
    test(
      `shows workers and the growth of their book: ${name}`,
      (page) =>
        working(name, async () => {
          await page.goto(`${base}/games/kalah/book?options=pits=4,seeds=3`);
          await page.click("#fleetlink");
          await shows(page, "h1", "Fleet");
          await page.waitForSelector(`[data-worker="anna/${name}"]`);
          await page.waitForSelector(".growth path");
          await shows(page, "#fleetfacts", "expansions");
          await page.waitForSelector('[data-account="anna"]');
          await becomes(async () => (await excess(page)) <= 0, true, "nothing is cut off at the side");
          await shot(page, `fleet-${name}`);
        }),
      options,
    );
  }

  for (const colorScheme of ["light", "dark"]) {
    test(
      `axe finds nothing on the page of a fleet that works: ${colorScheme}`,
      (page) =>
        working(`axe-${colorScheme}`, async () => {
          await page.goto(`${base}/fleet`);
          await page.waitForSelector(`[data-worker="anna/axe-${colorScheme}"]`);
          await page.waitForSelector(".growth path");
          equal(await violations(page), [], "violations");
        }),
      // The policy of the page forbids the script that is added to it.
      { colorScheme, bypassCSP: true },
    );
  }
}
