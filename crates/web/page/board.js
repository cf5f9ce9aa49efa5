// The board, and what is around it.

import { about, running } from "./api.js";
import { boardOf } from "./boards.js";
import { bookPanel } from "./book.js";
import { builder } from "./build.js";
import { h, put, announce } from "./dom.js";
import { engine } from "./engine.js";
import { graph } from "./graph.js";
import { choiceTable, lineItems } from "./lists.js";
import { opponent } from "./play.js";
import { rulesOf } from "./rules.js";
import { Session } from "./session.js";
import { boardUrl } from "./url.js";
import { capital, slice, wordsOf } from "./words.js";

/** How long a hint is shown, in milliseconds. */
const HINT = 1600;

/** Shows the board of a game until `signal`. */
export async function boardPage({ game, options, query, main, go, signal }) {
  const api = about(game, options, signal);
  const card = await api.card();
  const plain = card.small_set.length > 0 && !query.get("from");
  if (plain && (card.slices.length === 0 || (await running(game, card.options, signal)))) {
    // Nothing is known yet, or not all: offer to find out, or show how far it is.
    const build = builder(card, options, { done: () => go(location.pathname + location.search), signal });
    main.replaceChildren(
      h(
        "div",
        { class: "narrow" },
        build.panel,
        h(
          "p",
          { class: "note" },
          "Or ",
          h("a", { href: boardUrl(game, { from: card.start, options }) }, "view the board"),
          " without values.",
        ),
        h("section", { class: "panel" }, rulesOf(api)),
      ),
    );
    return;
  }
  await new Board(game, options, card, api, main, signal).open(query);
}

/** What the keyboard does; a kind of board has keys of its own. */
function help(own) {
  const keys = [
    ["← →", "back and forth"],
    ["Home End", "to the ends of the line"],
    ...own,
    ["v", "values"],
    ["t", "turn the board"],
    ["?", "hint"],
  ];
  return h(
    "details",
    { class: "keys" },
    h("summary", {}, "Keys"),
    h(
      "p",
      { class: "note" },
      keys.map(([key, what], i) => [i > 0 && " · ", h("kbd", {}, key), ` ${what}`]),
    ),
  );
}

class Board {
  constructor(game, options, card, api, main, signal) {
    Object.assign(this, { game, options, card, api, main, signal });
    this.shown = localStorage.getItem("values") !== "hidden";
    this.flip = false;
    this.editing = null;
    this.hint = new Set();
    this.note = "";
    this.busy = false;
    this.words = wordsOf(card);
    this.rival = opponent(this);
    this.engine = engine(this);
    this.book = bookPanel(this);
    addEventListener("keydown", (event) => this.key(event), { signal });
    matchMedia("(max-width: 640px)").addEventListener("change", () => this.render(), { signal });
  }

  get sides() {
    return this.card.sides;
  }

  /** Opens what the address names: a position and a line, or something interesting. */
  async open(query) {
    this.flip = query.get("flip") === "1";
    const from = query.get("from");
    const line = query.get("line");
    let root = from ?? this.card.start;
    if (!from && !this.card.slices.includes(this.card.start_slice) && this.card.slices.length) {
      // The start is not in the databases: begin with a riddle from the largest.
      const filters = { min_score: 1, only: "best", captures: "none", tempting: true, seed: 7 };
      const found = await this.api
        .random(filters)
        .catch(() => this.api.random({ seed: 7 }))
        .catch(() => null);
      if (found) {
        root = found.position;
        const last = this.card.slices[this.card.slices.length - 1];
        const start = slice(this.card.start_slice, this.card.unit);
        const ending = slice(last, this.card.unit);
        this.note = `The start, ${start}, is beyond the databases; this is an ending with ${ending}.`;
      }
    }
    await this.begin(root, line ? line.split(" ").filter(Boolean) : []);
    const at = query.get("at");
    if (at !== null && line) this.session.go(Number(at) || 0);
    this.build();
    this.render();
  }

