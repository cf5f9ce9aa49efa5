//! Files written by hand and damaged on purpose, over small graphs whose scores are known.

use std::collections::HashMap;
use std::io::{self, Read};

use nutcracker_game::toy::{Graph, Heap, Node};
use nutcracker_game::{Metric, Numbering, Rules, Score, SliceId, Step, Turn};
use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

use crate::*;

/// Four positions that go round; the one in the middle can be left for a gain of 2.
fn roundabout() -> Graph {
    let quiet = |next| Step::quiet(next);
    let out = |gain| Step::new(0, gain, Turn::Passes);
    let mut steps = vec![Vec::new(); 4];
    steps.extend([vec![quiet(5), out(-1)], vec![quiet(6)], vec![quiet(7), out(2)], vec![quiet(4)]]);
    let nodes = steps.into_iter().map(|steps| Node { steps, score: 0 }).collect();
    Graph::new(4, nodes)
}

/// Databases in memory.
struct Stored(HashMap<SliceId, Vec<Score>>);

impl Tables for Stored {
    fn metric(&self) -> Option<Metric> {
        Some(Metric::Score)
    }

    fn digest(&self, slice: SliceId) -> Result<String, TablesError> {
        let table = self.0.get(&slice).ok_or("there is no such database")?;
        Ok(blake3::hash(format!("{table:?}").as_bytes()).to_hex()[..8].to_owned())
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TablesError> {
        Ok(self.0[&slice][index as usize])
    }
}

/// A file about a graph, with its checksum.
fn file(root: &str, lines: &[&str]) -> Vec<u8> {
    let header = "nutcracker-proof\t1\nprogram\thand\ngame\tgraph\noptions\t\nstart\t\nmetric\t\n";
    let lines: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
    sealed(&format!("{header}root\t{root}\n{lines}"))
}

fn sealed(text: &str) -> Vec<u8> {
    format!("{text}end\t{}\n", blake3::hash(text.as_bytes())).into_bytes()
}

fn check_with<G: Numbering>(game: &G, tables: &impl Tables, file: &[u8]) -> Result<Checked, Flaw> {
    ProofReader::new(file)?.check(game, tables, |_| true)
}

fn check(file: &[u8]) -> Result<Checked, Flaw> {
    check_with(&roundabout(), &NoTables, file)
}

#[track_caller]
fn refused(root: &str, lines: &[&str], sentence: &str) {
    let flaw = check(&file(root, lines)).expect_err("a flaw");
    assert_eq!(flaw.to_string(), sentence);
}

const WIN: [&str; 4] =
    ["claim\tat-least\t2", "play\t2\t6\t1 to 0", "any\t2\t5", "play\t2\t4\t0 to 5"];

#[test]
fn a_proof_is_accepted() {
    let checked = check(&file("4", &WIN)).unwrap();
    assert_eq!(checked.goals, [Goal::AtLeast(2)]);
    assert_eq!((checked.nodes, checked.ends, checked.probes), (3, 1, 0));
}

#[test]
fn going_round_is_no_way_to_win_and_a_good_way_not_to_lose() {
    let round = |need: &str| {
        let lines = [
            format!("claim\tat-least\t{need}"),
            format!("any\t{need}\t7"),
            format!("play\t{need}\t6\t0 to 7"),
            format!("any\t{need}\t5"),
            format!("play\t{need}\t4\t0 to 5"),
        ];
        check(&file("4", &lines.each_ref().map(String::as_str)))
    };
    assert_eq!(round("0").unwrap().nodes, 4);
    // In whatever order the lines stand, one of them comes before the one it needs.
    assert!(matches!(round("1"), Err(Flaw::Line { line: 9, fault: Fault::Missing { .. } })));
}

#[test]
fn two_claims_make_a_score() {
    // 6 can bank 2, and gets no more by going round.
    let lines = [
        "claim\tat-least\t2",
        "play\t2\t6\t1 to 0",
        "claim\tat-most\t2",
        "play\t-2\t5\t0 to 6",
        "any\t-2\t4",
        "play\t-2\t7\t0 to 4",
        "any\t-2\t6",
    ];
    let checked = check(&file("6", &lines)).unwrap();
    assert_eq!(checked.goals, [Goal::AtLeast(2), Goal::AtMost(2)]);
    // The lines of one claim show nothing for the other.
    let stolen = ["claim\tat-least\t2", "claim\tat-most\t2", "play\t2\t6\t1 to 0"];
    let flaw = check(&file("6", &stolen)).unwrap_err();
    assert!(matches!(flaw, Flaw::Unproven { goal: Goal::AtLeast(2), .. }), "{flaw}");
}

#[test]
fn flawed_proofs_are_refused() {
    let mut missing = WIN;
    missing.swap(1, 3);
    refused("4", &missing, "line 9: no line above shows how 2 is reached at 5");
    refused(
        "4",
        &WIN[..1],
        "it does not prove at least 2: no line above shows how 2 is reached at 4",
    );
    refused("4", &WIN[1..], "line 8: it stands before any claim");
    refused("4", &[], "it claims nothing");
    let claim = "claim\tat-least\t0";
    refused("4", &[claim, "play\t0\t4\t1 to 0"], "line 9: 1 is needed at 0, which ends with 0");
    refused(
        "4",
        &[claim, "play\t0\t4\t2 to 0"],
        "line 9: \"2 to 0\" is not the name of one legal move at 4",
    );
    refused("0", &["claim\tat-most\t-5", "any\t5\t0"], "line 9: the game is over at 0");
    refused(
        "0",
        &["claim\tat-most\t-5"],
        "it does not prove at most -5: 5 is needed at 0, which ends with 0",
    );
    // Whose move it is cannot be changed.
    refused(
        "4",
        &[claim, "any\t0\t5", "play\t0\t6\t1 to 0", "any\t0\t4"],
        "it does not prove at least 0: no line shows how 0 is reached at 5",
    );
    // What is left to lines below has to come.
    refused(
        "4",
        &[claim, "play\t0\t4\t0 to 5"],
        "it does not prove at least 0: no line shows how 0 is reached at 5",
    );
    refused(
        "9",
        &[claim],
        "line 7: \"9\" is not a position as the game writes it: there is no such position",
    );
    refused("4", &["claim\tat-least\t+2"], "line 8: \"+2\" is not a score");
    refused("4", &["claim\tat-least\t30000"], "line 8: \"30000\" is not a score");
    refused("4", &["claim\tjust\t2"], "line 8: a claim is at-least or at-most, not \"just\"");
    refused("4", &[claim, "play\t0\t4"], "line 9: it is no line of a proof");
    refused("4", &[claim, "table\t0\tabc"], "line 9: there is no database of slice 0");
    refused("4", &[claim, "table\tx\tabc"], "line 9: the game has no slice \"x\" with a database");
}

#[test]
fn moves_that_break_the_laws_of_slices_are_refused() {
    let up = Graph::new(1, vec![Node::quiet(&[1]), Node::quiet(&[0])]);
    let lines = ["claim\tat-least\t0", "play\t0\t0\t0 to 1"];
    let flaw = check_with(&up, &NoTables, &file("0", &lines)).unwrap_err();
    assert!(matches!(flaw, Flaw::Line { fault: Fault::Lawless { .. }, .. }), "{flaw}");
    let banks = Node { steps: vec![Step::new(0, 1, Turn::Passes)], score: 0 };
    let flaw = check_with(&Graph::new(1, vec![banks]), &NoTables, &file("0", &lines[..1]));
    assert!(matches!(flaw, Err(Flaw::Unproven { .. })), "{flaw:?}");
}

#[test]
fn a_line_shows_smaller_needs_too() {
    // 3 is worth 2 to its mover; both moves of 4 lead there, one after a gain.
    let node = |steps| Node { steps, score: 0 };
    let step = |next, gain| Step::new(next, gain, Turn::Stays);
    let nodes = vec![
        Node::over(2),
        Node::over(0),
        node(vec![Step::new(1, 0, Turn::Passes), step(0, 0)]),
        node(vec![step(2, 1), step(2, 0)]),
    ];
    let game = Graph::new(1, nodes);
    let lines = ["claim\tat-most\t3", "any\t-2\t2", "any\t-3\t3"];
    assert_eq!(check_with(&game, &NoTables, &file("3", &lines)).unwrap().nodes, 2);
    let lines = ["claim\tat-most\t2", "any\t-2\t2", "any\t-2\t3"];
    let flaw = check_with(&game, &NoTables, &file("3", &lines)).unwrap_err().to_string();
    assert_eq!(flaw, "it does not prove at most 2: no line shows how -1 is reached at 2");
}

#[test]
fn databases_are_named_by_their_digests() {
    let game = roundabout();
    let scores = |least| Stored(HashMap::from([(SliceId(1), vec![least, -2, 2, -2])]));
    let stored = scores(2);
    let digest = stored.digest(SliceId(1)).unwrap();
    let table = format!("table\t1\t{digest}");
    let claim = "claim\tat-least\t2";
    let file = file("4", &[claim, &table]);
    let checked = check_with(&game, &stored, &file).unwrap();
    assert_eq!((checked.probes, checked.tables), (1, vec![("1".to_owned(), digest.clone())]));
    let flaw = check_with(&game, &scores(1), &file).unwrap_err().to_string();
    let rests = format!("and the proof rests on {digest}");
    assert!(flaw.starts_with("line 9: the database of slice 1 has digest "), "{flaw}");
    assert!(flaw.ends_with(&rests), "{flaw}");
    // A value that does not suffice is no proof, and one that was not named is not read.
    let little = self::file("4", &["claim\tat-least\t3", &table]);
    let flaw = check_with(&game, &stored, &little).unwrap_err().to_string();
    assert_eq!(flaw, "it does not prove at least 3: 3 is needed at 4, which has by its database 2");
    let unnamed = check_with(&game, &stored, &self::file("4", &[claim])).unwrap_err();
    assert!(matches!(unnamed, Flaw::Unproven { fault: Fault::Missing { .. }, .. }), "{unnamed}");
}

/// Replies from a list, and the way through them.
struct Listed<'a> {
    replies: &'a [(Claim<u32>, Reply)],
    depth: i32,
}

