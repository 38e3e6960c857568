use super::SchemaRef;

/// A value in Connect's data model. Which logical type it has is told by the schema beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Java's `null`.
    Null,
    /// `BOOLEAN`.
    Boolean(bool),
    /// `INT8`.
    Int8(i8),
    /// `INT16`.
    Int16(i16),
    /// `INT32`, also the logical types `Date` (days) and `Time` (milliseconds) of Connect.
    Int32(i32),
    /// `INT64`, also Connect's logical `Timestamp` (milliseconds).
    Int64(i64),
    /// `FLOAT32`.
    Float32(f32),
    /// `FLOAT64`.
    Float64(f64),
    /// `STRING`.
    String(&'a str),
    /// `BYTES`. A `ByteBuffer` in Java, except under the schema `io.debezium.data.Bits`, where it is a `byte[]`.
    Bytes(&'a [u8]),
    /// `org.apache.kafka.connect.data.Decimal`, as plain digits with the full scale: `-12.50`, `0.00`.
    Decimal(&'a str),
    /// `STRUCT`: one value a field, in the order of the schema's fields.
    Struct(&'a [Value<'a>]),
    /// `ARRAY`.
    Array(&'a [Value<'a>]),
    /// `MAP` with string keys.
    Map(&'a [(&'a str, Value<'a>)]),
}

impl Value<'_> {
    /// Whether this is Java's `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

/// A value with its schema; without one it is what Connect calls schemaless (a tombstone's null).
#[derive(Clone, Debug)]
pub struct SchemaAndValue<'a> {
    /// The schema, absent for a schemaless value.
    pub schema: Option<SchemaRef<'a>>,
    /// The value.
    pub value: Value<'a>,
}

impl SchemaAndValue<'_> {
    /// A null without a schema: a tombstone when it is a record's value.
    pub const NULL: Self = Self { schema: None, value: Value::Null };
}
