use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::shape::{field_value, is_null, rebuilt, require_struct, struct_of};
use crate::connect::java_date::{instant_ms, write_header_date};
use crate::connect::java_number::{write_decimal, write_f32, write_f64, write_integer};
use crate::connect::{DefaultValue, Field, Schema, SchemaAndValue, SchemaRef, SchemaType, Value};

/// `Cast` of some fields of a struct.
pub(super) fn fields<'a>(
    input: &mut SchemaAndValue<'a>,
    casts: &[(String, SchemaType)],
    null_as_default: bool,
    arena: &'a Bump,
) -> Result<(), String> {
    if is_null(input) {
        return Ok(());
    }
    let (schema, values) = require_struct(input)?;
    let mut cast_fields = Vec::with_capacity(schema.fields.len());
    let mut out = ArenaVec::with_capacity_in(values.len(), arena);
    for (field, value) in schema.fields.iter().zip(values) {
        let value = field_value(&field.schema, *value, null_as_default, arena);
        // Of several casts of one field the last counts.
        match casts.iter().rfind(|(name, _)| *name == field.name) {
            Some((_, to)) => {
                let bare = Schema::new(*to).optional(field.schema.optional);
                let schema = with_default(&field.schema, bare, arena)?.into();
                cast_fields.push(Field { name: field.name.clone(), schema });
                out.push(cast(&field.schema, value, *to, arena)?);
            }
            None => {
                cast_fields.push(field.clone());
                out.push(value);
            }
        }
    }
    let rebuilt = rebuilt(&schema, cast_fields).optional(schema.optional);
    *input = struct_of(rebuilt, out);
    Ok(())
}

/// `Cast` of the whole value.
pub(super) fn whole<'a>(
    input: &mut SchemaAndValue<'a>,
    to: SchemaType,
    arena: &'a Bump,
) -> Result<(), String> {
    if is_null(input) {
        return Ok(());
    }
    let Some(schema) = input.schema.clone() else {
        return Err("the value has no schema".to_owned());
    };
    let value = cast(&schema, input.value, to, arena)?;
    // The value is no date any more, whatever Connect leaves in the schema's name.
    let date = instant_ms(Some(&schema), &input.value).is_some();
    let bare = Schema {
        name: schema.name.clone().filter(|_| !date),
        schema_type: to,
        fields: Vec::new(),
        default: None,
        value_schema: None,
        key_schema: None,
        ..Schema::clone(&schema)
    };
    let schema = with_default(&schema, bare, arena)?;
    *input = SchemaAndValue { schema: Some(SchemaRef::Shared(Arc::new(schema))), value };
    Ok(())
}

fn with_default(from: &Schema, to: Schema, arena: &Bump) -> Result<Schema, String> {
    let Some(default) = &from.default else { return Ok(to) };
    let value = cast(from, default.value(), to.schema_type, arena)?;
    let default = match value {
        Value::Boolean(v) => DefaultValue::Boolean(v),
        Value::Int8(v) => DefaultValue::Int8(v),
        Value::Int16(v) => DefaultValue::Int16(v),
        Value::Int32(v) => DefaultValue::Int32(v),
        Value::Int64(v) => DefaultValue::Int64(v),
        Value::Float32(v) => DefaultValue::Float32(v),
        Value::Float64(v) => DefaultValue::Float64(v),
        Value::String(v) => DefaultValue::String(v.into()),
        _ => return Ok(to),
    };
    Ok(Schema { default: Some(default), ..to })
}

/// What a value is before it is cast: one of Java's numbers, or text.
enum Number<'a> {
    Integer(i64),
    Float(f32),
    Double(f64),
    Decimal(&'a str),
    Text(&'a str),
}

fn cast<'a>(
    schema: &Schema,
    value: Value<'a>,
    to: SchemaType,
    arena: &'a Bump,
) -> Result<Value<'a>, String> {
    if to == SchemaType::String {
        return to_text(schema, value, arena);
    }
    let number = match value {
        Value::Null => return Ok(Value::Null),
        Value::Boolean(v) => Number::Integer(i64::from(v)),
        Value::Int8(v) => Number::Integer(i64::from(v)),
        Value::Int16(v) => Number::Integer(i64::from(v)),
        Value::Int32(v) => Number::Integer(i64::from(v)),
        Value::Int64(v) => Number::Integer(v),
        Value::Float32(v) => Number::Float(v),
        Value::Float64(v) => Number::Double(v),
        Value::Decimal(v) => Number::Decimal(v),
        Value::String(v) => Number::Text(v),
        Value::Bytes(_) | Value::Struct(_) | Value::Array(_) | Value::Map(_) => {
            return Err(format!("a value of type {:?} cannot be cast", schema.schema_type));
        }
    };
    let out_of_range = || "the text is no number of the type to cast to".to_owned();
    let parsed = |value: Option<Value<'a>>| value.ok_or_else(out_of_range);
    match (to, &number) {
        (SchemaType::Int8, Number::Text(v)) => parsed(v.parse().ok().map(Value::Int8)),
        (SchemaType::Int16, Number::Text(v)) => parsed(v.parse().ok().map(Value::Int16)),
        (SchemaType::Int32, Number::Text(v)) => parsed(v.parse().ok().map(Value::Int32)),
        (SchemaType::Int64, Number::Text(v)) => parsed(v.parse().ok().map(Value::Int64)),
        (SchemaType::Float32, Number::Text(v)) => parsed(java_float(v).map(Value::Float32)),
        (SchemaType::Float64, Number::Text(v)) => parsed(java_float(v).map(Value::Float64)),
        (SchemaType::Boolean, Number::Text(v)) => {
            Ok(Value::Boolean(v.eq_ignore_ascii_case("true")))
        }
        (SchemaType::Int8, _) => Ok(Value::Int8(i8::from_le_bytes(low_bytes(number.int32())))),
        (SchemaType::Int16, _) => Ok(Value::Int16(i16::from_le_bytes(low_bytes(number.int32())))),
        (SchemaType::Int32, _) => Ok(Value::Int32(number.int32())),
        (SchemaType::Int64, _) => Ok(Value::Int64(number.int64())),
        (SchemaType::Float32, _) => Ok(Value::Float32(number.float32())),
        (SchemaType::Float64, _) => Ok(Value::Float64(number.float64())),
        _ => Ok(Value::Boolean(number.int64() != 0)),
    }
}

