//! The support file: the best value through exits of each position, computed once and read
//! at every level.

use nutcracker_game::{Exits, Game, SliceView};

use super::run::LevelRun;
use crate::error::SolveError;
use crate::exits::compute_exits;
use crate::parallel::beside;
use crate::progress::{Meter, Phase};
use crate::store::disk::Bytes;

/// A checkpoint is written after each of at most this many stretches.
const STRETCHES: u64 = 64;

/// The best exit of a position as the support file has it: clipped, and the worst value
/// where there is none.
fn clip(exits: Exits, top: u8) -> i8 {
    if exits.best == Exits::NONE { -(top as i8) } else { exits.best.clamp(-(top as i8), top as i8) }
}

impl<G: Game> LevelRun<'_, G> {
    /// The support file, computed or resumed.
    pub(super) fn support(&self, view: &G::View) -> Result<Bytes, SolveError> {
        let (job, folder, resumable) = (self.job, &self.folder, self.resumable);
        let (top, threads) = (job.task.top, job.task.options.threads);
        let len = view.len();
        let meter = Meter::begin(job.progress, Phase::Exits, len);
        if folder.has("exits.bin") {
            meter.finish();
            return Ok(Bytes::new(folder.open("exits.bin", len)?));
        }
        // Stretches that are complete, and the checksum of all that they wrote.
        let kept = folder.checkpoint("exits.checkpoint")?.unwrap_or([0, 0]);
        let [first, sum] = if folder.has("exits.tmp") { kept } else { [0, 0] };
        let file = Bytes::new(if first > 0 {
            let file = folder.open("exits.tmp", len)?;
            file.continue_scattering(sum);
            file
        } else {
            folder.remove("exits.checkpoint");
            folder.create("exits.tmp", len)?
        });
        let set = job.open_set();
        let children = job.children(&set);
        let stretch = view.parts().div_ceil(STRETCHES);
        // What is written before a stretch is synced while the stretch is computed.
        let keep = |number, sum| {
            if !resumable || number == first {
                return Ok(());
            }
            file.sync()?;
            Ok(folder.set_checkpoint("exits.checkpoint", &[number, sum])?)
        };
        let compute = |number: u64| {
            let end = ((number + 1) * stretch).min(view.parts());
            let parts: Vec<u64> = (number * stretch..end).collect();
            compute_exits(
                view,
                job.task.metric(),
                &children,
                &parts,
                threads,
                &meter,
                |start, run| {
                    let clipped: Vec<i8> = run.iter().map(|&exits| clip(exits, top)).collect();
                    file.scatter(start, &clipped)?;
                    Ok::<u64, SolveError>(clipped.len() as u64)
                },
            )
        };
        for number in first..view.parts().div_ceil(stretch.max(1)) {
            let sum = file.file().scattered();
            beside(|| keep(number, sum), || compute(number))?;
        }
        file.seal()?;
        meter.finish();
        if !resumable {
            return Ok(file);
        }
        file.sync()?;
        let file = file.into_file().rename("exits.bin")?;
        folder.sync()?;
        Ok(Bytes::new(file))
    }
}
