//! Any program that speaks the protocol, as a player.

use std::time::{Duration, Instant};

use nutcracker_game::{Game, Side, shortened};

use crate::grammar::{Answer, Command, Go};
use crate::process::{Process, Received};
use crate::wire::{go_of, progress_of};
use crate::{
    AnswerWhen, Dialect, MoveLimits, Pace, Player, PlayerError, PlayerOption, Progress, Request,
    Thought,
};

/// Timeouts of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// For its handshake, and for `readyok`.
    pub start: Duration,
    /// For a move without a clock.
    pub think: Duration,
    /// Beyond its clock, or after `stop`.
    pub margin: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            start: Duration::from_secs(10),
            think: Duration::from_mins(5),
            margin: Duration::from_secs(2),
        }
    }
}

/// Invalid lines in one answer; a program that sends more is killed.
const MAX_INVALID_LINES: u64 = 100_000;
/// An option by which Aalina is recognised.
const AALINA_OPTION: &str = "DrawSearch";
/// How often the stop flag is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A search by a program, as far as it was told.
struct Search<'a> {
    pace: &'a Pace,
    /// It was told to ponder, and not that the expected move was played.
    pondering: bool,
    stopped: bool,
}

/// A program that is asked for moves.
///
/// It is started by [`start`](External::start). If it exits during a move, it is restarted and the
/// move retried once; a second exit is an error, and so are timeouts, floods of invalid lines and
/// illegal moves. After an error it is restarted when it is next needed.
#[derive(Debug)]
pub struct External {
    command: String,
    settings: Vec<(String, String)>,
    timeouts: Timeouts,
    process: Option<Process>,
    name: Option<String>,
    options: Vec<PlayerOption>,
    /// What was chosen; else it is found out from the options.
    dialect: Option<Dialect>,
    restarts: u32,
    /// `ucinewgame` has not been sent yet.
    new_game: bool,
}

impl External {
    /// Starts the program and sets its options.
    pub fn start(
        command: &str,
        settings: &[(String, String)],
        timeouts: Timeouts,
    ) -> Result<Self, PlayerError> {
        let mut external = External {
            command: command.to_owned(),
            settings: settings.to_vec(),
            timeouts,
            process: None,
            name: None,
            options: Vec::new(),
            dialect: None,
            restarts: 0,
            new_game: true,
        };
        external.running()?;
        Ok(external)
    }

    /// The same program, which speaks a dialect.
    #[must_use]
    pub fn speaking(self, dialect: Dialect) -> Self {
        External { dialect: Some(dialect), ..self }
    }

    /// The dialect that was chosen, or that of the program.
    fn dialect(&self) -> Dialect {
        let is_theirs = |option: &PlayerOption| option.name == AALINA_OPTION;
        let shown = self.options.iter().any(is_theirs).then_some(Dialect::Auale);
        self.dialect.or(shown).unwrap_or_default()
    }

    /// Requests a move, once. A program that does not answer is killed, and restarted when it is
    /// next needed.
    pub(crate) fn ask<G: Game>(
        &mut self,
        request: &mut Request<'_, G>,
    ) -> Result<Thought<G::Move>, PlayerError> {
        let answer = self.query_move(request);
        if let Err(
            PlayerError::Crashed { .. } | PlayerError::Silent { .. } | PlayerError::Flood { .. },
        ) = answer
        {
            self.kill();
        }
        answer
    }

    /// Ends the program; it is restarted when it is next needed.
    pub(crate) fn kill(&mut self) {
        self.process = None;
    }

    /// How often it exited and was restarted.
    pub fn restarts(&self) -> u32 {
        self.restarts
    }

    /// The program, started if it is not running.
    fn running(&mut self) -> Result<(), PlayerError> {
        if self.process.is_some() {
            return Ok(());
        }
        let process = Process::start(&self.command)
            .map_err(|source| PlayerError::NotStarted { command: self.command.clone(), source })?;
        self.process = Some(process);
        self.new_game = true;
        let started = self.handshake();
        if started.is_err() {
            self.process = None;
        }
        started
    }

