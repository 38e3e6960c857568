use std::time::{Duration, Instant};

use tracing::trace;

use super::checkpointer::Checkpointer;
use super::group::Moment;
use super::sender::Sender;
use super::stream::Stream;
use super::until::CaughtUp;
use super::{ConnectorStatus, Failure};
use crate::checkpoint::InFlight;
use crate::metrics::ConnectorMetrics;
use crate::source::{Packet, Replica};

/// Counts are handed over, and the stop flag looked at, after this many events.
const COUNT_EVERY: u32 = 256;

/// Transactions that were committed this long ago are a backlog, not the tail of the log.
const FAR_BEHIND: Duration = Duration::from_secs(1);

/// The last acknowledgements are waited for in steps of this length, between which the stop flag is looked at.
const LAST_ACKS_WAIT: Duration = Duration::from_millis(100);

/// What the reader's loop works with.
pub(super) struct Pipeline<'a> {
    pub(super) stream: &'a mut Stream,
    pub(super) sender: &'a mut Sender,
    pub(super) checkpointer: &'a Checkpointer,
    pub(super) status: &'a ConnectorStatus,
    pub(super) metrics: &'a ConnectorMetrics,
    pub(super) in_flight: &'a InFlight,
    /// Where to end, if anywhere.
    pub(super) caught_up: Option<&'a CaughtUp>,
}

impl Pipeline<'_> {
    /// Reads, decodes, routes, converts and sends until a stop is requested or something fails.
    pub(super) fn run(&mut self, replica: &mut Replica) -> Result<(), Failure> {
        let mut events = 0;
        let mut bytes = 0;
        loop {
            let idle = match replica.next(|table_id| self.stream.wants(table_id))? {
                Packet::Idle => true,
                Packet::Event(event) => {
                    trace!(event = %event.header.type_name(), pos = event.header.log_pos, "read");
                    bytes += u64::from(event.header.event_size);
                    self.stream.on_event(event, self.sender)?;
                    false
                }
            };
            // A Kafka transaction takes all that has come: each commit costs round trips.
            let behind =
                replica.has_buffered() || self.sender.waits_to_commit() && replica.has_arrived()?;
            events += 1;
            if behind && events < COUNT_EVERY {
                continue;
            }
            events = 0;
            self.metrics.binlog_bytes.inc_by(std::mem::take(&mut bytes));
            self.turn(behind, idle)?;
            replica.hurry(self.sender.waits_to_commit())?;
        }
    }

    /// What is done once nothing more is buffered, or now and then while behind.
    fn turn(&mut self, behind: bool, idle: bool) -> Result<(), Failure> {
        // Before a snapshot each row costs a question, so places would wait long for a full batch.
        if !behind || self.stream.is_before_snapshot() {
            self.sender.publish();
        }
        let lag = if idle { Duration::ZERO } else { self.stream.lag() };
        let far_behind = lag >= FAR_BEHIND;
        self.checkpointer.set_busy(behind || far_behind);
        self.stream.count();
        self.metrics.lag.set(if behind || far_behind { lag.as_secs_f64() } else { 0.0 });
        self.stream.beat(self.sender)?;
        let moment = match (behind, idle) {
            (_, true) => Moment::Idle,
            _ if far_behind => Moment::FarBehind,
            (true, _) => Moment::Reading,
            (false, _) => Moment::CaughtUp,
        };
        self.sender.settle(moment, self.caught_up.is_some())?;
        self.sender.poll(far_behind)?;
        self.status.tick();
        if let (true, Some(err)) = (idle, self.checkpointer.failure()) {
            return Err(err.into());
        }
        if self.stream.has_ended() {
            self.stream.forget_ended(&self.checkpointer.stored())?;
        }
        if self.stream.has_reached_snapshot() {
            return Err(Failure::SnapshotReached);
        }
        if !behind && self.has_caught_up() {
            return Err(Failure::StopRequested);
        }
        if self.sender.stops() {
            self.stream.place_inside(self.sender)?;
            return Err(Failure::StopRequested);
        }
        Ok(())
    }

    /// Whether everything up to the place to end at is read and acknowledged.
    fn has_caught_up(&mut self) -> bool {
        self.caught_up.is_some_and(|place| {
            place.is_read(&self.stream.position())
                && self.sender.drain(Instant::now() + LAST_ACKS_WAIT)
                && self.in_flight.look_at_durable(|offset| place.reached(offset))
        })
    }
}
