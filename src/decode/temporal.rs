use super::ValueError;
use super::reader::{big_endian, little_endian};

/// Microseconds of a day.
pub(super) const DAY_MICROS: i64 = 86_400_000_000;

/// A date as MySQL stores it: any part may be zero, and lenient modes let the 31st of February in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: u16,
    pub(super) month: u8,
    pub(super) day: u8,
}

/// A date and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DateTime {
    pub(super) date: Date,
    pub(super) hour: u8,
    pub(super) minute: u8,
    pub(super) second: u8,
    pub(super) micros: u32,
}

impl Date {
    /// Whether Debezium takes it for NULL.
    pub(super) fn has_zero_part(self) -> bool {
        self.year == 0 || self.month == 0 || self.day == 0
    }

    /// `enable.time.adjuster`: years of two digits are meant for 1970 to 2069.
    pub(super) fn adjusted(self) -> Self {
        Self { year: adjusted_year(self.year), ..self }
    }

    /// Days since the epoch.
    pub(super) fn epoch_days(self) -> Result<i32, ValueError> {
        let leap = self.year.is_multiple_of(4)
            && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        let last = match self.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 0,
        };
        if self.day == 0 || self.day > last {
            return Err(ValueError::InvalidDate);
        }
        // Years counted from March, so that the leap day is a year's last; eras of 400 years.
        let (month, day) = (i32::from(self.month), i32::from(self.day));
        let year = i32::from(self.year) - i32::from(month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Ok(era * 146_097 + day_of_era - 719_468)
    }

    /// The date so many days after the epoch; years beyond four digits do not occur.
    fn of_epoch_days(days: i64) -> Self {
        let days = days + 719_468;
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + days.div_euclid(146_097) * 400 + i64::from(month <= 2);
        Self {
            year: u16::try_from(year).unwrap_or_default(),
            month: u8::try_from(month).unwrap_or_default(),
            day: u8::try_from(day_of_year - (153 * shifted + 2) / 5 + 1).unwrap_or_default(),
        }
    }
}

/// `enable.time.adjuster` for a year.
pub(super) fn adjusted_year(year: u16) -> u16 {
    match year {
        0..=69 => year + 2000,
        70..=99 => year + 1900,
        _ => year,
    }
}

impl DateTime {
    /// Microseconds since the epoch, as if the value were UTC.
    pub(super) fn epoch_micros(self) -> Result<i64, ValueError> {
        let days = i64::from(self.date.epoch_days()?);
        if self.hour > 23 || self.minute > 59 || self.second > 59 || self.micros > 999_999 {
            return Err(ValueError::InvalidDate);
        }
        let seconds =
            (i64::from(self.hour) * 60 + i64::from(self.minute)) * 60 + i64::from(self.second);
        Ok(days * DAY_MICROS + seconds * 1_000_000 + i64::from(self.micros))
    }

    /// The moment so many microseconds after the epoch.
    pub(super) fn of_epoch_micros(micros: i64) -> Self {
        let part = |value: i64| u8::try_from(value).unwrap_or_default();
        let of_day = micros.rem_euclid(DAY_MICROS);
        let seconds = of_day / 1_000_000;
        Self {
            date: Date::of_epoch_days(micros.div_euclid(DAY_MICROS)),
            hour: part(seconds / 3600),
            minute: part(seconds / 60 % 60),
            second: part(seconds % 60),
            micros: u32::try_from(of_day % 1_000_000).unwrap_or_default(),
        }
    }

    /// The value that MySQL packs into 40 bits and a fraction.
    fn of_packed(whole: u64, micros: u32) -> Self {
        let part =
            |value: u64, bits: u32| u8::try_from(value & ((1 << bits) - 1)).unwrap_or_default();
        let months = whole >> 22;
        Self {
            date: Date {
                year: u16::try_from(months / 13).unwrap_or_default(),
                month: u8::try_from(months % 13).unwrap_or_default(),
                day: part(whole >> 17, 5),
            },
            hour: part(whole >> 12, 5),
            minute: part(whole >> 6, 6),
            second: part(whole, 6),
            micros,
        }
    }

