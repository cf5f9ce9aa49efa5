// What changes with one seed more or less in a pit.

import { h, put } from "./dom.js";
import { boardUrl } from "./url.js";
import { capital, signed } from "./words.js";

/** From here on a change is a large one. */
const LARGE = 3;

/** The colour of a change. */
function heat(change) {
  if (change === null) return "unknown";
  if (change === 0) return "same";
  return `${change > 0 ? "win" : "loss"}${Math.abs(change) >= LARGE ? " much" : ""}`;
}

/** A panel below the board; it asks when it is opened. */
export function seedsPanel({ game, options, api, card, signal }) {
  const [first, second] = card.sides.map(capital);
  const body = h("div", { id: "seeds" });
  let session = null;
  let position = null;
  let flip = false;
  let latest = 0;

  const cell = (row, pit, seeds, changed) => {
    const letter = String.fromCharCode((row === 0 ? 65 : 97) + pit);
    if (!changed) return h("td", { class: "heat none" });
    const { change, seeds: many } = changed;
    const what =
      change === null
        ? "not known"
        : change === 0
          ? "changes nothing"
          : `${change > 0 ? first : second} gets ${Math.abs(change)} more`;
    return h(
      "td",
      { class: `heat ${heat(change)}` },
      h(
        "a",
        {
          href: boardUrl(game, { from: changed.position, options }),
          title: `${letter}: ${seeds} → ${many}, ${what}`,
        },
        h("span", { class: "letter" }, letter),
        h("span", { class: "change" }, change === null ? "?" : signed(change)),
        h("span", { class: "unseen" }, ` with ${many} instead of ${seeds}: ${what}`),
      ),
    );
  };

  const table = (rows, which, by, caption) => {
    const pits = (row) =>
      rows[row].map((pit, i) =>
        cell(row, i, pit.seeds, pit[which] && { ...pit[which], seeds: pit.seeds + by }),
      );
    const [bottom, top] = flip ? [1, 0] : [0, 1];
    return h(
      "table",
      { class: "heats" },
      h("caption", {}, caption),
      h("tbody", {}, h("tr", {}, pits(top).reverse()), h("tr", {}, pits(bottom))),
    );
  };

  async function load() {
    if (!element.open || !session) return;
    const now = session.now.position;
    const key = `${now} ${flip}`;
    if (key === position) return;
    position = key;
    latest += 1;
    const mine = latest;
    const found = await api.seeds({ position: now }).catch((error) => error);
    if (mine !== latest || signal.aborted) return;
    if (found instanceof Error) put(body, h("p", { class: "note", role: "alert" }, found.message));
    else if (!found.value) put(body, h("p", { class: "note" }, "The value of this position is not known."));
    else {
      put(
        body,
        h(
          "div",
          { class: "pair" },
          table(found.rows, "less", -1, "One seed less"),
          table(found.rows, "more", 1, "One seed more"),
        ),
        h(
          "p",
          { class: "note" },
          `By how much ${first}'s margin from here on changes; a click opens the position.`,
        ),
      );
    }
  }

  const element = h(
    "details",
    { class: "seeds", ontoggle: load },
    h("summary", {}, "One seed more or less"),
    body,
  );
  const panel = h("section", { class: "panel whole" }, element);
  return {
    panel,
    render(view) {
      session = view.session;
      flip = view.flip;
      panel.hidden = !view.shown || view.editing || !session.now.value;
      if (!panel.hidden) load();
    },
  };
}
