// The line of moves, as a list and as a chart.

import { chart } from "./chart.js";
import { h, put } from "./dom.js";
import { capital } from "./words.js";

/** What a move lost, as a mark and in words. */
function lossOf({ loses }, points) {
  if (!loses) return null;
  const what = [points && loses.points, loses.result && "the result"].filter(Boolean).join(" and ");
  return { kind: loses.result ? "grave" : "slip", mark: loses.result ? "??" : "?", text: `loses ${what}` };
}

/** The moves of a line, errors marked; `jump` goes to one. */
function items(session, { shown, card, words, jump }) {
  const standings = session.standings(card.sides, words);
  return session.nodes.map((node, i) => {
    const now = session.at === i;
    const step = { class: `link${now ? " now" : ""}`, "data-ply": i, onclick: () => jump(i) };
    if (i === 0) return h("li", {}, h("button", step, "start"));
    const { played } = session.nodes[i - 1];
    const loss = shown ? lossOf(played, card.points) : null;
    return h(
      "li",
      { class: loss?.kind ?? "" },
      h(
        "button",
        { ...step, "aria-current": now ? "step" : undefined, title: loss?.text },
        played.move,
        loss?.mark,
      ),
      shown && node.value && h("span", { class: `badge small ${standings[i].kind}` }, standings[i].text),
    );
  });
}

/** A panel beside the board; `jump` goes to a ply. */
export function linePanel({ api, card, words, signal }, { jump }) {
  const list = h("ol", { class: "line", "aria-label": "Moves" });
  const course = chart(({ ply }) => jump(Number(ply)));
  const what = card.points ? "margin" : "result";
  const caption = h(
    "p",
    { class: "note caption", hidden: true },
    `${capital(card.sides[0])}'s ${what} at the end with best play from each move on`,
  );
  /** The line that the chart is of. */
  let drawn = null;

  async function draw(session, shown) {
    const known = session.nodes.filter((node) => node.value).length;
    caption.hidden = !shown || known < 2;
    if (caption.hidden) {
      drawn = null;
      course.clear();
      return;
    }
    const line = { position: session.root.position, moves: session.moves().join(" ") };
    const key = JSON.stringify(line);
    if (key !== drawn) {
      drawn = key;
      // Without its chart, the list still says it all.
      const done = await course.show(api.lineChart(line)).catch(() => false);
      if (!done || signal.aborted) return;
    }
    course.point("ply", session.at);
  }

  function render({ session, shown }) {
    if (list.contains(document.activeElement)) {
      queueMicrotask(() => /** @type {HTMLElement} */ (list.querySelector(".now"))?.focus());
    }
    put(list, items(session, { shown, card, words, jump }));
    draw(session, shown);
  }

  const panel = h("section", { class: "panel" }, h("h2", {}, "Line"), course.element, caption, list);
  return { panel, render };
}
