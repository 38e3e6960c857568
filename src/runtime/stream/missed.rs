//! Rows that are deleted before a snapshot has come to them.

use super::rows::{note_snapshot, tell};
use super::{Stream, decode_failure, reset};
use crate::connect::{Operation, RowChange};
use crate::decode::RowsEvent;
use crate::runtime::Failure;
use crate::runtime::clock::now_ms;
use crate::runtime::overlap::Told;
use crate::runtime::routing::Course;
use crate::runtime::row::{Row, RowContext, send_row};
use crate::runtime::sender::Sender;

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
        let (now_ms, mut keys) = (now_ms(), rows);
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
            let Some(images) = images else { return Ok(()) };
            let cells = images.before.map_or(&[][..], |image| image.cells);
            let schema = &table.plan.schema;
            let change =
                |operation| RowChange { operation, schema, cells, old_key: None, source_ts_ms };
            let (row, deleted) = (change(Operation::Read), change(Operation::Delete));
            if !done {
                self.sent_from.note(sender.sequence() + 1, &table.name);
                let skipped = self.config.skipped_operations;
                let changes = [(told == Told::Missed, &row), (!skipped.skips(&deleted), &deleted)];
                for (_, change) in changes.iter().filter(|(wanted, _)| *wanted) {
                    send_row(
                        Row { table, plan, change, now_ms },
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
    }
}
