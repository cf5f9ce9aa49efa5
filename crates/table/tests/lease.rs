//! Locks of a shared directory: one owner at a time, taken over from the silent, whatever fails.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use nutcracker_table::fault::{Fault, Loss, MemoryStorage};
use nutcracker_table::{Claim, Disk, Lease, Leases, Pulse, Storage, Watch};

const DIR: &str = "shared/fleet";
const PATIENCE: Duration = Duration::from_secs(30);

/// One process with its own view of the locks and its own clock.
struct Process {
    leases: Leases,
    watch: Watch,
    now: Instant,
}

impl Process {
    fn new(storage: &MemoryStorage) -> Self {
        let leases = Leases::new(Arc::new(storage.clone()), DIR, PATIENCE).unwrap();
        Process { leases, watch: Watch::default(), now: Instant::now() }
    }

    fn claim(&mut self) -> Claim {
        self.leases.claim("slice", "5", &mut self.watch, self.now).unwrap()
    }

    fn win(&mut self) -> Lease {
        match self.claim() {
            Claim::Won(lease) => lease,
            Claim::Held(owner) => panic!("{owner:?} holds it"),
        }
    }

    fn is_refused(&mut self) -> bool {
        matches!(self.claim(), Claim::Held(_))
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
    }
}

#[test]
fn a_silent_owner_is_replaced_and_finds_out() {
    let storage = MemoryStorage::new();
    let (mut a, mut b) = (Process::new(&storage), Process::new(&storage));
    let lease = a.win();
    assert!(lease.is_held().unwrap() && lease.previous().is_none());
    let Claim::Held(Some(owner)) = b.claim() else { panic!("it is free") };
    assert_eq!((owner.pid, &*owner.about), (std::process::id(), "5"));
    // As long as it beats, it stays.
    for _ in 0..10 {
        b.wait(PATIENCE * 9 / 10);
        assert!(b.is_refused());
        lease.beat().unwrap();
    }
    assert!(matches!(b.leases.look("slice", &mut b.watch, b.now).unwrap(), Pulse::Beating(_)));
    assert!(b.is_refused());
    b.wait(PATIENCE * 99 / 100);
    assert!(b.is_refused());
    b.wait(PATIENCE / 100);
    let next = b.win();
    assert!(next.is_held().unwrap());
    assert_eq!(next.previous().map(|owner| &*owner.process), Some(a.leases.process()));
    // The old owner wakes up: it changes nothing.
    assert!(!lease.is_lost());
    lease.beat().unwrap();
    assert!(lease.is_lost() && !lease.is_held().unwrap());
    lease.release().unwrap();
    assert!(next.is_held().unwrap() && a.is_refused());
    next.remove().unwrap();
    assert_eq!(storage.list(Path::new(DIR)).unwrap(), [""; 0]);
}

#[test]
fn a_lock_that_is_given_back_is_free_at_once() {
    let storage = MemoryStorage::new();
    let (mut a, mut b) = (Process::new(&storage), Process::new(&storage));
    for round in 0..5 {
        let lease = a.win();
        assert!(b.is_refused());
        let word = lease.word();
        if round % 2 == 0 {
            lease.release().unwrap();
        } else {
            drop(lease);
        }
        let lease = b.win();
        assert_eq!(lease.previous().map(|owner| &*owner.word), Some(&*word));
        drop(lease);
    }
    // One file is left, whose number has grown.
    assert_eq!(storage.list(Path::new(DIR)).unwrap(), ["slice.lock-10"]);
}

#[test]
fn the_first_look_takes_nothing_over_however_old_the_lock_is() {
    let storage = MemoryStorage::new();
    let mut a = Process::new(&storage);
    std::mem::forget(a.win());
    let mut b = Process::new(&storage);
    b.wait(PATIENCE * 1000);
    assert!(b.is_refused());
    b.wait(PATIENCE);
    b.win();
}

#[test]
fn of_many_that_take_over_one_wins() {
    let storage = MemoryStorage::new();
    std::mem::forget(Process::new(&storage).win());
    for _ in 0..20 {
        let mut all: Vec<Process> = (0..8).map(|_| Process::new(&storage)).collect();
        for process in &mut all {
            assert!(process.is_refused());
            process.wait(PATIENCE);
        }
        let wins = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for process in &mut all {
                scope.spawn(|| {
                    if let Claim::Won(lease) = process.claim() {
                        wins.fetch_add(1, Relaxed);
                        assert!(lease.is_held().unwrap());
                        std::mem::forget(lease);
                    }
                });
            }
        });
        assert_eq!(wins.into_inner(), 1);
    }
}

