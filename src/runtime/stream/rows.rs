//! Rows, one after another.

use std::borrow::Cow;

use bumpalo::Bump;

use super::{Stream, decode_failure, reset};
use crate::connect::RowChange;
use crate::decode::{DecodeError, RowImages, RowsEvent, rows_table_id};
use crate::route::ChangeSource;
use crate::runtime::Failure;
use crate::runtime::changes::{ChangedRow, skips};
use crate::runtime::clock::{now_ms, now_ns};
use crate::runtime::overlap::{Overlap, Told};
use crate::runtime::routing::Course;
use crate::runtime::row::{Row, RowContext, convert_row, send_row};
use crate::runtime::sender::Sender;
use crate::runtime::tables::Captured;
use crate::runtime::transaction::Transaction;
use crate::source::event::Event;

/// A place inside a transaction is noted after this many rows, so that a restart in a very large one does
/// not begin again at its start.
const INSIDE_EVERY: u64 = 4096;

/// When the next place inside a transaction is noted.
pub(super) struct Inside {
    next: u64,
}

impl Default for Inside {
    fn default() -> Self {
        Self { next: INSIDE_EVERY }
    }
}

impl Inside {
    /// The present row is handled.
    pub(super) fn row_done(
        &mut self,
        transaction: &mut Transaction,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        transaction.row_done();
        if sender.sequence() >= self.next && !sender.is_holding() {
            self.next = sender.sequence() + INSIDE_EVERY;
            sender.place(transaction.inside(sender.sequence()))?;
            sender.publish(); // A compressed transaction is one event, however long.
        }
        Ok(())
    }
}

pub(super) fn parse<'e>(event: &'e Event<'_>) -> Result<RowsEvent<'e>, DecodeError> {
    RowsEvent::parse(event.header.event_type, &event.body)
}

/// Decodes the row of a large event and gives the event's bytes back. What cannot be decoded so is left to who reads
/// the rows in turn.
fn take_large<'a>(
    event: &mut Event<'_>,
    table: &'a Captured,
    arena: &'a Bump,
) -> Option<RowChange<'a>> {
    let Cow::Owned(_) = event.body else { return None };
    let source_ts_ms = i64::from(event.header.timestamp) * 1000;
    let change = parse(event).ok()?.lone_row(&table.plan, arena, source_ts_ms).ok()??;
    event.body = Cow::Borrowed(&[]);
    Some(change)
}

/// What the snapshot makes of the next row, of which `keys` reads the primary key; nothing of one that was `skipped`.
pub(super) fn tell(
    overlap: &mut Option<Overlap>,
    table: &Captured,
    keys: &mut RowsEvent<'_>,
    skipped: bool,
    arena: &Bump,
) -> Result<Told, Failure> {
    let Some(overlap) = overlap else { return Ok(Told::Log) };
    match keys.next_images(&table.keys, arena) {
        Ok(Some(row)) if !skipped => overlap.tell(&table.name, &row),
        // Without a row, and of one whose key cannot be asked for, too.
        Ok(_) | Err(_) => Ok(Told::Log),
    }
}

/// Where the snapshot that is ahead has come to another place, a restart goes on from there.
pub(super) fn note_snapshot(overlap: &mut Option<Overlap>, transaction: &mut Transaction) {
    if let Some(progress) = overlap.as_mut().and_then(Overlap::moved) {
        transaction.note_snapshot(progress);
    }
}

