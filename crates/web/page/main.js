// Which page is shown.

import { get } from "./api.js";
import { boardPage } from "./board.js";
import { bookPage } from "./book.js";
import { databasesPage } from "./databases.js";
import { $, announce, h } from "./dom.js";
import { fleetPage } from "./fleet.js";
import { gamesPage } from "./games.js";
import { practicePage } from "./practice.js";
import { pageUrl, where } from "./url.js";
import { capital } from "./words.js";

let games = null;
/** What is shown now ends with this. */
let shown = new AbortController();

function failed(error) {
  const main = $("#main");
  document.title = "Nutcracker";
  main.replaceChildren(
    h(
      "section",
      { class: "panel narrow" },
      h("h1", {}, "That did not work"),
      h("p", { role: "alert" }, error.message),
      h("p", {}, h("a", { href: "/games" }, "All games")),
    ),
  );
}

/** Every game, and the rules under which something is known of it. */
function showGames(game, options) {
  const entries = games.flatMap((one) => {
    const others = one.holdings.map((holding) => holding.options).filter(Boolean);
    if (one.name === game && options && !others.includes(options)) others.push(options);
    return ["", ...others].map((rules) => {
      const title = one.holdings.find((holding) => holding.options === rules)?.title;
      return { name: one.name, rules, title };
    });
  });
  const label = ({ name, rules, title }) =>
    title ?? (rules ? `${name}, ${rules.replaceAll(",", ", ")}` : name);
  // What files describe comes first.
  entries.sort((a, b) => Number(Boolean(b.title)) - Number(Boolean(a.title)));
  $("#game").replaceChildren(
    ...entries.map((one) => h("option", { value: `${one.name}?${one.rules}` }, label(one))),
  );
  $("#game").value = `${game}?${options}`;
}

/** The game of an address that names none: one that a file describes, or the first. */
function usual(query) {
  for (const { name, holdings } of games) {
    const described = holdings.find((one) => one.title);
    if (described) return { name, options: described.options };
  }
  return { name: games[0].name, options: query.get("options") ?? "" };
}

/** What a game is called. */
const titleOf = (game, options) => {
  const { holdings } = games.find((one) => one.name === game);
  const title = holdings.find((one) => one.options === options)?.title;
  return title ?? capital(game) + (options && ` (${options.replaceAll(",", ", ")})`);
};

async function show() {
  shown.abort();
  shown = new AbortController();
  const { signal } = shown;
  const { page, game: requested, query } = where(location);
  try {
    games ??= await get("/games");
    // An answer that comes late must not draw over what is shown since.
    if (signal.aborted) return;
    const { name: game, options } = requested
      ? { name: requested, options: query.get("options") ?? "" }
      : usual(query);
    if (page === "missing") throw new Error("There is no such page.");
    if (!games.some((one) => one.name === game)) {
      throw new Error(`There is no game “${game}”.`);
    }
    showGames(game, options);
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const links = document.querySelectorAll("nav a[data-page]");
    for (const link of links) {
      const name = link.dataset.page;
      if (name !== "games") link.href = pageUrl(name, game, options);
      if (name === page) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const context = { game, options, query, go, main: $("#main"), games, signal };
    if (page === "fleet") await fleetPage(context);
    else if (page === "games") await gamesPage(context);
    else if (page === "databases") await databasesPage(context);
    else if (page === "book") await bookPage(context);
    else if (page === "practice") await practicePage(context);
    else await boardPage(context);
    if (signal.aborted) return;
    // Last, so that the title never names what is not yet to be seen.
    const titles = { games: "Games", fleet: "Fleet" };
    document.title = `${titles[page] ?? titleOf(game, options)} – Nutcracker`;
  } catch (error) {
    if (!signal.aborted) failed(error);
  }
}

/** Shows another page of this site. */
export function go(url) {
  history.pushState(null, "", url);
  scrollTo(0, 0);
  enter();
}

/** Shows a page that takes the place of another: the focus is on its heading, its title is read out. */
async function enter() {
  await show();
  const main = $("#main");
  if (!main.contains(document.activeElement) || document.activeElement === main) {
    const heading = main.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    (heading ?? main).focus({ preventScroll: true });
  }
  announce(document.title);
}

addEventListener("popstate", enter);
document.addEventListener("click", (event) => {
  /** @type {HTMLAnchorElement | null} */
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey)
    return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || url.hash || link.target || !/^\/($|games|fleet)/.test(url.pathname))
    return;
  event.preventDefault();
  games = null;
  go(url.pathname + url.search);
});
$("#game").addEventListener("change", (event) => {
  const { page } = where(location);
  const [game, options] = event.target.value.split(/\?(.*)/s);
  go(pageUrl(["games", "fleet"].includes(page) ? "board" : page, game, options));
});
show();
