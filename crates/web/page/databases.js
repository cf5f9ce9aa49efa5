// What is known: databases, their scores, and positions worth seeing.

import { about, running } from "./api.js";
import { builder } from "./build.js";
import { chart } from "./chart.js";
import { h, put } from "./dom.js";
import { boardUrl, pageUrl } from "./url.js";
import {
  capital,
  count,
  headingOf,
  isDistance,
  metricAbbreviation,
  signed,
  signedMean,
  size,
  slice,
  wordsOf,
} from "./words.js";

/** A slice in words, where its name is an abbreviation. */
const titleOf = (entry) => entry.title ?? entry.slice;

/** The scores of positions with a result: distances of wins are positive, those of losses negative. */
const RESULTS = { won: { min_score: 1 }, drawn: { score: 0 }, lost: { max_score: -1 } };

function shares(tally) {
  const share = (number) => ((100 * number) / Math.max(1, tally.positions)).toFixed(1);
  const part = (kind, number) => {
    const bar = h("span", { class: `bar ${kind}` });
    bar.style.width = share(number) + "%";
    return bar;
  };
  return h(
    "td",
    {
      class: "strip",
      "aria-label": `${share(tally.won)}% won, ${share(tally.drawn)}% drawn, ${share(tally.lost)}% lost`,
    },
    part("win", tally.won),
    part("draw", tally.drawn),
    part("loss", tally.lost),
  );
}

/** Databases of the game under other rules, where there are any. */
function others(game, games) {
  const held = games.find((one) => one.name === game).holdings.filter((one) => one.slices.length > 0);
  if (!held.length) return null;
  const link = ({ options, rules }, i) => [
    i > 0 && ", ",
    h("a", { href: pageUrl("databases", game, options) }, rules),
  ];
  return h("p", { id: "others" }, "There are databases under other rules: ", held.map(link), ".");
}

/** What there is by other metrics than the one that is shown. */
function byOtherMetrics({ name, metric: shown, metrics }) {
  const held = metrics.filter(({ metric, slices }) => metric !== shown && slices.length > 0);
  if (!held.length) return null;
  const what = ({ metric, slices }) => {
    const which = slices.length > 4 ? `${slices.length} databases` : slices.join(", ");
    return `${metricAbbreviation(metric, name)} (${which})`;
  };
  return h(
    "p",
    { class: "note", id: "metrics" },
    `The table is about ${metricAbbreviation(shown, name)}. There is also ${held.map(what).join(", ")}: ` +
      "the board shows all of them.",
  );
}

/** A form that asks up to which slice to build. */
const more = (unit, value, build) =>
  h(
    "form",
    {
      class: "find",
      onsubmit: (event) => {
        event.preventDefault();
        build(event.target.elements.upto.value.trim());
      },
    },
    h(
      "label",
      {},
      "Build up to ",
      h("input", { name: "upto", required: true, size: 8, value }),
      unit === "slice" ? " " : ` ${unit} `,
    ),
    h("button", {}, "Build"),
  );

