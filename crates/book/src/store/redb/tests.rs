use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::SystemTime;

use super::super::sealed::Sealed;
use super::super::{Batch, Store, suite};
use super::*;
use crate::facts::Facts;
use crate::node::Node;

const CACHE: usize = 1 << 20;

fn open(path: &Path, access: Access) -> Result<Sealed<RedbTables>> {
    Sealed::open(RedbTables::open(path, access, CACHE)?)
}

fn batch(nodes: &[(NodeId, &str)]) -> Batch {
    Batch {
        nodes: nodes.iter().map(|&(id, text)| (id, text.into())).collect(),
        positions: nodes.iter().map(|&(id, _)| (format!("at {id}"), id)).collect(),
        removed: Vec::new(),
        facts: Some(b"format=2\n".to_vec()),
    }
}

#[test]
fn passes_the_store_suite() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("book");
    suite::run(Sealed::open(RedbTables::create(&path, CACHE).unwrap()).unwrap());
    let store = open(&path, Access::Write).unwrap();
    assert_eq!(store.get(8).unwrap().unwrap(), b"eight");
    assert!(matches!(RedbTables::create(&path, CACHE), Err(BookError::Exists(_))));
    let nowhere = dir.path().join("nowhere");
    assert!(matches!(open(&nowhere, Access::Write), Err(BookError::Missing(_))));
    assert!(matches!(open(dir.path(), Access::Read), Err(BookError::Store(_))));
}

#[test]
fn many_read_or_one_writes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("book");
    let mut writer = Sealed::open(RedbTables::create(&path, CACHE).unwrap()).unwrap();
    writer.commit(&batch(&[(0, "zero")])).unwrap();
    for access in [Access::Read, Access::Write] {
        assert!(matches!(open(&path, access), Err(BookError::Locked(_))));
    }
    drop(writer);
    let first = open(&path, Access::Read).unwrap();
    let second = open(&path, Access::Read).unwrap();
    assert_eq!(first.get(0).unwrap(), second.get(0).unwrap());
    assert!(matches!(open(&path, Access::Write), Err(BookError::Locked(_))));
    drop((first, second));
    assert!(open(&path, Access::Write).is_ok());
}

#[test]
fn reading_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("book");
    let mut writer = Sealed::open(RedbTables::create(&path, CACHE).unwrap()).unwrap();
    writer.commit(&batch(&[(0, "zero"), (1, "one")])).unwrap();
    drop(writer);
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    let before = std::fs::read(&path).unwrap();
    let mut reader = open(&path, Access::Read).unwrap();
    assert_eq!(reader.get(1).unwrap().unwrap(), b"one");
    assert_eq!(reader.find("at 0").unwrap(), Some(0));
    // A commit without changes is none.
    let facts = reader.facts().unwrap();
    reader.commit(&Batch { facts, ..Batch::default() }).unwrap();
    assert!(matches!(reader.commit(&batch(&[(2, "two")])), Err(BookError::Store(_))));
    assert!(matches!(reader.compact(), Err(BookError::Store(_))));
    assert_eq!(reader.get(1).unwrap().unwrap(), b"one");
    drop(reader);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(path.metadata().unwrap().modified().unwrap(), long_ago);
}

#[test]
fn a_walk_notices_hidden_and_stale_nodes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("book");
    let mut store = Sealed::open(RedbTables::create(&path, CACHE).unwrap()).unwrap();
    let whole = batch(&[(0, "zero"), (1, "one"), (2, "two")]);
    store.commit(&whole).unwrap();
    let changed = Batch { positions: Vec::new(), ..batch(&[(1, "another one")]) };
    store.commit(&changed).unwrap();
    drop(store);
    let walk = |path: &Path| -> Result<Vec<NodeId>> {
        let store = open(path, Access::Read)?;
        let (mut ids, mut from) = (Vec::new(), 0);
        while let Some((id, _)) = store.next(from)? {
            ids.push(id);
            from = id + 1;
        }
        Ok(ids)
    };
    assert_eq!(walk(&path).unwrap(), [0, 1, 2]);
    let set = |node: Option<&[u8]>| {
        let database = Database::open(&path).unwrap();
        let writing = database.begin_write().unwrap();
        {
            let mut nodes = writing.open_table(NODES).unwrap();
            match node {
                Some(bytes) => nodes.insert(1, seal::node(1, bytes).as_slice()).unwrap(),
                None => nodes.remove(1).unwrap(),
            };
        }
        writing.commit().unwrap();
    };
    set(Some(b"one"));
    let error = walk(&path).unwrap_err().to_string();
    assert!(error.contains("older versions"), "{error}");
    set(None);
    let error = walk(&path).unwrap_err().to_string();
    assert!(error.contains("should have 3 nodes, and 2 were found"), "{error}");
}

