//! The statements, with the name of the book's schema in them.

use xxhash_rust::xxh3::xxh3_64;

/// The number of nodes that a walk reads at once.
const PAGE: usize = 1000;

/// Set for each session. All reads are by key: a plan made while a table was small must not scan it
/// when it has grown.
pub const SESSION: &str = "set enable_seqscan = off; set jit = off";
/// Begins to read the newest state.
pub const SNAPSHOT: &str = "rollback; begin isolation level repeatable read, read only";
/// Whether a table exists.
pub const IS_THERE: &str = "select to_regclass($1) is not null";
/// Takes the lock of a book, if no other session has it.
pub const LOCK: &str = "select pg_try_advisory_lock($1)";

/// The statements for a book.
#[derive(Debug)]
pub struct Sql {
    /// The key of the lock.
    pub lock: i64,
    /// The quoted name of the table with the row of the book.
    pub book_table: String,
    pub create: String,
    pub begin_book: String,
    pub remove: String,
    pub vacuum: String,
    /// Layout, epoch and version.
    pub state: String,
    /// The same, after the epoch was counted up.
    pub next_epoch: String,
    /// A row if epoch and version are still these; others cannot change them until the end of
    /// the transaction.
    pub hold: String,
    /// Writes the facts and counts the version up.
    pub write_facts: String,
    pub facts: String,
    pub read: String,
    pub next: String,
    pub find: String,
    pub count: String,
    /// The last bytes of records.
    pub seals: String,
    pub write_nodes: String,
    pub write_positions: String,
    /// Removes nodes; the last bytes of their records.
    pub remove_nodes: String,
    pub remove_positions: String,
}

impl Sql {
    /// For a book with a name that needs no escaping.
    pub fn new(name: &str) -> Self {
        let (book, nodes, positions) = (
            format!("\"{name}\".book"),
            format!("\"{name}\".nodes"),
            format!("\"{name}\".positions"),
        );
        // The last eight bytes of a record.
        let seal = "substring(record from greatest(octet_length(record) - 7, 1))";
        Sql {
            lock: xxh3_64(format!("nutcracker book {name}").as_bytes()).cast_signed(),
            create: format!(
                "create schema \"{name}\";
                 create table {book} (
                   one boolean primary key default true check (one),
                   layout integer not null,
                   epoch bigint not null,
                   version bigint not null,
                   facts bytea
                 );
                 create table {nodes} (
                   id bigint primary key,
                   record bytea not null
                 ) with (fillfactor = 80);
                 create table {positions} (
                   position text collate \"C\" primary key,
                   id bigint not null,
                   seal bigint not null
                 );"
            ),
            begin_book: format!("insert into {book} (layout, epoch, version) values ($1, 1, 0)"),
            remove: format!("drop schema \"{name}\" cascade"),
            vacuum: format!("vacuum (analyze) {book}, {nodes}, {positions}"),
            state: format!("select layout, epoch, version from {book}"),
            next_epoch: format!(
                "update {book} set epoch = epoch + 1 returning layout, epoch, version"
            ),
            hold: format!("select 1 from {book} where epoch = $1 and version = $2 for update"),
            write_facts: format!("update {book} set facts = $1, version = version + 1"),
            facts: format!("select facts from {book}"),
            read: format!("select id, record from {nodes} where id = any($1)"),
            next: format!("select id, record from {nodes} where id >= $1 order by id limit {PAGE}"),
            find: format!("select position, id, seal from {positions} where position = any($1)"),
            count: format!("select count(*) from {positions}"),
            seals: format!("select {seal} from {nodes} where id = any($1)"),
            write_nodes: format!(
                "insert into {nodes} select * from unnest($1::int8[], $2::bytea[])
                 on conflict (id) do update set record = excluded.record"
            ),
            write_positions: format!(
                "insert into {positions} select * from unnest($1::text[], $2::int8[], $3::int8[])
                 on conflict (position) do update set id = excluded.id, seal = excluded.seal"
            ),
            remove_nodes: format!("delete from {nodes} where id = any($1) returning {seal}"),
            remove_positions: format!("delete from {positions} where position = any($1)"),
            book_table: book,
        }
    }
}
