// The line of best play from the position on the board.

import { h, put } from "./dom.js";
import { ahead } from "./session.js";

/** Moves of the line that are shown. */
const PLIES = 60;

/** A panel beside the board; it hides itself where databases do not reach. */
export function bestPanel({ api, card, words, signal }, { follow }) {
  let latest = 0;
  let position = null;
  const body = h("div", { id: "best-line" });
  const panel = h("section", { class: "panel", hidden: true }, h("h2", {}, "Best line"), body);

  /** The moves as buttons; one plays the line up to its move. */
  function show(line) {
    const moves = line.nodes.filter((node) => node.played).map((node) => node.played.move);
    const end = line.nodes.at(-1);
    put(
      body,
      h(
        "ol",
        { class: "line", "aria-label": "Moves of the best line" },
        moves.map((move, i) =>
          h(
            "li",
            {},
            h(
              "button",
              { class: "link", "data-best": i, onclick: () => follow(moves.slice(0, i + 1)) },
              move,
            ),
          ),
        ),
      ),
      h(
        "p",
        { class: "note" },
        line.over
          ? words.verdict(
              { ...end, over: true, end: line.end, repeats: line.repeats },
              ahead(end, card.sides),
              !end.banked,
            )
          : `The first ${moves.length} moves.`,
      ),
    );
  }

  async function render({ session, shown }) {
    const { now } = session;
    const known = shown && !now.over && now.value && !now.missing;
    if (!known) {
      panel.hidden = true;
      position = null;
      return;
    }
    if (now.position === position) return;
    position = now.position;
    latest += 1;
    const mine = latest;
    panel.hidden = true;
    const line = await api.bestLine({ position: now.position, plies: PLIES }).catch(() => null);
    if (mine !== latest || signal.aborted || position === null) return;
    panel.hidden = line === null || line.nodes.length < 2;
    if (!panel.hidden) show(line);
  }

  return { panel, render };
}
