// Where everything around the board is on its page.

import { boardOf } from "./boards.js";
import { h } from "./dom.js";
import { rulesOf } from "./rules.js";
import { keysHelp } from "./tools.js";
import { headingOf } from "./words.js";

/** Fills a page with the table, the panels `beside` and `below` it, and returns what changes by itself. */
export function layOut(main, { api, card }, { beside, below, tools, setup, opener }) {
  const parts = {
    verdict: h("p", { class: "verdict", id: "verdict", tabindex: -1 }),
    note: h("p", { class: "note", id: "note", role: "status" }),
    problem: h("p", { class: "note", id: "problem", role: "alert" }),
    stage: h("div", { class: "stage" }),
  };
  const helps = h("div", { class: "helps" }, rulesOf(api), keysHelp(boardOf(card.start).keys(card.start)));
  const table = h(
    "section",
    { class: "panel table", "aria-label": "Board and position" },
    headingOf(card),
    parts.verdict,
    parts.stage,
    parts.note,
    parts.problem,
    tools.element,
    setup.element,
    helps,
  );
  const panels = (all) => all.map((one) => one.panel);
  main.replaceChildren(
    h(
      "div",
      { class: "layout" },
      table,
      h("aside", { class: "side" }, panels(beside)),
      h("div", { class: "under" }, panels(below)),
    ),
    opener.element,
  );
  return parts;
}
