use bumpalo::Bump;

use super::DecodeError;
use super::plan::TablePlan;
use super::reader::Reader;
use super::rows::{Image, Part, RowsEvent, RowsKind};
use crate::connect::{Cell, Value};

/// Both images of a changed row, for those who publish changes as they are.
#[derive(Clone, Copy, Debug)]
pub struct RowImages<'a> {
    /// The row before, and its primary key; `None` for an inserted row.
    pub before: Option<RowImage<'a>>,
    /// The row after, and its primary key; `None` for a deleted row.
    pub after: Option<RowImage<'a>>,
}

/// A row at one moment.
#[derive(Clone, Copy, Debug)]
pub struct RowImage<'a> {
    /// One cell a field of the plan's schema.
    pub cells: &'a [Cell<'a>],
    /// The primary key's values, in key order; columns that a filter hides are among them.
    pub key: &'a [Value<'a>],
}

impl RowImages<'_> {
    /// Whether an update changes the primary key.
    #[must_use]
    pub fn moves(&self) -> bool {
        matches!((self.before, self.after), (Some(before), Some(after)) if before.key != after.key)
    }
}

impl<'b> RowsEvent<'b> {
    /// The next row with all that the log says of it, or `None` behind the last. Every wanted column is
    /// decoded.
    ///
    /// # Errors
    /// When the row cannot be read with this plan.
    pub fn next_images<'a>(
        &mut self,
        plan: &'a TablePlan,
        arena: &'a Bump,
    ) -> Result<Option<RowImages<'a>>, DecodeError>
    where
        'b: 'a,
    {
        if self.rows.is_empty() && !std::mem::take(&mut self.empty_row) {
            return Ok(None);
        }
        if !plan.has_map || plan.columns.len() != self.columns {
            return Err(plan.wrong_width(plan.columns.len(), self.columns));
        }
        let first = Reading { image: self.first, partial: &[] };
        Ok(Some(match self.kind {
            RowsKind::Insert => {
                let after = Some(first.row(&mut self.rows, plan, None, arena)?);
                RowImages { before: None, after }
            }
            RowsKind::Delete => {
                let before = Some(first.row(&mut self.rows, plan, None, arena)?);
                RowImages { before, after: None }
            }
            RowsKind::Update | RowsKind::PartialUpdate => {
                // A value that has no form does not keep the rest from being passed over, so that the next
                // row is found.
                let before = match first.row(&mut self.rows, plan, None, arena) {
                    Err(error) if !matches!(error, DecodeError::Unconvertible { .. }) => {
                        return Err(error);
                    }
                    before => before,
                };
                let second = Reading { image: self.second, partial: self.partial_columns(plan)? };
                let after =
                    second.row(&mut self.rows, plan, before.as_ref().ok().copied(), arena)?;
                RowImages { before: Some(before?), after: Some(after) }
            }
        }))
    }
}

/// One image of a row, and which of its JSON columns hold differences.
struct Reading<'b> {
    image: Image<'b>,
    partial: &'b [u8],
}

impl<'b> Reading<'b> {
    /// Reads the image; what it leaves out is as in `base`.
    fn row<'a>(
        &self,
        rows: &mut Reader<'b>,
        plan: &'a TablePlan,
        base: Option<RowImage<'a>>,
        arena: &'a Bump,
    ) -> Result<RowImage<'a>, DecodeError>
    where
        'b: 'a,
    {
        let mut of_key = *rows;
        let cells = match base {
            Some(base) => arena.alloc_slice_copy(base.cells),
            None => arena.alloc_slice_fill_copy(plan.skipped.len(), Cell::Skipped),
        };
        let mut failure = None;
        self.image.walk(rows, plan, self.partial, |column, part| {
            let Some(cell) = column.field.and_then(|field| cells.get_mut(field)) else { return };
            match part {
                _ if !column.wanted => {}
                Part::Absent if base.is_some() => {}
                Part::Difference => *cell = Cell::Absent,
                part => match plan.cell(column, part, arena) {
                    Ok(value) => *cell = column.shown(value, arena),
                    Err(error) => failure = failure.take().or(Some(error)),
                },
            }
        })?;
        let parts = self.image.key_parts(&mut of_key, plan, self.partial, arena)?;
        let key = match base {
            Some(base) if parts.contains(&Part::Absent) => base.key,
            _ => plan.key_values(parts, arena)?,
        };
        failure.map_or(Ok(RowImage { cells, key }), Err)
    }
}
