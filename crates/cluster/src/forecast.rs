//! How long hosts would take that do not exist, from what one of them would compute and send.
//!
//! All hosts work in step: in every step each computes, then sends, then waits for the others. So a
//! step takes as long as its busiest host computes, plus as long as the network needs for the host
//! with the most bytes, plus the latency once. Nothing overlaps; the true dataflow does overlap, and
//! waits only where a level ends.

/// The owners of a trace, which are dealt to the hosts.
pub(crate) const OWNERS: usize = 64;
/// The numbers of hosts that can be forecast.
pub const HOSTS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// What the busiest host of a step does.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Load {
    /// Seconds of one thread, of the host that computes the most.
    pub seconds: f64,
    /// Bytes of the host that sends or receives the most.
    pub bytes: u64,
}

/// A step of all hosts together, by the number of hosts in [`HOSTS`].
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Step(pub [Load; HOSTS.len()]);

/// What hosts would do for a slice.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    /// Positions of the slice.
    pub positions: u64,
    /// Steps in their order.
    pub steps: Vec<Step>,
}

/// Hosts of the same kind, and what connects them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rack {
    /// Threads of every host, each as fast as the one that was measured.
    pub threads: u64,
    /// Bytes a second that a host sends, and receives at the same time.
    pub network: f64,
    /// Seconds from one host to another.
    pub latency: f64,
}

/// What some number of hosts would take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// How many.
    pub hosts: u64,
    /// Seconds in which the busiest host computes.
    pub computing: f64,
    /// Seconds in which bytes are sent.
    pub sending: f64,
    /// Seconds of latency.
    pub latency: f64,
    /// Bytes of the busiest host, all steps together.
    pub bytes: f64,
    /// Times as fast as one host.
    pub speed_up: f64,
    /// Work of the busiest host over the mean.
    pub imbalance: f64,
}

impl Forecast {
    /// Seconds in all.
    pub fn seconds(&self) -> f64 {
        self.computing + self.sending + self.latency
    }

    /// The share of the hosts that is used, 0 to 1.
    pub fn efficiency(&self) -> f64 {
        self.speed_up / self.hosts as f64
    }

    /// What takes the most time.
    pub fn limit(&self) -> &'static str {
        if self.computing >= self.sending.max(self.latency) {
            "computing"
        } else if self.sending >= self.latency {
            "bandwidth"
        } else {
            "latency"
        }
    }
}

impl Trace {
    /// Work of `seconds` in equal steps that all hosts share evenly, and in which `bytes` a position
    /// go from their owner to every other host.
    pub fn broadcast(positions: u64, seconds: f64, steps: u64, bytes: f64) -> Self {
        let steps = steps.max(1);
        let load = |hosts: u64| {
            let others = (hosts - 1) as f64 / hosts as f64;
            Load {
                seconds: seconds / steps as f64 / hosts as f64,
                bytes: (positions as f64 * bytes * others / steps as f64).ceil() as u64,
            }
        };
        Trace { positions, steps: vec![Step(HOSTS.map(load)); steps as usize] }
    }

    /// Bytes that the busiest of these hosts sends or receives, all steps together.
    fn bytes(&self, place: usize) -> f64 {
        self.steps.iter().map(|step| step.0[place].bytes as f64).sum()
    }

    fn computing(&self, place: usize) -> f64 {
        self.steps.iter().map(|step| step.0[place].seconds).sum()
    }

    /// What each number of [`HOSTS`] would take for a slice that is `scale` times as large: with as
    /// many steps, each of which computes and sends as many times more.
    pub fn forecast(&self, rack: &Rack, scale: f64) -> Vec<Forecast> {
        let threads = rack.threads.max(1) as f64;
        let alone = scale * self.computing(0);
        let one = |(place, hosts): (usize, u64)| {
            let computing = scale * self.computing(place);
            let bytes = scale * self.bytes(place);
            // Steps without any bytes need not be waited for.
            let waits = self.steps.iter().filter(|step| step.0[place].bytes > 0).count();
            let mut found = Forecast {
                hosts,
                computing: computing / threads,
                sending: bytes / rack.network,
                latency: waits as f64 * rack.latency,
                bytes,
                speed_up: 1.0,
                imbalance: if alone > 0.0 { computing * hosts as f64 / alone } else { 1.0 },
            };
            if found.seconds() > 0.0 {
                found.speed_up = alone / threads / found.seconds();
            }
            found
        };
        HOSTS.into_iter().enumerate().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RACK: Rack = Rack { threads: 1, network: 1e9, latency: 1e-4 };

    /// Steps of equal work for all hosts, of which all but one in `n` bytes travel.
    fn even(steps: usize) -> Trace {
        let load = |hosts: u64| Load {
            seconds: 0.064 / hosts as f64,
            bytes: 1_000_000 * (hosts - 1) / hosts / hosts,
        };
        Trace { positions: 1000, steps: vec![Step(HOSTS.map(load)); steps] }
    }

    #[test]
    fn one_host_takes_what_was_measured() {
        let found = even(10).forecast(&RACK, 1.0)[0];
        assert!((found.seconds() - 0.64).abs() < 1e-12);
        assert_eq!((found.hosts, found.limit()), (1, "computing"));
        assert!((found.speed_up - 1.0).abs() < 1e-12 && (found.imbalance - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_better_network_is_never_slower() {
        let trace = even(10);
        let seconds = |network, latency| -> Vec<f64> {
            let rack = Rack { network, latency, ..RACK };
            trace.forecast(&rack, 1.0).iter().map(Forecast::seconds).collect()
        };
        let best = seconds(1e12, 0.0);
        for (network, latency) in [(1e9, 0.0), (1e12, 1e-3), (1e6, 1e-2)] {
            let found = seconds(network, latency);
            assert!(best.iter().zip(&found).all(|(best, found)| best <= found));
        }
        // Where nothing is waited for, twice the hosts take half the time.
        assert!(best.windows(2).all(|pair| pair[1] < pair[0]));
        assert!(
            (trace.forecast(&Rack { network: 1e18, latency: 0.0, ..RACK }, 1.0)[6].speed_up - 64.0)
                .abs()
                < 1e-3
        );
    }

    #[test]
    fn what_limits_is_named() {
        let trace = even(10);
        let limit =
            |network, latency| trace.forecast(&Rack { network, latency, ..RACK }, 1.0)[6].limit();
        assert_eq!(limit(1e9, 0.0), "computing");
        assert_eq!(limit(1e6, 0.0), "bandwidth");
        assert_eq!(limit(1e9, 0.01), "latency");
        // Larger slices wait for the latency as often, and so for a smaller share.
        let large = trace.forecast(&Rack { latency: 0.01, ..RACK }, 100.0)[6];
        assert_eq!(large.limit(), "computing");
    }

    #[test]
    fn nothing_takes_no_time() {
        let found = Trace::default().forecast(&RACK, 1.0);
        assert!(found.iter().all(|one| one.seconds() < 1e-12 && one.efficiency() <= 1.0));
    }
}
