//! The one ordered way to the sink.

mod commit;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::group::Group;
use super::hold::{Hold, Kept};
use super::{ConnectorStatus, Failure, Stop};
use crate::checkpoint::{Boundary, IN_FLIGHT_MAX, InFlight, SpillFolder};
use crate::convert::ProducerRecord;
use crate::fault_point::fault_point;
use crate::sink::{Sink, SinkError};

/// Delivery reports are served after this many records.
const POLL_EVERY: u64 = 256;
/// Places wait in a batch of this many for the lock of the queue.
const BATCH_MAX: usize = 1000;
/// The pause while the producer's queue is full: far below its time to drain. While nothing is acknowledged it grows.
const FULL_PAUSE: Duration = Duration::from_micros(100);
const FULL_PAUSE_MAX: Duration = Duration::from_millis(10);

/// Acknowledgements are waited for in steps of this length, between signs of life.
const DRAIN_STEP: Duration = Duration::from_millis(100);
/// Without an acknowledgement for so long, although there are records, Kafka takes none.
const STALLED_AFTER: Duration = Duration::from_secs(5);
/// How long a stop waits for the rest of what cannot be gone on behind in part: what was kept back, and in Kafka
/// transactions the MySQL transaction that is being read.
const FINISH_MAX: Duration = Duration::from_secs(5);

/// The one ordered way to the sink: numbers records, keeps room, hands places to `InFlight`.
pub(super) struct Sender {
    sink: Box<dyn Sink>,
    in_flight: Arc<InFlight>,
    status: Arc<ConnectorStatus>,
    stop: Stop,
    next_sequence: u64,
    batch: Vec<Boundary>,
    held: Option<Hold>,
    /// Records that were kept back are being sent, or were in part.
    sending_held: bool,
    /// What the open Kafka transaction holds, in exactly-once delivery.
    group: Option<Group>,
    started: Instant,
    /// The oldest record that is not acknowledged, and since when it is that.
    oldest: (u64, Instant),
}

impl Sender {
    pub(super) fn new(
        sink: Box<dyn Sink>,
        in_flight: Arc<InFlight>,
        status: Arc<ConnectorStatus>,
        stop: Stop,
    ) -> Self {
        let batch = Vec::with_capacity(BATCH_MAX);
        Self {
            sink,
            in_flight,
            status,
            stop,
            next_sequence: 0,
            batch,
            held: None,
            sending_held: false,
            group: None,
            started: Instant::now(),
            oldest: (0, Instant::now()),
        }
    }

    /// Sends in Kafka transactions from here on.
    pub(super) fn in_transactions(self, group: Group) -> Self {
        Self { group: Some(group), ..self }
    }

    /// The number of the next record.
    pub(super) fn sequence(&self) -> u64 {
        self.next_sequence
    }

    /// From here on records are kept back until their transaction's outcome is known.
    pub(super) fn hold(&mut self, folder: &SpillFolder) {
        self.held = Some(Hold::new(folder.clone()));
    }

    /// Whether records are kept back, or some of them are not sent yet.
    pub(super) fn is_holding(&self) -> bool {
        self.held.is_some() || self.sending_held
    }

    /// What is kept back.
    pub(super) fn held(&mut self) -> Option<&mut Hold> {
        self.held.as_mut()
    }

    /// Gives what was kept back; from here on records are sent again.
    pub(super) fn release(&mut self) -> Option<Hold> {
        self.sending_held = false;
        self.held.take()
    }

    /// Sends what was kept back.
    pub(super) fn send_held(&mut self, held: &Hold, commit_us: u64) -> Result<(), Failure> {
        self.sending_held = true;
        held.each(|record| self.send_of_held(record, commit_us))?;
        self.sending_held = false;
        Ok(())
    }

    /// Sends the records of a transaction that was prepared.
    pub(super) fn send_kept(
        &mut self,
        kept: &Kept,
        folder: &SpillFolder,
        commit_us: u64,
    ) -> Result<(), Failure> {
        self.sending_held = true;
        kept.each(folder, |record| self.send_of_held(record, commit_us))?;
        self.sending_held = false;
        Ok(())
    }

    fn send_of_held(&mut self, record: &ProducerRecord<'_>, commit_us: u64) -> Result<(), Failure> {
        self.send(record, commit_us)?;
        fault_point("kept back and sent");
        Ok(())
    }

    /// Sends a record, waiting for room, or keeps it back.
    pub(super) fn send(
        &mut self,
        record: &ProducerRecord<'_>,
        commit_us: u64,
    ) -> Result<(), Failure> {
        if let Some(held) = &mut self.held {
            return Ok(held.add(record)?);
        }
        self.in_flight.sent(self.next_sequence, commit_us);
        loop {
            match self.sink.send(record, self.next_sequence) {
                Ok(()) => break,
                Err(SinkError::Full) => self.wait_for_room()?,
                Err(err) if err.is_of_record() => return Err(Failure::Refused(err)),
                Err(err) => return Err(err.into()),
            }
        }
        self.next_sequence += 1;
        fault_point("sent");
        if self.next_sequence.is_multiple_of(POLL_EVERY) {
            self.watch(); // An event may have more rows than that.
            self.sink.poll()?;
            self.check_group()?;
            if self.sink.is_full() || self.ring_is_full() {
                return match self.wait_for_room() {
                    Err(Failure::StopRequested) => Ok(()), // This record was sent; the next one is not.
                    waited => waited,
                };
            }
        }
        Ok(())
    }

