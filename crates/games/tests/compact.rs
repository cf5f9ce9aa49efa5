//! Compact databases: every value is restored, the check passes, and complete ones come back byte for
//! byte.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use nutcracker_any::{AnyGame, Options};
use nutcracker_game::{Metric, Numbering, Rules, SliceId, closure};
use nutcracker_games::GAMES;
use nutcracker_retro::{
    Form, RewriteOptions, Rewritten, Silent, SolveOptions, open_metric, rewrite,
};
use nutcracker_table::{Disk, Storage, TableSet};
use tempfile::TempDir;

struct Databases {
    game: AnyGame,
    metric: Metric,
    slices: Vec<SliceId>,
    root: TempDir,
}

fn disk() -> Arc<dyn Storage> {
    Arc::new(Disk::default())
}

impl Databases {
    /// Solved in the directory `complete`.
    fn solve(game: &str, options: &str, up_to: &str, metric: &str) -> Self {
        let game = GAMES.game(game, &Options::from_text(options)).unwrap();
        let slices = closure(&game, game.select(up_to).unwrap());
        let metric = metric.parse().unwrap();
        let root = tempfile::tempdir().unwrap();
        let databases = Databases { game, metric, slices, root };
        databases.solve_more("complete", &databases.slices);
        databases
    }

    fn solve_more(&self, dir: &str, slices: &[SliceId]) {
        let options = SolveOptions { metric: Some(self.metric), ..SolveOptions::new(2, "test") };
        self.game.solve_slices(&disk(), &self.dir(dir), slices, &options, &Silent).unwrap();
    }

    fn dir(&self, dir: &str) -> PathBuf {
        self.root.path().join(dir)
    }

    fn open(&self, dir: &str) -> TableSet {
        open_metric(&self.game, Some(self.metric), disk(), &self.dir(dir), 1 << 22)
    }

    fn rewrite(&self, from: &str, to: &str, form: Form, threads: usize) -> Vec<Rewritten> {
        let (source, mut written) = (self.open(from), Vec::new());
        let options = RewriteOptions { form, threads, program: "test" };
        rewrite(
            &self.game,
            self.metric,
            &source,
            &disk(),
            &self.dir(to),
            &self.slices,
            options,
            &Silent,
            |one| written.push(one),
        )
        .unwrap();
        written
    }

    fn bytes(&self, dir: &str, slice: SliceId) -> Vec<u8> {
        fs::read(self.open(dir).get(slice.0).unwrap().path()).unwrap()
    }

    /// Compares compact databases with complete ones; returns how many values are left out.
    fn compare(&self) -> u64 {
        let written = self.rewrite("complete", "compact", Form::Compact, 2);
        self.rewrite("complete", "alone", Form::Compact, 1);
        self.rewrite("compact", "again", Form::Complete, 1);
        let (complete, compact) = (self.open("complete"), self.open("compact"));
        for &slice in &self.slices {
            let name = format!("{} {slice} {}", self.game.id(), self.metric);
            assert_eq!(self.bytes("compact", slice), self.bytes("alone", slice), "{name}");
            assert_eq!(self.bytes("complete", slice), self.bytes("again", slice), "{name}");
            let (all, small) = (complete.get(slice.0).unwrap(), compact.get(slice.0).unwrap());
            assert!(!all.is_compact());
            assert_eq!(all.statistics(), small.statistics(), "{name}");
            for index in 0..all.positions() {
                if self.game.unrank(slice, index).is_some() {
                    let values = [
                        complete.value(&all, index).unwrap(),
                        compact.value(&small, index).unwrap(),
                    ];
                    assert_eq!(values[0], values[1], "{name} {index}");
                }
            }
            self.game.check_file(&small, &compact, u64::MAX, 2, &Silent).unwrap();
        }
        written.iter().map(|one| one.left_out.unwrap_or_default()).sum()
    }
}

#[test]
fn values_are_restored_in_every_metric() {
    for metric in ["dtw", "dtc", "dtz", "dtz5", "dtr"] {
        let left_out = Databases::solve("chess", "", "krk", metric).compare();
        // Black has been mated in 27 positions, and draws only by a capture or a stalemate: in 2,796.
        assert_eq!(left_out, 27 + 2_796, "{metric}");
    }
    Databases::solve("chess", "", "kpk", "wdl").compare();
    Databases::solve("checkers", "", "3", "wdl").compare();
    Databases::solve("checkers", "", "2", "dtw").compare();
}

#[test]
fn values_are_restored_in_games_of_all_kinds() {
    let games = [
        ("awari", "", "7", "score"),
        ("kalah", "pits=3,seeds=2", "12", "score"),
        ("tic-tac-toe", "", "9", "dtw"),
        ("morris", "men=3", "all", "wdl"),
        ("connect-four", "columns=4,rows=4", "16", "wdl"),
        ("fox-and-hounds", "size=4", "6", "dtw"),
    ];
    for (game, options, up_to, metric) in games {
        Databases::solve(game, options, up_to, metric).compare();
    }
}

#[test]
fn slices_are_solved_on_top_of_compact_ones() {
    let small = Databases::solve("checkers", "", "2", "wdl");
    small.rewrite("complete", "compact", Form::Compact, 1);
    let large = small.game.select("3").unwrap();
    for dir in ["complete", "compact"] {
        small.solve_more(dir, &large);
    }
    for slice in large.into_iter().filter(|slice| !small.slices.contains(slice)) {
        assert_eq!(small.bytes("complete", slice), small.bytes("compact", slice));
    }
}

#[test]
fn a_missing_smaller_slice_is_named() {
    let databases = Databases::solve("chess", "", "krk", "wdl");
    databases.rewrite("complete", "compact", Form::Compact, 1);
    let compact = databases.open("compact");
    let [kk, krk] = ["kk", "krk"].map(|name| databases.game.slice_named(name).unwrap());
    let path = compact.get(kk.0).unwrap().path().to_owned();
    let position = databases.game.parse("8/8/8/8/8/2k5/2R5/K7 b - -").unwrap().position;
    let rank = databases.game.rank(&position);
    assert_eq!(compact.probe(krk.0, rank).unwrap(), 0);
    fs::remove_file(path).unwrap();
    let error = databases.open("compact").probe(krk.0, rank).unwrap_err().to_string();
    assert!(error.contains("slice 0") || error.contains("kk"), "{error}");
}
