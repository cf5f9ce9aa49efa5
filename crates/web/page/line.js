// The line of moves, as a list and as a chart.

import { chart, drawing } from "./chart.js";
import { h, put } from "./dom.js";
import { ahead } from "./session.js";
import { capital } from "./words.js";

/** Moves of another line that are shown. */
const FIRST = 6;

/** What a move lost, as a mark and in words; a review knows it where databases do not. */
function lossOf({ loses }, reviewed, points) {
  if (reviewed) {
    const text = `loses ${reviewed.lost_text.replace("-", "")}, ${reviewed.best} was better`;
    return reviewed.error && { kind: reviewed.mark === "??" ? "grave" : "slip", mark: reviewed.mark, text };
  }
  if (!loses) return null;
  const what = [points && loses.points, loses.result && "the result"].filter(Boolean).join(" and ");
  return { kind: loses.result ? "grave" : "slip", mark: loses.result ? "??" : "?", text: `loses ${what}` };
}

/** The moves of a line, errors marked; `jump` goes to one. */
function items(session, { shown, review, card, words, jump }) {
  const standings = session.standings(card.sides, words);
  return session.nodes.map((node, i) => {
    const now = session.at === i;
    const step = { class: `link${now ? " now" : ""}`, "data-ply": i, onclick: () => jump(i) };
    if (i === 0) return h("li", {}, h("button", step, "start"));
    const { played } = session.nodes[i - 1];
    const loss = shown ? lossOf(played, review?.moves[i - 1], card.points) : null;
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

/**
 * A panel below the board; `jump` goes to a ply, `visit` to a ply of the line with some moves, `drop`
 * forgets a line that leaves this one.
 */
export function linePanel({ api, card, words, signal }, { jump, visit, drop }) {
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
  const others = h("div", { class: "others" });

  async function draw(session, shown, review) {
    const known = session.nodes.filter((node) => node.value).length;
    caption.hidden = !shown || (known < 2 && !review?.chart);
    if (caption.hidden) {
      drawn = null;
      course.clear();
      return;
    }
    const line = { position: session.root.position, moves: session.moves().join(" ") };
    const key = JSON.stringify([line, Boolean(review?.chart)]);
    if (key !== drawn) {
      drawn = key;
      const picture = review?.chart ? Promise.resolve(drawing(review.chart)) : api.lineChart(line);
      // Without its chart, the list still says it all.
      const done = await course.show(picture).catch(() => false);
      if (!done || signal.aborted) return;
    }
    course.point("ply", session.at);
  }

  /** The lines that leave this one; the game that is reviewed is named. */
  function showOthers({ session, shown, isGame }) {
    const { branches } = session;
    const entry = (branch) => {
      const { ply, moves, end } = branch;
      const all = [...session.moves(ply), ...moves];
      const { kind, text } = words.standing(end, ahead(end, card.sides));
      const start = moves.slice(0, FIRST).join(" ") + (moves.length > FIRST ? " …" : "");
      return h(
        "li",
        {},
        isGame(all) && h("strong", {}, "Game "),
        h(
          "button",
          { class: "link", "data-other": ply, onclick: () => visit(all, ply + 1) },
          `${ply + 1}. ${start}`,
        ),
        shown && end.value && h("span", { class: `badge small ${kind}` }, text),
        h(
          "button",
          {
            class: "link",
            "aria-label": `Forget the line ${ply + 1}. ${start}`,
            onclick: () => drop(branch),
          },
          "×",
        ),
      );
    };
    put(
      others,
      branches.length > 0 && [
        h("h3", {}, "Other lines"),
        h("ul", { "aria-label": "Other lines" }, branches.map(entry)),
      ],
    );
  }

  function render(view) {
    const { session, shown, review } = view;
    if (list.contains(document.activeElement)) {
      queueMicrotask(() => /** @type {HTMLElement} */ (list.querySelector(".now"))?.focus());
    }
    if (others.contains(document.activeElement)) {
      queueMicrotask(() => /** @type {HTMLElement} */ (list.querySelector(".now"))?.focus());
    }
    put(list, items(session, { shown, review, card, words, jump }));
    showOthers(view);
    draw(session, shown, review);
  }

  const panel = h("section", { class: "panel" }, h("h2", {}, "Line"), course.element, caption, list, others);
  return { panel, render };
}
