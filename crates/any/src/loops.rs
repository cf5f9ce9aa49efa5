//! The inner loops of a game: generic functions that are compiled for the game itself.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nutcracker_game::law::{self, Breach, Report};
use nutcracker_game::{Evaluate, Metric, SliceId};
use nutcracker_retro::check::{self, CheckError, Checked, Share};
use nutcracker_retro::experiment::{self, CacheMisses};
use nutcracker_retro::{
    Calibration, CalibrationError, Hosts, Progress, Rates, SharedPlan, SlicePlan, SliceReport,
    SolveError, SolveOptions, SolverName,
};
use nutcracker_table::{Storage, Table, TableSet};

use crate::AnyGame;
use crate::erased::Concrete;

/// Defines a virtual call for each function, and a method of [`AnyGame`] that takes it where the
/// game has loops of its own, and calls the function with the virtual game elsewhere.
macro_rules! loops {
    ($($(#[$doc:meta])+ fn $name:ident($($argument:ident: $type:ty),+) -> $result:ty = $function:path;)+) => {
        pub(crate) trait Loops: fmt::Debug + Send + Sync {
            $(fn $name(&self, $($argument: $type),+) -> $result;)+
        }

        impl<G: Evaluate> Loops for Concrete<G> {
            $(fn $name(&self, $($argument: $type),+) -> $result {
                $function(&self.0, $($argument),+)
            })+
        }

        impl AnyGame {
            $($(#[$doc])+
            pub fn $name(&self, $($argument: $type),+) -> $result {
                match &self.loops {
                    Some(loops) => loops.$name($($argument),+),
                    None => $function(self, $($argument),+),
                }
            })+
        }
    };
}

loops! {
    /// [`solve_slices`](nutcracker_retro::solve_slices) for the game.
    fn solve_slices(
        storage: &Arc<dyn Storage>,
        dir: &Path,
        selected: &[SliceId],
        options: &SolveOptions,
        progress: &dyn Progress
    ) -> Result<Vec<SliceReport>, SolveError> = nutcracker_retro::solve_slices;

    /// [`solve_fleet`](nutcracker_retro::solve_fleet) for the game.
    fn solve_fleet(
        storage: &Arc<dyn Storage>,
        dir: &Path,
        selected: &[SliceId],
        options: &SolveOptions,
        patience: Duration,
        progress: &dyn Progress
    ) -> Result<Vec<SliceReport>, SolveError> = nutcracker_retro::solve_fleet;

    /// [`help_slices`](nutcracker_retro::help_slices) for the game.
    fn help_slices(
        storage: &Arc<dyn Storage>,
        dir: &Path,
        options: &SolveOptions,
        progress: &dyn Progress
    ) -> Result<u64, SolveError> = nutcracker_retro::help_slices;

    /// [`plan`](nutcracker_retro::plan()) for the game.
    fn plan(
        selected: &[SliceId],
        options: &SolveOptions,
        rates: &Rates
    ) -> Vec<SlicePlan> = nutcracker_retro::plan;

    /// [`plan_together`](nutcracker_retro::plan_together()) for the game.
    fn plan_together(
        selected: &[SliceId],
        options: &SolveOptions,
        rates: &Rates,
        hosts: &Hosts
    ) -> Vec<SharedPlan> = nutcracker_retro::plan_together;

    /// [`calibrate`](nutcracker_retro::calibrate()) for the game.
    fn calibrate(
        options: &SolveOptions,
        most: u64,
        planned: &[SlicePlan],
        temporary: &Path,
        progress: &dyn Progress
    ) -> Result<Calibration, CalibrationError> = nutcracker_retro::calibrate;

    /// [`fit_solvers`](nutcracker_retro::fit_solvers) for the game.
    fn fit_solvers(
        slice: SliceId,
        metric: Option<Metric>
    ) -> Vec<SolverName> = nutcracker_retro::fit_solvers;

    /// [`check_file`](check::check_file) for the game.
    fn check_file(
        table: &Table,
        set: &TableSet,
        memory: u64,
        threads: usize,
        progress: &dyn Progress
    ) -> Result<Checked, CheckError> = check::check_file;

    /// [`check_share`](check::check_share) for the game.
    fn check_share(
        table: &Table,
        set: &TableSet,
        share: Share,
        memory: u64,
        threads: usize,
        progress: &dyn Progress
    ) -> Result<Checked, CheckError> = check::check_share;

    /// [`check_sample`](check::check_sample) for the game.
    fn check_sample(
        table: &Table,
        set: &TableSet,
        count: u64,
        threads: usize,
        progress: &dyn Progress
    ) -> Result<u64, CheckError> = check::check_sample;

    /// [`cache_misses`](experiment::cache_misses) of the game.
    fn cache_misses(
        slice: SliceId,
        block_bytes: u64,
        threads: usize,
        advance: &(dyn Fn(u64) + Sync)
    ) -> CacheMisses = experiment::cache_misses;

    /// [`law::check`] for the game and its own views.
    fn check_laws(slices: Vec<SliceId>, sample: u64) -> Result<Report, Breach> = law::check;
}
