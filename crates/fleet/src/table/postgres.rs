//! The job table in PostgreSQL, in the schema of a book.
//!
//! Several servers may use it at once: a job is leased by `for update skip locked`, so no two
//! requests get the same one. Every operation is one transaction. If the connection is lost
//! meanwhile, the operation is repeated, and what was made by the first attempt is recognised.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use nutcracker_book::store::InPostgres;
use nutcracker_postgres::{Connection, Error, column};

use super::{
    Counts, Finished, JobTable, Kind, NewJob, Request, Result, Row, RowId, State, Submission,
    TableError,
};

/// Connections: a commit waits for the disk, and several wait together.
const CONNECTIONS: usize = 4;

/// The columns of a job, in the order in which they are read.
const COLUMNS: &str = "id, kind, leaf, wanted, priority, barred, context, created, state, worker, \
    until, holders, results";

/// A result of the connection.
type Answer<T> = std::result::Result<T, Error>;

/// A table in the schema of a book.
pub struct PostgresTable {
    place: String,
    /// The quoted name of the schema.
    schema: String,
    connections: Vec<Connection>,
    /// Counts operations: each takes the next connection.
    turn: AtomicUsize,
}

impl fmt::Debug for PostgresTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresTable").field(&self.place).finish()
    }
}

fn bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn bigints(ids: &[RowId]) -> Vec<i64> {
    ids.iter().map(|&id| bigint(id)).collect()
}

fn number(row: &nutcracker_postgres::Row, at: usize) -> Answer<u64> {
    Ok(column::<i64>(row, at)?.max(0).cast_unsigned())
}

fn ids_of(rows: &[nutcracker_postgres::Row]) -> Answer<Vec<RowId>> {
    rows.iter().map(|row| number(row, 0)).collect()
}

fn unknown(what: &str) -> Error {
    Error::Statement { code: String::new(), message: format!("{what} is not known") }
}

/// A job from its columns.
fn job_of(row: &nutcracker_postgres::Row) -> Answer<Row> {
    let kind: &str = column(row, 1)?;
    let kind = Kind::ALL.into_iter().find(|one| one.name() == kind);
    Ok(Row {
        id: number(row, 0)?,
        job: NewJob {
            kind: kind.ok_or_else(|| unknown("the kind of a job"))?,
            leaf: number(row, 2)?,
            wanted: column(row, 3)?,
            priority: u8::try_from(column::<i16>(row, 4)?).unwrap_or(u8::MAX),
            barred: column(row, 5)?,
            context: column(row, 6)?,
            created: number(row, 7)?,
        },
        state: match column::<i16>(row, 8)? {
            0 => State::Ready,
            1 => State::Leased,
            2 => State::Done,
            _ => return Err(unknown("the state of a job")),
        },
        worker: column(row, 9)?,
        until: number(row, 10)?,
        holders: column(row, 11)?,
        results: column(row, 12)?,
    })
}

fn jobs_of(rows: &[nutcracker_postgres::Row]) -> Answer<Vec<Row>> {
    rows.iter().map(job_of).collect()
}

impl PostgresTable {
    /// Opens the table of a book, or makes it.
    pub fn open(book: &InPostgres) -> Result<Self> {
        let place = book.to_string();
        let failed = |reason: String| TableError::Store { place: place.clone(), reason };
        let address = book.address().map_err(|error| failed(error.to_string()))?;
        let connect = |_| {
            let connection = match book.patience() {
                Some(patience) => Connection::with_patience(address, patience),
                None => Connection::open(address),
            };
            connection.map_err(|error| failed(error.to_string()))
        };
        let connections = (0..CONNECTIONS).map(connect).collect::<Result<Vec<_>>>()?;
        let schema = format!("\"{}\"", book.name());
        let table = PostgresTable { place, schema, connections, turn: AtomicUsize::new(0) };
        table.with(|connection, _| table.make(connection))?;
        Ok(table)
    }

