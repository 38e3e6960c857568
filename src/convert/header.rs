use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::string::{separate, write_base64, write_java_text};
use crate::connect::java_date::{instant_ms, write_header_date};
use crate::connect::{Schema, Value};

/// `SimpleHeaderConverter`: a string as it is, everything else as text that Connect can read back.
pub(super) fn convert<'a>(
    schema: Option<&Schema>,
    value: Value<'a>,
    arena: &'a Bump,
) -> Option<&'a [u8]> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.as_bytes()),
        value => {
            let mut out = ArenaVec::new_in(arena);
            write(schema, &value, false, &mut out);
            Some(out.into_bump_slice())
        }
    }
}

fn write(schema: Option<&Schema>, value: &Value<'_>, nested: bool, out: &mut ArenaVec<'_, u8>) {
    if let Some(ms) = instant_ms(schema, value) {
        write_header_date(ms, out);
        return;
    }
    match value {
        Value::String(text) => write_quoted(text, out),
        Value::Bytes(bytes) => {
            if nested {
                out.push(b'"');
            }
            write_base64(bytes, out);
            if nested {
                out.push(b'"');
            }
        }
        Value::Struct(values) => {
            let fields = schema.map_or(&[][..], |schema| &schema.fields);
            out.push(b'{');
            for (index, (field, value)) in fields.iter().zip(*values).enumerate() {
                separate(index, b",", out);
                write_quoted(&field.name, out);
                out.push(b':');
                let default = field.schema.default.as_ref().map(|default| default.value());
                let value = if value.is_null() { default.unwrap_or(Value::Null) } else { *value };
                write(Some(&field.schema), &value, true, out);
            }
            out.push(b'}');
        }
        Value::Array(values) => {
            let element = schema.and_then(|schema| schema.value_schema.as_deref());
            out.push(b'[');
            for (index, value) in values.iter().enumerate() {
                separate(index, b",", out);
                write(element, value, true, out);
            }
            out.push(b']');
        }
        Value::Map(entries) => {
            let element = schema.and_then(|schema| schema.value_schema.as_deref());
            out.push(b'{');
            for (index, (key, value)) in entries.iter().enumerate() {
                separate(index, b",", out);
                write_quoted(key, out);
                out.push(b':');
                write(element, value, true, out);
            }
            out.push(b'}');
        }
        Value::Null
        | Value::Boolean(_)
        | Value::Int8(_)
        | Value::Int16(_)
        | Value::Int32(_)
        | Value::Int64(_)
        | Value::Float32(_)
        | Value::Float64(_)
        | Value::Decimal(_) => write_java_text(schema, value, out),
    }
}

/// A nested string: only backslashes and quotes are escaped.
fn write_quoted(text: &str, out: &mut ArenaVec<'_, u8>) {
    out.push(b'"');
    for byte in text.bytes() {
        if matches!(byte, b'\\' | b'"') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}
