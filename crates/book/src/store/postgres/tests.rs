use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_postgres::testing::{Durable, Server};

use super::super::sealed::Sealed;
use super::super::{Batch, Store, suite};
use super::*;

fn place(server: &Server, name: &str) -> InPostgres {
    match Location::from(format!("{}&book={name}", server.url())) {
        Location::Postgres(place) => place,
        Location::File(_) => unreachable!("it is an address"),
    }
}

fn open(place: &InPostgres, access: Access) -> Result<Sealed<PostgresTables>> {
    Sealed::open(PostgresTables::open(place, access)?)
}

fn create(place: &InPostgres) -> Sealed<PostgresTables> {
    Sealed::open(PostgresTables::create(place).unwrap()).unwrap()
}

fn batch(nodes: &[(NodeId, &str)]) -> Batch {
    Batch {
        nodes: nodes.iter().map(|&(id, text)| (id, text.into())).collect(),
        positions: nodes.iter().map(|&(id, _)| (format!("at {id}"), id)).collect(),
        removed: Vec::new(),
        facts: Some(b"format=2\n".to_vec()),
    }
}

/// All nodes, which compares them with the tally.
fn walk(store: &impl Store) -> Result<Vec<(NodeId, Vec<u8>)>> {
    let (mut nodes, mut from) = (Vec::new(), 0);
    while let Some((id, bytes)) = store.next(from)? {
        nodes.push((id, bytes));
        from = id + 1;
    }
    Ok(nodes)
}

/// One server for all of them: starting it takes longest.
#[test]
fn tables_in_postgresql() {
    let Some(server) = Server::start(Durable::No) else { return };
    passes_the_store_suite(&server);
    one_writes_while_others_read(&server);
    a_writer_that_was_replaced_writes_nothing(&server);
    commits_are_made_once(&server);
    a_reader_goes_on_with_the_same_state(&server);
    changed_rows_are_noticed(&server);
}

fn passes_the_store_suite(server: &Server) {
    let place = place(server, "suite");
    assert!(matches!(open(&place, Access::Read), Err(BookError::Missing(_))));
    assert!(!exists(&place).unwrap());
    suite::run(create(&place));
    assert!(exists(&place).unwrap());
    let store = open(&place, Access::Write).unwrap();
    assert_eq!(store.get(8).unwrap().unwrap(), b"eight");
    assert!(matches!(PostgresTables::create(&place), Err(BookError::Locked(_))));
    drop(store);
    assert!(matches!(PostgresTables::create(&place), Err(BookError::Exists(_))));
    // A walk over several pages.
    let mut store = open(&place, Access::Write).unwrap();
    let many: Vec<(NodeId, String)> = (0..2500).map(|id| (2 * id, format!("node {id}"))).collect();
    let many: Vec<(NodeId, &str)> = many.iter().map(|(id, text)| (*id, &**text)).collect();
    store.commit(&batch(&many)).unwrap();
    assert_eq!(walk(&store).unwrap().len(), 2500 + 1);
    drop(store);
    remove(&place).unwrap();
    assert!(matches!(open(&place, Access::Read), Err(BookError::Missing(_))));
    let reserved = PostgresTables::create(&self::place(server, "pg_book")).unwrap_err();
    assert!(matches!(reserved, BookError::Database(_)), "{reserved}");
}

fn one_writes_while_others_read(server: &Server) {
    let place = place(server, "readers");
    let mut writer = create(&place);
    writer.commit(&batch(&[(0, "zero")])).unwrap();
    assert!(matches!(open(&place, Access::Write), Err(BookError::Locked(_))));
    let mut reader = open(&place, Access::Read).unwrap();
    writer.commit(&batch(&[(0, "ZERO"), (1, "one")])).unwrap();
    // The state when it was opened, whole.
    assert_eq!(walk(&reader).unwrap(), [(0, b"zero".to_vec())]);
    assert_eq!((reader.len().unwrap(), reader.find("at 1").unwrap()), (1, None));
    assert!(reader.refresh().unwrap() && !reader.refresh().unwrap());
    assert_eq!(walk(&reader).unwrap().len(), 2);
    assert_eq!(reader.find("at 1").unwrap(), Some(1));
    assert!(matches!(reader.commit(&batch(&[(2, "two")])), Err(BookError::Database(_))));
    assert!(matches!(reader.compact(), Err(BookError::Database(_))));
    drop(writer);
    let mut next = open(&place, Access::Write).unwrap();
    next.commit(&batch(&[(2, "two")])).unwrap();
    assert!(reader.refresh().unwrap());
    assert_eq!(walk(&reader).unwrap().len(), 3);
}

/// Ends all sessions of books on the server.
const END_SESSIONS: &str = "select pg_terminate_backend(pid) from pg_stat_activity \
    where application_name = 'nutcracker' and pid <> pg_backend_pid()";

