use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Boundary;
use crate::offset::{BinlogPosition, Offset};

/// How many records may be unacknowledged at once. The producer's queue is far smaller; a power of two.
pub const IN_FLIGHT_MAX: u64 = 1 << 17;

const WORD_BITS: u64 = 64;

/// The records that were sent and not yet acknowledged, and the places that wait for them.
///
/// A record's sequence number is its bit in a ring; an acknowledgement sets the bit from any thread. The
/// low watermark is the oldest sequence number that is not acknowledged.
pub struct InFlight {
    acknowledged: Box<[AtomicU64]>,
    commit_us: Box<[AtomicU64]>,
    low: AtomicU64,
    /// Places wait for [`Self::settle`], not for acknowledgements.
    in_transactions: bool,
    waiting: Mutex<Waiting>,
}

struct Waiting {
    boundaries: VecDeque<Boundary>,
    offset: Offset,
    settled: bool,
}

impl InFlight {
    /// Nothing in flight; the next record has sequence number 0 and `offset` is where it starts.
    #[must_use]
    pub fn new(offset: Offset) -> Self {
        Self::with(offset, false)
    }

    /// The same where records go in Kafka transactions: an acknowledgement says nothing there, the commit does.
    #[must_use]
    pub fn in_transactions() -> Self {
        Self::with(Offset::default(), true)
    }

    fn with(offset: Offset, in_transactions: bool) -> Self {
        let zeros = |count: u64| (0..count).map(|_| AtomicU64::new(0)).collect();
        Self {
            acknowledged: zeros(IN_FLIGHT_MAX / WORD_BITS),
            commit_us: zeros(IN_FLIGHT_MAX),
            low: AtomicU64::new(0),
            in_transactions,
            waiting: Mutex::new(Waiting { boundaries: VecDeque::new(), offset, settled: false }),
        }
    }

    /// Says where the first record starts, before it is sent.
    pub fn begin_at(&self, offset: Offset) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).offset = offset;
    }

    /// A Kafka transaction with everything sent so far, and with `offset` as its place, is committed.
    pub fn settle(&self, offset: Offset) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.move_low();
        waiting.boundaries.clear();
        waiting.offset = offset;
        waiting.settled = true;
    }

    /// When the record's transaction was committed, in microseconds since the epoch, as [`Self::sent`] was told; 0
    /// for unknown.
    pub fn committed_us(&self, sequence: u64) -> u64 {
        let slot = slot(&self.commit_us, sequence % IN_FLIGHT_MAX);
        slot.map_or(0, |slot| slot.load(Ordering::Relaxed))
    }

    /// The oldest sequence number that is not acknowledged, as of the last [`Self::advance`].
    pub fn low(&self) -> u64 {
        self.low.load(Ordering::Acquire)
    }

    /// Notes when the record's transaction was committed, in microseconds since the epoch; 0 for unknown.
    /// Called before the record is sent, by the one sender.
    pub fn sent(&self, sequence: u64, commit_us: u64) {
        if let Some(slot) = slot(&self.commit_us, sequence % IN_FLIGHT_MAX) {
            slot.store(commit_us, Ordering::Relaxed);
        }
    }

    /// Marks a record as acknowledged and gives its commit time in microseconds. From any thread.
    pub fn acknowledge(&self, sequence: u64) -> u64 {
        let index = sequence % IN_FLIGHT_MAX;
        let commit_us = self.committed_us(sequence);
        if let Some(word) = slot(&self.acknowledged, index / WORD_BITS) {
            word.fetch_or(1 << (index % WORD_BITS), Ordering::Release);
        }
        commit_us
    }

    /// Queues places that wait for their records, oldest first, and empties the batch.
    pub fn publish(&self, batch: &mut Vec<Boundary>) {
        if batch.is_empty() {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for boundary in batch.drain(..) {
            let joined = waiting.boundaries.back_mut().is_some_and(|last| last.absorb(&boundary));
            if !joined {
                waiting.boundaries.push_back(boundary);
            }
        }
    }

    /// Moves the low watermark over acknowledged records and the offset over the places behind it.
    /// Whether the offset moved.
    pub fn advance(&self) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let low = self.move_low();
        if self.in_transactions {
            return std::mem::take(&mut waiting.settled);
        }
        let mut moved = false;
        while let Some(boundary) = waiting.boundaries.pop_front() {
            if boundary.sequence > low {
                waiting.boundaries.push_front(boundary);
                break;
            }
            boundary.apply(&mut waiting.offset);
            moved = true;
        }
        moved
    }

    fn move_low(&self) -> u64 {
        let mut low = self.low.load(Ordering::Acquire);
        while let Some(word) = slot(&self.acknowledged, low % IN_FLIGHT_MAX / WORD_BITS) {
            let from = low % WORD_BITS;
            let run = u64::from((word.load(Ordering::Acquire) >> from).trailing_ones());
            if run == 0 {
                break;
            }
            let mask = if run == WORD_BITS { u64::MAX } else { ((1 << run) - 1) << from };
            word.fetch_and(!mask, Ordering::AcqRel);
            low += run;
            if from + run < WORD_BITS {
                break;
            }
        }
        self.low.store(low, Ordering::Release);
        low
    }

    /// What a message calls the transaction of a record that is not acknowledged, where its end was read.
    pub fn transaction_of(&self, sequence: u64) -> Option<String> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.boundaries.iter().find(|boundary| boundary.sequence > sequence).map(Boundary::name)
    }

    /// Whether the end of this record's transaction was read; and the end of the one before, where that waits too.
    pub fn before(&self, sequence: u64) -> Option<Option<BinlogPosition>> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let index = waiting.boundaries.iter().position(|boundary| boundary.sequence > sequence)?;
        let before = index.checked_sub(1).and_then(|before| waiting.boundaries.get(before));
        Some(before.map(Boundary::position))
    }

    /// Where a restart of the whole process would go on.
    pub fn durable_offset(&self) -> Offset {
        self.look_at_durable(Offset::clone)
    }

    /// As [`Self::durable_offset`], without a copy: its set of transactions may be long.
    pub fn look_at_durable<T>(&self, look: impl FnOnce(&Offset) -> T) -> T {
        look(&self.waiting.lock().unwrap_or_else(PoisonError::into_inner).offset)
    }

    /// Where the reader goes on after a lost connection: behind everything that it has sent.
    pub fn read_offset(&self) -> Offset {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut offset = waiting.offset.clone();
        for boundary in &waiting.boundaries {
            boundary.apply(&mut offset);
        }
        offset
    }
}

