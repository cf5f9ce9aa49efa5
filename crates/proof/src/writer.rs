//! Writes a strategy as a proof file.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::io::{self, Write};

use nutcracker_game::{Numbering, Score, Side, Situation, SliceId};
use thiserror::Error;

use crate::goal::{Claim, Goal};
use crate::header::{Header, IMAGES, MAGIC};
use crate::lines::END;
use crate::strategy::{Reply, Strategy};
use crate::tables::{Tables, TablesError};

/// Why a strategy could not be written; `E` is the strategy's own error.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError<E> {
    /// The file cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The strategy has no reply.
    #[error("the strategy has no reply")]
    Strategy(E),
    /// A database cannot be read.
    #[error("{0}")]
    Tables(TablesError),
    /// The strategy leads to a position that is worth less than is needed there.
    #[error("{need} is needed at {position}, which is worth less")]
    TooLittle {
        /// The position.
        position: String,
        /// What the proving side needs there.
        need: Score,
    },
    /// Play may come back to a position where more than 0 is needed.
    #[error("play may come back to {position}, where {need} is needed")]
    Repeats {
        /// The position.
        position: String,
        /// What the proving side needs there.
        need: Score,
    },
    /// A reply is none: a move that does not exist, or one of the wrong side.
    #[error("the reply at {position} is none")]
    NoReply {
        /// The position.
        position: String,
    },
    /// A position or a move has no name that a line of text can hold and that means only it.
    #[error("{name:?} cannot be written")]
    Name {
        /// The name.
        name: String,
    },
}

/// Writes a proof file: the header, the strategies for one or two claims, the checksum.
///
/// ```
/// use nutcracker_game::{Rules, toy::Heap};
/// use nutcracker_proof::{Claim, Goal, NoTables, ProofReader, ProofWriter, Reply, Strategy};
///
/// /// Leaves a multiple of four.
/// struct Fours;
/// impl Strategy<u32> for Fours {
///     type Error = ();
///     fn enter(&mut self, claim: &Claim<u32>) -> Result<Reply, ()> {
///         match (claim.proving, claim.position % 4) {
///             (false, _) => Ok(Reply::Any),
///             (true, 0) => Err(()),
///             (true, rest) => Ok(Reply::Play(rest as usize - 1)),
///         }
///     }
/// }
///
/// let start = Heap.parse("10")?;
/// let mut writer = ProofWriter::new(&Heap, &NoTables, &start, "example 1.0", Vec::new())?;
/// writer.claim(Goal::AtLeast(1), &mut Fours).expect("ten is no multiple of four");
/// let file = writer.finish()?;
///
/// let reader = ProofReader::new(&file[..])?;
/// assert_eq!(reader.header().root, "10");
/// let checked = reader.check(&Heap, &NoTables, |_| true)?;
/// assert_eq!(checked.goals, [Goal::AtLeast(1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ProofWriter<'a, G: Numbering, T, W> {
    game: &'a G,
    tables: &'a T,
    root: Situation<G::Position>,
    out: W,
    hasher: blake3::Hasher,
    /// The slices whose databases have a line.
    named: HashSet<SliceId>,
}

/// How much was written for a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// Positions with a line.
    pub nodes: u64,
    /// Positions that follow and are left to databases.
    pub probes: u64,
}

/// A position on the way down, with what must hold after it.
struct Frame<P> {
    claim: Claim<P>,
    line: String,
    next: Vec<Claim<P>>,
}

impl<'a, G: Numbering, T: Tables, W: Write> ProofWriter<'a, G, T, W> {
    /// Begins a file about a position.
    pub fn new(
        game: &'a G,
        tables: &'a T,
        root: &Situation<G::Position>,
        program: &str,
        out: W,
    ) -> io::Result<Self> {
        let (hasher, named) = (blake3::Hasher::new(), HashSet::new());
        let mut writer = ProofWriter { game, tables, root: *root, out, hasher, named };
        let version = if game.properties().symmetric { IMAGES } else { 1 };
        writer.line(&format!("{MAGIC}\t{version}"))?;
        for (name, value) in Header::new(game, root, tables.metric(), program).fields() {
            writer.line(&format!("{name}\t{value}"))?;
        }
        Ok(writer)
    }

    /// Writes a claim with the strategy that proves it. After an error the file is useless.
    pub fn claim<S: Strategy<G::Position>>(
        &mut self,
        goal: Goal,
        strategy: &mut S,
    ) -> Result<Written, WriteError<S::Error>> {
        let (name, score) = match goal {
            Goal::AtLeast(score) => ("at-least", score),
            Goal::AtMost(score) => ("at-most", score),
        };
        self.line(&format!("claim\t{name}\t{score}"))?;
        let root = goal.claim(self.root.position);
        let prover = if root.proving { self.root.mover } else { self.root.mover.other() };
        let (open, done) = (HashMap::new(), HashMap::new());
        let mut walk = Walk { writer: self, prover, open, done, written: Written::default() };
        walk.run(root, strategy)?;
        Ok(walk.written)
    }

    /// Ends the file with its checksum.
    pub fn finish(mut self) -> io::Result<W> {
        let digest = self.hasher.finalize().to_hex();
        writeln!(self.out, "{END}\t{digest}")?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        for bytes in [line.as_bytes(), b"\n"] {
            self.hasher.update(bytes);
            self.out.write_all(bytes)?;
        }
        Ok(())
    }
}

