//! The family of sowing games: its laws under all rules, and its members that have crates or
//! published descriptions of their own.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use nutcracker_any::Options;
use nutcracker_game::{Game, Random, Rules, SliceId, Step, law};
use nutcracker_games::GAMES;
use nutcracker_games::awari::{Awari, Pit};
use nutcracker_games::halves::Board;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::sowing::{
    BASES, CapturesFrom, CapturesOwn, End, Feed, GrandSlam, Origin, Repetition, Rest, RuleSet,
    Sowing, base,
};
use nutcracker_retro::{Silent, SolveOptions, SolverName};
use nutcracker_table::{Disk, Storage};

fn rules(name: &str) -> RuleSet {
    base(name).unwrap().rules
}

fn steps<G: Rules>(game: &G, position: &G::Position) -> Vec<Step<G::Position>> {
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    steps
}

fn play(game: &Sowing, position: &str, name: &str) -> String {
    let at = game.parse(position).unwrap();
    let mut moves = Vec::new();
    game.moves(&at.position, &mut moves);
    let named = moves.iter().find(|mv| {
        let written = game.format_move(&at, mv, &game.play(&at.position, mv));
        written.starts_with(name)
    });
    let Some(mv) = named else { return "illegal".to_owned() };
    let step = game.play(&at.position, mv);
    game.format(&game.advance(&at, &step))
}

/// Moves and results of two games are the same on all boards of their slices up to one.
fn agree<G: Game<Position = Board>>(own: &G, family: &Sowing, last: u32) {
    for slice in (0..=last).map(SliceId) {
        for index in 0..own.slice_len(slice) {
            let board = own.unrank(slice, index).unwrap();
            assert_eq!(own.outcome(&board), family.outcome(&board), "{board:?}");
            assert_eq!(steps(own, &board), steps(family, &board), "{board:?}");
        }
    }
}

#[test]
fn awari_is_a_member() {
    for (pits, last) in [(2, 14), (3, 10), (6, 6)] {
        let family = Sowing::new(RuleSet { pits: pits as u8, ..rules("awari") }).unwrap();
        agree(&Awari::new(pits).unwrap(), &family, last);
    }
    // Sowings of more than a lap.
    let (awari, family) = (Awari::new(6).unwrap(), Sowing::new(rules("awari")).unwrap());
    let mut random = Random::new(17);
    for _ in 0..2_000 {
        let slice = SliceId(20 + random.below(29) as u32);
        let board = awari.unrank_any(slice, &mut random);
        assert_eq!(steps(&awari, &board), steps(&family, &board));
        assert_eq!(awari.outcome(&board), family.outcome(&board));
    }
    assert_eq!(
        awari.play(&awari.start().position, &Pit(5)),
        family.play(&family.start().position, &5)
    );
}

/// A board of a slice.
trait AnyBoard: Game {
    fn unrank_any(&self, slice: SliceId, random: &mut Random) -> Self::Position {
        self.unrank(slice, random.below(self.slice_len(slice))).unwrap()
    }
}

impl<G: Game> AnyBoard for G {}

#[test]
fn kalah_is_a_member() {
    for (pits, seeds, last) in [(2, 4, 14), (3, 3, 10), (6, 4, 6)] {
        let size = RuleSet { pits, seeds, ..rules("kalah") };
        let (count, each) = (usize::from(pits), usize::from(seeds));
        agree(&Kalah::new(count, each, false).unwrap(), &Sowing::new(size).unwrap(), last);
        let always = RuleSet { captures_own: CapturesOwn::Always, ..size };
        agree(&Kalah::new(count, each, true).unwrap(), &Sowing::new(always).unwrap(), last);
        let on = RuleSet { end: End::NoMove, rest: Rest::Opponent, ..size };
        let kalah = Kalah::new(count, each, false).unwrap().playing_on();
        agree(&kalah, &Sowing::new(on).unwrap(), last);
    }
}

#[test]
fn named_games_keep_the_laws() {
    for (name, _) in BASES {
        let game = Sowing::new(rules(name)).unwrap();
        let report = law::check(&game, (0..=7).map(SliceId), 3_000).unwrap();
        assert!(report.unmoves > 1_000, "{name}: {report:?}");
        let small = Sowing::new(RuleSet { pits: 3, seeds: 2, ..rules(name) }).unwrap();
        let report = law::check(&small, (0..=9).map(SliceId), u64::MAX).unwrap();
        assert!(report.exhaustive, "{name}");
    }
}

