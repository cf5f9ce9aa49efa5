// The moves of a position, as a table.

import { h, put } from "./dom.js";
import { capital, isDistance, metricName, movesInColumn } from "./words.js";

/** Moves of which nothing is known, or nothing is shown. */
const names = (choices, { words, play }) =>
  h(
    "div",
    { class: "buttons" },
    [...choices]
      .sort((a, b) => a.move.localeCompare(b.move))
      .map((choice) =>
        h(
          "button",
          {
            "data-choice": choice.move,
            "aria-label": words.describe(choice, false),
            onclick: () => play(choice),
          },
          choice.move,
        ),
      ),
  );

/** What a move is worth by databases of another metric. */
const measured = ({ metrics = [] }, metric) => metrics.find((one) => one.metric === metric);

function table(choices, { head, words, play, mover }) {
  // In some positions, and in some games, no move banks anything.
  const banks = choices.some((one) => one.captures);
  // Databases of other metrics have a column each; who wins is said before.
  const all = new Set(choices.flatMap((one) => (one.metrics ?? []).map(({ metric }) => metric)));
  const metrics = [...all].filter((metric) => metric !== "wdl");
  const heads = ["Move", banks && "Banks", head, ...metrics.map(metricName)].filter(Boolean);
  const row = (choice) =>
    h(
      "tr",
      {
        class: `${choice.standing.kind}${choice.best ? " best" : ""}`,
        "data-choice": choice.move,
        onclick: () => play(choice),
      },
      h("td", {}, h("button", { class: "link", "aria-label": words.describe(choice, true) }, choice.move)),
      banks && h("td", {}, choice.captures || ""),
      h(
        "td",
        { class: "value" },
        h(
          "span",
          { class: `badge ${choice.standing.kind}`, title: choice.standing.text },
          choice.book ? choice.standing.brief : choice.standing.text,
        ),
        choice.best && h("span", { class: "star", title: "best" }, "★"),
        choice.book && h("span", { class: "soft" }, " book"),
      ),
      metrics.map((metric) => {
        const { value } = measured(choice, metric) ?? {};
        const { kind, text } = words.standing({ value, mover });
        const counts = isDistance(metric);
        // Who wins is said once, unless a rule makes a difference, or nothing else is known.
        const same = kind === choice.standing.kind && counts;
        const parts = value ? [!same && kind, movesInColumn(value) ?? (same && "–")] : ["?"];
        return h("td", { class: "value", title: text }, parts.filter((part) => part !== false).join(" "));
      }),
    );
  const body = h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((text) => h("th", { scope: "col" }, text)),
      ),
    ),
    h("tbody", {}, choices.map(row)),
  );
  // With many metrics it is wider than its card, and scrolls by itself.
  const many = metrics.length > 2;
  return h("div", { class: many ? "wide many" : "wide", tabindex: many ? 0 : null }, body);
}

/** A panel beside the board; `play` plays a move, `elsewhere` takes the focus where there is none. */
export function choicesPanel({ card, words }, { play, elsewhere }) {
  const { points } = card;
  const [first, second] = card.sides.map(capital);
  const body = h("div", { class: "choices" });

  const legend = (choices, whole) =>
    h(
      "p",
      { class: "note legend" },
      h("span", { class: "badge small win" }, first),
      " wins, ",
      h("span", { class: "badge small loss" }, second),
      " wins",
      points && !whole && choices.some((one) => one.value) && ", counted from the start of the line",
      "; ★ best move.",
    );

  function render({ choices, shown, editing, session }) {
    // The list is made anew: who plays from it by keyboard goes on at its beginning.
    if (body.contains(document.activeElement)) {
      queueMicrotask(() => (body.querySelector("button") ?? elsewhere()).focus());
    }
    if (choices.length === 0) {
      const why = editing ? "Not while a position is set up." : "The game is over here.";
      put(body, h("p", { class: "note" }, why));
      return;
    }
    const whole = choices.some((one) => one.result);
    const head = whole ? `${first}–${second}` : `For ${first}`;
    if (!shown || !choices.some((one) => one.value || one.metrics)) put(body, names(choices, { words, play }));
    else put(body, table(choices, { head, words, play, mover: session.now.mover }), legend(choices, whole));
  }

  const panel = h("section", { class: "panel" }, h("h2", {}, "Moves here"), body);
  return { panel, render };
}
