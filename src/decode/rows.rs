use bumpalo::Bump;

use super::plan::{ColumnPlan, TablePlan};
use super::raw::Raw;
use super::reader::{Reader, bit, bitmap_length, little_endian};
use super::wire::WireKind;
use super::{DecodeError, ValueError};
use crate::connect::{Cell, Operation, RowChange, Value};

/// A `WRITE_ROWS`, `UPDATE_ROWS`, `DELETE_ROWS` or `PARTIAL_UPDATE_ROWS` event, of version 1 or 2.
#[derive(Clone, Copy, Debug)]
pub struct RowsEvent<'b> {
    /// The number of the table map that the rows follow.
    pub table_id: u64,
    /// Whether the statement ends with this event.
    pub ends_statement: bool,
    kind: RowsKind,
    columns: usize,
    /// The image of inserted and deleted rows, and of updated ones before.
    first: Image<'b>,
    /// The image of updated rows after.
    second: Image<'b>,
    rows: Reader<'b>,
    /// A row of no columns takes no byte: all of them took their defaults.
    empty_row: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowsKind {
    Insert,
    Update,
    PartialUpdate,
    Delete,
}

/// Which columns a row image has.
#[derive(Clone, Copy, Debug)]
struct Image<'b> {
    present: &'b [u8],
    /// How many there are, which is the length of the NULL bitmap.
    count: usize,
}

impl<'b> Image<'b> {
    /// Padding bits behind the last column are set, so columns are counted one by one.
    fn read(reader: &mut Reader<'b>, columns: usize) -> Result<Self, ValueError> {
        let present = reader.take(bitmap_length(columns))?;
        let count = (0..columns).filter(|&column| bit(present, column)).count();
        Ok(Self { present, count })
    }
}

/// A column's part of a row image.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part<'b> {
    Absent,
    Null,
    Bytes(&'b [u8]),
    /// Changes of a JSON document in place of the document.
    Difference,
}

/// The number of the table map that a rows event follows.
#[must_use]
pub fn rows_table_id(body: &[u8]) -> Option<u64> {
    body.get(..6).map(little_endian)
}

impl<'b> RowsEvent<'b> {
    /// Reads the head of an event's body: what stands between the event's header and the checksum.
    ///
    /// # Errors
    /// When the event type carries no rows or the body is cut off.
    pub fn parse(event_type: u8, body: &'b [u8]) -> Result<Self, DecodeError> {
        let (kind, version) = match event_type {
            23 => (RowsKind::Insert, 1),
            24 => (RowsKind::Update, 1),
            25 => (RowsKind::Delete, 1),
            30 => (RowsKind::Insert, 2),
            31 => (RowsKind::Update, 2),
            32 => (RowsKind::Delete, 2),
            39 => (RowsKind::PartialUpdate, 2),
            _ => return Err(DecodeError::NotRows { event_type }),
        };
        Self::read(kind, version, body).map_err(|error| match error {
            ValueError::Malformed(what) => DecodeError::Malformed { what },
            _ => DecodeError::Truncated { what: "head of a rows event" },
        })
    }

    fn read(kind: RowsKind, version: u8, body: &'b [u8]) -> Result<Self, ValueError> {
        let mut reader = Reader::new(body);
        let table_id = little_endian(reader.take(6)?);
        let flags = reader.u16()?;
        if version == 2 {
            // Partition numbers and the like; the length counts itself.
            let length = usize::from(reader.u16()?).checked_sub(2);
            reader.take(length.ok_or(ValueError::Malformed("length of extra row data"))?)?;
        }
        let columns = reader.packed_size()?;
        let first = Image::read(&mut reader, columns)?;
        let second = match kind {
            RowsKind::Update | RowsKind::PartialUpdate => Image::read(&mut reader, columns)?,
            RowsKind::Insert | RowsKind::Delete => first,
        };
        let empty_row = first.count == 0 && kind == RowsKind::Insert;
        if first.count == 0 && !reader.is_empty() {
            return Err(ValueError::Malformed("row without columns"));
        }
        let ends_statement = flags & 1 == 1;
        Ok(Self { table_id, ends_statement, kind, columns, first, second, rows: reader, empty_row })
    }