fn low_bytes<const N: usize>(value: i32) -> [u8; N] {
    let mut low = [0; N];
    for (slot, byte) in low.iter_mut().zip(value.to_le_bytes()) {
        *slot = byte;
    }
    low
}

/// `Float.parseFloat` and `Double.parseDouble`: blanks around and a type's letter behind are legal.
fn java_float<F: std::str::FromStr>(text: &str) -> Option<F> {
    let text = text.trim_matches(|c| c <= ' ');
    let (sign, magnitude) = match text.strip_prefix(['-', '+']) {
        Some(magnitude) => (text.get(..1).unwrap_or_default(), magnitude),
        None => ("", text),
    };
    if matches!(magnitude, "NaN" | "Infinity") {
        return format!("{sign}{magnitude}").parse().ok();
    }
    let digits = magnitude.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(magnitude);
    let numeric = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if numeric { format!("{sign}{digits}").parse().ok() } else { None }
}

impl Number<'_> {
    /// Java's `(int)`: integers lose their high bits, others are cut off at the type's ends.
    #[expect(clippy::cast_possible_truncation, reason = "this is Java's narrowing, on purpose")]
    fn int32(&self) -> i32 {
        match self {
            Self::Float(v) => *v as i32,
            Self::Double(v) => *v as i32,
            Self::Integer(_) | Self::Decimal(_) | Self::Text(_) => self.int64() as i32,
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "this is Java's narrowing, on purpose")]
    fn int64(&self) -> i64 {
        match self {
            Self::Integer(v) => *v,
            Self::Float(v) => *v as i64,
            Self::Double(v) => *v as i64,
            Self::Decimal(v) => decimal_low_bits(v),
            Self::Text(_) => 0,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "this is Java's rounding, on purpose")]
    fn float32(&self) -> f32 {
        match self {
            Self::Integer(v) => *v as f32,
            Self::Float(v) => *v,
            Self::Double(v) => double_to_float(*v),
            Self::Decimal(v) => v.parse().unwrap_or(f32::NAN),
            Self::Text(_) => f32::NAN,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "this is Java's rounding, on purpose")]
    fn float64(&self) -> f64 {
        match self {
            Self::Integer(v) => *v as f64,
            Self::Float(v) => f64::from(*v),
            Self::Double(v) => *v,
            Self::Decimal(v) => v.parse().unwrap_or(f64::NAN),
            Self::Text(_) => f64::NAN,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "this is Java's rounding, on purpose")]
fn double_to_float(value: f64) -> f32 {
    value as f32
}

/// The low 64 bits of a decimal's whole part, in two's complement.
fn decimal_low_bits(plain: &str) -> i64 {
    let whole = plain.split('.').next().unwrap_or_default();
    let magnitude = whole
        .bytes()
        .filter(u8::is_ascii_digit)
        .fold(0i64, |value, digit| value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')));
    if plain.starts_with('-') { magnitude.wrapping_neg() } else { magnitude }
}

/// The value's text as the header converter has it, for every type but structures.
fn to_text<'a>(schema: &Schema, value: Value<'a>, arena: &'a Bump) -> Result<Value<'a>, String> {
    let mut out = ArenaVec::new_in(arena);
    if let Some(ms) = instant_ms(Some(schema), &value) {
        write_header_date(ms, &mut out);
    } else {
        match value {
            Value::Null => return Ok(Value::Null),
            Value::String(text) => return Ok(Value::String(text)),
            Value::Boolean(v) => out.extend_from_slice_copy(if v { b"true" } else { b"false" }),
            Value::Int8(v) => write_integer(i64::from(v), &mut out),
            Value::Int16(v) => write_integer(i64::from(v), &mut out),
            Value::Int32(v) => write_integer(i64::from(v), &mut out),
            Value::Int64(v) => write_integer(v, &mut out),
            Value::Float32(v) => write_f32(v, &mut out),
            Value::Float64(v) => write_f64(v, &mut out),
            Value::Decimal(v) => write_decimal(v, &mut out),
            Value::Bytes(v) => out.extend_from_slice_copy(STANDARD.encode(v).as_bytes()),
            Value::Struct(_) | Value::Array(_) | Value::Map(_) => {
                return Err(format!("a value of type {:?} cannot be cast", schema.schema_type));
            }
        }
    }
    // Everything that is written above is ASCII.
    Ok(Value::String(std::str::from_utf8(out.into_bump_slice()).unwrap_or_default()))
}
