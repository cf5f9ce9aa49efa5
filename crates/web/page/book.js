// Opening books: a panel beside the board, and a page of their own.

import { about, get } from "./api.js";
import { chart } from "./chart.js";
import { fill, focusedElement, h, put } from "./dom.js";
import { ahead } from "./session.js";
import { boardUrl, pageUrl } from "./url.js";
import { capital, count, headingOf, wordsOf } from "./words.js";

/** How often a growing book is polled. */
const TICK = 1500;

function state(move) {
  if (move.value.exact) return "solved";
  return move.state === "leaf" ? "leaf" : "open";
}

/**
 * The moves of a node, with what they are worth to the first side, which is ahead by `base`; `act` is
 * called with a move's name.
 */
function moveTable(node, words, base, act) {
  if (!node.moves.length)
    return h(
      "p",
      { class: "note" },
      node.state === "over" ? "The game is over here." : "The book ends here.",
    );
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["Move", `For ${words.first}`, "State"].map((text) => h("th", { scope: "col" }, text)),
      ),
    ),
    h(
      "tbody",
      {},
      node.moves.map((move) =>
        h(
          "tr",
          { class: move.best ? "best" : "", "data-book": move.move, onclick: () => act(move.move) },
          h(
            "td",
            {},
            h("button", { class: "link" }, move.move),
            move.best && h("span", { class: "star", title: "best" }, "★"),
          ),
          h("td", {}, words.standing({ value: move.value, mover: node.mover }, base).text),
          h("td", { class: "soft" }, state(move)),
        ),
      ),
    ),
  );
}

/**
 * A panel beside the board; it hides itself where no book covers the position. `found` is called with
 * what it says of one.
 */
export function bookPanel(context, { play, found }) {
  const { api, card, words, signal } = context;
  let latest = 0;
  let position = null;
  let timer = null;
  signal.addEventListener("abort", () => clearTimeout(timer));
  const body = h("div", { id: "book" });
  const panel = h("section", { class: "panel", hidden: true }, h("h2", {}, "Book"), body);

  async function render({ session, shown }) {
    if (!shown) {
      panel.hidden = true;
      position = null;
      return;
    }
    const now = session.now.position;
    if (now === position) return;
    position = now;
    clearTimeout(timer);
    // Moves of another position must not be played here.
    body.replaceChildren();
    await load(session);
  }

  async function load(session, again = false) {
    const now = session.now.position;
    const base = ahead(session.now, card.sides);
    latest += 1;
    const mine = latest;
    const node = await api.bookNode({ position: now, optional: true }).catch((error) => error);
    if (mine !== latest || signal.aborted) return;
    panel.hidden = node === null;
    if (node === null) return;
    if (node instanceof Error) {
      body.replaceChildren(h("p", { class: "note" }, node.message));
      return;
    }
    found(now, node);
    // What a growing book says changes while it is shown; what is being used is left as it is.
    if (node.book.growing) {
      timer = setTimeout(() => position === now && load(session, true), TICK);
      if (again && (body.contains(document.activeElement) || body.querySelector("details[open]"))) return;
    }
    body.replaceChildren(
      h(
        "p",
        {},
        h("strong", {}, words.standing(node, base).said),
        node.value.exact ? " solved" : "",
        node.depth === 0
          ? ", where the book starts"
          : `, depth ${node.depth}, ${count(node.ways)} ${node.ways === 1 ? "way" : "ways"} here`,
      ),
      moveTable(node, words, base, play),
      around(context, node),
    );
  }

  return { panel, render };
}

const perspective = (words) =>
  h("p", { class: "note" }, `Values are for ${words.first}, each from its position on.`);

/** The tree around a node: what leads to it, and what follows. */
function around(context, node) {
  const { game, options } = context;
  const open = (event) => {
    const tree = event.target;
    if (!tree.open || tree.querySelector(".branch")) return;
    const below = branch(context, node.position, "From here", true).element;
    const rest = node.ways - node.parents.length;
    fill(tree, {}, [
      node.parents.length > 0 &&
        h(
          "p",
          {},
          "Reached from ",
          node.parents.map((one, i) => [
            i > 0 && ", ",
            h("a", { href: boardUrl(game, { from: one, options }) }, h("code", {}, one)),
          ]),
          rest > 0 && ` and ${count(rest)} more`,
        ),
      below,
      perspective(context.words),
      h("p", {}, h("a", { href: pageUrl("book", game, options) }, "The whole book")),
    ]);
  };
  return h("details", { class: "around", ontoggle: open }, h("summary", {}, "The tree around it"));
}

