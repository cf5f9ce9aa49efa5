//! The machines of a cluster: how they meet, solve slices, and notice that one of them is lost.
//!
//! The first machine leads: it tells the others which slice is next and sends them tables that they
//! lack. Each keeps a control connection to the first. For every slice, all are connected with each
//! other once more, for timely. A machine that is lost, or fails, ends the work of all with a
//! sentence that names it; the finished slices remain.

use std::collections::VecDeque;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nutcracker_game::SliceId;
use nutcracker_retro::{
    Machines, NextSlice, Progress, SharedSlice, SharedWork, SolveError, Stopped,
};
use nutcracker_table::Storage;

use crate::control::{Accepted, Control, Event, SILENCE, connect};
use crate::error::ClusterError;
use crate::flow::Flow;
use crate::link::{Link, Links};
use crate::rounds::Rows;
use crate::status::{Activity, MachineView, Watch};
use crate::tables::{self, Incoming};
use crate::token::{Purpose, Token};
use crate::wire::{Machine, Message, TableFile, Term};

/// Between two looks for a request to stop.
const LOOK: Duration = Duration::from_millis(20);
/// How long others may take to hear of an end.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long a broken connection of the dataflow may be without an explanation.
const VERDICT: Duration = Duration::from_secs(2);

/// What a machine of a cluster needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The secret that all machines share.
    pub token: Token,
    /// The number of threads, on every machine.
    pub threads: usize,
    /// What all machines must agree on beside the number of threads.
    pub terms: Vec<Term>,
    /// Slices with fewer positions are solved by the first machine alone.
    pub smallest: u64,
    /// How long machines wait for each other at the start.
    pub patience: Duration,
    /// Bytes of memory that this process has resident, where that is known.
    pub memory: fn() -> Option<u64>,
}

impl Settings {
    fn all_terms(&self) -> Vec<Term> {
        let mut terms = self.terms.clone();
        terms.push(Term::new("threads", &self.threads));
        terms
    }
}

/// One machine of a cluster, connected with the others.
#[derive(Debug)]
pub struct Cluster {
    settings: Settings,
    /// Which machine this is, from 0 on.
    me: usize,
    machines: Vec<Machine>,
    /// On the first machine, the connections to the others, in order; elsewhere the one to the
    /// first.
    controls: Vec<Arc<Control>>,
    accepted: Arc<Accepted>,
    events: Mutex<Receiver<(usize, Event)>>,
    /// Events that came while others were awaited: a machine that is done first may say what is next.
    early: Mutex<VecDeque<(usize, Event)>>,
    /// Keeps the channel open where there is no other machine.
    _sender: Sender<(usize, Event)>,
    /// Control connections that have ended.
    gone: AtomicUsize,
    /// Slices that all machines have begun.
    attempt: AtomicU64,
    /// What this machine does, and what the others tell of themselves.
    watch: Arc<Watch>,
}

impl Cluster {
    /// The first machine: waits until all others are there. `labels` are the machines as sentences
    /// name them, this one first; `address` is where the others reach it. `look` is called many
    /// times a second; its error ends the waiting.
    pub fn lead(
        listener: TcpListener,
        address: &str,
        labels: &[String],
        settings: Settings,
        look: &mut dyn FnMut() -> Result<(), ClusterError>,
    ) -> Result<Self, ClusterError> {
        let accepted = Accepted::listen(listener, settings.token.clone());
        let (sender, events) = mpsc::channel();
        let watch = Arc::new(Watch::new(0, settings.memory));
        let label = |place: usize| labels.get(place).cloned().unwrap_or_default();
        let mut machines = vec![Machine { label: label(0), address: address.to_owned() }];
        let mut controls: Vec<Arc<Control>> = Vec::new();
        let refuse = |controls: &[Arc<Control>], error: ClusterError| {
            let sentence = error.to_string();
            for control in controls {
                let _ = control.send(&Message::Stop { sentence: sentence.clone() });
                control.close();
            }
            Err(error)
        };
        let deadline = Instant::now() + settings.patience;
        let terms = settings.all_terms();
        for place in 1..labels.len() {
            let stream = loop {
                if let Some(stream) = accepted.take(place, Purpose::Control, LOOK) {
                    break stream;
                }
                let lost = events.try_recv().ok().and_then(|(from, event)| match event {
                    Event::Lost(reason) => Some(lost(&label(from), &reason)),
                    _ => None,
                });
                if let Err(error) = lost.map_or_else(&mut *look, Err) {
                    return refuse(&controls, error);
                }
                if Instant::now() >= deadline {
                    let (machine, patience) = (label(place), settings.patience);
                    let reason = match accepted.refused() {
                        Some(refused) => format!("{refused}, and it did not connect"),
                        None => "it did not connect".to_owned(),
                    };
                    return refuse(&controls, ClusterError::Missing { machine, reason, patience });
                }
            };
            let control = match Control::open(stream, place, sender.clone(), &watch) {
                Ok(control) => control,
                Err(error) => return refuse(&controls, lost(&label(place), &error.to_string())),
            };
            controls.push(control);
            let address = match joined(&events, place, &label, &terms) {
                Ok(address) => address,
                Err(error) => return refuse(&controls, error),
            };
            machines.push(Machine { label: label(place), address });
        }
        for control in &controls {
            // Where it fails, the receiving half reports it.
            let _ = control.send(&Message::Start { machines: machines.clone() });
        }
        Ok(Cluster {
            settings,
            me: 0,
            machines,
            controls,
            accepted,
            events: Mutex::new(events),
            early: Mutex::default(),
            _sender: sender,
            gone: AtomicUsize::new(0),
            attempt: AtomicU64::new(0),
            watch,
        })
    }

