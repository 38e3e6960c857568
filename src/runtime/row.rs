use std::time::{Duration, Instant};

use bumpalo::Bump;
use tracing::{error, warn};

use super::Failure;
use super::errors::FailedRow;
use super::routing::Routing;
use super::sender::Sender;
use super::tables::Captured;
use super::transaction::Transaction;
use super::transaction_metadata::TransactionMetadata;
use crate::config::InvalidOperation;
use crate::connect::{Cell, RowChange, SourceRecord};
use crate::convert::{ConvertError, ProducerRecord};
use crate::decode::DecodeError;
use crate::metrics::ConnectorMetrics;
use crate::route::{DropReason, ExpandWarning, RouteError, Routed, RouterPlan};

/// Repeated warnings are held back for this long.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// One row on its way to the router.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) table: &'a Captured,
    pub(super) plan: &'a RouterPlan,
    pub(super) change: &'a RowChange<'a>,
    /// The time of processing, in milliseconds since the epoch.
    pub(super) now_ms: i64,
}

/// What a row needs on its way.
pub(super) struct RowContext<'a> {
    pub(super) routing: &'a Routing,
    pub(super) arena: &'a Bump,
    pub(super) transaction: &'a Transaction,
    pub(super) dropped: &'a mut Dropped,
    pub(super) metadata: Option<&'a mut TransactionMetadata>,
}

impl<'a> RowContext<'a> {
    /// Passes a row over that failed, where `errors.tolerance` says so.
    #[inline]
    pub(super) fn tolerate(
        &mut self,
        result: Result<(), Failure>,
        table: &Captured,
        cells: &[Cell<'a>],
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let Err(failure) = result else { return Ok(()) };
        let tolerance = &self.routing.tolerance;
        if !tolerance.covers(&failure) {
            return Err(failure);
        }
        let (transaction, arena) = (self.transaction, self.arena);
        let metrics = &self.dropped.metrics;
        let row = FailedRow { table, cells, transaction, arena, metrics };
        tolerance.pass(&failure, &row, sender)
    }

    /// Counts a row for its transaction's record.
    fn count(&mut self, row: Row<'_>) {
        if let Some(metadata) = &mut self.metadata {
            metadata.count_row(&row.table.name, row.change);
        }
    }

    pub(super) fn route_failure(&self, table: &str, source: RouteError) -> Failure {
        Failure::Route {
            transaction: self.transaction.name(),
            table: table.to_owned(),
            source: Box::new(source),
        }
    }

    fn convert_failure(&self, table: &str, source: ConvertError) -> Failure {
        Failure::Convert {
            transaction: self.transaction.name(),
            table: table.to_owned(),
            source: Box::new(source),
        }
    }
}

/// Routes, converts and sends one row, or drops it for a reason that is counted.
pub(super) fn send_row<'a>(
    row: Row<'a>,
    context: &mut RowContext<'a>,
    sender: &mut Sender,
) -> Result<(), Failure> {
    context.count(row);
    route(row.table, row.plan, row.change, row.now_ms, context, sender)
}

/// Hands a row to the router, and on what comes out. A row that fails is passed over where the file says so.
pub(super) fn route<'a>(
    table: &Captured,
    plan: &'a RouterPlan,
    change: &RowChange<'a>,
    now_ms: i64,
    context: &mut RowContext<'a>,
    sender: &mut Sender,
) -> Result<(), Failure> {
    let result = try_route(table, plan, change, now_ms, context, sender);
    context.tolerate(result, table, change.cells, sender)
}

fn try_route<'a>(
    table: &Captured,
    plan: &'a RouterPlan,
    change: &RowChange<'a>,
    now_ms: i64,
    context: &mut RowContext<'a>,
    sender: &mut Sender,
) -> Result<(), Failure> {
    match routed(table, plan, change, now_ms, context)? {
        Some(record) => finish(table, record, context, sender),
        None => Ok(()),
    }
}

/// As [`send_row`], but gives the record, which borrows nothing of the row's.
pub(super) fn convert_row<'a, 'o>(
    row: Row<'a>,
    context: &mut RowContext<'a>,
    out: &'o Bump,
) -> Result<Option<ProducerRecord<'o>>, Failure> {
    context.count(row);
    let Row { table, plan, change, now_ms } = row;
    let Some(record) = routed(table, plan, change, now_ms, context)? else { return Ok(None) };
    let Some(record) = transformed(table, record, context)? else { return Ok(None) };
    let record = context.routing.converters.convert_apart(&record, out);
    record.map(Some).map_err(|source| context.convert_failure(&table.name, source))
}