    fn make(&self, connection: &Connection) -> Answer<()> {
        let s = &self.schema;
        let mut transaction = connection.begin()?;
        // Two servers that start at once would both find that it does not exist.
        transaction.run("select pg_advisory_xact_lock(hashtext('nutcracker jobs'))")?;
        transaction.run(&format!(
            "create sequence if not exists {s}.job_ids minvalue 0;
             create table if not exists {s}.jobs (
               id bigint primary key,
               kind text not null,
               leaf bigint not null,
               wanted text[] not null,
               priority smallint not null,
               barred text[] not null,
               context text,
               created bigint not null,
               state smallint not null default 0,
               worker text,
               until bigint not null default 0,
               holders text[] not null default '{{}}',
               results text
             );
             create index if not exists jobs_ready on {s}.jobs (priority desc, id) where state = 0;
             create index if not exists jobs_leased on {s}.jobs (until) where state = 1;
             create index if not exists jobs_done on {s}.jobs (id) where state = 2;
             create table if not exists {s}.origins (
               position text collate \"C\" primary key,
               account text not null
             );
             create index if not exists origins_account on {s}.origins (account);
             create table if not exists {s}.texts (
               name text collate \"C\" primary key,
               text text not null
             );"
        ))?;
        transaction.commit()
    }

    /// Does something on the next connection, again if that is lost; `work` is told whether it is
    /// done again.
    fn with<T>(&self, mut work: impl FnMut(&Connection, bool) -> Answer<T>) -> Result<T> {
        let connection = &self.connections[self.turn.fetch_add(1, Relaxed) % CONNECTIONS];
        let mut again = false;
        let outcome = connection.retry(|connection| {
            let done = work(connection, again);
            again = true;
            done
        });
        outcome.map_err(|error| TableError::Store {
            place: self.place.clone(),
            reason: error.to_string(),
        })
    }

    fn try_lease(
        &self,
        connection: &Connection,
        request: &Request<'_>,
        again: bool,
    ) -> Answer<Vec<Row>> {
        let s = &self.schema;
        let (now, until) = (bigint(request.now), bigint(request.until));
        if again {
            // The answer to the first attempt may have been lost.
            let mine = format!(
                "select {COLUMNS} from {s}.jobs where state = 1 and until = $1 and worker = $2"
            );
            let rows = connection.query(&mine, &[&until, &request.worker])?;
            if !rows.is_empty() {
                return jobs_of(&rows);
            }
        }
        // Every job has a position: more are not looked at, so that other requests find the rest.
        let most = bigint(request.jobs.min(request.positions) as u64);
        let positions = bigint(request.positions as u64);
        let lease = format!(
            "with ready as (
               select id, priority, cardinality(wanted) as positions from {s}.jobs
               where state = 0 and not ($1 = any(barred))
               order by priority desc, id limit $2 for update skip locked
             ), counted as (
               select id, sum(positions) over (order by priority desc, id) - positions as before
               from ready
             )
             update {s}.jobs set state = 1, worker = $3, until = $4,
               holders = case when $3 = any(holders) then holders
                         else array_append(holders, $3) end
             where id in (select id from counted where before < $5)
             returning {COLUMNS}"
        );
        let mut transaction = connection.begin()?;
        transaction.execute(&self.expire_statement("id"), &[&now])?;
        let rows = transaction
            .query(&lease, &[&request.account, &most, &request.worker, &until, &positions])?;
        transaction.commit()?;
        let mut jobs = jobs_of(&rows)?;
        jobs.sort_by_key(|row| (u8::MAX - row.job.priority, row.id));
        Ok(jobs)
    }

    /// Makes expired leases ready.
    fn expire_statement(&self, returning: &str) -> String {
        let s = &self.schema;
        format!(
            "update {s}.jobs set state = 0, worker = null, until = 0 from (
               select id as was, worker as had from {s}.jobs
               where state = 1 and until <= $1 order by until, id for update skip locked
             ) as over where id = over.was returning {returning}"
        )
    }

    fn try_finish(
        &self,
        connection: &Connection,
        submissions: &[Submission],
        again: bool,
    ) -> Answer<Vec<Finished>> {
        let s = &self.schema;
        let ids: Vec<i64> = submissions.iter().map(|one| bigint(one.id)).collect();
        let mut transaction = connection.begin()?;
        let read =
            format!("select {COLUMNS} from {s}.jobs where id = any($1) order by id for update");
        let rows = jobs_of(&transaction.query(&read, &[&ids])?)?;
        let mut rows: HashMap<RowId, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
        let mut first: Vec<&Submission> = Vec::new();
        let mut finished = Vec::with_capacity(submissions.len());
        for one in submissions {
            let Some(row) = rows.get_mut(&one.id).filter(|row| row.holders.contains(&one.worker))
            else {
                finished.push(Finished::Unknown);
                continue;
            };
            if row.state == State::Done {
                // The answer to the first attempt may have been lost.
                let own = row.worker.as_ref() == Some(&one.worker)
                    && row.results.as_ref() == Some(&one.results);
                finished.push(if again && own { Finished::First } else { Finished::Late });
                continue;
            }
            (row.state, row.worker) = (State::Done, Some(one.worker.clone()));
            row.results = Some(one.results.clone());
            first.push(one);
            finished.push(Finished::First);
        }
        if !first.is_empty() {
            let ids: Vec<i64> = first.iter().map(|one| bigint(one.id)).collect();
            let workers: Vec<&str> = first.iter().map(|one| &*one.worker).collect();
            let results: Vec<&str> = first.iter().map(|one| &*one.results).collect();
            let write = format!(
                "update {s}.jobs set state = 2, worker = new.worker, results = new.results
                 from unnest($1::int8[], $2::text[], $3::text[]) as new (id, worker, results)
                 where jobs.id = new.id"
            );
            transaction.execute(&write, &[&ids, &workers, &results])?;
        }
        transaction.commit()?;
        Ok(finished)
    }

    /// Reads jobs.
    fn select(
        &self,
        rest: &str,
        params: &[&(dyn nutcracker_postgres::ToSql + Sync)],
    ) -> Result<Vec<Row>> {
        let sql = format!("select {COLUMNS} from {}.jobs {rest}", self.schema);
        self.with(|connection, _| jobs_of(&connection.query(&sql, params)?))
    }

    fn execute(
        &self,
        sql: &str,
        params: &[&(dyn nutcracker_postgres::ToSql + Sync)],
    ) -> Result<()> {
        self.with(|connection, _| connection.execute(sql, params).map(drop))
    }
}

