use bumpalo::Bump;

use super::ValueError;
use super::short_text::{Fraction, ShortText};
use super::temporal::{DAY_MICROS, Date, DateTime};
use crate::config::{DecodeConfig, FailureHandling};
use crate::connect::{Schema, SchemaType, Value, logical};

/// How a DATE is written (`time.precision.mode`).
#[derive(Clone, Copy, Debug)]
pub(super) enum DateForm {
    EpochDays,
    Connect,
    Iso,
}

/// How a TIME is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum TimeForm {
    Micros,
    Nanos,
    Connect,
    Iso,
}

/// How a DATETIME is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum DateTimeForm {
    Millis,
    Micros,
    Nanos,
    Connect,
    Iso,
}

/// What bends values on their way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// `enable.time.adjuster`.
    pub(super) adjust_years: bool,
    /// A date that no calendar has becomes the epoch: `event.processing.failure.handling.mode` is not `fail`.
    pub(super) invalid_date_is_epoch: bool,
    /// In a snapshot fraction digits of a ZonedTimestamp are trimmed, and a TINYINT UNSIGNED that a converter makes
    /// a boolean is not taken for a signed one.
    pub(super) of_snapshot: bool,
}

impl Rules {
    pub(super) fn of_rows(config: &DecodeConfig) -> Self {
        Self {
            adjust_years: config.time_adjuster,
            invalid_date_is_epoch: config.processing_failure != FailureHandling::Fail,
            of_snapshot: false,
        }
    }
}

impl DateForm {
    pub(super) fn schema(self) -> Schema {
        match self {
            Self::EpochDays => Schema::new(SchemaType::Int32).named(logical::DATE),
            Self::Connect => Schema::new(SchemaType::Int32).named(logical::CONNECT_DATE),
            Self::Iso => Schema::new(SchemaType::String).named(logical::ISO_DATE),
        }
    }

    pub(super) fn value<'a>(
        self,
        date: Date,
        rules: Rules,
        arena: &'a Bump,
    ) -> Result<Value<'a>, ValueError> {
        if date.has_zero_part() {
            return Ok(Value::Null);
        }
        let mut date = if rules.adjust_years { date.adjusted() } else { date };
        let days = match date.epoch_days() {
            Err(_) if rules.invalid_date_is_epoch => {
                date = Date { year: 1970, month: 1, day: 1 };
                0
            }
            days => days?,
        };
        Ok(match self {
            Self::EpochDays | Self::Connect => Value::Int32(days),
            Self::Iso => {
                let mut text = ShortText::new();
                Value::String(arena.alloc_str(text.date(date).push(b'Z').as_str()))
            }
        })
    }
}

impl TimeForm {
    pub(super) fn schema(self) -> Schema {
        match self {
            Self::Micros => Schema::new(SchemaType::Int64).named(logical::MICRO_TIME),
            Self::Nanos => Schema::new(SchemaType::Int64).named(logical::NANO_TIME),
            Self::Connect => Schema::new(SchemaType::Int32).named(logical::CONNECT_TIME),
            Self::Iso => Schema::new(SchemaType::String).named(logical::ISO_TIME),
        }
    }

    pub(super) fn value<'a>(self, micros: i64, arena: &'a Bump) -> Result<Value<'a>, ValueError> {
        let of_day = || match micros {
            0..=DAY_MICROS => Ok(micros),
            _ => Err(ValueError::OutOfRange("a TIME outside of a day")),
        };
        Ok(match self {
            Self::Micros => Value::Int64(micros),
            Self::Nanos => Value::Int64(micros * 1000),
            Self::Connect => Value::Int32(i32::try_from(of_day()? / 1000).unwrap_or_default()),
            Self::Iso => {
                let mut text = ShortText::new();
                text.time(of_day()? % DAY_MICROS, Fraction::Trimmed).push(b'Z');
                Value::String(arena.alloc_str(text.as_str()))
            }
        })
    }
}

impl DateTimeForm {
    pub(super) fn schema(self) -> Schema {
        match self {
            Self::Millis => Schema::new(SchemaType::Int64).named(logical::TIMESTAMP),
            Self::Micros => Schema::new(SchemaType::Int64).named(logical::MICRO_TIMESTAMP),
            Self::Nanos => Schema::new(SchemaType::Int64).named(logical::NANO_TIMESTAMP),
            Self::Connect => Schema::new(SchemaType::Int64).named(logical::CONNECT_TIMESTAMP),
            Self::Iso => Schema::new(SchemaType::String).named(logical::ISO_TIMESTAMP),
        }
    }

    pub(super) fn value<'a>(
        self,
        moment: DateTime,
        rules: Rules,
        arena: &'a Bump,
    ) -> Result<Value<'a>, ValueError> {
        if moment.date.has_zero_part() {
            return Ok(Value::Null);
        }
        let date = if rules.adjust_years { moment.date.adjusted() } else { moment.date };
        let mut moment = DateTime { date, ..moment };
        let micros = match moment.epoch_micros() {
            Err(_) if rules.invalid_date_is_epoch => {
                moment = DateTime::of_epoch_micros(0);
                0
            }
            micros => micros?,
        };
        Ok(match self {
            Self::Millis | Self::Connect => Value::Int64(micros.div_euclid(1000)),
            Self::Micros => Value::Int64(micros),
            Self::Nanos => {
                let nanos = micros.checked_mul(1000);
                let range = ValueError::OutOfRange("a DATETIME beyond 64 bits of nanoseconds");
                Value::Int64(nanos.ok_or(range)?)
            }
            Self::Iso => iso_moment(moment, Fraction::Trimmed, arena),
        })
    }
}

/// `yyyy-MM-ddTHH:mm:ss`, the fraction, `Z`.
pub(super) fn iso_moment<'a>(moment: DateTime, fraction: Fraction, arena: &'a Bump) -> Value<'a> {
    let mut text = ShortText::new();
    text.datetime(moment, b'T', fraction).push(b'Z');
    Value::String(arena.alloc_str(text.as_str()))
}
