use bumpalo::Bump;

use super::container::{self, Fault, Node};
use crate::connect::{DefaultValue, Schema, SchemaAndValue, SchemaRef, SchemaType, logical};

/// The value of `InsertHeader`, of the type that Connect sees in its text.
#[derive(Debug)]
pub(super) enum Literal {
    Null,
    Typed(Schema, DefaultValue),
    Container(Node),
}

impl Literal {
    /// Reads the text as Connect's `Values.parseString` does.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let of = |schema_type, value| Ok(Self::Typed(Schema::new(schema_type), value));
        let trimmed = text.trim_matches(|c| c <= ' ');
        match trimmed {
            "null" => return Ok(Self::Null),
            "true" => return of(SchemaType::Boolean, DefaultValue::Boolean(true)),
            "false" => return of(SchemaType::Boolean, DefaultValue::Boolean(false)),
            _ => {}
        }
        if trimmed.starts_with(['[', '{']) {
            return match container::parse(text) {
                Ok(node) => Ok(Self::Container(node)),
                Err(Fault::Text) => of(SchemaType::String, DefaultValue::String(text.into())),
                Err(Fault::Unsupported(reason)) => Err(reason),
            };
        }
        if let Some((schema, value)) = date(trimmed)? {
            return Ok(Self::Typed(schema, value));
        }
        // Behind a number, a separator and what follows it are lost on Connect.
        let number = trimmed.split([',', ':', '{', '}', '[', ']', '"']).next().unwrap_or_default();
        if let Some((schema, value)) = parse_number(number.trim()) {
            return Ok(Self::Typed(schema, value));
        }
        of(SchemaType::String, DefaultValue::String(text.into()))
    }

    pub(super) fn value<'a>(&'a self, arena: &'a Bump) -> SchemaAndValue<'a> {
        match self {
            Self::Null => SchemaAndValue::NULL,
            Self::Typed(schema, value) => {
                SchemaAndValue { schema: Some(SchemaRef::Plan(schema)), value: value.value() }
            }
            Self::Container(node) => SchemaAndValue {
                schema: node.schema().map(SchemaRef::Plan),
                value: node.value(arena),
            },
        }
    }
}

/// The smallest integer type that holds the number, else the smallest of the floating-point types.
pub(super) fn parse_number(text: &str) -> Option<(Schema, DefaultValue)> {
    let (schema_type, value) = number(text)?;
    let schema = Schema::new(schema_type);
    Some(match &value {
        DefaultValue::Decimal(_) => (schema.named(logical::DECIMAL).parameter("scale", "0"), value),
        _ => (schema, value),
    })
}

fn number(text: &str) -> Option<(SchemaType, DefaultValue)> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let allowed = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    if !digits.chars().all(allowed) {
        return None;
    }
    let double: f64 = text.parse().ok()?;
    let whole = whole_number(text);
    if let Some(whole) = whole {
        return Some(if let Ok(v) = i8::try_from(whole) {
            (SchemaType::Int8, DefaultValue::Int8(v))
        } else if let Ok(v) = i16::try_from(whole) {
            (SchemaType::Int16, DefaultValue::Int16(v))
        } else if let Ok(v) = i32::try_from(whole) {
            (SchemaType::Int32, DefaultValue::Int32(v))
        } else {
            (SchemaType::Int64, DefaultValue::Int64(whole))
        });
    }
    if digits.chars().all(|c| c.is_ascii_digit()) {
        let plain = digits.trim_start_matches('0');
        let sign = if text.starts_with('-') { "-" } else { "" };
        return Some((SchemaType::Bytes, DefaultValue::Decimal(format!("{sign}{plain}").into())));
    }
    let float: f32 = text.parse().ok()?;
    if float.is_finite() {
        Some((SchemaType::Float32, DefaultValue::Float32(float)))
    } else if double.is_finite() {
        Some((SchemaType::Float64, DefaultValue::Float64(double)))
    } else {
        None
    }
}

