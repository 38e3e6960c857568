use super::reader::Reader;
use super::{DecodeError, ValueError};

/// How a column's values stand in a row event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wire {
    pub(super) kind: WireKind,
    pub(super) length: Length,
}

/// The bytes that a value takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// Always so many.
    Fixed(usize),
    /// A length of so many bytes, then the value.
    Prefixed(u8),
}

/// A column type as the table map tells it, its metadata unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireKind {
    Null,
    Tiny,
    Short,
    Int24,
    Long,
    LongLong,
    Float,
    Double,
    Decimal {
        precision: u8,
        scale: u8,
    },
    Bit {
        bits: u16,
    },
    Year,
    Date,
    /// TIME as MySQL stored it before 5.6.4: decimal digits, no fraction.
    OldTime,
    /// DATETIME before 5.6.4.
    OldDateTime,
    /// TIMESTAMP before 5.6.4.
    OldTimestamp,
    Time {
        fsp: u8,
    },
    DateTime {
        fsp: u8,
    },
    Timestamp {
        fsp: u8,
    },
    /// CHAR and BINARY of at most so many bytes.
    String {
        max: u16,
    },
    /// VARCHAR and VARBINARY of at most so many bytes.
    VarChar {
        max: u16,
    },
    /// TEXT and BLOB, their length in so many bytes.
    Blob {
        prefix: u8,
    },
    Enum {
        width: u8,
    },
    Set {
        width: u8,
    },
    Json,
    Geometry,
    Vector,
}

impl Wire {
    /// A column whose table map has not been seen.
    pub(super) const UNKNOWN: Self = Self { kind: WireKind::Null, length: Length::Fixed(0) };

    /// The type with this code, its metadata read from the table map's block.
    pub(super) fn read(code: u8, metadata: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let kind = match code {
            1 => WireKind::Tiny,
            2 => WireKind::Short,
            3 => WireKind::Long,
            6 => WireKind::Null,
            7 => WireKind::OldTimestamp,
            8 => WireKind::LongLong,
            9 => WireKind::Int24,
            10 | 14 => WireKind::Date,
            11 => WireKind::OldTime,
            12 => WireKind::OldDateTime,
            13 => WireKind::Year,
            _ => return Self::with_metadata(code, metadata),
        };
        Ok(Self::of(kind))
    }

    fn with_metadata(code: u8, metadata: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let cut = |_| DecodeError::Truncated { what: "column metadata" };
        let mut byte = || metadata.u8().map_err(cut);
        let kind = match code {
            4 => byte().map(|_| WireKind::Float)?,
            5 => byte().map(|_| WireKind::Double)?,
            15 => WireKind::VarChar { max: u16::from_le_bytes([byte()?, byte()?]) },
            16 => {
                let (bits, bytes) = (u16::from(byte()?), u16::from(byte()?));
                WireKind::Bit { bits: within(bytes * 8 + bits, 1..=64, "BIT length")? }
            }
            17 => WireKind::Timestamp { fsp: fraction_digits(byte()?)? },
            18 => WireKind::DateTime { fsp: fraction_digits(byte()?)? },
            19 => WireKind::Time { fsp: fraction_digits(byte()?)? },
            242 => return Self::prefixed(WireKind::Vector, byte()?),
            245 => return Self::prefixed(WireKind::Json, byte()?),
            246 => WireKind::Decimal {
                precision: within(byte()?, 1..=65, "DECIMAL precision")?,
                scale: within(byte()?, 0..=30, "DECIMAL scale")?,
            },
            247 | 248 | 253 | 254 => string(byte()?, byte()?)?,
            249..=252 => {
                let prefix = byte()?;
                return Self::prefixed(WireKind::Blob { prefix }, prefix);
            }
            255 => return Self::prefixed(WireKind::Geometry, byte()?),
            _ => return Err(DecodeError::UnknownColumnType { code }),
        };
        if let WireKind::Decimal { precision, scale } = kind
            && scale > precision
        {
            return Err(DecodeError::Malformed { what: "DECIMAL scale" });
        }
        Ok(Self::of(kind))
    }

    fn prefixed(kind: WireKind, prefix: u8) -> Result<Self, DecodeError> {
        let prefix = within(prefix, 1..=4, "length of a BLOB's length")?;
        Ok(Self { kind, length: Length::Prefixed(prefix) })
    }

