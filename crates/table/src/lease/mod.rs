//! Locks in a directory that several machines share, each held as long as its owner's counter moves.
//!
//! The owner of a lock increments a counter in the lock's file. Another process that wants the lock
//! watches the file, and takes the lock over when the file has not changed for some time by its own
//! clock: clocks are never compared. Nothing but exclusive creation is needed of the file system.
//!
//! Every owner has a *generation*: the file `NAME.lock-G`, which is created exclusively, so that of
//! several processes that want to take over one succeeds. The file with the largest G counts; its
//! owner removes the others. An owner that was stopped for a while finds its file gone, or a larger
//! G, and has lost the lock; it must look ([`Lease::is_held`]) before it publishes anything.
//!
//! Between that look and the publication there is a moment in which it may be stopped again. So
//! whatever a lock protects must also be harmless if done twice: work is done in places of the
//! owner's own, and published by an atomic rename.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use std::time::{Duration, Instant};
//! use nutcracker_table::{Claim, Disk, Leases, Watch};
//!
//! # fn main() -> nutcracker_table::Result<()> {
//! # let temporary = tempfile::tempdir().unwrap();
//! # let dir = temporary.path();
//! let leases = Leases::new(Arc::new(Disk::default()), dir, Duration::from_secs(30))?;
//! let mut watch = Watch::default();
//! let Claim::Won(lease) = leases.claim("slice-5", "", &mut watch, Instant::now())? else {
//!     unreachable!("the directory is new");
//! };
//! assert!(lease.is_held()?);
//! assert!(matches!(leases.claim("slice-5", "", &mut watch, Instant::now())?, Claim::Held(_)));
//! lease.release()?;
//! # Ok(())
//! # }
//! ```

mod owner;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub use owner::Owner;
use owner::{RECORD, random_word};

use crate::error::{Result, TableError};
use crate::file::{RandomFile, Storage};

/// What follows the name of a lock, before its generation.
const SUFFIX: &str = ".lock-";
/// The most time between two beats, and the least.
const SLOWEST: Duration = Duration::from_secs(1);
const FASTEST: Duration = Duration::from_millis(10);
/// Beats that an owner may miss before it is considered dead, whatever others are told.
const MISSED: u32 = 5;

/// The locks of one directory, as one process takes them.
#[derive(Debug)]
pub struct Leases {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    /// Who this process is; each lock adds its own word.
    template: Owner,
    patience: Duration,
    held: Arc<Mutex<Vec<Weak<Inner>>>>,
}

/// A lock that is held until it is released or lost. When it is dropped, it is released.
#[derive(Debug)]
pub struct Lease {
    inner: Arc<Inner>,
    previous: Option<Owner>,
    /// Whether nothing is left to release.
    ended: bool,
}

#[derive(Debug)]
struct Inner {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    name: String,
    generation: u64,
    file: Box<dyn RandomFile>,
    /// What the file says, as written last.
    owner: Mutex<Owner>,
    lost: AtomicBool,
}

/// What became of a claim.
#[derive(Debug)]
pub enum Claim {
    /// The lock is ours.
    Won(Lease),
    /// Another process holds it, as far as is known; its owner, where the file can be read.
    Held(Option<Owner>),
}

/// How a lock's owner does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pulse {
    /// There is no such lock.
    Unknown,
    /// It was released.
    Free(Owner),
    /// Its counter has moved since it was seen first.
    Beating(Option<Owner>),
    /// Its counter has not moved yet, and was not watched long enough to say more.
    Watched(Option<Owner>),
    /// Its counter has not moved for the time after which a lock is taken over.
    Silent(Option<Owner>),
}

/// What one process has seen of the files of locks, and when by its own clock.
#[derive(Debug, Default)]
pub struct Watch {
    seen: HashMap<String, Seen>,
}

#[derive(Debug)]
struct Seen {
    generation: u64,
    bytes: Vec<u8>,
    since: Instant,
    moved: bool,
}

