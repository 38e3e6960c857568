//! Places at which a test lets the process die as `kill -9` would, so that each step of send, acknowledgement and
//! checkpoint is seen to survive it. They are in debug builds only; a release has none.

/// The variable that names a place and at which of its passes to die: `acknowledged:100`.
#[cfg(debug_assertions)]
const VARIABLE: &str = "OUTFLOW_TEST_FAULT_POINT";

/// Dies here if the environment says so.
#[cfg(debug_assertions)]
pub(crate) fn fault_point(place: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static WANTED: OnceLock<Option<(String, AtomicU64)>> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var(VARIABLE).ok()?;
        let (place, pass) = text.split_once(':')?;
        Some((place.to_owned(), AtomicU64::new(pass.parse().ok()?)))
    });
    if let Some((_, passes)) = wanted.as_ref().filter(|(name, _)| name == place)
        && passes.fetch_sub(1, Ordering::SeqCst) == 1
    {
        std::process::abort();
    }
}

/// Nothing, in a release.
#[cfg(not(debug_assertions))]
#[inline]
pub(crate) fn fault_point(_place: &str) {}