/// What the router makes of a row; none where that publishes nothing, which is counted.
fn routed<'a>(
    table: &Captured,
    plan: &'a RouterPlan,
    change: &RowChange<'a>,
    now_ms: i64,
    context: &mut RowContext<'a>,
) -> Result<Option<SourceRecord<'a>>, Failure> {
    let routed = context.routing.router.route(plan, change, now_ms, context.arena);
    match routed.map_err(|source| context.route_failure(&table.name, source))? {
        Routed::Record(record, warning) => {
            if let Some(warning) = warning {
                context.dropped.not_expanded(&table.name, &warning);
            }
            return Ok(Some(record));
        }
        Routed::Dropped(DropReason::Update) => {
            context.dropped.update(&table.name, context.transaction)?;
        }
        Routed::Dropped(DropReason::Delete) => context.dropped.metrics.dropped_deletes.inc(),
    }
    Ok(None)
}

/// Passes a record through the transforms behind the router; none where a filter drops it.
fn transformed<'a>(
    table: &Captured,
    record: SourceRecord<'a>,
    context: &mut RowContext<'a>,
) -> Result<Option<SourceRecord<'a>>, Failure> {
    let record = context.routing.chain.apply(record, context.arena);
    let record = record.map_err(|err| context.route_failure(&table.name, err))?;
    if record.is_none() {
        context.dropped.filtered();
    }
    Ok(record)
}

/// Passes a record through the transforms behind the router, converts and sends it.
pub(super) fn finish<'a>(
    table: &Captured,
    record: SourceRecord<'a>,
    context: &mut RowContext<'a>,
    sender: &mut Sender,
) -> Result<(), Failure> {
    let Some(record) = transformed(table, record, context)? else { return Ok(()) };
    let record = context.routing.converters.convert(&record, context.arena);
    let record = record.map_err(|source| context.convert_failure(&table.name, source))?;
    sender.send(&record, context.transaction.commit_us)
}

/// Counts changes that publish nothing, and says so without flooding the log.
pub(super) struct Dropped {
    behavior: InvalidOperation,
    updates: u64,
    warned: Option<Instant>,
    metrics: ConnectorMetrics,
}

impl Dropped {
    pub(super) fn new(behavior: InvalidOperation, metrics: ConnectorMetrics) -> Self {
        Self { behavior, updates: 0, warned: None, metrics }
    }

    /// A row that `event.processing.failure.handling.mode` lets pass.
    pub(super) fn unreadable(&mut self, table: &str, err: &DecodeError) {
        self.metrics.failed.inc();
        self.metrics.dropped_skipped.inc();
        let err = err as &dyn std::error::Error;
        warn!(
            table,
            error = err,
            "a row cannot be read and is passed over, as event.processing.failure.handling.mode says"
        );
    }

    /// A statement in place of rows that `event.processing.failure.handling.mode` lets pass.
    pub(super) fn unlogged(&mut self, failure: &Failure) {
        self.metrics.failed.inc();
        self.metrics.dropped_skipped.inc();
        if self.warned.is_none_or(|last| last.elapsed() >= WARN_EVERY) {
            self.warned = Some(Instant::now());
            let failure = failure as &dyn std::error::Error;
            warn!(
                error = failure,
                "rows that were written as a statement are passed over, as \
                 event.processing.failure.handling.mode says"
            );
        }
    }

    /// A record that a `Filter` drops.
    pub(super) fn filtered(&mut self) {
        self.metrics.dropped_filtered.inc();
    }

    fn not_expanded(&mut self, table: &str, warning: &ExpandWarning) {
        self.metrics.unexpanded.inc();
        if self.warned.is_none_or(|last| last.elapsed() >= WARN_EVERY) {
            self.warned = Some(Instant::now());
            warn!(table, "a payload is published unexpanded: {warning:?}");
        }
    }

    fn update(&mut self, table: &str, transaction: &Transaction) -> Result<(), Failure> {
        if self.behavior == InvalidOperation::Fatal {
            let transaction = transaction.name();
            return Err(Failure::InvalidOperation { transaction, table: table.to_owned() });
        }
        self.updates += 1;
        self.metrics.dropped_updates.inc();
        if self.warned.is_none_or(|last| last.elapsed() >= WARN_EVERY) {
            self.warned = Some(Instant::now());
            let updates = self.updates;
            let message = "an outbox row was updated, which publishes nothing";
            if self.behavior == InvalidOperation::Error {
                error!(table, updates, "{message}");
            } else {
                warn!(table, updates, "{message}");
            }
        }
        Ok(())
    }
}
