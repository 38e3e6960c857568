use bumpalo::Bump;
use bumpalo::collections::{String as ArenaString, Vec as ArenaVec};

use super::column::{ColumnType, IntegerSize, Options};
use super::reader::{big_endian, little_endian};
use super::temporal::{self, Date, DateTime};
use super::wire::WireKind;
use super::{ValueError, decimal, json};

/// A value as MySQL has it, before it is given its form in Connect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Raw<'a> {
    Null,
    Integer(i64),
    Unsigned(u64),
    Float(f32),
    Double(f64),
    /// Plain digits with the column's scale.
    Decimal(&'a str),
    Bits(u64),
    Year(u16),
    Date(Date),
    DateTime(DateTime),
    /// Microseconds since the epoch.
    Timestamp(i64),
    /// Signed microseconds.
    Time(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl<'a> Raw<'a> {
    /// A value from a row event; `bytes` are the value's own, without their length.
    #[inline]
    pub(super) fn of_row(
        kind: WireKind,
        column: &'a ColumnType,
        bytes: &'a [u8],
        arena: &'a Bump,
    ) -> Result<Self, ValueError> {
        Ok(match kind {
            WireKind::Null => Self::Null,
            WireKind::String { .. } | WireKind::VarChar { .. } | WireKind::Blob { .. } => {
                characters(column, bytes, arena)
            }
            WireKind::Json if bytes.is_empty() => Self::Null,
            WireKind::Json => Self::Text(json::text(bytes, arena)?),
            WireKind::Tiny
            | WireKind::Short
            | WireKind::Int24
            | WireKind::Long
            | WireKind::LongLong => integer(column, bytes),
            WireKind::Float => Self::Float(f32::from_le_bytes(fixed(bytes)?)),
            WireKind::Double => Self::Double(f64::from_le_bytes(fixed(bytes)?)),
            WireKind::Decimal { precision, scale } => {
                Self::Decimal(decimal::text(bytes, precision, scale, arena)?)
            }
            WireKind::Bit { .. } => Self::Bits(big_endian(bytes)),
            WireKind::Enum { .. } | WireKind::Set { .. } => {
                Self::Text(options(column, little_endian(bytes), arena)?)
            }
            WireKind::Geometry | WireKind::Vector => Self::Bytes(bytes),
            _ => return Self::temporal(kind, bytes),
        })
    }

    fn temporal(kind: WireKind, bytes: &[u8]) -> Result<Self, ValueError> {
        Ok(match kind {
            // 1900 and the byte, for the stored zero as well: so Debezium's reader takes it.
            WireKind::Year => Self::Year(1900 + u16::from(u8::from_le_bytes(fixed(bytes)?))),
            WireKind::Date => Self::Date(temporal::date(bytes)),
            WireKind::Time { .. } => Self::Time(temporal::time(bytes)?),
            WireKind::DateTime { .. } => Self::DateTime(temporal::datetime(bytes)?),
            WireKind::Timestamp { .. } => Self::Timestamp(temporal::timestamp(bytes)?),
            WireKind::OldTime => Self::Time(temporal::old_time(bytes)?),
            WireKind::OldDateTime => Self::DateTime(temporal::old_datetime(bytes)?),
            WireKind::OldTimestamp => {
                Self::Timestamp(i64::from(u32::from_le_bytes(fixed(bytes)?)) * 1_000_000)
            }
            _ => return Err(ValueError::Malformed("column type")),
        })
    }
}

#[inline]
fn characters<'a>(column: &ColumnType, bytes: &'a [u8], arena: &'a Bump) -> Raw<'a> {
    match column {
        ColumnType::Text(charset) => Raw::Text(charset.decode(bytes, arena)),
        ColumnType::Binary { padded_to: Some(length) } => {
            Raw::Bytes(padded(bytes, usize::from(*length), arena))
        }
        _ => Raw::Bytes(bytes),
    }
}

/// MySQL cuts zeros off the end of a BINARY in the log; they are part of the value.
pub(super) fn padded<'a>(bytes: &'a [u8], length: usize, arena: &'a Bump) -> &'a [u8] {
    if bytes.len() >= length {
        return bytes;
    }
    let mut padded = ArenaVec::with_capacity_in(length, arena);
    padded.extend_from_slice_copy(bytes);
    padded.resize(length, 0);
    padded.into_bump_slice()
}

fn integer<'a>(column: &ColumnType, bytes: &[u8]) -> Raw<'a> {
    let value = little_endian(bytes);
    let ColumnType::Integer { size, unsigned } = column else { return Raw::Unsigned(value) };
    if *unsigned {
        return Raw::Unsigned(value);
    }
    let unused = match size {
        IntegerSize::TinyOne | IntegerSize::Tiny => 56,
        IntegerSize::Small => 48,
        IntegerSize::Medium => 40,
        IntegerSize::Int => 32,
        IntegerSize::Big => 0,
    };
    // The sign bit goes to the top and is drawn back down.
    Raw::Integer((value << unused).cast_signed() >> unused)
}

fn options<'a>(column: &'a ColumnType, value: u64, arena: &'a Bump) -> Result<&'a str, ValueError> {
    match column {
        ColumnType::Enum(options) => match value.checked_sub(1) {
            None => Ok(""),
            Some(index) => usize::try_from(index)
                .ok()
                .and_then(|index| options.get(index))
                .ok_or(ValueError::Malformed("ENUM number")),
        },
        ColumnType::Set(options) => set(options, value, arena),
        _ => Err(ValueError::Malformed("column type")),
    }
}

fn set<'a>(options: &Options, value: u64, arena: &'a Bump) -> Result<&'a str, ValueError> {
    let mut text = ArenaString::new_in(arena);
    let mut rest = value;
    while rest != 0 {
        let index = usize::try_from(rest.trailing_zeros()).unwrap_or(usize::MAX);
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(options.get(index).ok_or(ValueError::Malformed("SET number"))?);
        rest &= rest - 1;
    }
    Ok(text.into_bump_str())
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], ValueError> {
    bytes.first_chunk().copied().ok_or(ValueError::Truncated)
}
