use crate::connect::{Schema, SchemaType, Value, logical};

/// How a column tells an event's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimestampKind {
    Milliseconds,
    Microseconds,
    Nanoseconds,
    /// ISO 8601 in UTC.
    Text,
}

impl TimestampKind {
    /// The kind of a column, by the logical name of its schema.
    pub(super) fn of(schema: &Schema) -> Option<Self> {
        match (schema.schema_type, schema.name.as_deref()?) {
            (SchemaType::Int64, logical::TIMESTAMP | logical::CONNECT_TIMESTAMP) => {
                Some(Self::Milliseconds)
            }
            (SchemaType::Int64, logical::MICRO_TIMESTAMP) => Some(Self::Microseconds),
            (SchemaType::Int64, logical::NANO_TIMESTAMP) => Some(Self::Nanoseconds),
            (SchemaType::String, logical::ZONED_TIMESTAMP) => Some(Self::Text),
            _ => None,
        }
    }

    /// Milliseconds since the epoch, cut off toward zero; `None` when the value is not a timestamp.
    pub(super) fn milliseconds(self, value: &Value<'_>) -> Option<i64> {
        match (self, value) {
            (Self::Milliseconds, Value::Int64(v)) => Some(*v),
            (Self::Microseconds, Value::Int64(v)) => Some(v / 1000),
            (Self::Nanoseconds, Value::Int64(v)) => Some(v / 1_000_000),
            (Self::Text, Value::String(text)) => parse_utc(text),
            _ => None,
        }
    }
}

/// Reads `2024-02-29T12:34:56.789Z`, the fraction of any length or absent.
pub(super) fn parse_utc(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let fraction_ms =
        fraction.bytes().chain([b'0'; 3]).take(3).try_fold(0, |ms, byte| {
            byte.is_ascii_digit().then(|| ms * 10 + i64::from(byte - b'0'))
        })?;
    let in_range = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let seconds = days_from_epoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    in_range.then_some(seconds * 1000 + fraction_ms)
}

fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut parts = text.split(separator).map(|part| {
        let digits = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i64>().ok().filter(|_| digits)
    });
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, by counting years from March.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zoned_text_is_read_to_the_millisecond() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2024-01-01T21:34:05.600Z", Some(1_704_144_845_600)),
            ("2024-02-29T12:34:56.78Z", Some(1_709_210_096_780)),
            ("1969-12-31T23:59:59.999999Z", Some(-1)),
            ("2038-01-19T03:14:07.999999Z", Some(2_147_483_647_999)),
            ("2024-02-29 12:34:56", None),
            ("2024-13-01T00:00:00Z", None),
            ("Z", None),
        ] {
            assert_eq!(parse_utc(text), expected, "{text}");
        }
    }

    #[test]
    fn finer_units_are_cut_off_toward_zero() {
        assert_eq!(TimestampKind::Microseconds.milliseconds(&Value::Int64(-1999)), Some(-1));
        assert_eq!(TimestampKind::Nanoseconds.milliseconds(&Value::Int64(1_999_999)), Some(1));
    }
}