fn slot(words: &[AtomicU64], index: u64) -> Option<&AtomicU64> {
    words.get(usize::try_from(index).ok()?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::CompletedGtids;
    use super::*;

    fn boundary(sequence: u64) -> Boundary {
        Boundary {
            sequence,
            gtids: CompletedGtids::None,
            file: Arc::from("binlog.000001"),
            pos: sequence * 10,
            event: 0,
            row: 0,
            ts_sec: 1,
            server_id: 1,
            snapshot: None,
        }
    }

    #[test]
    fn offset_waits_for_the_oldest_record() {
        let in_flight = InFlight::new(Offset::default());
        in_flight.publish(&mut vec![boundary(1), boundary(2), boundary(3)]);
        in_flight.acknowledge(1);
        assert!(!in_flight.advance());
        assert_eq!(in_flight.durable_offset().position.pos, 0);
        in_flight.acknowledge(0);
        assert!(in_flight.advance());
        assert_eq!(in_flight.durable_offset().position.pos, 20);
        assert_eq!(in_flight.read_offset().position.pos, 30);
    }

    #[test]
    fn in_transactions_the_offset_waits_for_the_commit() {
        let in_flight = InFlight::in_transactions();
        in_flight.publish(&mut vec![boundary(1), boundary(2)]);
        in_flight.acknowledge(0);
        in_flight.acknowledge(1);
        assert!(!in_flight.advance());
        assert_eq!(in_flight.durable_offset().position.pos, 0);
        assert_eq!(in_flight.before(0), Some(None));
        assert_eq!(in_flight.before(1).unwrap().unwrap().pos, 10);
        assert_eq!(in_flight.before(2), None);
        in_flight.settle(in_flight.read_offset());
        assert!(in_flight.advance() && !in_flight.advance());
        assert_eq!((in_flight.low(), in_flight.durable_offset().position.pos), (2, 20));
    }

    #[test]
    fn places_without_records_between_them_join() {
        let in_flight = InFlight::new(Offset::default());
        for _ in 0..10 {
            in_flight.publish(&mut vec![boundary(7); 100]);
        }
        assert_eq!(in_flight.waiting.lock().unwrap().boundaries.len(), 1);
    }

    proptest! {
        #[test]
        fn low_watermark_is_that_of_a_naive_model(order in Just((0u64..2000).collect::<Vec<_>>()).prop_shuffle(), start in 0u64..3) {
            let in_flight = InFlight::new(Offset::default());
            let base = start * (IN_FLIGHT_MAX - 700);
            for sequence in 0..base {
                in_flight.acknowledge(sequence);
                if sequence % 1000 == 0 { in_flight.advance(); }
            }
            in_flight.advance();
            let mut seen = std::collections::BTreeSet::new();
            for sequence in order {
                in_flight.acknowledge(base + sequence);
                seen.insert(sequence);
                in_flight.advance();
                let naive = (0..).find(|n| !seen.contains(n)).unwrap();
                prop_assert_eq!(in_flight.low(), base + naive);
            }
        }
    }
}
