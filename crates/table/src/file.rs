//! File access behind small traits, so that tests can inject failures and crashes.

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

/// The interface of file systems.
pub trait Storage: Send + Sync + fmt::Debug {
    /// Creates or truncates a file for writing.
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>>;
    /// Opens a file for reading. It must not change while it is open.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>>;
    /// Renames a file, atomically replacing one of the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames a file, unless there is one of the new name: then an error of kind `AlreadyExists`.
    /// Both names may exist for a moment.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Creates or truncates a file for random access.
    fn create_random(&self, path: &Path) -> io::Result<Box<dyn RandomFile>>;
    /// Creates a file for random access; of several that try at once, on whatever machines, one
    /// succeeds. An error of kind `AlreadyExists` if there is one.
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn RandomFile>>;
    /// Opens a file for random access.
    fn open_random(&self, path: &Path) -> io::Result<Box<dyn RandomFile>>;
    /// Removes a directory with its contents; no error if there is none. A process that dies
    /// meanwhile leaves all of it or nothing under that name; what remains under the name that
    /// [`REMOVED`] ends can be removed at any time.
    fn remove_dir(&self, dir: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Creates a directory with its parents, unless it exists.
    fn create_dir(&self, dir: &Path) -> io::Result<()>;
    /// Makes renames and new names in a directory durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
    /// The names of the files and directories in a directory, sorted.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;
    /// Whether a file exists.
    fn exists(&self, path: &Path) -> io::Result<bool>;
}

/// How the name of a directory ends while it is removed.
pub const REMOVED: &str = ".removed";

/// A file being written, in sequence. Writes may be short, as those of [`io::Write`] may.
pub trait WriteFile: io::Write + Send {
    /// Returns when all that was written is durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// A file for random access, by any number of threads.
pub trait RandomFile: Send + Sync + fmt::Debug {
    /// The length in bytes.
    fn size(&self) -> io::Result<u64>;
    /// Sets the length of the file, and allocates its disk space where that is possible.
    fn allocate(&self, len: u64) -> io::Result<()>;
    /// Fills `buf` from `offset` on; an error if the file ends before.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()>;
    /// Writes all of `bytes` at `offset`.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Returns when all that was written is durable.
    fn sync(&self) -> io::Result<()>;
    /// A hint that these bytes will be read soon.
    fn will_read(&self, _offset: u64, _len: u64) {}
    /// A hint that writing these bytes is complete for now: they can go to the disk.
    fn written(&self, _offset: u64, _len: u64) {}
}

/// A file for random reads, by any number of threads.
pub trait ReadAt: Send + Sync + fmt::Debug {
    /// The length in bytes.
    fn len(&self) -> u64;

    /// Fills `buf` from `offset` on; an error if the file ends before.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()>;

    /// The whole file, if it is in memory or mapped.
    fn as_slice(&self) -> Option<&[u8]> {
        None
    }

