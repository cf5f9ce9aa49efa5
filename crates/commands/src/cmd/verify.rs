//! `nutcracker verify`: check finished databases, and proofs.

use std::cmp::Reverse;
use std::path::PathBuf;

use nutcracker_any::AnyGame;
use nutcracker_game::{Numbering, Rules, Side, Situation, SliceId, closure};
use nutcracker_retro::check::{
    CheckError, Checked, PartRecord, Parts, Share, check_manifest, check_metrics,
};
use nutcracker_retro::{cache_bytes, record_checked};
use nutcracker_table::{DirLock, Manifest, Reach, Table, TableError, TableSet};
use serde_json::{Value, json};

use crate::args::{
    Data, Format, MetricOption, RuleOptions, Subject, Threads, UpTo, need_databases, slice_label,
    slice_object, storage, up_to_option,
};
use crate::cmd::verify_proof;
use crate::failure::Failure;
use crate::how::{parse_size, with_margin};
use crate::jobs::parse_share;
use crate::machine;
use crate::number::{duration, rounded, thousands};
use crate::progress::Reporter;
use crate::{note, print};

/// Check finished databases against the rules, or a proof
///
/// Every file is compared with its checksums and with the manifest. Then every score must be the
/// best of what its moves lead to, and every score other than 0 must be founded: derived from
/// captures and ends of the game in finitely many steps, not from positions that repeat. At the end
/// 20,000 positions of the slice are compared once more by the plain rules of the game, without the
/// faster form of the rules that the check shares with some solvers. Where a slice has databases
/// with several metrics, they must agree: the same side wins, and mate is no nearer than a
/// conversion, and that no nearer than a zeroing move. A slice that is available with
/// several windows has each of its files checked.
///
/// With --part 2/8, the second of eight parts of all this is checked: an eighth of the positions of
/// every file, and the foundation of some scores. Eight machines that share the data directory check
/// all of it together; each leaves a small record beside every file, and the last one says that the
/// file is right.
///
/// With --proof, a proof that `nutcracker prove` wrote is replayed instead: every position of it by
/// the rules of its game, and every database value in the file that the proof names by its digest,
/// which is compared with all of its bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve awari --stones 8
  nutcracker verify awari
  nutcracker verify awari --part 2/8
  nutcracker prove tic-tac-toe --at-least 0 --proof draw.txt
  nutcracker verify --proof draw.txt

A file that an interrupted solve has not checked yet is named, and is no fault. Exit code 0 means
that nothing is wrong, 1 that something is wrong or missing.")]
pub struct Args {
    /// The game, as `nutcracker games` lists it
    #[arg(required_unless_present = "proof")]
    game: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    metric: MetricOption,
    #[command(flatten)]
    how: How,
    /// Check the proof in this file; it names its game and its options itself
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "given", "up_to", "sample", "part", "memory", "threads"])]
    proof: Option<PathBuf>,
}