impl Strategy<u32> for Listed<'_> {
    type Error = ();

    fn enter(&mut self, claim: &Claim<u32>) -> Result<Reply, ()> {
        let reply = self.replies.iter().find(|(known, _)| known == claim).ok_or(())?.1;
        self.depth += i32::from(reply != Reply::Database);
        Ok(reply)
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}

fn write(
    tables: &impl Tables,
    goal: Goal,
    replies: &[(Claim<u32>, Reply)],
) -> Result<Vec<u8>, WriteError<()>> {
    let game = roundabout();
    let root = game.parse("4").unwrap();
    let mut writer = ProofWriter::new(&game, tables, &root, "test 1.0", Vec::new())?;
    let mut strategy = Listed { replies, depth: 0 };
    writer.claim(goal, &mut strategy)?;
    assert_eq!(strategy.depth, 0);
    Ok(writer.finish()?)
}

fn replies(need: Score, at_6: usize) -> [(Claim<u32>, Reply); 4] {
    let claim = |position, proving| Claim { position, need, proving };
    [
        (claim(4, true), Reply::Play(0)),
        (claim(5, false), Reply::Any),
        (claim(6, true), Reply::Play(at_6)),
        (claim(7, false), Reply::Any),
    ]
}

#[test]
fn what_is_written_is_accepted() {
    for (need, at_6) in [(2, 1), (0, 0), (-2, 0), (-6, 0)] {
        let file = write(&NoTables, Goal::AtLeast(need), &replies(need, at_6)).unwrap();
        let checked = check(&file).unwrap();
        assert_eq!(checked.goals, [Goal::AtLeast(need)]);
    }
    let mut stored = Stored(HashMap::from([(SliceId(1), vec![2, -2, 2, -2])]));
    let mut leaf = replies(2, 1);
    leaf[1].1 = Reply::Database;
    let file = write(&stored, Goal::AtLeast(2), &leaf).unwrap();
    assert_eq!(check_with(&roundabout(), &stored, &file).unwrap().probes, 1);
    stored.0.clear();
    assert!(matches!(write(&stored, Goal::AtLeast(2), &leaf), Err(WriteError::Tables(_))));
}

