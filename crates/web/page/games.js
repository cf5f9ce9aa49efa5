// Every game of the registry.

import { about } from "./api.js";
import { h } from "./dom.js";
import { rulesOf } from "./rules.js";
import { pageUrl } from "./url.js";
import { capital, inForce, slice } from "./words.js";

/** What is known of a game, under all rules there are files of. */
function known(game) {
  if (!game.holdings.length) {
    return h("p", { class: "note" }, game.databases ? "No databases yet." : "Too large for databases.");
  }
  const entry = ({ options, title, rules, slices, book }) =>
    h(
      "li",
      {},
      h("a", { href: pageUrl("board", game.name, options) }, title ?? (inForce(rules) || "usual rules")),
      slices.length > 0 && [
        ": ",
        h(
          "a",
          { href: pageUrl("databases", game.name, options) },
          // Where slices are not numbers of something, their names say little.
          game.unit === "slice"
            ? `${slices.length} ${slices.length === 1 ? "database" : "databases"}`
            : `databases up to ${slice(slices.at(-1), game.unit)}`,
        ),
      ],
      book && [
        slices.length > 0 ? ", " : ": ",
        h("a", { href: pageUrl("book", game.name, options) }, "book"),
      ],
    );
  return h("ul", { class: "holdings" }, game.holdings.map(entry));
}

/** A form that opens the game with other options. */
function variants(game, go, signal) {
  if (!game.options.length) return null;
  const fields = game.options.map((option) => {
    const input = option.value
      ? h("input", { name: option.name, inputmode: "numeric", size: 4, value: option.default })
      : h("input", { name: option.name, type: "checkbox" });
    return h("label", { title: option.about }, `${option.name} `, input);
  });
  const note = h("p", { class: "note", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    const chosen = [];
    for (const option of game.options) {
      const input = event.target.elements[option.name];
      if (option.value && input.value.trim() !== option.default)
        chosen.push(`${option.name}=${input.value.trim()}`);
      if (!option.value && input.checked) chosen.push(option.name);
    }
    const options = chosen.join(",");
    try {
      await about(game.name, options, signal).card();
      go(pageUrl("board", game.name, options));
    } catch (error) {
      if (!signal.aborted) note.textContent = error.message;
    }
  };
  return h(
    "details",
    {},
    h("summary", {}, "Other rules"),
    h("form", { class: "rules", onsubmit: submit }, fields, h("button", {}, "Open"), note),
  );
}

export async function gamesPage({ games, main, go, signal }) {
  main.replaceChildren(
    h("h1", {}, "Games"),
    h(
      "div",
      { class: "cards" },
      games.map((game) =>
        h(
          "section",
          { class: "panel card" },
          h("h2", {}, h("a", { href: pageUrl("board", game.name) }, capital(game.name))),
          h("p", {}, capital(game.about), "."),
          known(game),
          rulesOf(about(game.name, "", signal)),
          variants(game, go, signal),
        ),
      ),
    ),
  );
}
