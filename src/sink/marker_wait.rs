use std::time::{Duration, Instant};

/// After so long librdkafka asks again where the coordinator is still ending the transaction before.
const ASKS_AGAIN: Duration = Duration::from_millis(20);
/// A transaction that is committed so soon after its beginning would wait for that, and a longer one hides it.
const SHORT: Duration = Duration::from_millis(10);
const BEGINNING: Duration = Duration::from_millis(3);
const MAX: Duration = Duration::from_millis(10);
/// What a beginning too early adds, and any other takes off: one in a hundred is too early.
const MORE: Duration = Duration::from_millis(1);
const LESS: Duration = Duration::from_micros(10);

/// How long the beginning of a transaction is put off behind a commit. That is answered before the markers of its end
/// are written to all partitions; a transaction that begins meanwhile is refused and tried again much later. How long
/// they take is learnt from what happens.
pub(super) struct MarkerWait {
    wait: Duration,
    /// When the last short transaction was committed.
    committed: Option<Instant>,
}

impl MarkerWait {
    pub(super) fn new() -> Self {
        Self { wait: BEGINNING, committed: None }
    }

    /// What is left to wait before the next transaction begins.
    pub(super) fn left(&self) -> Duration {
        self.committed.map_or(Duration::ZERO, |at| self.wait.saturating_sub(at.elapsed()))
    }

    /// Learns from a transaction that was open for `open` when its commit began, and `sent` when all of it had arrived.
    pub(super) fn learn(&mut self, open: Duration, sent: Duration) {
        self.committed = None;
        if open < SHORT {
            self.wait = match sent < ASKS_AGAIN {
                true => self.wait.saturating_sub(LESS),
                false => MAX.min(self.wait + MORE),
            };
            self.committed = Some(Instant::now());
        }
    }

    /// The transaction has been committed.
    pub(super) fn committed(&mut self) {
        self.committed = self.committed.map(|_| Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn it_waits_longer_behind_a_refusal_and_less_behind_others() {
        let mut wait = MarkerWait::new();
        assert_eq!(wait.left(), Duration::ZERO);
        wait.learn(MS, 25 * MS);
        assert_eq!(wait.wait, BEGINNING + MORE);
        wait.learn(MS, 2 * MS);
        assert_eq!(wait.wait, BEGINNING + MORE - LESS);
        for _ in 0..20 {
            wait.learn(MS, 25 * MS);
        }
        assert_eq!(wait.wait, MAX);
        for _ in 0..2_000 {
            wait.learn(MS, 2 * MS);
        }
        assert_eq!(wait.wait, Duration::ZERO);
    }

    #[test]
    fn behind_a_long_transaction_it_does_not_wait() {
        let mut wait = MarkerWait::new();
        wait.learn(SHORT, 100 * MS);
        wait.committed();
        assert_eq!((wait.left(), wait.wait), (Duration::ZERO, BEGINNING));
        wait.wait = Duration::from_secs(1_000);
        wait.committed = Some(Instant::now());
        assert!(wait.left() > Duration::ZERO);
    }
}
