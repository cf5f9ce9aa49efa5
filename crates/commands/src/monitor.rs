//! All machines of a cluster in one view: for people, and in the text format of Prometheus.

use std::fmt::Write;

use nutcracker_cluster::{Activity, MachineView, imbalance};

use crate::number::{rate, size};
use crate::table;

/// What a machine does, in words.
fn words(activity: Activity) -> &'static str {
    match activity {
        Activity::Alone => "works alone",
        Activity::Next => "waits for the first",
        Activity::Tables => "waits for tables",
        Activity::Others => "waits for the others",
        Activity::Computing => "computes",
        Activity::Records => "waits for records",
    }
}

/// A table with a line for each machine, and one for all of them.
pub fn lines(machines: &[MachineView]) -> String {
    let mut rows: Vec<Vec<String>> = machines
        .iter()
        .map(|MachineView { label, status, rate: positions, share, .. }| {
            vec![
                label.clone(),
                rate(*positions, 1.0),
                format!("{:.0}%", 100.0 * share),
                size(status.sent),
                status.memory.map_or_else(|| "-".to_owned(), size),
                format!("{}%", status.waiting),
                words(status.activity).to_owned(),
            ]
        })
        .collect();
    let sum = |value: fn(&MachineView) -> u64| machines.iter().map(value).sum::<u64>();
    let waiting = sum(|machine| machine.status.waiting.into());
    rows.push(vec![
        "all".to_owned(),
        rate(machines.iter().map(|machine| machine.rate).sum(), 1.0),
        "100%".to_owned(),
        size(sum(|machine| machine.status.sent)),
        size(sum(|machine| machine.status.memory.unwrap_or(0))),
        format!("{}%", waiting.checked_div(machines.len() as u64).unwrap_or(0)),
        format!("imbalance {:.2}", imbalance(machines)),
    ]);
    let header = ["machine", "positions", "share", "sent", "memory", "waiting", "does"];
    table::render(&header, &[0, 6], rows)
}

/// What matters of all of them in one line.
pub fn line(machines: &[MachineView]) -> String {
    let sent: u64 = machines.iter().map(|machine| machine.status.sent).sum();
    let memory = machines.iter().filter_map(|machine| machine.status.memory).max();
    let mut text = format!("imbalance {:.2}, {} sent", imbalance(machines), size(sent));
    if let Some(memory) = memory {
        let _ = write!(text, ", at most {} of memory", size(memory));
    }
    let waits: Vec<String> = machines
        .iter()
        .filter(|machine| !matches!(machine.status.activity, Activity::Alone | Activity::Computing))
        .map(|machine| format!("{} {}", machine.label, words(machine.status.activity)))
        .collect();
    if !waits.is_empty() {
        let _ = write!(text, "; {}", waits.join(", "));
    }
    text
}

/// A name as the value of a label.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// A value of a machine, where it is known.
type Value = fn(&MachineView) -> Option<f64>;