    fn handshake(&mut self) -> Result<(), PlayerError> {
        self.send(&Command::Uci)?;
        self.options.clear();
        let (mut name, mut options) = (None, Vec::new());
        self.wait_for(&Command::Uci, self.timeouts.start, &mut |answer| {
            match answer {
                Answer::Name(text) => name = Some(text),
                Answer::Option(option) => options.push(option),
                Answer::UciOk => return Some(()),
                _ => {}
            }
            None
        })?;
        self.name = name.filter(|name| !name.is_empty());
        self.options = options;
        for (name, value) in self.settings.clone() {
            if !self.options.iter().any(|option| option.name.eq_ignore_ascii_case(&name)) {
                let known: Vec<&str> = self.options.iter().map(|o| o.name.as_str()).collect();
                return Err(PlayerError::Other(format!(
                    "{:?} has no option {name:?}; it has {}",
                    self.command,
                    if known.is_empty() { "none".to_owned() } else { known.join(", ") },
                )));
            }
            self.send(&Command::SetOption { name, value: Some(value) })?;
        }
        self.wait_ready()
    }

    fn wait_ready(&mut self) -> Result<(), PlayerError> {
        self.send(&Command::IsReady)?;
        self.wait_for(&Command::IsReady, self.timeouts.start, &mut |answer| {
            matches!(answer, Answer::ReadyOk).then_some(())
        })
    }

