//! A player as an engine on a reader and a writer.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use nutcracker_game::Game;

use crate::dialect::NULL_MOVE;
use crate::grammar::{Answer, Command, Info};
use crate::process::read_line;
use crate::wire::{info_of, limits_of};
use crate::{Dialect, Ending, MoveLimits, Pace, Played, Player, Progress, Request};

/// The engine's identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Name and version.
    pub name: String,
    /// Its author.
    pub author: String,
}

/// Executes commands until `quit` or the end of input. Unknown input is ignored; a command that
/// cannot be executed is answered by an `info string`. Without a dialect, ours is spoken until a
/// `position` shows another.
///
/// At the end of input a search with a limit is completed; others are stopped.
///
/// ```
/// use nutcracker_engine::{Blind, Identity, serve};
/// use nutcracker_games::awari::Awari;
///
/// let identity = Identity { name: "Chance".to_owned(), author: "Tester".to_owned() };
/// let mut output = Vec::new();
/// let input = "position 0,0,0,0,0,1/0,0,0,0,1,0 S\nwhat?\ngo depth 1\n";
/// let awari = Awari::new(6).unwrap();
/// serve(awari, Blind::new(1), &identity, None, input.as_bytes(), &mut output)?;
/// assert_eq!(output, b"bestmove F1\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn serve<G: Game>(
    game: G,
    player: impl Player<G>,
    identity: &Identity,
    dialect: Option<Dialect>,
    mut input: impl BufRead,
    output: impl Write + Send,
) -> io::Result<()> {
    let output = Output { writer: Mutex::new(output), error: Mutex::new(None) };
    thread::scope(|scope| {
        let (jobs, work) = channel();
        let (output, options) = (&output, player.options());
        let worker = move || Worker { player, output }.run(&work);
        thread::Builder::new().spawn_scoped(scope, worker)?;
        let played = Played::from_start(game);
        let mut front = Front { played, dialect, jobs, output, current: None };
        while output.is_open() {
            let Some(line) = read_line(&mut input)? else { break };
            match Command::parse(&line) {
                Some(Command::Quit) => {
                    front.stop();
                    break;
                }
                Some(Command::Uci) => {
                    output.send(&Answer::Name(identity.name.clone()));
                    output.send(&Answer::Author(identity.author.clone()));
                    options.iter().cloned().for_each(|option| output.send(&Answer::Option(option)));
                    output.send(&Answer::UciOk);
                }
                Some(command) => front.dispatch(command),
                None => {}
            }
        }
        front.leave();
        Ok::<(), io::Error>(())
    })?;
    match output.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Output by whole lines, from several threads.
struct Output<W> {
    writer: Mutex<W>,
    error: Mutex<Option<io::Error>>,
}

impl<W: Write> Output<W> {
    fn send(&self, answer: &Answer) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written =
            writer.write_all(format!("{answer}\n").as_bytes()).and_then(|()| writer.flush());
        if let Err(error) = written {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn remark(&self, text: impl Into<String>) {
        self.send(&Answer::Info(Info { text: Some(text.into()), ..Info::default() }));
    }

    fn is_open(&self) -> bool {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// A requested search.
struct Thinking {
    pace: Pace,
    limits: MoveLimits,
    dialect: Dialect,
    answered: AtomicBool,
}

enum Job<G: Game> {
    Think(Box<Played<G>>, Vec<G::Move>, Arc<Thinking>),
    NewGame,
    SetOption(String, Option<String>),
    Ready,
}

/// Reads commands and dispatches them.
struct Front<'a, G: Game, W> {
    played: Played<G>,
    /// As it was chosen, or as a position has shown it.
    dialect: Option<Dialect>,
    jobs: Sender<Job<G>>,
    output: &'a Output<W>,
    current: Option<Arc<Thinking>>,
}

impl<G: Game, W: Write> Front<'_, G, W> {
    fn thinking(&self) -> Option<&Thinking> {
        self.current.as_deref().filter(|current| !current.answered.load(Relaxed))
    }

    fn stop(&self) {
        if let Some(current) = self.thinking() {
            current.pace.stop();
        }
    }

    /// The input has ended.
    fn leave(&self) {
        if let Some(current) = self.thinking().filter(|thinking| thinking.limits.is_open()) {
            current.pace.stop();
        }
    }

    fn pass_on(&self, job: Job<G>) {
        // The worker runs until this end of the channel is dropped.
        let _ = self.jobs.send(job);
    }

    fn dispatch(&mut self, command: Command) {
        match command {
            Command::IsReady if self.thinking().is_some() => self.output.send(&Answer::ReadyOk),
            Command::IsReady => self.pass_on(Job::Ready),
            Command::NewGame => self.pass_on(Job::NewGame),
            Command::SetOption { name, value } => self.pass_on(Job::SetOption(name, value)),
            Command::Position { start, moves } => {
                if let Err(why) = self.position(start.as_deref(), &moves) {
                    self.output.remark(format!("the position is unchanged: {why}"));
                }
            }
            Command::Go(go) => {
                if self.thinking().is_some_and(|current| !current.pace.is_over()) {
                    self.output.remark("still searching: send stop first");
                    return;
                }
                let among = self.moves_named(&go.searchmoves);
                let side = self.played.now().mover;
                let limits = limits_of(&go, side);
                let (pace, answered) = (Pace::new(&limits, side), AtomicBool::new(false));
                let dialect = self.dialect.unwrap_or_default();
                let thinking = Arc::new(Thinking { pace, limits, dialect, answered });
                self.current = Some(Arc::clone(&thinking));
                self.pass_on(Job::Think(Box::new(self.played.clone()), among, thinking));
            }
            Command::Stop => self.stop(),
            Command::PonderHit => {
                if let Some(current) = self.thinking() {
                    current.pace.ponder_hit();
                }
            }
            Command::Uci | Command::Quit => {}
        }
    }

    /// The legal moves with these names; the others are complained about.
    fn moves_named(&self, names: &[String]) -> Vec<G::Move> {
        let mut moves = Vec::new();
        for name in names {
            match self.played.find(name) {
                Ok(mv) => moves.push(mv),
                Err(error) => self.output.remark(format!("searchmoves: {error}")),
            }
        }
        moves
    }

    fn position(&mut self, start: Option<&str>, moves: &[String]) -> Result<(), String> {
        let game = self.played.game().clone();
        let shown = || Dialect::of_position(&game, start, moves);
        let dialect = self.dialect.or_else(shown);
        let start = match start {
            Some(text) => game.parse(text).map_err(|error| error.to_string())?,
            None => game.start(),
        };
        let mut played = Played::new(game, start);
        let spoken = dialect.unwrap_or_default();
        for mv in spoken.moves(moves) {
            let mv = played.find_in(&mv, spoken.notation()).map_err(|error| error.to_string())?;
            played.play(mv);
            // Games of chess go on when a position has come again; what was before is forgotten.
            if spoken == Dialect::Uci && played.ending() == Some(Ending::Repeated) {
                played = Played::new(played.game().clone(), *played.now());
            }
        }
        (self.played, self.dialect) = (played, dialect);
        Ok(())
    }
}

/// Runs searches one after the other.
struct Worker<'a, P, W> {
    player: P,
    output: &'a Output<W>,
}

impl<P, W: Write> Worker<'_, P, W> {
    fn run<G: Game>(&mut self, work: &Receiver<Job<G>>)
    where
        P: Player<G>,
    {
        while let Ok(job) = work.recv() {
            match job {
                Job::Ready => self.output.send(&Answer::ReadyOk),
                Job::NewGame => {
                    if let Err(error) = self.player.new_game() {
                        self.output.remark(error.to_string());
                    }
                }
                Job::SetOption(name, value) => {
                    if let Err(why) = self.player.set_option(&name, value.as_deref()) {
                        self.output.remark(why);
                    }
                }
                Job::Think(played, among, thinking) => self.think(&played, &among, &thinking),
            }
        }
    }

    fn think<G: Game>(&mut self, played: &Played<G>, among: &[G::Move], thinking: &Thinking)
    where
        P: Player<G>,
    {
        let Thinking { pace, limits, dialect, answered } = thinking;
        let legal = played.legal();
        let (mut best, mut ponder) = (among.first().or(legal.first()).copied(), None);
        if legal.is_empty() {
            if let Some(ending) = played.ending() {
                self.output.remark(ending.to_string());
            }
        } else {
            let output = self.output;
            let mut on_progress = |progress: &Progress<G::Move>| {
                output.send(&Answer::Info(info_of(played, progress, *dialect)));
            };
            let limits = *limits;
            let request = Request { played, limits, pace, among, on_progress: &mut on_progress };
            match self.player.choose(request) {
                Ok(thought) => {
                    if thought.from_book {
                        self.output.remark("book move");
                    }
                    (best, ponder) = (Some(thought.best), thought.ponder);
                }
                // The interface waits for a move: any is better than none.
                Err(error) => self.output.remark(error.to_string()),
            }
        }
        pace.hold();
        let expected = ponder.and_then(|ponder| {
            let mut next = played.clone();
            next.play(best?);
            next.legal().contains(&ponder).then(|| next.name_in(&ponder, dialect.notation()))
        });
        answered.store(true, Relaxed);
        let none = (*dialect == Dialect::Auale).then(|| NULL_MOVE.to_owned());
        let best = best.map(|best| played.name_in(&best, dialect.notation())).or(none);
        self.output.send(&Answer::BestMove { best, ponder: expected });
    }
}
