//! Weights fitted to known positions, and how good they are.

use std::ops::RangeInclusive;

use nutcracker_game::{Evaluate, SliceId};

use crate::regression::{Quality, Samples, climb, is_held_out, least_squares};
use crate::{FitError, Known};

/// The part of the positions that is held out for evaluation.
const HELD_OUT: f64 = 0.2;
/// Strength of the regularisation: this many positions pull every weight to 0.
const RIDGE: f64 = 1.0;
/// Most positions for hill climbing: each step sorts them all.
const CLIMBED: usize = 20_000;
/// Times through all weights.
const ROUNDS: u32 = 24;
/// Most bands of slices.
const BANDS: u32 = 12;

/// What a fit strives for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The least sum of squared errors.
    Squares,
    /// From there on, the highest tau.
    Tau,
}

/// How weights are fitted.
#[derive(Clone, Debug)]
pub struct FitOptions {
    /// The slices whose positions are fitted to; known positions of others are for evaluation.
    pub slices: RangeInclusive<SliceId>,
    /// What the fit strives for.
    pub goal: Goal,
    /// Another seed holds out other positions.
    pub seed: u64,
}

/// How good three sets of weights are on some positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// The first and the last slice of the positions.
    pub slices: [u32; 2],
    /// How many positions there are.
    pub positions: usize,
    /// With the game's first feature alone, and its own fitted weight.
    pub material: Quality,
    /// With the weights that the game is shipped with.
    pub shipped: Quality,
    /// With the fitted weights.
    pub fitted: Quality,
}

/// The result of a fit.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    /// The weights that the game is shipped with.
    pub shipped: Vec<f64>,
    /// The fitted weights.
    pub fitted: Vec<f64>,
    /// How many positions were fitted to.
    pub fitted_to: usize,
    /// The positions held out, by bands of slices.
    pub bands: Vec<Comparison>,
    /// The positions held out of the slices that were fitted to.
    pub held_out: Comparison,
    /// All positions of larger slices.
    pub beyond: Option<Comparison>,
}

/// Fits the weights of a game's evaluation, and compares them on positions held out.
pub fn fit<G: Evaluate>(game: &G, known: &Known, options: &FitOptions) -> Result<Fit, FitError> {
    let (first, last) = (options.slices.start().0, options.slices.end().0);
    let is_tested = |place: usize| is_held_out(known.groups[place], HELD_OUT, options.seed);
    let is_inside = |place: usize| (first..=last).contains(&known.slices[place]);
    let train = known.samples.select(|place| is_inside(place) && !is_tested(place));
    let mut fitted = least_squares(&train, RIDGE).ok_or(FitError::TooFew)?;
    if options.goal == Goal::Tau {
        let stride = train.len().div_ceil(CLIMBED);
        fitted = climb(&train.select(|place| place % stride == 0), &fitted, ROUNDS);
    }
    let shipped: Vec<f64> = game.fitted().iter().copied().map(f64::from).collect();
    let material = material(game, &train).ok_or(FitError::TooFew)?;
    let compare = |slices: [u32; 2], selected: &dyn Fn(usize) -> bool| {
        let test = known.samples.select(|place| {
            (slices[0]..=slices[1]).contains(&known.slices[place]) && selected(place)
        });
        let quality = |weights: &[f64]| Quality::of(&test.guesses(weights), test.targets());
        Comparison {
            slices,
            positions: test.len(),
            material: quality(&material),
            shipped: quality(&shipped),
            fitted: quality(&fitted),
        }
    };
    let end = known.slices.iter().copied().max().unwrap_or(last);
    let begin = known.slices.iter().copied().min().unwrap_or(first);
    let width = (end - begin + 1).div_ceil(BANDS);
    let bands = (begin..=end)
        .step_by(width as usize)
        .map(|from| compare([from, (from + width - 1).min(end)], &is_tested))
        .filter(|band| band.positions > 0)
        .collect();
    Ok(Fit {
        held_out: compare([begin.max(first), end.min(last)], &is_tested),
        beyond: (end > last).then(|| compare([last + 1, end], &|_| true)),
        bands,
        fitted_to: train.len(),
        shipped,
        fitted,
    })
}

/// Weights for the first feature alone, in all its stages: those whose names have the same
/// beginning, up to a comma.
fn material<G: Evaluate>(game: &G, train: &Samples) -> Option<Vec<f64>> {
    let names = game.feature_names();
    let stem = |name: &'static str| name.split(',').next();
    let is_first = |name| stem(name) == stem(names[0]);
    let mut only = Samples::new(names.len());
    let mut row = vec![0.0; names.len()];
    for (place, &target) in train.targets().iter().enumerate() {
        for ((kept, &value), name) in row.iter_mut().zip(train.row(place)).zip(names) {
            *kept = if is_first(name) { value } else { 0.0 };
        }
        only.push(&row, target);
    }
    least_squares(&only, RIDGE)
}