    /// A sign of life between the steps of a longer work of the reader's; an error when a stop is requested.
    pub(super) fn waits(&self) -> Result<(), Failure> {
        self.status.tick();
        if self.stops() { Err(Failure::StopRequested) } else { Ok(()) }
    }

    /// Whether a stop is requested, and nothing is begun that should be finished before.
    pub(super) fn stops(&self) -> bool {
        let in_part = || self.sending_held || self.is_partial();
        let in_time = || self.stop.since().is_some_and(|since| since < FINISH_MAX);
        self.stop.requested() && !(in_part() && in_time())
    }

    /// Notes whether acknowledgements come.
    fn watch(&mut self) {
        let low = self.in_flight.low();
        self.status.set_in_flight(self.next_sequence - low);
        let waiting = low < self.next_sequence;
        if let Some(group) = self.group.as_mut().filter(|_| waiting) {
            group.note_pause(self.oldest.1.elapsed());
        }
        if low != self.oldest.0 || !waiting {
            // A new producer has to show that it delivers, unless there is nothing to deliver.
            if low > 0 || self.started.elapsed() >= STALLED_AFTER {
                self.status.set_stalled(false);
            }
            self.oldest = (low, Instant::now());
        } else if self.oldest.1.elapsed() >= STALLED_AFTER {
            self.status.set_stalled(true);
        }
    }

    fn ring_is_full(&self) -> bool {
        self.next_sequence - self.in_flight.low() > IN_FLIGHT_MAX - 2 * POLL_EVERY
    }

    /// Back-pressure: the reader goes on once the queue has room again, as far as its records can tell.
    fn wait_for_room(&mut self) -> Result<(), Failure> {
        self.publish();
        loop {
            if self.stops() {
                return Err(Failure::StopRequested);
            }
            self.status.tick();
            self.watch();
            let stands_still = self.oldest.1.elapsed();
            std::thread::sleep((stands_still / 2).clamp(FULL_PAUSE, FULL_PAUSE_MAX));
            self.sink.poll()?;
            self.in_flight.advance();
            if !self.sink.is_full() && !self.ring_is_full() {
                return Ok(());
            }
        }
    }

    /// Notes a place that waits for everything sent so far.
    pub(super) fn place(&mut self, boundary: Boundary) -> Result<(), Failure> {
        let Some(group) = &mut self.group else {
            self.queue(boundary);
            return Ok(());
        };
        let open_since = self.sink.open_since();
        if !boundary.is_between() {
            if group.splits(boundary.sequence, open_since) {
                self.queue(boundary);
                return self.commit();
            }
            return Ok(()); // A MySQL transaction is visible as a whole.
        }
        let commits = group.note(&boundary, open_since);
        self.queue(boundary);
        if commits {
            self.commit()?;
        }
        if self.stop.requested() { Err(Failure::StopRequested) } else { Ok(()) }
    }

    fn queue(&mut self, boundary: Boundary) {
        if !self.batch.last_mut().is_some_and(|last| last.absorb(&boundary)) {
            self.batch.push(boundary);
            if self.batch.len() >= BATCH_MAX {
                self.publish();
            }
        }
    }

    /// Hands the places over; called whenever nothing more is buffered.
    pub(super) fn publish(&mut self) {
        self.in_flight.publish(&mut self.batch);
    }

    /// Serves what has been acknowledged, and tells of a failed delivery. `far_behind`: a
    /// backlog is being read.
    pub(super) fn poll(&mut self, far_behind: bool) -> Result<(), Failure> {
        self.watch();
        self.sink.poll()?;
        Ok(self.sink.pace(far_behind)?)
    }

    /// Waits until everything is acknowledged, and committed where it goes in Kafka transactions; whether it is.
    pub(super) fn drain(&mut self, deadline: Instant) -> bool {
        self.publish();
        fault_point("draining");
        if let Some(group) = &self.group {
            let (partial, empty) = (self.is_partial(), group.is_empty(self.next_sequence));
            return !partial && (empty || self.commit_by(deadline).is_ok());
        }
        let drained = self.sink.drain(deadline);
        self.in_flight.advance();
        drained
    }

    /// Waits until everything is acknowledged, however long that takes, unless the sink fails or so long after the
    /// request to stop; whether it is.
    pub(super) fn outlast(&mut self, stop_max: Duration) -> bool {
        while !self.drain(Instant::now() + DRAIN_STEP) {
            if self.stop.since().is_some_and(|since| since >= stop_max) || self.poll(false).is_err()
            {
                return false;
            }
            self.status.tick();
        }
        true
    }

    /// Gives up what is queued behind a failure.
    pub(super) fn purge(&mut self) {
        self.publish();
        self.sink.purge();
        self.in_flight.advance();
        self.status.set_in_flight(0);
    }
}
