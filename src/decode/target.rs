use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::column::{ColumnType, IntegerSize};
use super::raw::Raw;
use super::short_text::Fraction;
use super::temporal::{DateTime, adjusted_year};
use super::temporal_form::{DateForm, DateTimeForm, Rules, TimeForm, iso_moment};
use super::{ValueError, geometry};
use crate::config::{
    BigintUnsignedHandling, BinaryHandling, DecimalHandling, DecodeConfig, TimePrecision,
};
use crate::connect::{DefaultValue, Field, Schema, SchemaType, Value, logical};

/// The form that a column's values take in Connect.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Int16,
    Int32,
    Int64,
    /// BIGINT UNSIGNED under `precise`.
    UnsignedDecimal,
    /// True for integers above zero and for a set bit.
    Boolean,
    Float32,
    Float64,
    Decimal {
        precision: u8,
        scale: u8,
    },
    DecimalDouble,
    DecimalString {
        scale: u8,
    },
    Bits {
        bits: u16,
    },
    Year,
    Date(DateForm),
    Time(TimeForm),
    DateTime(DateTimeForm),
    ZonedTimestamp {
        fsp: u8,
    },
    String,
    Bytes(BinaryHandling),
    Enum {
        allowed: String,
    },
    EnumSet {
        allowed: String,
    },
    Json,
    Geometry,
    Point,
    Vector,
}

impl Target {
    /// The form for a column; `boolean` where a `TinyIntOneToBooleanConverter` takes it.
    pub(super) fn new(column: &ColumnType, config: &DecodeConfig, boolean: bool) -> Self {
        match column {
            ColumnType::Integer { size: IntegerSize::TinyOne | IntegerSize::Tiny, .. } => {
                if boolean { Self::Boolean } else { Self::Int16 }
            }
            ColumnType::Integer { size, unsigned } => integer(*size, *unsigned, config),
            ColumnType::Float { widened: false } => Self::Float32,
            ColumnType::Float { widened: true } | ColumnType::Double => Self::Float64,
            ColumnType::Decimal { precision, scale } => match config.decimal {
                DecimalHandling::Precise => Self::Decimal { precision: *precision, scale: *scale },
                DecimalHandling::Double => Self::DecimalDouble,
                DecimalHandling::String => Self::DecimalString { scale: *scale },
            },
            ColumnType::Bit { bits: 1 } => Self::Boolean,
            ColumnType::Bit { bits } => Self::Bits { bits: *bits },
            ColumnType::Year => Self::Year,
            ColumnType::Date => Self::Date(match config.time_precision {
                TimePrecision::Connect => DateForm::Connect,
                TimePrecision::IsoString => DateForm::Iso,
                _ => DateForm::EpochDays,
            }),
            ColumnType::Time => Self::Time(match config.time_precision {
                TimePrecision::Connect => TimeForm::Connect,
                TimePrecision::IsoString => TimeForm::Iso,
                TimePrecision::Nanoseconds => TimeForm::Nanos,
                _ => TimeForm::Micros,
            }),
            ColumnType::DateTime { fsp } => Self::DateTime(match config.time_precision {
                TimePrecision::AdaptiveTimeMicroseconds if *fsp <= 3 => DateTimeForm::Millis,
                TimePrecision::Connect => DateTimeForm::Connect,
                TimePrecision::IsoString => DateTimeForm::Iso,
                TimePrecision::Nanoseconds => DateTimeForm::Nanos,
                _ => DateTimeForm::Micros,
            }),
            ColumnType::Timestamp { fsp } => Self::ZonedTimestamp { fsp: *fsp },
            ColumnType::Text(_) => Self::String,
            ColumnType::Binary { .. } => Self::Bytes(config.binary),
            ColumnType::Enum(options) => Self::Enum { allowed: options.allowed() },
            ColumnType::Set(options) => Self::EnumSet { allowed: options.allowed() },
            ColumnType::Json => Self::Json,
            ColumnType::Geometry => Self::Geometry,
            ColumnType::Point => Self::Point,
            ColumnType::Vector => Self::Vector,
        }
    }

