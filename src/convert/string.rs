use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::connect::java_date::{instant_ms, write_date_text};
use crate::connect::java_number::{write_decimal, write_f32, write_f64, write_integer};
use crate::connect::{Schema, Value, logical};

/// A charset of `converter.encoding`, by Java's names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Charset {
    Utf8,
    Ascii,
    Latin1,
    /// Big-endian with a byte order mark.
    Utf16,
    Utf16Be,
    Utf16Le,
    Other(&'static encoding_rs::Encoding),
}

impl Charset {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "UTF-8" | "UTF8" => Self::Utf8,
            "US-ASCII" | "ASCII" | "ISO646-US" => Self::Ascii,
            "ISO-8859-1" | "ISO8859_1" | "ISO8859-1" | "LATIN1" | "L1" => Self::Latin1,
            "UTF-16" | "UTF_16" => Self::Utf16,
            "UTF-16BE" | "UTF_16BE" => Self::Utf16Be,
            "UTF-16LE" | "UTF_16LE" => Self::Utf16Le,
            label => match encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())? {
                // Labels under which the web means another charset than Java does.
                encoding if encoding == encoding_rs::WINDOWS_1252 && label != "WINDOWS-1252" => {
                    return None;
                }
                encoding if encoding.output_encoding() != encoding => return None,
                encoding => Self::Other(encoding),
            },
        })
    }
}

/// `StringConverter`: `toString` of the value in some charset; a string in UTF-8 is passed on as it is.
pub(super) fn convert<'a>(
    charset: Charset,
    schema: Option<&Schema>,
    value: Value<'a>,
    arena: &'a Bump,
) -> Option<&'a [u8]> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.as_bytes(),
        value => {
            let mut out = ArenaVec::new_in(arena);
            write_java_text(schema, &value, &mut out);
            out.into_bump_slice()
        }
    };
    if matches!(charset, Charset::Utf8) {
        return Some(text);
    }
    // Everything that is written above is UTF-8.
    let text = std::str::from_utf8(text).unwrap_or_default();
    Some(encode(charset, text, arena))
}

/// As `String.getBytes` does: what the charset lacks becomes a question mark.
fn encode<'a>(charset: Charset, text: &str, arena: &'a Bump) -> &'a [u8] {
    let mut out = ArenaVec::with_capacity_in(text.len(), arena);
    let single_byte = |c: char, limit: u32| {
        u8::try_from(u32::from(c)).ok().filter(|byte| u32::from(*byte) < limit).unwrap_or(b'?')
    };
    match charset {
        Charset::Utf8 => out.extend_from_slice_copy(text.as_bytes()),
        Charset::Ascii => out.extend(text.chars().map(|c| single_byte(c, 0x80))),
        Charset::Latin1 => out.extend(text.chars().map(|c| single_byte(c, 0x100))),
        Charset::Utf16 if text.is_empty() => {}
        Charset::Utf16 => {
            out.extend_from_slice_copy(&[0xfe, 0xff]);
            out.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        }
        Charset::Utf16Be => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
        Charset::Utf16Le => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
        Charset::Other(encoding) => {
            let mut encoder = encoding.new_encoder();
            let mut rest = text;
            let mut buffer = [0u8; 256];
            loop {
                let (result, read, written) =
                    encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
                out.extend_from_slice_copy(buffer.get(..written).unwrap_or_default());
                rest = rest.get(read..).unwrap_or_default();
                match result {
                    encoding_rs::EncoderResult::InputEmpty => break,
                    encoding_rs::EncoderResult::OutputFull => {}
                    encoding_rs::EncoderResult::Unmappable(_) => out.push(b'?'),
                }
            }
        }
    }
    out.into_bump_slice()
}

