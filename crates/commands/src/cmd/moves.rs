//! `nutcracker moves`: the legal moves of positions, by the rules alone.

use std::io::{self, BufRead, BufWriter, Write};

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Rules, Situation};
use nutcracker_search::Worth;
use serde_json::{Value, json};

use crate::args::{Format, RuleOptions, games};
use crate::failure::Failure;
use crate::outcome::{name, result_json};
use crate::{print, table};

/// List the legal moves of a position, and where each leads
///
/// No databases and no search are needed: this is what the rules say. With - as the position,
/// positions are read from standard input, one a line, and answered in their order; a program that
/// checks rules or generates positions sends thousands a second that way.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker moves awari
  nutcracker moves othello --size 6 --format json
  printf '4,4,4,4,4,4/4,4,4,4,4,4 S 0-0\\n' | nutcracker moves awari - --format json")]
pub struct Args {
    /// The game, as `nutcracker games` lists it
    game: String,
    #[command(flatten)]
    rules: RuleOptions,
    /// The position, by default the start; - reads positions from standard input
    #[arg(allow_hyphen_values = true)]
    position: Option<String>,
    /// How moves are printed; json is one object a position
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Args {
    /// Lists moves.
    pub fn run(self) -> Result<(), Failure> {
        let game = games().game(&self.game, &self.rules.options())?;
        match self.position.as_deref() {
            None => print(&self.describe(&game, &game.start())),
            Some("-") => self.answer_lines(&game),
            Some(text) => {
                let situation = game.parse(text).map_err(|error| {
                    let example = game.format(&game.start());
                    Failure::Usage(error.with_example(&example))
                })?;
                print(&self.describe(&game, &situation))
            }
        }
    }

    fn describe(&self, game: &AnyGame, situation: &Situation<AnyPosition>) -> String {
        match self.format {
            Format::Table => for_people(game, situation),
            Format::Json => format!("{}\n", for_programs(game, situation)),
        }
    }

    /// Answers positions of standard input; a line that is not a position ends it, with its number.
    fn answer_lines(&self, game: &AnyGame) -> Result<(), Failure> {
        let mut out = BufWriter::new(io::stdout().lock());
        for (number, line) in (1..).zip(io::stdin().lock().lines()) {
            let line = line
                .map_err(|error| Failure::Failed(format!("cannot read standard input: {error}")))?;
            if line.trim().is_empty() {
                continue;
            }
            let situation = game.parse(line.trim()).map_err(|error| {
                Failure::Usage(format!("line {number} of standard input: {error}"))
            })?;
            out.write_all(self.describe(game, &situation).as_bytes())
                .map_err(|error| Failure::output(&error))?;
        }
        out.flush().map_err(|error| Failure::output(&error))
    }
}

/// A move and the situation it leads to.
fn moves(game: &AnyGame, situation: &Situation<AnyPosition>) -> Vec<(String, String)> {
    let mut moves = Vec::new();
    if game.outcome(&situation.position).is_none() {
        game.moves(&situation.position, &mut moves);
    }
    let described = moves.iter().map(|mv| {
        let step = game.play(&situation.position, mv);
        let name = game.format_move(situation, mv, &step);
        (name, game.format(&game.advance(situation, &step)))
    });
    described.collect()
}

fn for_people(game: &AnyGame, situation: &Situation<AnyPosition>) -> String {
    let mut text = format!("{}\n\n{}\n", game.format(situation), game.draw(situation));
    if let Some(score) = game.outcome(&situation.position) {
        let result = match (score, game.final_result(situation, score)) {
            (_, Some([first, second])) => format!("{first}-{second}"),
            (0, None) => "a draw".to_owned(),
            (score, None) => {
                let mover = situation.mover;
                let winner = if score > 0 { mover } else { mover.other() };
                format!("{} wins", name(game, winner))
            }
        };
        let end = game.end_name(&situation.position);
        let how = end.map_or_else(String::new, |end| format!(" by {end}"));
        return text + "The game is over" + &how + ": " + &result + "\n";
    }
    let rows = moves(game, situation).into_iter().map(|(name, next)| vec![name, next]).collect();
    text += &table::render(&["move", "leads to"], &[0, 1], rows);
    text
}

fn for_programs(game: &AnyGame, situation: &Situation<AnyPosition>) -> Value {
    let outcome = game.outcome(&situation.position);
    let result = outcome.map(|score| result_json(game, situation, Worth::exact(score)));
    let moves: Vec<Value> = moves(game, situation)
        .into_iter()
        .map(|(name, next)| json!({"move": name, "position": next}))
        .collect();
    json!({
        "position": game.format(situation),
        "outcome": outcome,
        "end": game.end_name(&situation.position),
        "result": result,
        "moves": moves,
    })
}
