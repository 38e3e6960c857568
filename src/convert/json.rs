use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::ConvertError;
use super::json_schema::write_schema;
use super::string::{separate, write_base64};
use crate::connect::java_number::{
    unscaled_bytes, write_decimal, write_f32, write_f64, write_integer,
};
use crate::connect::{Field, Schema, SchemaType, Value};
use crate::route::Place;

/// `JsonConverter` with its options.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonConverter {
    pub(super) place: Place,
    pub(super) schemas: bool,
    pub(super) decimal_numeric: bool,
    pub(super) null_as_default: bool,
}

impl JsonConverter {
    pub(super) fn convert<'o>(
        &self,
        schema: Option<&Schema>,
        value: Value<'_>,
        arena: &'o Bump,
    ) -> Result<Option<&'o [u8]>, ConvertError> {
        if schema.is_none() && value.is_null() {
            return Ok(None);
        }
        let mut out = ArenaVec::with_capacity_in(room(schema, &value), arena);
        if self.schemas {
            out.extend_from_slice_copy(b"{\"schema\":");
            match schema {
                Some(schema) => write_schema(self, schema, None, &mut out)?,
                None => out.extend_from_slice_copy(b"null"),
            }
            out.extend_from_slice_copy(b",\"payload\":");
        }
        self.write(schema, &value, &mut out)?;
        if self.schemas {
            out.push(b'}');
        }
        Ok(Some(out.into_bump_slice()))
    }

    /// Appends a value that must be what its schema says.
    pub(super) fn write(
        &self,
        schema: Option<&Schema>,
        value: &Value<'_>,
        out: &mut ArenaVec<'_, u8>,
    ) -> Result<(), ConvertError> {
        if value.is_null() {
            return self.write_null(schema, out);
        }
        if let Some(schema) = schema
            && !agrees(schema.schema_type, value)
        {
            return Err(ConvertError::Mismatch {
                place: self.place,
                expected: schema.schema_type,
                found: kind(value),
            });
        }
        match value {
            Value::Null => {}
            Value::Boolean(v) => out.extend_from_slice_copy(if *v { b"true" } else { b"false" }),
            Value::Int8(v) => write_integer(i64::from(*v), out),
            Value::Int16(v) => write_integer(i64::from(*v), out),
            Value::Int32(v) => write_integer(i64::from(*v), out),
            Value::Int64(v) => write_integer(*v, out),
            Value::Float32(v) => write_float(v.is_finite(), |out| write_f32(*v, out), out),
            Value::Float64(v) => write_float(v.is_finite(), |out| write_f64(*v, out), out),
            Value::String(v) => write_string(v, out),
            Value::Bytes(v) => write_base64_text(v, out),
            Value::Decimal(v) if self.decimal_numeric => write_decimal(v, out),
            Value::Decimal(v) => write_base64_text(unscaled_bytes(v, out.bump()), out),
            Value::Struct(values) => self.write_struct(schema, values, out)?,
            Value::Array(values) => {
                let element = schema.and_then(|schema| schema.value_schema.as_deref());
                out.push(b'[');
                for (index, value) in values.iter().enumerate() {
                    separate(index, b",", out);
                    self.write(element, value, out)?;
                }
                out.push(b']');
            }
            Value::Map(_) if schema.is_some_and(|schema| schema.key_schema.is_none()) => {
                return Err(ConvertError::Type {
                    place: self.place,
                    converter: "JsonConverter",
                    found: "MAP without entries",
                });
            }
            Value::Map(entries) => {
                let element = schema.and_then(|schema| schema.value_schema.as_deref());
                out.push(b'{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    separate(index, b",", out);
                    write_string(key, out);
                    out.push(b':');
                    self.write(element, value, out)?;
                }
                out.push(b'}');
            }
        }
        Ok(())
    }

    fn write_null(
        &self,
        schema: Option<&Schema>,
        out: &mut ArenaVec<'_, u8>,
    ) -> Result<(), ConvertError> {
        let default = schema.and_then(|schema| schema.default.as_ref());
        match default {
            Some(default) if self.null_as_default => self.write(schema, &default.value(), out),
            _ if schema.is_none_or(|schema| schema.optional) => {
                out.extend_from_slice_copy(b"null");
                Ok(())
            }
            _ => Err(ConvertError::Null { place: self.place }),
        }
    }

    fn write_struct(
        &self,
        schema: Option<&Schema>,
        values: &[Value<'_>],
        out: &mut ArenaVec<'_, u8>,
    ) -> Result<(), ConvertError> {
        let fields = schema.map_or(&[][..], |schema| &schema.fields);
        out.push(b'{');
        for (index, (field, value)) in fields.iter().zip(values).enumerate() {
            separate(index, b",", out);
            write_string(&field.name, out);
            out.push(b':');
            self.write(Some(&field.schema), value, out)?;
        }
        out.push(b'}');
        Ok(())
    }
}

