use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::expand::{ExpandWarning, Expander, Expansion};
use super::row::{Row, or_default};
use super::topic::TopicRoute;
use super::{RouteError, RouterPlan, plan};
use crate::config::RouterConfig;
use crate::connect::{
    Header, Operation, RowChange, Schema, SchemaAndValue, SchemaRef, SchemaType, SourceRecord,
    TableSchema, Value,
};

/// Debezium's outbox EventRouter with its options.
#[derive(Debug)]
pub struct EventRouter {
    config: RouterConfig,
    topics: TopicRoute,
    expander: Expander,
    /// The `__debezium.context.*` headers.
    context: Vec<(&'static str, String)>,
    text: Schema,
}

/// What became of a row.
#[derive(Debug)]
pub enum Routed<'a> {
    /// A record to be published, and why its JSON was not expanded where that was asked for in vain.
    Record(SourceRecord<'a>, Option<ExpandWarning>),
    /// Nothing.
    Dropped(DropReason),
}

/// Why a row gives no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// An update, which an outbox should not see: `table.op.invalid.behavior` says what to make of it.
    Update,
    /// A delete, which is how an outbox is cleaned.
    Delete,
}

/// A payload with the schema that replaces the column's, where it was expanded.
struct Payload<'a> {
    value: Value<'a>,
    schema: PayloadSchema<'a>,
    warning: Option<ExpandWarning>,
}

enum PayloadSchema<'a> {
    Column(&'a Schema),
    Inferred(Arc<Schema>),
    /// An empty JSON array has none.
    None,
}

impl EventRouter {
    /// A router for the connector named `topic_prefix`. `run_id` tells one start of it from another; it is
    /// seen in the context headers only.
    #[must_use]
    pub fn new(config: RouterConfig, topic_prefix: &str, run_id: &str) -> Self {
        let context = if config.context_headers {
            vec![
                ("__debezium.context.connectorLogicalName", topic_prefix.to_owned()),
                ("__debezium.context.taskId", "0".to_owned()),
                ("__debezium.context.connectorName", "mysql".to_owned()),
                ("__debezium.context.runId", run_id.to_owned()),
            ]
        } else {
            Vec::new()
        };
        Self {
            topics: TopicRoute::new(config.topic_regex.clone(), config.topic_replacement.clone()),
            expander: Expander::new(&config),
            context,
            text: Schema::new(SchemaType::String),
            config,
        }
    }

