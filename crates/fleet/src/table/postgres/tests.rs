use nutcracker_book::store::{self, Location};
use nutcracker_postgres::testing::{Durable, Server};

use super::PostgresTable;
use crate::table::suite::{self, job, request, submission};
use crate::table::{Finished, JobTable, State};

fn open(location: &Location) -> PostgresTable {
    let Location::Postgres(place) = location else { unreachable!("it is an address") };
    PostgresTable::open(place).unwrap()
}

#[test]
fn a_table_in_postgresql_passes_the_suite_and_survives_restarts() {
    let Some(server) = Server::start(Durable::No) else { return };
    let location = Location::from(server.url());
    drop(store::create(&location, 0).unwrap());
    let table = open(&location);
    suite::run(&table);
    // Two servers on one table.
    let other = open(&location);
    let ids = table.add(&[job(1, &["a"]), job(2, &["b"]), job(3, &["c"])]).unwrap();
    assert_eq!(table.lease(&request("ann/1", 1, 10)).unwrap()[0].id, ids[0]);
    assert_eq!(other.lease(&request("bob/1", 1, 10)).unwrap()[0].id, ids[1]);
    assert_eq!(other.finish(&[submission(ids[0], "ann/1", "[]")]).unwrap(), [Finished::First]);
    let before = table.all().unwrap();
    server.stop();
    server.restart();
    assert_eq!(table.all().unwrap(), before);
    let states: Vec<State> = before.iter().map(|row| row.state).collect();
    assert_eq!(states, [State::Done, State::Leased, State::Ready]);
    assert_eq!(table.finish(&[submission(ids[1], "bob/1", "[]")]).unwrap(), [Finished::First]);
    drop((table, other));
    assert_eq!(open(&location).all().unwrap().len(), 3);
}
