// The margin of the first side over the game, errors marked.

import { s } from "./dom.js";
import { mistake } from "./session.js";
import { capital } from "./words.js";

const WIDTH = 420;
const HEIGHT = 120;

export function graph(session, { sides, points }, words, jump) {
  const margins = session.standings(sides, words).map(({ number }) => number);
  const known = margins.filter((margin) => margin !== null);
  if (known.length < 2) return null;
  const reach = Math.max(points ? 2 : 1, ...known.map(Math.abs));
  const x = (at) => 34 + ((WIDTH - 48) * at) / Math.max(1, margins.length - 1);
  const y = (margin) => HEIGHT / 2 - (margin / reach) * (HEIGHT / 2 - 14);
  const line = [];
  let pen = false;
  margins.forEach((margin, at) => {
    if (margin === null) pen = false;
    else {
      line.push(`${pen ? "L" : "M"}${x(at).toFixed(1)} ${y(margin).toFixed(1)}`);
      pen = true;
    }
  });
  const dots = margins.map((margin, at) => {
    if (margin === null) return null;
    const error = at > 0 ? mistake(session.nodes[at - 1]) : null;
    const classes = ["dot"];
    if (error) classes.push(error.grave ? "grave" : "slip");
    if (at === session.at) classes.push("now");
    return s(
      "circle",
      {
        class: classes.join(" "),
        cx: x(at),
        cy: y(margin),
        r: error || at === session.at ? 5 : 3,
        onclick: () => jump(at),
      },
      s("title", {}, `${at === 0 ? "Start" : session.nodes[at - 1].played.move}: ${words.margin(margin)}`),
    );
  });
  const step = reach > 12 ? 10 : reach > 5 ? 5 : points ? 2 : 1;
  const grid = [];
  for (let margin = -Math.floor(reach / step) * step; margin <= reach; margin += step) {
    grid.push(
      s("line", {
        class: margin === 0 ? "zero" : "grid",
        x1: 34,
        x2: WIDTH - 8,
        y1: y(margin),
        y2: y(margin),
      }),
      s("text", { x: 28, y: y(margin) + 4, "text-anchor": "end" }, words.margin(margin)),
    );
  }
  return s(
    "svg",
    {
      class: "graph",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label":
        `${capital(sides[0])}'s ${points ? "margin" : "result"} after best play, move by move: ` +
        margins.map((m) => (m === null ? "unknown" : words.margin(m))).join(", "),
    },
    grid,
    s("path", { class: "course", d: line.join("") }),
    dots,
  );
}
