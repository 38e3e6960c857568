use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// The first pause.
const FIRST_MS: u64 = 100;
/// The longest pause: a server that is back is found within this time.
const LONGEST_MS: u64 = 5_000;

/// Doubling pauses with jitter, so that many connectors do not knock at once.
#[derive(Debug)]
pub(super) struct Backoff {
    failures: u32,
    longest_ms: u64,
}

impl Backoff {
    /// Pauses no longer than `longest`, nor than what a server's return calls for.
    pub(super) fn new(longest: Duration) -> Self {
        let longest_ms = u64::try_from(longest.as_millis()).unwrap_or(LONGEST_MS);
        Self { failures: 0, longest_ms: longest_ms.clamp(1, LONGEST_MS) }
    }

    /// Failures in a row.
    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// Forgets earlier failures.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }

    /// The next pause: between half and the whole of a doubling time.
    pub(super) fn next_pause(&mut self) -> Duration {
        let whole = (FIRST_MS << self.failures.min(16)).min(self.longest_ms);
        self.failures = self.failures.saturating_add(1);
        let jitter = RandomState::new().hash_one(self.failures) % (whole / 2 + 1);
        Duration::from_millis(whole / 2 + jitter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest_and_start_again_after_a_reset() {
        let mut backoff = Backoff::new(Duration::MAX);
        for _ in 0..40 {
            let pause = backoff.next_pause();
            assert!(pause <= Duration::from_millis(LONGEST_MS));
        }
        assert!(backoff.next_pause() >= Duration::from_millis(LONGEST_MS / 2));
        backoff.reset();
        assert!(backoff.next_pause() <= Duration::from_millis(FIRST_MS));
    }
}