    /// The headers that every record has, whatever the router does with it.
    #[must_use]
    pub fn context_headers(&self) -> &[(&'static str, String)] {
        &self.context
    }

    /// Finds the columns of a table.
    ///
    /// # Errors
    /// Everything that would keep its rows from being routed.
    pub fn plan(&self, schema: &TableSchema) -> Result<RouterPlan, Vec<RouteError>> {
        plan::plan(&self.config, schema)
    }

    /// Routes one row of the table that `plan` was made for.
    ///
    /// # Errors
    /// When the row has no topic, partition or timestamp that Kafka would take.
    pub fn route<'a>(
        &'a self,
        plan: &'a RouterPlan,
        change: &RowChange<'a>,
        now_ms: i64,
        arena: &'a Bump,
    ) -> Result<Routed<'a>, RouteError> {
        match change.operation {
            Operation::Update => return Ok(Routed::Dropped(DropReason::Update)),
            Operation::Delete => return Ok(Routed::Dropped(DropReason::Delete)),
            Operation::Create | Operation::Read => {}
        }
        let row = Row { plan, change: *change };
        let route = row.route()?;
        let topic = self.topic(&row, route, arena)?;
        let mut payload = self.payload(&row, arena)?;
        let warning = payload.warning.take();
        let value = self.value(&row, payload, route, arena)?;
        let record = SourceRecord {
            topic,
            partition: row.partition()?,
            key: row.required(plan.key)?,
            value,
            headers: self.headers(&row, arena)?,
            timestamp: row.timestamp(now_ms)?,
        };
        Ok(Routed::Record(record, warning))
    }

    fn topic<'a>(
        &'a self,
        row: &Row<'a>,
        route: Option<&str>,
        arena: &'a Bump,
    ) -> Result<&'a str, RouteError> {
        let Some(route) = route else { return Ok(self.topics.constant().unwrap_or_default()) };
        self.topics.topic(route, arena).map_err(|source| RouteError::Topic {
            table: row.plan.table.clone(),
            event_id: row.event_id(),
            source,
        })
    }

    fn payload<'a>(&self, row: &Row<'a>, arena: &'a Bump) -> Result<Payload<'a>, RouteError> {
        let (schema, value) = row.required_value(row.plan.payload)?;
        let column = PayloadSchema::Column(schema);
        let expansion = if self.config.expand_json && !value.is_null() {
            self.expander.expand(&value, arena)
        } else {
            return Ok(Payload { value, schema: column, warning: None });
        };
        Ok(match expansion {
            Expansion::Struct { schema, value, warning } => {
                Payload { value, schema: PayloadSchema::Inferred(schema), warning }
            }
            // An envelope cannot hold a value without a schema: it keeps the text.
            Expansion::EmptyArray if row.plan.envelope.is_some() => {
                Payload { value, schema: column, warning: Some(ExpandWarning::Unwritable) }
            }
            Expansion::EmptyArray => Payload { value, schema: PayloadSchema::None, warning: None },
            Expansion::Text(why) => Payload { value, schema: column, warning: Some(why) },
        })
    }

    /// The record's value: a tombstone, the payload, or an envelope around it.
    fn value<'a>(
        &self,
        row: &Row<'a>,
        payload: Payload<'a>,
        route: Option<&str>,
        arena: &'a Bump,
    ) -> Result<SchemaAndValue<'a>, RouteError> {
        if self.config.tombstone_on_empty && is_empty(&payload.value) {
            return Ok(SchemaAndValue::NULL);
        }
        let Some(envelope) = &row.plan.envelope else {
            let schema = match payload.schema {
                PayloadSchema::Column(schema) => Some(SchemaRef::Plan(schema)),
                PayloadSchema::Inferred(schema) => Some(SchemaRef::Shared(schema)),
                PayloadSchema::None => None,
            };
            return Ok(SchemaAndValue { schema, value: payload.value });
        };
        let version = match envelope.version {
            Some(index) => match row.optional(index)? {
                (_, Value::Int32(version)) => Some(version),
                _ => None,
            },
            None => None,
        };
        let inferred = match payload.schema {
            PayloadSchema::Inferred(schema) => Some(schema),
            PayloadSchema::Column(_) | PayloadSchema::None => None,
        };
        let mut values = ArenaVec::with_capacity_in(envelope.fields.len() + 1, arena);
        values.push(payload.value);
        for (index, _) in &envelope.fields {
            let (schema, value) = row.optional(*index)?;
            values.push(or_default(schema, value));
        }
        Ok(SchemaAndValue {
            schema: Some(SchemaRef::Shared(envelope.schema(route, version, inferred))),
            value: Value::Struct(values.into_bump_slice()),
        })
    }

    fn headers<'a>(
        &'a self,
        row: &Row<'a>,
        arena: &'a Bump,
    ) -> Result<ArenaVec<'a, Header<'a>>, RouteError> {
        let capacity = 2 + self.context.len() + row.plan.headers.len();
        let mut headers = ArenaVec::with_capacity_in(capacity, arena);
        if let (Some(old), Some(schema)) = (row.change.old_key, &row.change.schema.key_schema) {
            headers.push(Header {
                key: "__debezium.oldkey",
                value: SchemaAndValue {
                    schema: Some(SchemaRef::Plan(schema)),
                    value: Value::Struct(old),
                },
            });
        }
        headers.extend(self.context.iter().map(|(key, text)| Header {
            key,
            value: SchemaAndValue {
                schema: Some(SchemaRef::Plan(&self.text)),
                value: Value::String(text),
            },
        }));
        headers.push(Header { key: "id", value: row.required(row.plan.id)? });
        for (index, alias) in &row.plan.headers {
            let (schema, value) = row.optional(*index)?;
            let value = or_default(schema, value);
            let value = SchemaAndValue { schema: Some(SchemaRef::Plan(schema)), value };
            headers.push(Header { key: alias, value });
        }
        Ok(headers)
    }
}

/// Whether a tombstone is to stand for this payload: null, or text of nothing but blanks as Java trims them.
fn is_empty(payload: &Value<'_>) -> bool {
    match payload {
        Value::Null => true,
        Value::String(text) => text.bytes().all(|byte| byte <= b' '),
        _ => false,
    }
}