    /// DATE, DATETIME and TIMESTAMP inside JSON: 24 bits of microseconds below the packed value.
    pub(super) fn of_json(packed: i64) -> Self {
        let packed = packed.unsigned_abs();
        Self::of_packed(packed >> 24, u32::try_from(packed & 0xFF_FFFF).unwrap_or_default())
    }
}

/// DATE: three bytes, least significant first, of 15, 4 and 5 bits.
pub(super) fn date(bytes: &[u8]) -> Date {
    let packed = little_endian(bytes);
    Date {
        year: u16::try_from(packed >> 9).unwrap_or_default(),
        month: u8::try_from(packed >> 5 & 0xF).unwrap_or_default(),
        day: u8::try_from(packed & 0x1F).unwrap_or_default(),
    }
}

/// The fraction behind a DATETIME or TIMESTAMP, in microseconds.
fn fraction(bytes: &[u8]) -> u32 {
    let value = u32::try_from(big_endian(bytes)).unwrap_or_default();
    match bytes.len() {
        1 => value * 10_000,
        2 => value * 100,
        _ => value,
    }
}

/// DATETIME(n): five bytes, most significant first, offset by 2^39, then the fraction.
pub(super) fn datetime(bytes: &[u8]) -> Result<DateTime, ValueError> {
    let (whole, rest) = bytes.split_at_checked(5).ok_or(ValueError::Truncated)?;
    let packed = big_endian(whole).checked_sub(0x80_0000_0000);
    // Dates before the year zero do not exist in MySQL.
    Ok(DateTime::of_packed(packed.ok_or(ValueError::Malformed("DATETIME"))?, fraction(rest)))
}

/// TIMESTAMP(n): seconds, most significant byte first, then the fraction; microseconds since the epoch.
pub(super) fn timestamp(bytes: &[u8]) -> Result<i64, ValueError> {
    let (seconds, rest) = bytes.split_first_chunk().ok_or(ValueError::Truncated)?;
    Ok(i64::from(u32::from_be_bytes(*seconds)) * 1_000_000 + i64::from(fraction(rest)))
}

/// TIME(n): a signed number of 24 bits, offset by 2^23, whose fraction is part of the same two's complement.
pub(super) fn time(bytes: &[u8]) -> Result<i64, ValueError> {
    let width = bytes.len();
    let (scale, bits) = match width {
        3 => (1, 0),
        4 => (10_000, 8),
        5 => (100, 16),
        6 => (1, 24),
        _ => return Err(ValueError::Malformed("TIME")),
    };
    let value = i64::try_from(big_endian(bytes)).map_err(|_| ValueError::Malformed("TIME"))?;
    let value = value - (1 << (23 + bits));
    let magnitude = value.abs();
    let micros = (magnitude & ((1 << bits) - 1)) * scale;
    Ok(signed_time(magnitude >> bits, micros, value < 0))
}

/// TIME inside JSON: the packed value with 24 bits of microseconds.
pub(super) fn json_time(packed: i64) -> i64 {
    let magnitude = packed.checked_abs().unwrap_or_default();
    signed_time(magnitude >> 24 & 0xFF_FFFF, magnitude & 0xFF_FFFF, packed < 0)
}

/// Ten bits of hours, six of minutes, six of seconds.
fn signed_time(hms: i64, micros: i64, negative: bool) -> i64 {
    let seconds = (hms >> 12 & 0x3FF) * 3600 + (hms >> 6 & 0x3F) * 60 + (hms & 0x3F);
    let total = seconds * 1_000_000 + micros;
    if negative { -total } else { total }
}

/// DATETIME before 5.6.4: the decimal number YYYYMMDDhhmmss.
pub(super) fn old_datetime(bytes: &[u8]) -> Result<DateTime, ValueError> {
    let number = little_endian(bytes);
    let part = |divisor: u64| u8::try_from(number / divisor % 100).unwrap_or_default();
    let year = u16::try_from(number / 10_000_000_000);
    Ok(DateTime {
        date: Date {
            year: year.map_err(|_| ValueError::Malformed("DATETIME"))?,
            month: part(100_000_000),
            day: part(1_000_000),
        },
        hour: part(10_000),
        minute: part(100),
        second: part(1),
        micros: 0,
    })
}

