// Which board suits a notation.

import { animals } from "./animals.js";
import { checkers } from "./checkers.js";
import { chess } from "./chess.js";
import { grid } from "./grid.js";
import { morris } from "./morris.js";
import { pits } from "./pits.js";
import { plain } from "./plain.js";

/**
 * All kinds of boards. Each `reads` the notations it can `draw`, names its `keys` on one of them, and may have an
 * `editor`, which takes a notation and gives another, and a `choice` of a move by a key; where seeds are
 * sown, it says so (`sows`). The last one reads everything.
 */
const KINDS = [pits, grid, animals, checkers, chess, morris, plain];

export const boardOf = (position) => KINDS.find((kind) => kind.reads(position));
