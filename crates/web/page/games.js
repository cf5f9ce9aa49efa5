// Every game of the registry.

import { about } from "./api.js";
import { h } from "./dom.js";
import { rulesOf } from "./rules.js";
import { pageUrl } from "./url.js";
import { capital, slice } from "./words.js";

function known(game) {
  if (!game.slices.length) return game.databases ? "no databases yet" : "too large for databases";
  const last = game.slices[game.slices.length - 1];
  return `databases up to ${slice(last, game.unit)}`;
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
          h(
            "p",
            { class: "note" },
            capital(known(game)),
            ". ",
            h("a", { href: pageUrl("databases", game.name) }, "Databases"),
          ),
          rulesOf(about(game.name, "", signal)),
          variants(game, go, signal),
        ),
      ),
    ),
  );
}
