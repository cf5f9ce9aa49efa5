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

  get atEnd() {
    return this.at === this.nodes.length - 1;
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

  /** The ply of the line that is nearest to a number. */
  clamp(at) {
    return Math.max(0, Math.min(at, this.nodes.length - 1));
  }

  go(at) {
    this.at = this.clamp(at);
  }

  /** The names of the moves of the whole line, or of its beginning. */
  moves(plies = this.nodes.length) {
    return this.nodes
      .slice(0, plies)
      .filter((node) => node.played)
      .map((node) => node.played.move);
  }

  /** The end of the game for the first side, as far as it is known at each position. */
  standings(sides, words) {
    return this.nodes.map((node) => words.standing(node, ahead(node, sides)));
  }
}

/** What both sides have: in the game, or since the beginning of the line. */
export function banked(node, sides) {
  const points = node.banked ?? node.taken;
  return sides.map((side) => points[side]);
}

/** By how much the first side is ahead. */
export function ahead(node, sides) {
  const [first, second] = banked(node, sides);
  return first - second;
}
