//! The manifest: one JSON file that lists the tables of a directory.
//!
//! The tables are authoritative. A crash between a table and its entry is repaired from the tables,
//! whose trailers have all that an entry needs.

use std::cmp::Reverse;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Result, TableError};
use crate::file::Storage;
use crate::format::{self, Header, Part, SCORE, UNCHECKED};
use crate::histogram::Histogram;
use crate::naming::Naming;
use crate::reach::Reach;
use crate::reader::Table;
use crate::set::{check_identity, files_in};
use crate::statistics::Statistics;
use crate::writer::Published;

/// The manifest's name in its directory.
pub const MANIFEST: &str = "manifest.json";
/// The version of the manifest that this crate writes, and the last it reads.
pub const MANIFEST_VERSION: u32 = 2;

/// The tables of one game under one set of options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this file's format.
    pub version: u32,
    /// The program that wrote it last, with its version.
    pub program: String,
    /// The game.
    pub game: String,
    /// The rule options.
    pub options: String,
    /// The tables, in the order of [`format::order`], no two alike.
    slices: Vec<Entry>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The slice.
    pub slice: u32,
    /// The slice's name. In version 1 it was the number.
    #[serde(default)]
    pub name: String,
    /// The metric. In version 1 it was `score`.
    #[serde(default = "score")]
    pub metric: String,
    /// Whether the table passed its check.
    #[serde(default = "checked")]
    pub checked: bool,
    /// The number of indices: positions and holes.
    pub positions: u64,
    /// Indices without a position.
    #[serde(default)]
    pub holes: u64,
    /// Scores lie in -range..=range.
    pub range: u8,
    /// The range of scores that are distinguished; in the file 0 for exact, K for -K..=K.
    #[serde(rename = "window")]
    pub reach: Reach,
    /// The index scheme with its version.
    pub scheme: String,
    /// The file's name in the manifest's directory.
    pub file: String,
    /// The file's length.
    pub bytes: u64,
    /// The blake3 of the file's trailer, in hexadecimal digits.
    pub blake3: String,
    /// How many positions have each score.
    pub histogram: Histogram,
    /// The same for each part. In version 1 there was one.
    #[serde(default)]
    pub parts: Vec<Counted>,
}

/// A part of a slice with its histogram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The part.
    #[serde(flatten)]
    pub part: Part,
    /// How many positions have each score.
    pub histogram: Histogram,
}

fn score() -> String {
    SCORE.to_owned()
}

fn checked() -> bool {
    true
}

/// What [`Manifest::reconcile`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconciled {
    /// Slice and reach of the files without an entry, or with the entry of an earlier file. Their
    /// entries were added.
    pub adopted: Vec<(u32, Reach)>,
    /// Slice and reach of the entries without a file. They were removed.
    pub missing: Vec<(u32, Reach)>,
    /// Slice and reach of files that got their final name since, or lost it. Their entries were
    /// updated.
    pub renamed: Vec<(u32, Reach)>,
}

impl Reconciled {
    /// Whether the manifest agreed with the files.
    pub fn is_clean(&self) -> bool {
        self.adopted.is_empty() && self.missing.is_empty() && self.renamed.is_empty()
    }
}

impl Manifest {
    /// An empty manifest.
    pub fn new(
        game: impl Into<String>,
        options: impl Into<String>,
        program: impl Into<String>,
    ) -> Self {
        Self {
            version: MANIFEST_VERSION,
            program: program.into(),
            game: game.into(),
            options: options.into(),
            slices: Vec::new(),
        }
    }