  /** Makes a position the beginning of a line. */
  async begin(position, line = []) {
    this.session = new Session(await this.api.moves({ position }));
    for (const name of line) {
      const choice = this.session.now.moves.find((one) => one.move === name);
      if (!choice) {
        this.note = `“${name}” is not a move here; the line ends before it.`;
        break;
      }
      this.session.play(choice, await this.api.moves({ position: choice.next }));
    }
    this.drawing = null;
  }

  build() {
    const button = (id, label, text, action) =>
      h("button", { id, title: label, "aria-label": label, onclick: action }, text);
    this.parts = {
      verdict: h("p", { class: "verdict", id: "verdict" }),
      note: h("p", { class: "note", id: "note", role: "alert" }),
      stage: h("div", { class: "stage" }),
      choices: h("div", { class: "choices" }),
      line: h("ol", { class: "line", "aria-label": "Moves" }),
      graph: h("div", {}),
      setup: h("div", { class: "setup" }),
    };
    const tools = (this.tools = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Line" },
      button("first", "Back to the start of the line", "|◀", () => this.jump(0)),
      button("undo", "Back one move", "◀", () => this.back()),
      button("redo", "Forward one move", "▶", () => this.jump(this.session.at + 1)),
      button("last", "To the end of the line", "▶|", () => this.jump(this.session.nodes.length)),
      button("flip", "Turn the board round", "⇅ Flip", () => this.turn()),
      (this.valuesButton = button("values", "Show or hide values", "", () => this.toggle())),
      button("hint", "Show a best move for a moment", "Hint", () => this.showHint()),
      button("setup", "Set up a position", "Set up", () => this.edit()),
      this.card.slices.length > 0 &&
        button("random", "A random position from the databases", "Random", () => this.random()),
      button("start", "Where the game starts", "Start", () => this.restart(this.card.start)),
      button("copy", "Copy a link to this position and line", "Copy link", () => this.copy()),
    ));
    this.main.replaceChildren(
      h(
        "div",
        { class: "layout" },
        h(
          "section",
          { class: "panel table", "aria-label": "Board and position" },
          this.parts.verdict,
          this.parts.stage,
          this.parts.note,
          tools,
          this.parts.setup,
          rulesOf(this.api),
          help(boardOf(this.card.start).keys),
        ),
        h(
          "aside",
          { class: "side" },
          h("section", { class: "panel" }, h("h2", {}, "Moves here"), this.parts.choices),
          h("section", { class: "panel" }, h("h2", {}, "Line"), this.parts.graph, this.parts.line),
          this.book.panel,
          this.rival.panel,
          this.engine.panel,
        ),
      ),
    );
  }

  /** The drawing that suits the notation. */
  stage(position) {
    const kind = boardOf(position);
    if (this.drawing?.kind !== kind) {
      const act = (choice) => this.play(choice);
      const edit = (...change) => this.edited((editor, text) => editor.change(text, ...change));
      this.drawing = kind.draw({ act, edit, words: this.words, game: this.game });
      this.drawing.kind = kind;
      this.parts.stage.replaceChildren(this.drawing.element);
    }
    return this.drawing;
  }

  render() {
    if (!this.parts || this.signal.aborted) return;
    const now = this.session.now;
    const position = this.editing ?? now.position;
    const choices = this.editing !== null || now.over ? [] : now.moves;
    const shown = this.shown && this.editing === null;
    const names = this.sides.map(capital);
    this.stage(position).render({
      position,
      drawing: now.drawing,
      choices,
      shown,
      flip: this.flip,
      hint: this.hint,
      banked: this.session.banked(this.sides),
      editing: this.editing !== null,
      names,
    });
    const known = this.shown || now.over ? this.words.verdict(now) : `${capital(now.mover)} to move.`;
    const editor = this.editing === null ? null : boardOf(position).editor;
    const setting = editor
      ? `Set up a position, ${names[editor.mover(position)]} to move: ${editor.help}, or write it below.`
      : "Set up a position: write it below.";
    this.parts.verdict.textContent = this.editing !== null ? setting : known;
    this.parts.verdict.dataset.outcome = this.shown && now.value ? (now.outcome ?? "") : "";
    this.parts.note.textContent = this.note || (this.editing !== null ? "" : (now.missing ?? ""));
    this.valuesButton.textContent = this.shown ? "Hide values" : "Show values";
    this.valuesButton.setAttribute("aria-pressed", String(!this.shown));
    this.renderChoices(choices, shown);
    this.renderLine();
    this.renderSetup();
    const atStart = this.session.at === 0;
    const atEnd = this.session.at === this.session.nodes.length - 1;
    for (const id of ["first", "undo"]) this.tools.querySelector(`#${id}`).disabled = atStart;
    for (const id of ["redo", "last"]) this.tools.querySelector(`#${id}`).disabled = atEnd;
    this.rival.render();
    this.engine.render();
    this.book.render();
    history.replaceState(null, "", this.link());
  }

  renderChoices(choices, shown) {
    if (choices.length === 0) {
      this.parts.choices.replaceChildren(
        h(
          "p",
          { class: "note" },
          this.editing !== null ? "Not while a position is set up." : "The game is over here.",
        ),
      );
      return;
    }
    const act = (choice) => this.play(choice);
    const { points } = this.card;
    this.parts.choices.replaceChildren(choiceTable(choices, { shown, points, words: this.words, act }));
  }

  renderLine() {
    const { card, session, shown, words } = this;
    const jump = (at) => this.jump(at);
    this.parts.line.replaceChildren(...lineItems(session, { shown, points: card.points, words, jump }));
    const chart = shown ? graph(session, card, words, jump) : null;
    const what = card.points ? "margin" : "result";
    const caption = `${capital(this.sides[0])}'s ${what} at the end with best play from each move on`;
    put(this.parts.graph, chart, chart && h("p", { class: "note caption" }, caption));
  }

  renderSetup() {
    if (this.editing === null) {
      this.parts.setup.replaceChildren();
      return;
    }
    if (!this.field) {
      this.field = h("input", {
        id: "notation",
        "aria-label": "Position",
        spellcheck: "false",
        autocomplete: "off",
      });
      this.field.addEventListener("input", () => {
        this.editing = this.field.value;
        if (boardOf(this.editing).editor) this.render();
      });
    }
    if (this.field.value !== this.editing) this.field.value = this.editing;
    const clickable = boardOf(this.editing).editor !== null;
    const turn = () => this.edited((editor, text) => editor.turn(text));
    const clear = () => this.edited((editor, text) => editor.clear(text));
    if (this.parts.setup.contains(this.field)) return;
    this.parts.setup.replaceChildren(
      h(
        "form",
        {
          onsubmit: (event) => {
            event.preventDefault();
            this.done();
          },
        },
        h("label", {}, "Position ", this.field),
        h(
          "div",
          { class: "tools" },
          h("button", { class: "primary", id: "done" }, "Done"),
          h("button", { type: "button", id: "cancel", onclick: () => this.edit(false) }, "Cancel"),
          clickable && h("button", { type: "button", id: "mover", onclick: turn }, "Other side moves"),
          clickable && h("button", { type: "button", id: "clear", onclick: clear }, "Clear"),
        ),
      ),
    );
  }

  link() {
    return boardUrl(this.game, {
      from: this.session.root.position,
      line: this.session.moves(),
      at: this.session.at,
      options: this.options,
      flip: this.flip,
    });
  }

  async play(choice) {
    if (this.busy || this.editing !== null || this.session.now.over) return;
    this.busy = true;
    this.hint = new Set();
    this.note = "";
    try {
      const mover = capital(this.session.now.mover);
      const [next] = await Promise.all([
        this.api.moves({ position: choice.next }),
        this.drawing.animate(choice, choice.next),
      ]);
      this.session.play(choice, next);
      this.render();
      const banks = choice.captures > 0 ? ` and banks ${choice.captures}` : "";
      announce(`${mover} plays ${choice.move}${banks}. ${this.parts.verdict.textContent}`);
    } catch (error) {
      this.note = error.message;
      this.render();
    } finally {
      this.busy = false;
    }
    if (!this.signal.aborted) this.rival.consider();
  }

  jump(at) {
    if (this.busy || this.editing !== null) return;
    this.session.go(at);
    this.hint = new Set();
    this.note = "";
    this.render();
    announce(this.parts.verdict.textContent);
    this.rival.consider();
  }

  back() {
    this.rival.takeBack();
  }

  turn() {
    this.flip = !this.flip;
    this.render();
  }

  toggle(shown = !this.shown) {
    this.shown = shown;
    localStorage.setItem("values", shown ? "shown" : "hidden");
    this.render();
  }

  /** Shows the best moves for a moment: those of the databases, else the one that a search likes. */
  async showHint() {
    const session = this.session;
    const now = session.now;
    if (now.over || this.editing !== null) return;
    let best = now.moves.filter((choice) => choice.best).map((choice) => choice.move);
    let known = "Best";
    if (!best.length) {
      try {
        const moves = session.moves().slice(0, session.at).join(" ");
        best = [(await this.api.reply({ position: session.root.position, moves, level: "perfect" })).move];
        known = "A search likes";
      } catch (error) {
        this.note = error.message;
        this.render();
        return;
      }
      if (this.session.now !== now) return;
    }
    const hint = new Set(best);
    this.hint = hint;
    this.render();
    announce(`${known}: ${best.join(", ")}`);
    setTimeout(() => {
      if (this.hint !== hint) return;
      this.hint = new Set();
      this.render();
    }, HINT);
  }

  edit(on = this.editing === null) {
    this.editing = on ? this.session.now.position : null;
    this.note = "";
    this.render();
    if (on) this.field.focus();
  }

  /** Changes the position that is set up. */
  edited(change) {
    const { editor } = boardOf(this.editing);
    if (!editor) return;
    this.editing = change(editor, this.editing);
    this.render();
  }

  async done() {
    try {
      await this.begin(this.editing.trim());
      this.editing = null;
      this.note = "";
      this.render();
      this.rival.consider();
    } catch (error) {
      this.parts.note.textContent = error.message;
    }
  }

  async restart(position) {
    try {
      await this.begin(position);
      this.editing = null;
      this.note = "";
      this.render();
      this.rival.consider();
    } catch (error) {
      this.note = error.message;
      this.render();
    }
  }

  async random() {
    try {
      const found = await this.api.random({});
      await this.restart(found.position);
    } catch (error) {
      this.note = error.message;
      this.render();
    }
  }

  async copy() {
    const url = new URL(this.link(), location.href).href;
    try {
      await navigator.clipboard.writeText(url);
      this.note = "The link is copied.";
    } catch {
      this.note = url;
    }
    this.render();
  }

  key(event) {
    if (
      event.defaultPrevented ||
      event.altKey ||
      event.target instanceof HTMLInputElement ||
      event.target instanceof HTMLSelectElement
    )
      return;
    if ((event.ctrlKey || event.metaKey) && event.key === "z") this.back();
    else if (event.ctrlKey || event.metaKey) return;
    else if (event.key === "ArrowLeft" || event.key === "Backspace") this.back();
    else if (event.key === "ArrowRight") this.jump(this.session.at + 1);
    else if (event.key === "Home") this.jump(0);
    else if (event.key === "End") this.jump(this.session.nodes.length);
    else if (event.key === "v") this.toggle();
    else if (event.key === "t") this.turn();
    else if (event.key === "?") this.showHint();
    else {
      const choice =
        /^[a-z]$/i.test(event.key) && this.drawing?.kind.choice?.(event.key, this.session.now.moves);
      if (!choice) return;
      this.play(choice);
    }
    event.preventDefault();
  }
}
