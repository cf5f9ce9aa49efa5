// A search, shown while it runs.

import { address } from "./api.js";
import { h, put } from "./dom.js";
import { ahead } from "./session.js";
import { count } from "./words.js";

const SECONDS = 5;

/** A panel that searches the position on the board. */
export function engine({ game, options, card, words, signal }) {
  let session = null;
  let events = null;
  let position = null;
  let found = null;
  let problem = "";
  /** The place in the line before a search begins. */
  let place = 0;
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
    place = 0;
    const moves = session.moves(session.at).join(" ");
    events = new EventSource(
      address(`/games/${encodeURIComponent(game)}/search`, {
        position: session.root.position,
        moves,
        seconds: SECONDS,
        options,
      }),
    );
    events.addEventListener("queued", (event) => {
      place = JSON.parse(event.data).place;
      show();
    });
    events.addEventListener("report", (event) => {
      place = 0;
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

  /** What was found, for the first side like everything else, from where the moves are counted. */
  const standing = (value) =>
    words.standing({ value, mover: session.now.mover }, ahead(session.now, card.sides)).said;

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
          h("strong", { id: "estimate" }, standing(found.value)),
          `, depth ${found.depth}, ${count(found.nodes)} positions`,
        ),
      found && h("p", { class: "note" }, found.line.join(" ")),
      !idle &&
        place > 0 &&
        h(
          "p",
          { class: "note", id: "queued", role: "status" },
          place === 1 ? "It begins when a running search ends." : `${count(place - 1)} before it wait, too.`,
        ),
      problem && h("p", { class: "note", role: "alert" }, problem),
    );
  }

  /** Forgets what was found of another position. */
  function render(view) {
    session = view.session;
    const now = session.now.position;
    panel.hidden = !view.shown;
    if (now === position) return;
    position = now;
    found = null;
    problem = "";
    stop();
    show();
  }

  signal.addEventListener("abort", stop);
  return { panel, render };
}
