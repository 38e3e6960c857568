use bumpalo::Bump;
use bumpalo::collections::String as ArenaString;

use super::column::ColumnType;
use super::raw::{Raw, padded};
use super::reader::big_endian;
use super::{DecodeError, TablePlan, ValueError, charset, decimal, temporal};
use crate::connect::{Cell, Operation, RowChange};

impl TablePlan {
    /// The columns to select for [`snapshot_row`](Self::snapshot_row).
    pub fn selected(&self) -> impl Iterator<Item = &str> {
        self.field_columns().map(|column| column.name.as_str())
    }

    /// A row of a snapshot: one text of MySQL's text protocol for each field of `schema`, read in utf8mb4 and
    /// time zone +00:00.
    ///
    /// # Errors
    /// When a text is not a value of its column, or has no form in its Connect type.
    pub fn snapshot_row<'a>(
        &'a self,
        texts: &[Option<&'a [u8]>],
        arena: &'a Bump,
        source_ts_ms: i64,
    ) -> Result<RowChange<'a>, DecodeError> {
        let expected = self.schema.fields.len();
        if texts.len() != expected {
            return Err(self.wrong_width(expected, texts.len()));
        }
        let cells = arena.alloc_slice_fill_copy(expected, Cell::Skipped);
        for ((cell, column), text) in cells.iter_mut().zip(self.field_columns()).zip(texts) {
            if !column.wanted {
                continue;
            }
            let raw = match text {
                Some(text) => Raw::of_text(&column.column_type, text, arena),
                None => Ok(Raw::Null),
            };
            let value = self.value(column, raw, self.snapshot_rules, arena)?;
            *cell = column.shown(Cell::Value(value), arena);
        }
        Ok(RowChange {
            operation: Operation::Read,
            schema: &self.schema,
            cells,
            old_key: None,
            source_ts_ms,
        })
    }
}

impl<'a> Raw<'a> {
    /// A value from its text in MySQL's text protocol.
    pub(super) fn of_text(
        column: &ColumnType,
        bytes: &'a [u8],
        arena: &'a Bump,
    ) -> Result<Self, ValueError> {
        match column {
            ColumnType::Binary { padded_to: Some(length) } => {
                return Ok(Self::Bytes(padded(bytes, usize::from(*length), arena)));
            }
            ColumnType::Binary { padded_to: None }
            | ColumnType::Geometry
            | ColumnType::Point
            | ColumnType::Vector => return Ok(Self::Bytes(bytes)),
            ColumnType::Bit { .. } => return Ok(Self::Bits(big_endian(bytes))),
            _ => {}
        }
        let text = std::str::from_utf8(bytes).unwrap_or_else(|_| charset::lossy_utf8(bytes, arena));
        Self::of_words(column, text, arena).ok_or(ValueError::Malformed("text of a value"))
    }

    fn of_words(column: &ColumnType, text: &'a str, arena: &'a Bump) -> Option<Self> {
        Some(match column {
            ColumnType::Integer { unsigned: true, .. } => Self::Unsigned(text.parse().ok()?),
            ColumnType::Integer { unsigned: false, .. } => Self::Integer(text.parse().ok()?),
            ColumnType::Float { .. } => Self::Float(text.parse().ok()?),
            ColumnType::Double => Self::Double(text.parse().ok()?),
            ColumnType::Decimal { scale, .. } => {
                let digits = decimal::rescale(text, usize::from(*scale))?;
                Self::Decimal(ArenaString::from_str_in(&digits, arena).into_bump_str())
            }
            ColumnType::Year => Self::Year(text.parse().ok()?),
            ColumnType::Date => Self::Date(temporal::parse_datetime(text)?.date),
            ColumnType::Time => Self::Time(temporal::parse_time(text)?),
            ColumnType::DateTime { .. } => Self::DateTime(temporal::parse_datetime(text)?),
            ColumnType::Timestamp { .. } => {
                let moment = temporal::parse_datetime(text)?;
                if moment.date.has_zero_part() {
                    return Some(Self::Null);
                }
                Self::Timestamp(moment.epoch_micros().ok()?)
            }
            _ => Self::Text(text),
        })
    }
}
