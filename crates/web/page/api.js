// The interface of the server.

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
    return new DOMParser().parseFromString(await response.text(), "image/svg+xml").documentElement;
  });

export const remove = (url) => fetched(url, { method: "DELETE" });

export const post = (url, body, signal) =>
  fetched(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });

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
    card: request(""),
    rules: request("/rules"),
    slices: request("/slices"),
    extremes: request("/extremes"),
    moves: request("/moves"),
    line: request("/line"),
    bestLine: request("/best-line"),
    random: request("/random"),
    reply: request("/reply"),
    book: request("/book"),
    bookNode: request("/book/node"),
    bookLeaf: request("/book/leaf"),
    sliceChart: request("/slices/chart", picture),
    lineChart: request("/line/chart", picture),
    dropoutChart: request("/book/dropouts/chart", picture),
  };
}