impl Stream {
    /// Sends the rows of an event.
    pub(super) fn send_rows(
        &mut self,
        mut event: Event<'_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        if matches!(event.body, Cow::Owned(_)) && self.send_large(&mut event, sender)? {
            return Ok(());
        }
        let Some(table) = rows_table_id(&event.body).and_then(|id| self.tables.captured(id)) else {
            return Ok(());
        };
        let mut rows = parse(&event).map_err(|err| decode_failure(&self.transaction, err))?;
        let source_ts_ms = i64::from(event.header.timestamp) * 1000;
        let plan = match &table.course {
            Course::Routed(_) if self.may_miss(&rows) => {
                return self.send_missed(rows, source_ts_ms, sender);
            }
            Course::Routed(plan) => plan,
            Course::Gated(_) => return self.send_changes(rows, sender),
            Course::Dropped => return self.drop_rows(rows, source_ts_ms, sender),
        };
        let (now_ms, mut keys) = (now_ms(), rows);
        loop {
            reset(&mut self.arena);
            let done = self.transaction.skips_row();
            let told = tell(&mut self.overlap, table, &mut keys, done, &self.arena)?;
            let change = match rows.next_row(&table.plan, &self.arena, source_ts_ms) {
                Err(err) if table.plan.may_skip_row(&err) => {
                    self.dropped.unreadable(&table.name, &err);
                    self.transaction.row_done();
                    continue;
                }
                change => change.map_err(|err| decode_failure(&self.transaction, err))?,
            };
            let Some(change) = change else { break };
            let skipped = self.config.skipped_operations.skips(&change);
            if done {
                if let Some(metadata) = self.metadata.as_mut().filter(|_| !skipped) {
                    metadata.count_row(&table.name, &change);
                }
            } else if !skipped && told == Told::Log {
                self.sent_from.note(sender.sequence() + 1, &table.name);
                let row = Row { table, plan, change: &change, now_ms };
                // One row's work borrows only what it needs, so that the table stays borrowed beside it.
                send_row(
                    row,
                    &mut RowContext {
                        routing: &self.routing,
                        arena: &self.arena,
                        transaction: &self.transaction,
                        dropped: &mut self.dropped,
                        metadata: self.metadata.as_mut(),
                    },
                    sender,
                )?;
            }
            note_snapshot(&mut self.overlap, &mut self.transaction);
            self.inside.row_done(&mut self.transaction, sender)?;
        }
        Ok(())
    }

    /// Sends the row of a large event; false where that is to go the usual way. It is there twice at the most: as it
    /// came and decoded, decoded and converted, converted and in the producer's queue.
    fn send_large(&mut self, event: &mut Event<'_>, sender: &mut Sender) -> Result<bool, Failure> {
        let table = rows_table_id(&event.body).and_then(|id| self.tables.captured(id));
        let Some((table, Course::Routed(plan))) = table.map(|table| (table, &table.course)) else {
            return Ok(false);
        };
        // What becomes of a row that fails, or that a snapshot may have, needs all of it.
        let is_needed = self.routing.tolerance.is_asked_for() || self.overlap.is_some();
        if is_needed || self.transaction.skips_row() {
            return Ok(false);
        }
        let (decoded, converted) = (Bump::new(), Bump::new());
        let Some(change) = take_large(event, table, &decoded) else { return Ok(false) };
        if !self.config.skipped_operations.skips(&change) {
            self.sent_from.note(sender.sequence() + 1, &table.name);
            let row = Row { table, plan, change: &change, now_ms: now_ms() };
            let mut context = RowContext {
                routing: &self.routing,
                arena: &decoded,
                transaction: &self.transaction,
                dropped: &mut self.dropped,
                metadata: self.metadata.as_mut(),
            };
            let record = convert_row(row, &mut context, &converted)?;
            drop(decoded);
            if let Some(record) = record {
                sender.send(&record, self.transaction.commit_us)?;
            }
        }
        self.inside.row_done(&mut self.transaction, sender)?;
        Ok(true)
    }

    /// As [`Self::send_rows`], for a table of which no record goes anywhere.
    fn drop_rows(
        &mut self,
        mut rows: RowsEvent<'_>,
        source_ts_ms: i64,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let Some(table) = self.tables.captured(rows.table_id) else { return Ok(()) };
        loop {
            reset(&mut self.arena);
            match rows.next_row(&table.plan, &self.arena, source_ts_ms) {
                Ok(None) => return Ok(()),
                Ok(Some(change)) => {
                    let skipped = self.config.skipped_operations.skips(&change);
                    if let Some(metadata) = self.metadata.as_mut().filter(|_| !skipped) {
                        metadata.count_row(&table.name, &change);
                    }
                    if !self.transaction.skips_row() {
                        self.dropped.filtered();
                    }
                }
                Err(err) if table.plan.may_skip_row(&err) => {
                    self.dropped.unreadable(&table.name, &err);
                }
                Err(err) => return Err(decode_failure(&self.transaction, err)),
            }
            note_snapshot(&mut self.overlap, &mut self.transaction);
            self.inside.row_done(&mut self.transaction, sender)?;
        }
    }

    /// As [`Self::send_rows`], for a table of which not every record goes to the router.
    fn send_changes(
        &mut self,
        mut rows: RowsEvent<'_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let Some(table) = self.tables.captured(rows.table_id) else { return Ok(()) };
        let Course::Gated(gated) = &table.course else { return Ok(()) };
        let (gtid, mut keys) = (self.transaction.gtid_text(), rows);
        loop {
            reset(&mut self.arena);
            let done = self.transaction.skips_row();
            let told = tell(&mut self.overlap, table, &mut keys, done, &self.arena)?;
            let images = match rows.next_images(&table.plan, &self.arena) {
                Err(err) if table.plan.may_skip_row(&err) => {
                    self.dropped.unreadable(&table.name, &err);
                    self.transaction.row_done();
                    continue;
                }
                images => images.map_err(|err| decode_failure(&self.transaction, err))?,
            };
            let Some(images) = images else { break };
            let skipped = skips(self.config.skipped_operations, &images);
            if done {
                if let Some(metadata) = self.metadata.as_mut().filter(|_| !skipped) {
                    metadata.count_images(&table.name, &images);
                }
            } else {
                self.sent_from.note(sender.sequence() + 1, &table.name);
                let source = self.transaction.change_source(gtid.as_deref());
                let read = RowImages { before: None, after: images.before };
                let missed = (read, ChangeSource { snapshot: Some("true"), ..source });
                // A row that gets another key leaves the old one in any case.
                let left = told == Told::Snapshot && images.before.is_none();
                let changes =
                    [(told == Told::Missed, missed), (!skipped && !left, (images, source))];
                for (_, (images, source)) in changes.into_iter().filter(|(wanted, _)| *wanted) {
                    let row = ChangedRow {
                        table,
                        gated,
                        images,
                        source,
                        now_ns: now_ns(),
                        tombstones: self.config.tombstones_on_delete,
                    };
                    row.send(
                        &mut RowContext {
                            routing: &self.routing,
                            arena: &self.arena,
                            transaction: &self.transaction,
                            dropped: &mut self.dropped,
                            metadata: self.metadata.as_mut(),
                        },
                        sender,
                    )?;
                }
            }
            note_snapshot(&mut self.overlap, &mut self.transaction);
            self.inside.row_done(&mut self.transaction, sender)?;
        }
        Ok(())
    }
}