/** A node whose moves can be opened further; `refresh` shows what a growing book has now. */
function branch(context, position, label, open = false) {
  const { api, game, options, words } = context;
  const body = h("div", { class: "branches" });
  const summary = h("summary", {}, label);
  /** The branches of the moves by their names. */
  const inner = new Map();
  let loaded = false;

  const name = (move, mover) => [
    h("strong", {}, move.move),
    ` ${words.standing({ value: move.value, mover }).text} `,
    h("span", { class: "note" }, state(move)),
    move.best && h("span", { class: "star" }, "★"),
  ];
  const load = async () => {
    loaded = true;
    let node;
    try {
      node = await api.bookNode({ position });
    } catch (error) {
      put(body, h("p", { class: "note" }, error.message));
      return;
    }
    for (const move of node.moves) {
      const known = inner.get(move.move);
      if (known) put(known.summary, name(move, node.mover));
      else inner.set(move.move, branch(context, move.next, name(move, node.mover)));
    }
    const elements = node.moves.map((move) => inner.get(move.move).element);
    if (elements.some((element, i) => element !== body.children[i])) {
      const held = body.contains(document.activeElement) ? focusedElement() : null;
      put(body, elements);
      held?.focus();
    }
    if (!node.moves.length) put(body, h("p", { class: "note" }, "The book ends here."));
  };
  const refresh = async () => {
    if (!element.open) {
      loaded = false;
      return;
    }
    await load();
    await Promise.all([...inner.values()].map((one) => one.refresh()));
  };
  const element = h(
    "details",
    { class: "branch", ontoggle: (event) => event.target === element && element.open && !loaded && load() },
    summary,
    h("p", { class: "note" }, h("a", { href: boardUrl(game, { from: position, options }) }, "On the board")),
    body,
  );
  if (open) {
    element.open = true;
    load();
  }
  return { element, summary, refresh };
}

export async function bookPage({ game, options, main, go, signal }) {
  const api = about(game, options, signal);
  let title = h("h1", {}, `${capital(game)}: book`);
  const nothing = (why) =>
    main.replaceChildren(
      title,
      h("section", { class: "panel narrow" }, h("p", { role: "alert" }, capital(why), ".")),
    );
  let facts, card, fleet;
  try {
    [facts, card, fleet] = await Promise.all([
      api.book({ optional: true }),
      api.card(),
      get("/fleet/status", { optional: true }, signal),
    ]);
  } catch (error) {
    if (!signal.aborted) nothing(error.message);
    return;
  }
  title = headingOf(card, "book");
  if (!facts) {
    const { command } = card;
    nothing(
      `there is no book of ${game} here; “nutcracker book new ${command}” makes one, ` +
        `and “nutcracker book expand ${command}” lets it grow`,
    );
    return;
  }
  const words = wordsOf(card);
  const numbers = h("p", { id: "bookfacts" });
  const player = h(
    "select",
    { "aria-label": "Whose book", onchange: () => draw() },
    ["both", "first", "second"].map((one) =>
      h(
        "option",
        { value: one },
        one === "both" ? "the one with the nearer leaf" : one === "first" ? "who moves first" : "the other",
      ),
    ),
  );
  const note = h("p", { class: "note", role: "alert" });
  let timer = null;
  signal.addEventListener("abort", () => clearTimeout(timer));

  const showFacts = (now) => {
    put(
      numbers,
      h("strong", {}, words.worth(now.value)),
      ` for the side to move at the start. ${count(now.nodes)} positions, `,
      `${count(now.solved)} solved, ${count(now.expansions)} expansions. `,
      now.growing ? h("em", {}, "It grows.") : "",
    );
  };
  const diagram = chart(async ({ depth, value }) => {
    try {
      const line = await api.bookLeaf({ depth, value, player: player.value });
      go(boardUrl(game, { from: line.start, line: line.moves, options }));
    } catch (error) {
      if (!signal.aborted) note.textContent = error.message;
    }
  });
  async function draw() {
    try {
      await diagram.show(api.dropoutChart({ player: player.value }));
    } catch (error) {
      if (!signal.aborted) note.textContent = error.message;
    }
  }
  async function tick() {
    try {
      const now = await api.book();
      const grown = now.nodes !== facts.nodes;
      facts = now;
      showFacts(now);
      if (grown) await Promise.all([draw(), branches.refresh()]);
      if (!now.growing) return;
    } catch (error) {
      if (signal.aborted) return;
      note.textContent = error.message;
    }
    if (!signal.aborted) timer = setTimeout(tick, TICK);
  }
  const branches = branch({ api, game, options, words }, facts.start, "Start", true);
  main.replaceChildren(
    title,
    h(
      "section",
      { class: "panel" },
      numbers,
      h(
        "p",
        {},
        h("a", { href: boardUrl(game, { from: facts.start, options }) }, "Start on the board"),
        fleet && facts.growing && [", ", h("a", { href: "/fleet", id: "fleetlink" }, "workers that grow it")],
      ),
    ),
    h(
      "div",
      { class: "layout even below" },
      h(
        "section",
        { class: "panel" },
        h("h2", {}, "Where the book can be left"),
        h("label", {}, "The book of ", player),
        diagram.element,
        h(
          "p",
          { class: "note" },
          "Across: what the book's player then has; the upright line is the start. Upwards: moves from ",
          "the start. Dashed: where it grows next. Green points are solved. ",
          "Click a point to see the line that leads to it.",
        ),
        note,
      ),
      h("section", { class: "panel" }, h("h2", {}, "Moves"), branches.element, perspective(words)),
    ),
  );
  showFacts(facts);
  await draw();
  if (facts.growing && !signal.aborted) timer = setTimeout(tick, TICK);
}
