//! `nutcracker book expand`.

use std::time::{Duration, Instant};

use nutcracker_book::grow::{Ended, Plan, Status};
use nutcracker_book::store::{Access, Location};
use nutcracker_book::{Aim, Strategy, TuningChange};
use nutcracker_engine::{ExpertSpec, Experts, parse_time};
use nutcracker_game::{Numbering, Score};
use nutcracker_web::explorer::Grow;
use serde_json::json;

use super::target::{ExpertArgs, Target};
use crate::args::{Format, Threads};
use crate::failure::Failure;
use crate::live::LiveLine;
use crate::number::{counted, duration, thousands};
use crate::print;

/// Grow a book
///
/// Each expansion adds all moves of one position, chosen by the strategy. The book is written at
/// least every half second and consistent at any moment: stop it any time and resume later, with
/// another strategy if you like.
///
/// With the aim to solve, it ends by itself when the start position is solved, and leaves out what
/// cannot matter to its score. With the aim to play, it covers whatever an opponent may play, proven
/// errors too, and goes on when the start position is solved.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book expand --book small.book --expansions 200 --depth 2")]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    #[command(flatten)]
    growth: Growth,
    /// How the outcome is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// How a book grows.
#[derive(Clone, Debug, clap::Args)]
pub struct Growth {
    /// Nodes in the book at which it ends
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Expansions after which it ends
    #[arg(long, value_name = "N")]
    expansions: Option<u64>,
    /// Time after which it ends, such as 90s, 1m30s or 2h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// What the book is for; solve by default with the strategies conspiracy and proof, play with the
    /// others
    #[arg(long, value_enum)]
    aim: Option<AimOption>,
    /// best-first, drop-out (of both players), drop-out-first, drop-out-second, conspiracy or
    /// proof; several with shares, such as drop-out:3,proof:1
    #[arg(long, value_name = "NAME", default_value = "drop-out", value_parser = parse_mix)]
    strategy: Mix,
    /// Plies of depth that a point of value is worth: larger keeps to the best moves, 0 goes
    /// everywhere equally deep
    #[arg(long, value_name = "PLIES")]
    omega: Option<f64>,
    /// Count depth in fractions: moves that are better than the next by this many points count
    /// hardly at all; 0 turns it off
    #[arg(long, value_name = "POINTS")]
    fractional: Option<f64>,
    #[command(flatten)]
    search: ExpertArgs,
    #[command(flatten)]
    threads: Threads,
    /// Who evaluates new positions, instead of one engine a thread: depth=12 is our engine,
    /// cmd:PROGRAM one that speaks the engine protocol, with limits of its own in front, such as
    /// time=0.5s,count=2,cmd:PROGRAM; may be given more than once, see docs/protocol.md
    #[arg(long, value_name = "EXPERT", conflicts_with = "threads")]
    expert: Vec<ExpertSpec>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum AimOption {
    Play,
    Solve,
}

#[derive(Clone, Debug)]
struct Mix(Vec<(Strategy, f64)>);

fn parse_mix(text: &str) -> Result<Mix, String> {
    let part = |part: &str| {
        let (name, share) = part.split_once(':').unwrap_or((part, "1"));
        let strategy = name.parse()?;
        match share.parse::<f64>() {
            Ok(share) if share > 0.0 && share.is_finite() => Ok((strategy, share)),
            _ => Err(format!("a share is a number above 0, not {share:?}")),
        }
    };
    text.split(',').map(part).collect::<Result<_, _>>().map(Mix)
}

impl Growth {
    /// What the book is grown for.
    fn aim(&self) -> Aim {
        let proves = |(strategy, _): &(Strategy, f64)| {
            matches!(strategy, Strategy::Conspiracy | Strategy::Proof)
        };
        match self.aim {
            Some(AimOption::Solve) => Aim::Solve,
            None if self.strategy.0.iter().all(proves) => Aim::Solve,
            _ => Aim::Play,
        }
    }

    /// The plan, without an end from outside.
    fn plan(&self) -> Result<Plan<'static>, Failure> {
        if self.omega.is_some_and(|omega| !(omega >= 0.0 && omega.is_finite())) {
            return Err(Failure::Usage("--omega is a number, 0 or more".to_owned()));
        }
        Ok(Plan {
            mix: self.strategy.0.clone(),
            tuning: TuningChange {
                omega: self.omega,
                fractional: self.fractional,
                aim: Some(self.aim()),
            },
            expansions: self.expansions,
            nodes: self.nodes,
            time: self.time,
            stop: None,
        })
    }

    /// The same for a server that grows a book.
    pub fn beside_serving(&self, book: Location) -> Result<Grow, Failure> {
        Ok(Grow { book, plan: self.plan()?, experts: self.experts() })
    }

    /// Who evaluates new positions.
    fn experts(&self) -> Experts {
        Experts {
            specs: self.expert.clone(),
            settings: self.search.settings(),
            threads: self.threads.count(),
        }
    }
}

impl Args {
    /// Grows it.
    pub fn run(self) -> Result<(), Failure> {
        let growth = &self.growth;
        let plan = growth.plan()?;
        let opened = self.target.open(Access::Write)?;
        let databases = opened.databases()?;
        let mut book = opened.book;
        let game = &book.game().clone();
        let experts = growth.experts().start(game, databases.as_ref().as_ref());
        let mut experts = experts.map_err(|error| Failure::Failed(error.to_string()))?;
        let root = book.position(book.root())?;
        let max = game.max_score(game.slice_of(&root));
        let (line, began) = (LiveLine::new(), Instant::now());
        let ended = book.grow(&mut experts, &plan, &mut |status| {
            line.update(|| progress(status, max, began.elapsed().as_secs_f64()).into());
        })?;
        drop(line);
        let seconds = began.elapsed().as_secs_f64();
        let (value, facts) = (book.root_value()?, book.facts());
        let how = match ended {
            Ended::Solved => "the start position is solved",
            Ended::Planned | Ended::Stopped => "as planned",
            Ended::Exhausted => "no open leaf is left that the aim of the book needs",
        };
        if self.format == Format::Json {
            return print(&format!(
                "{}\n",
                json!({
                    "ended": format!("{ended:?}").to_lowercase(),
                    "nodes": facts.nodes,
                    "solved": facts.solved,
                    "expansions": facts.expansions,
                    "lower": value.lower,
                    "upper": value.upper,
                    "estimate": value.estimate(),
                    "seconds": seconds,
                })
            ));
        }
        print(&format!(
            "{}, {} solved, value {}: {how} after {}\n",
            counted(facts.nodes, "node"),
            thousands(facts.solved),
            value.text(max),
            duration(seconds),
        ))
    }
}

/// What is known of a book after some seconds of growth.
fn progress(status: &Status<'_>, max: Score, seconds: f64) -> String {
    let facts = status.facts;
    format!(
        "{}  value {}  {:.0} expansions/s  {:.1}% solved  {}",
        counted(facts.nodes, "node"),
        status.value.text(max),
        status.expansions as f64 / seconds.max(1e-3),
        100.0 * facts.solved as f64 / facts.nodes.max(1) as f64,
        duration(seconds),
    )
}