    /// Reads the manifest of a directory.
    pub fn load(storage: &dyn Storage, dir: &Path) -> Result<Self> {
        /// Parsed first: a newer version may differ in everything else.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let path = dir.join(MANIFEST);
        let file = storage.open(&path).map_err(TableError::io("open", &path))?;
        let len = usize::try_from(file.len()).unwrap_or(usize::MAX);
        let bytes = file.bytes(0, len).map_err(TableError::io("read", &path))?;
        let damaged = |reason: String| TableError::Damaged {
            path: path.clone(),
            reason,
            remedy: "delete it, and it is made anew from the tables beside it",
        };
        let Version { version } =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if version > MANIFEST_VERSION {
            return Err(TableError::Newer { path, found: version, known: MANIFEST_VERSION });
        }
        let mut manifest: Self =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if !manifest.slices.is_sorted_by(|a, b| a.order() < b.order()) {
            return Err(damaged("its slices are not in order".to_owned()));
        }
        manifest.version = MANIFEST_VERSION;
        for entry in &mut manifest.slices {
            if version == 1 {
                entry.name = entry.slice.to_string();
                entry.parts =
                    vec![Counted { part: Part::all(), histogram: entry.histogram.clone() }];
            }
            // Also keeps a name from leading out of the directory.
            if entry.file != file_name(&manifest.game, &entry.name, entry.reach, entry.checked) {
                return Err(damaged(format!("slice {} has file {:?}", entry.name, entry.file)));
            }
            let mut parts = Histogram::new();
            for part in &entry.parts {
                parts.merge(&part.histogram);
            }
            let all = entry.histogram.total().checked_add(entry.holes);
            if all != Some(entry.positions) || parts != entry.histogram {
                return Err(damaged(format!("the counts of slice {} do not add up", entry.name)));
            }
        }
        Ok(manifest)
    }

    /// Reads the manifest of a directory, or creates an empty one if there is none. One of another
    /// game or other options is an error.
    pub fn load_or_new(
        storage: &dyn Storage,
        dir: &Path,
        game: &str,
        options: &str,
        program: &str,
    ) -> Result<Self> {
        let mut manifest = match Self::load(storage, dir) {
            Err(TableError::Missing { .. }) => Self::new(game, options, program),
            manifest => manifest?,
        };
        let path = dir.join(MANIFEST);
        if manifest.game != game {
            return Err(TableError::unexpected(&path, "game", &manifest.game, &game));
        }
        if manifest.options != options {
            return Err(TableError::unexpected(&path, "rule options", &manifest.options, &options));
        }
        program.clone_into(&mut manifest.program);
        Ok(manifest)
    }

    /// Writes the manifest atomically: a crash leaves the old one or the new one.
    pub fn save(&self, storage: &dyn Storage, dir: &Path) -> Result<()> {
        self.save_if(storage, dir, &dir.join(format!("{MANIFEST}.tmp")), || Ok(true)).map(drop)
    }

