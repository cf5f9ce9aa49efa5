// A game on the board: its start, its moves, the lines beside it, and the current ply.

/** A position of a line; `others` are the lines that leave it by another move than the one played. */
const fresh = (node) => ({ played: null, others: [], ...node });

const names = (nodes) => nodes.filter((node) => node.played).map((node) => node.played.move);

/** All lines through some nodes, each by its moves: those of `before`, then one of theirs. */
function* paths(nodes, before = []) {
  yield [...before, ...names(nodes)];
  const so = [...before];
  for (const node of nodes) {
    for (const { played, nodes: rest } of node.others) yield* paths(rest, [...so, played.move]);
    if (node.played) so.push(node.played.move);
  }
}

export class Session {
  /** `nodes` are the server's descriptions of positions; each but the last has the move played there. */
  constructor(nodes) {
    this.nodes = nodes.map(fresh);
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

  /**
   * Plays a move of the present position; `next` is the server's description of the position after it.
   * A line that goes on in another way is kept beside this one.
   */
  play(choice, next) {
    if (this.now.played?.move !== choice.move) this.#turn(this.at, choice, [next]);
    this.at += 1;
    // A line from a link has its positions, but not yet their moves.
    const { played, others } = this.now;
    Object.assign(this.now, next, { played, others });
  }

  /** Goes on with another move at a ply: by the line that begins with it, or by these nodes. */
  #turn(ply, choice, nodes) {
    const node = this.nodes[ply];
    const known = node.others.findIndex((one) => one.played.move === choice.move);
    const line = known < 0 ? { played: choice, nodes: nodes.map(fresh) } : node.others.splice(known, 1)[0];
    const rest = this.nodes.splice(ply + 1, Infinity, ...line.nodes);
    if (node.played) node.others.push({ played: node.played, nodes: rest });
    node.played = line.played;
  }

  /** Shows a line from the start on, by nodes as they were given to the constructor; others are kept. */
  take(nodes) {
    nodes.forEach(({ played }, ply) => {
      if (played && this.nodes[ply].played?.move !== played.move)
        this.#turn(ply, played, nodes.slice(ply + 1));
    });
  }

  /** Shows the line with these moves, if there is one. */
  turnTo(moves) {
    for (const [ply, move] of moves.entries()) {
      const { played, others } = this.nodes[ply];
      const other = others.find((one) => one.played.move === move);
      if (other) this.#turn(ply, other.played, []);
      else if (played?.move !== move) return false;
    }
    return true;
  }

  /** The lines that leave this one: at which ply, with which moves, and where they end. */
  get branches() {
    return this.nodes.flatMap(({ others }, ply) =>
      others.map(({ played, nodes }) => ({
        ply,
        moves: [played.move, ...names(nodes)],
        end: nodes.at(-1),
      })),
    );
  }

  /** Forgets a line that leaves this one. */
  drop({ ply, moves }) {
    const { others } = this.nodes[ply];
    others.splice(
      others.findIndex((one) => one.played.move === moves[0]),
      1,
    );
  }

  /** The moves of this line, and of all others. */
  get lines() {
    return [...paths(this.nodes)];
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
    return names(this.nodes.slice(0, plies));
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
