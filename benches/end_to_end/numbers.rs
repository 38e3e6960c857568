use std::fmt;
use std::time::Duration;

/// Least, middle and greatest of some runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
}

impl Spread {
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let middle = values.get(values.len() / 2)?;
        let median = match values.get(values.len().checked_sub(1)? / 2) {
            Some(lower) => f64::midpoint(*lower, *middle),
            None => *middle,
        };
        Some(Self { min: *values.first()?, median, max: *values.last()? })
    }
}

/// The median, and how far the runs lie apart.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min == self.max {
            return write!(f, "{}", short(self.median));
        }
        write!(f, "{} [{} … {}]", short(self.median), short(self.min), short(self.max))
    }
}

/// A number with about three digits.
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 9_999.5 => whole(value),
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A number without fraction.
pub(crate) fn whole(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Of sorted values the one that so many of a thousand do not exceed.
pub(crate) fn percentile(sorted: &[Duration], permille: usize) -> Option<Duration> {
    let rank = (sorted.len() * permille).div_ceil(1000);
    sorted.get(rank.saturating_sub(1)).copied()
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub(crate) fn megabytes(kib: u64) -> f64 {
    count(kib) * 1024.0 / 1e6
}

/// A count, none of which comes near 2^53 here.
pub(crate) fn count(count: u64) -> f64 {
    count as f64
}
