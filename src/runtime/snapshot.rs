use std::time::{Duration, Instant};

use bumpalo::Bump;
use tracing::info;

use super::changes::{ChangedRow, read_image};
use super::clock::{now_ms, now_ns};
use super::group::Moment;
use super::overlap::Overlap;
use super::queries::Queries;
use super::routing::{Course, Routing};
use super::row::{Dropped, Row, RowContext, send_row};
use super::sender::Sender;
use super::tables::Captured;
use super::transaction::Transaction;
use super::{ConnectorStatus, Failure, Stop};
use crate::config::ConnectorConfig;
use crate::decode::{RowImages, TableLayout};
use crate::metrics::ConnectorMetrics;
use crate::offset::Offset;
use crate::route::ChangeSource;
use crate::source::{Snapshot, SnapshotRow};

/// Rows that are asked for at once.
const BATCH_ROWS: usize = 1000;
/// How often the log says how far a large table is read.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// The rows that were in the captured tables before the stream begins.
pub(super) struct InitialSnapshot {
    pub(super) snapshot: Snapshot,
    pub(super) tables: Vec<(TableLayout, Captured)>,
}

/// What publishing needs.
pub(super) struct Publisher<'a> {
    pub(super) config: &'a ConnectorConfig,
    pub(super) queries: &'a Queries,
    pub(super) routing: &'a Routing,
    pub(super) status: &'a ConnectorStatus,
    pub(super) metrics: &'a ConnectorMetrics,
    pub(super) stop: &'a Stop,
    pub(super) offset: &'a Offset,
}

/// A table's place among those that are read.
#[derive(Clone, Copy)]
struct Place {
    first: bool,
    last: bool,
}

impl InitialSnapshot {
    /// Publishes every row, and gives what tells them from the stream's first ones.
    pub(super) fn publish(
        mut self,
        publisher: &Publisher<'_>,
        sender: &mut Sender,
    ) -> Result<Overlap, Failure> {
        let mut transaction = Transaction::new(publisher.offset);
        transaction.read_at(now_ms());
        let behavior = publisher.config.router.invalid_operation;
        let mut dropped = Dropped::new(behavior, publisher.metrics.clone());
        let mut tables: Vec<_> =
            self.tables.iter().filter(|(_, captured)| publisher.wants(&captured.name)).collect();
        tables.sort_by_key(|(_, captured)| publisher.rank(&captured.name));
        let mut total = 0;
        for (index, (layout, captured)) in tables.iter().enumerate() {
            let place = Place { first: index == 0, last: index + 1 == tables.len() };
            let left = tables.len() - index;
            info!(connector = %publisher.config.name, table = %captured.name, tables_left = left, "reading table");
            publisher.metrics.snapshot_tables_left.set(i64::try_from(left).unwrap_or(i64::MAX));
            let columns: Vec<&str> = captured.plan.selected().collect();
            let query = publisher.select(&captured.name);
            publisher.queries.wait(self.snapshot.read_table(layout, &columns, query))?;
            let reader = &mut TableReader {
                snapshot: &mut self.snapshot,
                publisher,
                transaction: &transaction,
                dropped: &mut dropped,
                captured,
                place,
                rows: 0,
            };
            reader.publish(sender)?;
            total += reader.rows;
            info!(connector = %publisher.config.name, table = %captured.name, rows = reader.rows, "table read");
        }
        publisher.metrics.snapshot_tables_left.set(0);
        info!(connector = %publisher.config.name, rows = total, "snapshot read");
        // Once all of it is acknowledged the snapshot is over and the stream's start is where to go on.
        sender.place(transaction.finish(sender.sequence()))?;
        sender.settle(Moment::Idle, true)?; // What comes before the stream's first row may take long.
        sender.publish();
        // Of these tables every row was read.
        let whole = self.tables.into_iter().filter(|(_, captured)| {
            publisher.wants(&captured.name) && publisher.select(&captured.name).is_none()
        });
        let layouts = whole.map(|(layout, captured)| (captured.name.to_string(), layout)).collect();
        Ok(Overlap::new(self.snapshot, layouts, publisher.queries.clone()))
    }
}