/// About as many bytes as the value will take, so that it is written without growing: what is outgrown stays in the
/// arena.
fn room(schema: Option<&Schema>, value: &Value<'_>) -> usize {
    let element = || schema.and_then(|schema| schema.value_schema.as_deref());
    match value {
        Value::String(text) => text.len() + text.len() / 4 + 16,
        Value::Bytes(bytes) => bytes.len() * 4 / 3 + 16,
        Value::Struct(values) => {
            let fields = schema.map_or(&[][..], |schema| &schema.fields).iter();
            let field = |(field, value): (&Field, _)| {
                field.name.len() + 4 + room(Some(&field.schema), value)
            };
            64 + fields.zip(*values).map(field).sum::<usize>()
        }
        Value::Array(values) => values.iter().map(|value| 1 + room(element(), value)).sum(),
        Value::Map(entries) => {
            let entry = |(key, value): &(&str, _)| key.len() + 4 + room(element(), value);
            64 + entries.iter().map(entry).sum::<usize>()
        }
        _ => 16,
    }
}

/// Whether a value other than null is of a schema's type.
fn agrees(schema_type: SchemaType, value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Boolean(_) => schema_type == SchemaType::Boolean,
        Value::Int8(_) => schema_type == SchemaType::Int8,
        Value::Int16(_) => schema_type == SchemaType::Int16,
        Value::Int32(_) => schema_type == SchemaType::Int32,
        Value::Int64(_) => schema_type == SchemaType::Int64,
        Value::Float32(_) => schema_type == SchemaType::Float32,
        Value::Float64(_) => schema_type == SchemaType::Float64,
        Value::String(_) => schema_type == SchemaType::String,
        Value::Bytes(_) | Value::Decimal(_) => schema_type == SchemaType::Bytes,
        Value::Struct(_) => schema_type == SchemaType::Struct,
        Value::Array(_) => schema_type == SchemaType::Array,
        Value::Map(_) => schema_type == SchemaType::Map,
    }
}

/// What a value is, in Connect's words.
pub(super) fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Boolean(_) => "BOOLEAN",
        Value::Int8(_) => "INT8",
        Value::Int16(_) => "INT16",
        Value::Int32(_) => "INT32",
        Value::Int64(_) => "INT64",
        Value::Float32(_) => "FLOAT32",
        Value::Float64(_) => "FLOAT64",
        Value::String(_) => "STRING",
        Value::Bytes(_) => "BYTES",
        Value::Decimal(_) => "Decimal",
        Value::Struct(_) => "STRUCT",
        Value::Array(_) => "ARRAY",
        Value::Map(_) => "MAP",
    }
}

/// A number that JSON cannot hold is written as a string.
fn write_float<'b>(
    finite: bool,
    write: impl FnOnce(&mut ArenaVec<'b, u8>),
    out: &mut ArenaVec<'b, u8>,
) {
    if finite {
        write(out);
    } else {
        out.push(b'"');
        write(out);
        out.push(b'"');
    }
}

fn write_base64_text(bytes: &[u8], out: &mut ArenaVec<'_, u8>) {
    out.push(b'"');
    write_base64(bytes, out);
    out.push(b'"');
}

/// The bytes that do not stand for themselves in a JSON string: quotes, backslashes, control characters and
/// the first byte of characters outside the BMP.
const ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < escaped.len() {
        #[expect(clippy::indexing_slicing, reason = "the index is below the length")]
        {
            escaped[byte] = byte < 0x20 || byte == 0x22 || byte == 0x5c || byte >= 0xf0;
        }
        byte += 1;
    }
    escaped
};

/// Appends a JSON string as Jackson's UTF-8 writer does: characters outside the BMP as two escapes.
pub(super) fn write_string(text: &str, out: &mut ArenaVec<'_, u8>) {
    let escaped = |byte: &u8| ESCAPED.get(usize::from(*byte)).copied().unwrap_or(false);
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text;
    while let Some(plain) = rest.bytes().position(|byte| escaped(&byte)) {
        let (before, special) = rest.split_at_checked(plain).unwrap_or((rest, ""));
        out.extend_from_slice_copy(before.as_bytes());
        let Some(c) = special.chars().next() else { break };
        match u8::try_from(u32::from(c)) {
            Ok(byte) => write_escape(byte, out),
            Err(_) => write_surrogates(c, out),
        }
        rest = special.get(c.len_utf8()..).unwrap_or_default();
    }
    out.extend_from_slice_copy(rest.as_bytes());
    out.push(b'"');
}

fn write_escape(byte: u8, out: &mut ArenaVec<'_, u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => return write_unicode_escape(u16::from(byte), out),
    };
    out.extend_from_slice_copy(&[b'\\', short]);
}

fn write_surrogates(c: char, out: &mut ArenaVec<'_, u8>) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        write_unicode_escape(*unit, out);
    }
}

/// `\uXXXX` in upper case.
fn write_unicode_escape(unit: u16, out: &mut ArenaVec<'_, u8>) {
    out.extend_from_slice_copy(b"\\u");
    for byte in unit.to_be_bytes() {
        for nibble in [byte >> 4, byte & 0xf] {
            out.push(if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 });
        }
    }
}
