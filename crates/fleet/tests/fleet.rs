//! Desk and keeper together, over a real book: what is lost, counted twice, or believed wrongly.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nutcracker_book::expert::{Expert, StaticExpert};
use nutcracker_book::grow::Plan;
use nutcracker_book::store::{self, Access, AnyStore};
use nutcracker_book::{Book, DEFAULT_ROOM, Strategy};
use nutcracker_fleet::dispatcher::{Desk, Keeper, Refusal, Settings};
use nutcracker_fleet::protocol::{
    Acquire, Assignment, Hello, JobResult, Jobs, Outcome, PositionValue, Status, Submit, VERSION,
    Work,
};
use nutcracker_fleet::table::FileTable;
use nutcracker_fleet::trust::{Authority, Replay};
use nutcracker_game::{Evaluate, Rules, Score};
use nutcracker_games::kalah::Kalah;
use nutcracker_search::Worth;
use tempfile::TempDir;

type Position = <Kalah as Rules>::Position;
type StoredBook = Mutex<Book<Kalah, AnyStore>>;

fn kalah() -> Kalah {
    Kalah::new(3, 2, false).unwrap()
}

/// What the server of a test knows: some scores, and the evaluation of the game.
#[derive(Clone, Default)]
struct Knows(HashMap<String, Score>);

impl Authority<Kalah> for Knows {
    fn known(&mut self, position: &Position) -> Result<Option<Score>, String> {
        Ok(self.0.get(&key(position)).copied())
    }

    fn replay(&mut self, _: &Position, proof: &str) -> Replay {
        // In place of a proof file: a number is proven to be the least.
        match proof.parse() {
            Ok(least) => Replay::Bounds((Some(least), None)),
            Err(_) if proof == "other databases" => Replay::OtherDatabases,
            Err(_) => Replay::Broken,
        }
    }

    fn evaluate(&mut self, position: &Position) -> Result<Worth, String> {
        StaticExpert(kalah()).evaluate(position).map_err(|error| error.to_string())
    }

    fn guess(&mut self, position: &Position) -> i32 {
        kalah().evaluate(position, kalah().fitted())
    }
}

fn key(position: &Position) -> String {
    kalah().format(&nutcracker_game::Situation::new(*position, nutcracker_game::Side::First))
}

/// The files of a server.
struct Ground {
    dir: TempDir,
    settings: Settings,
    plan: Plan<'static>,
    knows: Knows,
}

/// A server that runs.
struct Serving {
    desk: Arc<Desk>,
    book: &'static StoredBook,
    keeper: Keeper<'static, Kalah, AnyStore, StoredBook, Knows>,
}

impl Ground {
    fn new() -> Self {
        let memory = std::path::Path::new("/dev/shm");
        let dir = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        let ground = Ground {
            dir: dir.unwrap(),
            settings: Settings { audit: 0.0, ..Settings::default() },
            plan: Plan::new(Strategy::Proof),
            knows: Knows::default(),
        };
        let store = store::create(&ground.file().into(), 1 << 20).unwrap();
        let start = kalah().start().position;
        Book::create(kalah(), store, &start, &mut StaticExpert(kalah())).unwrap();
        ground
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("kalah.book")
    }

    fn start(&self) -> Serving {
        let store = store::open(&self.file().into(), Access::Write, 1 << 20).unwrap();
        let book = Book::open(kalah(), store, DEFAULT_ROOM).unwrap();
        // Until the end of the test, or until it is taken back.
        let book: &'static StoredBook = Box::leak(Box::new(Mutex::new(book)));
        let table = FileTable::open(FileTable::beside(&self.file())).unwrap();
        let desk = Desk::new(Box::new(table), self.settings.clone(), "kalah".into(), String::new());
        let desk = Arc::new(desk.unwrap());
        let keeper =
            Keeper::new(Arc::clone(&desk), book, self.knows.clone(), self.plan.clone()).unwrap();
        Serving { desk, book, keeper }
    }

    /// The book, when no server runs.
    fn book(&self) -> Book<Kalah, AnyStore> {
        let store = store::open(&self.file().into(), Access::Write, 1 << 20).unwrap();
        Book::open(kalah(), store, DEFAULT_ROOM).unwrap()
    }

    /// The book is whole, and every expansion is counted once.
    fn check(&self) -> Book<Kalah, AnyStore> {
        let mut book = self.book();
        assert_eq!(book.check(&mut |_| {}).unwrap().flaws, vec![]);
        assert_eq!(book.facts().expansions, book.facts().interior);
        book
    }
}

