use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::metrics::ConnectorMetrics;

/// The longest that a live connector may go without a sign of life.
const PROGRESS_MAX: Duration = Duration::from_secs(60);

/// What a connector is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectorState {
    /// Checking the servers, or waiting to try again after a fault; the text says which.
    Starting(String),
    /// Reading the rows that were already there.
    Snapshot,
    /// Reading the log.
    Streaming,
    /// Stopped on request.
    Stopped,
    /// Stopped by a fault that a person must mend.
    Failed(String),
}

/// A connector as others may look at it.
pub struct ConnectorStatus {
    /// The connector's name.
    pub name: String,
    started: Instant,
    progress_ms: AtomicU64,
    state: Mutex<ConnectorState>,
    stalled: AtomicBool,
    metrics: ConnectorMetrics,
}

impl ConnectorStatus {
    /// A connector that is about to start.
    #[must_use]
    pub fn new(name: &str, metrics: ConnectorMetrics) -> Self {
        Self {
            name: name.to_owned(),
            started: Instant::now(),
            progress_ms: AtomicU64::new(0),
            state: Mutex::new(ConnectorState::Starting("starting".into())),
            stalled: AtomicBool::new(false),
            metrics,
        }
    }

    /// What it is doing.
    #[must_use]
    pub fn state(&self) -> ConnectorState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what it is doing.
    pub fn enter(&self, state: ConnectorState) {
        let live = matches!(state, ConnectorState::Snapshot | ConnectorState::Streaming);
        self.metrics.running.set(i64::from(live));
        self.metrics.connected.set(i64::from(live));
        self.metrics.failed_state.set(i64::from(matches!(state, ConnectorState::Failed(_))));
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        self.tick();
    }

    /// Whether every broker is known to be away.
    #[must_use]
    pub fn brokers_are_away(&self) -> bool {
        self.metrics.kafka_connected.get() == 0
    }

    /// Whether Kafka takes no records, although there are some.
    #[must_use]
    pub fn is_stalled(&self) -> bool {
        self.stalled.load(Ordering::Relaxed)
    }

    /// Notes whether Kafka takes records.
    pub fn set_stalled(&self, stalled: bool) {
        self.stalled.store(stalled, Ordering::Relaxed);
    }

    /// Notes how many records are sent and not acknowledged.
    pub fn set_in_flight(&self, records: u64) {
        self.metrics.in_flight.set(i64::try_from(records).unwrap_or(i64::MAX));
    }

    /// A sign of life.
    pub fn tick(&self) {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.progress_ms.store(elapsed, Ordering::Relaxed);
    }

    /// Whether its loop moves, whatever the servers do.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        if matches!(self.state(), ConnectorState::Stopped | ConnectorState::Failed(_)) {
            return true;
        }
        let last = Duration::from_millis(self.progress_ms.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(last) < PROGRESS_MAX
    }
}
