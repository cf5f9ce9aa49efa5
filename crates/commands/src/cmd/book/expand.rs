//! `nutcracker book expand`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nutcracker_any::AnyGame;
use nutcracker_book::grow::{Ended, Plan, Status};
use nutcracker_book::{Strategy, Tuning};
use nutcracker_engine::parse_time;
use nutcracker_game::{Numbering, Score};
use nutcracker_web::explorer::Grow;
use serde_json::json;

use super::target::{ExpertArgs, Target};
use crate::args::{Format, Threads};
use crate::failure::Failure;
use crate::live::LiveLine;
use crate::number::{duration, thousands};
use crate::print;

/// Grow a book
///
/// Each expansion adds all moves of one position, chosen by the strategy. The book is written at
/// least every half second and consistent at any moment: stop it any time and resume later, with
/// another strategy if you like. It ends by itself when the start position is solved.
#[derive(Debug, clap::Args)]
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
    expert: ExpertArgs,
    #[command(flatten)]
    threads: Threads,
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
    /// Usage errors.
    fn check(&self) -> Result<(), Failure> {
        if self.omega.is_some_and(|omega| !(omega >= 0.0 && omega.is_finite())) {
            return Err(Failure::Usage("--omega is a number, 0 or more".to_owned()));
        }
        Ok(())
    }

    /// The same for a server that grows the book of a file.
    pub fn beside_serving(&self, file: PathBuf) -> Result<Grow, Failure> {
        self.check()?;
        Ok(Grow {
            file,
            mix: self.strategy.0.clone(),
            omega: self.omega,
            fractional: self.fractional,
            expert: self.expert.settings(),
            threads: self.threads.count(),
            nodes: self.nodes,
            expansions: self.expansions,
            time: self.time,
        })
    }
}

impl Args {
    /// Grows it.
    pub fn run(self, game: &AnyGame) -> Result<(), Failure> {
        let growth = &self.growth;
        growth.check()?;
        let mut book = self.target.open(game)?;
        let databases = self.target.databases(game)?;
        let tuning = book.facts().tuning;
        book.tune(Tuning {
            omega: growth.omega.unwrap_or(tuning.omega),
            fractional: match growth.fractional {
                None => tuning.fractional,
                Some(points) => Some((points * 100.0) as i32).filter(|&points| points > 0),
            },
        })?;
        let count = growth.threads.count();
        let mut experts: Vec<_> =
            (0..count).map(|_| growth.expert.expert(game, databases.as_ref())).collect();
        let root = book.position(book.root())?;
        let max = game.max_score(game.slice_of(&root));
        let plan = Plan {
            mix: growth.strategy.0.clone(),
            at_once: count,
            expansions: growth.expansions,
            nodes: growth.nodes,
            until: growth.time.map(|time| Instant::now() + time),
            stop: None,
        };
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
            Ended::Exhausted => "no open leaf is left that the start position depends on",
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
            "{} nodes, {} solved, value {}: {how} after {}\n",
            thousands(facts.nodes),
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
        "{} nodes  value {}  {:.0} expansions/s  {:.1}% solved  {}",
        thousands(facts.nodes),
        status.value.text(max),
        status.expansions as f64 / seconds.max(1e-3),
        100.0 * facts.solved as f64 / facts.nodes.max(1) as f64,
        duration(seconds),
    )
}