impl Serving {
    fn rounds(&mut self, count: usize) {
        for _ in 0..count {
            self.keeper.round().unwrap();
        }
    }

    fn status(&self) -> Status {
        self.desk.status().unwrap()
    }

    fn suspended(&self, account: &str) -> Option<String> {
        let accounts = self.status().accounts;
        accounts.into_iter().find(|one| one.name == account).and_then(|one| one.suspended)
    }

    /// Ends as if the process was killed: nothing more is written.
    fn kill(self) {
        let Serving { desk, book, keeper } = self;
        drop(keeper);
        drop(desk);
        // The file is closed as it is; what was not committed is lost.
        let store: AnyStore = Box::new(store::MemoryStore::new());
        let start = kalah().start().position;
        let other = Book::create(kalah(), store, &start, &mut StaticExpert(kalah())).unwrap();
        drop(std::mem::replace(&mut *book.lock().unwrap(), other));
    }
}

fn hello(name: &str) -> Hello {
    Hello { protocol: VERSION, name: name.to_owned(), ..Hello::default() }
}

fn acquire(desk: &Desk, account: &str, positions: usize) -> Work {
    desk.acquire(account, &Acquire { worker: hello("1"), positions }).unwrap()
}

fn submit(desk: &Desk, account: &str, results: Vec<JobResult>) -> Result<Work, Refusal> {
    desk.submit(account, Submit { worker: hello("1"), results, positions: 0 })
}

/// What an honest worker says: the evaluation.
fn honest(text: &str) -> PositionValue {
    let position = kalah().parse(text).unwrap().position;
    let guess = kalah().evaluate(&position, kalah().fitted());
    PositionValue {
        position: text.to_owned(),
        guess: Some(f64::from(guess) / 100.0),
        ..PositionValue::default()
    }
}

/// The opposite of what it thinks, as strongly as possible.
fn lying(text: &str) -> PositionValue {
    let guess = honest(text).guess.unwrap_or(0.0);
    PositionValue { guess: Some(if guess > 0.0 { -99.0 } else { 99.0 }), ..honest(text) }
}

fn done(jobs: &[Assignment], says: impl Fn(&str) -> PositionValue) -> Vec<JobResult> {
    let one = |job: &Assignment| JobResult {
        job: job.job,
        values: job.positions.iter().map(|text| says(text)).collect(),
    };
    jobs.iter().map(one).collect()
}

/// One batch of a worker; how many jobs it did.
fn work(serving: &Serving, account: &str, says: impl Fn(&str) -> PositionValue) -> usize {
    let jobs = acquire(&serving.desk, account, 40).jobs;
    if !jobs.is_empty() {
        submit(&serving.desk, account, done(&jobs, says)).unwrap();
    }
    jobs.len()
}

#[test]
fn workers_solve_a_book() {
    let ground = Ground::new();
    let mut serving = ground.start();
    for turn in 0..10_000 {
        serving.rounds(1);
        if serving.status().ended.is_some() {
            break;
        }
        work(&serving, ["ann", "bob", "eve"][turn % 3], honest);
    }
    assert_eq!(serving.status().ended.as_deref(), Some("the book is solved"));
    let idle = acquire(&serving.desk, "ann", 5);
    assert!(idle.jobs.is_empty() && idle.idle.as_deref() == Some("the book is solved"));
    serving.kill();
    let mut book = ground.check();
    // The same as one process finds alone.
    let store = store::MemoryStore::new();
    let mut expert = StaticExpert(kalah());
    let mut alone = Book::create(kalah(), store, &kalah().start().position, &mut expert).unwrap();
    alone.grow(&mut [expert], &Plan::new(Strategy::Proof), &mut |_| {}).unwrap();
    assert_eq!(book.root_value().unwrap().score(), alone.root_value().unwrap().score());
}