export async function databasesPage({ game, options, games, main, go, signal }) {
  const api = about(game, options, signal);
  const [card, known] = await Promise.all([api.card(), api.slices()]);
  const job = await running(game, card.options, signal);
  const title = headingOf(card, "databases");
  const again = () => go(location.pathname + location.search);
  if (known.slices.length === 0) {
    if (card.small_set.length === 0) {
      main.replaceChildren(
        title,
        h(
          "section",
          { class: "panel" },
          h("p", {}, "There are too many positions for databases under these rules."),
          others(game, games),
        ),
      );
      return;
    }
    const place = h("div", { class: "narrow" });
    let build = null;
    const watch = (upTo) => {
      build?.leave();
      build = builder(card, options, { upTo, done: again, signal });
      place.replaceChildren(build.panel, more(known.unit, "", watch));
    };
    watch(undefined);
    main.replaceChildren(title, place);
    return;
  }
  const show = (position) => go(boardUrl(game, { from: position, options }));
  const note = h("p", { class: "note", id: "found", role: "alert" });
  const find = async (filters) => {
    note.textContent = "Looking …";
    try {
      show((await api.random(filters)).position);
    } catch (error) {
      if (!signal.aborted) note.textContent = error.message;
    }
  };
  const words = wordsOf(card);
  const { metric } = known.slices[0];
  const distances = isDistance(metric);
  // A mean of results, or of distances to won and lost ends, says nothing.
  const mean = (tally) => card.points && h("td", {}, signedMean(tally.mean));
  const heading = h("h2", {});
  const histogram = chart(({ score }) => find({ slice: chosen, score }));
  const extremes = h("div", { class: "extremes" });
  let chosen = null;

  /** Wins that are farthest away, each with its line. */
  const longestWins = (wins) =>
    wins.length > 0 && [
      h("h3", {}, "The longest wins"),
      h(
        "ol",
        { id: "longest-wins" },
        wins.map(({ position, value, line }) =>
          h(
            "li",
            {},
            h(
              "a",
              { href: boardUrl(game, { from: position, line, at: 0, options }) },
              capital(words.standing({ value, result: null, mover: card.sides[0] }).said),
            ),
            " ",
            h("code", {}, position),
            h("p", { class: "note" }, line.join(" ")),
          ),
        ),
      ),
    ];

  const choose = (number) => {
    chosen = number;
    const one = number === null ? known.all : known.slices.find((entry) => entry.slice === number);
    const label = number === null ? "all databases" : (one.title ?? slice(number, known.unit));
    const values = distances ? "Distances" : card.points ? "Scores" : "Results";
    heading.textContent = `${values}, ${label}`;
    histogram.show(api.sliceChart({ slice: number })).catch((error) => {
      if (!signal.aborted) note.textContent = error.message;
    });
    for (const row of table.querySelectorAll("tr")) {
      row.classList.toggle("now", row.dataset.slice === String(number));
    }
    form.elements.slice.value = number === null ? "" : String(number);
    extremes.replaceChildren();
    if (number === null) return;
    const fetching = h("p", { class: "note" }, "Looking for remarkable positions …");
    extremes.replaceChildren(fetching);
    api
      .extremes({ slice: number })
      .then((found) => {
        if (chosen !== number) return;
        /** @type {[string, string, (one: any) => string, string][]} */
        const kinds = [
          [
            "richest",
            "The richest",
            (best) => `${signed(best.score)} for the side to move`,
            one.window
              ? `the most of ${count(found.examined)} positions taken at random`
              : "no position has more",
          ],
          [
            "luckiest",
            "The luckiest",
            (one) =>
              card.points
                ? `one move is worth ${one.measure} more than any other`
                : "one move alone keeps the result",
            found.all
              ? "the most of all positions"
              : `the most of ${count(found.examined)} positions taken at random`,
          ],
          [
            "longest",
            "The longest",
            (one) => `best play takes ${one.measure} moves`,
            `the longest of ${count(found.lines)} lines of best play`,
          ],
        ];
        const cards = kinds
          // Without points, every position that is won is as rich as any other.
          .filter(([key]) => found[key] && (card.points || key !== "richest"))
          .filter(([key]) => key !== "longest" || !found.longest_wins)
          // A drawn line of best play is as long as one likes.
          .filter(([key]) => key !== "longest" || card.points || found[key].score !== 0)
          .map(([key, name, text, of]) =>
            h(
              "a",
              { class: "extreme", href: boardUrl(game, { from: found[key].position, options }) },
              h("strong", {}, name),
              h("span", {}, text(found[key])),
              h("code", {}, found[key].position),
              h("span", { class: "note" }, capital(of), "."),
            ),
          );
        put(
          extremes,
          h("div", { class: "cards" }, cards),
          longestWins(found.longest_wins ?? []),
          h(
            "p",
            { class: "note" },
            found.all
              ? "All positions were examined" +
                  (found.longest_wins
                    ? "."
                    : `, and ${count(found.lines)} lines followed: there may be a longer one.`)
              : "This slice has too many positions to examine each while you wait: there may be luckier " +
                  `${found.longest_wins ? "" : "and longer "}ones.`,
          ),
        );
      })
      .catch((error) => {
        if (!signal.aborted && chosen === number) fetching.replaceChildren(error.message);
      });
  };

  const clipped = known.slices.some((entry) => entry.window);
  const row = (entry) =>
    h(
      "tr",
      { "data-slice": entry.slice, onclick: () => choose(entry.slice) },
      h("th", { scope: "row" }, h("button", { class: "link" }, titleOf(entry))),
      h("td", {}, count(entry.positions)),
      h("td", {}, size(entry.bytes)),
      h("td", {}, entry.bits_per_position.toFixed(2)),
      mean(entry),
      shares(entry),
      clipped && h("td", {}, entry.window ? `±${entry.window}` : "exact"),
    );
  const table = h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: "slices" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          [
            capital(known.unit),
            "Positions",
            "Size",
            "Bits each",
            ...(card.points ? ["Mean"] : []),
            "Won, drawn, lost",
            ...(clipped ? ["Scores"] : []),
          ].map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h("tbody", {}, [...known.slices].reverse().map(row)),
      h(
        "tfoot",
        {},
        h(
          "tr",
          { "data-slice": "null", onclick: () => choose(null) },
          h("th", { scope: "row" }, h("button", { class: "link" }, "all")),
          h("td", {}, count(known.all.positions)),
          h("td", {}, size(known.all.bytes)),
          h("td", {}, known.all.bits_per_position.toFixed(2)),
          mean(known.all),
          shares(known.all),
          clipped && h("td", {}),
        ),
      ),
    ),
  );

  const option = (value, text) => h("option", { value }, text);
  const form = h(
    "form",
    {
      class: "find",
      onsubmit: (event) => {
        event.preventDefault();
        const fields = event.target.elements;
        // Back from the position, the conditions are as they were.
        history.replaceState({ find: [...new FormData(event.target)] }, "");
        find({
          slice: fields.slice.value,
          score: fields.score?.value,
          ...RESULTS[fields.result?.value],
          only: fields.only.value,
          captures: fields.captures?.value,
          tempting: fields.tempting?.checked ? "true" : "",
        });
      },
    },
    h(
      "label",
      {},
      capital(known.unit),
      " ",
      h(
        "select",
        { name: "slice" },
        option("", "any"),
        known.slices.map((one) => option(one.slice, titleOf(one))),
      ),
    ),
    card.points
      ? h(
          "label",
          {},
          "Score ",
          h("input", { name: "score", inputmode: "numeric", size: 4, pattern: "[+\\-]?[0-9]{1,3}" }),
        )
      : h(
          "label",
          {},
          "For its mover ",
          h(
            "select",
            { name: "result" },
            option("", "anything"),
            option("won", "won"),
            option("drawn", "drawn"),
            option("lost", "lost"),
          ),
        ),
    h(
      "label",
      {},
      "Only one move ",
      h(
        "select",
        { name: "only" },
        option("", "need not be"),
        option("winning", "wins"),
        option("best", "is best"),
      ),
    ),
    card.points && [
      h(
        "label",
        {},
        "The best move banks ",
        h(
          "select",
          { name: "captures" },
          option("", "anything"),
          option("none", "nothing"),
          option("some", "something"),
        ),
      ),
      h("label", {}, h("input", { name: "tempting", type: "checkbox" }), " another move banks more"),
    ],
    h("button", { class: "primary", id: "find" }, "Show me one"),
  );
  const restore = () => {
    for (const [name, value] of history.state?.find ?? []) {
      const field = form.elements[name];
      if (field?.type === "checkbox") field.checked = true;
      else if (field) field.value = value;
    }
  };
  const { slice: last, title: lastTitle } = known.slices[known.slices.length - 1];
  const place = h("div", { class: "below" });
  let build = null;
  const watch = (upTo) => {
    build?.leave();
    build = builder(card, options, { upTo, done: again, signal });
    place.replaceChildren(build.panel);
  };
  if (job) watch(job.slices.at(-1));
  const all = last === card.largest_slice;
  const next = !lastTitle && /^\d+$/.test(last) ? String(Number(last) + (all ? 0 : 1)) : all ? last : "";
  main.replaceChildren(
    title,
    h(
      "div",
      { class: "layout even" },
      h(
        "section",
        { class: "panel" },
        heading,
        histogram.element,
        h(
          "p",
          { class: "note" },
          distances
            ? "Losses, draws and wins by the winner's moves. Click a column to see a position."
            : "Click a column to see a position with that score.",
        ),
        extremes,
      ),
      h(
        "section",
        { class: "panel" },
        h("h2", {}, "Find a position"),
        form,
        note,
        table,
        byOtherMetrics(card),
        // What is there by one metric can be built by another.
        (!all || card.metrics.length > 1) && h("div", { class: "below" }, more(known.unit, next, watch)),
        place,
      ),
    ),
  );
  choose(null);
  restore();
}
