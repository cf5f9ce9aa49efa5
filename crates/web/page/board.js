// The board, and what is around it.

import { about } from "./api.js";
import { bookPanel } from "./book.js";
import { builder } from "./build.js";
import { $, h, say } from "./dom.js";
import { engine } from "./engine.js";
import { graph } from "./graph.js";
import { Grid, readGrid } from "./grid.js";
import { Pits, readPits, writePits } from "./pits.js";
import { Plain } from "./plain.js";
import { opponent } from "./play.js";
import { Session, mistake } from "./session.js";
import { boardUrl } from "./url.js";
import { capital, describe, score, slice, verdict } from "./words.js";

/** Shows the board of a game; returns what to do when somebody leaves it. */
export async function boardPage({ game, options, query, main, go }) {
  const ask = about(game, options);
  const card = await ask.card();
  if (card.slices.length === 0 && card.small_set > 0 && !query.get("from")) {
    // Nothing is known yet: offer to find out.
    const build = builder(card, options, { done: () => go(location.pathname + location.search) });
    main.replaceChildren(h("div", { class: "narrow" }, build.panel,
      h("p", { class: "note" }, "Or ", h("a", { href: boardUrl(game, { from: card.start, options }) }, "look at the board"), " without values.")));
    return build.leave;
  }
  const page = new Board(game, options, card, ask, main);
  await page.open(query);
  return () => page.leave();
}

class Board {
  constructor(game, options, card, ask, main) {
    Object.assign(this, { game, options, card, ask, main });
    this.shown = localStorage.getItem("values") !== "hidden";
    this.flip = false;
    this.editing = null;
    this.hint = false;
    this.note = "";
    this.busy = false;
    this.rival = opponent(this);
    this.engine = engine(this);
    this.book = bookPanel(this);
    this.keys = (event) => this.key(event);
    this.resized = () => this.render();
    addEventListener("keydown", this.keys);
    this.narrow = matchMedia("(max-width: 640px)");
    this.narrow.addEventListener("change", this.resized);
  }

  leave() {
    removeEventListener("keydown", this.keys);
    this.narrow.removeEventListener("change", this.resized);
    this.rival.leave();
    this.engine.leave();
  }

  get sides() {
    return this.card.sides;
  }

