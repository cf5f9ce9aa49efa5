// The moves of a position and those of a line, as lists.

import { h } from "./dom.js";
import { mistake } from "./session.js";

/** A table of the moves that can be played; `act` plays one. */
export function choiceTable(choices, { shown, points, head, words, act }) {
  const ordered = shown ? choices : [...choices].sort((a, b) => a.move.localeCompare(b.move));
  const heads = ["Move", points && "Banks", head].filter(Boolean);
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((text) => h("th", { scope: "col" }, text)),
      ),
    ),
    h(
      "tbody",
      {},
      ordered.map((choice) =>
        h(
          "tr",
          {
            class: shown ? `${choice.standing.kind}${choice.best ? " best" : ""}` : "",
            "data-choice": choice.move,
            onclick: () => act(choice),
          },
          h(
            "td",
            {},
            h("button", { class: "link", "aria-label": words.describe(choice, shown) }, choice.move),
          ),
          points && h("td", {}, choice.captures || ""),
          h(
            "td",
            { class: "value" },
            shown
              ? h("span", { class: `badge ${choice.standing.kind}` }, choice.standing.text)
              : "·",
            shown && choice.best ? h("span", { class: "star", title: "best" }, "★") : null,
          ),
        ),
      ),
    ),
  );
}

/** The moves of a line, errors marked; `jump` goes to one. */
export function lineItems(session, { shown, points, sides, words, jump }) {
  const standings = session.standings(sides, words);
  return session.nodes.map((node, i) => {
    const now = session.at === i;
    const step = { class: `link${now ? " now" : ""}`, "data-ply": i, onclick: () => jump(i) };
    if (i === 0) return h("li", {}, h("button", step, "start"));
    const before = session.nodes[i - 1];
    const { played } = before;
    const error = shown ? mistake(before) : null;
    const mark = error ? (error.grave ? "??" : "?") : "";
    const lost = error && [points && error.lost, error.grave && "the result"].filter(Boolean).join(" and ");
    return h(
      "li",
      { class: error ? (error.grave ? "grave" : "slip") : "" },
      h(
        "button",
        { ...step, "aria-current": now ? "step" : undefined, title: error ? `loses ${lost}` : undefined },
        played.move,
        mark,
      ),
      shown &&
        session.nodes[i].value &&
        h("span", { class: `badge small ${standings[i].kind}` }, standings[i].text),
    );
  });
}