    fn send(&mut self, command: &Command) -> Result<(), PlayerError> {
        let sent = self.process.as_mut().map(|process| process.send(&command.to_string()));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.crashed(command)),
        }
    }

    fn crashed(&mut self, request: &Command) -> PlayerError {
        let how = self.process.as_mut().map_or_else(String::new, Process::how_it_ended);
        PlayerError::Crashed { command: self.command.clone(), request: quoted(request), how }
    }

    /// Reads lines until `take` returns something, or until the timeout.
    fn wait_for<T>(
        &mut self,
        request: &Command,
        timeout: Duration,
        take: &mut dyn FnMut(Answer) -> Option<T>,
    ) -> Result<T, PlayerError> {
        self.receive_until(request, Some(timeout), None, take)
    }

    /// Reads lines until `take` returns something, the time is up, or the search was stopped from
    /// outside and nothing follows.
    fn receive_until<T>(
        &mut self,
        request: &Command,
        timeout: Option<Duration>,
        mut search: Option<Search<'_>>,
        take: &mut dyn FnMut(Answer) -> Option<T>,
    ) -> Result<T, PlayerError> {
        let started = Instant::now();
        let mut until = timeout.and_then(|timeout| started.checked_add(timeout));
        let mut invalid = 0;
        loop {
            if let Some(search) = &mut search {
                if search.pace.is_over() && !search.stopped {
                    search.stopped = true;
                    until = Some(Instant::now() + self.timeouts.margin);
                    self.send(&Command::Stop)?;
                }
                if search.pondering && !search.pace.is_pondering() {
                    search.pondering = false;
                    until = until.or_else(|| Some(Instant::now() + self.timeouts.think));
                    self.send(&Command::PonderHit)?;
                }
            }
            let now = Instant::now();
            if until.is_some_and(|until| now >= until) {
                return Err(PlayerError::Silent {
                    command: self.command.clone(),
                    request: quoted(request),
                    waited: now - started,
                });
            }
            let next_poll =
                until.map_or(now + POLL_INTERVAL, |until| until.min(now + POLL_INTERVAL));
            let received =
                self.process.as_ref().map_or(Received::Ended, |process| process.receive(next_poll));
            match received {
                Received::Nothing => {}
                Received::Ended => return Err(self.crashed(request)),
                Received::Line(line) => match Answer::parse(&line) {
                    Some(answer) => {
                        if let Some(result) = take(answer) {
                            return Ok(result);
                        }
                    }
                    None => invalid += 1,
                },
            }
            if invalid > MAX_INVALID_LINES {
                return Err(PlayerError::Flood {
                    command: self.command.clone(),
                    request: quoted(request),
                    lines: invalid,
                });
            }
        }
    }

    fn query_move<G: Game>(
        &mut self,
        request: &mut Request<'_, G>,
    ) -> Result<Thought<G::Move>, PlayerError> {
        self.running()?;
        let Request { played, limits, pace, among, on_progress } = request;
        if self.new_game {
            self.send(&Command::NewGame)?;
            self.wait_ready()?;
            self.new_game = false;
        }
        let (game, dialect) = (played.game(), self.dialect());
        let (start, moves) = dialect.position(played);
        self.send(&Command::Position { start, moves })?;
        // The expected move may have been played before the program was ready.
        let pondering = pace.is_pondering();
        let answer = match limits.answer {
            AnswerWhen::PonderHit if !pondering => AnswerWhen::Ready,
            answer => answer,
        };
        let limits = MoveLimits { answer, ..*limits };
        let searchmoves = among.iter().map(|mv| played.name_in(mv, dialect.notation())).collect();
        let go = Command::Go(Go { searchmoves, ..go_of(&limits) });
        self.send(&go)?;
        let timeout = self.timeout_for(&limits, played.now().mover);
        let search = Search { pace, pondering, stopped: false };
        let mut score = None;
        let (best, ponder) =
            self.receive_until(&go, timeout, Some(search), &mut |answer| match answer {
                Answer::Info(info) => {
                    let progress = progress_of(played, &info, dialect);
                    if progress.rank.is_none_or(|rank| rank == 1) {
                        score = progress.value.or(score);
                    }
                    // A line with a comment alone reports nothing.
                    if progress != Progress::default() {
                        on_progress(&progress);
                    }
                    None
                }
                Answer::BestMove { best, ponder } => Some((best, ponder)),
                _ => None,
            })?;
        let position = || game.format(played.now());
        let Some(best) = best else {
            // Aalina stops where one side has more than half of the seeds; who wins is decided.
            let decided = i64::from(played.lead()).abs()
                > i64::from(game.max_score(game.slice_of(&played.now().position)));
            let legal = played.legal();
            if let Some(&any) = legal.first().filter(|_| decided && dialect == Dialect::Auale) {
                return Ok(Thought::only(any));
            }
            return Err(PlayerError::NoMove { player: self.title(), position: position() });
        };
        let best = played.find_in(&best, dialect.notation()).map_err(|source| {
            PlayerError::Illegal { player: self.title(), position: position(), source }
        })?;
        // Ignore an illegal ponder move.
        let ponder = ponder.and_then(|ponder| {
            let mut next = played.clone();
            next.play(best);
            next.find_in(&ponder, dialect.notation()).ok()
        });
        Ok(Thought { best, ponder, score, from_book: false })
    }

    /// The time limit of a move; `None` if only a stop ends it.
    fn timeout_for(&self, limits: &MoveLimits, side: Side) -> Option<Duration> {
        if limits.answer != AnswerWhen::Ready {
            return None;
        }
        let clock = limits.available(side);
        Some(clock.map_or(self.timeouts.think, |clock| clock + self.timeouts.margin))
    }

    /// Its name, or its command where it has none.
    pub(crate) fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.command.clone())
    }
}

/// A command as an error quotes it.
fn quoted(command: &Command) -> String {
    shortened(&command.to_string())
}

impl<G: Game> Player<G> for External {
    fn name(&self) -> String {
        self.title()
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.new_game = true;
        Ok(())
    }

    fn options(&self) -> Vec<PlayerOption> {
        self.options.clone()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let command =
            Command::SetOption { name: name.to_owned(), value: value.map(ToOwned::to_owned) };
        self.running().and_then(|()| self.send(&command)).map_err(|error| error.to_string())?;
        if let Some(value) = value {
            self.settings.push((name.to_owned(), value.to_owned()));
        }
        Ok(())
    }

    fn choose(&mut self, mut request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
        match self.ask(&mut request) {
            Err(PlayerError::Crashed { .. }) => {
                self.restarts += 1;
                self.ask(&mut request)
            }
            answer => answer,
        }
    }
}