impl Watch {
    /// Notes what a lock's file says; returns since when it has not changed, and whether it ever
    /// has.
    fn note(&mut self, name: &str, generation: u64, bytes: &[u8], now: Instant) -> (Instant, bool) {
        let seen = self.seen.entry(name.to_owned()).or_insert_with(|| Seen {
            generation,
            bytes: bytes.to_owned(),
            since: now,
            moved: false,
        });
        if (seen.generation, &*seen.bytes) != (generation, bytes) {
            bytes.clone_into(&mut seen.bytes);
            (seen.generation, seen.since, seen.moved) = (generation, now, true);
        }
        (seen.since, seen.moved)
    }
}

impl Leases {
    /// Locks in `dir`, which is created if it does not exist. A lock whose counter does not move
    /// for `patience` is taken over.
    pub fn new(
        storage: Arc<dyn Storage>,
        dir: impl Into<PathBuf>,
        patience: Duration,
    ) -> Result<Self> {
        let dir = dir.into();
        storage.create_dir(&dir).map_err(TableError::io("make the directory", &dir))?;
        let every = (patience / 30).clamp(FASTEST, SLOWEST);
        let template =
            Owner::this_process(every).map_err(TableError::io("name a lock in", &dir))?;
        Ok(Leases { storage, dir, template, patience, held: Arc::default() })
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A random word for this process.
    pub fn process(&self) -> &str {
        &self.template.process
    }

    /// The time between two beats of this process.
    pub fn every(&self) -> Duration {
        self.template.every()
    }

    /// The names of the locks whose names begin with `prefix`, sorted.
    pub fn names(&self, prefix: &str) -> Result<Vec<String>> {
        let mut names: Vec<String> = self
            .list()?
            .iter()
            .filter_map(|file| Some(parse(file)?.0.to_owned()))
            .filter(|name| name.starts_with(prefix))
            .collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// How the owner of a lock does.
    pub fn look(&self, name: &str, watch: &mut Watch, now: Instant) -> Result<Pulse> {
        let Some(generation) = self.newest(name)? else { return Ok(Pulse::Unknown) };
        Ok(self.look_at(name, generation, watch, now)?.unwrap_or(Pulse::Watched(None)))
    }

    /// `None` if the file is gone by now.
    fn look_at(
        &self,
        name: &str,
        generation: u64,
        watch: &mut Watch,
        now: Instant,
    ) -> Result<Option<Pulse>> {
        let path = self.path(name, generation);
        let bytes = match read(&*self.storage, &path) {
            Err(error) if is_gone(&error) => return Ok(None),
            bytes => bytes.map_err(TableError::io("read", &path))?,
        };
        let owner = Owner::decode(&bytes);
        let (since, moved) = watch.note(name, generation, &bytes, now);
        // Its owner may beat more slowly than this process does.
        let beat = owner.as_ref().map_or(Duration::ZERO, Owner::every);
        let patience = self.patience.max(beat * MISSED);
        Ok(Some(match owner {
            Some(owner) if owner.free => Pulse::Free(owner),
            owner if now.saturating_duration_since(since) >= patience => Pulse::Silent(owner),
            owner if moved => Pulse::Beating(owner),
            owner => Pulse::Watched(owner),
        }))
    }

    /// Takes a lock that is free, or whose owner is silent. `about` is for those who look at it.
    pub fn claim(&self, name: &str, about: &str, watch: &mut Watch, now: Instant) -> Result<Claim> {
        let newest = self.newest(name)?;
        let previous = match newest {
            None => None,
            Some(generation) => match self.look_at(name, generation, watch, now)? {
                Some(Pulse::Free(owner)) => Some(owner),
                Some(Pulse::Silent(owner)) => owner,
                Some(Pulse::Beating(owner) | Pulse::Watched(owner)) => {
                    return Ok(Claim::Held(owner));
                }
                Some(Pulse::Unknown) | None => return Ok(Claim::Held(None)),
            },
        };
        let generation = newest.unwrap_or(0) + 1;
        let path = self.path(name, generation);
        let mut file = self.storage.create_new(&path);
        if file.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            // Others have removed the directory while this process was stopped.
            let made = self.storage.create_dir(&self.dir);
            made.map_err(TableError::io("make the directory", &self.dir))?;
            file = self.storage.create_new(&path);
        }
        let file = match file {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Ok(Claim::Held(None));
            }
            file => file.map_err(TableError::io("create", &path))?,
        };
        let word = random_word().map_err(TableError::io("name a lock in", &self.dir))?;
        let owner = self.template.with(word, about);
        let begun = file.write_at(&owner.encode(), 0).and_then(|()| file.sync());
        if let Err(error) = begun {
            // The first error is the one to report.
            let _ = self.storage.remove(&path);
            return Err(TableError::io("write", &path)(error));
        }
        // Others may have taken and given back the lock since it was looked at, and removed files:
        // then a larger generation is there.
        if self.newest(name)? != Some(generation) {
            let _ = self.storage.remove(&path);
            return Ok(Claim::Held(None));
        }
        for file in self.list()? {
            if parse(&file).is_some_and(|(found, older)| found == name && older < generation) {
                // What stays does no harm.
                let _ = self.storage.remove(&self.dir.join(file));
            }
        }
        let inner = Arc::new(Inner {
            storage: Arc::clone(&self.storage),
            dir: self.dir.clone(),
            name: name.to_owned(),
            generation,
            file,
            owner: Mutex::new(owner),
            lost: AtomicBool::new(false),
        });
        let mut held = lock(&self.held);
        held.retain(|lease| lease.strong_count() > 0);
        held.push(Arc::downgrade(&inner));
        Ok(Claim::Won(Lease { inner, previous, ended: false }))
    }

