use std::sync::Arc;
use std::time::{Duration, Instant};

use bumpalo::Bump;
use tracing::{info, warn};

use super::changes::{ChangedRow, read_image};
use super::clock::{now_ms, now_ns};
use super::group::Moment;
use super::overlap::{Overlap, PartOfTable};
use super::queries::Queries;
use super::routing::{Course, Routing};
use super::row::{Dropped, Row, RowContext, send_row};
use super::sender::Sender;
use super::tables::Captured;
use super::transaction::Transaction;
use super::{ConnectorStatus, Failure, Stop};
use crate::checkpoint::Boundary;
use crate::config::ConnectorConfig;
use crate::decode::{RowImages, TableLayout};
use crate::fault_point::fault_point;
use crate::metrics::ConnectorMetrics;
use crate::offset::{Offset, SnapshotProgress, TableProgress};
use crate::route::ChangeSource;
use crate::source::{KeyOrder, Part, Snapshot, SnapshotRow};

/// Rows that are asked for at once.
const BATCH_ROWS: usize = 1000;
/// How often the log says how far a large table is read.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// The rows that were in the captured tables before the stream begins.
pub(super) struct InitialSnapshot {
    tables: Vec<TableToRead>,
}

/// A table and what of it is still to be published.
struct TableToRead {
    layout: TableLayout,
    captured: Captured,
    order: Option<KeyOrder>,
    part: Part,
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
    /// What is left to publish of these tables, behind what an interrupted snapshot has published.
    pub(super) fn new(
        config: &ConnectorConfig,
        tables: Vec<(TableLayout, Captured)>,
        progress: &SnapshotProgress,
    ) -> Self {
        let plan = |(layout, captured): (TableLayout, Captured)| {
            let selected = config.capture.snapshot_selects.contains_key(&*captured.name);
            let order = KeyOrder::of(&layout).filter(|_| !selected);
            let part = part(config, &captured.name, order.as_ref(), progress);
            TableToRead { layout, captured, order, part }
        };
        let mut tables: Vec<TableToRead> = tables.into_iter().map(plan).collect();
        tables.sort_by_key(|table| rank(config, &table.captured.name));
        Self { tables }
    }

    /// What tells the rows of `snapshot`, which is open for these tables, from the stream's.
    pub(super) fn overlap(
        &self,
        config: &ConnectorConfig,
        snapshot: Snapshot,
        progress: &Arc<SnapshotProgress>,
        queries: &Queries,
    ) -> Overlap {
        let table = |table: &TableToRead| {
            let (name, mut layout) = (table.captured.name.to_string(), table.layout.clone());
            if config.capture.snapshot_selects.contains_key(&name) {
                layout.primary_key.clear(); // Which rows the file's query gives is not asked.
            }
            let (order, part) = (table.order.clone(), table.part.clone());
            (name, PartOfTable { layout, order, part })
        };
        let tables = self.tables.iter().map(table).collect();
        Overlap::new(snapshot, tables, Arc::clone(progress), queries.clone())
    }