    /// The schema, required and without a default.
    pub(super) fn schema(&self) -> Schema {
        let new = Schema::new;
        match self {
            Self::Int16 => new(SchemaType::Int16),
            Self::Int32 => new(SchemaType::Int32),
            Self::Int64 => new(SchemaType::Int64),
            Self::UnsignedDecimal => decimal(20, 0),
            Self::Boolean => new(SchemaType::Boolean),
            Self::Float32 => new(SchemaType::Float32),
            Self::Float64 | Self::DecimalDouble => new(SchemaType::Float64),
            Self::Decimal { precision, scale } => decimal(*precision, *scale),
            Self::DecimalString { .. } | Self::String => new(SchemaType::String),
            Self::Bits { bits } => {
                new(SchemaType::Bytes).named(logical::BITS).parameter("length", &bits.to_string())
            }
            Self::Year => new(SchemaType::Int32).named(logical::YEAR),
            Self::Date(form) => form.schema(),
            Self::Time(form) => form.schema(),
            Self::DateTime(form) => form.schema(),
            Self::ZonedTimestamp { .. } => new(SchemaType::String).named(logical::ZONED_TIMESTAMP),
            Self::Bytes(BinaryHandling::Bytes) => new(SchemaType::Bytes),
            Self::Bytes(_) => new(SchemaType::String),
            Self::Enum { allowed } => {
                new(SchemaType::String).named(logical::ENUM).parameter("allowed", allowed)
            }
            Self::EnumSet { allowed } => {
                new(SchemaType::String).named(logical::ENUM_SET).parameter("allowed", allowed)
            }
            Self::Json => new(SchemaType::String).named(logical::JSON),
            Self::Geometry => geometry_schema(),
            Self::Point => point_schema(),
            Self::Vector => {
                let mut schema = new(SchemaType::Array).named(logical::FLOAT_VECTOR);
                schema.value_schema = Some(Arc::new(new(SchemaType::Float32)));
                schema
            }
        }
    }

    /// What stands for NULL in a NOT NULL column without a default; a geometry has [`geometry::EMPTY`].
    pub(super) fn zero(&self) -> Option<DefaultValue> {
        Some(match self {
            Self::Int16 => DefaultValue::Int16(0),
            Self::Int32 | Self::Year => DefaultValue::Int32(0),
            Self::Int64 => DefaultValue::Int64(0),
            Self::UnsignedDecimal => DefaultValue::Decimal("0".into()),
            Self::Boolean => DefaultValue::Boolean(false),
            Self::Float32 => DefaultValue::Float32(0.0),
            Self::Float64 | Self::DecimalDouble => DefaultValue::Float64(0.0),
            Self::Decimal { scale, .. } => DefaultValue::Decimal(zero_decimal(*scale).into()),
            Self::DecimalString { scale } => DefaultValue::String(zero_decimal(*scale).into()),
            Self::Bits { .. } | Self::Bytes(BinaryHandling::Bytes) => {
                DefaultValue::Bytes([].into())
            }
            Self::Date(DateForm::Iso) => DefaultValue::String("1970-01-01Z".into()),
            Self::Date(_) | Self::Time(TimeForm::Connect) => DefaultValue::Int32(0),
            Self::Time(TimeForm::Iso) => DefaultValue::String("00:00:00Z".into()),
            Self::Time(_) => DefaultValue::Int64(0),
            Self::DateTime(DateTimeForm::Iso) | Self::ZonedTimestamp { .. } => {
                DefaultValue::String("1970-01-01T00:00:00Z".into())
            }
            Self::DateTime(_) => DefaultValue::Int64(0),
            Self::String | Self::Bytes(_) | Self::Enum { .. } | Self::EnumSet { .. } => {
                DefaultValue::String("".into())
            }
            Self::Json => DefaultValue::String("{}".into()),
            Self::Geometry | Self::Point | Self::Vector => return None,
        })
    }

