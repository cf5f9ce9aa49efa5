//! The suite that every job table must pass.

use std::collections::HashSet;

use super::{Counts, Finished, JobTable, Kind, NewJob, Request, RowId, State, Submission};

/// A job that wants some positions.
pub fn job(leaf: u64, wanted: &[&str]) -> NewJob {
    NewJob {
        kind: Kind::Grow,
        leaf,
        wanted: wanted.iter().map(|&text| text.to_owned()).collect(),
        priority: 0,
        barred: Vec::new(),
        context: None,
        created: 1,
    }
}

/// A request at a time, with leases of 100.
pub fn request(worker: &str, positions: usize, now: u64) -> Request<'_> {
    let account = worker.split('/').next().unwrap_or(worker);
    Request { worker, account, positions, jobs: 1000, now, until: now + 100 }
}

/// A result of a job.
pub fn submission(id: RowId, worker: &str, results: &str) -> Submission {
    Submission { id, worker: worker.to_owned(), results: results.to_owned() }
}

fn leased(table: &dyn JobTable, request: &Request<'_>) -> Vec<RowId> {
    table.lease(request).unwrap().iter().map(|row| row.id).collect()
}

/// Runs the suite on an empty table.
pub fn run(table: &dyn JobTable) {
    assert_eq!(table.counts().unwrap(), Counts::default());
    leases(table);
    late_results(table);
    priorities(table);
    origins(table);
    concurrent(table);
}

/// Adds, leases, extends, releases, expires.
fn leases(table: &dyn JobTable) {
    let ids = table.add(&[job(7, &["a", "b"]), job(8, &["c"]), job(9, &["d", "é"])]).unwrap();
    assert!(ids.len() == 3 && ids.is_sorted());
    let counts = table.counts().unwrap();
    assert_eq!((counts.ready, counts.ready_positions, counts.next_expiry), (3, 5, None));
    // Jobs are taken while too few positions have been: two jobs are three positions.
    let rows = table.lease(&request("ann/1", 3, 1000)).unwrap();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), ids[..2]);
    assert_eq!(rows[0].job, job(7, &["a", "b"]));
    assert_eq!((rows[0].state, rows[0].worker.as_deref()), (State::Leased, Some("ann/1")));
    assert_eq!((rows[0].until, rows[0].holders.clone()), (1100, vec!["ann/1".to_owned()]));
    assert_eq!(leased(table, &request("bob/1", 9, 1000)), ids[2..]);
    // Nothing is left, and no lease is live for two.
    assert!(leased(table, &request("eve/1", 9, 1099)).is_empty());
    assert_eq!(table.counts().unwrap().next_expiry, Some(1100));
    // A heartbeat extends what the worker has and nothing else.
    assert_eq!(table.extend("ann/1", &ids, 1200).unwrap(), ids[..2]);
    assert_eq!(table.release("ann/1", &ids[1..]).unwrap(), ids[1..2]);
    assert_eq!(table.expire(1099).unwrap(), vec![]);
    assert_eq!(table.expire(1100).unwrap(), vec![(ids[2], "bob/1".to_owned())]);
    let counts = table.counts().unwrap();
    assert_eq!((counts.ready, counts.leased, counts.next_expiry), (2, 1, Some(1200)));
    // An expired lease need not be expired first, and goes back to its worker by a heartbeat.
    assert_eq!(table.extend("ann/1", &ids[..1], 1300).unwrap(), ids[..1]);
    assert_eq!(leased(table, &request("bob/1", 1, 1300)), ids[..1]);
    assert!(table.extend("ann/1", &ids[..1], 1500).unwrap().is_empty());
    let row = &table.rows(&ids[..1]).unwrap()[0];
    assert_eq!(row.holders, ["ann/1", "bob/1"]);
    table.remove(&ids).unwrap();
    assert_eq!(table.counts().unwrap(), Counts::default());
    // The number of jobs is limited, too; without positions there are none.
    let ids = table.add(&[job(1, &["a"]), job(2, &["b"])]).unwrap();
    assert_eq!(leased(table, &Request { jobs: 1, ..request("ann/1", 9, 1) }), ids[..1]);
    assert!(leased(table, &request("ann/1", 0, 1)).is_empty());
    table.remove(&ids).unwrap();
    assert!(table.add(&[]).unwrap().is_empty() && table.all().unwrap().is_empty());
}