/// A lease that expires goes to others; the result of the first worker still counts, once.
#[test]
fn leases_expire_and_late_results_count() {
    let mut ground = Ground::new();
    ground.settings.lease = Duration::from_millis(1);
    let mut serving = ground.start();
    serving.rounds(1);
    let first = acquire(&serving.desk, "ann", 40).jobs;
    std::thread::sleep(Duration::from_millis(20));
    let second = acquire(&serving.desk, "bob", 40).jobs;
    assert_eq!(first, second);
    let outcomes = |work: Work| work.taken.iter().map(|one| one.outcome).collect::<Vec<_>>();
    let late = submit(&serving.desk, "ann", done(&first, honest)).unwrap();
    assert!(outcomes(late).iter().all(|&outcome| outcome == Outcome::Accepted));
    let later = submit(&serving.desk, "bob", done(&second, honest)).unwrap();
    assert!(outcomes(later).iter().all(|&outcome| outcome == Outcome::Late));
    serving.rounds(2);
    // It was compared with the other for free.
    let audited: u64 = serving.status().accounts.iter().map(|one| one.audited).sum();
    assert!(audited > 0);
    // Once it is applied, it counts no more, and it is compared once.
    let expansions = serving.status().book.expansions;
    for account in ["bob", "eve"] {
        let again = submit(&serving.desk, account, done(&second, honest)).unwrap();
        assert!(outcomes(again).iter().all(|&outcome| outcome == Outcome::Unknown));
    }
    serving.rounds(2);
    assert_eq!(serving.status().book.expansions, expansions);
    assert_eq!(serving.status().accounts.iter().map(|one| one.audited).sum::<u64>(), audited);
    serving.kill();
    ground.check();
}

/// While a lease is live nobody else gets the job; a heartbeat keeps it, an abort returns it.
#[test]
fn a_job_has_one_worker() {
    let ground = Ground::new();
    let mut serving = ground.start();
    serving.rounds(1);
    let jobs = acquire(&serving.desk, "ann", 1000).jobs;
    assert!(!jobs.is_empty() && acquire(&serving.desk, "bob", 1000).jobs.is_empty());
    let ids: Vec<u64> = jobs.iter().map(|job| job.job).collect();
    let all = Jobs { worker: hello("1"), jobs: ids.clone() };
    assert!(serving.desk.beat("bob", &all).unwrap().jobs.is_empty());
    assert_eq!(serving.desk.beat("ann", &all).unwrap().jobs, ids);
    assert!(serving.desk.abort("bob", &all).unwrap().jobs.is_empty());
    assert_eq!(serving.desk.abort("ann", &all).unwrap().jobs, ids);
    let other = acquire(&serving.desk, "bob", 1000).jobs;
    assert_eq!(other.iter().map(|job| job.job).collect::<Vec<_>>(), ids);
    // Results of a job that a worker never had are not taken.
    let taken = submit(&serving.desk, "eve", done(&other, honest)).unwrap().taken;
    assert!(taken.iter().all(|one| one.outcome == Outcome::Unknown));
    serving.kill();
}

/// A server that is killed at any moment loses no lease and no result, and counts nothing twice.
#[test]
fn a_server_may_be_killed() {
    let mut ground = Ground::new();
    ground.settings.audit = 0.2;
    let mut kept: Vec<(&str, Vec<Assignment>)> = Vec::new();
    for turn in 0..12 {
        let mut serving = ground.start();
        // Leases survive: results of jobs given out before still count, unless they were applied.
        for (account, jobs) in kept.drain(..) {
            let taken = submit(&serving.desk, account, done(&jobs, honest)).unwrap().taken;
            assert!(taken.iter().all(|one| one.outcome == Outcome::Accepted), "turn {turn}");
        }
        for _ in 0..turn % 4 {
            serving.rounds(1);
            work(&serving, "ann", honest);
            work(&serving, "bob", honest);
        }
        serving.rounds(1);
        kept.push(("ann", acquire(&serving.desk, "ann", 20).jobs));
        kept.push(("bob", acquire(&serving.desk, "bob", 20).jobs));
        if turn % 2 == 1 {
            // Killed when results were taken but not applied.
            let (account, jobs) = kept.remove(0);
            submit(&serving.desk, account, done(&jobs, honest)).unwrap();
        }
        serving.kill();
        ground.check();
    }
    assert!(ground.check().facts().expansions > 20);
}

