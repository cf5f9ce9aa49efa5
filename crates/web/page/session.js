// A game on the board: its start, its moves, and the current ply.

export class Session {
  /** `nodes` are the server's descriptions of positions; each but the last has the move played there. */
  constructor(nodes) {
    this.nodes = nodes.map((node) => ({ played: null, ...node }));
    this.at = 0;
  }

  get now() {
    return this.nodes[this.at];
  }

  get root() {
    return this.nodes[0];
  }

  /** Plays a move of the present position; `next` is the server's description of the position after it. */
  play(choice, next) {
    const now = this.now;
    if (now.played && now.played.move === choice.move) {
      this.at += 1;
      // A line from a link has its positions, but not yet their moves.
      const { played } = this.now;
      Object.assign(this.now, next, { played });
      return;
    }
    this.nodes.length = this.at + 1;
    now.played = choice;
    this.nodes.push({ ...next, played: null });
    this.at += 1;
  }

  go(at) {
    this.at = Math.max(0, Math.min(at, this.nodes.length - 1));
  }

  /** The names of the moves of the whole line, or of its beginning. */
  moves(plies = this.nodes.length) {
    return this.nodes
      .slice(0, plies)
      .filter((node) => node.played)
      .map((node) => node.played.move);
  }

  /** What has been banked since the beginning by the first and the second side. */
  banked(sides, at = this.at) {
    const sums = [0, 0];
    for (const node of this.nodes.slice(0, at)) {
      sums[node.mover === sides[0] ? 0 : 1] += node.played.captures;
    }
    return sums;
  }

  /** By how much the first side is ahead at a ply: in the game, or since the beginning of the line. */
  ahead(sides, at = this.at) {
    const { banked } = this.nodes[at];
    const [first, second] = banked ? sides.map((side) => banked[side]) : this.banked(sides, at);
    return first - second;
  }

  /** The end of the game for the first side, as far as it is known at each position. */
  standings(sides, words) {
    return this.nodes.map((node, at) => words.standing(node, this.ahead(sides, at)));
  }
}

/** What a move cost: nothing, points, or the result. */
export function mistake(node) {
  const played = node.played;
  if (!played || played.best !== false || !node.value || !played.value) return null;
  const lost = node.value.points - played.value.points;
  if (lost <= 0) return null;
  return { lost, grave: node.outcome !== played.outcome };
}
