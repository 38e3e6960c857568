use bumpalo::Bump;

use super::DecodeError;
use super::json;
use super::plan::{ColumnPlan, TablePlan};
use super::raw::Raw;
use super::rows::{Part, RowsEvent, RowsKind};
use super::wire::WireKind;
use crate::connect::{Cell, Operation, RowChange};

impl RowsEvent<'_> {
    /// The inserted row of an event that has no other, on its own: nothing of it is the event's, whose bytes may go
    /// before the row is sent. A large row is always alone in its event. `None` for any other event.
    ///
    /// # Errors
    /// As [`Self::next_row`].
    pub fn lone_row<'a>(
        &self,
        plan: &'a TablePlan,
        arena: &'a Bump,
        source_ts_ms: i64,
    ) -> Result<Option<RowChange<'a>>, DecodeError> {
        let is_empty = self.rows.is_empty() && !self.empty_row;
        let fits = plan.has_map && plan.columns.len() == self.columns;
        if self.kind != RowsKind::Insert || is_empty || !fits {
            return Ok(None);
        }
        let (mut row, mut behind) = (*self, self.rows);
        self.first.walk(&mut behind, plan, &[], |_, _| ())?;
        if !behind.is_empty() {
            return Ok(None);
        }
        let cell = |column, part: Part<'_>| plan.own_cell(column, part, arena);
        let cells = row.inserted(plan, arena, cell)?;
        let (operation, schema) = (Operation::Create, &plan.schema);
        Ok(Some(RowChange { operation, schema, cells, old_key: None, source_ts_ms }))
    }
}

impl TablePlan {
    /// As [`Self::cell`], with a copy of what that would lend. The text of a document is one already.
    fn own_cell<'a>(
        &'a self,
        column: &'a ColumnPlan,
        part: Part<'_>,
        arena: &'a Bump,
    ) -> Result<Cell<'a>, DecodeError> {
        let bytes = match part {
            Part::Absent => return self.cell(column, Part::Absent, arena),
            Part::Difference => return self.cell(column, Part::Difference, arena),
            Part::Null => return self.cell(column, Part::Null, arena),
            Part::Bytes(bytes) => bytes,
        };
        if column.wire.kind == WireKind::Json && !bytes.is_empty() {
            let raw = json::text(bytes, arena).map(Raw::Text);
            return self.value(column, raw, self.row_rules, arena).map(Cell::Value);
        }
        self.cell(column, Part::Bytes(arena.alloc_slice_copy(bytes)), arena)
    }
}