#[test]
fn nonsense_is_refused_and_the_job_stays() {
    let ground = Ground::new();
    let mut serving = ground.start();
    serving.rounds(1);
    let jobs = acquire(&serving.desk, "ann", 40).jobs;
    let right = done(&jobs, honest);
    let spoilt = |spoil: &dyn Fn(&mut JobResult)| {
        let mut results = right.clone();
        spoil(&mut results[0]);
        submit(&serving.desk, "ann", results)
    };
    let wrong: [&dyn Fn(&mut JobResult); 8] = [
        &|result| drop(result.values.pop()),
        &|result| result.values[0].position.push(' '),
        &|result| result.values[0].position = "x".repeat(100_000),
        &|result| result.values[0].guess = None,
        &|result| result.values[0].guess = Some(f64::NAN),
        &|result| result.values[0].guess = Some(f64::INFINITY),
        &|result| result.values.push(result.values[0].clone()),
        &|result| result.values[0].proof = Some("x".repeat(2 << 20)),
    ];
    for (place, spoil) in wrong.iter().enumerate() {
        match spoilt(*spoil) {
            Err(Refusal::Bad(what)) => assert!(what.len() < 400, "{what}"),
            other => panic!("{place}: {other:?}"),
        }
    }
    let hello = |protocol, name: &str| Acquire {
        worker: Hello { protocol, name: name.to_owned(), ..Hello::default() },
        positions: 1,
    };
    assert!(serving.desk.acquire("ann", &hello(VERSION + 1, "1")).is_err());
    assert!(serving.desk.acquire("ann", &hello(VERSION, "a/b")).is_err());
    assert!(serving.desk.acquire("ann", &hello(VERSION, "")).is_err());
    // Numbers that no game has are clamped, and the jobs are still there.
    let huge = done(&jobs, |text| PositionValue { guess: Some(1e300), ..honest(text) });
    let taken = submit(&serving.desk, "ann", huge).unwrap().taken;
    assert!(taken.iter().all(|one| one.outcome == Outcome::Accepted));
    serving.rounds(1);
    serving.kill();
    let mut book = ground.check();
    let most = 100 * i32::from(kalah().max_score_at_start());
    for id in 0..book.facts().nodes {
        assert!(book.node(id).unwrap().own.heuristic.abs() <= most);
    }
}

/// The largest score of a game, for the test.
trait MaxScore {
    fn max_score_at_start(&self) -> Score;
}

impl MaxScore for Kalah {
    fn max_score_at_start(&self) -> Score {
        use nutcracker_game::Numbering;
        self.max_score(self.slice_of(&self.start().position))
    }
}

/// Bounds without a proof are guesses; proofs that replay are bounds.
#[test]
fn bounds_need_a_proof() {
    let ground = Ground::new();
    let mut serving = ground.start();
    serving.rounds(1);
    let jobs = acquire(&serving.desk, "ann", 40).jobs;
    let claims =
        |text: &str| PositionValue { guess: None, lower: Some(1), upper: Some(1), ..honest(text) };
    let first = jobs[0].positions[0].clone();
    let results = done(&jobs, |text| {
        // A proof that the server cannot replay for want of databases is no lie.
        let proof = if text == first { "1" } else { "other databases" };
        let proof = Some(proof.to_owned());
        PositionValue { proof, upper: (text != first).then_some(1), ..claims(text) }
    });
    submit(&serving.desk, "ann", results).unwrap();
    serving.rounds(1);
    let mut book = serving.book.lock().unwrap();
    for text in &jobs[0].positions {
        let position = kalah().parse(text).unwrap().position;
        let id = book.find(&position).unwrap().unwrap();
        let own = book.node(id).unwrap().own;
        assert_eq!(own.lower == 1, *text == first, "{text}: {own:?}");
        assert!(!own.is_solved());
    }
    drop(book);
    assert_eq!(serving.suspended("ann"), None);
    serving.kill();
    ground.check();
}

/// A bound that the server's databases refute is enough.
#[test]
fn a_refuted_bound_suspends_at_once() {
    let mut ground = Ground::new();
    let start = kalah().start().position;
    let mut steps = Vec::new();
    kalah().steps(&start, &mut steps);
    ground.knows.0 = steps.iter().map(|step| (key(&step.next), 0)).collect();
    let mut serving = ground.start();
    serving.rounds(1);
    let jobs = acquire(&serving.desk, "eve", 40).jobs;
    let claims = |text: &str| PositionValue { lower: Some(3), ..honest(text) };
    submit(&serving.desk, "eve", done(&jobs, claims)).unwrap();
    serving.rounds(2);
    assert!(serving.suspended("eve").unwrap().contains("databases"));
    match serving.desk.acquire("eve", &Acquire { worker: hello("2"), positions: 1 }) {
        Err(Refusal::Suspended(what)) => assert!(what.contains("suspended"), "{what}"),
        other => panic!("{other:?}"),
    }
    // Its job goes to others, and the databases decide.
    assert!(work(&serving, "ann", honest) > 0);
    serving.rounds(1);
    assert_eq!(serving.status().book.expansions, 1);
    serving.kill();
    let mut book = ground.check();
    let id = book.find(&steps[0].next).unwrap().unwrap();
    assert_eq!(book.node(id).unwrap().own.score(), Some(0));
}