    /// The value in this form. `Value::Null` is what counts as NULL: zero dates are among it.
    #[inline]
    pub(super) fn value<'a>(
        &self,
        raw: Raw<'a>,
        rules: Rules,
        arena: &'a Bump,
    ) -> Result<Value<'a>, ValueError> {
        match (self, raw) {
            (_, Raw::Null) => Ok(Value::Null),
            (Self::Bytes(handling), Raw::Bytes(bytes)) => Ok(binary(*handling, bytes, arena)),
            (_, Raw::Text(text)) => Ok(Value::String(text)),
            (_, Raw::Integer(value)) => self.integer(value),
            (Self::Boolean, Raw::Unsigned(value)) => {
                Ok(Value::Boolean(value > 0 && (rules.of_snapshot || value < 128)))
            }
            (_, Raw::Unsigned(value)) => self.unsigned(value, arena),
            (Self::Float64, Raw::Float(value)) => Ok(Value::Float64(f64::from(value))),
            (_, Raw::Float(value)) => Ok(Value::Float32(value)),
            (_, Raw::Double(value)) => Ok(Value::Float64(value)),
            (_, Raw::Decimal(digits)) => self.decimal(digits),
            (_, Raw::Bits(value)) => Ok(self.bits(value, arena)),
            (_, Raw::Year(year)) if rules.adjust_years => {
                Ok(Value::Int32(i32::from(adjusted_year(year))))
            }
            (_, Raw::Year(year)) => Ok(Value::Int32(i32::from(year))),
            (Self::Date(form), Raw::Date(date)) => form.value(date, rules, arena),
            (Self::DateTime(form), Raw::DateTime(moment)) => form.value(moment, rules, arena),
            (Self::Time(form), Raw::Time(micros)) => form.value(micros, arena),
            (Self::ZonedTimestamp { .. }, Raw::Timestamp(0)) => Ok(Value::Null),
            (Self::ZonedTimestamp { fsp }, Raw::Timestamp(micros)) => {
                let digits =
                    if rules.of_snapshot { Fraction::Trimmed } else { Fraction::Exactly(*fsp) };
                Ok(iso_moment(DateTime::of_epoch_micros(micros), digits, arena))
            }
            (Self::Geometry, Raw::Bytes(bytes)) => geometry::geometry(bytes, arena),
            (Self::Point, Raw::Bytes(bytes)) => geometry::point(bytes, arena),
            (Self::Vector, Raw::Bytes(bytes)) => geometry::vector(bytes, arena),
            _ => Err(ValueError::Malformed("column type")),
        }
    }

    fn integer<'a>(&self, value: i64) -> Result<Value<'a>, ValueError> {
        let range = |_| ValueError::OutOfRange("an integer beyond its column's type");
        match self {
            Self::Int16 => i16::try_from(value).map(Value::Int16).map_err(range),
            Self::Int32 => i32::try_from(value).map(Value::Int32).map_err(range),
            Self::Boolean => Ok(Value::Boolean(value > 0)),
            _ => Ok(Value::Int64(value)),
        }
    }

    fn unsigned<'a>(&self, value: u64, arena: &'a Bump) -> Result<Value<'a>, ValueError> {
        match self {
            Self::UnsignedDecimal => {
                let mut digits = [0; 20];
                let (mut rest, mut start) = (value, 20);
                for digit in digits.iter_mut().rev() {
                    *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
                    (rest, start) = (rest / 10, start - 1);
                    if rest == 0 {
                        break;
                    }
                }
                let text = digits.get(start..).and_then(|digits| std::str::from_utf8(digits).ok());
                Ok(Value::Decimal(arena.alloc_str(text.unwrap_or_default())))
            }
            // Above i64's maximum it wraps, as `bigint.unsigned.handling.mode=long` says.
            Self::Int64 => Ok(Value::Int64(value.cast_signed())),
            _ => self.integer(value.cast_signed()),
        }
    }

    fn decimal<'a>(&self, digits: &'a str) -> Result<Value<'a>, ValueError> {
        Ok(match self {
            Self::DecimalString { .. } => Value::String(digits),
            Self::DecimalDouble => {
                Value::Float64(digits.parse().map_err(|_| ValueError::Malformed("DECIMAL"))?)
            }
            _ => Value::Decimal(digits),
        })
    }

    /// Least significant byte first, as many bytes as the bits need.
    fn bits<'a>(&self, value: u64, arena: &'a Bump) -> Value<'a> {
        let Self::Bits { bits } = self else { return Value::Boolean(value != 0) };
        let bytes = value.to_le_bytes();
        let bytes = bytes.get(..usize::from(bits.div_ceil(8))).unwrap_or(&bytes);
        Value::Bytes(arena.alloc_slice_copy(bytes))
    }
}