    /// The next row, or `None` behind the last.
    ///
    /// An update is told from its key: unchanged it is an `Update` whose cells are all skipped, changed it is
    /// a `Create` with the old key. After an [`Unconvertible`](DecodeError::Unconvertible) error the next
    /// call goes on with the row behind it; any other error ends the event.
    ///
    /// # Errors
    /// When the row cannot be read with this plan.
    pub fn next_row<'a>(
        &mut self,
        plan: &'a TablePlan,
        arena: &'a Bump,
        source_ts_ms: i64,
    ) -> Result<Option<RowChange<'a>>, DecodeError>
    where
        'b: 'a,
    {
        if self.rows.is_empty() && !std::mem::take(&mut self.empty_row) {
            return Ok(None);
        }
        if !plan.has_map || plan.columns.len() != self.columns {
            return Err(plan.wrong_width(plan.columns.len(), self.columns));
        }
        let (operation, cells, old_key) = match self.kind {
            RowsKind::Insert => (Operation::Create, self.inserted(plan, arena)?, None),
            RowsKind::Delete => {
                self.first.walk(&mut self.rows, plan, &[], |_, _| ())?;
                (Operation::Delete, plan.skipped.as_slice(), None)
            }
            RowsKind::Update | RowsKind::PartialUpdate => self.updated(plan, arena)?,
        };
        Ok(Some(RowChange { operation, schema: &plan.schema, cells, old_key, source_ts_ms }))
    }

    fn inserted<'a>(
        &mut self,
        plan: &'a TablePlan,
        arena: &'a Bump,
    ) -> Result<&'a [Cell<'a>], DecodeError>
    where
        'b: 'a,
    {
        let cells = arena.alloc_slice_fill_copy(plan.skipped.len(), Cell::Skipped);
        let mut failure = None;
        self.first.walk(&mut self.rows, plan, &[], |column, part| {
            let Some(cell) = wanted_cell(cells, column) else { return };
            match plan.cell(column, part, arena) {
                Ok(value) => *cell = value,
                Err(error) => failure = failure.take().or(Some(error)),
            }
        })?;
        failure.map_or(Ok(&*cells), Err)
    }

    fn updated<'a>(
        &mut self,
        plan: &'a TablePlan,
        arena: &'a Bump,
    ) -> Result<Change<'a>, DecodeError>
    where
        'b: 'a,
    {
        let before_start = self.rows;
        let old = self.first.key_parts(&mut self.rows, plan, &[], arena)?;
        let partial = self.partial_columns(plan)?;
        let after_start = self.rows;
        let new = self.second.key_parts(&mut self.rows, plan, partial, arena)?;
        // A part that the after image leaves out has not changed.
        let changed = |(old, new): (&Part<'_>, &Part<'_>)| *new != Part::Absent && old != new;
        if !old.iter().zip(new).any(changed) {
            return Ok((Operation::Update, &plan.skipped, None));
        }
        let (old_key, new_key) = (plan.key_values(old, arena)?, plan.key_values(new, arena)?);
        let same = |((old, new), part): ((&Value<'_>, &Value<'_>), &Part<'_>)| {
            old == new || *part == Part::Absent
        };
        if old_key.iter().zip(new_key).zip(new).all(same) {
            return Ok((Operation::Update, &plan.skipped, None));
        }
        let cells = arena.alloc_slice_fill_copy(plan.skipped.len(), Cell::Absent);
        let mut failure = None;
        for (image, mut rows, partial) in
            [(self.first, before_start, [].as_slice()), (self.second, after_start, partial)]
        {
            image.walk(&mut rows, plan, partial, |column, part| {
                let Some(cell) = column.field.and_then(|field| cells.get_mut(field)) else {
                    return;
                };
                match part {
                    _ if !column.wanted => *cell = Cell::Skipped,
                    Part::Absent => {}
                    // The document itself is not in the image.
                    Part::Difference => *cell = Cell::Absent,
                    Part::Null | Part::Bytes(_) => match plan.cell(column, part, arena) {
                        Ok(value) => *cell = value,
                        Err(error) => failure = failure.take().or(Some(error)),
                    },
                }
            })?;
        }
        failure.map_or(Ok((Operation::Create, &*cells, Some(old_key))), Err)
    }

    /// What stands before the after image of a partial update: one bit a JSON column of the table, set where
    /// the image has differences.
    fn partial_columns(&mut self, plan: &TablePlan) -> Result<&'b [u8], DecodeError> {
        if self.kind != RowsKind::PartialUpdate {
            return Ok(&[]);
        }
        let cut = |_| DecodeError::Truncated { what: "partial update" };
        let options = self.rows.packed_integer().map_err(cut)?;
        if options & 1 == 0 {
            return Ok(&[]);
        }
        let json = plan.columns.iter().filter(|column| column.wire.kind == WireKind::Json).count();
        self.rows.take(bitmap_length(json)).map_err(cut)
    }
}