    /// A type whose length follows from its kind.
    pub(super) fn of(kind: WireKind) -> Self {
        let length = match kind {
            WireKind::Null => Length::Fixed(0),
            WireKind::Tiny | WireKind::Year => Length::Fixed(1),
            WireKind::Short => Length::Fixed(2),
            WireKind::Int24 | WireKind::Date | WireKind::OldTime => Length::Fixed(3),
            WireKind::Long | WireKind::Float | WireKind::OldTimestamp => Length::Fixed(4),
            WireKind::LongLong | WireKind::Double | WireKind::OldDateTime => Length::Fixed(8),
            WireKind::Decimal { precision, scale } => {
                Length::Fixed(super::decimal::binary_length(precision, scale))
            }
            WireKind::Bit { bits } => Length::Fixed(usize::from(bits.div_ceil(8))),
            WireKind::Time { fsp } => Length::Fixed(3 + fraction_length(fsp)),
            WireKind::Timestamp { fsp } => Length::Fixed(4 + fraction_length(fsp)),
            WireKind::DateTime { fsp } => Length::Fixed(5 + fraction_length(fsp)),
            WireKind::String { max } | WireKind::VarChar { max } => {
                Length::Prefixed(if max > 255 { 2 } else { 1 })
            }
            WireKind::Blob { prefix } => Length::Prefixed(prefix),
            WireKind::Enum { width } | WireKind::Set { width } => Length::Fixed(usize::from(width)),
            WireKind::Json | WireKind::Geometry | WireKind::Vector => Length::Prefixed(4),
        };
        Self { kind, length }
    }

    /// The value's bytes at the cursor.
    #[inline]
    pub(super) fn take<'a>(&self, row: &mut Reader<'a>) -> Result<&'a [u8], ValueError> {
        match self.length {
            Length::Fixed(length) => row.take(length),
            Length::Prefixed(width) => row.prefixed(width),
        }
    }

    /// Whether values of this column are characters or bytes, as its collation tells.
    pub(super) fn is_character(&self) -> bool {
        matches!(
            self.kind,
            WireKind::String { .. } | WireKind::VarChar { .. } | WireKind::Blob { .. }
        )
    }

    /// Whether the charset blocks of a table map count this column. MySQL 9.7 counts VECTOR among the
    /// BLOBs, but neither JSON nor geometries.
    pub(super) fn has_collation(&self) -> bool {
        self.is_character() || self.kind == WireKind::Vector
    }

    /// Whether the signedness block of a table map has a bit for this column; YEAR has one, always set.
    pub(super) fn has_sign(&self) -> bool {
        matches!(
            self.kind,
            WireKind::Tiny
                | WireKind::Short
                | WireKind::Int24
                | WireKind::Long
                | WireKind::LongLong
                | WireKind::Float
                | WireKind::Double
                | WireKind::Decimal { .. }
                | WireKind::Year
        )
    }
}

/// `MYSQL_TYPE_STRING` hides its real type and the upper two bits of its length in one byte.
fn string(first: u8, second: u8) -> Result<WireKind, DecodeError> {
    let (real, max) = if first & 0x30 == 0x30 {
        (first, u16::from(second))
    } else {
        let upper = u16::from((first & 0x30) ^ 0x30) << 4;
        (first | 0x30, upper | u16::from(second))
    };
    match real {
        247 => Ok(WireKind::Enum { width: within(second, 1..=2, "ENUM length")? }),
        248 => Ok(WireKind::Set { width: within(second, 1..=8, "SET length")? }),
        253 | 254 => Ok(WireKind::String { max }),
        code => Err(DecodeError::UnknownColumnType { code }),
    }
}

fn fraction_digits(fsp: u8) -> Result<u8, DecodeError> {
    within(fsp, 0..=6, "number of fraction digits")
}

fn fraction_length(fsp: u8) -> usize {
    usize::from(fsp.div_ceil(2))
}

fn within<T: PartialOrd>(
    value: T,
    range: std::ops::RangeInclusive<T>,
    what: &'static str,
) -> Result<T, DecodeError> {
    if range.contains(&value) { Ok(value) } else { Err(DecodeError::Malformed { what }) }
}
