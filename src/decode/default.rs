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
        let value =
            literal(column, text, &arena).and_then(|raw| target.value(raw, rules, &arena).ok());
        match value {
            // A zero date.
            Some(Value::Null) if nullable => Self { of_schema: None, of_absent: Absent::Null },
            Some(Value::Null) => Self::of(target.zero(), target.zero()),
            Some(value) => {
                Self::of(clamped(column, target, text).or_else(|| owned(value)), owned(value))
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

/// Where values of a BIGINT UNSIGNED wrap, its default is cut at the largest INT64.
fn clamped(column: &ColumnType, target: &Target, text: &str) -> Option<DefaultValue> {
    let ColumnType::Integer { unsigned: true, .. } = column else { return None };
    let Target::Int64 = target else { return None };
    let value: u64 = text.parse().ok()?;
    i64::try_from(value).is_err().then_some(DefaultValue::Int64(i64::MAX))
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
