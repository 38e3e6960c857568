use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// The first pause.
const FIRST_MS: u64 = 100;
/// The longest pause: a server that is back is found within this time.
const LONGEST_MS: u64 = 5_000;

/// Doubling pauses with jitter, so that many connectors do not knock at once.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Forgets earlier failures.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }

    /// The next pause: between half and the whole of a doubling time.
    pub(super) fn next_pause(&mut self) -> Duration {
        let whole = (FIRST_MS << self.failures.min(16)).min(LONGEST_MS);
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
        let mut backoff = Backoff::default();
        for _ in 0..40 {
            let pause = backoff.next_pause();
            assert!(pause <= Duration::from_millis(LONGEST_MS));
        }
        assert!(backoff.next_pause() >= Duration::from_millis(LONGEST_MS / 2));
        backoff.reset();
        assert!(backoff.next_pause() <= Duration::from_millis(FIRST_MS));
    }
}
