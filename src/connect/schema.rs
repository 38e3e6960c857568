use std::ops::Deref;
use std::sync::Arc;

use super::Value;

/// Names of the logical types that Debezium and Connect give to schemas.
pub mod logical {
    /// Connect's decimal: `BYTES`, parameter `scale`.
    pub const DECIMAL: &str = "org.apache.kafka.connect.data.Decimal";
    /// Connect's date: `INT32`, days since the epoch.
    pub const CONNECT_DATE: &str = "org.apache.kafka.connect.data.Date";
    /// Connect's time: `INT32`, milliseconds since midnight.
    pub const CONNECT_TIME: &str = "org.apache.kafka.connect.data.Time";
    /// Connect's timestamp: `INT64`, milliseconds since the epoch.
    pub const CONNECT_TIMESTAMP: &str = "org.apache.kafka.connect.data.Timestamp";
    /// Bits, least significant byte first.
    pub const BITS: &str = "io.debezium.data.Bits";
    /// JSON text.
    pub const JSON: &str = "io.debezium.data.Json";
    /// One option of an ENUM.
    pub const ENUM: &str = "io.debezium.data.Enum";
    /// Options of a SET joined by commas.
    pub const ENUM_SET: &str = "io.debezium.data.EnumSet";
    /// A year as `INT32`.
    pub const YEAR: &str = "io.debezium.time.Year";
    /// Days since the epoch as `INT32`.
    pub const DATE: &str = "io.debezium.time.Date";
    /// Milliseconds since the epoch as `INT64`.
    pub const TIMESTAMP: &str = "io.debezium.time.Timestamp";
    /// Microseconds since the epoch as `INT64`.
    pub const MICRO_TIMESTAMP: &str = "io.debezium.time.MicroTimestamp";
    /// Nanoseconds since the epoch as `INT64`.
    pub const NANO_TIMESTAMP: &str = "io.debezium.time.NanoTimestamp";
    /// Signed microseconds as `INT64`.
    pub const MICRO_TIME: &str = "io.debezium.time.MicroTime";
    /// Signed nanoseconds as `INT64`.
    pub const NANO_TIME: &str = "io.debezium.time.NanoTime";
    /// ISO 8601 text of an instant in UTC.
    pub const ZONED_TIMESTAMP: &str = "io.debezium.time.ZonedTimestamp";
    /// ISO 8601 text of a date.
    pub const ISO_DATE: &str = "io.debezium.time.IsoDate";
    /// ISO 8601 text of a time.
    pub const ISO_TIME: &str = "io.debezium.time.IsoTime";
    /// ISO 8601 text of a date and time.
    pub const ISO_TIMESTAMP: &str = "io.debezium.time.IsoTimestamp";
    /// A struct of `wkb` and `srid`.
    pub const GEOMETRY: &str = "io.debezium.data.geometry.Geometry";
    /// A struct of `x`, `y`, `wkb` and `srid`.
    pub const POINT: &str = "io.debezium.data.geometry.Point";
    /// An array of `FLOAT32`.
    pub const FLOAT_VECTOR: &str = "io.debezium.data.FloatVector";
}

/// Connect's schema types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are Connect's own")]
pub enum SchemaType {
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Boolean,
    String,
    Bytes,
    Array,
    Map,
    Struct,
}

/// A Connect schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The type.
    pub schema_type: SchemaType,
    /// Whether null is a legal value.
    pub optional: bool,
    /// The logical name, or a struct's name.
    pub name: Option<String>,
    /// The version of the logical type.
    pub version: Option<i32>,
    /// The documentation, printed by `JsonConverter`.
    pub doc: Option<String>,
    /// Parameters in the order in which they were added.
    pub parameters: Vec<(String, String)>,
    /// What a null is replaced with.
    pub default: Option<DefaultValue>,
    /// A struct's fields.
    pub fields: Vec<Field>,
    /// The schema of a map's keys.
    pub key_schema: Option<Arc<Schema>>,
    /// The schema of an array's elements or of a map's values.
    pub value_schema: Option<Arc<Schema>>,
}

impl Schema {
    /// A required schema of this type, with nothing else set.
    #[must_use]
    pub fn new(schema_type: SchemaType) -> Self {
        Self {
            schema_type,
            optional: false,
            name: None,
            version: None,
            doc: None,
            parameters: Vec::new(),
            default: None,
            fields: Vec::new(),
            key_schema: None,
            value_schema: None,
        }
    }

    /// The same, optional or not.
    #[must_use]
    pub fn optional(mut self, optional: bool) -> Self {
        self.optional = optional;
        self
    }

    /// The same with a logical name and version 1, as all of Debezium's and Connect's logical types have.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self.version = Some(1);
        self
    }

    /// The same with one more parameter.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: &str) -> Self {
        self.parameters.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Whether the logical name is this one.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }
}

/// A struct's field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The field's name.
    pub name: String,
    /// The field's schema.
    pub schema: Arc<Schema>,
}

/// A schema's default, owned by the schema.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "one for each of Value's variants that a column default can have")]
pub enum DefaultValue {
    Boolean(bool),
    Int8(i8),
    Int16(i16),
    Int32(i32),
    Int64(i64),
    Float32(f32),
    Float64(f64),
    String(Box<str>),
    Bytes(Box<[u8]>),
    Decimal(Box<str>),
}

impl DefaultValue {
    /// The default as a value that borrows from the schema.
    #[must_use]
    pub fn value(&self) -> Value<'_> {
        match self {
            Self::Boolean(v) => Value::Boolean(*v),
            Self::Int8(v) => Value::Int8(*v),
            Self::Int16(v) => Value::Int16(*v),
            Self::Int32(v) => Value::Int32(*v),
            Self::Int64(v) => Value::Int64(*v),
            Self::Float32(v) => Value::Float32(*v),
            Self::Float64(v) => Value::Float64(*v),
            Self::String(v) => Value::String(v),
            Self::Bytes(v) => Value::Bytes(v),
            Self::Decimal(v) => Value::Decimal(v),
        }
    }
}

/// A schema that a record points to: a table plan's, which outlives the row, or one made for this record.
#[derive(Clone, Debug)]
pub enum SchemaRef<'a> {
    /// A schema of the table's plan: copying it costs nothing.
    Plan(&'a Schema),
    /// A schema inferred or built for this record.
    Shared(Arc<Schema>),
}

impl Deref for SchemaRef<'_> {
    type Target = Schema;

    fn deref(&self) -> &Schema {
        match self {
            Self::Plan(schema) => schema,
            Self::Shared(schema) => schema,
        }
    }
}
