//! King and rook against king: the laws of symmetric positions and holes, and games that break them.

use std::ops::Range;

use nutcracker_any::Registered;
use nutcracker_game::{
    Children, Exits, Game, GameId, Metric, Numbering, ParseError, PlainView, Properties, Rules,
    Score, Situation, SliceId, SliceView, Step, exits_of, is_internal, law, plain_views,
};
use nutcracker_games::chess::Chess;
use nutcracker_games::krk::{Krk, KrkPosition};

use crate::solved::{solved, solved_any};

const KRK: SliceId = SliceId(1);

/// Published: 28,056 positions with Black to move and 21,959 with White to move, mirror images
/// apart.
#[test]
fn symmetric_positions_and_holes_keep_the_laws() {
    let report = law::check(&Krk, [KRK], u64::MAX).unwrap();
    assert!(report.exhaustive);
    assert_eq!(report.positions, 1 + 28_056 + 21_959);
    for (part, expected) in Krk.parts(KRK).into_iter().zip([21_959, 28_056]) {
        let positions = part.range.filter(|&index| Krk.unrank(KRK, index).is_some()).count();
        assert_eq!(positions, expected, "{}", part.name);
    }
}

/// With mirror images there are 175,168 positions with White to move and 223,944 with Black to move.
#[test]
fn images_are_counted() {
    fn images<G: Numbering>(game: &G, slice: SliceId) -> Vec<u32> {
        let count = |range: Range<u64>| {
            let positions = range.filter_map(|index| game.unrank(slice, index));
            positions.map(|position| game.images(&position)).sum()
        };
        game.parts(slice).into_iter().map(|part| count(part.range)).collect()
    }
    assert_eq!(images(&Krk, KRK), [175_168, 223_944]);
    assert_eq!(images(&Chess, Chess.slice_named("krk").unwrap()), [175_168, 223_944]);
    assert_eq!(images(&Krk.erase(), KRK), [175_168, 223_944]);
    // With a pawn there are two images of each position.
    let pawns = Chess.slice_named("kpk").unwrap();
    assert_eq!(images(&Chess, pawns).iter().sum::<u32>(), 2 * 165_676);
}

/// The ending is written down twice, with two indices: every position has the same value.
#[test]
fn the_same_values_as_in_chess() {
    let krk = solved(&Krk, Metric::Dtw, None, KRK);
    let slice = Chess.slice_named("krk").unwrap();
    let chess = solved_any(&Chess.erase(), Metric::Dtw, None, slice);
    for index in 0..Krk.slice_len(KRK) {
        let Some(position) = Krk.unrank(KRK, index) else { continue };
        let KrkPosition { white, king, black, rook } = position;
        let mut board = vec!['1'; 64];
        for (square, man) in [(Some(king), 'K'), (Some(black), 'k'), (rook, 'R')] {
            board[usize::from(square.unwrap() ^ 0o70)] = man;
        }
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let text = format!("{} {}", ranks.join("/"), if white { 'w' } else { 'b' });
        let number = Chess.rank(&Chess.parse(&text).unwrap().position);
        assert_eq!(
            krk[KRK.0 as usize][index as usize], chess[slice.0 as usize][number as usize],
            "{text}"
        );
    }
}

/// The same game with a view that counts moves where it should count different successors.
#[derive(Clone, Debug)]
struct PlainMultiplicities(Krk);

macro_rules! delegate_rules {
    () => {
        type Position = KrkPosition;
        type Move = (u8, u8);

        fn id(&self) -> GameId {
            self.0.id()
        }
        fn outcome(&self, position: &KrkPosition) -> Option<Score> {
            self.0.outcome(position)
        }
        fn moves(&self, position: &KrkPosition, out: &mut Vec<(u8, u8)>) {
            self.0.moves(position, out);
        }
        fn play(&self, position: &KrkPosition, mv: &(u8, u8)) -> Step<KrkPosition> {
            self.0.play(position, mv)
        }
        fn start(&self) -> Situation<KrkPosition> {
            self.0.start()
        }
        fn parse(&self, text: &str) -> Result<Situation<KrkPosition>, ParseError> {
            self.0.parse(text)
        }
        fn format(&self, situation: &Situation<KrkPosition>) -> String {
            self.0.format(situation)
        }
        fn format_move(
            &self,
            situation: &Situation<KrkPosition>,
            mv: &(u8, u8),
            step: &Step<KrkPosition>,
        ) -> String {
            self.0.format_move(situation, mv, step)
        }
    };
}