/// A rule set drawn at random.
fn drawn(random: &mut Random) -> RuleSet {
    fn one<T: Copy>(random: &mut Random, all: &[T]) -> T {
        all[random.below(all.len() as u64) as usize]
    }
    use GrandSlam::{Illegal, LeavesFirst, LeavesLast, Legal, Nothing};
    let store = one(random, &[false, false, true]);
    RuleSet {
        pits: one(random, &[1, 2, 3]),
        seeds: 2,
        origin: one(random, &[Origin::Skip, Origin::Sow, Origin::FirstSeed]),
        store,
        extra_turn: store && one(random, &[false, true]),
        captures: rules(one(
            random,
            &["oware", "bohnenspiel", "mangala", "vai-lung-thlan", "kalah"],
        ))
        .captures,
        captures_from: one(random, &[CapturesFrom::Opponent, CapturesFrom::Both]),
        chain: one(random, &[false, true]),
        captures_own: one(
            random,
            &[CapturesOwn::Nothing, CapturesOwn::Opposite, CapturesOwn::Always],
        ),
        grand_slam: one(
            random,
            &[Illegal, Nothing, Legal, GrandSlam::Rest, LeavesLast, LeavesFirst],
        ),
        feed: one(random, &[Feed::No, Feed::Must, Feed::IfPossible]),
        end: one(random, &[End::NoMove, End::EmptyRow, End::EmptyBoard]),
        rest: one(random, &[Rest::Opponent, Rest::OwnRows, Rest::EmptyRow]),
        repetition: one(random, &[Repetition::Equal, Repetition::OwnRows]),
    }
}

#[test]
fn whatever_the_rules_the_laws_hold() {
    let mut random = Random::new(1);
    let (mut by_rows, mut reachable) = (0, 0);
    for _ in 0..1_500 {
        let rules = drawn(&mut random);
        let Ok(game) = Sowing::new(rules) else { continue };
        let last = if rules.pits == 3 { 5 } else { 4 * u32::from(rules.pits) };
        law::check(&game, (0..=last).map(SliceId), u64::MAX)
            .unwrap_or_else(|breach| panic!("{}: {breach}", rules.canonical()));
        by_rows += u32::from(game.row_moves(SliceId(last)).is_some());
        reachable += u32::from(nutcracker_game::Numbering::index_scheme(&game) == "reachable-1");
    }
    assert!(by_rows > 300 && reachable > 50, "{by_rows} {reachable}");
}

#[test]
fn what_is_written_down_about_grand_slams() {
    // C6 would capture 3 + 2 + 2 seeds, all that North has.
    let at = "0,0,6,0,3,5/2,1,1,0,0,0 S 20-10";
    let after = |grand_slam| {
        play(&Sowing::new(RuleSet { grand_slam, ..RuleSet::ABAPA }).unwrap(), at, "C6")
    };
    assert_eq!(after(GrandSlam::Illegal), "illegal");
    assert_eq!(after(GrandSlam::Nothing), "0,0,0,1,4,6/3,2,2,0,0,0 N 20-10");
    assert_eq!(after(GrandSlam::Legal), "0,0,0,1,4,6/0,0,0,0,0,0 N 27-10");
    assert_eq!(after(GrandSlam::Rest), "0,0,0,0,0,0/0,0,0,0,0,0 N 27-21");
    assert_eq!(after(GrandSlam::LeavesLast), "0,0,0,1,4,6/0,0,2,0,0,0 N 25-10");
    assert_eq!(after(GrandSlam::LeavesFirst), "0,0,0,1,4,6/3,0,0,0,0,0 N 24-10");
}

#[test]
fn abapa_feeds_or_ends() {
    let abapa = Sowing::new(RuleSet::ABAPA).unwrap();
    // E2 feeds; A1 and F0 do not.
    assert_eq!(play(&abapa, "1,0,0,0,2,0/0,0,0,0,0,0 S 20-25", "A1"), "illegal");
    assert_eq!(
        play(&abapa, "1,0,0,0,2,0/0,0,0,0,0,0 S 20-25", "E2"),
        "1,0,0,0,0,1/1,0,0,0,0,0 N 20-25"
    );
    let at = abapa.parse("1,0,0,0,1,0/0,0,0,0,0,0 S 21-25").unwrap();
    assert_eq!(abapa.outcome(&at.position), Some(2));
    // A repeated position: each side takes its own row.
    let at = abapa.parse("1,0,0,0,2,0/0,1,0,0,0,0 N").unwrap();
    assert_eq!(abapa.repeated(&at.position), -2);
}

