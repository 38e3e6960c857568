mod missed;
mod rows;
mod seek;
mod statements;

use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rows::Inside;

use super::Failure;
use super::beat::Beat;
use super::clock::{now_ms, now_us};
use super::held::Prepared;
use super::layouts::Layouts;
use super::overlap::Overlap;
use super::queries::Queries;
use super::routing::Routing;
use super::row::Dropped;
use super::sender::Sender;
use super::sent_from::SentFrom;
use super::tables::{MapFailure, Reader, Tables};
use super::transaction::Transaction;
use super::transaction_metadata::TransactionMetadata;
use crate::checkpoint::{InFlight, Store};
use crate::config::{ConnectorConfig, FailureHandling};
use crate::decode::{DecodeError, rows_table_id};
use crate::metrics::ConnectorMetrics;
use crate::offset::{BinlogPosition, Gtid, Offset};
use crate::sink::SinkError;
use crate::source::event::{self, Event};
use crate::source::{Snapshot, Unpacker};
use bumpalo::Bump;

/// Table numbers of events without rows, which only say that a statement ends.
const NO_TABLE: [u64; 2] = [0x00ff_ffff, 0xffff_ffff_ffff];
/// Inside a compressed transaction the stop flag is looked at after this many events.
const PAYLOAD_TICK_EVERY: u32 = 64;
/// The arena's size at start: a usual row with its texts.
const ARENA_BYTES: usize = 16 << 10;
/// An arena that grew beyond this for one large row is given back.
const ARENA_KEEP_BYTES: usize = 1 << 20;

/// Follows the log's events: transactions, tables, rows, places.
pub(super) struct Stream {
    config: Arc<ConnectorConfig>,
    queries: Queries,
    tables: Tables,
    routing: Rc<Routing>,
    metrics: ConnectorMetrics,
    transaction: Transaction,
    overlap: Option<Overlap>,
    arena: Bump,
    unpacker: Option<Unpacker>,
    beat: Option<Beat>,
    prepared: Prepared,
    store: Arc<Mutex<Store>>,
    transactions: u64,
    inside: Inside,
    /// The transaction's rows are dropped, as `gtid.source.filter.dml.events` says.
    of_filtered_source: bool,
    metadata: Option<TransactionMetadata>,
    sent_from: SentFrom,
    dropped: Dropped,
    /// The server has said which of its logs it reads from.
    is_placed: bool,
}

impl Stream {
    pub(super) fn new(
        config: Arc<ConnectorConfig>,
        queries: Queries,
        routing: Rc<Routing>,
        metrics: ConnectorMetrics,
        store: Arc<Mutex<Store>>,
        offset: &Offset,
        overlap: Option<Overlap>,
    ) -> Result<Self, Failure> {
        let prepared = Prepared::load(&Store::lock(&store), offset)?;
        let layouts = Layouts::load(Arc::clone(&store))?;
        let beat = Beat::new(&config, &routing);
        let metadata = TransactionMetadata::new(config.transaction_topic.as_ref(), &routing)?;
        let dropped = Dropped::new(config.router.invalid_operation, metrics.clone());
        Ok(Self {
            tables: Tables::new(&config, layouts),
            config,
            queries,
            routing,
            transaction: Transaction::new(offset),
            overlap,
            arena: Bump::with_capacity(ARENA_BYTES),
            unpacker: None,
            beat,
            prepared,
            store,
            transactions: 0,
            inside: Inside::default(),
            of_filtered_source: false,
            metadata,
            sent_from: SentFrom::default(),
            dropped,
            metrics,
            is_placed: false,
        })
    }

    /// Goes on at `offset` over a new connection.
    pub(super) fn resume(&mut self, offset: &Offset, sender: &mut Sender) {
        drop(sender.release());
        self.metadata.iter_mut().for_each(TransactionMetadata::abandon);
        self.transaction = Transaction::new(offset);
        self.tables.forget_ids();
        self.is_placed = false;
    }

    /// Whether rows of this table are wanted.
    pub(super) fn wants(&self, table_id: u64) -> bool {
        self.tables.wants(table_id)
    }

