//! Rows that are deleted before a snapshot has come to them.

use super::rows::note_snapshot;
use super::{Stream, decode_failure, reset};
use crate::connect::{Operation, RowChange};
use crate::decode::{RowImages, RowsEvent};
use crate::runtime::Failure;
use crate::runtime::clock::now_ms;
use crate::runtime::overlap::Overlap;
use crate::runtime::routing::Course;
use crate::runtime::row::{Row, RowContext, send_row};
use crate::runtime::sender::Sender;
use crate::runtime::tables::Captured;

/// A deleted row that was left to a snapshot, as the one that the snapshot would have read.
pub(super) fn missed<'a>(
    table: &Captured,
    images: RowImages<'a>,
    overlap: &mut Option<Overlap>,
    is_open: bool,
) -> Result<Option<RowImages<'a>>, Failure> {
    let (Some(before), None, Some(overlap)) = (images.before, images.after, overlap) else {
        return Ok(None);
    };
    let (cells, schema) = (before.cells, &table.plan.schema);
    let row =
        RowChange { operation: Operation::Read, schema, cells, old_key: None, source_ts_ms: 0 };
    let missed = overlap.missed(&table.name, &row, is_open)?;
    Ok(missed.then_some(RowImages { before: None, after: Some(before) }))
}

impl Stream {
    /// Whether among these rows may be some that were left to a snapshot.
    pub(super) fn may_miss(&self, rows: &RowsEvent<'_>) -> bool {
        rows.are_deleted() && self.is_before_snapshot()
    }

    /// As [`Self::send_rows`], for deleted rows: one that was left to a snapshot is published now.
    pub(super) fn send_missed(
        &mut self,
        mut rows: RowsEvent<'_>,
        source_ts_ms: i64,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let Some(table) = self.tables.captured(rows.table_id) else { return Ok(()) };
        let Course::Routed(plan) = &table.course else { return Ok(()) };
        let now_ms = now_ms();
        loop {
            reset(&mut self.arena);
            let images = match rows.next_images(&table.plan, &self.arena) {
                Err(err) if table.plan.may_skip_row(&err) => {
                    self.dropped.unreadable(&table.name, &err);
                    self.transaction.row_done();
                    continue;
                }
                images => images.map_err(|err| decode_failure(&self.transaction, err))?,
            };
            let Some(images) = images else { return Ok(()) };
            let cells = images.before.map_or(&[][..], |image| image.cells);
            let schema = &table.plan.schema;
            let change =
                |operation| RowChange { operation, schema, cells, old_key: None, source_ts_ms };
            let (row, deleted) = (change(Operation::Read), change(Operation::Delete));
            if !self.transaction.skips_row() {
                let missed = missed(table, images, &mut self.overlap, sender.is_holding())?;
                self.sent_from.note(sender.sequence() + 1, &table.name);
                let skipped = self.config.skipped_operations;
                let changes = [(missed.is_some(), &row), (!skipped.skips(&deleted), &deleted)];
                for (_, change) in changes.iter().filter(|(wanted, _)| *wanted) {
                    send_row(
                        Row { table, plan, change, now_ms },
                        &mut RowContext {
                            routing: &self.routing,
                            arena: &self.arena,
                            transaction: &self.transaction,
                            overlap: &mut self.overlap,
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
    }
}
