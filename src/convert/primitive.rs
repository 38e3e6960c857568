use bumpalo::Bump;

use crate::connect::java_date::instant_ms;
use crate::connect::{Schema, SchemaType, Value};

/// `BooleanConverter`, `ShortConverter`, `IntegerConverter`, `LongConverter`, `FloatConverter` or
/// `DoubleConverter`: values of one Java class, big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    Boolean,
    Short,
    Integer,
    Long,
    Float,
    Double,
}

impl Primitive {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Boolean => "BooleanConverter",
            Self::Short => "ShortConverter",
            Self::Integer => "IntegerConverter",
            Self::Long => "LongConverter",
            Self::Float => "FloatConverter",
            Self::Double => "DoubleConverter",
        }
    }

    pub(super) fn schema_type(self) -> SchemaType {
        match self {
            Self::Boolean => SchemaType::Boolean,
            Self::Short => SchemaType::Int16,
            Self::Integer => SchemaType::Int32,
            Self::Long => SchemaType::Int64,
            Self::Float => SchemaType::Float32,
            Self::Double => SchemaType::Float64,
        }
    }

    /// The bytes of a value that is not null; `None` when it is of another class.
    pub(super) fn convert<'a>(
        self,
        schema: Option<&Schema>,
        value: Value<'a>,
        arena: &'a Bump,
    ) -> Option<&'a [u8]> {
        if instant_ms(schema, &value).is_some() {
            return None; // A date in Java, whatever its number.
        }
        Some(match (self, value) {
            (Self::Boolean, Value::Boolean(v)) => arena.alloc_slice_copy(&[u8::from(v)]),
            (Self::Short, Value::Int16(v)) => arena.alloc_slice_copy(&v.to_be_bytes()),
            (Self::Integer, Value::Int32(v)) => arena.alloc_slice_copy(&v.to_be_bytes()),
            (Self::Long, Value::Int64(v)) => arena.alloc_slice_copy(&v.to_be_bytes()),
            (Self::Float, Value::Float32(v)) => arena.alloc_slice_copy(&v.to_be_bytes()),
            (Self::Double, Value::Float64(v)) => arena.alloc_slice_copy(&v.to_be_bytes()),
            _ => return None,
        })
    }
}