    /// Handles one event.
    pub(super) fn on_event(
        &mut self,
        event: Event<'_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let header = &event.header;
        if !header.is_artificial() {
            self.transaction.move_to(header);
        }
        self.dispatch(event, sender)
    }

    fn dispatch(&mut self, event: Event<'_>, sender: &mut Sender) -> Result<(), Failure> {
        if self.overlap.as_ref().is_some_and(Overlap::is_sought) {
            return self.seek(&event, sender);
        }
        match event.header.event_type {
            event::TABLE_MAP_EVENT => self.on_table_map(&event, sender),
            event::WRITE_ROWS_EVENT
            | event::UPDATE_ROWS_EVENT
            | event::DELETE_ROWS_EVENT
            | event::WRITE_ROWS_EVENT_V1
            | event::UPDATE_ROWS_EVENT_V1
            | event::DELETE_ROWS_EVENT_V1
            | event::PARTIAL_UPDATE_ROWS_EVENT => self.on_rows(event, sender),
            event::GTID_LOG_EVENT | event::GTID_TAGGED_LOG_EVENT => self.on_gtid(&event),
            event::ANONYMOUS_GTID_LOG_EVENT => self.on_anonymous(&event),
            event::QUERY_EVENT | event::EXECUTE_LOAD_QUERY_EVENT => self.on_query(&event, sender),
            event::XID_EVENT => self.on_commit(sender),
            event::XA_PREPARE_LOG_EVENT => self.on_xa_prepare(&event, sender),
            event::TRANSACTION_PAYLOAD_EVENT => self.on_payload(&event, sender),
            event::ROTATE_EVENT => self.on_rotate(&event),
            event::FORMAT_DESCRIPTION_EVENT => self.on_format_description(&event),
            event::HEARTBEAT_LOG_EVENT | event::HEARTBEAT_LOG_EVENT_V2 => {
                self.on_heartbeat(&event, sender)
            }
            event::ROWS_QUERY_LOG_EVENT
            | event::INTVAR_EVENT
            | event::RAND_EVENT
            | event::USER_VAR_EVENT
            | event::BEGIN_LOAD_QUERY_EVENT
            | event::APPEND_BLOCK_EVENT
            | event::DELETE_FILE_EVENT
            | event::IGNORABLE_LOG_EVENT
            | event::TRANSACTION_CONTEXT_EVENT
            | event::VIEW_CHANGE_EVENT => self.on_ignored(),
            event::PREVIOUS_GTIDS_LOG_EVENT | event::STOP_EVENT | event::SLAVE_EVENT => Ok(()),
            event::INCIDENT_EVENT => self.on_incident(&event),
            _ if event.header.is_ignorable() => self.on_ignored(),
            event_type => {
                Err(Failure::UnknownEvent { event_type, transaction: self.transaction_name() })
            }
        }
    }

    fn on_ignored(&mut self) -> Result<(), Failure> {
        if self.transaction.is_open() {
            self.transaction.event_done();
        }
        Ok(())
    }

    fn on_gtid(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        let tagged = event.header.event_type == event::GTID_TAGGED_LOG_EVENT;
        let gtid = if tagged {
            event::GtidEvent::parse_tagged(&event.body)
        } else {
            event::GtidEvent::parse(&event.body)
        };
        let gtid = gtid.map_err(|err| self.malformed(event, err))?;
        self.begin_in_overlap(Some(gtid.gtid))?;
        self.of_filtered_source = self.config.source.filters_rows_of(&gtid.gtid.source);
        self.transaction.announce(Some(gtid.gtid), &gtid, &event.header);
        Ok(())
    }

    fn begin_in_overlap(&mut self, gtid: Option<Gtid>) -> Result<(), Failure> {
        let Some(overlap) = &mut self.overlap else { return Ok(()) };
        overlap.begin(gtid, self.transaction.position())
    }

    /// Whether there is a snapshot whose rows are to be published once the stream has reached it.
    pub(super) fn is_before_snapshot(&self) -> bool {
        self.overlap.is_some()
    }

