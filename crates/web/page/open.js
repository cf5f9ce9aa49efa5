// A game opened from a text: pasted, dropped, or from a file.

import { get, post } from "./api.js";
import { h, put } from "./dom.js";
import { keep } from "./review.js";
import { boardUrl } from "./url.js";
import { capital } from "./words.js";

/** Files are not larger than what the server takes. */
const MOST = 1_000_000;

const typing = (target) =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement;

/** A dialog that opens a game; `go` shows its board. */
export function openGame({ game, options, go, signal }) {
  const note = h("p", { class: "note", role: "alert" });
  const list = h("ul", { class: "found" });
  const text = h("textarea", {
    id: "game-text",
    rows: 9,
    spellcheck: "false",
    placeholder:
      game === "chess"
        ? '[White "Ann"]\n\n1. e4 e5 2. Nf3 Nc6 …'
        : '[Game "awari"]\n[First "Ann"]\n\n1. F4 2. c5 3. E4 …',
    "aria-label": "The record of a game",
  });
  const file = h("input", {
    type: "file",
    id: "game-file",
    "aria-label": "A file with games",
    accept: ".txt,.ogn,.pdn,.pgn,text/plain",
    onchange: () => file.files[0] && readFile(file.files[0]),
  });

  /** Shows a game and reviews it. */
  const choose = (recorded) => {
    keep(recorded);
    dialog.close();
    const { position, moves } = recorded;
    go(boardUrl(recorded.game, { from: position, line: moves, at: 0, options: recorded.options }));
  };

  const entry = (recorded, i) => {
    const [first, second] = recorded.players;
    const who = first || second ? `${first ?? "?"} against ${second ?? "?"}` : `Game ${i + 1}`;
    const about = `${capital(recorded.game)}, ${recorded.moves.length} moves, ${recorded.outcome}`;
    return h("li", {}, h("button", { class: "link", onclick: () => choose(recorded) }, who), ` ${about}`);
  };

  /** Whether a text is a position and no game; then its board is shown. */
  async function openPosition(record) {
    const from = record.trim();
    if (from.length > 200 || from.includes("\n") || /^\[|^\d+\./.test(from)) return false;
    try {
      await get(`/games/${game}/moves`, { position: from, options }, signal);
    } catch {
      return false;
    }
    dialog.close();
    go(boardUrl(game, { from, options }));
    return true;
  }

  async function open(record) {
    put(list);
    put(note);
    if (!record.trim()) {
      put(note, "Paste a game first, or choose a file.");
      return;
    }
    if (await openPosition(record)) return;
    try {
      const { games } = await post("/api/v1/records", { text: record, game, options }, signal);
      const wrong = games.find((one) => one.problem);
      const playable = games.filter((one) => one.moves.length > 0);
      if (wrong) put(note, `${capital(wrong.problem)}. It can be opened up to there.`);
      if (!playable.length) put(note, wrong ? capital(wrong.problem) : "There are no moves in it.");
      else if (games.length === 1 && !wrong) choose(playable[0]);
      else put(list, playable.map(entry));
    } catch (error) {
      if (!signal.aborted) put(note, capital(error.message), ".");
    }
  }

  async function readFile(chosen) {
    show();
    if (chosen.size > MOST) {
      put(note, "The file is too large to be a game.");
      return;
    }
    text.value = await chosen.text();
    await open(text.value);
  }

  function show() {
    if (!dialog.open) dialog.showModal();
    text.focus();
  }

  const dialog = h(
    "dialog",
    { id: "open-game", "aria-labelledby": "open-title", class: "panel" },
    h("h2", { id: "open-title" }, "Open a game"),
    h(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          open(text.value);
        },
      },
      h(
        "p",
        { class: "note" },
        "Paste the record of a game, its moves or a position, or drop a file anywhere on this page.",
      ),
      text,
      file,
      note,
      list,
      h(
        "div",
        { class: "tools" },
        h("button", { class: "primary", id: "open-text" }, "Open and review"),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
      ),
    ),
  );

  addEventListener("dragover", (event) => event.preventDefault(), { signal });
  addEventListener(
    "drop",
    (event) => {
      const [dropped] = event.dataTransfer?.files ?? [];
      const words = event.dataTransfer?.getData("text/plain");
      if (!dropped && !words) return;
      event.preventDefault();
      if (dropped) readFile(dropped);
      else {
        text.value = words;
        show();
        open(words);
      }
    },
    { signal },
  );
  addEventListener(
    "paste",
    (event) => {
      const words = event.clipboardData?.getData("text/plain");
      if (!words || typing(event.target)) return;
      event.preventDefault();
      text.value = words;
      show();
      open(words);
    },
    { signal },
  );
  return { element: dialog, show };
}
