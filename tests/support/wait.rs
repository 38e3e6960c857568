use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Between looks at a condition.
const LOOK: Duration = Duration::from_millis(10);

/// Waits for a condition.
#[track_caller]
pub(crate) fn until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    until_some(what, limit, || holds().then_some(()));
}

/// Waits for a value.
#[track_caller]
pub(crate) fn until_some<T>(what: &str, limit: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(value) = look() {
            return value;
        }
        assert!(Instant::now() < deadline, "waited {} s in vain for {what}", limit.as_secs());
        std::thread::sleep(LOOK);
    }
}

/// Now, in milliseconds since the epoch.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}
