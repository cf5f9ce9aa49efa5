// The review of a game: what every move lost, the decisive moment, and what could have been played.

import { announce, h, put, save } from "./dom.js";
import { capital } from "./words.js";

/** Where a game that was opened is kept until its board is shown, and while it is. */
const PLACE = "opened game";

/** Keeps a game that was read from a record, for the board that shows it. */
export const keep = (recorded) => sessionStorage.setItem(PLACE, JSON.stringify(recorded));

/** The game that was opened, if it is the one from here with these moves. */
function kept(game, options, position, moves) {
  const found = JSON.parse(sessionStorage.getItem(PLACE) ?? "null");
  const same =
    found?.game === game &&
    found.options === options &&
    found.position === position &&
    found.moves.join(" ") === moves.join(" ");
  return same ? found : null;
}

/** A line as a record: a review takes it. */
const recordOf = (game, position, moves) =>
  `[Game "${game}"]\n[Position "${position}"]\n\n${moves.join(" ")} *\n`;

/**
 * A panel below the board. `visit` shows a ply of a line, `changed` is called where there is more to
 * show of the line on the board.
 */
export function reviewPanel({ game, options, card, api, signal }, { visit, changed }) {
  /** The game that is reviewed: where it begins, its moves, and what is known of them. */
  let current = null;
  let session = null;
  let shown = true;
  let running = null;
  const body = h("div", { id: "review" });
  const panel = h("section", { class: "panel review" }, h("h2", {}, "Review"), body);

  /** Whether the line on the board is the game that is reviewed. */
  const onBoard = () =>
    current !== null &&
    session.root.position === current.position &&
    session.moves().join(" ") === current.names.join(" ");

  async function start(record, names = session.moves()) {
    running?.abort();
    running = new AbortController();
    const mine = running;
    signal.addEventListener("abort", () => mine.abort());
    const review = {
      position: session.root.position,
      names,
      record,
      moves: [],
      place: 0,
      all: null,
      problem: "",
    };
    current = review;
    const text = record?.record ?? recordOf(game, review.position, names);
    show();
    const heard = {
      queued: ({ place }) => (review.place = place),
      move: (move) => {
        review.place = 0;
        review.moves.push(move);
      },
      review: (all) => {
        review.all = all;
        announce(`${all.outcome}. ${all.decisive?.text ?? "No move changed who wins"}.`);
      },
      problem: ({ detail }) => (review.problem = detail),
    };
    try {
      await api.review(
        { record: text },
        (name, data) => {
          if (current !== review) return;
          heard[name]?.(data);
          show();
          if (name === "move" || name === "review") changed();
        },
        mine.signal,
      );
    } catch (error) {
      if (mine.signal.aborted) return;
      review.problem = error.message;
    }
    running = null;
    show();
  }

  const button = (id, text, action, more = {}) => h("button", { id, onclick: action, ...more }, text);

  const row = (move) =>
    h(
      "tr",
      { class: move.mark === "??" ? "grave" : "slip" },
      h(
        "td",
        {},
        h(
          "button",
          { class: "link", "data-error": move.ply, onclick: () => visit(current.names, move.ply) },
          `${move.ply}. ${move.move}${move.mark}`,
        ),
      ),
      h("td", {}, capital(move.side)),
      h("td", { class: "lost" }, move.lost_text.replace("-", "−")),
      h(
        "td",
        {},
        h(
          "button",
          {
            "data-better": move.ply,
            "aria-label": `Play ${move.best} instead of ${move.ply}. ${move.move}`,
            onclick: () => visit([...current.names.slice(0, move.ply - 1), move.best], move.ply),
          },
          `▶ ${move.best}`,
        ),
      ),
    );

  function table(moves) {
    const errors = moves.filter((move) => move.error);
    if (!errors.length)
      return current.all && h("p", { class: "note" }, "No move lost anything that is known.");
    return h(
      "div",
      { class: "wide errors", tabindex: 0, role: "region", "aria-label": "Errors" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Error", "By", "Lost", "Better"].map((text) => h("th", { scope: "col" }, text)),
          ),
        ),
        h("tbody", {}, errors.map(row)),
      ),
    );
  }

  const name = () => `${game}-${current.names.length}-moves`;

  function summary({ all }) {
    return [
      h("p", { class: "headline" }, h("strong", {}, all.title), `: ${all.outcome}.`),
      h(
        "p",
        { class: "decisive", id: "decisive" },
        capital(all.decisive?.text ?? "no move changed who wins"),
        ". ",
        all.decisive && button("show-decisive", "Show it", () => visit(current.names, all.decisive.ply)),
      ),
      h(
        "ul",
        { class: "accounts" },
        all.accounts.map((one) => h("li", {}, one)),
      ),
      all.apparent.some(Boolean) && [
        h(
          "ul",
          { class: "accounts", id: "apparent" },
          all.apparent.map((one, i) => one && h("li", {}, `${capital(card.sides[i])}: ${one.text}.`)),
        ),
        h("p", { class: "note" }, "Competence 0 chooses blindly; the larger it is, the rarer are errors."),
      ],
    ];
  }

  const saves = ({ all }) =>
    h(
      "div",
      { class: "tools" },
      button("save-record", "Save record", () => save(`${name()}.txt`, "text/plain", all.record)),
      button("save-picture", "Save picture", () => save(`${name()}.svg`, "image/svg+xml", all.picture)),
    );

  function progress({ names, moves, place }) {
    const text =
      place > 0 ? "It begins when a running search ends." : `Move ${moves.length} of ${names.length}`;
    return h(
      "p",
      { class: "note", role: "status" },
      h("progress", { max: names.length, value: moves.length, "aria-label": "Moves reviewed" }),
      text,
    );
  }

  function show() {
    if (!session) return;
    const some = session.moves().length > 0;
    panel.hidden = !shown || (!some && current === null);
    const focused = body.contains(document.activeElement) ? document.activeElement.id : "";
    const other = current !== null && !onBoard();
    put(
      body,
      current?.all && summary(current),
      current?.problem && h("p", { role: "alert" }, capital(current.problem), "."),
      current && running && progress(current),
      current && table(current.moves),
      current?.all &&
        !current.all.complete &&
        h("p", { class: "note" }, "The time was too short for the rest."),
      current?.all && saves(current),
      h(
        "div",
        { class: "tools" },
        other && button("back-to-game", "Back to the game", () => visit(current.names, current.names.length)),
        !running &&
          some &&
          (current === null || other) &&
          button("review-line", "Review this line", () => start(null), { class: current ? "" : "primary" }),
      ),
      current === null &&
        h(
          "p",
          { class: "note" },
          "What every move lost, the decisive moment, and what was better; by a search where there are no databases.",
        ),
    );
    if (focused) (document.getElementById(focused) ?? body.querySelector("button"))?.focus();
  }

  return {
    panel,
    /** Reviews the game that was opened, if its line is on the board. */
    begin(now) {
      session = now;
      const opened = kept(game, options, session.root.position, session.moves());
      if (opened) start(opened);
    },
    /** What is known of the line on the board, if that is the game that is reviewed. */
    get line() {
      return onBoard() ? { moves: current.moves, chart: current.all?.chart ?? null } : null;
    },
    /** Whether some moves, from the start on, are those of the game. */
    isGame: (moves) =>
      current !== null &&
      session.root.position === current.position &&
      moves.length >= current.names.length &&
      current.names.every((one, i) => one === moves[i]),
    render(view) {
      if (current && view.session.root.position !== current.position) {
        running?.abort();
        running = null;
        current = null;
      }
      session = view.session;
      shown = view.shown;
      show();
    },
  };
}