    /// Another machine, `me` from 1 on: connects to the first at `first`, which `label` names in
    /// sentences, and waits until all are there. `address` is where the others reach this one.
    pub fn join(
        listener: TcpListener,
        address: &str,
        me: usize,
        (first, label): (&str, &str),
        settings: Settings,
        look: &mut dyn FnMut() -> Result<(), ClusterError>,
    ) -> Result<Self, ClusterError> {
        let accepted = Accepted::listen(listener, settings.token.clone());
        let caller = (&settings.token, me, Purpose::Control);
        let stream = connect((first, label), caller, settings.patience, look)?;
        let lost = |reason: String| lost(label, &reason);
        let (sender, events) = mpsc::channel();
        let watch = Arc::new(Watch::new(me, settings.memory));
        let control = Control::open(stream, 0, sender.clone(), &watch)
            .map_err(|error| lost(error.to_string()))?;
        let hello = Message::Join { address: address.to_owned(), terms: settings.all_terms() };
        control.send(&hello).map_err(|error| lost(error.to_string()))?;
        // The first machine sets the limit; it ends the connection if another one is missing.
        let machines = loop {
            match events.recv_timeout(LOOK) {
                Ok((_, Event::Message(Message::Start { machines }))) => break machines,
                Ok((_, Event::Message(Message::Stop { sentence }))) => {
                    return Err(ClusterError::Told(sentence));
                }
                Ok((_, Event::Lost(reason))) => return Err(lost(reason)),
                Ok(_) => return Err(lost("it sent a message out of turn".to_owned())),
                Err(_) => look()?,
            }
        };
        Ok(Cluster {
            settings,
            me,
            machines,
            controls: vec![control],
            accepted,
            events: Mutex::new(events),
            early: Mutex::default(),
            _sender: sender,
            gone: AtomicUsize::new(0),
            attempt: AtomicU64::new(0),
            watch,
        })
    }

    /// Bytes that this machine has sent to others to solve slices.
    pub fn bytes_sent(&self) -> u64 {
        self.watch.sent.load(Relaxed)
    }

    /// What every machine does at the moment; on the first one.
    pub fn view(&self) -> Vec<MachineView> {
        self.watch.view(self.machines.iter().map(|machine| machine.label.clone()))
    }