/// How databases are checked, and how that is printed.
#[derive(Clone, Debug, clap::Args)]
struct How {
    #[command(flatten)]
    up_to: UpTo,
    /// Compare only N positions of each slice, drawn at random, with their own moves: for databases
    /// too large to check in full. Scores that support each other in a cycle are not found
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Check only one of several parts, such as 2/8; all of them together check everything
    #[arg(long, value_name = "PART/PARTS", conflicts_with = "sample", value_parser = parse_share)]
    part: Option<Share>,
    /// Memory to use, such as 512MiB or 4GiB; without it, what is free, less a margin. Slices that
    /// do not fit are checked in pieces, which takes longer
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    #[command(flatten)]
    threads: Threads,
    /// How the findings are printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// The databases of a game, and how to check them.
struct Check {
    subject: Subject,
    how: How,
}

/// Bytes of decoded blocks of each set that a table is compared with: what compact tables leave out is
/// found in smaller ones.
const CACHE: u64 = 16 << 20;

/// The finding of a slice.
enum Finding {
    /// It is right.
    Right(Checked),
    /// Its file is whole, and this many positions drawn at random are right.
    Sampled(u64),
    /// A part of it is right; whether all parts are.
    Part(Checked, Share, Parts),
    /// Its file is whole, and its scores were not compared: slices it leads to are not right.
    Whole,
    /// `solve` has written it and was interrupted before it had checked it; what goes on with that.
    Unchecked(String),
    /// It is not right.
    Wrong(String),
}

impl Args {
    /// Verifies.
    pub fn run(self) -> Result<(), Failure> {
        let Args { game, rules, data, metric, how, proof } = self;
        if let Some(file) = proof {
            if !rules.0.is_empty() {
                return Err(Failure::Usage(
                    "a proof names its options itself; leave them out beside --proof".to_owned(),
                ));
            }
            return verify_proof::run(&file, &data, how.format);
        }
        let game = game.unwrap_or_default();
        Check { subject: Subject { game, rules, data, metric }, how }.run()
    }
}

impl Check {
    fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_databases(&game)?;
        let metric = self.subject.metric(&game)?;
        let dir = self.subject.dir(&game);
        let set = self.subject.open(&game, false, 0);
        let mut present = Vec::new();
        for slice in self.subject.slices(&game, &self.how.up_to)? {
            present.extend(set.available(slice.0)?.into_iter().map(|reach| (slice.0, reach)));
        }
        let mut files = present.clone();
        let mut findings: Vec<Value> = Vec::new();
        let mut wrong = 0u32;
        let manifest = Manifest::load(&*storage(false), &dir);
        match &manifest {
            Ok(manifest) => {
                let selected = self.how.up_to.select(&game)?;
                files.extend(manifest.entries().iter().map(|entry| (entry.slice, entry.reach)));
                files.retain(|&(slice, _)| {
                    let slice = SliceId(slice);
                    let selected = selected.as_ref().is_none_or(|all| all.contains(&slice));
                    game.has_database(slice) && selected
                });
                // In each slice the exact file first, then from the widest window down.
                files.sort_unstable_by_key(|&(slice, reach)| (slice, Reverse(reach)));
                files.dedup();
            }
            Err(error) => {
                wrong += 1;
                self.print_wrong("manifest", &remedy(&self.subject, error))?;
            }
        }
        let known: Vec<SliceId> = files.iter().map(|&(slice, _)| SliceId(slice)).collect();
        if let Some(absent) = self.subject.absent(&game, &self.how.up_to, &known)? {
            wrong += 1;
            self.print_wrong("missing", &absent)?;
        }
        if self.how.up_to.text().is_none() {
            name_beyond(&game, &set, manifest.as_ref().ok())?;
        }
        let reporter = Reporter::new(&game, [0.0, 0.0, 0.0, 1.0])
            .aligned(files.iter().map(|&(slice, _)| SliceId(slice)));
        // Slices with a file that is not right: what leads to them cannot be compared.
        let mut unsound: Vec<SliceId> = Vec::new();
        let mut whole = 0;
        for &(slice, reach) in &files {
            let name = file_name(&game, slice, reach);
            let slice = SliceId(slice);
            reporter.begin_only(slice, "verify", game.slice_len(slice));
            let finding = if present.contains(&(slice.0, reach)) {
                let known = manifest.is_ok();
                let mut below = closure(&game, [slice]).into_iter().filter(|&s| s != slice);
                let sound = !below.any(|below| unsound.contains(&below));
                self.check(&game, slice, reach, known, sound, &reporter)
            } else {
                Finding::Wrong(format!(
                    "the manifest has {name}, and {} is not there; `{}` makes it again",
                    set.path(slice.0, reach).display(),
                    self.solve_again(&game, slice, reach),
                ))
            };
            let seconds = reporter.seconds();
            reporter.clear();
            whole += u32::from(matches!(finding, Finding::Part(_, _, Parts::All)));
            self.settle(&game, slice, reach, &finding, &name);
            if !matches!(finding, Finding::Right(_) | Finding::Sampled(_) | Finding::Part(..)) {
                unsound.push(slice);
            }
            let mut object = slice_object(&game, metric, slice, json!({ "ok": false }));
            if !reach.is_exact() {
                object["window"] = u8::from(reach).into();
            }
            self.report(&finding, &name, game.slice_len(slice), seconds, &mut object)?;
            wrong += u32::from(matches!(finding, Finding::Wrong(_)));
            object["seconds"] = rounded(seconds).into();
            findings.push(object);
        }
        if self.how.format == Format::Json {
            print(&format!("{}\n", json!({ "ok": wrong == 0, "slices": findings })))?;
        }
        if let Some(share) = self.how.part.filter(|_| wrong == 0) {
            let (part, of, all) = (share.part(), share.count(), files.len());
            note(&format!(
                "Part {part} of {of} has passed, and {whole} of {all} files have passed all parts \
                 with it"
            ));
        }
        match wrong {
            0 => Ok(()),
            1 => Err(Failure::Failed(format!(
                "{} is not right in {}: one fault, named above; repair it and verify again",
                game.id(),
                dir.display()
            ))),
            _ => Err(Failure::Failed(format!(
                "{} is not right in {}: {wrong} faults, named above; repair them and verify again",
                game.id(),
                dir.display()
            ))),
        }
    }

