// The lines beside the one on the board come back after a reload.

/** Lines that are remembered. */
const MOST = 20;

/** Notes the lines of a session with the address that shows it. */
export function remember(session, link) {
  const state = { root: session.root.position, lines: session.lines.slice(0, MOST) };
  const noted = JSON.stringify(state) === JSON.stringify(history.state);
  // Browsers do not like to be told the same again and again.
  if (noted && link === location.pathname + location.search) return;
  history.replaceState(state, "", link);
}

/** Adds the lines that were noted with this address to a session. */
export async function recall(session, api) {
  const { lines, root } = history.state ?? {};
  if (root !== session.root.position) return;
  const shown = session.moves();
  const others = lines.filter((one) => one.join(" ") !== shown.join(" "));
  const found = others.map((one) => api.line({ position: root, moves: one.join(" "), prefix: true }));
  for (const { nodes } of await Promise.all(found)) session.take(nodes);
  session.turnTo(shown);
}
