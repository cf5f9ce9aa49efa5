//! `nutcracker verify --proof`: replay a proof.

use std::path::Path;
use std::time::Instant;

use nutcracker_game::{Numbering, Rules, Situation};
use nutcracker_proof::{Checked, Header, TableFiles};
use serde_json::{Value, json};

use crate::args::{Data, Format};
use crate::failure::Failure;
use crate::identity;
use crate::interrupt::Interrupt;
use crate::number::{counted, duration, rounded};
use crate::print;
use crate::proof_file::{self, refused};

/// Decoded scores kept.
const CACHE: u64 = 64 << 20;

/// Checks a file.
pub fn run(path: &Path, data: &Data, format: Format) -> Result<(), Failure> {
    let began = Instant::now();
    let result = check(path, data);
    let seconds = began.elapsed().as_secs_f64();
    match result {
        Ok(Proven { header, checked, sentence }) => print(&match format {
            Format::Table => for_people(&header, &checked, &sentence, seconds),
            Format::Json => format!("{}\n", for_programs(&header, &checked, &sentence, seconds)),
        }),
        Err(Failure::Failed(reason)) if format == Format::Json => {
            print(&format!("{}\n", json!({ "ok": false, "error": reason })))?;
            Err(Failure::Failed(reason))
        }
        Err(failure) => Err(failure),
    }
}

/// What a file proves.
struct Proven {
    header: Header,
    checked: Checked,
    sentence: String,
}

fn check(path: &Path, data: &Data) -> Result<Proven, Failure> {
    let reader = proof_file::open(path)?;
    let header = reader.header().clone();
    let game = identity::subject(&header.game, &header.options, &header.start, data);
    let (mut subject, game) = game.map_err(|reason| refused(path, &reason))?;
    subject.metric.given = header.metric;
    let set = match header.metric {
        Some(metric) if game.has_databases() => {
            // A metric that the game does not have is the fault of the file.
            if !metric.is_among(game.metrics()) {
                return Err(refused(path, &format!("{} has no metric {metric}", game.id())));
            }
            let set = subject.open(&game, true, CACHE);
            Some((set, metric))
        }
        _ => None,
    };
    let tables = set.as_ref().map(|(set, metric)| TableFiles { set, metric: *metric, audit: true });
    let interrupt = Interrupt::listen();
    let checked = proof_file::check(path, reader, &game, tables, &interrupt)?;
    if let Some((set, _)) = set.as_ref().filter(|_| !checked.tables.is_empty()) {
        subject.note_unchecked(&game, set);
    }
    let root = game.parse(&header.root).map_err(|error| refused(path, &error))?;
    let root = Situation::new(root.position, root.mover);
    let worth = proof_file::worth(&game, &root.position, &checked.goals);
    let sentence = proof_file::sentence(&game, &root, worth);
    Ok(Proven { header, checked, sentence })
}

fn for_people(header: &Header, checked: &Checked, sentence: &str, seconds: f64) -> String {
    let game = match header.options.as_str() {
        "" => header.game.clone(),
        options => format!("{} ({options})", header.game),
    };
    let goals: Vec<String> = checked.goals.iter().map(ToString::to_string).collect();
    format!(
        "OK  {game}, {}: {}, that is {sentence}\n    {}, {}, {} from {}, {}\n",
        header.root,
        goals.join(" and "),
        counted(checked.nodes, "position"),
        counted(checked.ends, "final position"),
        counted(checked.probes, "database value"),
        counted(checked.tables.len() as u64, "database"),
        duration(seconds),
    )
}

fn for_programs(header: &Header, checked: &Checked, sentence: &str, seconds: f64) -> Value {
    let claims: Vec<Value> =
        checked.goals.iter().map(|&goal| proof_file::goal_json(goal)).collect();
    let tables: Vec<Value> = checked
        .tables
        .iter()
        .map(|(slice, digest)| json!({ "slice": slice, "blake3": digest }))
        .collect();
    json!({
        "ok": true,
        "game": header.game,
        "options": header.options,
        "position": header.root,
        "claims": claims,
        "text": sentence,
        "positions": checked.nodes,
        "ends": checked.ends,
        "bounds": checked.bounds,
        "probes": checked.probes,
        "tables": tables,
        "program": header.program,
        "seconds": rounded(seconds),
    })
}
