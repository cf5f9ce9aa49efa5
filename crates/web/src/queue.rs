//! Slots for searches: some run at the same time, no client takes all of them, and the rest wait in
//! line.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// How many searches run and wait.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// Searches that run at the same time.
    pub running: usize,
    /// How many of them may be of one client.
    pub running_per_client: usize,
    /// Searches of one client that may wait.
    pub waiting_per_client: usize,
    /// Searches that may wait.
    pub waiting: usize,
}

/// The slots of a server and the line before them.
#[derive(Debug)]
pub struct Queue {
    capacity: Capacity,
    line: Mutex<Line>,
}

#[derive(Debug, Default)]
struct Line {
    running: usize,
    /// Running searches of every client that has some.
    running_of: HashMap<IpAddr, usize>,
    /// First come, first served among the clients that may run another search.
    waiting: VecDeque<Waiting>,
    next_id: u64,
}

#[derive(Debug)]
struct Waiting {
    id: u64,
    client: IpAddr,
    place: watch::Sender<usize>,
}

/// A place in the line, and then a slot; dropped, it is free for others.
#[derive(Debug)]
pub struct Ticket {
    queue: Arc<Queue>,
    id: u64,
    client: IpAddr,
    /// 0 for a slot, 1 for the first place in the line.
    place: watch::Receiver<usize>,
}

/// The line is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Queue {
    /// Free slots.
    pub fn new(capacity: Capacity) -> Arc<Self> {
        Arc::new(Queue { capacity, line: Mutex::default() })
    }

    /// Lines up.
    pub fn enter(self: &Arc<Self>, client: IpAddr) -> Result<Ticket, Full> {
        let mut line = self.line();
        let own = line.waiting.iter().filter(|one| one.client == client).count();
        if own >= self.capacity.waiting_per_client || line.waiting.len() >= self.capacity.waiting {
            return Err(Full);
        }
        let id = line.next_id;
        line.next_id += 1;
        let (sender, place) = watch::channel(line.waiting.len() + 1);
        line.waiting.push_back(Waiting { id, client, place: sender });
        line.advance(self.capacity);
        drop(line);
        Ok(Ticket { queue: Arc::clone(self), id, client, place })
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn running_of(&self, client: IpAddr) -> usize {
        self.running_of.get(&client).copied().unwrap_or(0)
    }

    /// Gives free slots to those who wait, and tells the others their places.
    fn advance(&mut self, capacity: Capacity) {
        while self.running < capacity.running {
            let may_run = |one: &Waiting| self.running_of(one.client) < capacity.running_per_client;
            let Some(at) = self.waiting.iter().position(may_run) else { break };
            let Some(next) = self.waiting.remove(at) else { break };
            self.running += 1;
            *self.running_of.entry(next.client).or_default() += 1;
            next.place.send_replace(0);
        }
        for (at, one) in self.waiting.iter().enumerate() {
            one.place.send_if_modified(|place| std::mem::replace(place, at + 1) != at + 1);
        }
    }
}

impl Ticket {
    /// The place in the line now; 0 where it has a slot.
    pub fn place(&mut self) -> usize {
        *self.place.borrow_and_update()
    }

    /// Waits until the place is another.
    pub async fn moved(&mut self) {
        // With a slot there is nobody left to tell another place.
        let _ = self.place.changed().await;
    }

    /// Waits for a slot.
    pub async fn turn(&mut self) {
        while self.place() > 0 {
            self.moved().await;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut line = self.queue.line();
        if *self.place.borrow() > 0 {
            line.waiting.retain(|one| one.id != self.id);
        } else {
            line.running -= 1;
            if let Some(running) = line.running_of.get_mut(&self.client) {
                *running -= 1;
                if *running == 0 {
                    line.running_of.remove(&self.client);
                }
            }
        }
        line.advance(self.queue.capacity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPACITY: Capacity =
        Capacity { running: 3, running_per_client: 2, waiting_per_client: 3, waiting: 5 };

    fn client(number: u8) -> IpAddr {
        [10, 0, 0, number].into()
    }

    fn places(tickets: &mut [Ticket]) -> Vec<usize> {
        tickets.iter_mut().map(Ticket::place).collect()
    }

    #[test]
    fn nobody_takes_every_slot() {
        let queue = Queue::new(CAPACITY);
        let enter = |number| queue.enter(client(number));
        let mut first: Vec<Ticket> = (0..5).map(|_| enter(1).expect("a place")).collect();
        assert_eq!(places(&mut first), [0, 0, 1, 2, 3]);
        assert_eq!(enter(1).expect_err("too many of one client"), Full);
        let mut other = enter(2).expect("a place");
        assert_eq!(other.place(), 0, "a slot was left");
        let mut third = enter(3).expect("a place");
        assert_eq!(third.place(), 4);
        drop(other);
        assert_eq!(third.place(), 0, "those before it have their share");
        drop(first.remove(0));
        assert_eq!(places(&mut first), [0, 0, 1, 2]);
    }

    #[test]
    fn who_leaves_the_line_is_not_waited_for() {
        let queue = Queue::new(CAPACITY);
        let mut tickets: Vec<Ticket> =
            (1..=8).map(|number| queue.enter(client(number)).expect("a place")).collect();
        assert_eq!(places(&mut tickets), [0, 0, 0, 1, 2, 3, 4, 5]);
        assert_eq!(queue.enter(client(9)).expect_err("too many wait"), Full);
        drop(tickets.remove(3));
        assert_eq!(places(&mut tickets), [0, 0, 0, 1, 2, 3, 4]);
        drop(tickets);
        let line = queue.line();
        assert_eq!((line.running, line.running_of.len(), line.waiting.len()), (0, 0, 0));
    }

    #[tokio::test]
    async fn a_slot_comes_to_who_waits() {
        let queue = Queue::new(Capacity { running: 1, ..CAPACITY });
        let first = queue.enter(client(1)).expect("a place");
        let mut second = queue.enter(client(2)).expect("a place");
        let waiter = tokio::spawn(async move {
            second.turn().await;
            second.place()
        });
        tokio::task::yield_now().await;
        drop(first);
        assert_eq!(waiter.await.expect("it ends"), 0);
    }
}