/// A process that looked at the lock long ago, and acts on that now.
#[test]
fn a_generation_that_is_used_up_is_not_taken_again() {
    let storage = MemoryStorage::new();
    let (mut a, mut b) = (Process::new(&storage), Process::new(&storage));
    drop(a.win());
    drop(b.win());
    let lease = a.win();
    // The file of the second generation was removed; whoever creates it again finds a larger one.
    storage.put(&Path::new(DIR).join("slice.lock-2"), b"");
    assert!(lease.is_held().unwrap());
    b.wait(PATIENCE * 2);
    assert!(b.is_refused());
}

#[test]
fn a_file_without_contents_is_taken_over_like_any_other() {
    for contents in [&b""[..], b"half of a rec"] {
        let storage = MemoryStorage::new();
        storage.put(&Path::new(DIR).join("slice.lock-7"), contents);
        let mut a = Process::new(&storage);
        assert!(matches!(a.claim(), Claim::Held(None)));
        a.wait(PATIENCE);
        assert!(a.win().previous().is_none());
        assert_eq!(storage.list(Path::new(DIR)).unwrap(), ["slice.lock-8"]);
    }
}

/// Whatever operation fails, or whenever the process dies: afterwards one process gets the lock,
/// and one only.
#[test]
fn failures_at_every_operation_leave_a_lock_that_can_be_taken() {
    for fault in [Fault::Error, Fault::NoSpace, Fault::Crash] {
        for loss in [Loss::Nothing, Loss::Unsynced, Loss::UnsyncedData, Loss::Power(5)] {
            for taken_over in [false, true] {
                for operation in 0.. {
                    let storage = MemoryStorage::new();
                    let mut a = Process::new(&storage);
                    if taken_over {
                        std::mem::forget(Process::new(&storage).win());
                        assert!(a.is_refused());
                        a.wait(PATIENCE);
                    }
                    storage.fail_at(operation, fault);
                    let claim = a.leases.claim("slice", "", &mut a.watch, a.now);
                    let end = storage.operations();
                    let held = claim.and_then(|claim| match claim {
                        Claim::Won(lease) => {
                            lease.beat()?;
                            let held = lease.is_held();
                            std::mem::forget(lease);
                            held
                        }
                        Claim::Held(_) => Ok(false),
                    });
                    let used = storage.operations();
                    storage.restart(loss);
                    let (mut b, mut c) = (Process::new(&storage), Process::new(&storage));
                    if !matches!(loss, Loss::Unsynced | Loss::Power(_))
                        && held.is_ok_and(|held| held)
                    {
                        assert!(b.is_refused(), "{fault:?} {operation}");
                    }
                    drop(b.claim());
                    b.wait(PATIENCE);
                    c.wait(PATIENCE);
                    let lease = b.win();
                    assert!(c.is_refused() && lease.is_held().unwrap(), "{fault:?} {operation}");
                    if operation > used.max(end) {
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn hearts_beat_on_a_disk() {
    let dir = tempfile::tempdir().unwrap();
    let disk: Arc<dyn Storage> = Arc::new(Disk::default());
    let patience = Duration::from_millis(300);
    let open = || Leases::new(Arc::clone(&disk), dir.path().join("new/fleet"), patience).unwrap();
    let (a, b) = (open(), open());
    let mut watch = Watch::default();
    let Claim::Won(lease) = a.claim("x", "", &mut watch, Instant::now()).unwrap() else {
        panic!("it is held");
    };
    let heart = a.keep_beating().unwrap();
    while !matches!(b.look("x", &mut watch, Instant::now()).unwrap(), Pulse::Beating(_)) {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Without beats it is taken over, by the real clock.
    drop(heart);
    let next = loop {
        match b.claim("x", "", &mut watch, Instant::now()).unwrap() {
            Claim::Won(lease) => break lease,
            Claim::Held(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    assert!(!lease.is_held().unwrap() && next.is_held().unwrap());
    assert_eq!(b.names("").unwrap(), ["x"]);
    b.clear("x").unwrap();
    assert!(!next.is_held().unwrap() && b.names("").unwrap().is_empty());
    // A process that was away meanwhile finds no directory, and makes it again.
    std::fs::remove_dir(b.dir()).unwrap();
    assert!(matches!(a.claim("x", "", &mut watch, Instant::now()).unwrap(), Claim::Won(_)));
}
