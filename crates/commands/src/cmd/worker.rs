//! `nutcracker worker`: evaluates positions for a server that grows a book.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use nutcracker_engine::{ExpertSpec, experts};
use nutcracker_fleet::worker::{
    Activity, Caller, Report, Settings, Summary, Worker, WorkerError, prove,
};
use nutcracker_proof::TableFiles;

use crate::args::{Data, MetricOption, RuleOptions, Subject, Threads, games};
use crate::cmd::book::target::{ExpertArgs, databases};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::live::LiveLine;
use crate::note;
use crate::number::{counted, duration, thousands};

/// How much work a worker takes at once.
const BATCH: Duration = Duration::from_mins(1);
/// Between two looks for a signal.
const LOOK: Duration = Duration::from_millis(50);

/// Evaluate positions for a server that grows a book
///
/// Gets positions from `nutcracker serve --grow BOOK --tokens FILE`, evaluates them with local
/// databases and engines, and submits the values, until Ctrl-C. It only sends requests, so it works
/// behind any firewall. The game comes from the server. If the server cannot be reached, it tries
/// again for as long as it takes; several servers are tried in turn.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker worker http://127.0.0.1:4848 --token-file worker.token --depth 10")]
pub struct Args {
    /// The address of the server, such as `https://example.org`; several are tried in turn
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
    /// The token; others on this machine can see it, so better use --token-file or the variable
    #[arg(long, value_name = "TOKEN", env = "NUTCRACKER_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// A file with the token
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
    /// Who evaluates positions, such as depth=12 or cmd:PROGRAM; may be given more than once. Without
    /// it, our engine in each thread
    #[arg(long, value_name = "SPEC")]
    expert: Vec<ExpertSpec>,
    /// The name of this worker among those of its token; the host's by default
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    engine: ExpertArgs,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    data: Data,
}

impl Args {
    /// Works until it is interrupted.
    pub fn run(self) -> Result<(), Failure> {
        let token = self.token()?;
        let program = format!("nutcracker {}", env!("CARGO_PKG_VERSION"));
        let caller = Caller::new(&self.urls, &token, &program).map_err(Failure::Usage)?;
        let name = self.name.clone().unwrap_or_else(host);
        if !nutcracker_fleet::tokens::is_name(&name) {
            let what = "--name takes up to 64 letters, digits, - _ and .";
            return Err(Failure::Usage(what.to_owned()));
        }
        let interrupt = Interrupt::listen();
        let stop = Arc::new(AtomicBool::new(false));
        watch(&interrupt, &stop);
        let line = LiveLine::new();
        let mut last = None;
        let mut show = |report: &Report| {
            // What goes wrong is also said once where there is no line to redraw.
            if let Activity::Retrying(why, _) = &report.activity
                && last.as_ref() != Some(why)
            {
                line.note(why);
                last = Some(why.clone());
            }
            if matches!(report.activity, Activity::Evaluating(..)) {
                last = None;
            }
            line.update(|| status(report).into());
        };
        let settings = Settings { name, program: program.clone(), batch: BATCH };
        let mut worker = Worker::new(caller, settings, &stop);
        let Some(work) = worker.connect(&mut show).map_err(|error| failed(&error))? else {
            return stopped(&interrupt, &Summary::default());
        };
        let (info, options) = games().identified(&work.game, &work.start)?;
        let game = info.game(&options)?;
        let rules = RuleOptions::from_text(info, &options.to_string()).map_err(Failure::Usage)?;
        let subject = Subject {
            game: info.name.to_owned(),
            rules,
            data: self.data.clone(),
            metric: MetricOption::default(),
        };
        let databases = databases(&subject, &game)?;
        let databases = databases.as_ref();
        let settings = self.engine.settings();
        let mut experts = if self.expert.is_empty() {
            let count = self.threads.count();
            (0..count).map(|_| settings.expert(&game, databases)).collect()
        } else {
            experts(&self.expert, &game, databases.as_ref(), &settings)
                .map_err(|error| Failure::Failed(error.to_string()))?
        };
        note(&format!(
            "Evaluating positions of {} with {} experts; Ctrl-C ends it.",
            work.game,
            experts.len()
        ));
        let tables = match databases {
            Some(oracle) => {
                Some(TableFiles { set: oracle.set(), metric: subject.metric(&game)?, audit: false })
            }
            None => None,
        };
        let proof = |root: &_, worth: &_| prove(&game, &databases, &tables, &program, root, worth);
        let summary =
            worker.run(&game, &mut experts, &proof, &mut show).map_err(|error| failed(&error))?;
        drop(line);
        stopped(&interrupt, &summary)
    }

    fn token(&self) -> Result<String, Failure> {
        match (&self.token, &self.token_file) {
            (Some(token), _) => Ok(token.trim().to_owned()),
            (None, Some(file)) => {
                let read = fs::read_to_string(file).map_err(|error| {
                    Failure::Failed(format!("cannot read {}: {error}", file.display()))
                })?;
                Ok(read.trim().to_owned())
            }
            (None, None) => Err(Failure::Usage(
                "a token is needed; give it with --token-file or in NUTCRACKER_TOKEN".to_owned(),
            )),
        }
    }
}

/// Sets a flag as soon as a signal arrives.
fn watch(interrupt: &Interrupt, stop: &Arc<AtomicBool>) {
    let (interrupt, stop) = (interrupt.clone(), Arc::clone(stop));
    // It ends with the process.
    std::thread::spawn(move || {
        while !interrupt.requested() {
            std::thread::sleep(LOOK);
        }
        stop.store(true, Relaxed);
    });
}

fn failed(error: &WorkerError) -> Failure {
    Failure::Failed(error.to_string())
}

/// A signal is the usual end of a worker.
fn stopped(interrupt: &Interrupt, summary: &Summary) -> Result<(), Failure> {
    let Summary { accepted, positions, returned, abandoned } = summary;
    let lost = match abandoned {
        0 => String::new(),
        _ => format!(
            ", {} could not be returned and go to others when their leases expire",
            thousands(*abandoned)
        ),
    };
    let text = format!(
        "stopped: {} evaluated, {} accepted, {} returned unfinished{lost}",
        counted(*positions, "position"),
        counted(*accepted, "job"),
        thousands(*returned),
    );
    Err(Failure::Stopped(text, interrupt.code()))
}

/// What the worker does, in one line.
fn status(report: &Report) -> String {
    let speed = report.speed;
    let numbers = format!(
        "{}, {} accepted, {speed:.1} positions/s",
        counted(report.positions, "position"),
        counted(report.accepted, "job"),
    );
    match &report.activity {
        Activity::Evaluating(done, all) => format!("evaluating {done} of {all}  {numbers}"),
        Activity::Idle(why) => format!("idle: {why}  {numbers}"),
        Activity::Retrying(why, pause) => {
            format!("{why}; trying again in {}", duration(pause.as_secs_f64()))
        }
        Activity::Stopping => "stopping".to_owned(),
    }
}

/// The name of this machine, as far as it can be one.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let fits = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let name: String = name.trim().chars().filter(fits).take(40).collect();
    let name = if name.is_empty() { "worker".to_owned() } else { name };
    // Several workers on one machine are told apart.
    format!("{name}-{}", std::process::id())
}