fn a_writer_that_was_replaced_writes_nothing(server: &Server) {
    let place = place(server, "fenced");
    let mut first = create(&place);
    first.commit(&batch(&[(0, "zero")])).unwrap();
    let admin = Connection::open(&server.address()).unwrap();
    // Its session ends, and another process is faster.
    admin.query(END_SESSIONS, &[]).unwrap();
    let mut second = open(&place, Access::Write).unwrap();
    let error = first.commit(&batch(&[(0, "of the first"), (1, "one")])).unwrap_err();
    assert!(matches!(error, BookError::TakenOver(_)), "{error}");
    assert!(matches!(first.get(0), Err(BookError::TakenOver(_))));
    second.commit(&batch(&[(0, "of the second")])).unwrap();
    drop(first);
    assert_eq!(walk(&second).unwrap(), [(0, b"of the second".to_vec())]);
    // Also if the session lives on, as behind a proxy that forgets locks.
    admin.run("update fenced.book set epoch = epoch + 1").unwrap();
    let error = second.commit(&batch(&[(1, "one")])).unwrap_err();
    assert!(matches!(error, BookError::TakenOver(_)), "{error}");
    drop(second);
    assert_eq!(walk(&open(&place, Access::Read).unwrap()).unwrap().len(), 1);
}

/// Sessions end at any moment, also between a commit and its answer: every commit is made once.
fn commits_are_made_once(server: &Server) {
    const SESSIONS: u64 = 12;
    let place = place(server, "sessions");
    let mut store = create(&place);
    let ended = AtomicU64::new(0);
    let mut commits = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let admin = Connection::open(&server.address()).unwrap();
            while ended.load(Relaxed) < SESSIONS {
                let ends = ended.load(Relaxed);
                std::thread::sleep(Duration::from_micros(20_000 + 977 * (ends % 13)));
                let ends = admin.query(END_SESSIONS, &[]).unwrap().len() as u64;
                ended.fetch_add(ends, Relaxed);
            }
        });
        while ended.load(Relaxed) < SESSIONS {
            let text = format!("commit {commits}");
            store.commit(&batch(&[(0, &text), (commits + 1, &text)])).unwrap();
            commits += 1;
        }
    });
    drop(store);
    let store = open(&place, Access::Read).unwrap();
    assert_eq!(store.tables.state.borrow().version, commits as i64);
    let nodes = walk(&store).unwrap();
    assert_eq!(nodes.len() as u64, commits + 1);
    assert_eq!(nodes[0].1, format!("commit {}", commits - 1).into_bytes());
}

fn a_reader_goes_on_with_the_same_state(server: &Server) {
    let place = place(server, "reader");
    let mut writer = create(&place);
    writer.commit(&batch(&[(0, "zero"), (1, "one")])).unwrap();
    let mut reader = open(&place, Access::Read).unwrap();
    server.stop();
    server.restart();
    assert_eq!(reader.get(1).unwrap().unwrap(), b"one");
    server.stop();
    server.restart();
    writer.commit(&batch(&[(1, "ONE")])).unwrap();
    // What it has read before is another state.
    assert!(matches!(reader.get(1), Err(BookError::Changed(_))));
    assert!(reader.refresh().unwrap());
    assert_eq!(reader.get(1).unwrap().unwrap(), b"ONE");
}

fn changed_rows_are_noticed(server: &Server) {
    let place = place(server, "damage");
    let mut store = create(&place);
    store.commit(&batch(&[(0, "zero"), (1, "one"), (2, "two")])).unwrap();
    drop(store);
    let admin = Connection::open(&server.address()).unwrap();
    let damage = |change: &str, restore: &str| {
        admin.run(change).unwrap();
        let outcome = open(&place, Access::Read).and_then(|store| {
            (0..3).try_for_each(|id| {
                let found = store.find(&format!("at {id}"))?;
                let there = found == Some(id) && store.get(id)?.is_some();
                there.then_some(()).ok_or(BookError::Corrupt("it is gone".to_owned()))
            })?;
            walk(&store)
        });
        admin.run(restore).unwrap();
        let error = outcome.unwrap_err();
        assert!(matches!(error, BookError::Corrupt(_)), "{change}: {error}");
    };
    for byte in 0..11 {
        let flip = |table: &str, column: &str, condition: &str| {
            format!(
                "update damage.{table} set {column} =
                 set_byte({column}, {byte}, get_byte({column}, {byte}) # 4) {condition}"
            )
        };
        let node = flip("nodes", "record", "where id = 1");
        damage(&node, &node);
        let facts = flip("book", "facts", "");
        damage(&facts, &facts);
    }
    for column in ["id", "seal"] {
        let flip = format!("update damage.positions set {column} = {column} # 1");
        damage(&flip, &flip);
    }
    damage(
        "create table damage.copy as select * from damage.nodes; delete from damage.nodes where id = 1",
        "delete from damage.nodes; insert into damage.nodes select * from damage.copy",
    );
    assert_eq!(walk(&open(&place, Access::Read).unwrap()).unwrap().len(), 3);
    // Tables that are not those of a book are an error as well.
    admin.run("alter table damage.book alter column layout type text").unwrap();
    assert!(matches!(open(&place, Access::Read), Err(BookError::Database(_))));
}

#[test]
fn what_is_committed_survives_a_crash() {
    let Some(server) = Server::start(Durable::Yes) else { return };
    let place = place(&server, "book");
    let mut store = create(&place);
    for number in 0..2 {
        store.commit(&batch(&[(number, "node")])).unwrap();
        server.stop();
        server.restart();
        let found = walk(&open(&place, Access::Read).unwrap()).unwrap();
        assert_eq!(found.len() as u64, number + 1);
    }
}
