use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tracing::{debug, error};

use super::Stop;
use super::clock::now_s;
use crate::checkpoint::{InFlight, Store, StoreError};
use crate::fault_point::fault_point;
use crate::metrics::ConnectorMetrics;
use crate::offset::Offset;
use crate::sink::Reports;

/// Delivery reports are served for this long between looks at the rest. The client library waits whole milliseconds
/// and spins for what is left of its time: a little more than them, which the wake-up takes, leaves nothing.
const SERVE: Duration = Duration::from_micros(100_100);
/// The pause while the reader serves the reports itself.
const BUSY_PAUSE: Duration = Duration::from_millis(20);
/// Checkpoints are stored at most this often: bounds the disk's work and what a crash repeats.
const STORE_EVERY: Duration = Duration::from_millis(100);

/// The thread that serves acknowledgements while the reader waits, and stores checkpoints.
pub(super) struct Checkpointer {
    shared: Arc<Shared>,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    in_flight: Arc<InFlight>,
    metrics: ConnectorMetrics,
    store: Arc<Mutex<Store>>,
    busy: AtomicBool,
    failed: Mutex<Option<StoreError>>,
    stored: Mutex<Offset>,
}

impl Checkpointer {
    /// Starts the thread.
    pub(super) fn start(
        name: &str,
        in_flight: Arc<InFlight>,
        store: Arc<Mutex<Store>>,
        reports: Option<Reports>,
        metrics: ConnectorMetrics,
    ) -> std::io::Result<Self> {
        let busy = AtomicBool::new(false);
        let stored = Mutex::new(in_flight.durable_offset());
        let failed = Mutex::new(None);
        let shared = Arc::new(Shared { in_flight, metrics, store, busy, failed, stored });
        let stop = Stop::default();
        let thread = std::thread::Builder::new().name(format!("{name}-acks")).spawn({
            let (shared, stop) = (Arc::clone(&shared), stop.clone());
            move || shared.run(reports.as_ref(), &stop)
        })?;
        Ok(Self { shared, stop, thread: Some(thread) })
    }

    /// The reader has more to read and serves reports itself, which is cheaper on its own thread.
    pub(super) fn set_busy(&self, busy: bool) {
        if self.shared.busy.load(Ordering::Relaxed) != busy {
            self.shared.busy.store(busy, Ordering::Relaxed);
        }
    }

    /// Why the last checkpoint could not be stored.
    pub(super) fn failure(&self) -> Option<StoreError> {
        self.shared.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The offset that was stored last.
    pub(super) fn stored(&self) -> Offset {
        self.shared.stored.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the thread and stores the last checkpoint.
    pub(super) fn finish(mut self) -> Result<(), StoreError> {
        self.stop.request();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            error!("the checkpoint thread panicked");
        }
        self.shared.in_flight.advance();
        self.shared.save()
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.stop.request();
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

impl Shared {
    fn run(&self, reports: Option<&Reports>, stop: &Stop) {
        let mut stored = Instant::now();
        let mut moved = false;
        while !stop.requested() {
            match reports {
                Some(reports) if !self.busy.load(Ordering::Relaxed) => reports.serve(SERVE),
                reports => {
                    stop.sleep(BUSY_PAUSE);
                    // The reader may wait for MySQL in the midst of its work, and longer than a moment.
                    reports.into_iter().for_each(|reports| reports.serve(Duration::ZERO));
                }
            }
            moved |= self.in_flight.advance();
            if moved && stored.elapsed() >= STORE_EVERY {
                stored = Instant::now();
                match self.save() {
                    Ok(()) => moved = false,
                    Err(err) => {
                        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                        *failed = Some(err);
                    }
                }
            }
        }
    }

    fn save(&self) -> Result<(), StoreError> {
        let offset = self.in_flight.durable_offset();
        fault_point("checkpoint taken");
        Store::lock(&self.store).save(&offset)?;
        fault_point("checkpoint stored");
        debug!(file = %offset.position.file, pos = offset.position.pos, "checkpoint stored");
        let now = now_s();
        self.metrics.checkpoint_time.set(now);
        self.metrics.position_time.set(now);
        *self.stored.lock().unwrap_or_else(PoisonError::into_inner) = offset;
        Ok(())
    }
}