    /// Whether the rest of the log is behind that snapshot.
    pub(super) fn has_reached_snapshot(&self) -> bool {
        let is_reached = |overlap: &Overlap| {
            (overlap.is_sought() || self.transaction.is_between())
                && overlap.is_passed(&self.transaction.position())
        };
        self.is_placed && self.overlap.as_ref().is_some_and(is_reached)
    }

    /// The snapshot, whose rows are published now; none where the log up to it is still to be read.
    pub(super) fn reach_snapshot(&mut self) -> Option<Snapshot> {
        self.overlap.take_if(Overlap::is_reached).map(Overlap::into_snapshot)
    }

    fn on_anonymous(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        let anonymous =
            event::GtidEvent::parse(&event.body).map_err(|err| self.malformed(event, err))?;
        self.begin_in_overlap(None)?;
        self.transaction.announce(None, &anonymous, &event.header);
        Ok(())
    }

    fn on_rotate(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        let rotate = event::Rotate::parse(&event.body).map_err(|err| self.malformed(event, err))?;
        self.transaction.rotate(rotate.file, rotate.position);
        self.is_placed = true;
        Ok(())
    }

    fn on_format_description(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        // A server that restarted numbers its tables anew; it says so by a creation time.
        if event.header.log_pos != 0 {
            self.tables.forget_ids();
        }
        Ok(())
    }

    fn on_heartbeat(&mut self, event: &Event<'_>, sender: &mut Sender) -> Result<(), Failure> {
        let (file, pos) = self.heartbeat(event)?;
        if self.transaction.is_between() && pos > 0 {
            self.transaction.rotate(file, pos);
            sender.place(self.transaction.finish(sender.sequence()))?;
        }
        self.metrics.lag.set(0.0);
        Ok(())
    }

