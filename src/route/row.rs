use super::{RouteError, RouterPlan};
use crate::connect::{Cell, RowChange, Schema, SchemaAndValue, SchemaRef, Value};

/// A row under its plan.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) plan: &'a RouterPlan,
    pub(super) change: RowChange<'a>,
}

impl<'a> Row<'a> {
    /// A column without which there is no event, its default in place of a null.
    pub(super) fn required_value(
        &self,
        index: usize,
    ) -> Result<(&'a Schema, Value<'a>), RouteError> {
        match self.cell(index) {
            Some((schema, Cell::Value(value))) => Ok((schema, or_default(schema, value))),
            Some((_, Cell::Absent)) => Err(self.absent(index)),
            Some((_, Cell::Skipped)) | None => Err(self.unplanned(index)),
        }
    }

    /// As `required_value`, with its schema.
    pub(super) fn required(&self, index: usize) -> Result<SchemaAndValue<'a>, RouteError> {
        let (schema, value) = self.required_value(index)?;
        Ok(SchemaAndValue { schema: Some(SchemaRef::Plan(schema)), value })
    }

    /// A column as it is in the row; one that the row image leaves out is null where that is legal.
    pub(super) fn optional(&self, index: usize) -> Result<(&'a Schema, Value<'a>), RouteError> {
        match self.cell(index) {
            Some((schema, Cell::Value(value))) => Ok((schema, value)),
            Some((schema, Cell::Absent)) if schema.optional => Ok((schema, Value::Null)),
            Some((_, Cell::Absent)) => Err(self.absent(index)),
            Some((_, Cell::Skipped)) | None => Err(self.unplanned(index)),
        }
    }

    /// The value that decides the topic, where there is such a column. Its default does not count.
    pub(super) fn route(&self) -> Result<Option<&'a str>, RouteError> {
        let Some(index) = self.plan.route else { return Ok(None) };
        match self.cell(index) {
            Some((_, Cell::Value(Value::String(text)))) => Ok(Some(text)),
            Some((_, Cell::Value(Value::Null))) => Err(RouteError::NullRoute {
                table: self.plan.table.clone(),
                column: self.column(index),
                event_id: self.event_id(),
            }),
            Some((_, Cell::Absent)) => Err(self.absent(index)),
            _ => Err(self.unplanned(index)),
        }
    }

    /// The partition asked for; the column's default does not count.
    pub(super) fn partition(&self) -> Result<Option<i32>, RouteError> {
        let Some(index) = self.plan.partition else { return Ok(None) };
        let value = match self.optional(index)?.1 {
            Value::Null => return Ok(None),
            Value::Int8(v) => i64::from(v),
            Value::Int16(v) => i64::from(v),
            Value::Int32(v) => i64::from(v),
            Value::Int64(v) => v,
            _ => return Err(self.unplanned(index)),
        };
        match i32::try_from(value) {
            Ok(partition @ 0..) => Ok(Some(partition)),
            _ => Err(RouteError::Partition {
                table: self.plan.table.clone(),
                column: self.column(index),
                value,
                event_id: self.event_id(),
            }),
        }
    }

    /// The record's time: the column's, or `now_ms` for a null. Exactly -1 means none to Kafka.
    pub(super) fn timestamp(&self, now_ms: i64) -> Result<Option<i64>, RouteError> {
        let Some((index, kind)) = self.plan.timestamp else { return Ok(Some(now_ms)) };
        let value = self.optional(index)?.1;
        if value.is_null() {
            return Ok(Some(now_ms));
        }
        match kind.milliseconds(&value) {
            Some(ms @ 0..) => Ok(Some(ms)),
            Some(-1) => Ok(None),
            Some(timestamp_ms) => Err(RouteError::TimestampBeforeEpoch {
                table: self.plan.table.clone(),
                column: self.column(index),
                timestamp_ms,
                event_id: self.event_id(),
            }),
            None => Err(RouteError::Timestamp {
                table: self.plan.table.clone(),
                column: self.column(index),
                event_id: self.event_id(),
            }),
        }
    }

    /// The event's id for a message to a person.
    pub(super) fn event_id(&self) -> String {
        match self.cell(self.plan.id) {
            Some((_, Cell::Value(Value::String(id) | Value::Decimal(id)))) => id.to_owned(),
            Some((_, Cell::Value(Value::Int8(id)))) => id.to_string(),
            Some((_, Cell::Value(Value::Int16(id)))) => id.to_string(),
            Some((_, Cell::Value(Value::Int32(id)))) => id.to_string(),
            Some((_, Cell::Value(Value::Int64(id)))) => id.to_string(),
            Some((_, Cell::Value(Value::Bytes(id)))) => {
                id.iter().map(|byte| format!("{byte:02x}")).collect()
            }
            Some((_, Cell::Value(id))) => format!("{id:?}"),
            _ => "unknown".to_owned(),
        }
    }

    fn cell(&self, index: usize) -> Option<(&'a Schema, Cell<'a>)> {
        let field = self.change.schema.fields.get(index)?;
        Some((&field.schema, *self.change.cells.get(index)?))
    }

    fn column(&self, index: usize) -> String {
        self.change.schema.fields.get(index).map_or_else(String::new, |field| field.name.clone())
    }

    fn absent(&self, index: usize) -> RouteError {
        RouteError::Absent {
            table: self.plan.table.clone(),
            column: self.column(index),
            event_id: self.event_id(),
        }
    }

    fn unplanned(&self, index: usize) -> RouteError {
        RouteError::Unplanned {
            table: self.plan.table.clone(),
            column: self.column(index),
            event_id: self.event_id(),
        }
    }
}

/// A null is read as the column's default where it has one.
pub(super) fn or_default<'a>(schema: &'a Schema, value: Value<'a>) -> Value<'a> {
    match &schema.default {
        Some(default) if value.is_null() => default.value(),
        _ => value,
    }
}
