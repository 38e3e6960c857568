use super::{FieldNameAdjustment, JavaRegex, Replacement};

/// The EventRouter's options.
#[derive(Clone, Debug)]
pub struct RouterConfig {
    /// `table.field.event.id`.
    pub event_id: String,
    /// `table.field.event.key`.
    pub event_key: String,
    /// `table.field.event.type`, where the file sets it: a header of the column's own name, after the others.
    pub event_type: Option<String>,
    /// `table.field.event.payload`.
    pub payload: String,
    /// `table.field.event.timestamp`.
    pub timestamp: Option<String>,
    /// `table.field.event.schema.version`.
    pub schema_version: Option<String>,
    /// `table.fields.additional.placement`.
    pub placements: Vec<Placement>,
    /// `table.field.additional.missing`.
    pub missing: MissingField,
    /// `table.expand.json.payload`.
    pub expand_json: bool,
    /// `table.json.payload.null.behavior`.
    pub json_null: NullInJson,
    /// `table.json.payload.empty.array.behavior` is `optional_string`.
    pub json_empty_array_as_strings: bool,
    /// `field.name.adjustment.mode` of the transform, for keys of expanded JSON.
    pub field_names: FieldNameAdjustment,
    /// `table.op.invalid.behavior`.
    pub invalid_operation: InvalidOperation,
    /// `route.by.field`.
    pub route_by: String,
    /// `route.topic.regex`.
    pub topic_regex: JavaRegex,
    /// `route.topic.replacement`.
    pub topic_replacement: Replacement,
    /// `route.tombstone.on.empty.payload`.
    pub tombstone_on_empty: bool,
    /// The `__debezium.context.*` headers, where `extended.headers.enabled` is `true`.
    pub context_headers: bool,
}

/// One item of `table.fields.additional.placement`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The column.
    pub column: String,
    /// Where it goes.
    pub kind: PlacementKind,
    /// Under which name.
    pub alias: String,
}

/// Where an additional column goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum PlacementKind {
    Header,
    Envelope,
    Partition,
}

/// `table.field.additional.missing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum MissingField {
    #[default]
    Error,
    Ignore,
}

/// `table.json.payload.null.behavior`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum NullInJson {
    #[default]
    Ignore,
    OptionalBytes,
}

/// `table.op.invalid.behavior`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum InvalidOperation {
    #[default]
    Warn,
    Error,
    Fatal,
}