    /// The place that a heartbeat tells.
    fn heartbeat<'e>(&self, event: &'e Event<'_>) -> Result<(&'e str, u64), Failure> {
        let heartbeat = if event.header.event_type == event::HEARTBEAT_LOG_EVENT_V2 {
            event::Heartbeat::parse_v2(&event.body)
        } else {
            event::Heartbeat::parse(&event.body)
        };
        let heartbeat = heartbeat.map_err(|err| self.malformed(event, err))?;
        let pos = heartbeat.position.unwrap_or(u64::from(event.header.log_pos));
        Ok((heartbeat.file, pos))
    }

    fn on_incident(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        let incident =
            event::Incident::parse(&event.body).map_err(|err| self.malformed(event, err))?;
        Err(Failure::Incident {
            transaction: self.transaction_name(),
            message: String::from_utf8_lossy(incident.message).into_owned(),
        })
    }

    fn on_payload(&mut self, event: &Event<'_>, sender: &mut Sender) -> Result<(), Failure> {
        let payload =
            event::Payload::parse(&event.body).map_err(|err| self.malformed(event, err))?;
        let mut unpacker = self.unpacker.take().unwrap_or_default();
        let result = self.read_payload(&mut unpacker, &payload, sender);
        self.unpacker = Some(unpacker);
        result
    }

    fn read_payload(
        &mut self,
        unpacker: &mut Unpacker,
        payload: &event::Payload<'_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let mut inner = unpacker.read(payload)?;
        let mut events = 0_u32;
        while let Some(event) = inner.next(|table_id| self.tables.wants(table_id))? {
            self.dispatch(event, sender)?;
            events = events.wrapping_add(1);
            if events.is_multiple_of(PAYLOAD_TICK_EVERY) {
                sender.waits()?;
            }
        }
        Ok(())
    }

    fn on_table_map(&mut self, event: &Event<'_>, sender: &Sender) -> Result<(), Failure> {
        let reader = Reader {
            queries: &self.queries,
            routing: &self.routing,
            transaction: &self.transaction,
            sender,
        };
        let mapped = self.tables.map(&event.body, &reader);
        match mapped {
            Ok(()) => {}
            Err(MapFailure::Decode(err))
                if self.config.decode.inconsistent_schema != FailureHandling::Fail =>
            {
                self.tables.pass_over(&event.body);
                self.dropped.unreadable("a captured table", &err);
            }
            Err(MapFailure::Decode(source)) => return Err(self.decode_failure(*source)),
            Err(MapFailure::Failure(failure)) => return Err(failure),
        }
        self.transaction.event_done();
        Ok(())
    }

    fn on_rows(&mut self, event: Event<'_>, sender: &mut Sender) -> Result<(), Failure> {
        let id = rows_table_id(&event.body);
        if id.is_some_and(|id| !self.tables.has_map(id) && !NO_TABLE.contains(&id)) {
            return Err(self.decode_failure(DecodeError::Malformed {
                what: "table number, which no table map before it has explained",
            }));
        }
        // A transaction's count begins at its first row, wherever a restart goes on.
        let counts = self.metadata.is_some();
        let skips = self.transaction.skips_event() && !counts;
        if !skips && !self.of_filtered_source {
            self.send_rows(event, sender)?;
        }
        self.transaction.event_done();
        Ok(())
    }

    /// Sends a heartbeat record where one is due, between transactions.
    pub(super) fn beat(&mut self, sender: &mut Sender) -> Result<(), Failure> {
        let Some(beat) = self.beat.as_mut().filter(|beat| beat.is_due()) else { return Ok(()) };
        if self.transaction.is_open() {
            return Ok(());
        }
        reset(&mut self.arena);
        beat.send(now_ms(), &self.routing, &self.arena, &self.queries, sender)?;
        sender.cover();
        Ok(())
    }

    /// Says which row a refused record came from.
    pub(super) fn explain(&self, failure: Failure, in_flight: &InFlight) -> Failure {
        match failure {
            Failure::Sink(SinkError::Record { sequence, event_id, reason })
            | Failure::Refused(SinkError::Record { sequence, event_id, reason }) => {
                Failure::Delivery {
                    transaction: in_flight
                        .transaction_of(sequence)
                        .unwrap_or_else(|| self.transaction_name()),
                    table: self.sent_from.table_of(sequence).to_owned(),
                    event_id,
                    source: reason,
                }
            }
            other => other,
        }
    }

    /// Notes how far the transaction in progress was sent, so that a restart does not send it again.
    pub(super) fn place_inside(&mut self, sender: &mut Sender) -> Result<(), Failure> {
        if self.transaction.has_progress() && !sender.is_holding() {
            sender.place(self.transaction.inside(sender.sequence()))?;
        }
        Ok(())
    }

    /// Whether a prepared transaction's outcome waits for a checkpoint.
    pub(super) fn has_ended(&self) -> bool {
        self.prepared.has_ended()
    }

    /// Forgets prepared transactions whose outcome lies behind the stored checkpoint.
    pub(super) fn forget_ended(&mut self, stored: &Offset) -> Result<(), Failure> {
        let store = Store::lock(&self.store);
        Ok(self.prepared.forget(stored, &store)?)
    }

    /// How far the log is read.
    pub(super) fn position(&self) -> BinlogPosition {
        self.transaction.position()
    }

    /// Hands counts over to the metrics, once a batch of events is done.
    pub(super) fn count(&mut self) {
        self.metrics.transactions.inc_by(std::mem::take(&mut self.transactions));
    }

    /// How long ago the latest transaction was committed; zero where the log does not say.
    pub(super) fn lag(&self) -> Duration {
        match self.transaction.commit_us {
            0 => Duration::ZERO,
            commit_us => Duration::from_micros(now_us().saturating_sub(commit_us)),
        }
    }

    fn transaction_name(&self) -> String {
        self.transaction.name()
    }

    fn malformed(&self, event: &Event<'_>, source: event::EventError) -> Failure {
        let transaction = self.transaction_name();
        Failure::Event { transaction, event: event.header.type_name(), source }
    }

    fn decode_failure(&self, source: DecodeError) -> Failure {
        decode_failure(&self.transaction, source)
    }
}

fn decode_failure(transaction: &Transaction, source: DecodeError) -> Failure {
    Failure::Decode { transaction: transaction.name(), source: Box::new(source) }
}

/// Empties the arena for the next row.
fn reset(arena: &mut Bump) {
    if arena.allocated_bytes() > ARENA_KEEP_BYTES {
        *arena = Bump::with_capacity(ARENA_BYTES);
    } else {
        arena.reset();
    }
}
