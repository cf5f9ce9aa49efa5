// The board, and what is around it.

import { about, running } from "./api.js";
import { bestPanel } from "./best.js";
import { boardOf } from "./boards.js";
import { bookPanel } from "./book.js";
import { builder } from "./build.js";
import { choicesPanel } from "./choices.js";
import { h, announce } from "./dom.js";
import { engine } from "./engine.js";
import { goodMoves } from "./hint.js";
import { layOut } from "./layout.js";
import { linePanel } from "./line.js";
import { recall, remember } from "./lines.js";
import { openGame } from "./open.js";
import { opening } from "./opening.js";
import { opponent } from "./play.js";
import { reviewPanel } from "./review.js";
import { rulesOf } from "./rules.js";
import { seedsPanel } from "./seeds.js";
import { Session, ahead, banked } from "./session.js";
import { setup } from "./setup.js";
import { actionOf, tools } from "./tools.js";
import { boardUrl } from "./url.js";
import { capital, headingOf, sentence, wordsOf } from "./words.js";

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
      headingOf(card),
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
  await new Board({ game, options, card, api, go, words: wordsOf(card), signal }).open(query, main);
}

/**
 * The game on the board: its session, and what is shown of it. Panels get the `context` of the game
 * and the actions they need, and `render` gives them what there is to show: the `session`, its moves
 * as `choices`, whether values are `shown`, and whether a position is set up (`editing`).
 */
class Board {
  constructor(context) {
    this.context = context;
    const { api, card, signal } = context;
    this.api = api;
    this.card = card;
    this.words = context.words;
    this.signal = signal;
    this.shown = localStorage.getItem("values") !== "hidden";
    this.flip = false;
    this.hint = new Set();
    this.note = "";
    this.problem = "";
    this.busy = false;
    const [play, jump] = [(choice) => this.play(choice), (at) => this.jump(at)];
    const visit = (moves, at) => this.visit(moves, at);
    this.setup = setup(context, {
      changed: () => this.render(),
      wrong: (text) => this.complain(text),
      finish: (position) => this.setUp(position),
      cancel: () => this.leaveSetup(),
    });
    this.actions = {
      first: () => this.jump(0),
      back: () => this.rival.takeBack(),
      forward: () => this.jump(this.session.at + 1),
      last: () => this.jump(this.session.nodes.length),
      turn: () => this.turn(),
      toggleValues: () => this.toggle(),
      hint: () => this.showHint(),
      setUp: () => (this.editing ? this.leaveSetup() : this.enterSetup()),
      random: () => this.random(),
      start: () => this.restart(card.start),
      copy: () => this.copy(),
      open: () => this.opener.show(),
    };
    this.opener = openGame(context);
    this.tools = tools(this.actions, { random: card.slices.length > 0 });
    this.rival = opponent(context, {
      session: () => this.session,
      play,
      jump,
      hide: (hidden) => this.hide(hidden),
    });
    if (this.rival.plays()) this.shown = false;
    this.review = reviewPanel(context, { visit, changed: () => this.render() });
    const sows = boardOf(card.start).sows;
    /** Beside the board, and below it. */
    this.beside = [
      choicesPanel(context, { play, elsewhere: () => this.parts.verdict }),
      bestPanel(context, { follow: (moves) => this.follow(moves) }),
      bookPanel(context, {
        play: (move) => this.playNamed(move),
        found: (at, node) => this.foundInBook(at, node),
      }),
      this.rival,
      engine(context),
    ];
    this.below = [
      linePanel(context, { jump, visit, drop: (branch) => this.drop(branch) }),
      this.review,
      sows && seedsPanel(context),
    ].filter(Boolean);
    addEventListener("keydown", (event) => this.key(event), { signal });
    matchMedia("(max-width: 640px)").addEventListener("change", () => this.render(), { signal });
  }

  get editing() {
    return this.setup.text !== null;
  }

