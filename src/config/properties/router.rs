use super::{Kind, Property, Words, used, without_effect};
use crate::config::{FieldNameAdjustment, InvalidOperation, MissingField, NullInJson};

const TRACING: &str = "outflow does no tracing";

/// The EventRouter's options, without `transforms.<alias>.`.
pub(super) const PROPERTIES: &[Property] = &[
    used("type", Kind::Text),
    used("table.field.event.id", Kind::Text).or("id"),
    // Up to 1.9 the column of the payload's id was the key where no key was named.
    used("table.field.event.key", Kind::Text)
        .or("aggregateid")
        .once(&["table.field.event.payload.id", "table.field.payload.id"]),
    used("table.field.event.type", Kind::Text),
    used("table.field.event.payload", Kind::Text).or("payload").once(&["table.field.payload"]),
    used("table.field.event.timestamp", Kind::Text),
    used("table.field.event.schema.version", Kind::Text).once(&["table.field.schema.version"]),
    used("table.fields.additional.placement", Kind::Text),
    used("table.field.additional.missing", Kind::Word(MissingField::words)).or("error"),
    used("table.fields.additional.error.on.missing", Kind::Boolean).or("true"),
    used("table.expand.json.payload", Kind::Boolean).or("false"),
    used("table.json.payload.null.behavior", Kind::Word(NullInJson::words)).or("ignore"),
    used(
        "table.json.payload.empty.array.behavior",
        Kind::Word(|| vec!["ignore", "optional_string"]),
    )
    .or("ignore"),
    used("table.op.invalid.behavior", Kind::Word(InvalidOperation::words))
        .or("warn")
        .once(&["debezium.op.invalid.behavior"]),
    used("route.by.field", Kind::Text).or("aggregatetype"),
    used("route.topic.regex", Kind::Regex).or("(?<routedByValue>.*)"),
    used("route.topic.replacement", Kind::Text).or("outbox.event.${routedByValue}"),
    used("route.tombstone.on.empty.payload", Kind::Boolean).or("false"),
    used("field.name.adjustment.mode", Kind::Word(FieldNameAdjustment::words)).or("none"),
    without_effect("tracing.span.context.field", TRACING),
    without_effect("tracing.operation.name", TRACING),
    without_effect("tracing.with.context.field.only", TRACING).checked(Kind::Boolean),
    used("predicate", Kind::Text),
    used("negate", Kind::Boolean).or("false"),
];
