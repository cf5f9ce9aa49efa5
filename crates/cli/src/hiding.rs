//! The files on disk without some of them: so that one file of a slice is looked at though a better
//! one is beside it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use nutcracker_table::{Disk, ReadAt, Storage, WriteFile};

/// Files on disk, read without maps, of which some are not listed.
#[derive(Debug)]
pub struct Hiding {
    disk: Disk,
    names: Vec<String>,
}

impl Hiding {
    /// All files but those with these names.
    pub fn new(names: Vec<String>) -> Self {
        Hiding { disk: Disk { map: false }, names }
    }
}

impl Storage for Hiding {
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        self.disk.create(path)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        self.disk.open(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.disk.create_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.disk.sync_dir(dir)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let mut names = self.disk.list(dir)?;
        names.retain(|name| !self.names.contains(name));
        Ok(names)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.disk.exists(path)
    }
}