    /// Writes the manifest to a `temporary` file, and puts it in its place if `allowed` then says
    /// so; returns what it said.
    pub fn save_if(
        &self,
        storage: &dyn Storage,
        dir: &Path,
        temporary: &Path,
        allowed: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        let path = dir.join(MANIFEST);
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| TableError::request(format!("{}: {error}", path.display())))?;
        text.push('\n');
        let write = || {
            let mut file =
                storage.create(temporary).map_err(TableError::io("create", temporary))?;
            file.write_all(text.as_bytes()).map_err(TableError::io("write", temporary))?;
            file.sync().map_err(TableError::io("sync", temporary))?;
            drop(file);
            let allowed = allowed()?;
            if allowed {
                storage.rename(temporary, &path).map_err(TableError::io("rename", temporary))?;
            }
            Ok(allowed)
        };
        storage.create_dir(dir).map_err(TableError::io("make the directory", dir))?;
        let written = write();
        if !matches!(written, Ok(true)) {
            // The first error is the one to report.
            let _ = storage.remove(temporary);
            return written;
        }
        storage.sync_dir(dir).map_err(TableError::io("sync", dir))?;
        Ok(true)
    }

    /// The tables, by slice ascending; in each slice the exact one first, then from the widest
    /// window to the narrowest.
    pub fn entries(&self) -> &[Entry] {
        &self.slices
    }

    /// The best entry of a slice: the exact one, or the one with the widest window.
    pub fn entry(&self, slice: u32) -> Option<&Entry> {
        let first = self.slices.partition_point(|entry| entry.slice < slice);
        self.slices.get(first).filter(|entry| entry.slice == slice)
    }

    /// The entry of a slice with exactly this reach.
    pub fn entry_for(&self, slice: u32, reach: Reach) -> Option<&Entry> {
        self.find(slice, reach).ok().map(|place| &self.slices[place])
    }

    /// Adds a table that was just published.
    pub fn record(&mut self, file: &Published) {
        let Published { header, checked, bytes, blake3, statistics, .. } = file;
        self.put(Entry::new(header, *checked, *bytes, blake3, statistics));
    }

    /// Adds an existing table, from its header and trailer. Its blocks are not read: see
    /// [`Table::verify_file`].
    pub fn adopt(&mut self, table: &Table) -> Result<()> {
        self.check_game(table)?;
        self.put(Entry::of(table));
        Ok(())
    }

    /// Removes the entry of a slice with exactly this reach.
    pub fn remove(&mut self, slice: u32, reach: Reach) -> Option<Entry> {
        self.find(slice, reach).ok().map(|place| self.slices.remove(place))
    }

    /// An error if a table is of another game or other options.
    fn check_game(&self, table: &Table) -> Result<()> {
        let Header { slice, reach, ref name, .. } = *table.header();
        check_identity(table, &self.game, &self.options, (slice, name), reach)
    }

    /// An error if a table is not the one in the entry of its slice and reach.
    pub fn check(&self, table: &Table) -> Result<()> {
        self.check_game(table)?;
        let Header { slice, reach, ref name, .. } = *table.header();
        let path = table.path();
        let found = Entry::of(table);
        let Some(entry) = self.entry_for(slice, reach) else {
            return Err(TableError::Unlisted { path: path.to_owned(), name: name.clone() });
        };
        if found.blake3 != entry.blake3 {
            return Err(TableError::unexpected(
                path,
                "blake3",
                &found.blake3,
                &format!("{} of the manifest", entry.blake3),
            ));
        }
        if found != *entry {
            return Err(TableError::damaged(
                path,
                "the manifest says other counts or lengths of the same file",
            ));
        }
        Ok(())
    }

    /// Reconciles the manifest with the files of its directory, after a crash or a removal by hand.
    /// Files are opened, not verified; a file that cannot be opened is an error. The manifest is
    /// not saved.
    pub fn reconcile(
        &mut self,
        storage: &dyn Storage,
        dir: &Path,
        naming: &Naming,
    ) -> Result<Reconciled> {
        let present = files_in(storage, dir, &self.game, naming)?;
        let mut result = Reconciled::default();
        self.slices.retain(|entry| {
            let there = present
                .iter()
                .any(|&(slice, reach, _)| (slice, reach) == (entry.slice, entry.reach));
            if !there {
                result.missing.push((entry.slice, entry.reach));
            }
            there
        });
        for (slice, reach, checked) in present {
            let name = naming.name(slice);
            let file = file_name(&self.game, &name, reach, checked);
            let table = Table::open(storage, &dir.join(file))?;
            check_identity(&table, &self.game, &self.options, (slice, &name), reach)?;
            let found = Entry::of(&table);
            let known = self.entry_for(slice, reach);
            if known == Some(&found) {
                continue;
            }
            if known.is_some_and(|entry| entry.blake3 == found.blake3) {
                result.renamed.push((slice, reach));
            } else {
                result.adopted.push((slice, reach));
            }
            self.adopt(&table)?;
        }
        Ok(result)
    }

    fn find(&self, slice: u32, reach: Reach) -> std::result::Result<usize, usize> {
        self.slices.binary_search_by_key(&format::order(slice, reach), Entry::order)
    }

    fn put(&mut self, entry: Entry) {
        match self.find(entry.slice, entry.reach) {
            Ok(place) => self.slices[place] = entry,
            Err(place) => self.slices.insert(place, entry),
        }
    }
}

/// The name of a table's file, checked or not.
fn file_name(game: &str, name: &str, reach: Reach, checked: bool) -> String {
    format::file_name(game, name, reach) + if checked { "" } else { UNCHECKED }
}

impl Entry {
    fn new(
        header: &Header,
        checked: bool,
        bytes: u64,
        blake3: &str,
        statistics: &Statistics,
    ) -> Self {
        let parts = header.parts.iter().zip(&statistics.parts);
        let counted = |(part, histogram): (&Part, &Histogram)| Counted {
            part: part.clone(),
            histogram: histogram.clone(),
        };
        Self {
            slice: header.slice,
            name: header.name.clone(),
            metric: header.metric.clone(),
            checked,
            holes: statistics.holes,
            parts: parts.map(counted).collect(),
            positions: header.positions,
            range: header.range,
            reach: header.reach,
            scheme: header.scheme.clone(),
            file: file_name(&header.game, &header.name, header.reach, checked),
            bytes,
            blake3: blake3.to_owned(),
            histogram: statistics.whole(),
        }
    }

    fn order(&self) -> (u32, Reverse<Reach>) {
        format::order(self.slice, self.reach)
    }

    fn of(table: &Table) -> Self {
        let (checked, blake3) = (table.is_checked(), table.blake3());
        Self::new(table.header(), checked, table.bytes(), &blake3, table.statistics())
    }
}