    /// The command that makes a file, or goes on with it.
    fn solve_again(&self, game: &AnyGame, slice: SliceId, reach: Reach) -> String {
        let clipped = match reach {
            Reach::Exact => String::new(),
            Reach::Within(window) => format!(" --window {window}"),
        };
        let rest = format!(" {} {}{clipped}", up_to_option(game), game.slice_name(slice));
        self.subject.command("solve", &rest)
    }

    fn check(
        &self,
        game: &AnyGame,
        slice: SliceId,
        reach: Reach,
        manifest: bool,
        sound: bool,
        reporter: &Reporter,
    ) -> Finding {
        let dir = self.subject.dir(game);
        let check = || -> Result<Finding, CheckError> {
            let free = || machine::available_memory().map(with_margin);
            let memory = self.how.memory.or_else(free).unwrap_or(u64::MAX);
            let cache = cache_bytes(game.slice_len(slice)).min(memory / 4);
            let set = self.subject.open(game, false, cache);
            let table = set.get_exactly(slice.0, reach)?;
            if manifest {
                match check_manifest(&set, &table, &dir) {
                    // A file is listed once it is checked, or where no check was asked for.
                    Err(CheckError::Table(TableError::Unlisted { .. })) if !table.is_checked() => {
                        return Ok(Finding::Unchecked(self.solve_again(game, slice, reach)));
                    }
                    listed => listed?,
                }
            }
            if sound {
                let (threads, memory) = (self.how.threads.count(), memory - cache);
                match (self.how.sample, self.how.part) {
                    (Some(count), _) => game
                        .check_sample(&table, &set, count, threads, reporter)
                        .map(Finding::Sampled),
                    (None, None) => {
                        let checked = game.check_file(&table, &set, memory, threads, reporter)?;
                        if reach.is_exact() {
                            self.compare_metrics(game, slice, (&set, &table), reporter)?;
                        }
                        Ok(Finding::Right(checked))
                    }
                    (None, Some(share)) => {
                        let files = &**set.storage();
                        // What an earlier run has found is checked again.
                        let _ = files.remove(&PartRecord::path(&table, share));
                        let checked =
                            game.check_share(&table, &set, share, memory, threads, reporter)?;
                        let record = PartRecord::new(game, &table, &set, share, &checked)?;
                        record.save(files, &table)?;
                        let parts = record.parts(files, &table)?;
                        Ok(Finding::Part(checked, share, parts))
                    }
                }
            } else {
                table.verify_file(|_| {})?;
                Ok(Finding::Whole)
            }
        };
        check().unwrap_or_else(|error| {
            Finding::Wrong(match error {
                CheckError::Table(
                    error @ (TableError::Unexpected { .. } | TableError::Unlisted { .. }),
                ) => {
                    format!("{error}; delete it and solve it again")
                }
                CheckError::Wrong { .. } => format!("{error}; delete the file and solve it again"),
                error => error.to_string(),
            })
        })
    }