type Change<'a> = (Operation, &'a [Cell<'a>], Option<&'a [Value<'a>]>);

#[inline]
fn wanted_cell<'c, 'a>(cells: &'c mut [Cell<'a>], column: &ColumnPlan) -> Option<&'c mut Cell<'a>> {
    if column.wanted { column.field.and_then(|field| cells.get_mut(field)) } else { None }
}

impl<'b> Image<'b> {
    /// Passes over one row image and shows each column's part of it.
    #[inline]
    fn walk<'p>(
        &self,
        rows: &mut Reader<'b>,
        plan: &'p TablePlan,
        partial: &[u8],
        mut visit: impl FnMut(&'p ColumnPlan, Part<'b>),
    ) -> Result<(), DecodeError> {
        let nulls = rows
            .take(bitmap_length(self.count))
            .map_err(|_| DecodeError::Truncated { what: "NULL bitmap of a row" })?;
        let (mut included, mut json) = (0, 0);
        for (index, column) in plan.columns.iter().enumerate() {
            let is_json = column.wire.kind == WireKind::Json;
            json += usize::from(is_json);
            if !bit(self.present, index) {
                visit(column, Part::Absent);
                continue;
            }
            let is_null = bit(nulls, included);
            included += 1;
            if is_null {
                visit(column, Part::Null);
                continue;
            }
            let bytes = column.wire.take(rows).map_err(|error| plan.unreadable(column, error))?;
            if is_json && !partial.is_empty() && bit(partial, json - 1) {
                visit(column, Part::Difference);
            } else {
                visit(column, Part::Bytes(bytes));
            }
        }
        Ok(())
    }

    /// Passes over one row image and gives the primary key's parts.
    fn key_parts<'a>(
        &self,
        rows: &mut Reader<'b>,
        plan: &TablePlan,
        partial: &[u8],
        arena: &'a Bump,
    ) -> Result<&'a [Part<'a>], DecodeError>
    where
        'b: 'a,
    {
        let parts = arena.alloc_slice_fill_copy(plan.key.len(), Part::Absent);
        let mut index = 0;
        self.walk(rows, plan, partial, |_, part| {
            for (slot, _) in parts.iter_mut().zip(&plan.key).filter(|(_, key)| **key == index) {
                *slot = part;
            }
            index += 1;
        })?;
        Ok(parts)
    }
}

impl TablePlan {
    #[inline]
    fn cell<'a>(
        &'a self,
        column: &'a ColumnPlan,
        part: Part<'a>,
        arena: &'a Bump,
    ) -> Result<Cell<'a>, DecodeError> {
        let raw = match part {
            Part::Absent | Part::Difference => return Ok(column.absent_cell()),
            Part::Null => Ok(Raw::Null),
            Part::Bytes(bytes) => Raw::of_row(column.wire.kind, &column.column_type, bytes, arena),
        };
        self.value(column, raw, self.row_rules, arena).map(Cell::Value)
    }

    fn key_values<'a>(
        &'a self,
        parts: &[Part<'a>],
        arena: &'a Bump,
    ) -> Result<&'a [Value<'a>], DecodeError> {
        let values = arena.alloc_slice_fill_copy(parts.len(), Value::Null);
        for ((value, &part), &index) in values.iter_mut().zip(parts).zip(&self.key) {
            let column = self.columns.get(index);
            if let (Some(column), Part::Null | Part::Bytes(_)) = (column, part)
                && let Cell::Value(decoded) = self.cell(column, part, arena)?
            {
                *value = decoded;
            }
        }
        Ok(values)
    }
}