/// The same for Prometheus. `done` is the share of the current slice that is done, 0 to 1.
pub fn metrics(machines: &[MachineView], done: f64) -> String {
    let mut out = String::new();
    let head = |out: &mut String, name: &str, kind: &str, help: &str| {
        let _ = writeln!(out, "# HELP nutcracker_cluster_{name} {help}");
        let _ = writeln!(out, "# TYPE nutcracker_cluster_{name} {kind}");
    };
    let gauges = [
        ("machines", "Machines that solve together.", machines.len() as f64),
        ("slice_done_ratio", "Share of the current slice that is done, 0 to 1.", done),
        ("imbalance_ratio", "Largest share of a machine over the mean.", imbalance(machines)),
    ];
    for (name, help, value) in gauges {
        head(&mut out, name, "gauge", help);
        let _ = writeln!(out, "nutcracker_cluster_{name} {value}");
    }
    let values: [(&str, &str, &str, Value); 10] = [
        ("slices_total", "counter", "Slices begun together.", |one| Some(one.status.slices as f64)),
        ("positions_total", "counter", "Positions entered and settled.", |one| {
            Some(one.status.positions as f64)
        }),
        ("positions_per_second", "gauge", "The same, over the last seconds.", |one| Some(one.rate)),
        ("share_ratio", "gauge", "Share of what was done of the slice, 0 to 1.", |one| {
            Some(one.share)
        }),
        ("sent_bytes_total", "counter", "Bytes sent to other machines.", |one| {
            Some(one.status.sent as f64)
        }),
        ("received_bytes_total", "counter", "Bytes received from other machines.", |one| {
            Some(one.status.received as f64)
        }),
        ("resident_bytes", "gauge", "Memory that is resident.", |one| {
            one.status.memory.map(|memory| memory as f64)
        }),
        ("waiting_ratio", "gauge", "Share of the last second spent waiting, 0 to 1.", |one| {
            Some(f64::from(one.status.waiting) / 100.0)
        }),
        ("level", "gauge", "The level it works on; 0 before and after.", |one| {
            Some(one.status.level as f64)
        }),
        ("silence_seconds", "gauge", "Seconds since it was heard of.", |one| Some(one.silence)),
    ];
    for (name, kind, help, value) in values {
        head(&mut out, name, kind, help);
        for machine in machines {
            if let Some(value) = value(machine) {
                let label = escaped(&machine.label);
                let _ = writeln!(out, "nutcracker_cluster_{name}{{machine=\"{label}\"}} {value}");
            }
        }
    }
    head(&mut out, "activity", "gauge", "1 for what a machine does, 0 for anything else.");
    for machine in machines {
        let label = escaped(&machine.label);
        for activity in Activity::ALL {
            let (name, is) = (activity.name(), u8::from(machine.status.activity == activity));
            let _ = writeln!(
                out,
                "nutcracker_cluster_activity{{machine=\"{label}\",activity=\"{name}\"}} {is}"
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use nutcracker_cluster::Status;

    use super::*;

    fn two() -> Vec<MachineView> {
        let status = Status {
            sent: 3 << 20,
            memory: Some(90 << 20),
            waiting: 12,
            activity: Activity::Computing,
            positions: 5_000_000,
            ..Status::default()
        };
        let first = MachineView {
            label: "machine 1 (a:4850)".to_owned(),
            status,
            rate: 1_500_000.0,
            silence: 0.5,
            share: 0.6,
        };
        let waits = Status { activity: Activity::Records, memory: None, ..status };
        let label = "machine \"2\"".to_owned();
        let second = MachineView { label, status: waits, share: 0.4, ..first.clone() };
        vec![first, second]
    }

    #[test]
    fn for_people() {
        let text = lines(&two());
        let lines: Vec<&str> = text.lines().collect();
        let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(0), "machine positions share sent memory waiting does");
        assert_eq!(words(2), "machine 1 (a:4850) 1.5 M/s 60% 3.0 MiB 90.0 MiB 12% computes");
        // Aligned: what is done begins in one column.
        assert_eq!(lines[0].find("does"), lines[2].find("computes"));
        assert!(lines[3].ends_with("waits for records"), "{text}");
        assert_eq!(words(4), "all 3.0 M/s 100% 6.0 MiB 90.0 MiB 12% imbalance 1.20");
        assert_eq!(
            line(&two()),
            "imbalance 1.20, 6.0 MiB sent, at most 90.0 MiB of memory; machine \"2\" waits for \
             records"
        );
    }

    #[test]
    fn for_prometheus() {
        let text = metrics(&two(), 0.25);
        for line in [
            "nutcracker_cluster_machines 2",
            "nutcracker_cluster_slice_done_ratio 0.25",
            "nutcracker_cluster_imbalance_ratio 1.2",
            "nutcracker_cluster_positions_total{machine=\"machine 1 (a:4850)\"} 5000000",
            "nutcracker_cluster_resident_bytes{machine=\"machine 1 (a:4850)\"} 94371840",
            "nutcracker_cluster_share_ratio{machine=\"machine \\\"2\\\"\"} 0.4",
            "nutcracker_cluster_activity{machine=\"machine \\\"2\\\"\",activity=\"records\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        // What is not known is left out.
        assert!(!text.contains("resident_bytes{machine=\"machine \\\"2"), "{text}");
    }
}
