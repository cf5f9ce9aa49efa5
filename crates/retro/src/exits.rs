//! Phase 1: every position's best value through moves that leave the slice.

use nutcracker_game::{Children, Exits, Metric, SliceView};

use crate::parallel::{ThreadError, for_each_until_stopped};
use crate::progress::{Meter, Stopped};

/// Calls `enter` with the exits of all positions of some parts of a slice, in runs of consecutive
/// positions, from several threads. `enter` returns the number of positions to count as progress.
pub(crate) fn compute_exits<V, C, E>(
    view: &V,
    metric: Metric,
    children: &C,
    parts: &[u64],
    threads: usize,
    meter: &Meter<'_>,
    enter: impl Fn(u64, &[Exits]) -> Result<u64, E> + Sync,
) -> Result<(), E>
where
    V: SliceView,
    C: Children + Sync,
    E: Send + From<C::Error> + From<Stopped> + From<ThreadError>,
{
    for_each_until_stopped(parts.len() as u64, 1, threads, meter.progress(), |range| {
        for &part in &parts[range.start as usize..range.end as usize] {
            let mut entered = Ok(0);
            view.exits(metric, part, children, |start, run| {
                if let Ok(count) = &mut entered {
                    match enter(start, run) {
                        Ok(more) => *count += more,
                        Err(error) => entered = Err(error),
                    }
                }
            })?;
            meter.add(entered?);
        }
        Ok(())
    })
}

/// Exits that wait while the memory for them is prefetched.
const PREFETCHED: usize = 32;

/// As [`compute_exits`] for all positions of a view with walks, which come one by one and in no
/// order: `prefetch` is called some positions before `enter`.
pub(crate) fn walk_exits<V, C, E>(
    view: &V,
    metric: Metric,
    children: &C,
    threads: usize,
    meter: &Meter<'_>,
    prefetch: impl Fn(u64) + Sync,
    enter: impl Fn(u64, Exits) -> Result<(), E> + Sync,
) -> Result<(), E>
where
    V: SliceView,
    C: Children + Sync,
    E: Send + From<C::Error> + From<Stopped> + From<ThreadError>,
{
    for_each_until_stopped(view.walks(), 1, threads, meter.progress(), |walks| {
        for walk in walks {
            let (mut waiting, mut at) = ([None; PREFETCHED], 0);
            let mut failure = None;
            let mut enter_next = |ready: Option<(u64, Exits)>| {
                if let Some(Err(error)) = ready.map(|(index, exits)| enter(index, exits)) {
                    failure.get_or_insert(error);
                }
            };
            view.walk_exits(metric, walk, children, |index, exits| {
                prefetch(index);
                enter_next(waiting[at % PREFETCHED].replace((index, exits)));
                at += 1;
            })?;
            waiting.into_iter().for_each(enter_next);
            if let Some(error) = failure {
                return Err(error);
            }
            meter.add(at as u64);
        }
        Ok(())
    })
}
