// Databases built while one watches.

import { address, post, remove, running } from "./api.js";
import { h, put, announce } from "./dom.js";
import { capital, count, metricAbbreviation, metricInWords, size, slice } from "./words.js";

const PHASES = {
  exits: "moves that leave it",
  fixpoint: "moves inside it",
  pack: "writing the file",
  verify: "checking the file",
};

function strip(finished, unit) {
  const share = (number) => ((100 * number) / Math.max(1, finished.positions)).toFixed(2) + "%";
  const part = (kind, number) => {
    const bar = h("span", { class: `bar ${kind}` });
    bar.style.width = share(number);
    return bar;
  };
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, slice(finished.slice, unit)),
    h("td", {}, count(finished.positions)),
    h("td", {}, size(finished.bytes)),
    h(
      "td",
      {
        class: "strip",
        "aria-label": [
          `${count(finished.won)} won`,
          `${count(finished.drawn)} drawn`,
          `${count(finished.lost)} lost`,
        ].join(", "),
      },
      part("win", finished.won),
      part("draw", finished.drawn),
      part("loss", finished.lost),
    ),
  );
}

/** A choice of the metric to build, where a game has several: the one that is here, until another is chosen. */
function metricChoice({ name, metric: usual, metrics }) {
  if (metrics.length < 2) return { element: null, value: () => undefined };
  const about = h("p", { class: "note", id: "metric-about" });
  const explain = () => put(about, metricInWords(select.value, name)[1]);
  const option = ({ metric }) => {
    const [label] = metricInWords(metric, name);
    const text = `${capital(label)} (${metricAbbreviation(metric, name)})`;
    return h("option", { value: metric, selected: metric === usual }, text);
  };
  const select = h(
    "select",
    { id: "metric", "aria-describedby": "metric-about", onchange: explain },
    metrics.map(option),
  );
  explain();
  const element = h("div", { class: "metric" }, h("label", {}, "Databases tell ", select), about);
  return { element, value: () => select.value };
}

/** A set with more positions takes more than seconds. */
const SECONDS = 50_000_000;

/** A panel that offers to build the small set, and shows how far it is. */
export function builder(card, options, { upTo = undefined, done, signal }) {
  const panel = h("section", { class: "panel build", "aria-label": "Build databases" });
  const target = upTo ?? card.small_set.at(-1);
  const metric = metricChoice(card);
  let events = null;

  const offer = (problem) => {
    const empty = card.slices.length === 0;
    const small = empty && upTo === undefined;
    put(
      panel,
      h("h2", {}, empty ? `No databases of ${card.name} yet` : "More databases"),
      h(
        "p",
        {},
        small
          ? "Without databases the value of a position is unknown. " +
              `The small set, up to ${slice(target, card.unit)}, ` +
              `has ${count(card.small_set_positions)} positions ` +
              `and takes ${card.small_set_positions > SECONDS ? "minutes" : "seconds"}.`
          : `Build what is missing up to ${slice(target, card.unit)}.`,
      ),
      metric.element,
      h("button", { class: "primary", id: "build", onclick: start }, small ? "Build the small set" : "Build"),
      problem && h("p", { role: "alert", class: "note" }, problem),
    );
  };

  /** What changes while a job runs; the button below it stays, and keeps the focus. */
  const live = h("div", {});
  const cancel = (id) =>
    h(
      "button",
      { id: "cancel-build", onclick: () => remove(address(`/jobs/${id}`)).catch(() => {}) },
      "Cancel",
    );

  const show = (job) => {
    const share = (solved, total) => `${((100 * solved) / Math.max(1, total)).toFixed(1)}%`;
    const now = job.of ? Math.min(1, job.done / job.of) : 0;
    const fraction = job.solved / Math.max(1, job.total);
    const bar = h("progress", { max: 1, value: fraction, "aria-label": "Positions solved" });
    const rows = job.finished.filter((one) => one.positions > 0).slice(-8);
    if (!panel.contains(live)) put(panel, live, cancel(job.id));
    put(
      live,
      h(
        "h2",
        {},
        job.state === "running"
          ? `Building ${job.game}${metric.element ? `, ${metricAbbreviation(job.metric, card.name)}` : ""}: ${slice(job.slices.at(-1), card.unit)} and what it depends on`
          : capital(job.state),
      ),
      bar,
      h("p", {}, `${count(job.solved)} of ${count(job.total)} positions (${share(job.solved, job.total)})`),
      job.slice !== null &&
        h(
          "p",
          { class: "note" },
          `${capital(slice(job.slice, card.unit))}: ${PHASES[job.phase] ?? "starting"}, `,
          `${(100 * now).toFixed(0)}%`,
        ),
      h(
        "table",
        { class: "building" },
        h(
          "tbody",
          {},
          rows.map((one) => strip(one, card.unit)),
        ),
      ),
    );
  };

  signal.addEventListener("abort", () => events?.close());

  const watch = (id) => {
    if (signal.aborted) return;
    events?.close();
    events = new EventSource(`/api/v1/jobs/${id}/events`);
    events.addEventListener("job", (event) => {
      const job = JSON.parse(event.data);
      show(job);
      if (job.state === "running") return;
      events.close();
      if (job.state === "done") {
        announce("The databases are built.");
        done();
      } else if (job.state === "cancelled") {
        announce("Building was cancelled.");
        if (job.finished.length > 0) done();
        else offer("It was cancelled.");
      } else {
        offer(job.error ?? "it could not be built");
      }
    });
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) offer("the server does not answer");
    };
  };

  async function start() {
    try {
      const job = await post(address("/jobs"), {
        game: card.name,
        options: options || undefined,
        up_to: upTo,
        metric: metric.value(),
      });
      show(job);
      watch(job.id);
    } catch (error) {
      offer(error.message);
    }
  }

  offer();
  // A job may be running already.
  running(card.name, card.options, signal)
    .then((job) => {
      if (job) {
        show(job);
        watch(job.id);
      }
    })
    .catch(() => {});
  return { panel, leave: () => events?.close() };
}
