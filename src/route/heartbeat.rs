use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::{Place, RecordPart};
use crate::connect::{Field, Schema, SchemaAndValue, SchemaRef, SchemaType, SourceRecord, Value};

/// Heartbeat records: they pass the router unchanged.
#[derive(Debug)]
pub struct Heartbeat {
    topic: String,
    server_name: String,
    key: Schema,
    value: Schema,
}

impl Heartbeat {
    /// Heartbeats of the server named `topic_prefix` for `topic`.
    #[must_use]
    pub fn new(topic: String, topic_prefix: &str) -> Self {
        let record = |name: &str, field: &str, schema_type: SchemaType| Schema {
            fields: vec![Field { name: field.to_owned(), schema: Schema::new(schema_type).into() }],
            ..Schema::new(SchemaType::Struct).named(&format!("io.debezium.connector.common.{name}"))
        };
        Self {
            topic,
            server_name: topic_prefix.to_owned(),
            key: record("ServerNameKey", "serverName", SchemaType::String),
            value: record("Heartbeat", "ts_ms", SchemaType::Int64),
        }
    }

    /// The record for this moment.
    #[must_use]
    pub fn record<'a>(&'a self, now_ms: i64, arena: &'a Bump) -> SourceRecord<'a> {
        let of = |schema, value| SchemaAndValue {
            schema: Some(SchemaRef::Plan(schema)),
            value: Value::Struct(arena.alloc_slice_copy(&[value])),
        };
        SourceRecord {
            topic: &self.topic,
            partition: Some(0),
            key: of(&self.key, Value::String(&self.server_name)),
            value: of(&self.value, Value::Int64(now_ms)),
            headers: ArenaVec::new_in(arena),
            timestamp: None,
        }
    }

    /// The parts of the record, so that converters can be checked against them.
    #[must_use]
    pub fn parts(&self) -> [RecordPart<'_>; 2] {
        [
            RecordPart { place: Place::Key, column: "serverName", schema: &self.key },
            RecordPart { place: Place::Value, column: "ts_ms", schema: &self.value },
        ]
    }
}