/// The way through a strategy: a position is written after all that follows it, except where play
/// comes back to one that is still open.
struct Walk<'w, 'a, G: Numbering, T, W> {
    writer: &'w mut ProofWriter<'a, G, T, W>,
    prover: Side,
    /// The positions on the way to the current one, with one of the sides proving: the need there.
    open: HashMap<(G::Position, bool), Score>,
    /// The positions with a line, images of one another once: the largest need.
    done: HashMap<(G::Position, bool), Score>,
    written: Written,
}

impl<G: Numbering, T: Tables, W: Write> Walk<'_, '_, G, T, W> {
    fn run<S: Strategy<G::Position>>(
        &mut self,
        root: Claim<G::Position>,
        strategy: &mut S,
    ) -> Result<(), WriteError<S::Error>> {
        let mut frames: Vec<Frame<G::Position>> = Vec::new();
        frames.extend(self.visit(&root, strategy)?);
        while let Some(frame) = frames.last_mut() {
            if let Some(claim) = frame.next.pop() {
                frames.extend(self.visit(&claim, strategy)?);
                continue;
            }
            self.writer.line(&frame.line)?;
            self.written.nodes += 1;
            let Claim { position, need, proving } = frame.claim;
            self.open.remove(&(position, proving));
            let canonical = self.writer.game.canonical(&position);
            let done = self.done.entry((canonical, proving)).or_insert(need);
            *done = need.max(*done);
            strategy.leave();
            frames.pop();
        }
        Ok(())
    }

    /// The frame of a claim that needs lines of its own, and has none yet.
    fn visit<S: Strategy<G::Position>>(
        &mut self,
        claim: &Claim<G::Position>,
        strategy: &mut S,
    ) -> Result<Option<Frame<G::Position>>, WriteError<S::Error>> {
        let game = self.writer.game;
        let &Claim { position, need, proving } = claim;
        if let Some(score) = game.outcome(&position) {
            let score = if proving { score } else { -score };
            let too_little = || WriteError::TooLittle { position: self.text(claim), need };
            return if score >= need { Ok(None) } else { Err(too_little()) };
        }
        let slice = game.slice_of(&position);
        if need <= -game.max_score(slice) {
            return Ok(None);
        }
        let done = self.done.get(&(game.canonical(&position), proving));
        if done.is_some_and(|&done| done >= need) {
            return Ok(None);
        }
        if let Some(&open) = self.open.get(&(position, proving)) {
            let repeats = || WriteError::Repeats { position: self.text(claim), need };
            return if open == need && need <= 0 { Ok(None) } else { Err(repeats()) };
        }
        let reply = strategy.enter(claim).map_err(WriteError::Strategy)?;
        if reply == Reply::Database {
            self.written.probes += 1;
            self.name_table(slice)?;
            return Ok(None);
        }
        self.open.insert((position, proving), need);
        self.frame(claim, reply).map(Some)
    }

    /// The line of a claim, and the claims that must hold after it.
    fn frame<E>(
        &self,
        claim: &Claim<G::Position>,
        reply: Reply,
    ) -> Result<Frame<G::Position>, WriteError<E>> {
        let game = self.writer.game;
        let text = self.text(claim);
        let mut moves = Vec::new();
        game.moves(&claim.position, &mut moves);
        let after = |mv: &G::Move| claim.after(&game.play(&claim.position, mv));
        let mut frame = Frame {
            claim: *claim,
            line: format!("any\t{}\t{text}", claim.need),
            // Taken from the end: in the order of the rules.
            next: moves.iter().rev().map(after).collect(),
        };
        match reply {
            Reply::Any if !claim.proving => {}
            Reply::Play(place) if claim.proving && place < moves.len() => {
                let situation = Situation::new(claim.position, self.prover);
                let name = |mv: &G::Move| {
                    game.format_move(&situation, mv, &game.play(&claim.position, mv))
                };
                let names: Vec<String> = moves.iter().map(name).collect();
                let chosen = &names[place];
                if names.iter().filter(|name| *name == chosen).count() != 1 {
                    return Err(WriteError::Name { name: chosen.clone() });
                }
                frame.line = format!("play\t{}\t{text}\t{chosen}", claim.need);
                frame.next = vec![after(&moves[place])];
            }
            _ => return Err(WriteError::NoReply { position: text }),
        }
        let tabs = frame.line.chars().filter(|&c| c == '\t').count();
        if tabs != 2 + usize::from(claim.proving) || frame.line.contains('\n') {
            return Err(WriteError::Name { name: frame.line });
        }
        Ok(frame)
    }

    /// A position in the game's notation.
    fn text(&self, claim: &Claim<G::Position>) -> String {
        let mover = if claim.proving { self.prover } else { self.prover.other() };
        self.writer.game.format(&Situation::new(claim.position, mover))
    }

    /// Writes the line of a slice's database, unless it has one.
    fn name_table<E>(&mut self, slice: SliceId) -> Result<(), WriteError<E>> {
        if self.writer.named.insert(slice) {
            let digest = self.writer.tables.digest(slice).map_err(WriteError::Tables)?;
            let name = self.writer.game.slice_name(slice);
            self.writer.line(&format!("table\t{name}\t{digest}"))?;
        }
        Ok(())
    }
}
