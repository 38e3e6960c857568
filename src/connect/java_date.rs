//! The text that Java gives to dates, in UTC.

use bumpalo::collections::Vec as ArenaVec;

use super::java_number::write_integer;
use super::{Schema, Value, logical};

const DAY_MS: i64 = 86_400_000;

/// The first day of the Gregorian calendar, 1582-10-15, in days since the epoch: Java's calendar is Julian
/// before it.
const GREGORIAN_START: i64 = -141_427;

/// The instant that a value of one of Connect's date types stands for: Java holds a `java.util.Date`.
pub(crate) fn instant_ms(schema: Option<&Schema>, value: &Value<'_>) -> Option<i64> {
    let name = schema?.name.as_deref()?;
    match value {
        Value::Int32(days) if name == logical::CONNECT_DATE => Some(i64::from(*days) * DAY_MS),
        Value::Int32(ms) if name == logical::CONNECT_TIME => Some(i64::from(*ms)),
        Value::Int64(ms) if name == logical::CONNECT_TIMESTAMP => Some(*ms),
        _ => None,
    }
}

struct Civil {
    year: i64,
    month: i64,
    day: i64,
    /// 0 is Sunday.
    weekday: i64,
    /// Milliseconds since midnight.
    time_ms: i64,
}

impl Civil {
    fn at(ms: i64) -> Self {
        let days = ms.div_euclid(DAY_MS);
        let (year, month, day) =
            if days >= GREGORIAN_START { gregorian(days) } else { julian(days) };
        // The year before year 1 is year 1 of the era before.
        let year = if year > 0 { year } else { 1 - year };
        let weekday = (days + 4).rem_euclid(7);
        Self { year, month, day, weekday, time_ms: ms.rem_euclid(DAY_MS) }
    }
}

/// Year, month and day of a day counted from 1970-01-01, by counting years from March.
pub(crate) fn gregorian(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    from_march(year_of_era + era * 400, of_year)
}

fn julian(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_470;
    let era = shifted.div_euclid(1461);
    let of_era = shifted.rem_euclid(1461);
    let year_of_era = (of_era - of_era / 1460) / 365;
    from_march(year_of_era + era * 4, of_era - 365 * year_of_era)
}

fn from_march(year: i64, of_year: i64) -> (i64, i64, i64) {
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + i64::from(month <= 2), month, day)
}

/// Appends `java.util.Date.toString` in UTC: `Thu Feb 29 12:34:56 UTC 2024`.
pub(crate) fn write_date_text(ms: i64, out: &mut ArenaVec<'_, u8>) {
    const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let name = |names: &[&'static str], index: i64| {
        usize::try_from(index).ok().and_then(|index| names.get(index).copied()).unwrap_or("")
    };
    let civil = Civil::at(ms);
    out.extend_from_slice_copy(name(&WEEKDAYS, civil.weekday).as_bytes());
    out.push(b' ');
    out.extend_from_slice_copy(name(&MONTHS, civil.month - 1).as_bytes());
    out.push(b' ');
    padded(civil.day, 2, out);
    out.push(b' ');
    write_time(civil.time_ms, out);
    out.extend_from_slice_copy(b" UTC ");
    write_integer(civil.year, out);
}

/// Appends what `SimpleHeaderConverter` makes of a date: a time on the first day, a bare date at midnight,
/// otherwise both.
pub(crate) fn write_header_date(ms: i64, out: &mut ArenaVec<'_, u8>) {
    let civil = Civil::at(ms);
    if ms >= DAY_MS {
        padded(civil.year, 4, out);
        out.push(b'-');
        padded(civil.month, 2, out);
        out.push(b'-');
        padded(civil.day, 2, out);
        if ms % DAY_MS == 0 {
            return;
        }
        out.push(b'T');
    }
    write_time(civil.time_ms, out);
    out.push(b'.');
    padded(civil.time_ms % 1000, 3, out);
    out.push(b'Z');
}

fn write_time(time_ms: i64, out: &mut ArenaVec<'_, u8>) {
    let seconds = time_ms / 1000;
    padded(seconds / 3600, 2, out);
    out.push(b':');
    padded(seconds / 60 % 60, 2, out);
    out.push(b':');
    padded(seconds % 60, 2, out);
}

/// Appends a number that is not negative with leading zeros up to `width` digits.
fn padded(value: i64, width: u32, out: &mut ArenaVec<'_, u8>) {
    for digits in (1..width).rev() {
        if value < 10i64.pow(digits) {
            out.push(b'0');
        }
    }
    write_integer(value, out);
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;

    fn text(write: impl FnOnce(&mut ArenaVec<'_, u8>)) -> String {
        let arena = Bump::new();
        let mut out = ArenaVec::new_in(&arena);
        write(&mut out);
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn dates_print_as_java_prints_them() {
        for (ms, expected) in [
            (1_709_210_096_000, "Thu Feb 29 12:34:56 UTC 2024"),
            (0, "Thu Jan 01 00:00:00 UTC 1970"),
            (-1, "Wed Dec 31 23:59:59 UTC 1969"),
            (GREGORIAN_START * DAY_MS, "Fri Oct 15 00:00:00 UTC 1582"),
            ((GREGORIAN_START - 1) * DAY_MS, "Thu Oct 04 00:00:00 UTC 1582"),
            (-354_285 * DAY_MS, "Wed Dec 27 00:00:00 UTC 999"),
        ] {
            assert_eq!(text(|out| write_date_text(ms, out)), expected);
        }
    }

    #[test]
    fn header_dates_depend_on_the_value_alone() {
        for (ms, expected) in [
            (1_709_210_096_000, "2024-02-29T12:34:56.000Z"),
            (1_709_164_800_000, "2024-02-29"),
            (86_399_999, "23:59:59.999Z"),
            (86_400_000, "1970-01-02"),
            (0, "00:00:00.000Z"),
            (-1, "23:59:59.999Z"),
        ] {
            assert_eq!(text(|out| write_header_date(ms, out)), expected);
        }
    }
}
