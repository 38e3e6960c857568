use std::time::{Duration, Instant};

use bumpalo::Bump;
use tracing::{error, warn};

use super::Failure;
use super::overlap::Overlap;
use super::sender::Sender;
use super::tables::Captured;
use super::transaction::Transaction;
use crate::config::InvalidOperation;
use crate::connect::{Operation, RowChange};
use crate::convert::Converters;
use crate::decode::DecodeError;
use crate::metrics::ConnectorMetrics;
use crate::route::{DropReason, EventRouter, ExpandWarning, Routed};

/// Repeated warnings are held back for this long.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// One row on its way.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) table: &'a Captured,
    pub(super) change: &'a RowChange<'a>,
    /// The time of processing, in milliseconds since the epoch.
    pub(super) now_ms: i64,
}

/// What a row needs on its way.
pub(super) struct RowContext<'a> {
    pub(super) router: &'a EventRouter,
    pub(super) converters: &'a Converters,
    pub(super) arena: &'a Bump,
    pub(super) transaction: &'a Transaction,
    pub(super) overlap: &'a mut Option<Overlap>,
    pub(super) dropped: &'a mut Dropped,
}

/// Routes, converts and sends one row, or drops it for a reason that is counted.
pub(super) fn send_row(
    row: Row<'_>,
    context: &mut RowContext<'_>,
    sender: &mut Sender,
) -> Result<(), Failure> {
    if row.change.operation == Operation::Create
        && let Some(overlap) = context.overlap
        && overlap.covers(&row.table.name, row.change)
    {
        return Ok(()); // The snapshot has published it.
    }
    let routed = context.router.route(&row.table.router, row.change, row.now_ms, context.arena);
    let routed = routed.map_err(|source| Failure::Route {
        transaction: context.transaction.name(),
        table: row.table.name.clone(),
        source: Box::new(source),
    })?;
    match routed {
        Routed::Record(record, warning) => {
            if let Some(warning) = warning {
                context.dropped.not_expanded(&row.table.name, &warning);
            }
            let record = context.converters.convert(&record, context.arena);
            let record = record.map_err(|source| Failure::Convert {
                transaction: context.transaction.name(),
                table: row.table.name.clone(),
                source: Box::new(source),
            })?;
            sender.send(&record, context.transaction.commit_us)
        }
        Routed::Dropped(DropReason::Update) => {
            context.dropped.update(&row.table.name, context.transaction)
        }
        Routed::Dropped(DropReason::Delete) => {
            context.dropped.metrics.dropped_deletes.inc();
            Ok(())
        }
    }
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
