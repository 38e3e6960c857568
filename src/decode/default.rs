use bumpalo::Bump;

use super::column::ColumnType;
use super::layout::ColumnLayout;
use super::raw::Raw;
use super::target::Target;
use super::temporal_form::Rules;
use crate::connect::{DefaultValue, Value};

/// What `COLUMN_DEFAULT` means for a column.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnDefault {
    /// The default of the column's schema.
    pub(super) of_schema: Option<DefaultValue>,
    /// What the column holds where a row image leaves it out.
    pub(super) of_absent: Absent,
}

/// The value of a column that a row image leaves out (`binlog_row_image=MINIMAL`).
#[derive(Clone, Debug, Default)]
pub(super) enum Absent {
    /// The server computed it, so the log does not tell.
    #[default]
    Unknown,
    /// NULL, the default of a nullable column without another.
    Null,
    /// The literal default.
    Value(DefaultValue),
}

impl ColumnDefault {
    /// From the layout's column; `nullable` as the table map or the layout has it.
    pub(super) fn new(
        layout: &ColumnLayout,
        column: &ColumnType,
        target: &Target,
        nullable: bool,
        rules: Rules,
    ) -> Self {
        let Some(text) = layout.default.as_deref() else {
            let unknown = layout.is_generated() || !nullable;
            let of_absent = if unknown { Absent::Unknown } else { Absent::Null };
            return Self { of_schema: None, of_absent };
        };
        if is_now(text) {
            let of_schema = match column {
                ColumnType::DateTime { .. } => target.zero(),
                ColumnType::Timestamp { .. } if !nullable => target.zero(),
                _ => None,
            };
            return Self { of_schema, of_absent: Absent::Unknown };
        }
        if layout.is_generated() {
            return Self::default();
        }
        let arena = Bump::new();
        let raw = literal(column, text, &arena);
        let value = raw.and_then(|raw| target.value(raw, rules, &arena).ok());
        let created = raw.and_then(|raw| as_created(raw, &arena));
        let created = created.and_then(|raw| target.value(raw, rules, &arena).ok());
        match value {
            // A zero date.
            Some(Value::Null) if nullable => Self { of_schema: None, of_absent: Absent::Null },
            Some(Value::Null) => Self::of(target.zero(), target.zero()),
            Some(value) => {
                let of_schema =
                    as_double(column, target, text).or_else(|| owned(created.unwrap_or(value)));
                Self::of(of_schema, owned(value))
            }
            None => Self::default(),
        }
    }

    fn of(of_schema: Option<DefaultValue>, of_absent: Option<DefaultValue>) -> Self {
        Self { of_schema, of_absent: of_absent.map_or(Absent::Unknown, Absent::Value) }
    }
}

fn is_now(text: &str) -> bool {
    let word = "CURRENT_TIMESTAMP";
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Debezium reads the default of an INT64 as a double, so large ones are rounded, or cut at the largest INT64.
/// One of a boolean is any number. That of a FLOAT(m,d) has not been in four bytes, as its values have.
fn as_double(column: &ColumnType, target: &Target, text: &str) -> Option<DefaultValue> {
    let value: f64 = text.parse().ok()?;
    if let ColumnType::Float { widened: true } = column {
        return Some(DefaultValue::Float64(value));
    }
    if let Target::Boolean = target {
        return Some(DefaultValue::Boolean(value > 0.0));
    }
    let Target::Int64 = target else { return None };
    #[expect(clippy::cast_possible_truncation, reason = "a double beyond INT64 is to be cut")]
    let cut = value as i64;
    Some(DefaultValue::Int64(cut))
}

/// A literal as `information_schema` prints it: bits as `b'101'`, binary strings as `0x6162`.
fn literal<'a>(column: &ColumnType, text: &'a str, arena: &'a Bump) -> Option<Raw<'a>> {
    match column {
        ColumnType::Bit { .. } => {
            let digits = text.strip_prefix("b'")?.strip_suffix('\'')?;
            Some(Raw::Bits(u64::from_str_radix(digits, 2).ok()?))
        }
        ColumnType::Binary { .. } if text.starts_with("0x") => {
            Raw::of_text(column, hex(text.get(2..)?, arena)?, arena).ok()
        }
        _ => Raw::of_text(column, text.as_bytes(), arena).ok(),
    }
}

/// Text as `SHOW CREATE TABLE` has it between its quotes, which is what Debezium takes for the schema's default.
/// Bytes that are no text of utf8mb3 stand there as `0x…`, whose last digit it takes for a quote.
fn as_created<'a>(raw: Raw<'_>, arena: &'a Bump) -> Option<Raw<'a>> {
    match raw {
        Raw::Text(text) => Some(Raw::Text(arena.alloc_str(&escaped(text)))),
        Raw::Bytes(bytes) => {
            let text = match std::str::from_utf8(bytes) {
                Ok(text) if text.chars().all(|character| character <= '\u{ffff}') => escaped(text),
                _ => {
                    let mut digits: String =
                        bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                    digits.pop();
                    digits
                }
            };
            Some(Raw::Bytes(arena.alloc_slice_copy(text.as_bytes())))
        }
        _ => None,
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\0' => escaped.push_str("\\0"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\\' => escaped.push_str("\\\\"),
            '\'' => escaped.push_str("''"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn hex<'a>(digits: &str, arena: &'a Bump) -> Option<&'a [u8]> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Vec<u8> = pairs.iter().map(byte).collect::<Option<_>>()?;
    rest.is_empty().then(|| &*arena.alloc_slice_copy(&bytes))
}

/// The value of a default, owned by its schema.
fn owned(value: Value<'_>) -> Option<DefaultValue> {
    Some(match value {
        Value::Boolean(v) => DefaultValue::Boolean(v),
        Value::Int8(v) => DefaultValue::Int8(v),
        Value::Int16(v) => DefaultValue::Int16(v),
        Value::Int32(v) => DefaultValue::Int32(v),
        Value::Int64(v) => DefaultValue::Int64(v),
        Value::Float32(v) => DefaultValue::Float32(v),
        Value::Float64(v) => DefaultValue::Float64(v),
        Value::String(v) => DefaultValue::String(v.into()),
        Value::Bytes(v) => DefaultValue::Bytes(v.into()),
        Value::Decimal(v) => DefaultValue::Decimal(v.into()),
        Value::Null | Value::Struct(_) | Value::Array(_) | Value::Map(_) => return None,
    })
}