#[test]
fn what_is_no_strategy_is_not_written() {
    let write = |need, at_6, goal| write(&NoTables, goal, &replies(need, at_6)).unwrap_err();
    let round = write(1, 0, Goal::AtLeast(1));
    assert_eq!(round.to_string(), "play may come back to 4, where 1 is needed");
    let little = write(3, 1, Goal::AtLeast(3));
    assert_eq!(little.to_string(), "1 is needed at 0, which is worth less");
    assert!(matches!(write(2, 2, Goal::AtLeast(2)), WriteError::NoReply { .. }));
    assert!(matches!(write(1, 1, Goal::AtLeast(2)), WriteError::Strategy(())));
}

#[test]
fn other_games_and_versions_are_refused() {
    let file = file("4", &WIN);
    let flaw = check_with(&Heap, &NoTables, &file).unwrap_err();
    assert_eq!(flaw.to_string(), "it is about graph, not heap");
    let text = String::from_utf8(file).unwrap();
    let flaw = |text: String| check(text.as_bytes()).unwrap_err().to_string();
    let later = text.replace("proof\t1", "proof\t3");
    assert_eq!(
        flaw(later),
        "it has format version 3, and this program reads up to 2; use a newer one"
    );
    assert!(flaw(text.replace("nutcracker-", "")).starts_with("it is not a proof file"));
    assert_eq!(flaw(String::new()), "it is damaged: it is cut off: the last line is missing");
    assert_eq!(flaw(text.replace("start", "stop")), "it is damaged: its checksum is wrong");
    let body = &text[..text.rfind("end").unwrap()];
    let forged = |from, to| check(&sealed(&body.replace(from, to))).unwrap_err().to_string();
    assert_eq!(forged("start", "stop"), "line 5: the field \"start\" is missing");
    assert!(forged("metric\t", "metric\tmiles").starts_with("line 6: a metric is score"));
    assert_eq!(flaw("\n".repeat(1 << 17)), flaw("x\n".to_owned()));
    let long = "x".repeat(1 << 17);
    assert_eq!(flaw(long), "it is damaged: a line is longer than any line of a proof");
}