    /// Whether the file is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A range of the file, without a copy where that is possible. Nothing is allocated for a range
    /// beyond the end.
    fn bytes(&self, offset: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        let end = offset.checked_add(len as u64).filter(|&end| end <= self.len());
        let Some(end) = end else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        if let Some(part) = self.as_slice().and_then(|all| all.get(offset as usize..end as usize)) {
            return Ok(Cow::Borrowed(part));
        }
        let mut buf = vec![0; len];
        self.read_at(&mut buf, offset)?;
        Ok(Cow::Owned(buf))
    }
}

/// The file system.
#[derive(Clone, Copy, Debug)]
pub struct Disk {
    /// Read through memory maps, which is faster; if not, by a system call for each block, which
    /// reports a failing disk as an error where a map would kill the process.
    pub map: bool,
}

impl Default for Disk {
    fn default() -> Self {
        Self { map: true }
    }
}

impl Storage for Disk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Ok(Box::new(File::create(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        let mut options = OpenOptions::new();
        options.read(true);
        // Opening a pipe must not block; regular files are not affected.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            rustix::fs::OFlags::NONBLOCK.bits() as i32,
        );
        let file = options.open(path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        // An empty file cannot be mapped everywhere.
        if self.map && meta.len() > 0 {
            return Ok(Arc::new(Mapped { map: map(&file)? }));
        }
        Ok(Arc::new(Plain { file: positioned(file), len: meta.len() }))
    }

    fn create_random(&self, path: &Path) -> io::Result<Box<dyn RandomFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        Ok(Box::new(Random(options.open(path)?)))
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn RandomFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        Ok(Box::new(Random(options.open(path)?)))
    }

    fn open_random(&self, path: &Path) -> io::Result<Box<dyn RandomFile>> {
        Ok(Box::new(Random(OpenOptions::new().read(true).write(true).open(path)?)))
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        let mut removed = dir.as_os_str().to_owned();
        removed.push(REMOVED);
        let removed = Path::new(&removed);
        remove_all(removed)?;
        match fs::rename(dir, removed) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            renamed => renamed?,
        }
        // The new name lasts before the first file is gone.
        self.sync_dir(dir.parent().unwrap_or(Path::new("")))?;
        remove_all(removed)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
                ) =>
            {
                Err(error)
            }
            // A file system without links.
            Err(_) if to.try_exists()? => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        // Elsewhere a directory cannot be opened as a file, and a rename is durable by itself.
        if cfg!(unix) {
            File::open(if dir.as_os_str().is_empty() { Path::new(".") } else { dir })?
                .sync_all()?;
        }
        Ok(())
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(dir)? {
            // A name that is not UTF-8 is not one of ours.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        path.try_exists()
    }
}

impl WriteFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

#[derive(Debug)]
struct Random(File);

#[cfg(unix)]
impl RandomFile for Random {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::{Errno, retry_on_intr};
        if len == 0 {
            return self.0.set_len(0);
        }
        match retry_on_intr(|| fallocate(&self.0, FallocateFlags::empty(), 0, len)) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => self.0.set_len(len),
            done => done.map_err(|error| {
                // A partly allocated file is of no use, and others need the space.
                let _ = self.0.set_len(0);
                error.into()
            }),
        }
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, buf, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.0, bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn will_read(&self, offset: u64, len: u64) {
        advise(&self.0, offset, len, rustix::fs::Advice::WillNeed);
    }

    fn written(&self, offset: u64, len: u64) {
        // For dirty pages this starts to write them, and no more.
        advise(&self.0, offset, len, rustix::fs::Advice::DontNeed);
    }
}

/// Advice is a hint: everything works without it.
#[cfg(unix)]
fn advise(file: &File, offset: u64, len: u64, advice: rustix::fs::Advice) {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    if let Some(len) = std::num::NonZero::new(len) {
        let _ = rustix::fs::fadvise(file, offset, Some(len), advice);
    }
}

#[derive(Debug)]
struct Mapped {
    map: Mmap,
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: a map is undefined behaviour if the file changes beneath it. Finished tables are
    // never changed, at most removed, and a manifest is replaced by a rename, which both leave
    // mapped files as they are; and values from the map are only believed after their checksum
    // was right.
    unsafe { Mmap::map(file) }
}

/// Removes a directory file by file, if there is one.
fn remove_all(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

impl ReadAt for Mapped {
    fn len(&self) -> u64 {
        self.map.len() as u64
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let part = self.map.get(start..).and_then(|rest| rest.get(..buf.len()));
        buf.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn as_slice(&self) -> Option<&[u8]> {
        Some(&self.map)
    }
}

#[cfg(unix)]
type Positioned = File;
#[cfg(not(unix))]
type Positioned = std::sync::Mutex<File>;

#[cfg(unix)]
fn positioned(file: File) -> Positioned {
    file
}
#[cfg(not(unix))]
fn positioned(file: File) -> Positioned {
    std::sync::Mutex::new(file)
}

#[derive(Debug)]
struct Plain {
    file: Positioned,
    len: u64,
}

impl ReadAt for Plain {
    fn len(&self) -> u64 {
        self.len
    }

    #[cfg(unix)]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, buf, offset)
    }

    #[cfg(not(unix))]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buf)
    }
}
