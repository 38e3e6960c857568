use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::{Place, RecordPart};
use crate::connect::{Field, Schema, SchemaAndValue, SchemaRef, SchemaType, SourceRecord, Value};

/// The records of `provide.transaction.metadata`: a transaction's BEGIN and END, which pass the router unchanged.
#[derive(Debug)]
pub struct TransactionRecords {
    topic: String,
    key: Schema,
    value: Schema,
}

/// A row's place in its transaction, for Debezium's own envelope.
#[derive(Clone, Copy, Debug)]
pub struct TransactionOrder<'a> {
    /// The transaction's id: its GTID, or where it begins in the log.
    pub id: &'a str,
    /// Its number among all rows of captured tables, from 1.
    pub total: i64,
    /// Its number among those of its own table, from 1.
    pub of_table: i64,
}

fn field(name: &str, schema: Schema) -> Field {
    Field { name: name.to_owned(), schema: schema.into() }
}

fn required(name: &str, schema_type: SchemaType) -> Field {
    field(name, Schema::new(schema_type))
}

fn structure(name: &str, fields: Vec<Field>) -> Schema {
    Schema { fields, ..Schema::new(SchemaType::Struct).named(name) }
}

impl TransactionRecords {
    /// Records for this topic.
    #[must_use]
    pub fn new(topic: String) -> Self {
        use SchemaType::{Array, Int64, String};
        let fields = vec![required("data_collection", String), required("event_count", Int64)];
        let collection = structure("event.collection", fields).optional(true);
        let collections =
            Schema { value_schema: Some(collection.into()), ..Schema::new(Array).optional(true) };
        Self {
            topic,
            key: structure(
                "io.debezium.connector.common.TransactionMetadataKey",
                vec![required("id", String)],
            ),
            value: structure(
                "io.debezium.connector.common.TransactionMetadataValue",
                vec![
                    required("status", String),
                    required("id", String),
                    field("event_count", Schema::new(Int64).optional(true)),
                    field("data_collections", collections),
                    required("ts_ms", Int64),
                ],
            ),
        }
    }

    /// A transaction begins.
    #[must_use]
    pub fn begin<'a>(&'a self, id: &'a str, ts_ms: i64, arena: &'a Bump) -> SourceRecord<'a> {
        self.record("BEGIN", id, [Value::Null, Value::Null], ts_ms, arena)
    }

    /// A transaction ends that changed so many rows of these tables.
    #[must_use]
    pub fn end<'a>(
        &'a self,
        id: &'a str,
        tables: &[(&'a str, i64)],
        ts_ms: i64,
        arena: &'a Bump,
    ) -> SourceRecord<'a> {
        let total = tables.iter().map(|(_, events)| events).sum();
        let collections = tables.iter().map(|(table, events)| {
            let fields = [Value::String(table), Value::Int64(*events)];
            Value::Struct(arena.alloc_slice_copy(&fields))
        });
        let collections = ArenaVec::from_iter_in(collections, arena).into_bump_slice();
        let counts = [Value::Int64(total), Value::Array(collections)];
        self.record("END", id, counts, ts_ms, arena)
    }

    fn record<'a>(
        &'a self,
        status: &'static str,
        id: &'a str,
        [total, collections]: [Value<'a>; 2],
        ts_ms: i64,
        arena: &'a Bump,
    ) -> SourceRecord<'a> {
        let of = |schema, values: &[Value<'a>]| SchemaAndValue {
            schema: Some(SchemaRef::Plan(schema)),
            value: Value::Struct(arena.alloc_slice_copy(values)),
        };
        let (status, id) = (Value::String(status), Value::String(id));
        SourceRecord {
            topic: &self.topic,
            partition: None,
            key: of(&self.key, &[id]),
            value: of(&self.value, &[status, id, total, collections, Value::Int64(ts_ms)]),
            headers: ArenaVec::new_in(arena),
            timestamp: None,
        }
    }

    /// The parts of the records, so that converters can be checked against them.
    #[must_use]
    pub fn parts(&self) -> [RecordPart<'_>; 2] {
        [
            RecordPart { place: Place::Key, column: "id", schema: &self.key },
            RecordPart { place: Place::Value, column: "(transaction)", schema: &self.value },
        ]
    }
}
