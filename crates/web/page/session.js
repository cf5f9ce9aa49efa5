// A game on the board: its start, its moves, and the current ply.

export class Session {
  /** `start` is the server's description of the first position. */
  constructor(start) {
    /** Positions; each but the last has the move that was played there. */
    this.nodes = [{ ...start, played: null }];
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
      return;
    }
    this.nodes.length = this.at + 1;
    now.played = choice;
    const repeats = this.nodes.some((node) => node.board === next.board);
    this.nodes.push({ ...next, played: null, repeats, over: next.over || repeats });
    this.at += 1;
  }

  go(at) {
    this.at = Math.max(0, Math.min(at, this.nodes.length - 1));
  }

  /** The names of the moves of the whole line. */
  moves() {
    return this.nodes.filter((node) => node.played).map((node) => node.played.move);
  }

  /** What has been banked since the beginning by the first and the second side. */
  banked(sides, at = this.at) {
    const sums = [0, 0];
    for (const node of this.nodes.slice(0, at)) {
      sums[node.mover === sides[0] ? 0 : 1] += node.played.captures;
    }
    return sums;
  }

  /** The margin of the first side at the end, as far as it is known at each position. */
  margins(sides) {
    return this.nodes.map((node, at) => {
      const value = node.repeats ? { points: 0 } : node.value;
      if (!value) return null;
      const [first, second] = this.banked(sides, at);
      return first - second + (node.mover === sides[0] ? value.points : -value.points);
    });
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