  /** Opens what the address names. */
  async open(query, main) {
    this.flip = query.get("flip") === "1";
    const line = query.get("line");
    const { root, note } = await opening(this.api, this.card, query.get("from"));
    this.note = note;
    await this.begin(root, line ? line.split(" ").filter(Boolean) : []);
    await recall(this.session, this.api);
    const at =
      query.get("at") === null || !line ? this.session.nodes.length - 1 : Number(query.get("at")) || 0;
    await this.load(at);
    this.session.go(at);
    this.build(main);
    this.review.begin(this.session);
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
    const { session } = this;
    const place = session.clamp(at);
    const node = session.nodes[place];
    if (node.moves) return;
    const moves = session.moves(place).join(" ");
    const { played, others } = node;
    Object.assign(node, await this.api.moves({ position: session.root.position, moves }), { played, others });
  }

  build(main) {
    const { beside, below, tools, setup, opener } = this;
    this.parts = layOut(main, this.context, { beside, below, tools, setup, opener });
  }

  /** The drawing that suits the notation. */
  stage(position) {
    const kind = boardOf(position);
    if (this.drawing?.kind !== kind) {
      const act = (choice) => this.play(choice);
      this.drawing = kind.draw({ act, edit: this.setup.change, words: this.words });
      this.drawing.kind = kind;
      this.parts.stage.replaceChildren(this.drawing.element);
    }
    return this.drawing;
  }

  render() {
    if (!this.parts || this.signal.aborted) return;
    const { editing, session, words } = this;
    const { sides } = this.card;
    const { now } = session;
    const base = ahead(now, sides);
    const shown = this.shown && !editing;
    const choices =
      editing || now.over
        ? []
        : now.moves.map((one) => {
            const choice = one.value ? one : { ...one, ...now.book?.get(one.move) };
            return { ...choice, standing: words.standing({ ...choice, mover: now.mover }, base) };
          });
    // What the server knows comes in its order, the best first.
    if (choices.some((one) => one.book))
      choices.sort((a, b) => (b.value?.points ?? 0) - (a.value?.points ?? 0));
    const position = this.setup.text ?? now.position;
    this.stage(position).render({
      position,
      drawing: editing ? null : now.drawing,
      choices,
      shown,
      flip: this.flip,
      hint: this.hint,
      banked: banked(now, sides),
      final: now.over && now.result && !editing ? sides.map((side) => now.result[side]) : null,
      editing,
      removing: this.setup.removing,
      names: sides.map(capital),
    });
    this.tell(now, base);
    const { line: review, isGame } = this.review;
    const view = { session, choices, shown, editing, flip: this.flip, review, isGame };
    this.tools.render({ ...view, shown: this.shown });
    for (const panel of [...this.beside, ...this.below]) panel.render(view);
    remember(session, this.link());
  }

  /** What a book says of the moves here, where databases say nothing. */
  foundInBook(position, node) {
    const { now } = this.session;
    if (now.position !== position) return;
    now.book = new Map(node.moves.map(({ move, value, best }) => [move, { value, best, book: true }]));
    now.bookValue = node.value;
    if (!now.value || now.moves.some((one) => !one.value)) this.render();
  }

  /** What databases know of the position, else what the book says. */
  verdict(now, base, line) {
    if (now.value || now.over || !now.bookValue) return this.words.verdict(now, base, line);
    const { said } = this.words.standing({ value: now.bookValue, mover: now.mover }, base);
    return `${capital(now.mover)} to move; by the book ${said}.`;
  }

  /** Says what there is to say of the position. */
  tell(now, base) {
    const counted = now.banked || this.session.at === 0;
    const revealed = this.shown || now.over;
    const verdict = revealed ? this.verdict(now, base, !counted) : `${capital(now.mover)} to move.`;
    this.parts.verdict.textContent = this.editing ? this.setup.help() : verdict;
    const tells = revealed && !this.editing && now.value;
    this.parts.verdict.dataset.outcome = tells ? this.words.standing(now, base).kind : "";
    this.parts.note.textContent = this.note || (this.editing ? "" : capital(now.missing ?? ""));
    this.parts.problem.textContent = sentence(this.problem);
  }

  complain(text) {
    this.problem = text;
    this.parts.problem.textContent = sentence(text);
  }

  /** Forgets what was said of another position. */
  quiet() {
    this.hint = new Set();
    this.note = "";
    this.problem = "";
  }