  /** Opens what the address says: a position and a line, or something worth looking at. */
  async open(query) {
    this.flip = query.get("flip") === "1";
    const from = query.get("from");
    const line = query.get("line");
    let root = from ?? this.card.start;
    if (!from && !this.card.slices.includes(this.card.start_slice) && this.card.slices.length) {
      // The start is not in the databases: begin with a riddle from the largest.
      const wanted = { min_score: 1, only: "best", captures: "none", tempting: true, seed: 7 };
      const found = await this.ask.random(wanted).catch(() => this.ask.random({ seed: 7 })).catch(() => null);
      if (found) {
        root = found.position;
        const last = this.card.slices[this.card.slices.length - 1];
        this.note = `The start, ${slice(this.card.start_slice, this.card.unit)}, is beyond the databases; this is an ending with ${slice(last, this.card.unit)}.`;
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
    this.session = new Session(await this.ask.moves({ position }));
    for (const name of line) {
      const choice = this.session.now.moves.find((one) => one.move === name);
      if (!choice) {
        this.note = `“${name}” is not a move here; the line ends before it.`;
        break;
      }
      this.session.play(choice, await this.ask.moves({ position: choice.next }));
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
    const tools = h("div", { class: "tools", role: "toolbar", "aria-label": "Line" },
      button("first", "Back to the start of the line", "|◀", () => this.jump(0)),
      button("undo", "Back one move", "◀", () => this.back()),
      button("redo", "Forward one move", "▶", () => this.jump(this.session.at + 1)),
      button("last", "To the end of the line", "▶|", () => this.jump(this.session.nodes.length)),
      button("flip", "Turn the board round", "⇅ Flip", () => this.turn()),
      this.valuesButton = button("values", "Show or hide values", "", () => this.toggle()),
      button("hint", "Show a best move for a moment", "Hint", () => this.showHint()),
      button("setup", "Set up a position", "Set up", () => this.edit()),
      button("random", "A random position from the databases", "Random", () => this.random()),
      button("start", "Where the game starts", "Start", () => this.restart(this.card.start)),
      button("copy", "Copy a link to this position and line", "Copy link", () => this.copy()));
    this.main.replaceChildren(
      h("div", { class: "layout" },
        h("section", { class: "panel table", "aria-label": "Board and position" },
          this.parts.verdict, this.parts.stage, this.parts.note, tools, this.parts.setup),
        h("aside", { class: "side" },
          h("section", { class: "panel" }, h("h2", {}, "Moves here"), this.parts.choices),
          h("section", { class: "panel" }, h("h2", {}, "Line"), this.parts.graph, this.parts.line),
          this.book.panel,
          this.rival.panel,
          this.engine.panel)));
  }

  /** The drawing that suits the notation. */
  stage(position) {
    const kind = readPits(position) ? "pits" : readGrid(position) ? "grid" : "plain";
    if (!this.drawing || this.drawing.kind !== kind) {
      const act = (choice) => this.play(choice);
      const drawing = kind === "pits"
        ? new Pits({ act, edit: (...change) => this.change(...change), stores: this.game === "kalah" })
        : kind === "grid" ? new Grid({ act }) : new Plain({ act });
      drawing.kind = kind;
      this.drawing = drawing;
      this.parts.stage.replaceChildren(drawing.element);
    }
    return this.drawing;
  }

  render() {
    if (!this.parts) return;
    const now = this.session.now;
    const position = this.editing ?? now.position;
    const choices = this.editing || now.over ? [] : now.moves;
    const shown = this.shown && !this.editing;
    const names = this.sides.map(capital);
    this.stage(position).render({
      position, drawing: now.drawing, choices, shown, flip: this.flip, hint: this.hint,
      banked: this.session.banked(this.sides), editing: this.editing !== null, names,
    });
    const told = now.repeats ? "This position was there before: the game ends, and what is left is divided." : verdict(now, this.sides);
    const known = this.shown || now.over ? told : `${capital(now.mover)} to move.`;
    this.parts.verdict.textContent = this.editing ? `Set up a position: write it below${readPits(position) ? ", or click a pit to add, shift-click or right-click to remove" : ""}.` : known;
    this.parts.verdict.dataset.outcome = this.shown && now.value ? now.outcome ?? "" : "";
    this.parts.note.textContent = this.note || (this.editing ? "" : now.missing ?? "");
    this.valuesButton.textContent = this.shown ? "Hide values" : "Show values";
    this.valuesButton.setAttribute("aria-pressed", String(!this.shown));
    this.renderChoices(choices, shown);
    this.renderLine();
    this.renderSetup();
    const atStart = this.session.at === 0;
    const atEnd = this.session.at === this.session.nodes.length - 1;
    for (const id of ["first", "undo"]) $(`#${id}`).disabled = atStart;
    for (const id of ["redo", "last"]) $(`#${id}`).disabled = atEnd;
    this.rival.render();
    this.engine.render();
    this.book.render();
    history.replaceState(null, "", this.link());
  }

  renderChoices(choices, shown) {
    if (choices.length === 0) {
      this.parts.choices.replaceChildren(h("p", { class: "note" }, this.editing ? "Not while a position is set up." : "The game is over here."));
      return;
    }
    const ordered = shown ? choices : [...choices].sort((a, b) => a.move.localeCompare(b.move));
    this.parts.choices.replaceChildren(
      h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Move"), h("th", { scope: "col" }, "Banks"), h("th", { scope: "col" }, "Value"))),
        h("tbody", {}, ordered.map((choice) =>
          h("tr", { class: shown ? `${choice.outcome ?? ""}${choice.best ? " best" : ""}` : "", "data-choice": choice.move, onclick: () => this.play(choice) },
            h("td", {}, h("button", { class: "link", "aria-label": describe(choice, shown) }, choice.move)),
            h("td", {}, choice.captures || ""),
            h("td", { class: "value" }, shown ? h("span", { class: `badge ${choice.outcome ?? "unknown"}` }, score(choice.value)) : "·",
              shown && choice.best ? h("span", { class: "star", title: "best" }, "★") : null))))));
  }

  renderLine() {
    const items = this.session.nodes.map((node, i) => {
      if (i === 0) {
        return h("li", {}, h("button", { class: `link${this.session.at === 0 ? " now" : ""}`, onclick: () => this.jump(0), "data-ply": 0 }, "start"));
      }
      const before = this.session.nodes[i - 1];
      const played = before.played;
      const error = this.shown ? mistake(before) : null;
      const mark = error ? (error.grave ? "??" : "?") : "";
      return h("li", { class: error ? (error.grave ? "grave" : "slip") : "" },
        h("button", {
          class: `link${this.session.at === i ? " now" : ""}`, "data-ply": i, onclick: () => this.jump(i),
          "aria-current": this.session.at === i ? "step" : undefined,
          title: error ? `loses ${error.lost}${error.grave ? " and the result" : ""}` : undefined,
        }, played.move, mark),
        this.shown && played.value && h("span", { class: `badge small ${played.outcome ?? "unknown"}` }, score(played.value)));
    });
    this.parts.line.replaceChildren(...items);
    const chart = this.shown ? graph(this.session, this.sides, (at) => this.jump(at)) : null;
    this.parts.graph.replaceChildren(...(chart ? [chart, h("p", { class: "note caption" }, `${capital(this.sides[0])}'s margin at the end with best play from each move on`)] : []));
  }

  renderSetup() {
    if (this.editing === null) {
      this.parts.setup.replaceChildren();
      return;
    }
    if (!this.field) {
      this.field = h("input", { id: "notation", "aria-label": "Position", spellcheck: "false", autocomplete: "off" });
      this.field.addEventListener("input", () => {
        this.editing = this.field.value;
        if (readPits(this.editing) || readGrid(this.editing)) this.render();
      });
    }
    if (this.field.value !== this.editing) this.field.value = this.editing;
    const model = readPits(this.editing);
    const changed = (change) => () => {
      const now = readPits(this.editing);
      if (!now) return;
      this.editing = writePits({ ...now, ...change(now) });
      this.render();
    };
    const turn = changed((now) => ({ mover: 1 - now.mover }));
    const clear = changed((now) => ({ rows: now.rows.map((row) => row.map(() => 0)), banked: null }));
    if (this.parts.setup.contains(this.field)) return;
    this.parts.setup.replaceChildren(
      h("form", { onsubmit: (event) => { event.preventDefault(); this.done(); } },
        h("label", {}, "Position ", this.field),
        h("div", { class: "tools" },
          h("button", { class: "primary", id: "done" }, "Done"),
          h("button", { type: "button", id: "cancel", onclick: () => this.edit(false) }, "Cancel"),
          model && h("button", { type: "button", id: "mover", onclick: turn }, "Other side moves"),
          model && h("button", { type: "button", id: "clear", onclick: clear }, "Clear"))));
  }

  link() {
    return boardUrl(this.game, {
      from: this.session.root.position, line: this.session.moves(), at: this.session.at,
      options: this.options, flip: this.flip,
    });
  }

  async play(choice) {
    if (this.busy || this.editing !== null || this.session.now.over) return;
    this.busy = true;
    this.hint = false;
    this.note = "";
    try {
      const mover = capital(this.session.now.mover);
      const [next] = await Promise.all([this.ask.moves({ position: choice.next }), this.drawing.animate(choice, choice.next)]);
      this.session.play(choice, next);
      this.render();
      const banks = choice.captures > 0 ? ` and banks ${choice.captures}` : "";
      say(`${mover} plays ${choice.move}${banks}. ${$("#verdict").textContent}`);
    } catch (error) {
      this.note = error.message;
      this.render();
    } finally {
      this.busy = false;
    }
    this.rival.consider();
  }

  jump(at) {
    if (this.busy || this.editing !== null) return;
    this.session.go(at);
    this.hint = false;
    this.note = "";
    this.render();
    say($("#verdict").textContent);
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

  showHint() {
    const best = this.session.now.moves.filter((choice) => choice.best);
    if (!best.length) {
      this.note = "There is no hint where values are not known.";
      this.render();
      return;
    }
    this.hint = true;
    this.render();
    say(`Best: ${best.map((choice) => choice.move).join(", ")}`);
    setTimeout(() => { this.hint = false; this.render(); }, 1600);
  }

  edit(on = this.editing === null) {
    this.editing = on ? this.session.now.position : null;
    this.note = "";
    this.render();
    if (on) $("#notation")?.focus();
  }

  change(side, pit, by) {
    const model = readPits(this.editing ?? "");
    if (!model) return;
    model.rows[side][pit] = Math.max(0, model.rows[side][pit] + by);
    this.editing = writePits({ ...model, banked: null });
    this.render();
  }

  async done() {
    try {
      await this.begin(this.editing.trim());
      this.editing = null;
      this.note = "";
      this.parts.stage.replaceChildren();
      this.render();
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
    } catch (error) {
      this.note = error.message;
      this.render();
    }
  }

  async random() {
    try {
      const found = await this.ask.random({});
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
    if (event.defaultPrevented || event.altKey || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "z") this.back();
    else if (event.ctrlKey || event.metaKey) return;
    else if (event.key === "ArrowLeft" || event.key === "Backspace") this.back();
    else if (event.key === "ArrowRight") this.jump(this.session.at + 1);
    else if (event.key === "Home") this.jump(0);
    else if (event.key === "End") this.jump(this.session.nodes.length);
    else if (event.key === "v") this.toggle();
    else if (event.key === "t") this.turn();
    else if (event.key === "?") this.showHint();
    else if (/^[a-f]$/i.test(event.key) && this.drawing?.kind === "pits") {
      const choice = this.session.now.moves.find((one) => one.move[0].toLowerCase() === event.key.toLowerCase());
      if (choice) this.play(choice);
    } else return;
    event.preventDefault();
  }
}
