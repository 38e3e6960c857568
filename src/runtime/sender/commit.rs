//! Exactly-once delivery: when the Kafka transaction is committed. Without it nothing here does anything.

use std::time::{Duration, Instant};

use super::{FINISH_MAX, Sender};
use crate::offset::BinlogPosition;
use crate::runtime::Failure;
use crate::runtime::group::{Group, Moment};
use crate::sink::SinkError;

/// A commit may take this long before the transaction counts as lost: beyond every usual `transaction.timeout.ms`.
const COMMIT_MAX: Duration = Duration::from_secs(60);
/// One step of it, between signs of life.
const COMMIT_STEP: Duration = Duration::from_millis(500);

impl Sender {
    /// Commits where now is the time for it. With `eager` a position without records does not wait.
    pub(in crate::runtime) fn settle(
        &mut self,
        moment: Moment,
        eager: bool,
    ) -> Result<(), Failure> {
        let Some(group) = &mut self.group else { return Ok(()) };
        if group.is_due(self.next_sequence, moment, eager) {
            return self.commit();
        }
        match self.check_group() {
            Err(_) if moment == Moment::Idle => {
                let reason = "MySQL has stopped in the middle of a transaction";
                Err(Failure::Sink(SinkError::Transaction(reason.into())))
            }
            checked => checked,
        }
    }

    /// Whether there is something to commit as soon as nothing more comes.
    pub(in crate::runtime) fn waits_to_commit(&self) -> bool {
        self.group.as_ref().is_some_and(|group| group.has_records(self.next_sequence))
    }

    /// Commits the position where everything begins, which tells others who goes on from there.
    pub(in crate::runtime) fn commit_start(&mut self) -> Result<(), Failure> {
        if self.group.is_some() { self.commit() } else { Ok(()) }
    }

    /// What was sent since the last place is no part of a MySQL transaction.
    pub(in crate::runtime) fn cover(&mut self) {
        if let Some(group) = &mut self.group {
            group.cover(self.next_sequence);
        }
    }

    /// Commits what a snapshot has sent so far, where it may be split and is large enough.
    pub(in crate::runtime) fn split_snapshot(&mut self) -> Result<(), Failure> {
        let open_since = self.sink.open_since();
        if self.group.as_ref().is_some_and(|group| group.splits(self.next_sequence, open_since)) {
            return self.commit();
        }
        self.check_group()
    }

    /// Whether records of an unfinished MySQL transaction are in the open Kafka transaction.
    pub(in crate::runtime) fn is_partial(&self) -> bool {
        self.group.as_ref().is_some_and(|group| group.is_partial(self.next_sequence))
    }

    /// Where the MySQL transaction begins that cannot be published, the one of the record `sequence` or else the one that
    /// is being read, if others before it wait for the same commit.
    pub(in crate::runtime) fn border(&mut self, sequence: Option<u64>) -> Option<BinlogPosition> {
        self.publish();
        let whole = self.group.as_ref().is_some_and(Group::has_whole);
        let before = sequence.and_then(|sequence| self.in_flight.before(sequence));
        before.unwrap_or_else(|| whole.then(|| self.in_flight.read_offset().position))
    }

    /// An unfinished MySQL transaction must leave time for its commit.
    pub(super) fn check_group(&mut self) -> Result<(), Failure> {
        let Some(group) = &mut self.group else { return Ok(()) };
        group.note_look();
        let Some(since) = self.sink.open_since() else { return Ok(()) };
        let Some((rows, open)) = group.overdue(self.next_sequence, since) else { return Ok(()) };
        Err(Failure::Sink(if group.was_held_up() {
            let reason = "it was open for too long while nothing went on; where that comes again and again, raise \
                          producer.override.transaction.timeout.ms";
            SinkError::Transaction(reason.into())
        } else {
            SinkError::TransactionTooLarge { rows, seconds: open.as_secs() }
        }))
    }

    /// Commits everything sent so far, with the last place as the position.
    pub(super) fn commit(&mut self) -> Result<(), Failure> {
        self.commit_by(Instant::now() + COMMIT_MAX)
    }

    pub(super) fn commit_by(&mut self, deadline: Instant) -> Result<(), Failure> {
        self.publish();
        let position = self.in_flight.read_offset();
        while !self.sink.commit(&position, deadline.min(Instant::now() + COMMIT_STEP))? {
            self.in_flight.advance();
            self.status.tick();
            self.watch();
            if Instant::now() >= deadline {
                let reason = "its commit got no answer in time".to_owned();
                return Err(Failure::Sink(SinkError::Transaction(reason)));
            }
            if self.stop.since().is_some_and(|since| since >= FINISH_MAX)
                && deadline > Instant::now() + FINISH_MAX * 2
            {
                return Err(Failure::StopRequested); // The end has a deadline of its own.
            }
        }
        self.in_flight.settle(position);
        if let Some(group) = &mut self.group {
            group.committed(self.next_sequence, &self.in_flight);
        }
        Ok(())
    }
}
