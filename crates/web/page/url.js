// The address of the page determines what it shows.

/** Which page of which game. */
export function where(location) {
  const parts = location.pathname.split("/").filter(Boolean);
  const query = new URLSearchParams(location.search);
  if (parts[0] === "fleet") return { page: "fleet", game: null, query };
  if (!parts.length) return { page: "board", game: null, query };
  if (parts[0] !== "games" || parts.length > 3) return { page: "missing", game: null, query };
  if (!parts[1]) return { page: "games", game: null, query };
  const page = [undefined, "databases", "book", "practice"].includes(parts[2])
    ? (parts[2] ?? "board")
    : "missing";
  return { page, game: decoded(parts[1]), query };
}

/** What an address encodes, or the text itself where it encodes nothing. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The address of a position with a line.
 * @param {string} game
 * @param {{ from?: string, line?: string[], at?: number, options?: string, flip?: boolean }} what
 */
export function boardUrl(game, { from, line, at, options, flip } = {}) {
  const query = new URLSearchParams();
  if (options) query.set("options", options);
  if (from) query.set("from", from);
  if (line && line.length) {
    query.set("line", line.join(" "));
    if (at !== undefined && at !== line.length) query.set("at", String(at));
  }
  if (flip) query.set("flip", "1");
  // Commas and slashes may stand as they are, and links are easier to read with them.
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `/games/${encodeURIComponent(game)}${text ? "?" + text : ""}`;
}

/** The address of a page about a game. */
export function pageUrl(page, game, options = "") {
  const path = page === "board" ? "" : `/${page}`;
  const query = options ? "?options=" + encodeURIComponent(options) : "";
  return `/games/${encodeURIComponent(game)}${path}${query}`;
}
