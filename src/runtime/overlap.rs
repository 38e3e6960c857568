use std::collections::HashMap;

use tracing::{info, warn};

use super::queries::Queries;
use crate::connect::{Cell, RowChange, Value};
use crate::decode::TableLayout;
use crate::offset::BinlogPosition;
use crate::source::{KeyValue, Snapshot};

/// The stretch of the log in which a row may be both in the snapshot and in the stream. The snapshot stays
/// open till its end and is asked.
pub(super) struct Overlap {
    snapshot: Option<Snapshot>,
    end: BinlogPosition,
    layouts: HashMap<String, TableLayout>,
    queries: Queries,
}

impl Overlap {
    pub(super) fn new(
        snapshot: Snapshot,
        layouts: HashMap<String, TableLayout>,
        queries: Queries,
    ) -> Self {
        let end = snapshot.overlap_end.clone();
        Self { snapshot: Some(snapshot), end, layouts, queries }
    }

    /// Whether the stream has passed the end.
    pub(super) fn is_passed(&self, position: &BinlogPosition) -> bool {
        self.end.is_behind(position)
    }

    /// Whether the snapshot has published this inserted row. A row whose key cannot be asked for counts as
    /// not published: better twice than never.
    pub(super) fn covers(&mut self, table: &str, change: &RowChange<'_>) -> bool {
        let (Some(snapshot), Some(layout)) = (&mut self.snapshot, self.layouts.get(table)) else {
            return false;
        };
        let key: Option<Vec<KeyValue<'_>>> = layout
            .primary_key
            .iter()
            .zip(&change.schema.primary_key)
            .map(|(&column, &field)| key_value(layout, column, change.cells.get(field)?))
            .collect();
        let Some(key) = key else { return false };
        match self.queries.wait(snapshot.contains(layout, &key)) {
            Ok(contained) => contained,
            Err(err) => {
                warn!(table, error = %err, "the snapshot cannot be asked any more: rows committed while it began may be published twice");
                self.snapshot = None;
                false
            }
        }
    }

    /// Closes the snapshot.
    pub(super) fn close(self) {
        if let Some(snapshot) = self.snapshot {
            self.queries.wait(snapshot.close());
            info!("the stream has passed the snapshot");
        }
    }
}

/// A key's value as the server knows it, where decoding has not changed its form.
fn key_value<'a>(layout: &TableLayout, column: usize, cell: &Cell<'a>) -> Option<KeyValue<'a>> {
    let column = layout.columns.get(column)?;
    let unsigned = column.column_type.contains("unsigned");
    match (column.data_type.as_str(), cell) {
        ("tinyint" | "smallint" | "mediumint" | "int" | "bigint", Cell::Value(value)) => {
            let number = match *value {
                Value::Int16(number) => number.into(),
                Value::Int32(number) => number.into(),
                Value::Int64(number) => number,
                Value::Decimal(digits) => return Some(KeyValue::Unsigned(digits.parse().ok()?)),
                _ => return None,
            };
            Some(if unsigned {
                KeyValue::Unsigned(number.cast_unsigned())
            } else {
                KeyValue::Signed(number)
            })
        }
        ("char" | "varchar", Cell::Value(Value::String(text))) => Some(KeyValue::Text(text)),
        ("binary" | "varbinary", Cell::Value(Value::Bytes(bytes))) => Some(KeyValue::Bytes(bytes)),
        ("decimal", Cell::Value(Value::Decimal(digits) | Value::String(digits))) => {
            Some(KeyValue::Text(digits))
        }
        _ => None,
    }
}