    /// Compares a table with those of the same slice that have other metrics.
    fn compare_metrics(
        &self,
        game: &AnyGame,
        slice: SliceId,
        (set, table): (&TableSet, &Table),
        reporter: &Reporter,
    ) -> Result<(), CheckError> {
        let Ok(metric) = self.subject.metric(game) else { return Ok(()) };
        let name = |index| {
            let position = game.unrank(slice, index)?;
            Some(game.format(&Situation::new(position, Side::First)))
        };
        for (other, others) in self.subject.open_others(game, CACHE) {
            if others.available(slice.0)?.contains(&Reach::Exact) {
                let second = others.get_exactly(slice.0, Reach::Exact)?;
                let tables = [(metric, set, table), (other, &others, &*second)];
                check_metrics(tables, &name, reporter)?;
            }
        }
        Ok(())
    }

    /// What follows from a finding for the name of the file.
    fn settle(&self, game: &AnyGame, slice: SliceId, reach: Reach, finding: &Finding, name: &str) {
        let promoted = match finding {
            Finding::Right(_) => self.promote(game, slice, reach),
            Finding::Part(_, share, Parts::All) => self.conclude(game, slice, reach, *share),
            _ => Ok(()),
        };
        if let Err(error) = promoted {
            let error = error.into_sentence();
            note(&format!("{name} is right and stays marked as unchecked: {error}"));
        }
    }

    /// Gives a table that is right its final name, and records that in the manifest.
    fn promote(&self, game: &AnyGame, slice: SliceId, reach: Reach) -> Result<(), Failure> {
        let (dir, set) = (self.subject.dir(game), self.subject.open(game, false, 0));
        let table = set.get_exactly(slice.0, reach)?;
        if table.is_checked() {
            return Ok(());
        }
        let _lock = DirLock::acquire(&dir)?;
        let mut manifest = Manifest::load(&**set.storage(), &dir)?;
        manifest.adopt(&*set.promote(&table)?)?;
        Ok(manifest.save(&**set.storage(), &dir)?)
    }

    /// All parts of a table are right: gives it its final name, as long as those below it have
    /// theirs, and removes the records.
    fn conclude(
        &self,
        game: &AnyGame,
        slice: SliceId,
        reach: Reach,
        share: Share,
    ) -> Result<(), Failure> {
        let set = self.subject.open(game, false, 0);
        let table = set.get_exactly(slice.0, reach)?;
        if !table.is_checked() {
            for below in game.below(slice) {
                if !set.get(below.0)?.is_checked() {
                    return Err(Failure::Failed(format!(
                        "{} is not checked yet; run this part again when it is",
                        slice_label(game, below)
                    )));
                }
            }
            let program = format!("nutcracker {}", env!("CARGO_PKG_VERSION"));
            record_checked(&set, &table, &program)?;
        }
        PartRecord::clear(&**set.storage(), &table, share.count());
        Ok(())
    }

