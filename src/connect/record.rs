use std::sync::Arc;

use bumpalo::collections::Vec as ArenaVec;

use super::{Field, Schema, SchemaAndValue, Value};

/// What happened to a row, by Debezium's letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `c`: inserted.
    Create,
    /// `r`: read by a snapshot.
    Read,
    /// `u`: updated with an unchanged primary key.
    Update,
    /// `d`: deleted.
    Delete,
}

/// One column of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Not asked for, so not decoded.
    Skipped,
    /// Not in the row image (`binlog_row_image=MINIMAL`) and without a literal default in the table's layout.
    Absent,
    /// The value, a null included.
    Value(Value<'a>),
}

/// The Connect schema of a table's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSchema {
    /// The database.
    pub database: String,
    /// The table.
    pub table: String,
    /// The columns after filters, in the table's order, under their adjusted names.
    pub fields: Vec<Field>,
    /// Indices into `fields` of the primary key's columns, in key order.
    pub primary_key: Vec<usize>,
    /// The name of the row schema: the topic before the router, `.Value`.
    pub value_name: String,
    /// The schema of the key struct, named likewise, `.Key`.
    pub key_schema: Option<Arc<Schema>>,
}

impl TableSchema {
    /// The index of a field by its exact name.
    #[must_use]
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// One changed row of a captured table.
#[derive(Clone, Copy, Debug)]
pub struct RowChange<'a> {
    /// What happened.
    pub operation: Operation,
    /// The schema of the row.
    pub schema: &'a TableSchema,
    /// One cell a field of `schema`.
    pub cells: &'a [Cell<'a>],
    /// The old primary key, in the order of `schema.primary_key`, where an update changed it.
    pub old_key: Option<&'a [Value<'a>]>,
    /// When the change was made at the source, in milliseconds since the epoch.
    pub source_ts_ms: i64,
}

/// A record's header before conversion.
#[derive(Clone, Debug)]
pub struct Header<'a> {
    /// The header's key.
    pub key: &'a str,
    /// Its value.
    pub value: SchemaAndValue<'a>,
}

/// A record before conversion, as Connect's `SourceRecord`.
#[derive(Debug)]
pub struct SourceRecord<'a> {
    /// The topic.
    pub topic: &'a str,
    /// The partition, where one was asked for.
    pub partition: Option<i32>,
    /// The key.
    pub key: SchemaAndValue<'a>,
    /// The value.
    pub value: SchemaAndValue<'a>,
    /// The headers, in order.
    pub headers: ArenaVec<'a, Header<'a>>,
    /// Milliseconds since the epoch; `None` leaves it to the producer's clock.
    pub timestamp: Option<i64>,
}
