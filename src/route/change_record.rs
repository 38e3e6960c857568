use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::{Place, RawKind, RecordPart, RouteError, TransactionOrder};
use crate::connect::{
    Cell, DefaultValue, Field, Header, Schema, SchemaAndValue, SchemaRef, SchemaType, SourceRecord,
    TableSchema, Value, logical,
};

/// The release whose records these are equal to; it stands in each of them.
const VERSION: &str = "3.6.1.Final";

/// The change records of a table whose rows do not go to the router: Debezium's envelope of before, after and
/// source, under the table's own topic.
#[derive(Debug)]
pub struct ChangeRecords {
    topic: String,
    connector: String,
    database: String,
    table: String,
    fields: Vec<String>,
    key: Option<Arc<Schema>>,
    envelope: Schema,
    headers: Vec<(&'static str, String)>,
    text: Schema,
}

/// Where a change comes from.
#[derive(Clone, Copy, Debug)]
pub struct ChangeSource<'a> {
    /// When it was committed, in microseconds since the epoch.
    pub ts_us: i64,
    /// The place in a snapshot: `true`, `first`, `last` and so on; `None` for a change of the stream.
    pub snapshot: Option<&'static str>,
    /// The server that made it; 0 in a snapshot.
    pub server_id: i64,
    /// Its transaction.
    pub gtid: Option<&'a str>,
    /// The log file.
    pub file: &'a str,
    /// Where its event starts in the file.
    pub pos: i64,
    /// Its place in the event.
    pub row: i32,
    /// The session that made it.
    pub thread: Option<i64>,
}

/// One record to be made.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// What kind of record it is.
    pub kind: RawKind,
    /// `c`, `r`, `u` or `d`.
    pub op: &'static str,
    /// The row before.
    pub before: Option<&'a [Cell<'a>]>,
    /// The row after.
    pub after: Option<&'a [Cell<'a>]>,
    /// The primary key's values.
    pub key: &'a [Value<'a>],
    /// The primary key on the other side of an update that changed it.
    pub other_key: &'a [Value<'a>],
    /// Where it comes from.
    pub source: ChangeSource<'a>,
    /// The time of processing, in nanoseconds since the epoch.
    pub now_ns: i64,
    /// Its place in its transaction, where the file asks for it.
    pub transaction: Option<TransactionOrder<'a>>,
}

/// The topic of a table's records before the router.
#[must_use]
pub fn raw_topic(topic_prefix: &str, delimiter: &str, database: &str, table: &str) -> String {
    let name = [topic_prefix, database, table].join(delimiter);
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    name.chars().map(|c| if legal(c) { c } else { '_' }).collect()
}

impl ChangeRecords {
    /// The records of a table. `headers` are those that every record of the connector has.
    #[must_use]
    pub fn new(
        topic_prefix: &str,
        topic: String,
        schema: &TableSchema,
        headers: &[(&'static str, String)],
    ) -> Self {
        Self {
            connector: topic_prefix.to_owned(),
            database: schema.database.clone(),
            table: schema.table.clone(),
            fields: schema.fields.iter().map(|field| field.name.clone()).collect(),
            key: schema.key_schema.clone(),
            envelope: envelope(schema),
            headers: headers.to_vec(),
            text: Schema::new(SchemaType::String),
            topic,
        }
    }

    /// Makes a record.
    ///
    /// # Errors
    /// When the log does not hold a column.
    pub fn record<'a>(
        &'a self,
        change: &Change<'a>,
        arena: &'a Bump,
    ) -> Result<SourceRecord<'a>, RouteError> {
        let value = if change.kind.is_tombstone() {
            SchemaAndValue::NULL
        } else {
            SchemaAndValue {
                schema: Some(SchemaRef::Plan(&self.envelope)),
                value: self.value(change, arena)?,
            }
        };
        let mut headers = ArenaVec::with_capacity_in(self.headers.len() + 1, arena);
        if let (Some(key), Some(schema)) = (change.kind.key_header(), &self.key) {
            let schema = Some(SchemaRef::Plan(schema));
            let value = SchemaAndValue { schema, value: Value::Struct(change.other_key) };
            headers.push(Header { key, value });
        }
        headers.extend(self.headers.iter().map(|(key, text)| Header {
            key,
            value: SchemaAndValue {
                schema: Some(SchemaRef::Plan(&self.text)),
                value: Value::String(text),
            },
        }));
        Ok(SourceRecord {
            topic: &self.topic,
            partition: None,
            key: match &self.key {
                Some(schema) => SchemaAndValue {
                    schema: Some(SchemaRef::Plan(schema)),
                    value: Value::Struct(change.key),
                },
                None => SchemaAndValue::NULL,
            },
            value,
            headers,
            timestamp: None,
        })
    }

