use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Asks everything that holds a copy to stop.
#[derive(Clone, Default)]
pub struct Stop {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    requested: AtomicBool,
    since: OnceLock<Instant>,
    lock: Mutex<()>,
    woken: Condvar,
}

impl Stop {
    /// Asks.
    pub fn request(&self) {
        let _guard = self.inner.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.inner.since.get_or_init(Instant::now);
        self.inner.requested.store(true, Ordering::Release);
        self.inner.woken.notify_all();
    }

    /// Whether anyone has asked.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.inner.requested.load(Ordering::Relaxed)
    }

    /// How long ago that was.
    #[must_use]
    pub fn since(&self) -> Option<Duration> {
        self.inner.since.get().map(Instant::elapsed)
    }

    /// Sleeps, unless or until a stop is requested; whether it is.
    pub fn sleep(&self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        let mut guard = self.inner.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.requested() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let woken = self.inner.woken.wait_timeout(guard, left);
            guard = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}
