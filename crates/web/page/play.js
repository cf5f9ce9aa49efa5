// Play against the program, from level 1 to perfect.

import { about } from "./api.js";
import { h } from "./dom.js";
import { capital, isDistance } from "./words.js";

const PAUSE = 300;

/**
 * An opponent: it moves when it is its turn. `session` gives the game on the board, `play` plays a move
 * there, `jump` goes to a ply, `hide` hides values or shows them again.
 */
export function opponent({ game, options, card, api, signal }, { session, play, jump, hide }) {
  let side = null;
  let turns = 0;
  let failure = "";
  let thinking = false;
  const status = h("p", { class: "note", id: "rival", role: "status" });
  const option = (value, text) => h("option", { value }, text);
  const choose = h(
    "select",
    {
      id: "opponent",
      onchange: (event) => {
        side = event.target.value || null;
        remember();
        // Values would give the game away; afterwards they are as they were.
        hide(side !== null);
        consider();
      },
    },
    option("", "no one"),
    card.sides.map((name) => option(name, capital(name))),
  );
  const rates = h("p", { class: "note", id: "error-rates", role: "status" });
  const level = h(
    "select",
    {
      id: "level",
      "aria-describedby": "error-rates",
      onchange: () => {
        remember();
        consider();
      },
    },
    option("perfect", "as strong as it can be"),
    Array.from({ length: 10 }, (_, i) => option(10 - i, `level ${10 - i}`)),
  );
  const go = h("button", { id: "let-it", hidden: true, onclick: () => consider(true) }, "Let it move");
  const book = h("input", {
    type: "checkbox",
    id: "uses-book",
    onchange: () => {
      show();
      consider();
    },
  });
  /** What a draw counts as, for whoever plays from the book. */
  const draws = (id) =>
    h(
      "select",
      { id, onchange: () => remember() },
      option("0", "0 points"),
      option("win", "a win"),
      option("loss", "a loss"),
    );
  const [privateDraws, publicDraws] = [draws("book-draws"), draws("book-public-draws")];
  const variety = h("input", {
    type: "number",
    id: "book-variety",
    min: "0",
    max: "1000",
    step: "0.1",
    value: "0",
    onchange: () => remember(),
  });
  const style = h(
    "div",
    { class: "find", id: "book-style", hidden: true },
    h("label", {}, "A draw counts as ", privateDraws),
    h("label", {}, "a draw known to the public as ", publicDraws),
    h("label", {}, "its moves may give away ", variety, " points in a game"),
  );
  const show = () => {
    style.hidden = !book.checked;
    remember();
  };
  const panel = h(
    "section",
    { class: "panel" },
    h("h2", {}, "Play"),
    h(
      "div",
      { class: "find" },
      h("label", {}, "The program plays ", choose),
      h("label", {}, "and plays ", level),
      h("label", {}, book, " with the opening book"),
    ),
    rates,
    style,
    status,
    go,
  );

  /** The same game against the same opponent goes on after a reload, in this tab alone. */
  const place = `opponent of ${game} ${options}`;
  const remember = () => {
    if (side === null) sessionStorage.removeItem(place);
    else {
      const kept = { side, level: level.value, book: book.checked, style: bookStyle() };
      sessionStorage.setItem(place, JSON.stringify(kept));
    }
  };
  const bookStyle = () => ({
    draws: privateDraws.value,
    public_draws: publicDraws.value,
    // Anything else than a number of points is none.
    variety: Number(variety.value) > 0 ? variety.value : "0",
  });
  const before = JSON.parse(sessionStorage.getItem(place) ?? "null");
  if (before && card.sides.includes(before.side)) {
    side = before.side;
    choose.value = side;
    level.value = before.level;
    book.checked = before.book === true;
    style.hidden = !book.checked;
    if (before.style) {
      privateDraws.value = before.style.draws;
      publicDraws.value = before.style.public_draws;
      variety.value = before.style.variety;
    }
  }

  /** Whether the program is to move; it does so by itself only at the end of the line. */
  const its = () => side !== null && session().now.mover === side && !session().now.over;
  const atEnd = () => session().atEnd;

  async function consider(anyway = false) {
    turns += 1;
    const mine = turns;
    failure = "";
    thinking = its() && (anyway || atEnd());
    render();
    if (!thinking) return;
    try {
      const line = session();
      const { at } = line;
      const pending = api.reply({
        position: line.root.position,
        moves: line.moves(at).join(" "),
        level: level.value,
        ...(book.checked ? { book: true, ...bookStyle() } : {}),
      });
      const [reply] = await Promise.all([pending, new Promise((done) => setTimeout(done, PAUSE))]);
      if (mine !== turns || session() !== line || line.at !== at) return;
      const choice = line.now.moves.find((one) => one.move === reply.move);
      thinking = false;
      if (choice) await play(choice);
    } catch (error) {
      if (mine === turns) failure = error.message;
    }
    if (mine === turns) thinking = false;
    render();
  }

  /** What is said of the level: where the game begins, which side it plays, and how strong. */
  let said = "";
  let asked = new AbortController();

  /** Says how often the level errs from where the game begins, where databases count moves. */
  async function rate() {
    const errs = side !== null && level.value !== "perfect" && isDistance(card.metric);
    const begin = session().root.position;
    const question = errs ? `${side} ${level.value} ${begin}` : "";
    if (question === said) return;
    said = question;
    rates.textContent = "";
    // What is no longer asked does not take the time of the server.
    asked.abort();
    asked = new AbortController();
    if (!errs) return;
    const answer = about(game, options, asked.signal).errorRates({ position: begin, side, level: level.value });
    // It is no loss where it cannot be told in time.
    const { slice, not_best, gives_away } = await answer.catch(() => ({ not_best: null }));
    if (question !== said || not_best === null) return;
    const percent = (rate) => `${(100 * rate).toFixed(1)}%`;
    rates.textContent =
      `By the model of its level, ${percent(not_best)} of its moves from ${slice} on are not the best, ` +
      `and ${percent(gives_away)} give the result away.`;
  }

  function render() {
    rate();
    go.hidden = thinking || !its() || (atEnd() && !failure);
    if (failure) status.textContent = failure;
    else if (side === null) status.textContent = "Choose a side for it, and play the other.";
    else if (session().now.over) status.textContent = "The game is over.";
    else if (thinking) status.textContent = "It thinks …";
    else if (its()) status.textContent = "It is the program's turn.";
    else status.textContent = "Your move.";
  }

  /** Goes back to one's own last move. */
  function takeBack() {
    turns += 1;
    thinking = false;
    const { at: now, nodes } = session();
    let at = now - 1;
    while (side !== null && at > 0 && nodes[at].mover === side) at -= 1;
    jump(at);
  }

  signal.addEventListener("abort", () => {
    turns += 1;
    asked.abort();
  });
  return { panel, render, consider, takeBack, plays: () => side !== null };
}