/// Appends Java's `toString` of a value.
pub(super) fn write_java_text(
    schema: Option<&Schema>,
    value: &Value<'_>,
    out: &mut ArenaVec<'_, u8>,
) {
    if let Some(ms) = instant_ms(schema, value) {
        write_date_text(ms, out);
        return;
    }
    match value {
        Value::Null => out.extend_from_slice_copy(b"null"),
        Value::Boolean(v) => out.extend_from_slice_copy(if *v { b"true" } else { b"false" }),
        Value::Int8(v) => write_integer(i64::from(*v), out),
        Value::Int16(v) => write_integer(i64::from(*v), out),
        Value::Int32(v) => write_integer(i64::from(*v), out),
        Value::Int64(v) => write_integer(*v, out),
        Value::Float32(v) => write_f32(*v, out),
        Value::Float64(v) => write_f64(*v, out),
        Value::String(v) => out.extend_from_slice_copy(v.as_bytes()),
        Value::Decimal(v) => write_decimal(v, out),
        Value::Bytes(v) => write_bytes_text(schema, v, out),
        Value::Struct(values) => write_struct(schema, values, out),
        Value::Array(values) => {
            let element = schema.and_then(|schema| schema.value_schema.as_deref());
            out.push(b'[');
            for (index, value) in values.iter().enumerate() {
                separate(index, b", ", out);
                write_java_text(element, value, out);
            }
            out.push(b']');
        }
        Value::Map(entries) => {
            let element = schema.and_then(|schema| schema.value_schema.as_deref());
            out.push(b'{');
            for (index, (key, value)) in entries.iter().enumerate() {
                separate(index, b", ", out);
                out.extend_from_slice_copy(key.as_bytes());
                out.push(b'=');
                write_java_text(element, value, out);
            }
            out.push(b'}');
        }
    }
}

/// A `byte[]`, whose text is its class and, in Java, a number that differs on every call; here it is a
/// checksum, so that equal bytes give equal text.
fn write_array_text(bytes: &[u8], out: &mut ArenaVec<'_, u8>) {
    out.extend_from_slice_copy(b"[B@");
    for byte in crc32fast::hash(bytes).to_be_bytes() {
        out.extend_from_slice_copy(&hex(byte));
    }
}

/// A `ByteBuffer` tells its length only; `Bits` are a `byte[]`.
fn write_bytes_text(schema: Option<&Schema>, bytes: &[u8], out: &mut ArenaVec<'_, u8>) {
    if schema.is_some_and(|schema| schema.is(logical::BITS)) {
        write_array_text(bytes, out);
        return;
    }
    let length = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    out.extend_from_slice_copy(b"java.nio.HeapByteBuffer[pos=0 lim=");
    write_integer(length, out);
    out.extend_from_slice_copy(b" cap=");
    write_integer(length, out);
    out.push(b']');
}

fn hex(byte: u8) -> [u8; 2] {
    let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
    [digit(byte >> 4), digit(byte & 0xf)]
}

fn write_struct(schema: Option<&Schema>, values: &[Value<'_>], out: &mut ArenaVec<'_, u8>) {
    let fields = schema.map_or(&[][..], |schema| &schema.fields);
    let is_geometry =
        schema.is_some_and(|schema| schema.is(logical::GEOMETRY) || schema.is(logical::POINT));
    out.extend_from_slice_copy(b"Struct{");
    let present = fields.iter().zip(values).filter(|(_, value)| !value.is_null());
    for (index, (field, value)) in present.enumerate() {
        separate(index, b",", out);
        out.extend_from_slice_copy(field.name.as_bytes());
        out.push(b'=');
        match value {
            // The `wkb` of a geometry is a `byte[]` too.
            Value::Bytes(bytes) if is_geometry => write_array_text(bytes, out),
            _ => write_java_text(Some(&field.schema), value, out),
        }
    }
    out.push(b'}');
}

/// Appends `separator` before all elements but the first.
pub(super) fn separate(index: usize, separator: &[u8], out: &mut ArenaVec<'_, u8>) {
    if index > 0 {
        out.extend_from_slice_copy(separator);
    }
}

/// Appends standard padded base64.
pub(super) fn write_base64(bytes: &[u8], out: &mut ArenaVec<'_, u8>) {
    let start = out.len();
    let length = bytes.len().div_ceil(3) * 4;
    out.resize(start + length, 0);
    if let Some(room) = out.get_mut(start..) {
        let written = STANDARD.encode_slice(bytes, room).unwrap_or(0);
        out.truncate(start + written);
    }
}
