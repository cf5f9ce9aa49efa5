//! Batches of words between workers: what travels through timely.

use std::io::Write;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

use crate::share::Record;

/// Words of a batch from which on it is sent: 64 KiB.
pub(crate) const FULL: usize = 8192;
/// The most positions of a run.
pub(crate) const RUN: usize = 4096;

/// What the words of a batch are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Content {
    /// Records of one level, a word each.
    #[default]
    Records = 0,
    /// Runs of states, by local numbers: a word with start and length, then four states a word.
    States = 1,
    /// Runs of values, by index: a word with start and length, then eight values a word.
    Values = 2,
    /// No words: a distance is too large to store.
    TooFar = 3,
    /// No words: all workers write a checkpoint when this level is over.
    Checkpoint = 4,
    /// Words of a round, after one that says who sent them.
    Words = 5,
}

impl Content {
    /// Whether a batch without words says something.
    fn is_said(self) -> bool {
        matches!(self, Content::TooFar | Content::Checkpoint)
    }
}

/// Words for one worker. It is the unit that timely counts and delivers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Batch {
    /// The worker.
    pub(crate) to: u32,
    pub(crate) content: Content,
    pub(crate) words: Vec<u64>,
}

impl Batch {
    pub(crate) fn new(to: u64, content: Content) -> Self {
        Batch { to: to as u32, content, words: Vec::new() }
    }

    pub(crate) fn push_record(&mut self, record: Record) {
        self.words.push(record.0);
    }

    /// Appends a run of at most [`RUN`] states.
    pub(crate) fn push_states(&mut self, start: u64, codes: &[u64]) {
        self.words.push(start << 16 | codes.len() as u64);
        let word = |four: &[u64]| four.iter().rev().fold(0, |word, &code| word << 16 | code);
        self.words.extend(codes.chunks(4).map(word));
    }

    /// Visits the runs of states.
    pub(crate) fn states(&self, mut visit: impl FnMut(u64, Vec<u64>)) {
        self.runs(4, |start, len, words| {
            let four = |word: &u64| [0, 16, 32, 48].map(|shift| word >> shift & 0xFFFF);
            visit(start, words.iter().flat_map(four).take(len).collect());
        });
    }

    /// Appends a run of at most [`RUN`] values.
    pub(crate) fn push_values(&mut self, start: u64, values: &[i8]) {
        self.words.push(start << 16 | values.len() as u64);
        let byte = |word: u64, &value: &i8| word << 8 | u64::from(value as u8);
        self.words.extend(values.chunks(8).map(|eight| eight.iter().rev().fold(0, byte)));
    }

    /// Visits the runs of values.
    pub(crate) fn values(&self, mut visit: impl FnMut(u64, &[i8])) {
        self.runs(8, |start, len, words| {
            let eight = |word: &u64| word.to_le_bytes().map(|byte| byte as i8);
            let values: Vec<i8> = words.iter().flat_map(eight).take(len).collect();
            visit(start, &values);
        });
    }

    /// Visits start, length and words of all runs, with `each` positions in a word.
    fn runs(&self, each: usize, mut visit: impl FnMut(u64, usize, &[u64])) {
        let mut words = &self.words[..];
        while let Some((head, rest)) = words.split_first() {
            let len = (head & 0xFFFF) as usize;
            let (run, rest) = rest.split_at(len.div_ceil(each).min(rest.len()));
            visit(head >> 16, len, run);
            words = rest;
        }
    }
}

impl Accountable for Batch {
    fn record_count(&self) -> i64 {
        i64::from(!self.words.is_empty() || self.content.is_said())
    }
}

impl ContainerBytes for Batch {
    fn from_bytes(bytes: Bytes) -> Self {
        let word = |eight: &[u8]| u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        let mut words = bytes.chunks_exact(8).map(word);
        let head = words.next().unwrap_or(0);
        let content = match head & 7 {
            0 => Content::Records,
            1 => Content::States,
            2 => Content::Values,
            3 => Content::TooFar,
            4 => Content::Checkpoint,
            _ => Content::Words,
        };
        Batch { to: (head >> 32) as u32, content, words: words.collect() }
    }

    fn length_in_bytes(&self) -> usize {
        8 + self.words.len() * 8
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let head = u64::from(self.to) << 32 | self.content as u64;
        let mut bytes = Vec::with_capacity(self.length_in_bytes());
        bytes.extend_from_slice(&head.to_le_bytes());
        for word in &self.words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        // The writer is a buffer in memory, of the length announced.
        writer.write_all(&bytes).expect("a buffer of the length announced");
    }
}

/// Delivers whole batches.
pub(crate) struct ByAddress;

impl Distributor<Batch> for ByAddress {
    fn partition<T: Clone, P: Push<Message<T, Batch>>>(
        &mut self,
        batch: &mut Batch,
        time: &T,
        pushers: &mut [P],
    ) {
        let to = batch.to as usize;
        Message::push_at(batch, time.clone(), &mut pushers[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Batch>>>(&mut self, _: &T, _: &mut [P]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_read_as_they_were_written() {
        let contents = [
            Content::Records,
            Content::States,
            Content::Values,
            Content::TooFar,
            Content::Checkpoint,
            Content::Words,
        ];
        for (to, content) in (1000..).zip(contents) {
            let mut batch = Batch::new(to, content);
            batch.words = vec![u64::MAX, 1, to];
            let mut bytes = Vec::new();
            batch.into_bytes(&mut bytes);
            assert_eq!(bytes.len(), batch.length_in_bytes());
            let bytes = timely::bytes::arc::BytesMut::from(bytes).freeze();
            assert_eq!(Batch::from_bytes(bytes), batch);
        }
    }

    #[test]
    fn runs_are_read_as_they_were_written() {
        let mut batch = Batch::new(3, Content::States);
        let runs = [(5, vec![1, 2, 3, 0xFFFF, 7]), (1 << 40, vec![9]), (77, (0..4096).collect())];
        for (start, codes) in &runs {
            batch.push_states(*start, codes);
        }
        let mut seen = Vec::new();
        batch.states(|start, codes| seen.push((start, codes)));
        assert_eq!(seen, runs);

        let mut batch = Batch::new(0, Content::Values);
        let runs = [(5, vec![-128, 127, 0, -1, 1, 5, 6, 7, 8]), (1 << 40, vec![-3])];
        for (start, values) in &runs {
            batch.push_values(*start, values);
        }
        let mut seen = Vec::new();
        batch.values(|start, values| seen.push((start, values.to_vec())));
        assert_eq!(seen, runs);
    }
}
