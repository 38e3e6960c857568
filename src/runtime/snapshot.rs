use bumpalo::Bump;
use tracing::info;

use super::overlap::Overlap;
use super::queries::Queries;
use super::row::{Dropped, Row, RowContext, send_row};
use super::sender::Sender;
use super::stream::now_ms;
use super::tables::Captured;
use super::transaction::Transaction;
use super::{ConnectorStatus, Failure, Stop};
use crate::config::ConnectorConfig;
use crate::convert::Converters;
use crate::decode::TableLayout;
use crate::metrics::ConnectorMetrics;
use crate::offset::Offset;
use crate::route::EventRouter;
use crate::source::{Snapshot, SnapshotRow};

/// Rows that are asked for at once.
const BATCH_ROWS: usize = 1000;

/// The rows that were in the captured tables before the stream begins.
pub(super) struct InitialSnapshot {
    pub(super) snapshot: Snapshot,
    pub(super) tables: Vec<(TableLayout, Captured)>,
}

/// What publishing needs.
pub(super) struct Publisher<'a> {
    pub(super) config: &'a ConnectorConfig,
    pub(super) queries: &'a Queries,
    pub(super) router: &'a EventRouter,
    pub(super) converters: &'a Converters,
    pub(super) status: &'a ConnectorStatus,
    pub(super) metrics: &'a ConnectorMetrics,
    pub(super) stop: &'a Stop,
    pub(super) offset: &'a Offset,
}

impl InitialSnapshot {
    /// Publishes every row, and gives what tells them from the stream's first ones.
    pub(super) fn publish(
        mut self,
        publisher: &Publisher<'_>,
        sender: &mut Sender,
    ) -> Result<Overlap, Failure> {
        let mut arena = Bump::new();
        let mut transaction = Transaction::new(publisher.offset);
        let behavior = publisher.config.router.invalid_operation;
        let mut dropped = Dropped::new(behavior, publisher.metrics.clone());
        let mut total = 0;
        for (layout, captured) in &self.tables {
            if !publisher.wants(layout) {
                continue;
            }
            let select = captured.plan.select_list();
            publisher.queries.wait(self.snapshot.read_table(layout, &select))?;
            let mut rows = 0_u64;
            loop {
                let batch = publisher.queries.wait(self.snapshot.next_rows(BATCH_ROWS))?;
                if batch.is_empty() {
                    break;
                }
                for row in &batch {
                    arena.reset();
                    let context = RowContext {
                        router: publisher.router,
                        converters: publisher.converters,
                        arena: &arena,
                        transaction: &transaction,
                        overlap: &mut None,
                        dropped: &mut dropped,
                    };
                    publish_row(row, captured, context, sender)?;
                    rows += 1;
                }
                publisher.batch_done(batch.len(), sender)?;
            }
            total += rows;
            info!(connector = %publisher.config.name, table = %captured.name, rows, "table read");
        }
        info!(connector = %publisher.config.name, rows = total, "snapshot read");
        // Once all of it is acknowledged the snapshot is over and the stream's start is where to go on.
        sender.place(transaction.finish(sender.sequence()));
        sender.publish();
        let layouts = self.tables.into_iter().map(|(layout, captured)| (captured.name, layout));
        Ok(Overlap::new(self.snapshot, layouts.collect(), publisher.queries.clone()))
    }
}

impl Publisher<'_> {
    /// Whether `snapshot.include.collection.list` lets this table's rows be read.
    fn wants(&self, layout: &TableLayout) -> bool {
        let list = self.config.capture.snapshot_tables.as_ref();
        list.is_none_or(|list| list.matches(&format!("{}.{}", layout.database, layout.table)))
    }

    fn batch_done(&self, rows: usize, sender: &mut Sender) -> Result<(), Failure> {
        self.metrics.snapshot_rows.inc_by(u64::try_from(rows).unwrap_or_default());
        self.status.tick();
        sender.poll(true)?;
        if self.stop.requested() { Err(Failure::StopRequested) } else { Ok(()) }
    }
}

fn publish_row(
    row: &SnapshotRow,
    table: &Captured,
    mut context: RowContext<'_>,
    sender: &mut Sender,
) -> Result<(), Failure> {
    let texts: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
    let now_ms = now_ms();
    let change = table.plan.snapshot_row(&texts, context.arena, now_ms);
    let change = change.map_err(|source| Failure::Decode {
        transaction: format!("none: the snapshot of {}", table.name),
        source: Box::new(source),
    })?;
    send_row(Row { table, change: &change, now_ms }, &mut context, sender)
}