    fn value<'a>(&'a self, change: &Change<'a>, arena: &'a Bump) -> Result<Value<'a>, RouteError> {
        let source = &change.source;
        let text = |text: Option<&'a str>| text.map_or(Value::Null, Value::String);
        let of_source = [
            Value::String(VERSION),
            Value::String("mysql"),
            Value::String(&self.connector),
            Value::Int64(source.ts_us.div_euclid(1000)),
            text(source.snapshot),
            Value::String(&self.database),
            Value::Null,
            Value::Int64(source.ts_us),
            Value::Int64(source.ts_us.saturating_mul(1000)),
            Value::String(&self.table),
            Value::Int64(source.server_id),
            text(source.gtid),
            Value::String(source.file),
            Value::Int64(source.pos),
            Value::Int32(source.row),
            source.thread.map_or(Value::Null, Value::Int64),
            Value::Null,
        ];
        let values = [
            self.row(change.before, arena)?,
            self.row(change.after, arena)?,
            Value::Struct(arena.alloc_slice_copy(&of_source)),
            change.transaction.map_or(Value::Null, |order| {
                let values = [
                    Value::String(order.id),
                    Value::Int64(order.total),
                    Value::Int64(order.of_table),
                ];
                Value::Struct(arena.alloc_slice_copy(&values))
            }),
            Value::String(change.op),
            Value::Int64(change.now_ns.div_euclid(1_000_000)),
            Value::Int64(change.now_ns.div_euclid(1000)),
            Value::Int64(change.now_ns),
        ];
        Ok(Value::Struct(arena.alloc_slice_copy(&values)))
    }

    fn row<'a>(
        &self,
        cells: Option<&'a [Cell<'a>]>,
        arena: &'a Bump,
    ) -> Result<Value<'a>, RouteError> {
        let Some(cells) = cells else { return Ok(Value::Null) };
        let mut values = ArenaVec::with_capacity_in(cells.len(), arena);
        for (cell, column) in cells.iter().zip(&self.fields) {
            match cell {
                Cell::Value(value) => values.push(*value),
                Cell::Absent | Cell::Skipped => {
                    return Err(RouteError::Absent {
                        table: format!("{}.{}", self.database, self.table),
                        column: column.clone(),
                        event_id: "(not routed)".to_owned(),
                    });
                }
            }
        }
        Ok(Value::Struct(values.into_bump_slice()))
    }

    /// The parts of the records, so that converters can be checked against them.
    #[must_use]
    pub fn parts(&self) -> Vec<RecordPart<'_>> {
        let mut parts =
            vec![RecordPart { place: Place::Value, column: "(all)", schema: &self.envelope }];
        if let Some(schema) = &self.key {
            parts.push(RecordPart { place: Place::Key, column: "(primary key)", schema });
        }
        parts
    }
}

fn field(name: &str, schema: impl Into<Arc<Schema>>) -> Field {
    Field { name: name.to_owned(), schema: schema.into() }
}

fn structure(name: &str, version: Option<i32>, fields: Vec<Field>) -> Schema {
    let name = Some(name.to_owned());
    Schema { name, version, fields, ..Schema::new(SchemaType::Struct) }
}

fn envelope(schema: &TableSchema) -> Schema {
    use SchemaType::{Int64, String};
    let row = Arc::new(structure(&schema.value_name, None, schema.fields.clone()).optional(true));
    let required = |name, schema_type| field(name, Schema::new(schema_type));
    let optional = |name, schema_type| field(name, Schema::new(schema_type).optional(true));
    let transaction = structure(
        "event.block",
        Some(1),
        vec![
            required("id", String),
            required("total_order", Int64),
            required("data_collection_order", Int64),
        ],
    );
    let name = schema.value_name.strip_suffix(".Value").unwrap_or(&schema.value_name);
    structure(
        &format!("{name}.Envelope"),
        Some(2),
        vec![
            field("before", Arc::clone(&row)),
            field("after", row),
            field("source", source()),
            field("transaction", transaction.optional(true)),
            required("op", String),
            optional("ts_ms", Int64),
            optional("ts_us", Int64),
            optional("ts_ns", Int64),
        ],
    )
}

/// The schema of `source`, as Debezium 3.6 has it for MySQL.
fn source() -> Schema {
    use SchemaType::{Int32, Int64, String};
    let required = |name, schema_type| field(name, Schema::new(schema_type));
    let optional = |name, schema_type| field(name, Schema::new(schema_type).optional(true));
    let mut snapshot = Schema::new(String).optional(true).named(logical::ENUM).parameter(
        "allowed",
        "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental",
    );
    snapshot.default = Some(DefaultValue::String("false".into()));
    structure(
        "io.debezium.connector.mysql.Source",
        Some(1),
        vec![
            required("version", String),
            required("connector", String),
            required("name", String),
            required("ts_ms", Int64),
            field("snapshot", snapshot),
            required("db", String),
            optional("sequence", String),
            optional("ts_us", Int64),
            optional("ts_ns", Int64),
            optional("table", String),
            required("server_id", Int64),
            optional("gtid", String),
            required("file", String),
            required("pos", Int64),
            required("row", Int32),
            optional("thread", Int64),
            optional("query", String),
        ],
    )
}
