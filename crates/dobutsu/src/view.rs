//! Backward view of dobutsu shogi: exits and un-moves on lists of men.
//!
//! No man moves more than one square, so none ever opens or closes a line: whether a lion is
//! attacked after a move follows from the squares attacked before it.

use nutcracker_game::{
    Children, Exits, Metric, Numbering, Score, SliceId, SliceView, Turn, exits_of,
};

use super::Dobutsu;
use super::men::{HAND, HEN, Men, PLACE, Tables, tables};
use super::numbering::{END, EXPOSED, LOST, PLAY};

/// A slice of dobutsu shogi.
#[derive(Clone, Copy, Debug)]
pub struct DobutsuView {
    slice: SliceId,
    tables: &'static Tables,
}

/// The last rank of each side.
const LAST: [u16; 2] = [0o7000, 0o7];

impl DobutsuView {
    pub(super) fn new(slice: SliceId) -> Self {
        DobutsuView { slice, tables: tables() }
    }

    /// By the rules, for the few positions of which two moves lead to one number.
    #[cold]
    fn plain_exits<C: Children>(
        &self,
        metric: Metric,
        index: u64,
        children: &C,
    ) -> Result<Exits, C::Error> {
        match Dobutsu.unrank(self.slice, index) {
            Some(position) => exits_of(&Dobutsu, metric, &position, &mut Vec::new(), children),
            None => Ok(Exits::HOLE),
        }
    }

    /// Every predecessor once, where that of two un-moves can be the same.
    #[cold]
    fn different_predecessors(&self, men: Men, mut visit: impl FnMut(u64, Men)) {
        let mut seen = Vec::new();
        self.every_predecessor(men, |index, before| {
            if !seen.contains(&index) {
                seen.push(index);
                visit(index, before);
            }
        });
    }

    /// Visits every open position from which a move leads to `men`, one for each move.
    #[inline(always)]
    fn every_predecessor(&self, men: Men, mut visit: impl FnMut(u64, Men)) {
        let tables = self.tables;
        let to_move = men.side();
        let moved = 1 - to_move;
        let lions = men.lions();
        let target = lions[to_move];
        let own = 12 * moved as u8;
        let mut occupied: u16 = 1 << lions[0] | 1 << lions[1];
        let (mut checks, mut checker) = (0, 0);
        for (slot, at) in men.men.into_iter().enumerate() {
            let square = tables.squares[usize::from(at & PLACE)];
            occupied |= (square | square >> 16) as u16;
            if tables.attacks[slot / 2][usize::from(at) & 63] >> (target + 16 * moved) & 1 == 1 {
                checks += 1;
                checker = slot;
            }
        }
        // Before the move, nothing attacked the lion: else it would have been taken. So the only
        // man that attacks it now is the one that moved.
        if checks > 1 {
            return;
        }
        let before = men.passed();
        let hand = HAND + moved as u8;
        // What the move may have taken, as the men in hand that go back to the board.
        let mut taken = [(0, 0); 4];
        let mut ways = 0;
        for kind in 0..3 {
            let slot = 2 * kind + usize::from(men.men[2 * kind] != hand);
            if men.men[slot] == hand {
                taken[ways] = (slot, 0);
                ways += 1;
                if kind == 2 {
                    taken[ways] = (slot, HEN);
                    ways += 1;
                }
            }
        }
        let taken = &taken[..ways];
        // All positions before a step of a man that now stands on `square`.
        let mut step = |before: Men, square: usize| {
            visit(tables.index(before), before);
            for &(slot, hen) in taken {
                let mut before = before;
                before.men[slot] = square as u8 + 12 * to_move as u8 + hen;
                visit(tables.index(before), before);
            }
        };
        let (first, last) = if checks == 1 { (checker, checker) } else { (0, 5) };
        for slot in first..=last {
            let at = men.men[slot];
            let square = (at & PLACE).wrapping_sub(own);
            if square >= 12 {
                continue;
            }
            let mut before = before;
            let is_hen = at & HEN != 0;
            let kind = slot / 2 + usize::from(is_hen);
            let mut from = tables.from[kind][usize::from(at & PLACE)];
            let on_last = LAST[moved] >> square & 1 == 1;
            if kind == 2 && on_last {
                // Dropped there: one that moves there does not stay a chick.
                from = 0;
            }
            from &= !occupied & !tables.from[kind][target + usize::from(own)];
            while from != 0 {
                before.men[slot] = from.trailing_zeros() as u8 + own + (at & HEN);
                from &= from - 1;
                step(before, square.into());
            }
            if is_hen && on_last {
                // A chick that became a hen.
                let behind = tables.from[2][usize::from(at & PLACE)];
                if behind & occupied == 0 {
                    before.men[slot] = behind.trailing_zeros() as u8 + own;
                    step(before, square.into());
                }
            }
        }
        if checks == 0 {
            let square = lions[moved];
            let mut from =
                tables.around[square] & !occupied & !tables.around[target] & !LAST[moved];
            while from != 0 {
                let mut before = before;
                let lion = from.trailing_zeros() as u8;
                from &= from - 1;
                // Side 0 is to move again before a move of its own, so its byte is the square.
                before.lions[moved] = lion;
                step(before, square);
            }
        }
        for slot in first..=last {
            let at = men.men[slot];
            if at < HAND && (at >= 12) == (moved == 1) {
                let mut before = before;
                before.men[slot] = hand;
                visit(tables.index(before), before);
            }
        }
    }
}