    /// Publishes every row that is left.
    pub(super) fn publish(
        self,
        snapshot: &mut Snapshot,
        publisher: &Publisher<'_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let mut transaction = Transaction::new(publisher.offset);
        transaction.read_at(now_ms());
        let end = Boundary { snapshot: None, ..transaction.finish(0) };
        let behavior = publisher.config.router.invalid_operation;
        let mut dropped = Dropped::new(behavior, publisher.metrics.clone());
        let mut progress = publisher.offset.progress.as_deref().cloned().unwrap_or_default();
        let wanted = |table: &&TableToRead| wants(publisher.config, &table.captured.name);
        let tables: Vec<&TableToRead> = self.tables.iter().filter(wanted).collect();
        sender.settle(Moment::FarBehind, false)?; // There are many rows.
        let mut total = 0;
        for (index, table) in tables.iter().enumerate() {
            if table.part == Part::Nothing {
                continue;
            }
            let place = Place { first: index == 0, last: index + 1 == tables.len() };
            publisher.begins(table, tables.len() - index);
            if !matches!(table.part, Part::Behind(_)) {
                progress.table = Some(table.unread());
            }
            let reader = &mut TableReader {
                snapshot: &mut *snapshot,
                publisher,
                transaction: &transaction,
                dropped: &mut dropped,
                table,
                place,
                progress: &mut progress,
                end: &end,
                rows: 0,
            };
            reader.publish(sender)?;
            total += reader.rows;
            info!(connector = %publisher.config.name, table = %table.captured.name, rows = reader.rows, "table read");
            progress.table = None;
            progress.done.push(table.captured.name.to_string());
        }
        publisher.metrics.snapshot_tables_left.set(0);
        info!(connector = %publisher.config.name, rows = total, "snapshot read");
        // Once all of it is acknowledged the snapshot is over and the stream's start is where to go on.
        sender.place(Boundary { sequence: sender.sequence(), ..end })?;
        sender.settle(Moment::Idle, true)?; // What comes before the stream's first row may take long.
        sender.publish();
        Ok(())
    }
}

impl TableToRead {
    fn unread(&self) -> TableProgress {
        let order = self.order.as_ref().map(KeyOrder::definition).unwrap_or_default();
        TableProgress { name: self.captured.name.to_string(), order, key: Vec::new() }
    }
}

/// What is left of a table.
fn part(
    config: &ConnectorConfig,
    name: &str,
    order: Option<&KeyOrder>,
    progress: &SnapshotProgress,
) -> Part {
    if !wants(config, name) || progress.done.iter().any(|done| done == name) {
        return Part::Nothing;
    }
    let Some(begun) = progress.table.as_ref().filter(|table| table.name == name) else {
        return Part::Whole;
    };
    if begun.order.is_empty() {
        warn!(connector = %config.name, table = name, "this table was being read: its rows are published again, since it has no primary key by whose order its reading could go on, or a query of the file is read in its place");
        return Part::Whole;
    }
    if begun.key.is_empty() {
        return Part::Whole;
    }
    let order = order.filter(|order| order.definition() == begun.order);
    match order.and_then(|order| order.behind(&begun.key)) {
        Some(condition) => Part::Behind(condition),
        None => {
            warn!(connector = %config.name, table = name, "this table was being read, and its primary key has been altered since: its rows are published again");
            Part::Whole
        }
    }
}

/// Whether `snapshot.include.collection.list` lets this table's rows be read.
fn wants(config: &ConnectorConfig, table: &str) -> bool {
    config.capture.snapshot_tables.as_ref().is_none_or(|list| list.matches(table))
}

/// Tables are read in the order of `table.include.list`.
fn rank(config: &ConnectorConfig, table: &str) -> Option<usize> {
    match &config.capture.tables.tables {
        Some((true, list)) => list.position(table),
        _ => None,
    }
}

impl Publisher<'_> {
    fn begins(&self, table: &TableToRead, left: usize) {
        let resumed = matches!(table.part, Part::Behind(_));
        info!(connector = %self.config.name, table = %table.captured.name, tables_left = left, resumed, "reading table");
        self.metrics.snapshot_tables_left.set(i64::try_from(left).unwrap_or(i64::MAX));
    }

    /// The query of `snapshot.select.statement.overrides`.
    fn select(&self, table: &str) -> Option<&str> {
        self.config.capture.snapshot_selects.get(table).map(String::as_str)
    }

    fn batch_done(&self, rows: usize, sender: &mut Sender) -> Result<(), Failure> {
        self.metrics.snapshot_rows.inc_by(u64::try_from(rows).unwrap_or_default());
        self.status.tick();
        sender.publish();
        sender.poll(true)?;
        sender.split_snapshot()?;
        fault_point("snapshot_batch");
        if self.stop.requested() { Err(Failure::StopRequested) } else { Ok(()) }
    }
}