/// A worker that lies is found by audits, suspended, and its guesses are replaced.
#[test]
fn a_liar_is_found_and_set_aside() {
    for third in [true, false] {
        let mut ground = Ground::new();
        ground.settings.audit = 1.0;
        ground.plan = Plan::new(Strategy::BestFirst);
        let mut serving = ground.start();
        let mut lied: HashSet<String> = HashSet::new();
        for _ in 0..300 {
            serving.rounds(1);
            if serving.suspended("eve").is_some() {
                break;
            }
            let jobs = acquire(&serving.desk, "eve", 8).jobs;
            for result in done(&jobs, lying) {
                lied.extend(result.values.iter().map(|value| value.position.clone()));
            }
            submit(&serving.desk, "eve", done(&jobs, lying)).unwrap();
            work(&serving, "ann", honest);
            if third {
                work(&serving, "bob", honest);
            } else {
                // Without a third account the server decides.
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        let reason = serving.suspended("eve").expect("the liar is found");
        assert!(reason.contains("audited results were wrong"), "{reason}");
        assert!(serving.suspended("ann").is_none() && serving.suspended("bob").is_none());
        serving.rounds(3);
        // Every guess of the liar is replaced by the evaluation, or by what others said.
        {
            let mut book = serving.book.lock().unwrap();
            for text in &lied {
                let position = kalah().parse(text).unwrap().position;
                let Some(id) = book.find(&position).unwrap() else { continue };
                let own = book.node(id).unwrap().own;
                let liar = (lying(text).guess.unwrap() * 100.0) as i32;
                let said = own.heuristic.signum() == liar.signum() && own.heuristic.abs() > 700;
                assert!(!said || own.is_solved(), "{text}: {own:?}");
            }
        }
        // Others review them, and growth goes on.
        for _ in 0..20 {
            work(&serving, "ann", honest);
            serving.rounds(1);
        }
        // An administrator may readmit it.
        serving.desk.unban("eve").unwrap();
        assert!(serving.suspended("eve").is_none());
        assert!(serving.desk.ban("nobody", "").is_err());
        serving.kill();
        ground.check();
    }
}

/// Jobs of two accounts lead to the same position. The book has the guess of the job that was
/// applied first: if that was the liar's, it is set aside with all others.
#[test]
fn the_guess_in_the_book_has_its_origin() {
    for together in [false, true] {
        let mut ground = Ground::new();
        ground.plan = Plan::new(Strategy::BestFirst);
        let mut serving = ground.start();
        let mut shared = None;
        for _ in 0..300 {
            serving.rounds(1);
            let (mut eve, mut ann) = (Vec::new(), Vec::new());
            loop {
                let jobs = [("eve", &mut eve), ("ann", &mut ann)].map(|(account, jobs)| {
                    let more = acquire(&serving.desk, account, 1).jobs;
                    jobs.extend(more.iter().cloned());
                    more.len()
                });
                if jobs == [0, 0] {
                    break;
                }
            }
            let has = |jobs: &[Assignment], text: &String| {
                jobs.iter().any(|job| job.positions.contains(text))
            };
            let texts = eve.iter().flat_map(|job| &job.positions);
            shared = texts.filter(|text| has(&ann, text)).min().cloned();
            // Until then all are honest.
            let says = if shared.is_some() { lying } else { honest };
            submit(&serving.desk, "eve", done(&eve, says)).unwrap();
            if !together {
                serving.rounds(1);
            }
            submit(&serving.desk, "ann", done(&ann, honest)).unwrap();
            if shared.is_some() {
                break;
            }
        }
        let text = shared.expect("two jobs with the same position");
        serving.rounds(1);
        serving.desk.ban("eve", "").unwrap();
        serving.rounds(2);
        let mut book = serving.book.lock().unwrap();
        let id = book.find(&kalah().parse(&text).unwrap().position).unwrap().unwrap();
        let guess = f64::from(book.node(id).unwrap().own.heuristic) / 100.0;
        assert_eq!(Some(guess), honest(&text).guess, "{text}, together: {together}");
        drop(book);
        serving.kill();
        ground.check();
    }
}

/// Workers that are silent make room for others.
#[test]
fn silent_workers_are_forgotten() {
    let lease = Duration::from_millis(1);
    let settings = Settings { lease, ..Settings::default() };
    let table = Box::new(nutcracker_fleet::table::MemoryTable::new());
    let desk = Desk::new(table, settings, "kalah".into(), String::new()).unwrap();
    let beat = |name: String| {
        desk.beat("ann", &Jobs { worker: hello(&name), jobs: Vec::new() }).map(|_| ())
    };
    for number in 0..20_000 {
        beat(format!("machine-{number}")).unwrap();
    }
    std::thread::sleep(Duration::from_millis(5));
    beat("another".to_owned()).unwrap();
    assert!(desk.status().unwrap().workers.iter().any(|one| one.name.contains("another")));
}

/// What is audited never comes back to the account that said it, whatever its worker's name.
#[test]
fn an_audit_goes_to_another_account() {
    let mut ground = Ground::new();
    ground.settings.audit = 1.0;
    ground.plan = Plan { expansions: Some(6), ..Plan::new(Strategy::BestFirst) };
    let mut serving = ground.start();
    for _ in 0..20 {
        serving.rounds(1);
        work(&serving, "ann", honest);
    }
    serving.rounds(1);
    let status = serving.status();
    // Growth has ended: what is left are audits, and those are not for the same account.
    assert!(status.ended.is_some() && status.ready > 0, "{status:?}");
    let request = Acquire { worker: hello("other-machine"), positions: 2000 };
    assert!(serving.desk.acquire("ann", &request).unwrap().jobs.is_empty());
    let mut audits = 0;
    for _ in 0..20 {
        audits += work(&serving, "bob", honest);
    }
    assert_eq!(audits as u64, status.ready);
    serving.rounds(1);
    let accounts = serving.status().accounts;
    assert!(accounts.iter().all(|one| one.audited as usize == audits && one.off == 0));
    serving.kill();
}

/// A line that is proposed is expanded to its end, before anything else.
#[test]
fn proposals_come_next() {
    let mut ground = Ground::new();
    ground.plan = Plan::new(Strategy::BestFirst);
    let mut serving = ground.start();
    // Always the last move.
    let (mut line, mut position) = (Vec::new(), kalah().start().position);
    for _ in 0..5 {
        line.push(key(&position));
        let mut steps = Vec::new();
        kalah().steps(&position, &mut steps);
        position = steps.last().unwrap().next;
    }
    serving.rounds(1);
    assert_eq!(serving.desk.propose(line.clone()).unwrap().waiting, 1);
    serving.rounds(1);
    serving.kill();
    let mut serving = ground.start();
    assert_eq!(serving.status().proposals, 1, "a proposal outlives the server");
    for _ in 0..12 {
        serving.rounds(1);
        // One job at a time: the most urgent.
        let jobs = acquire(&serving.desk, "ann", 1).jobs;
        submit(&serving.desk, "ann", done(&jobs, honest)).unwrap();
    }
    serving.rounds(1);
    assert_eq!(serving.status().proposals, 0);
    let mut book = serving.book.lock().unwrap();
    for text in &line {
        let id = book.find(&kalah().parse(text).unwrap().position).unwrap().expect("in the book");
        assert!(!book.node(id).unwrap().edges.is_empty(), "{text} is expanded");
    }
    drop(book);
    // The queue is bounded.
    let mut refused = 0;
    for n in 0..1200 {
        refused += u32::from(serving.desk.propose(vec![n.to_string()]).is_err());
    }
    assert!(refused >= 200);
    serving.kill();
}

/// Limits of the plan hold for the fleet.
#[test]
fn growth_ends_as_planned() {
    let mut ground = Ground::new();
    ground.plan = Plan { expansions: Some(7), ..Plan::new(Strategy::BestFirst) };
    let mut serving = ground.start();
    for _ in 0..30 {
        serving.rounds(1);
        work(&serving, "ann", honest);
    }
    let status = serving.status();
    assert_eq!(status.book.expansions, 7);
    assert_eq!(status.ended.as_deref(), Some("the book has grown as far as planned"));
    serving.kill();
    ground.check();
}
