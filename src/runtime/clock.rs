use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Seconds since the epoch, with their fraction.
pub(super) fn now_s() -> f64 {
    now().as_secs_f64()
}

/// Milliseconds since the epoch.
pub(super) fn now_ms() -> i64 {
    i64::try_from(now().as_millis()).unwrap_or(i64::MAX)
}

/// Microseconds since the epoch.
pub(super) fn now_us() -> u64 {
    u64::try_from(now().as_micros()).unwrap_or(u64::MAX)
}

/// Nanoseconds since the epoch.
pub(super) fn now_ns() -> i64 {
    i64::try_from(now().as_nanos()).unwrap_or(i64::MAX)
}
