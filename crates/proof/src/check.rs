//! The check of a proof file: by the rules, the databases it names, and nothing of what wrote it.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::mem;

use nutcracker_game::{Numbering, ParseError, Score, Side, Situation, SliceId, Turn};

use crate::flaw::{Fault, Flaw};
use crate::goal::Goal;
use crate::header::{Header, IMAGES, MAGIC, VERSION};
use crate::lines::Lines;
use crate::tables::Tables;

/// No game has larger scores: beyond this, sums are not computed.
const LARGEST: Score = 20_000;
/// Lines between two calls of `go_on`.
const PAUSE: u64 = 1 << 10;

/// A proof file that was found to prove its claims.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// The claims about the root.
    pub goals: Vec<Goal>,
    /// Positions with a line.
    pub nodes: u64,
    /// Moves followed to the end of the game.
    pub ends: u64,
    /// Moves followed to a position where more than that cannot be lost.
    pub bounds: u64,
    /// Scores read from databases.
    pub probes: u64,
    /// The slices of these databases, and the digests of their files.
    pub tables: Vec<(String, String)>,
}

/// A proof file whose header was read.
#[derive(Debug)]
pub struct ProofReader<R> {
    lines: Lines<R>,
    header: Header,
    version: u32,
}

impl<R: BufRead> ProofReader<R> {
    /// Reads the header.
    pub fn new(input: R) -> Result<Self, Flaw> {
        let mut lines = Lines::new(input);
        match read_header(&mut lines) {
            Ok((version, header)) => Ok(ProofReader { lines, header, version }),
            Err(flaw) => Err(lines.explain(flaw)),
        }
    }

    /// What the file is about.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Checks the whole file in one pass; the error is the first flaw found. Every now and then
    /// `go_on` is called with the bytes read so far, and false ends the check.
    pub fn check<G: Numbering, T: Tables>(
        mut self,
        game: &G,
        tables: &T,
        go_on: impl FnMut(u64) -> bool,
    ) -> Result<Checked, Flaw> {
        self.header.check_game(game)?;
        let root = self.header.root.clone();
        let result = match read_position(game, &root, None) {
            Ok(root) => {
                let checker = Checker::new(game, tables, root, self.version >= IMAGES);
                checker.run(&mut self.lines, go_on)
            }
            Err(fault) => Err(Flaw::Line { line: self.lines.number(), fault }),
        };
        result.map_err(|flaw| self.lines.explain(flaw))
    }
}

fn read_header<R: BufRead>(lines: &mut Lines<R>) -> Result<(u32, Header), Flaw> {
    let first = lines.next()?.and_then(|line| line.strip_prefix(MAGIC)?.strip_prefix('\t'));
    let version = match first.and_then(|version| version.parse().ok()) {
        None | Some(0) => return Err(Flaw::Foreign),
        Some(version @ 1..=VERSION) => version,
        Some(found) => return Err(Flaw::Newer { found, known: VERSION }),
    };
    let mut field = |name: &str| {
        let line = lines.next()?;
        let value = line.and_then(|line| line.strip_prefix(name)?.strip_prefix('\t'));
        let value = value.map(ToOwned::to_owned);
        value.ok_or_else(|| {
            let fault = Fault::Form(format!("the field {name:?} is missing"));
            Flaw::Line { line: lines.number(), fault }
        })
    };
    let (program, game, options) = (field("program")?, field("game")?, field("options")?);
    let (start, metric, root) = (field("start")?, field("metric")?, field("root")?);
    let metric = match metric.as_str() {
        "" => None,
        text => Some(text.parse().map_err(|error: ParseError| Flaw::Line {
            line: lines.number() - 1,
            fault: Fault::Form(error.to_string()),
        })?),
    };
    Ok((version, Header { program, game, options, start, metric, root }))
}

/// A position from its text, which must be as the game writes it: with this side to move, or with
/// any.
fn read_position<G: Numbering>(
    game: &G,
    text: &str,
    mover: Option<Side>,
) -> Result<Situation<G::Position>, Fault> {
    let wrong = |reason| Fault::Position { text: text.to_owned(), reason };
    let read = game.parse(text).map_err(|error| wrong(format!(": {error}")))?;
    let situation = Situation::new(read.position, mover.unwrap_or(read.mover));
    match game.format(&situation) {
        written if written == text => Ok(situation),
        written => Err(wrong(format!(": that would be {written:?}"))),
    }
}

/// A position as its mover sees it, and whether the proving side is the mover.
type Key<P> = (P, bool);