/// The two halves of pairs.
fn halves(pairs: &[(String, String)]) -> (Vec<&str>, Vec<&str>) {
    // Of a name that occurs twice, the last counts; a statement can write it only once.
    let last: HashMap<&str, &str> = pairs.iter().map(|(one, two)| (&**one, &**two)).collect();
    last.into_iter().unzip()
}

impl JobTable for PostgresTable {
    fn add(&self, jobs: &[NewJob]) -> Result<Vec<RowId>> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let s = &self.schema;
        // Ids come first: a repeated attempt then adds nothing twice.
        let count = bigint(jobs.len() as u64);
        let number_jobs =
            format!("select nextval('{s}.job_ids') from generate_series(1, $1::int8)");
        let mut ids =
            self.with(|connection, _| ids_of(&connection.query(&number_jobs, &[&count])?))?;
        ids.sort_unstable();
        let insert = format!(
            "insert into {s}.jobs (id, kind, leaf, wanted, priority, barred, context, created)
             values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (id) do nothing"
        );
        self.with(|connection, _| {
            let mut transaction = connection.begin()?;
            for (&id, job) in ids.iter().zip(jobs) {
                transaction.execute(
                    &insert,
                    &[
                        &bigint(id),
                        &job.kind.name(),
                        &bigint(job.leaf),
                        &job.wanted,
                        &i16::from(job.priority),
                        &job.barred,
                        &job.context,
                        &bigint(job.created),
                    ],
                )?;
            }
            transaction.commit()
        })?;
        Ok(ids)
    }

    fn lease(&self, request: &Request<'_>) -> Result<Vec<Row>> {
        self.with(|connection, again| self.try_lease(connection, request, again))
    }

    fn extend(&self, worker: &str, ids: &[RowId], until: u64) -> Result<Vec<RowId>> {
        let s = &self.schema;
        let sql = format!(
            "update {s}.jobs set until = $3 where id = any($1) and state = 1 and worker = $2
             returning id"
        );
        let (numbers, until) = (bigints(ids), bigint(until));
        let mut extended = self
            .with(|connection, _| ids_of(&connection.query(&sql, &[&numbers, &worker, &until])?))?;
        extended.sort_unstable();
        Ok(extended)
    }

    fn release(&self, worker: &str, ids: &[RowId]) -> Result<Vec<RowId>> {
        let s = &self.schema;
        let sql = format!(
            "update {s}.jobs set state = 0, worker = null, until = 0
             where id = any($1) and state = 1 and worker = $2 returning id"
        );
        let numbers = bigints(ids);
        let mut released =
            self.with(|connection, _| ids_of(&connection.query(&sql, &[&numbers, &worker])?))?;
        released.sort_unstable();
        Ok(released)
    }

    fn expire(&self, now: u64) -> Result<Vec<(RowId, String)>> {
        let (sql, now) = (self.expire_statement("id, coalesce(had, '')"), bigint(now));
        self.with(|connection, _| {
            let rows = connection.query(&sql, &[&now])?;
            rows.iter().map(|row| Ok((number(row, 0)?, column(row, 1)?))).collect()
        })
    }

    fn finish(&self, submissions: &[Submission]) -> Result<Vec<Finished>> {
        self.with(|connection, again| self.try_finish(connection, submissions, again))
    }

    fn done(&self, most: usize) -> Result<Vec<Row>> {
        self.select("where state = 2 order by id limit $1", &[&bigint(most as u64)])
    }

    fn rows(&self, ids: &[RowId]) -> Result<Vec<Row>> {
        self.select("where id = any($1)", &[&bigints(ids)])
    }

    fn remove(&self, ids: &[RowId]) -> Result<()> {
        let sql = format!("delete from {}.jobs where id = any($1)", self.schema);
        self.execute(&sql, &[&bigints(ids)])
    }

    fn all(&self) -> Result<Vec<Row>> {
        self.select("order by id", &[])
    }

    fn counts(&self) -> Result<Counts> {
        let sql = format!(
            "select count(*) filter (where state = 0),
               coalesce(sum(cardinality(wanted)) filter (where state = 0), 0)::int8,
               count(*) filter (where state = 1), count(*) filter (where state = 2),
               min(until) filter (where state = 1) from {}.jobs",
            self.schema
        );
        self.with(|connection, _| {
            let rows = connection.query(&sql, &[])?;
            let Some(row) = rows.first() else { return Ok(Counts::default()) };
            Ok(Counts {
                ready: number(row, 0)?,
                ready_positions: number(row, 1)?,
                leased: number(row, 2)?,
                done: number(row, 3)?,
                next_expiry: column::<Option<i64>>(row, 4)?.map(|until| until.max(0) as u64),
            })
        })
    }

    fn note(&self, origins: &[(String, String)]) -> Result<()> {
        let sql = format!(
            "insert into {}.origins select * from unnest($1::text[], $2::text[])
             on conflict (position) do update set account = excluded.account",
            self.schema
        );
        let (positions, accounts) = halves(origins);
        self.execute(&sql, &[&positions, &accounts])
    }

    fn origins(&self, positions: &[String]) -> Result<Vec<Option<String>>> {
        let sql = format!(
            "select position, account from {}.origins where position = any($1)",
            self.schema
        );
        let found: HashMap<String, String> = self.with(|connection, _| {
            let rows = connection.query(&sql, &[&positions])?;
            rows.iter().map(|row| Ok((column(row, 0)?, column(row, 1)?))).collect()
        })?;
        Ok(positions.iter().map(|position| found.get(position).cloned()).collect())
    }

    fn of_worker(&self, account: &str, most: usize) -> Result<Vec<String>> {
        let sql =
            format!("select position from {}.origins where account = $1 limit $2", self.schema);
        let most = bigint(most as u64);
        self.with(|connection, _| {
            let rows = connection.query(&sql, &[&account, &most])?;
            rows.iter().map(|row| column(row, 0)).collect()
        })
    }

    fn forget(&self, positions: &[String]) -> Result<()> {
        let sql = format!("delete from {}.origins where position = any($1)", self.schema);
        self.execute(&sql, &[&positions])
    }

    fn keep(&self, texts: &[(String, String)]) -> Result<()> {
        let sql = format!(
            "insert into {}.texts select * from unnest($1::text[], $2::text[])
             on conflict (name) do update set text = excluded.text",
            self.schema
        );
        let (names, texts) = halves(texts);
        self.execute(&sql, &[&names, &texts])
    }

    fn kept(&self) -> Result<Vec<(String, String)>> {
        let sql = format!("select name, text from {}.texts order by name", self.schema);
        self.with(|connection, _| {
            let rows = connection.query(&sql, &[])?;
            rows.iter().map(|row| Ok((column(row, 0)?, column(row, 1)?))).collect()
        })
    }
}

#[cfg(test)]
mod tests;
