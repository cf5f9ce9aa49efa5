// The page of a fleet.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { ok, place, program, run, serve, test } from "./harness.mjs";
import { excess, shot, shows } from "./page.mjs";

export async function fleetTests() {
  const data = place();
  const book = join(data, "fleet.book");
  const tokens = join(data, "tokens");
  const rules = ["kalah", "--pits", "4", "--seeds", "3"];
  run("book", "new", ...rules, "--book", book, "--depth", "0", "--data", data);
  const token = run("token", "new", "anna", "--role", "work", "--tokens", tokens).trim();
  const base = await serve(data, "--grow", book, "--tokens", tokens, "--depth", "0", "--nodes", "3000");

  for (const [name, options] of [
    ["light", {}],
    ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark" }],
  ]) {
    test(
      `shows workers and the growth of their book: ${name}`,
      async (page) => {
        const worker = spawn(
          program,
          ["worker", base, "--name", name, "--depth", "0", "--threads", "1", "--data", data],
          { env: { ...process.env, NUTCRACKER_TOKEN: token }, stdio: "ignore" },
        );
        try {
          await page.goto(`${base}/games/kalah/book?options=pits=4,seeds=3`);
          await page.click("#fleetlink");
          await shows(page, "h1", "Fleet");
          await page.waitForSelector(`[data-worker="anna/${name}"]`);
          await page.waitForSelector(".growth path");
          await shows(page, "#fleetfacts", "expansions");
          await page.waitForSelector('[data-account="anna"]');
          ok((await excess(page)) <= 0, "nothing is cut off at the side");
          await shot(page, `fleet-${name}`);
        } finally {
          worker.kill("SIGKILL");
        }
      },
      options,
    );
  }
}