fn integer(size: IntegerSize, unsigned: bool, config: &DecodeConfig) -> Target {
    match (size, unsigned) {
        (IntegerSize::TinyOne | IntegerSize::Tiny, _) | (IntegerSize::Small, false) => {
            Target::Int16
        }
        (IntegerSize::Small, true) | (IntegerSize::Medium, _) | (IntegerSize::Int, false) => {
            Target::Int32
        }
        (IntegerSize::Int, true) | (IntegerSize::Big, false) => Target::Int64,
        (IntegerSize::Big, true) => match config.bigint_unsigned {
            BigintUnsignedHandling::Long => Target::Int64,
            BigintUnsignedHandling::Precise => Target::UnsignedDecimal,
        },
    }
}

fn decimal(precision: u8, scale: u8) -> Schema {
    Schema::new(SchemaType::Bytes)
        .named(logical::DECIMAL)
        .parameter("scale", &scale.to_string())
        .parameter("connect.decimal.precision", &precision.to_string())
}

fn zero_decimal(scale: u8) -> String {
    match usize::from(scale) {
        0 => "0".to_owned(),
        scale => format!("0.{}", "0".repeat(scale)),
    }
}

fn field(name: &str, schema_type: SchemaType, optional: bool) -> Field {
    Field { name: name.to_owned(), schema: Arc::new(Schema::new(schema_type).optional(optional)) }
}

fn geometry_schema() -> Schema {
    let mut schema = Schema::new(SchemaType::Struct).named(logical::GEOMETRY).optional(true);
    schema.doc = Some("Geometry".to_owned());
    schema.fields =
        vec![field("wkb", SchemaType::Bytes, false), field("srid", SchemaType::Int32, true)];
    schema
}

fn point_schema() -> Schema {
    let mut schema = Schema::new(SchemaType::Struct).named(logical::POINT);
    schema.doc = Some("Geometry (POINT)".to_owned());
    schema.fields = vec![
        field("x", SchemaType::Float64, false),
        field("y", SchemaType::Float64, false),
        field("wkb", SchemaType::Bytes, true),
        field("srid", SchemaType::Int32, true),
    ];
    schema
}

fn binary<'a>(handling: BinaryHandling, bytes: &'a [u8], arena: &'a Bump) -> Value<'a> {
    match handling {
        BinaryHandling::Bytes => Value::Bytes(bytes),
        BinaryHandling::Base64 => base64(&STANDARD, bytes, arena),
        BinaryHandling::Base64UrlSafe => base64(&URL_SAFE, bytes, arena),
        BinaryHandling::Hex => {
            let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
            let mut text = ArenaVec::with_capacity_in(bytes.len() * 2, arena);
            text.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xF)]));
            ascii(text)
        }
    }
}

fn base64<'a>(engine: &impl Engine, bytes: &[u8], arena: &'a Bump) -> Value<'a> {
    let length = bytes.len().div_ceil(3) * 4;
    let mut text = ArenaVec::with_capacity_in(length, arena);
    text.resize(length, 0);
    let written = engine.encode_slice(bytes, &mut text).unwrap_or_default();
    text.truncate(written);
    ascii(text)
}

fn ascii(text: ArenaVec<'_, u8>) -> Value<'_> {
    Value::String(std::str::from_utf8(text.into_bump_slice()).unwrap_or_default())
}