macro_rules! delegate_numbering {
    () => {
        fn largest_slice(&self) -> SliceId {
            self.0.largest_slice()
        }
        fn slice_of(&self, position: &KrkPosition) -> SliceId {
            self.0.slice_of(position)
        }
        fn slice_len(&self, slice: SliceId) -> u64 {
            self.0.slice_len(slice)
        }
        fn rank(&self, position: &KrkPosition) -> u64 {
            self.0.rank(position)
        }
        fn unrank(&self, slice: SliceId, index: u64) -> Option<KrkPosition> {
            self.0.unrank(slice, index)
        }
        fn index_scheme(&self) -> &'static str {
            self.0.index_scheme()
        }
        fn max_score(&self, slice: SliceId) -> Score {
            self.0.max_score(slice)
        }
        fn max_moves(&self, slice: SliceId) -> u16 {
            self.0.max_moves(slice)
        }
        fn unmoves(&self, position: &KrkPosition, out: &mut Vec<KrkPosition>) {
            self.0.unmoves(position, out);
        }
    };
}

impl Rules for PlainMultiplicities {
    delegate_rules!();
}

impl Numbering for PlainMultiplicities {
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Wdl]
    }
    fn properties(&self) -> Properties {
        Properties { unmoves: true, symmetric: true, holes: true, ..Properties::default() }
    }

    delegate_numbering!();

    fn canonical(&self, position: &KrkPosition) -> KrkPosition {
        self.0.canonical(position)
    }
}

struct PlainMultiplicitiesView(PlainView<Krk>);

impl SliceView for PlainMultiplicitiesView {
    type Key = KrkPosition;
    type Cursor = ();

    fn len(&self) -> u64 {
        SliceView::len(&self.0)
    }
    fn key_at(&self, cursor: &mut (), index: u64) -> KrkPosition {
        SliceView::key_at(&self.0, cursor, index)
    }
    fn second_index(&self, key: KrkPosition) -> u64 {
        self.0.second_index(key)
    }
    fn predecessors(&self, key: KrkPosition, mut visit: impl FnMut(u64, KrkPosition)) {
        let mut before = Vec::new();
        Krk.unmoves(&key, &mut before);
        for position in before {
            visit(Krk.rank(&position), Krk.canonical(&position));
        }
    }
    fn parts(&self) -> u64 {
        1
    }
    fn part_range(&self, _: u64) -> Range<u64> {
        0..self.len()
    }
    fn exits<C: Children>(
        &self,
        metric: Metric,
        _: u64,
        children: &C,
        mut put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        let slice = if SliceView::len(&self.0) == 1 { SliceId(0) } else { KRK };
        let mut steps = Vec::new();
        for index in 0..SliceView::len(&self.0) {
            let Some(position) = Krk.unrank(slice, index) else {
                put(index, &[Exits::HOLE]);
                continue;
            };
            let mut exits = exits_of(&Krk, metric, &position, &mut steps, children)?;
            let internal = steps.iter().filter(|step| is_internal(&Krk, slice, step)).count();
            exits.internal = internal as u16;
            put(index, &[exits]);
        }
        Ok(())
    }
}

impl Game for PlainMultiplicities {
    type View = PlainMultiplicitiesView;
    type Forward = PlainView<Self>;

    fn view_within(&self, slice: SliceId, _: u64) -> PlainMultiplicitiesView {
        PlainMultiplicitiesView(PlainView::new(Krk, slice))
    }
    fn forward_within(&self, slice: SliceId, _: u64) -> PlainView<Self> {
        PlainView::new(self.clone(), slice)
    }
}

/// Positions with both kings on a diagonal are their own mirror images: two of their moves lead to
/// one number, which has one un-move back to them.
#[test]
fn plain_multiplicities_of_self_symmetric_positions_are_refused() {
    let breach = law::check(&PlainMultiplicities(Krk), [KRK], u64::MAX).unwrap_err().to_string();
    assert!(breach.contains("un-moves visit it") || breach.contains("by the rules"), "{breach}");
}

/// The same numbers without a word about symmetry.
#[derive(Clone, Debug)]
struct Unsaid(Krk);

impl Rules for Unsaid {
    delegate_rules!();
}

impl Numbering for Unsaid {
    fn properties(&self) -> Properties {
        Properties { unmoves: true, holes: true, ..Properties::default() }
    }

    delegate_numbering!();
}

plain_views!(Unsaid);

#[test]
fn mirror_images_with_one_number_must_be_declared() {
    let breach = law::check(&Unsaid(Krk), [KRK], u64::MAX).unwrap_err().to_string();
    assert!(breach.contains("without a number"), "{breach}");
}