/// TIME before 5.6.4: the signed decimal number hhhmmss in three bytes.
pub(super) fn old_time(bytes: &[u8]) -> Result<i64, ValueError> {
    let raw = i64::try_from(little_endian(bytes)).map_err(|_| ValueError::Malformed("TIME"))?;
    let value = if raw & 0x80_0000 == 0 { raw } else { raw - 0x100_0000 };
    let number = value.abs();
    let seconds = number / 10_000 * 3600 + number / 100 % 100 * 60 + number % 100;
    Ok(seconds * 1_000_000 * value.signum())
}

/// `YYYY-MM-DD`.
pub(super) fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.splitn(3, '-');
    let date = Date {
        year: parts.next()?.parse().ok()?,
        month: parts.next()?.parse().ok()?,
        day: parts.next()?.parse().ok()?,
    };
    Some(date)
}

/// `YYYY-MM-DD hh:mm:ss[.ffffff]`, or a date alone.
pub(super) fn parse_datetime(text: &str) -> Option<DateTime> {
    let (date, time) = text.split_once([' ', 'T']).unwrap_or((text, "00:00:00"));
    let time = parse_time(time)?;
    let part = |value: i64| u8::try_from(value).ok();
    let seconds = time / 1_000_000;
    Some(DateTime {
        date: parse_date(date)?,
        hour: part(seconds / 3600)?,
        minute: part(seconds / 60 % 60)?,
        second: part(seconds % 60)?,
        micros: u32::try_from(time % 1_000_000).ok()?,
    })
}

/// `[-]hhh:mm:ss[.ffffff]` in microseconds.
pub(super) fn parse_time(text: &str) -> Option<i64> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.splitn(3, ':').map(|part| part.parse::<u16>().ok().map(i64::from));
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let mut micros = 0;
    for place in 0..6 {
        let digit = fraction
            .as_bytes()
            .get(place)
            .map_or(Some(0), |byte| byte.is_ascii_digit().then(|| i64::from(byte - b'0')))?;
        micros = micros * 10 + digit;
    }
    Some(sign * (((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let days = |year, month, day| Date { year, month, day }.epoch_days();
        assert_eq!(days(1970, 1, 1), Ok(0));
        assert_eq!(days(2024, 2, 29), Ok(19_782));
        assert_eq!(days(1000, 1, 1), Ok(-354_285));
        assert_eq!(days(9999, 12, 31), Ok(2_932_896));
        assert_eq!(days(2023, 2, 29), Err(ValueError::InvalidDate));
        assert_eq!(days(1900, 2, 29), Err(ValueError::InvalidDate));
        assert_eq!(days(2023, 13, 1), Err(ValueError::InvalidDate));
    }

    #[test]
    fn moments_come_back_from_their_microseconds() {
        for micros in
            [0, -1, 1, 1_704_164_645_678_912, 253_402_300_799_999_999, -30_610_224_000_000_000]
        {
            assert_eq!(DateTime::of_epoch_micros(micros).epoch_micros(), Ok(micros));
        }
    }

    #[test]
    fn negative_times_keep_their_fraction() {
        // -01:02:03.5 at every precision, as MySQL 9.7 writes it.
        let expected = -3_723_500_000;
        assert_eq!(time(&[0x7F, 0xEF, 0x7C, 0xCE]), Ok(expected));
        assert_eq!(time(&[0x7F, 0xEF, 0x7C, 0xEC, 0x78]), Ok(expected));
        assert_eq!(time(&[0x7F, 0xEF, 0x7C, 0xF8, 0x5E, 0xE0]), Ok(expected));
        assert_eq!(time(&[0x7F, 0xEF, 0x7D]), Ok(-3_723_000_000));
        assert_eq!(time(&[0xB4, 0x6E, 0xFB]), Ok(3_020_399_000_000));
    }

    #[test]
    fn texts_are_parsed() {
        assert_eq!(parse_time("-01:02:03.5"), Some(-3_723_500_000));
        assert_eq!(parse_time("838:59:59"), Some(3_020_399_000_000));
        assert_eq!(parse_time("1:2"), None);
        let moment = parse_datetime("2024-01-02 03:04:05.678912").unwrap();
        assert_eq!(moment.epoch_micros(), Ok(1_704_164_645_678_912));
        assert_eq!(parse_datetime("now"), None);
    }
}
