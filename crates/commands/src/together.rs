//! Several processes of this machine, or several machines, that solve together.

use std::net::{IpAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use nutcracker_cluster::{Cluster, ClusterError, Settings, Term, Token, parse_hosts};
use nutcracker_retro::{SolveError, SolverName, Stopped};

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::supervise::is_supervised;
use crate::{endpoint, machine, monitor, note};

/// What a process that was started by another is told: its number, the number of processes, and
/// the address of the first.
const PROCESS: &str = "NUTCRACKER_PROCESS";
/// The secret that it is told.
const TOKEN: &str = "NUTCRACKER_TOKEN";
/// How long processes may take to end by themselves.
const FAREWELL: Duration = Duration::from_secs(2);

/// Several processes or machines.
#[derive(Clone, Debug, clap::Args)]
pub struct Together {
    /// Solve with this many processes on this machine, each with --threads threads
    #[arg(long, value_name = "N", conflicts_with = "hosts", value_parser = clap::value_parser!(u16).range(1..=64))]
    processes: Option<u16>,
    /// Solve with several machines: a file with their addresses, one a line. Run the same command
    /// on each of them, with its own --machine; the databases are written on the first
    #[arg(long, value_name = "FILE", requires = "machine")]
    hosts: Option<PathBuf>,
    /// Which of the --hosts this machine is, from 1 on
    #[arg(long, value_name = "N", requires = "hosts")]
    machine: Option<usize>,
    /// A file with the secret that all machines share, of 16 characters or more
    #[arg(long, value_name = "FILE", requires = "hosts")]
    token_file: Option<PathBuf>,
    /// The secret itself
    #[arg(long, env = TOKEN, hide = true, hide_env_values = true)]
    token: Option<String>,
    /// How long machines wait for each other at the start
    #[arg(long, value_name = "SECONDS", requires = "hosts", default_value_t = 60)]
    wait: u32,
    /// Serve what every machine does over HTTP at this address, such as 127.0.0.1:9470, under
    /// /metrics, in the text format of Prometheus; on the first machine
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<String>,
    /// Run the command again when a machine or process is lost, until it is done
    #[arg(long)]
    supervise: bool,
    /// The time between two checkpoints inside a slice
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    checkpoint_every: u32,
    /// Slices with fewer positions are solved by the first machine alone
    #[arg(long, value_name = "N", default_value_t = 1 << 16, hide = true)]
    shared_positions: u64,
    /// Which process of which cluster this is
    #[arg(long, env = PROCESS, hide = true)]
    process: Option<String>,
}

/// A machine that works with others.
pub struct Team {
    cluster: Arc<Cluster>,
    /// Processes that this one has started.
    _processes: Processes,
    /// Whether this is the first machine.
    leads: bool,
    first: String,
    /// Where it is served what every machine does.
    metrics: Option<TcpListener>,
}

/// Processes that end with this value.
#[derive(Default)]
struct Processes(Vec<Child>);

impl Drop for Processes {
    fn drop(&mut self) {
        let deadline = Instant::now() + FAREWELL;
        for child in &mut self.0 {
            while matches!(child.try_wait(), Ok(None)) {
                if Instant::now() >= deadline {
                    let _ = child.kill();
                    let _ = child.wait();
                    break;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl Processes {
    /// Starts processes 2 to `count` with the arguments of this one.
    fn start(count: u16, address: &str, token: &str) -> Result<Self, Failure> {
        let cannot = |error: std::io::Error| {
            Failure::Failed(format!("cannot start another process: {error}"))
        };
        let program = std::env::current_exe().map_err(cannot)?;
        let mut processes = Processes::default();
        for number in 2..=count {
            let mut command = Command::new(&program);
            command
                .args(std::env::args_os().skip(1))
                .env(PROCESS, format!("{number} {count} {address}"))
                .env(TOKEN, token)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            // Ctrl-C is for the first process, which tells the others.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            processes.0.push(command.spawn().map_err(cannot)?);
        }
        Ok(processes)
    }

    /// An error if one has ended.
    fn look(&mut self) -> Result<(), ClusterError> {
        for (number, child) in (2..).zip(&mut self.0) {
            if let Ok(Some(status)) = child.try_wait() {
                return Err(ClusterError::Told(format!("process {number} has ended: {status}")));
            }
        }
        Ok(())
    }
}

impl Team {
    /// The machines, for the options of a run.
    pub fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    /// Whether this is the first machine, which writes the databases.
    pub fn leads(&self) -> bool {
        self.leads
    }

    /// The first machine, as sentences name it.
    pub fn first(&self) -> &str {
        &self.first
    }

    /// Serves what every machine does, if that was asked for; `millionths` is the share of the
    /// current slice that is done.
    pub fn serve_metrics(&mut self, millionths: Arc<AtomicU64>) -> Result<(), Failure> {
        let Some(listener) = self.metrics.take() else { return Ok(()) };
        let cluster = Arc::clone(&self.cluster);
        let text = move || {
            let done = millionths.load(Relaxed) as f64 / 1e6;
            monitor::metrics(&cluster.view(), done)
        };
        let address = endpoint::serve(listener, "/metrics", text)
            .map_err(|error| Failure::Failed(format!("cannot serve --metrics: {error}")))?;
        note(&format!("What every machine does is at http://{address}/metrics"));
        Ok(())
    }

    /// Tells the others how it ended here.
    pub fn end<T>(&self, result: &Result<T, SolveError>) {
        let sentence = match result {
            Ok(_) => None,
            Err(SolveError::Stopped(_)) => Some("stopped by a signal".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        self.cluster.end(sentence.as_deref());
    }
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        Failure::Lost(error.to_string())
    }
}

impl Together {
    /// Whether this process only runs another that does the work, again and again.
    pub fn supervises(&self) -> Result<bool, Failure> {
        if self.supervise && self.processes.is_none() && self.hosts.is_none() {
            return Err(Failure::Usage(
                "--supervise is for --processes and --hosts; alone, run the same command again"
                    .to_owned(),
            ));
        }
        Ok(self.supervise && self.process.is_none() && !is_supervised())
    }

    /// The time between two checkpoints inside a slice.
    pub fn checkpoint_every(&self) -> Duration {
        Duration::from_secs(self.checkpoint_every.into())
    }

    /// An error if the solver is not for as many machines as there are.
    pub fn check(&self, solver: Option<SolverName>) -> Result<(), Failure> {
        let many = self.processes.is_some() || self.hosts.is_some() || self.process.is_some();
        let shared = [SolverName::Cluster, SolverName::ClusterRows];
        match solver {
            Some(solver) if many && !shared.contains(&solver) => Err(Failure::Usage(format!(
                "--solver {solver} is for one machine; several have cluster and cluster-rows"
            ))),
            Some(solver) if !many && shared.contains(&solver) => Err(Failure::Usage(format!(
                "--solver {solver} is for several machines; give --processes or --hosts"
            ))),
            _ => Ok(()),
        }
    }

    /// How many processes share this machine.
    pub fn processes(&self) -> usize {
        self.processes.unwrap_or(1).into()
    }

    /// Meets the other machines; `None` where this one works alone.
    pub fn meet(
        &self,
        threads: usize,
        terms: Vec<Term>,
        interrupt: &Interrupt,
    ) -> Result<Option<Team>, Failure> {
        let settings = |token: &str| {
            Ok::<_, Failure>(Settings {
                token: Token::new(token).ok_or_else(|| {
                    Failure::Usage("a token has 16 characters or more".to_owned())
                })?,
                threads,
                terms,
                smallest: self.shared_positions,
                patience: Duration::from_secs(self.wait.into()),
                memory: machine::resident_memory,
            })
        };
        let metrics = self.metrics_listener()?;
        let team = if let (Some(process), Some(token)) = (&self.process, &self.token) {
            follow(process, settings(token)?, interrupt)
        } else if let Some(count) = self.processes {
            let token = Token::random_text()?;
            lead_processes(count, &token, settings(&token)?, interrupt)
        } else if let (Some(hosts), Some(machine)) = (&self.hosts, self.machine) {
            let text = std::fs::read_to_string(hosts).map_err(|error| {
                Failure::Failed(format!("cannot read {}: {error}", hosts.display()))
            })?;
            let hosts = parse_hosts(&text)
                .map_err(|error| Failure::Usage(format!("{}: {error}", hosts.display())))?;
            meet_hosts(&hosts, machine, settings(&self.secret()?)?, interrupt)
        } else {
            return Ok(None);
        };
        Ok(Some(Team { metrics, ..team? }))
    }

    /// Where --metrics is served, on the first machine; others are started with the same arguments.
    fn metrics_listener(&self) -> Result<Option<TcpListener>, Failure> {
        let Some(address) = &self.metrics else { return Ok(None) };
        if self.processes.is_none() && self.hosts.is_none() {
            let sentence = "--metrics is for several processes or machines; give --processes or \
                            --hosts, too";
            return Err(Failure::Usage(sentence.to_owned()));
        }
        if self.process.is_some() || self.machine.is_some_and(|machine| machine > 1) {
            return Ok(None);
        }
        TcpListener::bind(address).map(Some).map_err(|error| {
            Failure::Failed(format!("cannot serve --metrics at {address}: {error}"))
        })
    }

    fn secret(&self) -> Result<String, Failure> {
        match (&self.token, &self.token_file) {
            (_, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
                Failure::Failed(format!("cannot read {}: {error}", file.display()))
            }),
            (Some(token), None) => Ok(token.clone()),
            (None, None) => Err(Failure::Usage(format!(
                "machines need a token; give it with --token-file or in {TOKEN}"
            ))),
        }
    }
}

fn listen(address: &str) -> Result<(TcpListener, String), Failure> {
    let listener = TcpListener::bind(address);
    let found = listener.and_then(|listener| {
        let address = listener.local_addr()?.to_string();
        Ok((listener, address))
    });
    found.map_err(|source| ClusterError::Listen { address: address.to_owned(), source }.into())
}

/// An error if a signal has requested a stop.
fn look(interrupt: &Interrupt) -> Result<(), ClusterError> {
    if interrupt.requested() { Err(Stopped.into()) } else { Ok(()) }
}

/// The failure to meet: by a signal, or for a reason.
fn failed(error: ClusterError, interrupt: &Interrupt) -> Failure {
    match error {
        ClusterError::Stopped(stopped) => Failure::Stopped(stopped.to_string(), interrupt.code()),
        error => error.into(),
    }
}

/// The first of several processes, which starts the others.
fn lead_processes(
    count: u16,
    token: &str,
    settings: Settings,
    interrupt: &Interrupt,
) -> Result<Team, Failure> {
    let (listener, address) = listen("127.0.0.1:0")?;
    let mut processes = Processes::start(count, &address, token)?;
    let labels: Vec<String> = (1..=count).map(|number| format!("process {number}")).collect();
    let cluster = Cluster::lead(listener, &address, &labels, settings, &mut || {
        look(interrupt)?;
        processes.look()
    });
    let cluster = Arc::new(cluster.map_err(|error| failed(error, interrupt))?);
    Ok(Team {
        cluster,
        _processes: processes,
        leads: true,
        first: labels[0].clone(),
        metrics: None,
    })
}

/// One of several processes, started by the first.
fn follow(process: &str, settings: Settings, interrupt: &Interrupt) -> Result<Team, Failure> {
    let wrong = || Failure::Usage(format!("{PROCESS} is for processes that --processes starts"));
    let mut words = process.split(' ');
    let number: Option<usize> = words.next().and_then(|number| number.parse().ok());
    let number = number.filter(|&number| number > 1).ok_or_else(wrong)?;
    let first = words.nth(1).ok_or_else(wrong)?;
    let (listener, address) = listen("127.0.0.1:0")?;
    let label = "process 1";
    let cluster =
        Cluster::join(listener, &address, number - 1, (first, label), settings, &mut || {
            look(interrupt)
        });
    let cluster = Arc::new(cluster.map_err(|error| failed(error, interrupt))?);
    let first = label.to_owned();
    Ok(Team { cluster, _processes: Processes::default(), leads: false, first, metrics: None })
}

/// One of several machines.
fn meet_hosts(
    hosts: &[String],
    machine: usize,
    settings: Settings,
    interrupt: &Interrupt,
) -> Result<Team, Failure> {
    let own = machine.checked_sub(1).and_then(|place| hosts.get(place)).ok_or_else(|| {
        Failure::Usage(format!("--machine is 1 to {}, the number of --hosts", hosts.len()))
    })?;
    let labels: Vec<String> =
        (1..).zip(hosts).map(|(number, host)| format!("machine {number} ({host})")).collect();
    let (listener, _) = listen(&listening(own))?;
    note(&format!(
        "This is {}; waiting for the others, up to {} seconds",
        labels[machine - 1],
        settings.patience.as_secs()
    ));
    let mut look = || look(interrupt);
    let cluster = if machine == 1 {
        Cluster::lead(listener, own, &labels, settings, &mut look)
    } else {
        let first = (&*hosts[0], &*labels[0]);
        Cluster::join(listener, own, machine - 1, first, settings, &mut look)
    };
    let cluster = Arc::new(cluster.map_err(|error| failed(error, interrupt))?);
    let first = labels[0].clone();
    Ok(Team {
        cluster,
        _processes: Processes::default(),
        leads: machine == 1,
        first,
        metrics: None,
    })
}

/// Where to listen to be reached as `address`: a machine may not know itself by the name that
/// others call it by, so on all its addresses, unless this one is for itself only.
fn listening(address: &str) -> String {
    let ip = address.to_socket_addrs().ok().and_then(|mut found| found.next());
    let (host, port) = address.rsplit_once(':').unwrap_or((address, "0"));
    let is_name = host.parse::<IpAddr>().is_err() && !host.starts_with('[');
    match ip.map(|found| found.ip()) {
        Some(ip) if ip.is_loopback() && !is_name => address.to_owned(),
        Some(IpAddr::V6(_)) => format!("[::]:{port}"),
        _ => format!("0.0.0.0:{port}"),
    }
}