impl Publisher<'_> {
    /// Whether `snapshot.include.collection.list` lets this table's rows be read.
    fn wants(&self, table: &str) -> bool {
        self.config.capture.snapshot_tables.as_ref().is_none_or(|list| list.matches(table))
    }

    /// Tables are read in the order of `table.include.list`.
    fn rank(&self, table: &str) -> Option<usize> {
        match &self.config.capture.tables.tables {
            Some((true, list)) => list.position(table),
            _ => None,
        }
    }

    /// The query of `snapshot.select.statement.overrides`.
    fn select(&self, table: &str) -> Option<&str> {
        self.config.capture.snapshot_selects.get(table).map(String::as_str)
    }

    fn batch_done(&self, rows: usize, sender: &mut Sender) -> Result<(), Failure> {
        self.metrics.snapshot_rows.inc_by(u64::try_from(rows).unwrap_or_default());
        self.status.tick();
        sender.poll(true)?;
        sender.split_snapshot()?;
        if self.stop.requested() { Err(Failure::StopRequested) } else { Ok(()) }
    }
}

/// Reads one table.
struct TableReader<'r> {
    snapshot: &'r mut Snapshot,
    publisher: &'r Publisher<'r>,
    transaction: &'r Transaction,
    dropped: &'r mut Dropped,
    captured: &'r Captured,
    place: Place,
    rows: u64,
}

impl TableReader<'_> {
    fn publish(&mut self, sender: &mut Sender) -> Result<(), Failure> {
        let mut arena = Bump::new();
        let mut told = Instant::now();
        let mut batch = self.next_rows()?;
        while !batch.is_empty() {
            // One batch ahead, so that the last row is known as such.
            let following = self.next_rows()?;
            for (index, row) in batch.iter().enumerate() {
                arena.reset();
                let is_last = following.is_empty() && index + 1 == batch.len();
                self.publish_row(row, is_last, &arena, sender)?;
                self.rows += 1;
            }
            self.publisher.batch_done(batch.len(), sender)?;
            if told.elapsed() >= PROGRESS_EVERY {
                told = Instant::now();
                let (table, rows) = (&self.captured.name, self.rows);
                info!(connector = %self.publisher.config.name, %table, rows, "reading table");
            }
            batch = following;
        }
        Ok(())
    }

    fn next_rows(&mut self) -> Result<Vec<SnapshotRow>, Failure> {
        Ok(self.publisher.queries.wait(self.snapshot.next_rows(BATCH_ROWS))?)
    }

    fn publish_row(
        &mut self,
        row: &SnapshotRow,
        is_last: bool,
        arena: &Bump,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let table = self.captured;
        let texts: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
        let now_ms = now_ms();
        let change = table.plan.snapshot_row(&texts, arena, now_ms);
        let change = change.map_err(|source| Failure::Decode {
            transaction: format!("none: the snapshot of {}", table.name),
            source: Box::new(source),
        })?;
        let mut overlap = None;
        let mut context = RowContext {
            routing: self.publisher.routing,
            arena,
            transaction: self.transaction,
            overlap: &mut overlap,
            dropped: &mut *self.dropped,
            metadata: None,
        };
        let gated = match &table.course {
            Course::Routed(plan) => {
                let row = Row { table, plan, change: &change, now_ms };
                return send_row(row, &mut context, sender);
            }
            Course::Dropped => {
                context.dropped.filtered();
                return Ok(());
            }
            Course::Gated(gated) => gated,
        };
        let source = ChangeSource {
            snapshot: Some(self.place.mark(self.rows == 0, is_last)),
            server_id: 0,
            thread: None,
            ..self.transaction.change_source(None)
        };
        let images = RowImages { before: None, after: Some(read_image(&change, arena)) };
        let row = ChangedRow { table, gated, images, source, now_ns: now_ns(), tombstones: false };
        row.send(&mut context, sender)
    }
}

impl Place {
    /// Debezium's word for a row's place in a snapshot.
    fn mark(self, first_row: bool, last_row: bool) -> &'static str {
        match (first_row, last_row) {
            (_, true) if self.last => "last",
            (true, _) if self.first => "first",
            (_, true) => "last_in_data_collection",
            (true, _) => "first_in_data_collection",
            _ => "true",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_marked_by_their_place() {
        for (first, last, rows, expected) in [
            (true, true, 1, &["last"][..]),
            (true, false, 1, &["first"]),
            (true, false, 3, &["first", "true", "last_in_data_collection"]),
            (false, false, 1, &["last_in_data_collection"]),
            (false, true, 3, &["first_in_data_collection", "true", "last"]),
        ] {
            let place = Place { first, last };
            let marks = (0..rows).map(|row| place.mark(row == 0, row + 1 == rows));
            assert_eq!(marks.collect::<Vec<_>>(), expected);
        }
    }
}