/// Reads one table.
struct TableReader<'r> {
    snapshot: &'r mut Snapshot,
    publisher: &'r Publisher<'r>,
    transaction: &'r Transaction,
    dropped: &'r mut Dropped,
    table: &'r TableToRead,
    place: Place,
    progress: &'r mut SnapshotProgress,
    /// Where to go on once everything is published.
    end: &'r Boundary,
    rows: u64,
}

impl TableReader<'_> {
    fn publish(&mut self, sender: &mut Sender) -> Result<(), Failure> {
        self.read_table()?;
        self.note(sender)?;
        let mut arena = Bump::new();
        let mut told = Instant::now();
        let mut batch = self.next_rows()?;
        while !batch.is_empty() {
            // One batch ahead, so that the last row is known as such.
            let following = self.next_rows()?;
            let before = self.rows;
            let result = self.publish_batch(&batch, following.is_empty(), &mut arena, sender);
            let sent = usize::try_from(self.rows - before).unwrap_or(usize::MAX);
            let noted = match sent.checked_sub(1).and_then(|last| batch.get(last)) {
                Some(row) => self.note_key(row, sender),
                None => Ok(()),
            };
            result.and(noted)?;
            self.publisher.batch_done(sent, sender)?;
            if told.elapsed() >= PROGRESS_EVERY {
                told = Instant::now();
                let (table, rows) = (&self.table.captured.name, self.rows);
                info!(connector = %self.publisher.config.name, %table, rows, "reading table");
            }
            batch = following;
        }
        Ok(())
    }

    fn read_table(&mut self) -> Result<(), Failure> {
        let TableToRead { layout, captured, order, part } = self.table;
        let columns: Vec<&str> = captured.plan.selected().collect();
        let query = self.publisher.select(&captured.name);
        let read = self.snapshot.read_table(layout, &columns, (part, order.as_ref()), query);
        Ok(self.publisher.queries.wait(read)?)
    }

    /// Publishes rows, each of which counts once it is sent.
    fn publish_batch(
        &mut self,
        batch: &[SnapshotRow],
        is_end: bool,
        arena: &mut Bump,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        for (index, row) in batch.iter().enumerate() {
            arena.reset();
            self.publish_row(row, is_end && index + 1 == batch.len(), arena, sender)?;
            self.rows += 1;
        }
        Ok(())
    }

    /// A restart goes on behind this row, once all up to it are acknowledged.
    fn note_key(&mut self, row: &SnapshotRow, sender: &mut Sender) -> Result<(), Failure> {
        let Some(table) = self.progress.table.as_mut().filter(|_| self.table.order.is_some())
        else {
            return Ok(());
        };
        let key = row.iter().skip(self.table.captured.plan.selected().count()).flatten();
        table.key = key.map(|value| String::from_utf8_lossy(value).into_owned()).collect();
        self.note(sender)
    }

    /// A restart goes on as the progress says, once everything sent so far is acknowledged.
    fn note(&self, sender: &mut Sender) -> Result<(), Failure> {
        let snapshot = Some(Arc::new(self.progress.clone()));
        sender.place(Boundary { sequence: sender.sequence(), snapshot, ..self.end.clone() })
    }

    fn is_first(&self) -> bool {
        self.rows == 0 && self.table.part == Part::Whole
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
        let table = &self.table.captured;
        let columns = table.plan.selected().count();
        let texts: Vec<Option<&[u8]>> = row.iter().take(columns).map(Option::as_deref).collect();
        let now_ms = now_ms();
        let change = table.plan.snapshot_row(&texts, arena, now_ms);
        let change = change.map_err(|source| Failure::Decode {
            transaction: format!("none: the snapshot of {}", table.name),
            source: Box::new(source),
        })?;
        let mark = self.place.mark(self.is_first(), is_last);
        let mut context = RowContext {
            routing: self.publisher.routing,
            arena,
            transaction: self.transaction,
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
            snapshot: Some(mark),
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
