// Practice: positions in which one move alone holds the result.

import { about } from "./api.js";
import { boardOf } from "./boards.js";
import { announce, h, put } from "./dom.js";
import { boardUrl, pageUrl } from "./url.js";
import { capital, count, headingOf, slice, wordsOf } from "./words.js";

/** Difficulties, by how many levels miss the move. */
const DIFFICULTIES = {
  any: { text: "any", filters: {} },
  easy: { text: "easy: level 4 misses it at most", filters: { max_missed: 4 } },
  medium: { text: "medium: level 5, 6 or 7 still misses it", filters: { min_missed: 5, max_missed: 7 } },
  hard: { text: "hard: level 8 still misses it", filters: { min_missed: 8 } },
};

const HELD = { win: "win", draw: "draw" };

/** What a move that does not hold leaves, for its mover. */
const LEFT = { win: "wins", draw: "only draws", loss: "loses" };

/** Rounded down: what is missed more often than not is less than a half. */
const percent = (share) => `${Math.floor(100 * share)} %`;

/** Slices of fewer positions have hardly a puzzle. */
const LEAST = 300;

/** Slices to take puzzles from, the last first: some positions are won, and some are not. */
function worthPractice(slices) {
  const mixed = slices.filter(({ positions, won }) => positions >= LEAST && won > 0 && won < positions);
  return (mixed.length > 0 ? mixed : slices).toReversed();
}

/** How often each level finds the move. */
function chances(levels) {
  return h(
    "table",
    { class: "levels" },
    h("caption", {}, "How often each level finds it"),
    h(
      "tbody",
      {},
      levels.map(({ level, finds }) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, `Level ${level}`),
          h(
            "td",
            { class: "share" },
            h("meter", { min: 0, max: 1, value: finds, "aria-label": `Level ${level} finds it` }),
          ),
          h("td", {}, percent(finds)),
        ),
      ),
    ),
  );
}

/** The page; a puzzle is solved by its first try, and can be tried again. */
class Practice {
  constructor({ game, options, card, slices, api, words, signal }) {
    this.game = game;
    this.options = options;
    this.card = card;
    this.slices = slices;
    this.api = api;
    this.words = words;
    this.signal = signal;
    /** @type {any} */
    this.drawing = null;
    this.place = `practice of ${game} ${options}`;
    this.tally = JSON.parse(sessionStorage.getItem(this.place) ?? '{"solved":0,"tried":0,"row":0}');
    this.puzzle = null;
    this.moves = null;
    /** The moves that were tried, and whether the answer is shown. */
    this.tries = [];
    this.shown = false;
    this.flip = false;
    this.latest = 0;
    addEventListener("keydown", (event) => this.key(event), { signal });
    matchMedia("(max-width: 640px)").addEventListener("change", () => this.render(), { signal });
  }

  build(main) {
    const change = () => this.next();
    const difficulties = Object.entries(DIFFICULTIES);
    this.difficulty = h(
      "select",
      { id: "difficulty", onchange: change },
      difficulties.map(([value, { text }]) => h("option", { value }, text)),
    );
    this.slice = h(
      "select",
      { id: "slice", onchange: change },
      worthPractice(this.slices).map((one) =>
        h("option", { value: one.slice }, one.title ?? slice(one.slice, this.card.unit)),
      ),
    );
    this.question = h("p", { class: "verdict", id: "question", tabindex: -1 });
    this.stage = h("div", { class: "stage" });
    this.answer = h("div", { class: "answer", id: "answer", role: "status" });
    this.side = h("div", { id: "levels" });
    this.score = h("p", { id: "tally" });
    const button = (id, text, action, kind = "") => h("button", { id, class: kind, onclick: action }, text);
    this.nextButton = button("next", "Next puzzle", () => this.next(), "primary");
    this.reveal = button("reveal", "Show the answer", () => this.giveUp());
    this.again = button("again", "Try again", () => this.retry());
    this.link = h("a", { class: "button", id: "on-board" }, "On the board");
    main.replaceChildren(
      h(
        "div",
        { class: "layout" },
        h(
          "section",
          { class: "panel table", "aria-label": "Puzzle" },
          headingOf(this.card, "practice"),
          this.question,
          this.stage,
          this.answer,
          h("div", { class: "tools" }, this.nextButton, this.reveal, this.again, this.link),
        ),
        h(
          "aside",
          { class: "side" },
          h(
            "section",
            { class: "panel" },
            h("h2", {}, "Puzzles"),
            h(
              "div",
              { class: "find stacked" },
              h("label", {}, "Difficulty ", this.difficulty),
              h("label", {}, "From ", this.slice),
            ),
            this.score,
          ),
          h("section", { class: "panel" }, h("h2", {}, "How hard it is"), this.side),
        ),
      ),
    );
  }

