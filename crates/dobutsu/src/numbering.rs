//! Slices and numbers of dobutsu shogi: one number for a position and its mirror image.

use nutcracker_game::{Game, Metric, Numbering, ParseError, Properties, Score, SliceId};

use super::men::{Men, NUMBERS, tables};
use super::{
    Animal, Dobutsu, DobutsuForward, DobutsuPosition, DobutsuView, LAST_RANK, Man, Stage, reach,
};

/// Positions in which the game is over, or the lion can be taken.
pub(super) const END: SliceId = SliceId(0);
/// All others.
pub(super) const PLAY: SliceId = SliceId(1);

/// In slice [`END`]: the mover has lost.
pub(super) const LOST: u64 = 0;
/// In slice [`END`]: the mover takes the lion.
pub(super) const EXPOSED: u64 = 1;

const SLICES: [&str; 2] = ["end", "play"];

/// The position that stands for all in which the lion can be taken.
pub(super) fn exposed() -> DobutsuPosition {
    let mut position = DobutsuPosition { hands: [[2; 3], [0; 3]], ..DobutsuPosition::empty() };
    position.board[3] = Some(Man { animal: Animal::Lion, own: true });
    position.board[6] = Some(Man { animal: Animal::Lion, own: false });
    position
}

/// The position that stands for all in which the mover has lost: the one after it.
pub(super) fn lost() -> DobutsuPosition {
    let mut position = exposed();
    position.board.swap(3, 6);
    position.board[3] = None;
    position.turned()
}

/// Slice `play` has every position in which neither side has won and the lion cannot be taken;
/// slice `end` has one number for all that are lost, and one for all in which the lion can be
/// taken. So a move that leaves the lion to be taken leaves its slice: what follows is known, and
/// more than half of all moves need not be followed.
impl Numbering for Dobutsu {
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Dtw, Metric::Wdl]
    }

    fn properties(&self) -> Properties {
        Properties { unmoves: true, symmetric: true, holes: true, ..Properties::default() }
    }

    fn largest_slice(&self) -> SliceId {
        PLAY
    }

    fn slice_of(&self, position: &DobutsuPosition) -> SliceId {
        if position.stage() == Stage::Open { PLAY } else { END }
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        if slice == PLAY { NUMBERS } else { 2 }
    }

    fn canonical(&self, position: &DobutsuPosition) -> DobutsuPosition {
        match position.stage() {
            Stage::Lost => lost(),
            Stage::Exposed => exposed(),
            Stage::Open => {
                let men = tables().men(self.rank(position));
                men.expect("the number of a position stands for one").position()
            }
        }
    }

    fn rank(&self, position: &DobutsuPosition) -> u64 {
        match position.stage() {
            Stage::Lost => LOST,
            Stage::Exposed => EXPOSED,
            Stage::Open => tables().index(Men::new(position)),
        }
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<DobutsuPosition> {
        match (slice, index) {
            (PLAY, _) => tables().open(index).map(Men::position),
            (_, LOST) => Some(lost()),
            _ => Some(exposed()),
        }
    }

    fn index_scheme(&self) -> &'static str {
        "lions-1"
    }

    fn max_score(&self, _: SliceId) -> Score {
        1
    }

    /// With one man of each kind in hand and the others on the board, 3 · 7 drops, and 8 + 4 + 4 + 6
    /// steps if nothing were in the way. Every other distribution has fewer of both together.
    fn max_moves(&self, _: SliceId) -> u16 {
        43
    }

    fn slice_name(&self, slice: SliceId) -> String {
        SLICES[slice.0 as usize].to_owned()
    }

    fn slice_named(&self, name: &str) -> Option<SliceId> {
        SLICES.iter().position(|&slice| slice == name).map(|at| SliceId(at as u32))
    }

    fn select(&self, text: &str) -> Result<Vec<SliceId>, ParseError> {
        match self.slice_named(text) {
            Some(slice) => Ok(vec![slice]),
            None => Err(ParseError::new(format!("dobutsu has slices end and play, not {text:?}"))),
        }
    }

    fn is_acyclic(&self, slice: SliceId) -> bool {
        slice == END
    }

    fn unmoves(&self, position: &DobutsuPosition, out: &mut Vec<DobutsuPosition>) {
        match position.stage() {
            Stage::Lost => out.push(exposed()),
            Stage::Exposed => {}
            Stage::Open => unmoves(position, out),
        }
    }
}

/// Appends every open position from which a move leads to this one.
fn unmoves(position: &DobutsuPosition, out: &mut Vec<DobutsuPosition>) {
    // As the side that moved sees it.
    let after = position.turned();
    for (to, man) in after.men().filter(|(_, man)| man.own) {
        let mut without = after;
        without.board[to] = None;
        // A drop.
        if let Some(place) = man.animal.place().filter(|_| man.animal != Animal::Hen) {
            let mut before = without;
            before.hands[0][place] += 1;
            out.push(before);
        }
        // A step, of a chick perhaps that became a hen.
        let mut animals = vec![man.animal];
        if to >= LAST_RANK {
            match man.animal {
                // Dropped there: one that moves there does not stay a chick.
                Animal::Chick => animals.clear(),
                Animal::Hen => animals.push(Animal::Chick),
                _ => {}
            }
        }
        for animal in animals {
            let moved = Man { animal, own: true };
            for from in (0..after.board.len()).filter(|&from| after.board[from].is_none()) {
                if reach(moved, from).all(|reached| reached != to) {
                    continue;
                }
                let mut quiet = without;
                quiet.board[from] = Some(moved);
                out.push(quiet);
                for taken in [Animal::Elephant, Animal::Giraffe, Animal::Chick, Animal::Hen] {
                    let place = taken.place().expect("lions are not in this list");
                    if after.hands[0][place] > 0 {
                        let mut before = quiet;
                        before.hands[0][place] -= 1;
                        before.board[to] = Some(Man { animal: taken, own: false });
                        out.push(before);
                    }
                }
            }
        }
    }
    out.retain(|before| {
        let tried = before.lion(true).is_some_and(|lion| lion >= LAST_RANK);
        before.stage() == Stage::Open && !tried
    });
}

impl Game for Dobutsu {
    type View = DobutsuView;
    type Forward = DobutsuForward;

    fn view_within(&self, slice: SliceId, _: u64) -> DobutsuView {
        DobutsuView::new(slice)
    }

    fn forward_within(&self, slice: SliceId, _: u64) -> DobutsuForward {
        DobutsuForward::new(slice)
    }
}