#[test]
fn what_is_written_down_about_other_games() {
    let game = |name| Sowing::new(rules(name)).unwrap();
    // Twos, fours and sixes on both sides, back across the end of a row.
    assert_eq!(
        play(&game("bohnenspiel"), "0,0,0,0,3,3/1,3,0,0,0,0 S 0-0", "E3"),
        "0,0,0,0,0,0/0,0,0,0,0,0 N 10-0"
    );
    // Single seeds, with the pit that was empty before the last one.
    assert_eq!(
        play(&game("vai-lung-thlan"), "0,0,0,0,2,0/0,4,0,0,0,0 S 0-0", "E2"),
        "0,0,0,0,0,0/0,4,0,0,0,0 N 2-0"
    );
    assert_eq!(
        play(&game("vai-lung-thlan"), "0,0,0,0,0,0/0,4,0,0,0,0 S 0-0", "pass"),
        "0,0,0,0,0,0/0,4,0,0,0,0 N 0-0"
    );
    // The first seed goes back; an even number is captured; the store gives another turn.
    let mangala = game("mangala");
    assert_eq!(
        play(&mangala, "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", "D4"),
        "4,4,4,1,5,5/4,4,4,4,4,4 S 1-0"
    );
    assert_eq!(
        play(&mangala, "4,4,4,4,4,4/4,3,4,4,4,4 S 0-0", "F4"),
        "4,4,4,4,4,1/5,0,4,4,4,4 N 5-0"
    );
    assert_eq!(
        play(&mangala, "1,0,4,4,4,4/4,4,4,4,4,4 S 0-0", "A1"),
        "0,0,4,4,4,4/4,4,4,4,0,4 N 5-0"
    );
    // Whose row is empty takes the rest.
    let at = mangala.parse("0,0,0,0,0,0/0,2,0,0,0,1 N 20-25").unwrap();
    assert_eq!(mangala.outcome(&at.position), Some(-3));
    let bestemshe = game("bestemshe");
    assert_eq!(play(&bestemshe, "5,5,5,5,5/5,5,5,5,5 S 0-0", "B5"), "5,1,6,6,6/0,5,5,5,5 N 6-0");
}

/// The same file by the row method and by un-moves.
#[test]
fn rows_and_memory_agree() {
    let disk: Arc<dyn Storage> = Arc::new(Disk::default());
    for name in ["bohnenspiel", "mangala", "vai-lung-thlan", "bestemshe"] {
        let game = GAMES.game(name, &Options::new()).unwrap();
        let files = [SolverName::Rows, SolverName::Memory].map(|solver| {
            let dir = tempfile::tempdir().unwrap();
            let options = SolveOptions { solver: Some(solver), ..SolveOptions::new(1, "test") };
            let selected: Vec<SliceId> = (0..=6).map(SliceId).collect();
            game.solve_slices(&disk, dir.path(), &selected, &options, &Silent).unwrap();
            let mut files: Vec<_> = fs::read_dir(dir.path()).unwrap().map(Result::unwrap).collect();
            files.retain(|file| file.path().extension().is_some_and(|end| end == "nut"));
            files.sort_by_key(fs::DirEntry::file_name);
            assert_eq!(files.len(), 7);
            files.iter().map(|file| fs::read(file.path()).unwrap()).collect::<Vec<_>>()
        });
        assert!(files[0] == files[1], "{name}");
    }
}

#[test]
fn a_file_names_the_game_that_it_describes() {
    let dir = tempfile::tempdir().unwrap();
    let id = |text: &str| {
        let path = dir.path().join("my-game.toml");
        fs::write(&path, text).unwrap();
        let game = GAMES.game(path.to_str().unwrap(), &Options::new()).unwrap();
        let (id, start) = (game.id().to_string(), game.start_options());
        let (found, options) = GAMES.identified(&id, &start).unwrap();
        let again = found.game(&options).unwrap();
        assert_eq!((again.id(), again.start()), (game.id(), game.start()));
        (id, start)
    };
    let of = |id: &str, start: &str| (id.to_owned(), start.to_owned());
    assert_eq!(id("inherits = \"awari\"\npits = 3\n"), of("awari (pits=3)", ""));
    let kalah = "kalah (pits=2,empty-capture=no,play-on=no)";
    assert_eq!(id("inherits = \"kalah\"\npits = 2\nseeds = 3\n"), of(kalah, "seeds=3"));
    assert_eq!(id(""), of("oware (pits=6)", "seeds=4"));
    assert_eq!(
        id("inherits = \"oware\"\ngrand-slam = \"legal\"\nseeds = 3\n"),
        of("sowing (rules=pits:6;grand-slam:legal)", "seeds=3")
    );
    let error = GAMES.open("no-such-file.toml").unwrap_err().to_string();
    assert!(error.starts_with("cannot read no-such-file.toml: "), "{error}");
    // Names that come from elsewhere than the command line never open a file.
    assert!(GAMES.info(Path::new("my-game.toml").to_str().unwrap()).is_err());
}