  link() {
    const { game, options } = this.context;
    return boardUrl(game, {
      from: this.session.root.position,
      line: this.session.moves(),
      at: this.session.at,
      options,
      flip: this.flip,
    });
  }

  async play(choice) {
    const { session } = this;
    if (this.busy || this.editing || session.now.over) return;
    this.busy = true;
    this.quiet();
    try {
      const mover = capital(session.now.mover);
      const moves = [...session.moves(session.at), choice.move].join(" ");
      const [next] = await Promise.all([
        this.api.moves({ position: session.root.position, moves }),
        this.drawing.animate(choice, choice.next),
      ]);
      session.play(choice, next);
      this.render();
      const banks = choice.captures > 0 ? ` and banks ${choice.captures}` : "";
      announce(`${mover} plays ${choice.move}${banks}. ${this.parts.verdict.textContent}`);
    } catch (error) {
      this.complain(error.message);
    } finally {
      this.busy = false;
    }
    if (!this.signal.aborted) this.rival.consider();
  }

  playNamed(move) {
    const choice = this.session.now.moves.find((one) => one.move === move);
    if (choice) this.play(choice);
  }

  /** Plays moves one after the other from here on, without a pause. */
  async follow(moves) {
    const { session } = this;
    const all = [...session.moves(session.at), ...moves];
    await this.visit(all, all.length);
  }

  /** Goes to a ply of the line with these moves; the one on the board is kept beside it. */
  async visit(moves, at) {
    if (this.busy || this.editing) return;
    const { session } = this;
    await this.change(async () => {
      if (!session.turnTo(moves)) {
        const { nodes } = await this.api.line({ position: session.root.position, moves: moves.join(" ") });
        session.take(nodes);
      }
      await this.load(at);
      session.go(at);
    });
  }

  /** Forgets a line beside the one on the board. */
  drop(branch) {
    this.session.drop(branch);
    this.render();
  }

  /** Goes to a ply of the line. */
  async jump(at) {
    if (this.busy || this.editing) return;
    const { session } = this;
    await this.change(async () => {
      await this.load(at);
      if (this.session === session) session.go(at);
    });
  }

  /** Changes what is on the board, and says so. */
  async change(how) {
    this.busy = true;
    try {
      await how();
      this.quiet();
    } catch (error) {
      this.problem = error.message;
    } finally {
      this.busy = false;
    }
    if (this.signal.aborted) return;
    this.render();
    announce(this.parts.verdict.textContent);
    this.rival.consider();
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
    const { session } = this;
    const { now } = session;
    if (now.over || this.editing) return;
    let found;
    try {
      found = await goodMoves(this.api, session);
    } catch (error) {
      this.complain(error.message);
      return;
    }
    if (this.session.now !== now) return;
    const { best, known } = found;
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

  enterSetup() {
    this.quiet();
    this.setup.open(this.session.now.position);
  }

  leaveSetup() {
    this.setup.close();
    this.quiet();
    this.render();
    this.tools.focusSetup();
  }

  async setUp(position) {
    if (await this.restart(position)) this.tools.focusSetup();
  }

  /** Begins a new line, which is a new entry of the browser's history; the moves of a line are not. */
  async restart(position) {
    try {
      await this.begin(position);
    } catch (error) {
      this.complain(error.message);
      return false;
    }
    this.setup.close();
    this.quiet();
    if (this.link() !== location.pathname + location.search) history.pushState(null, "", this.link());
    this.render();
    this.rival.consider();
    return true;
  }

  async random() {
    try {
      await this.restart((await this.api.random({})).position);
    } catch (error) {
      this.complain(error.message);
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
    if (event.key === "Escape" && this.editing) {
      this.leaveSetup();
      return;
    }
    const typed = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
    if (event.defaultPrevented || event.altKey || typed) return;
    const action = actionOf(event, this.actions);
    if (action) action();
    else {
      if (event.ctrlKey || event.metaKey || !/^[a-z]$/i.test(event.key)) return;
      const choice = this.drawing?.kind.choice?.(event.key, this.session.now.moves);
      if (!choice) return;
      this.play(choice);
    }
    event.preventDefault();
  }
}
