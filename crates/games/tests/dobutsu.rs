//! Dobutsu shogi: rules, notation, laws, and lines of play counted by another program.

use std::collections::HashSet;

use nutcracker_game::{
    Evaluate, ForwardView, Game, Metric, Numbering, PlainView, Rules, Side, Situation, SliceId,
    SliceView, find_move, law, perft::perft,
};
use nutcracker_games::dobutsu::{Dobutsu, DobutsuPosition};
use proptest::prelude::*;

const END: SliceId = SliceId(0);
const PLAY: SliceId = SliceId(1);

fn read(text: &str) -> Situation<DobutsuPosition> {
    Dobutsu.parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The names of the legal moves, sorted.
fn moves(text: &str) -> Vec<String> {
    let situation = read(text);
    let mut moves = Vec::new();
    Dobutsu.moves(&situation.position, &mut moves);
    let name = |mv| {
        let step = Dobutsu.play(&situation.position, mv);
        Dobutsu.format_move(&situation, mv, &step)
    };
    let mut names: Vec<String> = moves.iter().map(name).collect();
    names.sort_unstable();
    names
}

/// The position after a move.
fn after(text: &str, name: &str) -> String {
    let situation = read(text);
    let mut moves = Vec::new();
    Dobutsu.moves(&situation.position, &mut moves);
    let mv = moves[find_move(&Dobutsu, &situation, name).unwrap()];
    let step = Dobutsu.play(&situation.position, &mv);
    Dobutsu.format(&Dobutsu.advance(&situation, &step))
}

fn outcome(text: &str) -> Option<i16> {
    Dobutsu.outcome(&read(text).position)
}

#[test]
fn the_first_moves() {
    assert_eq!(moves("gle/.c./.C./ELG S -"), ["Cb3xb2", "Gc4-c3", "Lb4-a3", "Lb4-c3"]);
    let taken = after("gle/.c./.C./ELG S -", "Cb3xb2");
    assert_eq!(taken, "gle/.C./.../ELG G C");
    // The chick attacks the lion; nothing has to be done about it.
    assert_eq!(moves(&taken), ["Ec1xb2", "Ga1-a2", "Lb1-a2", "Lb1-c2", "Lb1xb2"]);
    assert_eq!(after(&taken, "Ec1xb2"), "gl./.e./.../ELG S Cc");
}

#[test]
fn chicks_become_hens_and_hens_are_taken_as_chicks() {
    assert_eq!(after("l../..C/g../LE. S EGc", "Cc2-c1+"), "l.H/.../g../LE. G EGc");
    assert_eq!(after("l.g/..C/.../LE. S EGc", "Cc2xc1+"), "l.H/.../.../LE. G EGGc");
    // A hen moves like a giraffe, and diagonally forward.
    let hen: Vec<String> =
        moves("l../..c/.H./LEG S EG").into_iter().filter(|name| name.starts_with('H')).collect();
    assert_eq!(hen, ["Hb3-a2", "Hb3-a3", "Hb3-b2", "Hb3-c3", "Hb3xc2"]);
    assert_eq!(after("l../..h/.H./LEG S EG", "Hb3xc2"), "l../..H/.../LEG G EGC");
}

#[test]
fn men_are_dropped_on_every_empty_square() {
    let text = "l../.c./.../L.. S EGGEC";
    let dropped = |letter: char| moves(text).iter().filter(|name| name.starts_with(letter)).count();
    // Two of a kind are one choice; a second chick on a file and one on the last rank are allowed.
    assert_eq!((dropped('E'), dropped('G'), dropped('C')), (9, 9, 9));
    assert_eq!(after(text, "C*b1"), "lC./.c./.../L.. G EEGG");
    // A chick dropped there stays one and cannot move.
    let stays = moves("lC./.c./.../L.. S EEGG");
    assert!(stays.iter().all(|name| !name.starts_with("Cb1")), "{stays:?}");
}

#[test]
fn a_lion_that_can_be_taken_is_taken() {
    let text = ".l./.C./G../L.. S EEGc";
    assert_eq!(moves(text), ["Cb2xb1+"]);
    let taken = after(text, "Cb2xb1+");
    assert_eq!(taken, ".H./.../G../L.. G EEGc");
    assert_eq!(outcome(&taken), Some(-1));
    assert!(moves(&taken).is_empty());
    // Either of two men may take it.
    assert_eq!(moves("Gl./.C./.../L.. S EEGc"), ["Cb2xb1+", "Ga1xb1"]);
}

#[test]
fn a_lion_that_reaches_the_last_rank_wins_unless_it_is_taken() {
    let text = "g../L../..l/... S EEGCC";
    let tried = after(text, "La2-b1");
    // The giraffe beside it takes it.
    assert_eq!((outcome(&tried), moves(&tried)), (None, vec!["Ga1xb1".to_owned()]));
    let tried = after("..g/L../..l/... S EEGCC", "La2-a1");
    assert_eq!(outcome(&tried), Some(-1));
    // For Gote, the last rank is the fourth.
    let tried = after(".../..L/l../... G EEGGCC", "La3-b4");
    assert_eq!(tried, ".../..L/.../.l. S EEGGCC");
    assert_eq!(outcome(&tried), Some(-1));
}

#[test]
fn whoever_cannot_move_has_lost() {
    let text = "GE./LGE/CCl/... S -";
    assert_eq!(outcome(text), Some(-1));
    assert!(moves(text).is_empty());
    assert_eq!(outcome("GE./LGE/C.l/... S C"), None);
}

#[test]
fn texts_that_are_no_positions() {
    for (text, reason) in [
        ("gle/.c./.C./ELG S", "the hands are needed"),
        ("gle/.c./.C./ELG S - -", "the hands are needed"),
        ("gle/.c./.C. S -", "four ranks"),
        ("gle/.c./.C./ELGG S -", "four ranks"),
        ("gle/.c./.C./ELK S -", "'K' is no man"),
        ("gle/.c./.C./ELG X -", "S or G is to move"),
        ("gle/.c./.C./ELG S H", "a hand has the letters"),
        ("gle/.c./.C./ELG S L", "a hand has the letters"),
        ("gle/.c./.C./ELG S C", "two elephants"),
        ("gle/.../.C./ELG S -", "two elephants"),
        ("gle/.c./.C./ELG S CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC", "two elephants"),
        ("g.e/.c./.C./ELG S -", "each side has one lion"),
        ("gle/.cl/.C./ELG S -", "each side has one lion"),
        ("gle/.c./.C./E.G G -", "each side has one lion"),
        ("Lge/.cl/.C./E.G S -", "on its last rank"),
        ("", "the hands are needed"),
    ] {
        let error = Dobutsu.parse(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    // The side to move may have lost its lion.
    assert_eq!(outcome("gle/.c./.C./E.G S -"), Some(-1));
}

#[test]
fn the_board_is_drawn_as_sente_sees_it() {
    let drawn = Dobutsu.draw(&read("gl./.e./.C./EL. G Gc"));
    assert_eq!(
        drawn,
        "   a b c\n1  g l .   in hand: c\n2  . e .\n3  . C .\n4  E L .   in hand: G\nGote to move\n"
    );
}

/// Another, simpler program for the same rules: a board of letters that is never turned, two bags
/// of letters, and a try that is looked up after the move.
mod letters {
    #[derive(Clone)]
    pub struct Letters {
        pub board: Vec<u8>,
        pub bags: [Vec<u8>; 2],
        pub gote: bool,
    }

    /// Rank and file differences for men that play towards rank 0.
    fn steps(letter: u8) -> &'static [(i32, i32)] {
        match letter.to_ascii_uppercase() {
            b'L' => &[(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)],
            b'E' => &[(-1, -1), (-1, 1), (1, -1), (1, 1)],
            b'G' => &[(-1, 0), (0, -1), (0, 1), (1, 0)],
            b'C' => &[(-1, 0)],
            b'H' => &[(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, 0)],
            _ => &[],
        }
    }

    impl Letters {
        pub fn start() -> Self {
            Letters { board: b"gle.c..C.ELG".to_vec(), bags: [vec![], vec![]], gote: false }
        }

        fn mine(&self, letter: u8) -> bool {
            if self.gote { letter.is_ascii_lowercase() } else { letter.is_ascii_uppercase() }
        }

        /// The squares from and to of every step, whatever follows.
        fn all_steps(&self) -> Vec<(usize, usize)> {
            let mut all = Vec::new();
            for from in 0..12 {
                let letter = self.board[from];
                if !self.mine(letter) {
                    continue;
                }
                for &(down, right) in steps(letter) {
                    let down = if self.gote { -down } else { down };
                    let (rank, file) = (from as i32 / 3 + down, from as i32 % 3 + right);
                    if (0..4).contains(&rank) && (0..3).contains(&file) {
                        let to = (rank * 3 + file) as usize;
                        if !self.mine(self.board[to]) {
                            all.push((from, to));
                        }
                    }
                }
            }
            all
        }

        /// The positions after all moves.
        pub fn next(&self) -> Vec<Letters> {
            let (mine, theirs) = if self.gote { (b'l', b'L') } else { (b'L', b'l') };
            if !self.board.contains(&mine) {
                return Vec::new();
            }
            let steps = self.all_steps();
            let takes: Vec<_> =
                steps.iter().copied().filter(|&(_, to)| self.board[to] == theirs).collect();
            // Nothing takes it, and it has reached the end of the board.
            let home = if self.gote { 0..3 } else { 9..12 };
            if takes.is_empty() && self.board[home].contains(&theirs) {
                return Vec::new();
            }
            let only_takes = !takes.is_empty();
            let mut next = Vec::new();
            for (from, to) in if only_takes { takes } else { steps } {
                let mut after = self.clone();
                after.gote = !self.gote;
                let letter = std::mem::replace(&mut after.board[from], b'.');
                let end = if self.gote { to >= 9 } else { to < 3 };
                let promoted = match letter {
                    b'C' if end => b'H',
                    b'c' if end => b'h',
                    letter => letter,
                };
                let taken = std::mem::replace(&mut after.board[to], promoted);
                let bag = &mut after.bags[usize::from(self.gote)];
                match taken.to_ascii_uppercase() {
                    b'.' | b'L' => {}
                    b'H' => bag.push(b'C'),
                    other => bag.push(other),
                }
                next.push(after);
            }
            if !only_takes {
                let bag = &self.bags[usize::from(self.gote)];
                for letter in *b"EGC" {
                    let Some(at) = bag.iter().position(|&held| held == letter) else { continue };
                    for to in (0..12).filter(|&to| self.board[to] == b'.') {
                        let mut after = self.clone();
                        after.gote = !self.gote;
                        after.bags[usize::from(self.gote)].remove(at);
                        after.board[to] =
                            if self.gote { letter.to_ascii_lowercase() } else { letter };
                        next.push(after);
                    }
                }
            }
            next
        }

        pub fn lines(&self, plies: u32) -> u64 {
            let next = self.next();
            if plies == 1 {
                return next.len() as u64;
            }
            next.iter().map(|next| next.lines(plies - 1)).sum()
        }
    }
}

#[test]
fn lines_of_play_are_as_many_as_by_another_program() {
    let start = Dobutsu.start().position;
    for plies in 1..=6 {
        let expected = letters::Letters::start().lines(plies);
        assert_eq!(perft(&Dobutsu, &start, plies), expected, "{plies} plies");
    }
}

#[test]
fn numbers_and_views_keep_the_laws() {
    let report = law::check(&Dobutsu, [PLAY], 60_000).unwrap();
    assert_eq!(report.slices, 2);
    assert!(report.positions > 25_000, "{report:?}");
}

/// A position by random play from the start, and the number of plies.
fn wander(seed: u64, plies: usize) -> DobutsuPosition {
    let mut random = nutcracker_game::Random::new(seed);
    let mut position = Dobutsu.start().position;
    let mut steps = Vec::new();
    for _ in 0..plies {
        steps.clear();
        // Games end quickly: moves that end them are not played here.
        Dobutsu.steps(&position, &mut steps);
        steps.retain(|step| Dobutsu.slice_of(&step.next) == PLAY);
        if steps.is_empty() {
            break;
        }
        position = steps[random.below(steps.len() as u64) as usize].next;
    }
    position
}

proptest! {
    /// What the fast views find, those by the rules find; and mirror images are one position.
    #[test]
    fn views_agree_with_the_rules(seed in any::<u64>(), plies in 0usize..60) {
        let position = wander(seed, plies);
        let index = Dobutsu.rank(&position);
        prop_assert_eq!(Dobutsu.rank(&position.mirrored()), index);
        let canonical = Dobutsu.canonical(&position);
        prop_assert!(canonical == position || canonical == position.mirrored());
        prop_assert_eq!(Dobutsu.unrank(PLAY, index), Some(canonical));

        let (fast, plain) = (Dobutsu.view(PLAY), PlainView::new(Dobutsu, PLAY));
        let before = |found: &mut HashSet<u64>, index| assert!(found.insert(index), "twice");
        let (mut by_view, mut by_rules) = (HashSet::new(), HashSet::new());
        let key = SliceView::key_at(&fast, &mut (), index);
        fast.predecessors(key, |index, _| before(&mut by_view, index));
        plain.predecessors(canonical, |index, _| before(&mut by_rules, index));
        prop_assert_eq!(&by_view, &by_rules);

        let forward = Dobutsu.forward(PLAY);
        let (located, key) = forward.locate(&position);
        let (mut by_view, mut by_rules) = (Vec::new(), Vec::new());
        forward.targets(key, |target| by_view.push(target));
        plain.targets(canonical, |target| by_rules.push(target));
        prop_assert_eq!((located, by_view), (index, by_rules));
        prop_assert_eq!(forward.outcome(key), Dobutsu.outcome(&position));
    }

    #[test]
    fn positions_are_read_as_they_are_written(seed in any::<u64>(), plies in 0usize..60) {
        for mover in [Side::First, Side::Second] {
            let situation = Situation::new(wander(seed, plies), mover);
            prop_assert_eq!(Dobutsu.parse(&Dobutsu.format(&situation)), Ok(situation));
            // Every move has a name of its own.
            let mut moves = Vec::new();
            Dobutsu.moves(&situation.position, &mut moves);
            let mut names = HashSet::new();
            for mv in &moves {
                let step = Dobutsu.play(&situation.position, mv);
                let name = Dobutsu.format_move(&situation, mv, &step);
                prop_assert_eq!(find_move(&Dobutsu, &situation, &name).map(|at| moves[at]), Ok(*mv));
                prop_assert!(names.insert(name));
            }
        }
    }

    #[test]
    fn no_text_is_too_strange_to_be_refused(text in "[LEGCHlegch./ SG-]{0,30}") {
        if let Ok(situation) = Dobutsu.parse(&text) {
            prop_assert_eq!(Dobutsu.parse(&Dobutsu.format(&situation)), Ok(situation));
        }
    }
}

/// Positions that are their own mirror image have moves in pairs, each counted once.
#[test]
fn symmetric_positions_count_different_successors() {
    for text in [".l./.../.../.L. S EEGGCC", ".l./.../.../.L. S EEGGcc", ".l./c.c/E.E/.L. S Gg"] {
        let position = read(text).position;
        assert_eq!(position.mirrored(), position);
        let index = Dobutsu.rank(&position);
        let (fast, plain) = (Dobutsu.view(PLAY), PlainView::new(Dobutsu, PLAY));
        for view in [true, false] {
            let mut found = Vec::new();
            if view {
                let key = SliceView::key_at(&fast, &mut (), index);
                fast.predecessors(key, |index, _| found.push(index));
            } else {
                plain.predecessors(position, |index, _| found.push(index));
            }
            let count = found.len();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), count, "{text}");
            assert!(count > 0, "{text}");
        }
    }
}

#[test]
fn the_slices_have_names_and_the_metrics_are_distances_and_results() {
    assert_eq!(Dobutsu.metrics(), [Metric::Dtw, Metric::Wdl]);
    assert_eq!(Dobutsu.slice_len(END), 2);
    assert_eq!(Dobutsu.slice_len(PLAY), 249_442_767);
    assert_eq!(Dobutsu.slice_named("play"), Some(PLAY));
    assert_eq!(Dobutsu.select("play"), Ok(vec![PLAY]));
    assert!(Dobutsu.select("2").is_err());
}

#[test]
fn a_lion_that_can_be_taken_is_no_quiet_position() {
    assert!(Dobutsu.is_unquiet(&read(".l./.C./G../L.. S EEGc").position));
    assert!(!Dobutsu.is_unquiet(&Dobutsu.start().position));
}
