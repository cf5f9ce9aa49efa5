use std::sync::Arc;
use std::time::Duration;

use crate::testing::{Durable, Server};
use crate::{Address, Connection, Error};

fn count(connection: &Connection) -> i64 {
    let rows = connection.retry(|connection| connection.query("select count(*) from t", &[]));
    rows.unwrap()[0].get(0)
}

/// One server for all of them: starting it takes longest.
#[test]
fn a_connection_works_and_survives_restarts() {
    let Some(server) = Server::start(Durable::No) else { return };
    let connection = Connection::open(&server.address()).unwrap();
    statements(&connection);
    from_a_runtime(&server);
    restarts(&server, &connection);
    server.stop();
    let hasty = Connection::open(&server.address()).unwrap_err();
    assert!(matches!(hasty, Error::Connect { .. }), "{hasty}");
}

fn statements(connection: &Connection) {
    connection.run("create table t (id bigint primary key, record bytea)").unwrap();
    let insert = "insert into t select * from unnest($1::int8[], $2::bytea[])";
    let (ids, records) = (vec![1_i64, 2], vec![b"one".as_slice(), b"two"]);
    assert_eq!(connection.execute(insert, &[&ids, &records]).unwrap(), 2);
    // A statement that is refused is neither repeated nor fatal.
    let error = connection.retry(|connection| connection.execute(insert, &[&ids, &records]));
    assert_eq!(error.unwrap_err().code(), Some("23505"));
    let mut dropped = connection.begin().unwrap();
    dropped.execute("delete from t", &[]).unwrap();
    drop(dropped);
    assert_eq!(count(connection), 2);
    let mut committed = connection.begin().unwrap();
    committed.execute("delete from t where id = $1", &[&1_i64]).unwrap();
    let rows = committed.query("select record from t", &[]).unwrap();
    assert_eq!(rows[0].get::<_, Vec<u8>>(0), b"two");
    committed.commit().unwrap();
    assert_eq!(count(connection), 1);
}

/// Also from the threads of a runtime, where tokio's own blocking calls would panic.
fn from_a_runtime(server: &Server) {
    let connection = Arc::new(Connection::open(&server.address()).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let other = Arc::clone(&connection);
    let counted = runtime.spawn(async move { count(&other) });
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let connection = Arc::clone(&connection);
            std::thread::spawn(move || count(&connection))
        })
        .collect();
    assert!(threads.into_iter().all(|thread| thread.join().unwrap() == 1));
    let (sender, receiver) = std::sync::mpsc::channel();
    runtime.spawn(async move { sender.send((counted.await.unwrap(), drop(connection))).unwrap() });
    assert_eq!(receiver.recv().unwrap().0, 1);
}

fn restarts(server: &Server, connection: &Connection) {
    let session = connection.session();
    server.stop();
    let lost = connection.query("select 1", &[]).unwrap_err();
    assert!(lost.is_lost(), "{lost}");
    std::thread::scope(|scope| {
        let counted = scope.spawn(|| count(connection));
        std::thread::sleep(Duration::from_millis(300));
        server.restart();
        assert_eq!(counted.join().unwrap(), 1);
    });
    assert_eq!(connection.session(), session + 1);
    // Terminated by an administrator, in a transaction.
    let kill = "select pg_terminate_backend(pg_backend_pid())";
    let mut open = connection.begin().unwrap();
    open.execute("delete from t", &[]).unwrap();
    assert!(open.query(kill, &[]).unwrap_err().is_lost());
    drop(open);
    assert_eq!(count(connection), 1);
    // Patience ends.
    let hasty = Connection::with_patience(&server.address(), Duration::from_millis(200)).unwrap();
    server.stop();
    let error = hasty.retry(|hasty| hasty.query("select 1", &[])).unwrap_err();
    assert!(error.is_lost() && error.to_string().contains("did not come back"), "{error}");
    server.restart();
    assert_eq!(count(connection), 1);
}

#[test]
fn an_error_does_not_contain_the_password() {
    let address = Address::parse("postgres://me:secret@127.0.0.1:1/b").unwrap();
    let error = Connection::open(&address).unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(text.contains("me:***@127.0.0.1:1/b") && !text.contains("secret"), "{text}");
}