    /// Prints the finding of a slice, and adds it to its JSON object.
    fn report(
        &self,
        finding: &Finding,
        name: &str,
        positions: u64,
        seconds: f64,
        object: &mut Value,
    ) -> Result<(), Failure> {
        match finding {
            Finding::Right(Checked { sweeps, positions, .. }) => {
                object["ok"] = true.into();
                object["positions"] = (*positions).into();
                object["sweeps"] = (*sweeps).into();
                let sweeps = if *sweeps == 1 { "1 sweep" } else { &format!("{sweeps} sweeps") };
                self.print_line(&format!(
                    "OK     {name:>9}  {:>15} positions  {sweeps:>9}  {:>10}\n",
                    thousands(*positions),
                    duration(seconds),
                ))?;
            }
            Finding::Sampled(sampled) => {
                object["ok"] = true.into();
                object["positions"] = positions.into();
                object["sampled"] = (*sampled).into();
                self.print_line(&format!(
                    "OK     {name:>9}  {:>15} positions  {:>11} sampled  {:>10}\n",
                    thousands(positions),
                    thousands(*sampled),
                    duration(seconds),
                ))?;
            }
            Finding::Part(Checked { compared, levels, .. }, share, parts) => {
                object["ok"] = true.into();
                object["part"] = share.to_string().into();
                object["compared"] = (*compared).into();
                object["levels"] = levels.clone().into();
                let rest = match parts {
                    Parts::All => "all parts have passed".to_owned(),
                    Parts::Missing(parts) => {
                        object["missing_parts"] = parts.clone().into();
                        format!("without {}", listed(parts))
                    }
                };
                let levels = levels.as_deref().unwrap_or_default();
                let founded = if levels.is_empty() {
                    String::new()
                } else {
                    let levels: Vec<String> = levels.iter().map(|k| format!("±{k}")).collect();
                    format!(", {} founded", levels.join(" "))
                };
                self.print_line(&format!(
                    "OK     {name:>9}  {:>15} compared{founded}; {rest}  {:>10}\n",
                    thousands(*compared),
                    duration(seconds),
                ))?;
            }
            Finding::Whole => {
                let why = "slices it leads to are not right or not checked yet";
                object["error"] = format!("not compared: {why}").into();
                self.print_line(&format!(
                    "-      {name:>9}  the file is whole; its scores were not compared, because {why}\n"
                ))?;
            }
            Finding::Unchecked(again) => {
                let text = format!("not checked yet; `{again}` checks it and goes on");
                self.print_line(&format!("-      {name:>9}  {text}\n"))?;
                object["error"] = text.into();
            }
            Finding::Wrong(reason) => {
                object["error"] = reason.clone().into();
                self.print_wrong(name, reason)?;
            }
        }
        Ok(())
    }

    fn print_line(&self, line: &str) -> Result<(), Failure> {
        if self.how.format == Format::Json { Ok(()) } else { print(line) }
    }

    fn print_wrong(&self, name: &str, reason: &str) -> Result<(), Failure> {
        if self.how.format == Format::Json {
            note(&format!("WRONG  {name:>9}  {reason}"));
            return Ok(());
        }
        print(&format!("WRONG  {name:>9}  {reason}\n"))
    }
}

/// Parts that have not passed yet.
fn listed(parts: &[u32]) -> String {
    let first: Vec<String> = parts.iter().take(8).map(u32::to_string).collect();
    let word = if parts.len() == 1 { "part" } else { "parts" };
    let more = if parts.len() > first.len() { " and more" } else { "" };
    format!("{word} {}{more}", first.join(", "))
}

/// A slice, and what its scores are clipped to, if they are.
fn file_name(game: &AnyGame, slice: u32, reach: Reach) -> String {
    match reach {
        Reach::Exact => slice_label(game, SliceId(slice)),
        Reach::Within(window) => format!("{}, window {window}", slice_label(game, SliceId(slice))),
    }
}

/// What to do about a manifest that cannot be read.
fn remedy(subject: &Subject, error: &TableError) -> String {
    match error {
        TableError::Missing { .. } => {
            format!("{error}; `{}` makes it anew from the tables", subject.command("solve", ""))
        }
        error => error.to_string(),
    }
}

/// Names the slices with a table or an entry that this game does not have. That is no fault by
/// itself: games that differ in the start position share a directory.
fn name_beyond(game: &AnyGame, set: &TableSet, manifest: Option<&Manifest>) -> Result<(), Failure> {
    let last = game.largest_slice().0;
    let entries = manifest.map_or(&[][..], Manifest::entries);
    let mut beyond: Vec<u32> = entries.iter().map(|entry| entry.slice).collect();
    beyond.extend(set.slices()?);
    beyond.sort_unstable();
    beyond.dedup();
    beyond.retain(|&slice| slice > last);
    if let (Some(&first), count) = (beyond.first(), beyond.len()) {
        let rest = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        note(&format!(
            "not checked: the database of {first} {}{rest}; {} has slices up to {last}",
            game.slice_unit(),
            game.id(),
        ));
    }
    Ok(())
}
