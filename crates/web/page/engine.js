// A search, shown while it runs.

import { address } from "./api.js";
import { h, put } from "./dom.js";
import { count } from "./words.js";

const SECONDS = 5;

/** A panel that searches the position of a board. */
export function engine(board) {
  let events = null;
  let position = null;
  let found = null;
  let problem = "";
  const body = h("div", { id: "engine" });
  const panel = h("section", { class: "panel" }, h("h2", {}, "Engine"), body);

  const stop = () => {
    events?.close();
    events = null;
  };

  function start() {
    stop();
    found = null;
    problem = "";
    const session = board.session;
    const moves = session.moves(session.at).join(" ");
    events = new EventSource(
      address(`/games/${encodeURIComponent(board.game)}/search`, {
        position: session.root.position,
        moves,
        seconds: SECONDS,
        options: board.options,
      }),
    );
    events.addEventListener("report", (event) => {
      found = JSON.parse(event.data);
      show();
    });
    events.addEventListener("problem", (event) => {
      problem = JSON.parse(event.data).detail;
      stop();
      show();
    });
    events.addEventListener("done", () => {
      stop();
      show();
    });
    events.onerror = () => {
      problem = found ? "" : "The server is busy or does not answer.";
      stop();
      show();
    };
    show();
  }

  function show() {
    const idle = events === null;
    put(
      body,
      h(
        "button",
        {
          id: "search",
          onclick: () => {
            if (idle) start();
            else {
              stop();
              show();
            }
          },
        },
        idle ? "Search this position" : "Stop",
      ),
      found &&
        h(
          "p",
          { class: "found" },
          h("strong", { id: "estimate" }, board.words.worth(found.value)),
          ` for the side to move, depth ${found.depth}, ${count(found.nodes)} positions`,
        ),
      found && h("p", { class: "note" }, found.line.join(" ")),
      problem && h("p", { class: "note", role: "alert" }, problem),
    );
  }

  /** Forgets what was found of another position. */
  function render() {
    const now = board.session.now.position;
    panel.hidden = !board.shown;
    if (now === position) return;
    position = now;
    found = null;
    problem = "";
    stop();
    show();
  }

  board.signal.addEventListener("abort", stop);
  return { panel, render };
}