#[test]
fn a_check_can_be_stopped() {
    let file = file("4", &[WIN[0], vec!["any\t0\t5"; 2000].join("\n").as_str()]);
    let mut calls = 0;
    let go_on = |_| {
        calls += 1;
        false
    };
    let flaw = ProofReader::new(&file[..]).unwrap().check(&roundabout(), &NoTables, go_on);
    assert!(matches!(flaw, Err(Flaw::Stopped)));
    assert_eq!(calls, 1);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    #[derive(Debug)]
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    let file = file("4", &WIN);
    let input = io::BufReader::new(file[..40].chain(Broken));
    let flaw = ProofReader::new(input).unwrap_err();
    assert_eq!(flaw.to_string(), "it cannot be read: the disk is on fire");
}

#[test]
fn every_cut_is_noticed() {
    let file = file("4", &WIN);
    for len in 0..file.len() {
        let flaw = check(&file[..len]).expect_err("a cut file");
        assert!(matches!(flaw, Flaw::Damaged(_)), "{len}: {flaw}");
    }
}

proptest! {
    /// No change of bytes is accepted that leaves the checksum as it was.
    #[test]
    fn changed_bytes_are_refused(at: prop::sample::Index, to: u8, more in 0usize..3) {
        let mut file = file("4", &WIN);
        let sound = file.clone();
        for step in 0..=more {
            let at = (at.index(file.len()) + 7 * step) % file.len();
            file[at] = to.wrapping_add(step as u8);
        }
        prop_assert_eq!(check(&file).is_ok(), file == sound);
    }

    /// Whatever is behind a right checksum is refused with a sentence, or proves what is true.
    #[test]
    fn forged_files_prove_nothing_false(
        at: prop::sample::Index,
        to in prop::sample::select(&b"0123456789-\t\n aploty"[..]),
        what in 0..3,
    ) {
        let whole = file("4", &WIN);
        let mut text: Vec<u8> = whole[..whole.len() - 4 - 65].to_vec();
        let at = at.index(text.len());
        match what {
            0 => text[at] = to,
            1 => text.insert(at, to),
            _ => drop(text.remove(at)),
        }
        let text = String::from_utf8(text).unwrap();
        let game = roundabout();
        let sealed = sealed(&text);
        if let Ok(reader) = ProofReader::new(&sealed[..]) {
            let root = reader.header().root.clone();
            if let Ok(checked) = reader.check(&game, &NoTables, |_| true) {
                let score = game.scores()[root.parse::<usize>().unwrap()];
                prop_assert!(checked.goals.iter().all(|goal| goal.holds(score)), "{}", text);
            }
        }
    }
}