/// What exits are worth, by their kind: none, a try, a move that leaves the lion to be taken, both.
struct ExitValues {
    by_kind: [Exits; 4],
    /// Where the mover cannot move.
    lost: Exits,
}

impl ExitValues {
    fn read<C: Children>(metric: Metric, children: &C) -> Result<Self, C::Error> {
        let mut values = [Exits { best: Exits::NONE, internal: 0 }; 4];
        let nexts = [children.score(END, LOST)?, children.score(END, EXPOSED)?];
        for (kinds, value) in values.iter_mut().enumerate() {
            let (mut draws, mut too_far) = (false, false);
            for (_, &next) in (0..).zip(&nexts).filter(|(kind, _)| kinds >> kind & 1 == 1) {
                let through: Score = metric.through(0, Turn::Passes, false, next);
                if metric.is_too_far(through, next) {
                    too_far = true;
                } else {
                    draws |= through == 0;
                }
                value.best = value.best.max(through as i8);
            }
            if too_far && value.best == 0 && !draws {
                *value = Exits::TOO_FAR;
            }
        }
        let lost = Exits { best: metric.over(-1) as i8, internal: 0 };
        Ok(ExitValues { by_kind: values, lost })
    }

    #[inline(always)]
    fn with(&self, tries: bool, exposes: bool, internal: u32) -> Exits {
        let exits = self.by_kind[usize::from(tries) | usize::from(exposes) << 1];
        if exits == Exits::TOO_FAR {
            exits
        } else if internal == 0 && !tries && !exposes {
            self.lost
        } else {
            Exits { internal: internal as u16, ..exits }
        }
    }
}

impl DobutsuView {
    /// The exits of an open position that is not its own mirror image; `None` if the position is
    /// not open.
    #[inline(always)]
    fn exits_of(&self, men: Men, values: &ExitValues) -> Option<Exits> {
        let tables = self.tables;
        let [own_lion, other_lion] = men.lions();
        let [attacked, squares] = tables.survey(men);
        if attacked >> other_lion & 1 == 1 {
            return None;
        }
        let attacked = (attacked >> 16) as u16 | tables.around[other_lion];
        let own = squares as u16 | 1 << own_lion;
        let steps = tables.around[own_lion] & !own;
        let safe = steps & !attacked;
        let tries = safe & LAST[0] != 0;
        let mut exposes = steps & attacked != 0;
        let mut internal = (safe & !LAST[0]).count_ones();

        // Squares that the other men move to, those of three men in each word.
        let mut moves = [0u64; 2];
        let (mut checks, mut check_square) = (0, 0);
        for (slot, at) in men.men.into_iter().enumerate() {
            let attacks = tables.attacks[slot / 2][usize::from(at) & 63];
            moves[slot / 3] |= u64::from(attacks as u16 & !own) << (16 * (slot % 3));
            if attacks >> (16 + own_lion) & 1 == 1 {
                checks += 1;
                check_square = (tables.squares[usize::from(at & PLACE)] >> 16) as u16;
            }
        }
        let kinds =
            [0, 2, 4].map(|slot| u32::from(men.men[slot] == HAND || men.men[slot + 1] == HAND));
        let empty = 12 - (own | (squares >> 16) as u16 | 1 << other_lion).count_ones();
        let all = moves[0].count_ones()
            + moves[1].count_ones()
            + (kinds[0] + kinds[1] + kinds[2]) * empty;
        let fine = match checks {
            0 => all,
            1 => {
                let takes = u64::from(check_square) * 0x0001_0001_0001;
                (moves[0] & takes).count_ones() + (moves[1] & takes).count_ones()
            }
            _ => 0,
        };
        internal += fine;
        exposes |= fine < all;
        Some(values.with(tries, exposes, internal))
    }
}

impl SliceView for DobutsuView {
    type Key = Men;
    type Cursor = ();

    fn len(&self) -> u64 {
        Dobutsu.slice_len(self.slice)
    }

    #[inline]
    fn key_at(&self, (): &mut (), index: u64) -> Men {
        if self.slice == END {
            return Men::end(index);
        }
        self.tables.men(index).expect("only positions have values to spread")
    }

    fn second_index(&self, key: Men) -> u64 {
        key.end_index().unwrap_or_else(|| self.tables.index(key))
    }

    #[inline]
    fn predecessors(&self, key: Men, mut visit: impl FnMut(u64, Men)) {
        if self.slice == END {
            if key == Men::end(LOST) {
                visit(EXPOSED, Men::end(EXPOSED));
            }
        } else if self.tables.is_symmetric(key) {
            self.different_predecessors(key, visit);
        } else {
            self.every_predecessor(key, visit);
        }
    }

    fn exits<C: Children>(
        &self,
        metric: Metric,
        part: u64,
        children: &C,
        mut put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        let range = self.part_range(part);
        let mut run = Vec::with_capacity((range.end - range.start) as usize);
        if self.slice == PLAY {
            let values = ExitValues::read(metric, children)?;
            for index in range.clone() {
                run.push(match self.tables.men(index) {
                    None => Exits::HOLE,
                    Some(men) if self.tables.is_symmetric(men) => {
                        self.plain_exits(metric, index, children)?
                    }
                    Some(men) => self.exits_of(men, &values).unwrap_or(Exits::HOLE),
                });
            }
        } else {
            for index in range.clone() {
                run.push(self.plain_exits(metric, index, children)?);
            }
        }
        put(range.start, &run);
        Ok(())
    }
}