  /** Shows another puzzle. */
  async next() {
    this.latest += 1;
    const mine = this.latest;
    this.nextButton.disabled = true;
    const { filters } = DIFFICULTIES[this.difficulty.value];
    try {
      const puzzle = await this.api.puzzle({ ...filters, slice: this.slice.value });
      const moves = await this.api.moves({ position: puzzle.position });
      if (mine !== this.latest || this.signal.aborted) return;
      Object.assign(this, { puzzle, moves, tries: [], shown: false });
      this.render();
      announce(this.question.textContent);
    } catch (error) {
      if (this.signal.aborted || mine !== this.latest) return;
      put(this.answer, h("p", { role: "alert" }, capital(error.message), "."));
    } finally {
      if (mine === this.latest) this.nextButton.disabled = false;
    }
  }

  /** The move that holds: its outcome is that of the position. */
  get only() {
    return this.moves.moves.find((one) => one.outcome === this.puzzle.outcome);
  }

  try(choice) {
    if (this.shown || !choice) return;
    const right = choice.move === this.only.move;
    if (!this.tries.length) this.count(right);
    this.tries.push(choice);
    if (right) this.shown = true;
    this.render();
  }

  count(right) {
    const { solved, tried, row } = this.tally;
    this.tally = { solved: solved + (right ? 1 : 0), tried: tried + 1, row: right ? row + 1 : 0 };
    sessionStorage.setItem(this.place, JSON.stringify(this.tally));
  }

  giveUp() {
    if (!this.tries.length) this.count(false);
    this.shown = true;
    this.render();
    this.nextButton.focus();
  }

  retry() {
    this.tries = this.tries.slice(0, 1);
    this.shown = false;
    this.render();
    this.question.focus();
  }

  /** What there is to say of the last try. */
  verdict() {
    const held = HELD[this.puzzle.outcome];
    const last = this.tries.at(-1);
    const right = last?.move === this.only.move;
    if (right) return ["right", `Right: ${last.move} holds the ${held}, and no other move does.`];
    if (this.shown) return ["shown", `${this.only.move} holds the ${held}, and no other move does.`];
    if (last) return ["wrong", `No: ${last.move} ${LEFT[last.outcome]}. Which move holds the ${held}?`];
    return ["", ""];
  }

  render() {
    const { puzzle, moves, shown } = this;
    if (!puzzle || this.signal.aborted) return;
    const { sides } = this.card;
    const mover = capital(puzzle.mover);
    const kind = boardOf(puzzle.position);
    if (this.drawing?.kind !== kind) {
      this.drawing = kind.draw({ act: (choice) => this.try(choice), edit: () => {}, words: this.words });
      this.drawing.kind = kind;
      this.stage.replaceChildren(this.drawing.element);
    }
    const choices = moves.moves.map((one) => ({
      ...one,
      standing: this.words.standing({ ...one, mover: moves.mover }),
    }));
    this.drawing.render({
      position: puzzle.position,
      drawing: moves.drawing,
      choices,
      shown,
      flip: this.flip,
      hint: new Set(),
      banked: [0, 0],
      final: null,
      editing: false,
      removing: false,
      names: sides.map(capital),
    });
    const held = puzzle.outcome === "win" ? "win" : "save the draw";
    put(this.question, `${mover} to move: only one of ${puzzle.choices} moves can ${held}. Which?`);
    const [how, text] = this.verdict();
    this.answer.className = `answer ${how}`;
    put(this.answer, text && h("p", {}, text));
    this.reveal.hidden = shown;
    this.again.hidden = !shown;
    this.link.href = boardUrl(this.game, { from: puzzle.position, options: this.options });
    put(
      this.side,
      h("p", {}, h("strong", {}, capital(puzzle.difficulty)), ", looking ahead without databases."),
      shown
        ? chances(puzzle.levels)
        : h("p", { class: "note" }, "How often each finds it is shown with the answer."),
    );
    const { solved, tried, row } = this.tally;
    put(
      this.score,
      tried > 0 && [`Solved ${count(solved)} of ${count(tried)}`, row > 1 && `, ${count(row)} in a row`, "."],
    );
  }

  key(event) {
    const typed = event.target instanceof Element && event.target.closest("input, select, textarea");
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || typed || !this.moves)
      return;
    if (event.key === "n") this.next();
    else if (/^[a-z]$/i.test(event.key)) {
      const choice = this.drawing?.kind.choice?.(event.key, this.moves.moves);
      if (!choice) return;
      this.try(choice);
    } else return;
    event.preventDefault();
  }
}

export async function practicePage({ game, options, main, signal }) {
  const api = about(game, options, signal);
  const card = await api.card();
  if (!card.slices.length) {
    main.replaceChildren(
      headingOf(card, "practice"),
      h(
        "section",
        { class: "panel narrow" },
        h("p", {}, "Puzzles come from databases, and there are none here yet."),
        h("p", {}, h("a", { href: pageUrl("databases", game, options) }, "Databases of this game")),
      ),
    );
    return;
  }
  const { slices } = await api.slices();
  const practice = new Practice({ game, options, card, slices, api, words: wordsOf(card), signal });
  practice.build(main);
  await practice.next();
}