    /// The work is over: tells the other machines, with a sentence if it failed here. Without it,
    /// they take this machine for lost.
    pub fn end(&self, failure: Option<&str>) {
        let message = match failure {
            None if self.me == 0 => Message::Done,
            None => return self.controls.iter().for_each(|control| control.close()),
            Some(sentence) if self.me == 0 => {
                // What others are to blame for is told as it is.
                let blamed = self.machines.iter().skip(1).any(|one| sentence.contains(&one.label));
                let own = || format!("{}: {sentence}", self.machines[0].label);
                Message::Stop { sentence: if blamed { sentence.to_owned() } else { own() } }
            }
            Some(sentence) => Message::Failed { sentence: sentence.to_owned() },
        };
        for control in &self.controls {
            let _ = control.send(&message);
            control.close();
        }
        // A connection that is closed too early takes the message with it.
        let (deadline, events) = (Instant::now() + FAREWELL, self.events());
        let mut left = self.controls.len().saturating_sub(self.gone.load(Relaxed));
        while left > 0 {
            let Some(wait) = deadline.checked_duration_since(Instant::now()) else { return };
            match events.recv_timeout(wait) {
                Ok((_, Event::Lost(_))) => left -= 1,
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn events(&self) -> MutexGuard<'_, Receiver<(usize, Event)>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn label(&self, machine: usize) -> &str {
        self.machines.get(machine).map_or("a machine", |machine| &machine.label)
    }

    /// An event that ends the work, as an error; `None` for any other.
    fn fatal(&self, machine: usize, event: &Event) -> Option<SolveError> {
        let label = self.label(machine);
        let sentence = match event {
            Event::Lost(reason) => format!("{label} is lost: {reason}"),
            Event::Message(Message::Failed { sentence }) => format!("{label}: {sentence}"),
            Event::Message(Message::Stop { sentence }) => sentence.clone(),
            _ => return None,
        };
        Some(SolveError::Machine(sentence))
    }

    /// The next event that does not end the work; `None` if there is none at the moment.
    fn event(
        &self,
        wait: Duration,
        progress: &dyn Progress,
    ) -> Result<Option<(usize, Event)>, SolveError> {
        let early = self.early.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if early.is_some() {
            return Ok(early);
        }
        self.new_event(wait, progress)
    }

    /// As [`event`](Self::event), without those that came early.
    fn new_event(
        &self,
        wait: Duration,
        progress: &dyn Progress,
    ) -> Result<Option<(usize, Event)>, SolveError> {
        if progress.must_stop() {
            return Err(Stopped.into());
        }
        match self.events().recv_timeout(wait) {
            Ok((machine, event)) => {
                self.gone.fetch_add(usize::from(matches!(event, Event::Lost(_))), Relaxed);
                self.fatal(machine, &event).map_or(Ok(Some((machine, event))), Err)
            }
            Err(_) => Ok(None),
        }
    }

    /// A message to another machine; its loss is reported by the receiving half.
    fn tell(&self, machine: usize, message: &Message) {
        let control =
            if self.me == 0 { self.controls.get(machine - 1) } else { self.controls.first() };
        if let Some(control) = control {
            let _ = control.send(message);
        }
    }

    /// Tells the others which slice is next, and waits until all have what it needs. The level with
    /// which all go on after an interruption, if all have a checkpoint.
    fn announce(
        &self,
        attempt: u64,
        slice: &SharedSlice<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<u8>, SolveError> {
        let graph = slice.graph;
        let needed = graph.tables()?.into_iter();
        let tables: Vec<TableFile> = needed
            .map(|table| TableFile { name: table.name, bytes: table.bytes, blake3: table.blake3 })
            .collect();
        let (number, top, rows) = (graph.slice().0, graph.codes().max() as u8, slice.rows);
        let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
        let message = Message::Slice { attempt, slice: number, top, rows, tables };
        (1..self.machines.len()).for_each(|machine| self.tell(machine, &message));
        let mut common =
            slice.checkpoints.map_or_else(Vec::new, |checkpoints| checkpoints.levels());
        let mut waiting = self.controls.len();
        while waiting > 0 {
            match self.event(LOOK, progress)? {
                Some((machine, Event::Message(Message::Want { names: wanted }))) => {
                    for name in wanted.iter().filter(|name| names.contains(name)) {
                        let control = &self.controls[machine - 1];
                        tables::send(control, slice.storage, slice.dir, name)?;
                    }
                }
                Some((_, Event::Message(Message::Ready { attempt: ready, levels })))
                    if ready == attempt =>
                {
                    common.retain(|level| levels.contains(level));
                    waiting -= 1;
                }
                _ => {}
            }
        }
        // Levels go down.
        let resume = common.into_iter().min();
        let message = Message::Go { attempt, resume };
        (1..self.machines.len()).for_each(|machine| self.tell(machine, &message));
        Ok(resume)
    }

    /// Tells the first machine that this one has what it needs, and waits for the others. The level
    /// with which all go on after an interruption, if all have a checkpoint.
    fn ready(
        &self,
        attempt: u64,
        slice: &SharedSlice<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<u8>, SolveError> {
        let levels = slice.checkpoints.map_or_else(Vec::new, |checkpoints| checkpoints.levels());
        self.tell(0, &Message::Ready { attempt, levels });
        loop {
            match self.event(LOOK, progress)? {
                Some((_, Event::Message(Message::Go { attempt: go, resume }))) if go == attempt => {
                    return Ok(resume);
                }
                _ => {}
            }
        }
    }

    /// Connections to all other machines for the dataflow of a slice. Of two machines, the one with
    /// the larger number calls.
    fn connections(
        &self,
        attempt: u64,
        links: &Arc<Links>,
        progress: &dyn Progress,
    ) -> Result<Vec<Option<Link>>, SolveError> {
        let purpose = Purpose::Data { attempt };
        let mut sockets = Vec::new();
        for (place, machine) in self.machines.iter().enumerate() {
            if place == self.me {
                sockets.push(None);
                continue;
            }
            let stream = if place < self.me {
                let mut look = || self.look(progress).map_err(told);
                let caller = (&self.settings.token, self.me, purpose);
                let to = (&*machine.address, &*machine.label);
                connect(to, caller, SILENCE, &mut look)?
            } else {
                let deadline = Instant::now() + self.settings.patience;
                loop {
                    if let Some(stream) = self.accepted.take(place, purpose, LOOK) {
                        break stream;
                    }
                    self.look(progress)?;
                    if Instant::now() >= deadline {
                        let (machine, patience) = (machine.label.clone(), self.settings.patience);
                        let reason = "it did not connect".to_owned();
                        return Err(ClusterError::Missing { machine, reason, patience }.into());
                    }
                }
            };
            let lost = |error: std::io::Error| {
                SolveError::Machine(format!("{} is lost: {error}", machine.label))
            };
            // Other machines may compute for long before they send anything.
            stream.set_read_timeout(None).map_err(lost)?;
            stream.set_write_timeout(None).map_err(lost)?;
            sockets.push(Some(Link::new(stream, place, links)));
        }
        Ok(sockets)
    }

    /// An error if a machine is lost or fails, or a stop is requested.
    fn look(&self, progress: &dyn Progress) -> Result<(), SolveError> {
        while let Some(event) = self.new_event(Duration::ZERO, progress)? {
            self.early.lock().unwrap_or_else(PoisonError::into_inner).push_back(event);
        }
        Ok(())
    }
}

fn told(error: SolveError) -> ClusterError {
    match error {
        SolveError::Stopped(stopped) => ClusterError::Stopped(stopped),
        error => ClusterError::Told(error.to_string()),
    }
}

fn lost(label: &str, reason: &str) -> ClusterError {
    ClusterError::Told(format!("{label} is lost: {reason}"))
}

/// What a machine says when it joins: where it is. An error if it has other terms.
fn joined(
    events: &Receiver<(usize, Event)>,
    place: usize,
    label: &dyn Fn(usize) -> String,
    terms: &[Term],
) -> Result<String, ClusterError> {
    let deadline = Instant::now() + SILENCE;
    loop {
        let wait = deadline.saturating_duration_since(Instant::now());
        return match events.recv_timeout(wait) {
            Ok((from, Event::Message(Message::Join { address, terms: theirs })))
                if from == place =>
            {
                match different(terms, &theirs) {
                    None => Ok(address),
                    Some((name, here, there)) => Err(ClusterError::Told(format!(
                        "{} has {name} {there}, and {} has {here}; they must be the same",
                        label(place),
                        label(0)
                    ))),
                }
            }
            Ok((from, Event::Lost(reason))) => Err(lost(&label(from), &reason)),
            // Others that are there already have nothing to say yet.
            Ok(_) => continue,
            Err(_) => Err(lost(&label(place), "it did not say what it is")),
        };
    }
}

/// The first term that differs: its name, what it is here, and there.
fn different(here: &[Term], there: &[Term]) -> Option<(String, String, String)> {
    let value = |terms: &[Term], name: &str| {
        let found = terms.iter().find(|term| term.name == name);
        found.map_or_else(|| "none".to_owned(), |term| term.value.clone())
    };
    let names = here.iter().chain(there).map(|term| &term.name);
    names
        .map(|name| (name.clone(), value(here, name), value(there, name)))
        .find(|(_, here, there)| here != there)
}

impl Machines for Cluster {
    fn count(&self) -> u64 {
        self.machines.len() as u64
    }

    fn smallest(&self) -> u64 {
        self.settings.smallest
    }

    fn me(&self) -> u64 {
        self.me as u64
    }

    fn solve(
        &self,
        slice: &SharedSlice<'_>,
        progress: &dyn Progress,
    ) -> Result<SharedWork, SolveError> {
        let (attempt, resume) = if self.me == 0 {
            let attempt = self.attempt.fetch_add(1, Relaxed) + 1;
            self.watch.does(Activity::Others);
            (attempt, self.announce(attempt, slice, progress)?)
        } else {
            let attempt = self.attempt.load(Relaxed);
            self.watch.does(Activity::Others);
            (attempt, self.ready(attempt, slice, progress)?)
        };
        if let Some(level) = resume {
            progress.note(&format!("going on at level {level}, from a checkpoint"));
        }
        self.watch.begin(attempt);
        let links = Arc::new(Links::new(&self.watch));
        let sockets = self.connections(attempt, &links, progress)?;
        let (links, watch) = (&links, &*self.watch);
        let (process, threads) = (self.me, self.settings.threads);
        let mut broken: Option<Instant> = None;
        let mut look = || {
            self.look(progress)?;
            if let Some((machine, reason)) = links.lost() {
                // Usually the control connection tells more, in a moment.
                let since = *broken.get_or_insert_with(Instant::now);
                if since.elapsed() > VERDICT {
                    let label = self.label(machine);
                    let sentence = format!("the connection to {label} is lost: {reason}");
                    return Err(SolveError::Machine(sentence));
                }
            }
            Ok(())
        };
        let work = if slice.rows {
            Rows { slice, resume, sockets, links, watch, process, threads }.run(progress, &mut look)
        } else {
            Flow { slice, resume, sockets, links, watch, process, threads }.run(progress, &mut look)
        };
        self.watch.does(if self.me == 0 { Activity::Alone } else { Activity::Next });
        work
    }

    fn next(
        &self,
        storage: &Arc<dyn Storage>,
        dir: &Path,
        progress: &dyn Progress,
    ) -> Result<Option<NextSlice>, SolveError> {
        self.watch.does(Activity::Next);
        let mut incoming: Option<Incoming> = None;
        let mut next = None;
        loop {
            let Some((_, event)) = self.event(LOOK, progress)? else { continue };
            match event {
                Event::Message(Message::Done) => return Ok(None),
                Event::Message(Message::Slice { attempt, slice, top, rows, tables }) => {
                    self.attempt.store(attempt, Relaxed);
                    let slice = NextSlice { slice: SliceId(slice), top, rows };
                    let missing = tables::missing(storage, dir, &tables)?;
                    if missing.is_empty() {
                        return Ok(Some(slice));
                    }
                    let names = missing.iter().map(|table| table.name.clone()).collect();
                    self.tell(0, &Message::Want { names });
                    self.watch.does(Activity::Tables);
                    next = Some(slice);
                    incoming = Some(Incoming::new(missing));
                }
                Event::Message(Message::Table { name, bytes }) => {
                    if let Some(incoming) = &mut incoming {
                        incoming.begin(storage, dir, &name, bytes)?;
                    }
                }
                Event::Bytes(bytes) => {
                    if let Some(incoming) = &mut incoming {
                        incoming.add(storage, dir, &bytes)?;
                    }
                }
                _ => {}
            }
            if incoming.as_ref().is_some_and(Incoming::is_complete) {
                return Ok(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_term_that_differs_is_named() {
        let terms = |game, threads| vec![Term::new("game", game), Term::new("threads", &threads)];
        assert_eq!(different(&terms("awari", 2), &terms("awari", 2)), None);
        let found = different(&terms("awari", 2), &terms("awari", 4));
        assert_eq!(found, Some(("threads".to_owned(), "2".to_owned(), "4".to_owned())));
        let found = different(&terms("awari", 2), &terms("awari", 2)[..1]);
        assert_eq!(found, Some(("threads".to_owned(), "2".to_owned(), "none".to_owned())));
    }
}
