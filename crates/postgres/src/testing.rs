//! A PostgreSQL server in a temporary directory, for tests.
//!
//! Only local sockets are used, so servers of several tests do not meet. Run by root, the server is
//! a process of the user `postgres`, as it refuses to run as root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Address;

/// If this environment variable is set, a missing PostgreSQL is a failure.
pub const REQUIRED: &str = "NUTCRACKER_REQUIRE_POSTGRES";

/// Whether what a server has committed survives when its machine loses power.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durable {
    /// As in production.
    Yes,
    /// Nothing is synced to disk, which is faster.
    No,
}

/// A server; it is stopped and removed when it is dropped.
#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    dir: PathBuf,
}

/// The directory with PostgreSQL's programs.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<PathBuf> =
            versions.flatten().map(|version| version.path().join("bin")).collect();
        // The newest first.
        versions.sort();
        places.extend(versions.into_iter().rev());
    }
    places.into_iter().find(|place| place.join("initdb").exists() && place.join("pg_ctl").exists())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

impl Server {
    /// Starts a server; `None`, with a line on standard error, if PostgreSQL is not installed.
    pub fn start(durable: Durable) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(programs) = programs() else {
            assert!(std::env::var_os(REQUIRED).is_none(), "PostgreSQL is not installed");
            eprintln!("skipped: PostgreSQL is not installed");
            return None;
        };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("nutcracker-postgres-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir).expect("a temporary directory");
        if is_root() {
            let made = Command::new("chown").arg("postgres").arg(&dir).status();
            assert!(made.is_ok_and(|status| status.success()), "chown postgres");
        }
        let server = Server { programs, dir };
        server.call("initdb", |command| {
            command.args(["--no-sync", "--no-instructions", "--auth=trust", "--username=postgres"]);
            command.args(["--locale=C", "--encoding=UTF8", "-D"]).arg(server.data());
        });
        let settings = format!(
            "listen_addresses = ''\nunix_socket_directories = '{}'\nshared_buffers = 32MB\n\
             max_wal_size = 256MB\nfsync = {}\n",
            server.dir.display(),
            if durable == Durable::Yes { "on" } else { "off" },
        );
        server.append_settings(&settings);
        server.restart();
        Some(server)
    }

    fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    fn append_settings(&self, settings: &str) {
        let file = self.data().join("postgresql.conf");
        let mut text = fs::read_to_string(&file).expect("a configuration");
        text.push_str(settings);
        fs::write(file, text).expect("the configuration is written");
    }

    /// A program of PostgreSQL; run by root, as the user `postgres`.
    fn call(&self, program: &str, set: impl FnOnce(&mut Command)) {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--"]);
            command.arg(&program);
            command
        } else {
            Command::new(&program)
        };
        set(&mut command);
        let log = fs::File::create(self.dir.join("output")).expect("a log");
        command.current_dir(&self.dir).env("LC_ALL", "C").stdin(Stdio::null());
        command.stdout(log.try_clone().expect("a log")).stderr(log);
        let status = command.status().expect("PostgreSQL's programs run");
        let said = || fs::read_to_string(self.dir.join("output")).unwrap_or_default();
        assert!(status.success(), "{}: {}", program.display(), said());
    }

    /// Starts it after [`stop`](Server::stop), and waits until it answers.
    pub fn restart(&self) {
        self.call("pg_ctl", |command| {
            command.args(["-w", "-l"]).arg(self.dir.join("log"));
            command.arg("-D").arg(self.data()).arg("start");
        });
    }

    /// Stops it at once, as a crash would: what is not committed is lost.
    pub fn stop(&self) {
        self.call("pg_ctl", |command| {
            command.args(["-w", "-m", "immediate", "-D"]).arg(self.data()).arg("stop");
        });
    }

    /// Its address as text, for a database of its own that is always there.
    pub fn url(&self) -> String {
        format!("postgres://postgres@/postgres?host={}", self.dir.display())
    }

    /// Its address.
    pub fn address(&self) -> Address {
        Address::parse(&self.url()).expect("an address")
    }

    /// The directory of its socket.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.data().join("postmaster.pid").exists() {
            // A drop during a panic must not panic.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.stop()));
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}
