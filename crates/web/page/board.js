// The board, and what is around it.

import { about, running } from "./api.js";
import { bestPanel } from "./best.js";
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
import { capital, headingOf, slice, wordsOf } from "./words.js";

/** How long a hint is shown, in milliseconds. */
const HINT = 1600;
/** How long a position that is set up stays as it is before it is checked, in milliseconds. */
const CHECK = 250;

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
    this.game = game;
    this.options = options;
    this.card = card;
    this.api = api;
    this.main = main;
    this.signal = signal;
    this.shown = localStorage.getItem("values") !== "hidden";
    this.title = headingOf(card);
    this.flip = false;
    this.editing = null;
    this.hint = new Set();
    this.note = "";
    this.busy = false;
    this.words = wordsOf(card);
    this.rival = opponent(this);
    if (this.rival.plays()) this.shown = false;
    this.engine = engine(this);
    this.book = bookPanel(this);
    this.best = bestPanel(this);
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
    const at = query.get("at") === null || !line ? this.session.nodes.length - 1 : Number(query.get("at")) || 0;
    await this.load(at);
    this.session.go(at);
    this.build();
    this.render();
    this.rival.consider();
  }

  /** Makes a position the beginning of a line. */
  async begin(position, line = []) {
    if (line.length === 0) this.session = new Session([await this.api.moves({ position })]);
    else {
      const found = await this.api.line({ position, moves: line.join(" "), prefix: true });
      this.session = new Session(found.nodes);
      if (found.illegal) this.note = `The line ends here: ${found.illegal}.`;
    }
    this.drawing = null;
  }

  /** Loads the moves of a ply of the line, if that is not done. */
  async load(at) {
    const { nodes } = this.session;
    const node = nodes[Math.max(0, Math.min(at, nodes.length - 1))];
    if (node.moves) return;
    const moves = this.session.moves(nodes.indexOf(node)).join(" ");
    const { played } = node;
    Object.assign(node, await this.api.moves({ position: this.session.root.position, moves }), { played });
  }

  build() {
    const button = (id, label, text, action) =>
      // A sign needs a name; a word is one.
      h("button", { id, title: label, "aria-label": /[a-z]/.test(text) ? null : label, onclick: action }, text);
    this.parts = {
      verdict: h("p", { class: "verdict", id: "verdict", tabindex: -1 }),
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
      (this.valuesButton = button("values", "Show or hide values", "Hide values", () => this.toggle())),
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
          this.title,
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
          this.best.panel,
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
      this.drawing = kind.draw({ act, edit, words: this.words });
      this.drawing.kind = kind;
      this.parts.stage.replaceChildren(this.drawing.element);
    }
    return this.drawing;
  }

  render() {
    if (!this.parts || this.signal.aborted) return;
    const now = this.session.now;
    const position = this.editing ?? now.position;
    const base = this.session.ahead(this.sides);
    const choices =
      this.editing !== null || now.over
        ? []
        : now.moves.map((one) => ({ ...one, standing: this.words.standing({ ...one, mover: now.mover }, base) }));
    const shown = this.shown && this.editing === null;
    const names = this.sides.map(capital);
    this.stage(position).render({
      position,
      drawing: this.editing === null ? now.drawing : null,
      choices,
      shown,
      flip: this.flip,
      hint: this.hint,
      banked: this.session.banked(this.sides),
      final: now.over && now.result && this.editing === null ? this.sides.map((side) => now.result[side]) : null,
      editing: this.editing !== null,
      removing: this.removing,
      names,
    });
    const counted = now.banked || this.session.at === 0;
    const known =
      this.shown || now.over ? this.words.verdict(now, base, !counted) : `${capital(now.mover)} to move.`;
    const editor = this.editing === null ? null : boardOf(position).editor;
    const setting = editor
      ? `Set up a position, ${names[editor.mover(position)]} to move: ${editor.help}, or write it below.`
      : "Set up a position: write it below.";
    this.parts.verdict.textContent = this.editing !== null ? setting : known;
    const tells = (this.shown || now.over) && this.editing === null && now.value;
    this.parts.verdict.dataset.outcome = tells ? this.words.standing(now, base).kind : "";
    this.parts.note.textContent = this.note || (this.editing !== null ? "" : (now.missing ?? ""));
    this.valuesButton.textContent = this.shown ? "Hide values" : "Show values";
    this.renderChoices(choices, shown);
    this.renderLine();
    this.renderSetup();
    const atStart = this.session.at === 0;
    const atEnd = this.session.at === this.session.nodes.length - 1;
    for (const id of ["first", "undo"]) this.tools.querySelector(`#${id}`).disabled = atStart;
    for (const id of ["redo", "last"]) this.tools.querySelector(`#${id}`).disabled = atEnd;
    if (this.editing !== null) {
      for (const tool of this.tools.querySelectorAll("button:not(#setup, #flip)")) tool.disabled = true;
    } else for (const id of ["values", "hint", "random", "start", "copy"]) {
      const tool = this.tools.querySelector(`#${id}`);
      if (tool) tool.disabled = false;
    }
    this.rival.render();
    this.engine.render();
    this.book.render();
    this.best.render();
    history.replaceState(null, "", this.link());
  }

  renderChoices(choices, shown) {
    // The list is made anew: who plays from it by keyboard goes on at its beginning.
    if (this.parts.choices.contains(document.activeElement)) {
      queueMicrotask(() => (this.parts.choices.querySelector("button") ?? this.parts.verdict).focus());
    }
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
    const [first, second] = this.sides.map(capital);
    const whole = choices.some((one) => one.result);
    const head = whole ? `${first}–${second}` : `For ${first}`;
    const legend = h(
      "p",
      { class: "note legend" },
      h("span", { class: "badge small win" }, first),
      " wins, ",
      h("span", { class: "badge small loss" }, second),
      " wins",
      points && !whole && choices.some((one) => one.value) && ", counted from the start of the line",
      "; ★ best move.",
    );
    put(this.parts.choices, choiceTable(choices, { shown, points, head, words: this.words, act }), shown && legend);
  }

  renderLine() {
    const active = document.activeElement;
    if (this.parts.line.contains(active) || this.parts.graph.contains(active)) {
      queueMicrotask(() => this.parts.line.querySelector(".now")?.focus());
    }
    const { card, session, shown, words } = this;
    const jump = (at) => this.jump(at);
    this.parts.line.replaceChildren(...lineItems(session, { shown, ...card, words, jump }));
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
        this.render();
        this.check();
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
          boardOf(this.editing).editor?.removes &&
            h(
              "button",
              {
                type: "button",
                id: "remove",
                "aria-pressed": "false",
                onclick: (event) => {
                  this.removing = !this.removing;
                  event.target.setAttribute("aria-pressed", String(this.removing));
                  this.render();
                },
              },
              "Remove",
            ),
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
        this.api.moves({
          position: this.session.root.position,
          moves: [...this.session.moves(this.session.at), choice.move].join(" "),
        }),
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

  /** Plays moves one after the other from here on, without a pause. */
  async follow(moves) {
    if (this.busy || this.editing !== null) return;
    this.busy = true;
    try {
      await this.begin(this.session.root.position, [...this.session.moves(this.session.at), ...moves]);
      await this.load(this.session.nodes.length - 1);
      this.session.go(this.session.nodes.length);
      this.hint = new Set();
      this.note = "";
    } catch (error) {
      this.note = error.message;
    } finally {
      this.busy = false;
    }
    this.render();
    announce(this.parts.verdict.textContent);
    this.rival.consider();
  }

  async jump(at) {
    if (this.busy || this.editing !== null) return;
    const { session } = this;
    if (!session.nodes[Math.max(0, Math.min(at, session.nodes.length - 1))].moves) {
      this.busy = true;
      try {
        await this.load(at);
      } catch (error) {
        this.note = error.message;
        this.render();
        return;
      } finally {
        this.busy = false;
      }
      if (this.session !== session || this.signal.aborted) return;
    }
    session.go(at);
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

  toggle() {
    this.shown = !this.shown;
    localStorage.setItem("values", this.shown ? "shown" : "hidden");
    this.render();
  }

  /** Hides values for a while: other tabs and later visits show them as before. */
  hide(hidden) {
    this.shown = !hidden && localStorage.getItem("values") !== "hidden";
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
        const moves = session.moves(session.at).join(" ");
        best = [(await this.api.reply({ position: session.root.position, moves, level: "perfect", book: true })).move];
        known = "Good";
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
    this.removing = false;
    this.note = "";
    this.hint = new Set();
    this.render();
    if (on) this.field.focus();
  }

  /** Changes the position that is set up. */
  edited(change) {
    const { editor } = boardOf(this.editing);
    if (!editor) return;
    this.editing = change(editor, this.editing);
    this.render();
    this.check();
  }

  /** Says what is wrong with the position that is set up, as soon as it stays for a moment. */
  check() {
    const position = this.editing;
    clearTimeout(this.checking);
    this.checking = setTimeout(async () => {
      const wrong = await this.api.check(position.trim()).catch((error) => error.message);
      if (this.editing === position && !this.signal.aborted) this.parts.note.textContent = wrong ?? "";
    }, CHECK);
  }

  async done() {
    try {
      await this.begin(this.editing.trim());
      this.editing = null;
      this.note = "";
      this.push();
      this.render();
      this.tools.querySelector("#setup").focus();
      this.rival.consider();
    } catch (error) {
      this.parts.note.textContent = error.message;
    }
  }

  /** A new position is a new entry of the browser's history; the moves of a line are not. */
  push() {
    if (this.link() !== location.pathname + location.search) history.pushState(null, "", this.link());
  }

  async restart(position) {
    try {
      await this.begin(position);
      this.editing = null;
      this.note = "";
      this.push();
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
    if (event.key === "Escape" && this.editing !== null) {
      this.edit(false);
      this.tools.querySelector("#setup").focus();
      return;
    }
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
