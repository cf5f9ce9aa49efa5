// The interface of the server.

import { drawing } from "./chart.js";

export class Problem extends Error {
  constructor(body) {
    super(body.detail || body.title || "the server gave no answer");
    this.kind = String(body.type || "").split("#")[1] || "unknown";
  }
}

async function read(response) {
  const body = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return {};
  });
  if (!response.ok) throw new Problem(body);
  return body;
}

async function fetched(url, options, reader = read) {
  try {
    return await reader(await fetch(url, options));
  } catch (error) {
    if (error instanceof Problem || error.name === "AbortError") throw error;
    throw new Problem({ detail: "the server does not answer; is it still running?" });
  }
}

/** An address under the interface, without the parameters that are empty. */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return "/api/v1" + path + (text ? "?" + text : "");
}

export const get = (path, parameters, signal) => fetched(address(path, parameters), { signal });

/** A picture of the server as an element that can be imported. */
export const picture = (path, parameters, signal) =>
  fetched(address(path, parameters), { signal }, async (response) => {
    if (!response.ok) return read(response);
    return drawing(await response.text());
  });

/** Posts a body and hears the events of the answer, each by its name and data. */
const stream = (url, body, hear, signal) =>
  fetched(url, posting(body, signal), async (response) => {
    if (!response.ok) return read(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return null;
      const events = (text + value).split("\n\n");
      text = events.pop();
      for (const event of events) {
        const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
        if (name) hear(name, JSON.parse(data));
      }
    }
  });

export const remove = (url) => fetched(url, { method: "DELETE" });

const posting = (body, signal) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
  signal,
});

export const post = (url, body, signal) => fetched(url, posting(body, signal));

/** The job that builds databases of a game now, if there is one; `options` are those of its card. */
export async function running(game, options, signal) {
  const jobs = await get("/jobs", {}, signal);
  return jobs.find((one) => one.state === "running" && one.game === game && one.options === options) ?? null;
}

/** Requests about one game under one set of options; all are aborted by `signal`. */
export function about(game, options, signal) {
  const request =
    (what, how = get) =>
    (parameters = {}) =>
      how(`/games/${encodeURIComponent(game)}${what}`, { ...parameters, options }, signal);
  return {
    /** What is wrong with a text that is no position of the game, if anything is. */
    check: async (position) => {
      const url = address(`/games/${encodeURIComponent(game)}/probe`, { options });
      const [{ problem }] = (await post(url, { positions: [position] }, signal)).results;
      return problem?.type.endsWith("#bad-position") ? problem.detail : null;
    },
    /** Reviews a game; `hear` gets the events until all moves are reviewed. */
    review: (body, hear, until) =>
      stream(address(`/games/${encodeURIComponent(game)}/review`, { options }), body, hear, until),
    card: request(""),
    rules: request("/rules"),
    slices: request("/slices"),
    extremes: request("/extremes"),
    moves: request("/moves"),
    line: request("/line"),
    bestLine: request("/best-line"),
    random: request("/random"),
    puzzle: request("/puzzle"),
    seeds: request("/seeds"),
    reply: request("/reply"),
    errorRates: request("/error-rates"),
    book: request("/book"),
    bookNode: request("/book/node"),
    bookLeaf: request("/book/leaf"),
    sliceChart: request("/slices/chart", picture),
    lineChart: request("/line/chart", picture),
    dropoutChart: request("/book/dropouts/chart", picture),
  };
}
