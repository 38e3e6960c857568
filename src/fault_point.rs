//! Places at which a test lets the process die as `kill -9` would, or stop as it is told to, so that each step of send,
//! acknowledgement and checkpoint is seen to survive it. They are in debug builds only; a release has none.

/// The variable that names a place and at which of its passes to die: `acknowledged:100`. With `:stop` behind it the
/// process is sent SIGTERM instead, and the thread goes on when that was seen.
#[cfg(debug_assertions)]
const VARIABLE: &str = "OUTFLOW_TEST_FAULT_POINT";

/// Until a signal has been seen by the thread that waits for it.
#[cfg(debug_assertions)]
const SEEN: std::time::Duration = std::time::Duration::from_secs(1);

/// Dies or stops here if the environment says so.
#[cfg(debug_assertions)]
pub(crate) fn fault_point(place: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static WANTED: OnceLock<Option<(String, AtomicU64, bool)>> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var(VARIABLE).ok()?;
        let (place, pass) = text.split_once(':')?;
        let (pass, stops) = pass.strip_suffix(":stop").map_or((pass, false), |pass| (pass, true));
        Some((place.to_owned(), AtomicU64::new(pass.parse().ok()?), stops))
    });
    if let Some((_, passes, stops)) = wanted.as_ref().filter(|(name, ..)| name == place)
        && passes.fetch_sub(1, Ordering::SeqCst) == 1
    {
        if !stops {
            std::process::abort();
        }
        let id = std::process::id().to_string();
        let sent = std::process::Command::new("kill").args(["-TERM", &id]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill -TERM {id}");
        std::thread::sleep(SEEN);
    }
}

/// Nothing, in a release.
#[cfg(not(debug_assertions))]
#[inline]
pub(crate) fn fault_point(_place: &str) {}