/// The number as an `i64`, where it is one: `1.0` and `1e3` are.
fn whole_number(text: &str) -> Option<i64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    if digits == 0 {
        return Some(0);
    }
    let scaled = match u32::try_from(shift) {
        Ok(up) => digits.checked_mul(10i128.checked_pow(up)?)?,
        Err(_) => {
            let divisor = 10i128.checked_pow(shift.unsigned_abs())?;
            if digits % divisor != 0 {
                return None;
            }
            digits / divisor
        }
    };
    i64::try_from(scaled).ok()
}

/// `2024-02-29`, `12:34:56.789Z` or both joined by a `T`.
pub(super) fn date(text: &str) -> Result<Option<(Schema, DefaultValue)>, String> {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let day = "0000-00-00";
    let time = "00:00:00.000Z";
    let full = match shape.as_str() {
        shape if shape == day => format!("{text}T00:00:00.000Z"),
        shape if shape == time => format!("1970-01-01T{text}"),
        shape if shape == format!("{day}T{time}") => text.to_owned(),
        _ => return Ok(None),
    };
    let ms = crate::route::timestamp::parse_utc(&full)
        .ok_or_else(|| format!("value.literal: {text:?} is not a date"))?;
    let small = |ms: i64| i32::try_from(ms).map_err(|_| format!("value.literal: {text:?}"));
    let (schema_type, name, value) = if shape == day {
        let days = DefaultValue::Int32(small(ms / 86_400_000)?);
        (SchemaType::Int32, logical::CONNECT_DATE, days)
    } else if shape == time {
        (SchemaType::Int32, logical::CONNECT_TIME, DefaultValue::Int32(small(ms)?))
    } else {
        (SchemaType::Int64, logical::CONNECT_TIMESTAMP, DefaultValue::Int64(ms))
    };
    Ok(Some((Schema::new(schema_type).named(name), value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::Value;

    #[test]
    fn literals_have_the_type_that_connect_sees() {
        let arena = Bump::new();
        for (text, schema_type, value) in [
            ("mysql-1", SchemaType::String, Value::String("mysql-1")),
            (" a ", SchemaType::String, Value::String(" a ")),
            ("", SchemaType::String, Value::String("")),
            (".5", SchemaType::String, Value::String(".5")),
            ("1-2", SchemaType::String, Value::String("1-2")),
            ("TRUE", SchemaType::String, Value::String("TRUE")),
            (" true", SchemaType::Boolean, Value::Boolean(true)),
            ("127", SchemaType::Int8, Value::Int8(127)),
            ("128", SchemaType::Int16, Value::Int16(128)),
            ("-129", SchemaType::Int16, Value::Int16(-129)),
            ("40000", SchemaType::Int32, Value::Int32(40_000)),
            ("3000000000", SchemaType::Int64, Value::Int64(3_000_000_000)),
            ("9223372036854775808", SchemaType::Bytes, Value::Decimal("9223372036854775808")),
            ("1e3", SchemaType::Int16, Value::Int16(1000)),
            ("100.0", SchemaType::Int8, Value::Int8(100)),
            ("5.", SchemaType::Int8, Value::Int8(5)),
            ("+5", SchemaType::Int8, Value::Int8(5)),
            ("1.50", SchemaType::Float32, Value::Float32(1.5)),
            ("12:34", SchemaType::Int8, Value::Int8(12)),
            ("2024-02-29", SchemaType::Int32, Value::Int32(19_782)),
            ("00:00:01.000Z", SchemaType::Int32, Value::Int32(1000)),
            ("2024-02-29T12:34:56.789Z", SchemaType::Int64, Value::Int64(1_709_210_096_789)),
        ] {
            let literal = Literal::parse(text).unwrap();
            let found = literal.value(&arena);
            assert_eq!(found.value, value, "{text:?}");
            assert_eq!(found.schema.unwrap().schema_type, schema_type, "{text:?}");
        }
        assert!(Literal::parse("null").unwrap().value(&arena).schema.is_none());
    }
}
