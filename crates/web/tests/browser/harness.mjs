// A program under test, a browser, and a directory that is gone after the run.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const program = process.argv[2];
export const shots = process.argv[3];
const only = process.env.ONLY;

const places = [];
const servers = [];

/** An empty place for databases. */
export function place() {
  const dir = mkdtempSync(join(tmpdir(), "nutcracker-browser-"));
  places.push(dir);
  return dir;
}

/** Runs the program to its end and gives what it printed. */
export function run(...args) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Starts the server over a directory; gives the address it prints. */
export async function serve(data, ...args) {
  const server = spawn(program, ["serve", "--listen", "127.0.0.1:0", "--data", data, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    server.stdout.once("data", (text) => resolve(String(text).trim().replace(/\/$/, "")));
  });
}

export function equal(found, expected, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}

export function ok(condition, what) {
  if (!condition) throw new Error(what);
}

/** Waits until a page shows what is expected: what a click does may take a request. */
export async function becomes(read, expected, what) {
  const end = Date.now() + 10_000;
  for (;;) {
    try {
      return equal(await read(), expected, what);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const tests = [];
export const test = (name, work, options = {}) => tests.push({ name, work, options });

/** Runs all tests, each in a window of its own in which nothing may go wrong silently; only those that
    send bad requests on purpose set `wrongly`. */
export async function finish(base) {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  let failures = 0;
  for (const {
    name,
    work,
    options: { wrongly, ...options },
  } of tests) {
    if (only && !name.includes(only)) continue;
    const started = Date.now();
    const context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      baseURL: base,
      ...options,
    });
    context.setDefaultTimeout(60000);
    const page = await context.newPage();
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      // A question with a wrong position is answered with 400, and browsers log that.
      if (message.type() === "error" && !(wrongly && /status of 4\d\d/.test(message.text())))
        complaints.push(message.text());
    });
    try {
      await work(page, context);
      equal(complaints, [], "the browser complains");
      console.log(`ok   ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failures += 1;
      console.log(`FAIL ${name}: ${error.message}`);
      await page.screenshot({ path: join(tmpdir(), `failed-${failures}.png`) }).catch(() => {});
    }
    await context.close();
  }
  await browser.close();
  for (const server of servers) {
    server.removeAllListeners("exit");
    server.kill("SIGTERM");
  }
  await Promise.all(
    servers.map((server) => server.exitCode !== null || new Promise((done) => server.once("exit", done))),
  );
  for (const dir of places) rmSync(dir, { recursive: true, force: true });
  console.log(failures ? `${failures} failed` : "all passed");
  process.exit(failures ? 1 : 0);
}