/// Results count once, late ones too, and only from workers that had the job.
fn late_results(table: &dyn JobTable) {
    let ids = table.add(&[job(1, &["a"]), job(2, &["b"]), job(3, &["c"])]).unwrap();
    assert_eq!(leased(table, &request("ann/1", 2, 1000)).len(), 2);
    table.expire(2000).unwrap();
    assert_eq!(leased(table, &request("bob/1", 1, 2000)), ids[..1]);
    // Ann's lease has expired, and Bob has one of her jobs: her results count all the same.
    let late = [
        submission(ids[0], "ann/1", "[1]"),
        submission(ids[1], "ann/1", "[2]"),
        submission(ids[2], "ann/1", "[3]"),
        submission(ids[2] + 1000, "ann/1", "[4]"),
    ];
    let outcomes = [Finished::First, Finished::First, Finished::Unknown, Finished::Unknown];
    assert_eq!(table.finish(&late).unwrap(), outcomes);
    let again = [submission(ids[0], "bob/1", "[9]"), submission(ids[1], "ann/1", "[9]")];
    assert_eq!(table.finish(&again).unwrap(), [Finished::Late, Finished::Late]);
    // What is done is not leased, extended, released or expired.
    assert_eq!(leased(table, &request("eve/1", 9, 9000)), ids[2..]);
    assert!(table.extend("ann/1", &ids, 9000).unwrap().is_empty());
    assert!(table.release("bob/1", &ids).unwrap().is_empty());
    let done = table.done(10).unwrap();
    assert_eq!(done.iter().map(|row| row.id).collect::<Vec<_>>(), ids[..2]);
    assert_eq!(done[0].results.as_deref(), Some("[1]"));
    assert_eq!((done[0].worker.as_deref(), done[0].state), (Some("ann/1"), State::Done));
    assert_eq!(table.done(1).unwrap().len(), 1);
    assert_eq!(table.counts().unwrap().done, 2);
    let all = table.all().unwrap();
    assert_eq!(all.iter().map(|row| row.id).collect::<Vec<_>>(), ids);
    table.remove(&ids).unwrap();
    assert_eq!(table.finish(&late[..1]).unwrap(), [Finished::Unknown]);
    // Ids are not used again.
    let next = table.add(&[job(1, &["a"])]).unwrap();
    assert!(next[0] > ids[2]);
    table.remove(&next).unwrap();
}

/// Urgent jobs come first, and none goes to whom it bars.
fn priorities(table: &dyn JobTable) {
    let audit = NewJob {
        kind: Kind::Audit,
        priority: 5,
        barred: vec!["ann".to_owned(), "bob".to_owned()],
        context: Some("{\"said\":1}".to_owned()),
        ..job(4, &["x"])
    };
    let ids = table.add(&[job(5, &["y"]), audit.clone(), job(6, &["z"])]).unwrap();
    assert_eq!(leased(table, &request("ann/1", 1, 1)), ids[..1]);
    let rows = table.lease(&request("eve/1", 1, 1)).unwrap();
    assert_eq!(rows[0].job, audit);
    table.release("eve/1", &ids[1..2]).unwrap();
    // Whoever is barred is passed over, whatever the name of the worker.
    assert_eq!(leased(table, &request("bob/2", 9, 1)), ids[2..]);
    assert_eq!(leased(table, &request("eve/2", 9, 1)), ids[1..2]);
    table.remove(&ids).unwrap();
}

/// Whose guesses stand where, and texts by name.
fn origins(table: &dyn JobTable) {
    let pair = |position: &str, account: &str| (position.to_owned(), account.to_owned());
    table.note(&[pair("p", "ann"), pair("q", "bob"), pair("r", "ann")]).unwrap();
    table.note(&[pair("r", "bob")]).unwrap();
    let asked = ["r", "p", "s"].map(ToOwned::to_owned);
    let (ann, bob) = (Some("ann".to_owned()), Some("bob".to_owned()));
    assert_eq!(table.origins(&asked).unwrap(), [bob, ann, None]);
    let set =
        |account: &str| table.of_worker(account, 9).unwrap().into_iter().collect::<HashSet<_>>();
    assert_eq!(set("bob"), HashSet::from(["q".to_owned(), "r".to_owned()]));
    assert_eq!(table.of_worker("bob", 1).unwrap().len(), 1);
    table.forget(&asked).unwrap();
    assert!(table.of_worker("ann", 9).unwrap().is_empty());
    assert_eq!(set("bob"), HashSet::from(["q".to_owned()]));
    table.forget(&["q".to_owned()]).unwrap();
    table.keep(&[pair("ann", "one"), pair("bob", "two")]).unwrap();
    table.keep(&[pair("ann", "three")]).unwrap();
    let mut kept = table.kept().unwrap();
    kept.sort();
    assert_eq!(kept, [pair("ann", "three"), pair("bob", "two")]);
}

/// Several threads never get the same job.
fn concurrent(table: &dyn JobTable) {
    let jobs: Vec<NewJob> = (0..60).map(|leaf| job(leaf, &["a", "b"])).collect();
    let ids = table.add(&jobs).unwrap();
    let got: Vec<RowId> = std::thread::scope(|scope| {
        let work = |worker: String| {
            move || {
                let mut got = Vec::new();
                loop {
                    let some = leased(table, &request(&worker, 6, 1));
                    if some.is_empty() {
                        return got;
                    }
                    let results: Vec<Submission> =
                        some.iter().map(|&id| submission(id, &worker, "[]")).collect();
                    let taken = table.finish(&results).unwrap();
                    assert!(taken.iter().all(|&finished| finished == Finished::First));
                    got.extend(some);
                }
            }
        };
        let threads: Vec<_> = (0..4).map(|n| scope.spawn(work(format!("w{n}/1")))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut sorted = got.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ids);
    assert_eq!(table.counts().unwrap().done, 60);
    table.remove(&ids).unwrap();
    assert_eq!(table.counts().unwrap(), Counts::default());
}