struct Checker<'a, G: Numbering, T> {
    game: &'a G,
    tables: &'a T,
    root: Situation<G::Position>,
    /// Whether positions that share a number count as one.
    images: bool,
    /// The claim whose lines are being read.
    goal: Option<Goal>,
    /// What the lines so far show: for each position the largest need.
    shown: HashMap<Key<G::Position>, Score>,
    /// What lines to come have to show.
    awaited: HashMap<Key<G::Position>, Score>,
    /// The slices whose databases may be used.
    named: HashSet<SliceId>,
    moves: Vec<G::Move>,
    checked: Checked,
}

impl<'a, G: Numbering, T: Tables> Checker<'a, G, T> {
    fn new(game: &'a G, tables: &'a T, root: Situation<G::Position>, images: bool) -> Self {
        Checker {
            game,
            tables,
            root,
            images,
            goal: None,
            shown: HashMap::new(),
            awaited: HashMap::new(),
            named: HashSet::new(),
            moves: Vec::new(),
            checked: Checked::default(),
        }
    }

    fn run<R: BufRead>(
        mut self,
        lines: &mut Lines<R>,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> Result<Checked, Flaw> {
        loop {
            if lines.number().is_multiple_of(PAUSE) && !go_on(lines.bytes()) {
                return Err(Flaw::Stopped);
            }
            let Some(line) = lines.next()? else { break };
            let fields: Vec<&str> = line.split('\t').collect();
            if let ["claim", bound, score] = fields[..] {
                self.conclude()?;
                let goal = read_goal(bound, score);
                let line = lines.number();
                self.goal = Some(goal.map_err(|fault| Flaw::Line { line, fault })?);
                continue;
            }
            let result = match fields[..] {
                ["table", slice, digest] => self.table(slice, digest),
                ["play", need, position, mv] => self.node(need, position, Some(mv)),
                ["any", need, position] => self.node(need, position, None),
                _ => Err(Fault::Form("it is no line of a proof".to_owned())),
            };
            result.map_err(|fault| Flaw::Line { line: lines.number(), fault })?;
        }
        if self.goal.is_none() {
            return Err(Flaw::Empty);
        }
        self.conclude()?;
        Ok(self.checked)
    }

    /// Ends the lines of a claim: they must show all they rest on, and the claim itself.
    fn conclude(&mut self) -> Result<(), Flaw> {
        let Some(goal) = self.goal.take() else { return Ok(()) };
        for ((position, proving), need) in mem::take(&mut self.awaited) {
            if self.shown.get(&(position, proving)).is_none_or(|&shown| shown < need) {
                let position = self.text(&position, self.mover(goal, proving));
                let fault = Fault::Missing { position, need, above: "" };
                return Err(Flaw::Unproven { goal, fault });
            }
        }
        let (need, proving) = match goal {
            Goal::AtLeast(score) => (score, true),
            Goal::AtMost(score) => (-score, false),
        };
        let position = self.root.position;
        self.holds(goal, &position, need, proving, true)
            .map_err(|fault| Flaw::Unproven { goal, fault })?;
        self.shown.clear();
        self.checked.goals.push(goal);
        Ok(())
    }

    /// A database that may be used from here on.
    fn table(&mut self, name: &str, digest: &str) -> Result<(), Fault> {
        let slice = self.game.slice_named(name).filter(|&slice| self.game.has_database(slice));
        let slice = slice.ok_or_else(|| {
            Fault::Form(format!("the game has no slice {name:?} with a database"))
        })?;
        let found = self.tables.digest(slice).map_err(Fault::Tables)?;
        if found != digest {
            let (slice, expected) = (name.to_owned(), digest.to_owned());
            return Err(Fault::Digest { slice, found, expected });
        }
        if self.named.insert(slice) {
            self.checked.tables.push((name.to_owned(), found));
        }
        Ok(())
    }

    /// A position with the move that the proving side plays there, or with all moves of the other.
    fn node(&mut self, need: &str, text: &str, mv: Option<&str>) -> Result<(), Fault> {
        let Some(goal) = self.goal else {
            return Err(Fault::Form("it stands before any claim".to_owned()));
        };
        let (need, proving) = (read_score(need)?, mv.is_some());
        let situation = read_position(self.game, text, Some(self.mover(goal, proving)))?;
        let position = situation.position;
        if self.game.outcome(&position).is_some() {
            return Err(Fault::Over { position: text.to_owned() });
        }
        let mut moves = mem::take(&mut self.moves);
        moves.clear();
        self.game.moves(&position, &mut moves);
        if let Some(name) = mv {
            let is_named = |mv: &G::Move| {
                let step = self.game.play(&position, mv);
                self.game.format_move(&situation, mv, &step) == name
            };
            moves.retain(is_named);
            if moves.len() != 1 {
                let (position, name) = (text.to_owned(), name.to_owned());
                return Err(Fault::Move { position, name });
            }
        }
        let slice = self.game.slice_of(&position);
        for mv in &moves {
            let step = self.game.play(&position, mv);
            let next_slice = self.game.slice_of(&step.next);
            let stays = next_slice == slice;
            // Without this, what repeats could do so with another need.
            if next_slice > slice || stays && (step.gain != 0 || step.turn == Turn::Stays) {
                return Err(Fault::Lawless { position: text.to_owned() });
            }
            let (left, next_proving) = match (proving, step.turn) {
                (true, Turn::Passes) => (need - step.gain, false),
                (true, Turn::Stays) => (need - step.gain, true),
                (false, Turn::Passes) => (need + step.gain, true),
                (false, Turn::Stays) => (need + step.gain, false),
            };
            self.holds(goal, &step.next, left, next_proving, need > 0)?;
        }
        self.moves = moves;
        let key = self.key(&position, proving);
        let shown = self.shown.entry(key).or_insert(need);
        *shown = need.max(*shown);
        self.checked.nodes += 1;
        Ok(())
    }

    /// Whether a need is met at a position: by the end of the game, by what can be lost at most, by
    /// a line above, by a database, or else, unless the lines `above` have to show it, by a line to
    /// come.
    fn holds(
        &mut self,
        goal: Goal,
        position: &G::Position,
        need: Score,
        proving: bool,
        above: bool,
    ) -> Result<(), Fault> {
        let too_little = |checker: &Self, score, by| {
            let position = checker.text(position, checker.mover(goal, proving));
            Err(Fault::Wrong { position, need, score, by })
        };
        if let Some(score) = self.game.outcome(position) {
            let score = if proving { score } else { -score };
            self.checked.ends += 1;
            return if score >= need { Ok(()) } else { too_little(self, score, "ends with") };
        }
        let slice = self.game.slice_of(position);
        if need <= -self.game.max_score(slice) {
            self.checked.bounds += 1;
            return Ok(());
        }
        let key = self.key(position, proving);
        if self.shown.get(&key).is_some_and(|&shown| shown >= need) {
            return Ok(());
        }
        if self.named.contains(&slice) && self.game.is_indexed(position) {
            let index = self.game.rank(position);
            let score = self.tables.score(slice, index).map_err(Fault::Tables)?;
            let score = if proving { score } else { -score };
            self.checked.probes += 1;
            let by = "has by its database";
            return if score >= need { Ok(()) } else { too_little(self, score, by) };
        }
        if above {
            let position = self.text(position, self.mover(goal, proving));
            return Err(Fault::Missing { position, need, above: " above" });
        }
        let awaited = self.awaited.entry(key).or_insert(need);
        *awaited = need.max(*awaited);
        Ok(())
    }

    /// Under what a position is shown.
    fn key(&self, position: &G::Position, proving: bool) -> Key<G::Position> {
        (if self.images { self.game.canonical(position) } else { *position }, proving)
    }

    /// The side to move where the proving side is, or is not.
    fn mover(&self, goal: Goal, proving: bool) -> Side {
        let own = matches!(goal, Goal::AtLeast(_)) == proving;
        if own { self.root.mover } else { self.root.mover.other() }
    }

    fn text(&self, position: &G::Position, mover: Side) -> String {
        self.game.format(&Situation::new(*position, mover))
    }
}

fn read_goal(bound: &str, score: &str) -> Result<Goal, Fault> {
    let score = read_score(score)?;
    match bound {
        "at-least" => Ok(Goal::AtLeast(score)),
        "at-most" => Ok(Goal::AtMost(score)),
        _ => Err(Fault::Form(format!("a claim is at-least or at-most, not {bound:?}"))),
    }
}

/// A number as a file has it: no sign `+`, no zeros in front.
fn read_score(text: &str) -> Result<Score, Fault> {
    let score = text.parse().ok().filter(|score: &Score| score.to_string() == text);
    score
        .filter(|score| (-LARGEST..=LARGEST).contains(score))
        .ok_or_else(|| Fault::Form(format!("{text:?} is not a score")))
}