    /// Removes a lock whose owner is silent or gone.
    pub fn clear(&self, name: &str) -> Result<()> {
        for file in self.list()? {
            if parse(&file).is_some_and(|(found, _)| found == name) {
                let path = self.dir.join(file);
                match self.storage.remove(&path) {
                    Err(error) if is_gone(&error) => {}
                    done => done.map_err(TableError::io("remove", &path))?,
                }
            }
        }
        Ok(())
    }

    /// Increments the counters of all locks that are held, from a thread of its own, until the
    /// value is dropped.
    pub fn keep_beating(&self) -> Result<Heart> {
        let (held, every) = (Arc::clone(&self.held), self.every());
        let end = Arc::new((Mutex::new(false), Condvar::new()));
        let ending = Arc::clone(&end);
        let beat = move || {
            let (ended, changed) = &*ending;
            let mut over = false;
            while !over {
                let held: Vec<Arc<Inner>> = lock(&held).iter().filter_map(Weak::upgrade).collect();
                for lease in held {
                    // A disk that fails for a moment is tried again; others are patient.
                    let _ = lease.beat();
                }
                let waited = changed.wait_timeout_while(lock(ended), every, |over| !*over);
                over = *waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        let thread = std::thread::Builder::new().name("heart".to_owned()).spawn(beat);
        let thread =
            thread.map_err(TableError::io("start a thread for the locks in", &self.dir))?;
        Ok(Heart { end, thread: Some(thread) })
    }

    fn list(&self) -> Result<Vec<String>> {
        list(&*self.storage, &self.dir)
    }

    fn newest(&self, name: &str) -> Result<Option<u64>> {
        Ok(newest(&self.list()?, name))
    }

    fn path(&self, name: &str, generation: u64) -> PathBuf {
        self.dir.join(format!("{name}{SUFFIX}{generation}"))
    }
}

/// Beats for all locks of a process until it is dropped.
#[derive(Debug)]
pub struct Heart {
    end: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Heart {
    fn drop(&mut self) {
        *lock(&self.end.0) = true;
        self.end.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Lease {
    /// A random word of this lock's own, for names of what only its owner touches.
    pub fn word(&self) -> String {
        lock(&self.inner.owner).word.clone()
    }

    /// Who held the lock before.
    pub fn previous(&self) -> Option<&Owner> {
        self.previous.as_ref()
    }

    /// Whether a beat has found out that the lock is lost. Once true, it stays true.
    pub fn is_lost(&self) -> bool {
        self.inner.lost.load(Relaxed)
    }

    /// Looks whether the lock is still held.
    pub fn is_held(&self) -> Result<bool> {
        self.inner.is_held(&lock(&self.inner.owner))
    }

    /// Increments the counter, unless the lock is lost.
    pub fn beat(&self) -> Result<()> {
        self.inner.beat()
    }

    /// Gives the lock back: the next one that wants it takes it at once. Nothing is done if it is
    /// lost.
    pub fn release(mut self) -> Result<()> {
        self.ended = true;
        self.inner.write(|owner| owner.free = true)
    }

    /// Removes the lock, because nothing needs it any more. Nothing is done if it is lost.
    pub fn remove(mut self) -> Result<()> {
        self.ended = true;
        let owner = lock(&self.inner.owner);
        if !self.inner.is_held(&owner)? {
            return Ok(());
        }
        self.inner.lost.store(true, Relaxed);
        let path = self.inner.path();
        self.inner.storage.remove(&path).map_err(TableError::io("remove", &path))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.ended {
            // Without it, others wait until the counter has not moved for long enough.
            let _ = self.inner.write(|owner| owner.free = true);
        }
    }
}

impl Inner {
    fn path(&self) -> PathBuf {
        self.dir.join(format!("{}{SUFFIX}{}", self.name, self.generation))
    }

    fn is_held(&self, owner: &Owner) -> Result<bool> {
        if self.lost.load(Relaxed) {
            return Ok(false);
        }
        let path = self.path();
        let held = match read(&*self.storage, &path) {
            Err(error) if is_gone(&error) => false,
            bytes => bytes.map_err(TableError::io("read", &path))? == owner.encode(),
        };
        let held =
            held && newest(&list(&*self.storage, &self.dir)?, &self.name) == Some(self.generation);
        if !held {
            self.lost.store(true, Relaxed);
        }
        Ok(held)
    }

    fn beat(&self) -> Result<()> {
        self.write(|owner| owner.beats += 1)
    }

    /// Changes what the file says, unless the lock is lost or given back.
    fn write(&self, change: impl FnOnce(&mut Owner)) -> Result<()> {
        let mut owner = lock(&self.owner);
        if owner.free || !self.is_held(&owner)? {
            return Ok(());
        }
        let mut next = owner.clone();
        change(&mut next);
        let path = self.path();
        let written = self.file.write_at(&next.encode(), 0);
        written.map_err(TableError::io("write", &path))?;
        *owner = next;
        self.file.sync().map_err(TableError::io("sync", &path))
    }
}

/// Name and generation of a lock's file.
fn parse(file: &str) -> Option<(&str, u64)> {
    let (name, generation) = file.rsplit_once(SUFFIX)?;
    Some((name, generation.parse().ok()?))
}

fn newest(files: &[String], name: &str) -> Option<u64> {
    let generation =
        |file: &String| parse(file).filter(|found| found.0 == name).map(|found| found.1);
    files.iter().filter_map(generation).max()
}

fn list(storage: &dyn Storage, dir: &Path) -> Result<Vec<String>> {
    match storage.list(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        names => names.map_err(TableError::io("list", dir)),
    }
}

/// What the file says now; opened anew, because only that asks a file server.
fn read(storage: &dyn Storage, path: &Path) -> io::Result<Vec<u8>> {
    let file = storage.open_random(path)?;
    let len = file.size()?.min(RECORD as u64) as usize;
    let mut bytes = vec![0; len];
    file.read_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// Whether a file was removed, possibly by another machine.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::StaleNetworkFileHandle)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