/// All nodes and the number of positions that lead to them.
fn contents(store: &impl Store) -> (Vec<(NodeId, Node)>, usize) {
    let (mut nodes, mut from) = (Vec::new(), 0);
    while let Some((id, bytes)) = store.next(from).unwrap() {
        nodes.push((id, Node::decode(&bytes).unwrap()));
        from = id + 1;
    }
    let found = |(id, node): &&(NodeId, Node)| store.find(&node.position).unwrap() == Some(*id);
    let positions = nodes.iter().filter(found).count();
    (nodes, positions)
}

#[test]
fn a_book_of_format_1_is_read_and_converted() {
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/book-format-1/kalah-3-2.book");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("book");
    let bytes = std::fs::read(old).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let store = open(&path, Access::Read).unwrap();
    let before = contents(&store);
    assert_eq!((before.0.len(), before.1), (26, 26));
    let mut facts = Facts::decode(&store.facts().unwrap().unwrap()).unwrap();
    assert_eq!((facts.nodes, facts.expansions), (26, 12));
    drop(store);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);

    let mut store = open(&path, Access::Write).unwrap();
    assert_eq!(contents(&store), before);
    facts.expansions += 1;
    let more = Batch { facts: Some(facts.encode()), ..Batch::default() };
    store.commit(&more).unwrap();
    drop(store);
    let store = open(&path, Access::Read).unwrap();
    assert!(store.tables.are_sealed());
    assert_eq!(contents(&store), before);
    assert_eq!(Facts::decode(&store.facts().unwrap().unwrap()).unwrap(), facts);
}

#[test]
fn a_file_that_is_no_book_is_reported_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("book");
    let empty = dir.path().join("empty");
    drop(RedbTables::create(&empty, CACHE).unwrap());
    let whole = std::fs::read(&empty).unwrap();
    for bytes in [b"".as_slice(), b"no book", &[0; 10_000], &whole[..whole.len() / 2]] {
        std::fs::write(&path, bytes).unwrap();
        for access in [Access::Read, Access::Write] {
            let opened = open(&path, access);
            assert!(matches!(opened, Err(BookError::Corrupt(_))), "{opened:?}");
        }
    }
    let other = dir.path().join("other");
    let database = Database::create(&other).unwrap();
    drop(database);
    for access in [Access::Read, Access::Write] {
        let error = open(&other, access).unwrap_err().to_string();
        assert!(error.contains("does not have the tables of a book"), "{error}");
    }
}

/// A file with these bytes that not even the superuser can write.
fn read_only(bytes: &[u8]) -> (std::fs::File, PathBuf) {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    let mut file = std::fs::File::from(memfd_create("book", MemfdFlags::ALLOW_SEALING).unwrap());
    file.write_all(bytes).unwrap();
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK).unwrap();
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    (file, path.into())
}

#[test]
fn a_file_that_cannot_be_written_is_read_if_it_was_closed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("book");
    let mut writer = Sealed::open(RedbTables::create(&path, CACHE).unwrap()).unwrap();
    writer.commit(&batch(&[(0, "zero"), (1, "one")])).unwrap();
    // As a killed process leaves it.
    let unclean = std::fs::read(&path).unwrap();
    drop(writer);
    let (_file, closed) = read_only(&std::fs::read(&path).unwrap());
    assert_eq!(open(&closed, Access::Read).unwrap().get(1).unwrap().unwrap(), b"one");
    assert!(
        open(&closed, Access::Write).is_err_and(|error| !matches!(error, BookError::Corrupt(_)))
    );
    let (_file, open_still) = read_only(&unclean);
    assert!(matches!(open(&open_still, Access::Read), Err(BookError::Unclean(_))));
    // Where it can be written it is repaired.
    std::fs::write(&path, &unclean).unwrap();
    assert_eq!(open(&path, Access::Read).unwrap().get(1).unwrap().unwrap(), b"one");
}
