// The fleet: workers that grow the book of this server.

import { get, picture } from "./api.js";
import { chart } from "./chart.js";
import { h, put } from "./dom.js";
import { count } from "./words.js";

/** How often the state is polled. */
const TICK = 2000;
/** A worker that was not heard of for this long counts as away, in seconds. */
const AWAY = 300;

/** A span of time in words. */
export function ago(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

/** A table that scrolls by itself where the window is narrow. */
function table(head, rows) {
  return h(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": head[0] },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

function workers(state) {
  if (!state.workers.length)
    return h("p", { class: "note" }, "No worker was heard of since the server was started.");
  const suspended = new Set(state.accounts.filter((one) => one.suspended).map((one) => one.name));
  return table(
    ["Worker", "Speed", "Last seen", "Jobs out", "Accepted", "Late", "State"],
    state.workers.map((one) => {
      const away = one.seen > AWAY ? "away" : one.jobs ? "evaluating" : "idle";
      return h(
        "tr",
        { "data-worker": `${one.account}/${one.name}`, title: one.program },
        h("td", {}, h("strong", {}, one.account), ` ${one.name}`),
        h("td", {}, `${one.speed.toFixed(1)}/s`),
        h("td", {}, `${ago(one.seen)} ago`),
        h("td", {}, count(one.jobs)),
        h("td", {}, count(one.accepted)),
        h("td", {}, count(one.late)),
        h("td", { class: "soft" }, suspended.has(one.account) ? "suspended" : away),
      );
    }),
  );
}

function accounts(state) {
  return table(
    ["Account", "Accepted", "Audited", "Wrong", "Refuted bounds", "State"],
    state.accounts.map((one) =>
      h(
        "tr",
        { "data-account": one.name, class: one.suspended ? "suspended" : "" },
        h("td", {}, h("strong", {}, one.name)),
        h("td", {}, count(one.accepted)),
        h("td", {}, count(one.audited)),
        h("td", {}, count(one.off)),
        h("td", {}, count(one.lies)),
        h("td", {}, one.suspended ? `suspended: ${one.suspended}` : "trusted as far as checked"),
      ),
    ),
  );
}

function numbers(state) {
  const oldest = state.oldest_lease === undefined ? "none" : ago(state.oldest_lease);
  return [
    h(
      "p",
      { id: "fleetfacts" },
      h("strong", {}, count(state.book.nodes)),
      " positions, ",
      `${count(state.book.solved)} solved, ${count(state.book.expansions)} expansions, `,
      `${state.expansions_a_minute.toFixed(0)} a minute. `,
      state.ended ? h("em", {}, `${state.ended}.`) : h("em", {}, "It grows."),
    ),
    h(
      "p",
      {},
      `Jobs: ${count(state.ready)} ready, ${count(state.out)} out, ${count(state.done)} to be applied; `,
      `oldest lease: ${oldest}; ${count(state.expired)} leases expired, ${count(state.late)} results late; `,
      `${count(state.proposals)} proposals wait.`,
    ),
  ];
}

export async function fleetPage({ main, signal }) {
  const state = await get("/fleet/status", { optional: true }, signal);
  if (signal.aborted) return;
  const title = h("h1", {}, "Fleet");
  if (!state) {
    main.replaceChildren(
      title,
      h(
        "section",
        { class: "panel narrow" },
        h("p", {}, "This server has no workers; “nutcracker serve --grow BOOK --tokens FILE” has."),
      ),
    );
    return;
  }
  const facts = h("div", {});
  const growth = chart(() => {});
  const machines = h("div", {});
  const trust = h("div", {});
  const note = h("p", { class: "note", role: "alert" });
  const draw = async (now) => {
    put(facts, numbers(now));
    put(machines, workers(now));
    put(trust, accounts(now));
    note.textContent = "";
    await growth.show(picture("/fleet/status/chart", {}, signal));
  };
  main.replaceChildren(
    title,
    h("section", { class: "panel" }, h("h2", {}, state.game), facts, growth.element, note),
    h("section", { class: "panel below" }, h("h2", {}, "Workers"), machines),
    h("section", { class: "panel below" }, h("h2", {}, "Accounts"), trust),
  );
  await draw(state);
  let timer = null;
  signal.addEventListener("abort", () => clearTimeout(timer));
  const tick = async () => {
    try {
      await draw(await get("/fleet/status", {}, signal));
    } catch (error) {
      if (signal.aborted) return;
      note.textContent = error.message;
    }
    if (!signal.aborted) timer = setTimeout(tick, TICK);
  };
  timer = setTimeout(tick, TICK);
}
