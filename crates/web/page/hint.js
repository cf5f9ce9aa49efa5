// The moves that a hint names.

/**
 * The best moves at the present ply of a session, where it is known that none is better; else the one that
 * the perfect player likes. `known` is a word for which of them it is.
 */
export async function goodMoves(api, session) {
  const best = session.now.moves.filter((choice) => choice.best).map((choice) => choice.move);
  if (best.length) return { best, known: "Best" };
  const moves = session.moves(session.at).join(" ");
  const position = session.root.position;
  const { move } = await api.reply({ position, moves, level: "perfect", book: true });
  return { best: [move], known: "Good" };
}
