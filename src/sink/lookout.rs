use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::admin::AdminClient;
use rdkafka::client::{Client, ClientContext, DefaultClientContext};
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use tracing::debug;

use super::SinkError;

/// Brokers that were away are looked for this often, and asked for this long.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const LOOK_WAIT: Duration = Duration::from_millis(100);
/// How often and how long another client asks for them.
const OTHER_EVERY: Duration = Duration::from_secs(5);
const OTHER_WAIT: Duration = Duration::from_secs(4);
/// Until a connection is made or has failed, where the file does not say.
pub(super) const SETUP_MAX_MS: &str = "10000";

/// Looks for brokers that are away, and finds out whether only this producer cannot see them.
///
/// A cluster that is just coming back may name no brokers but topics. librdkafka (2.12, its issue 5301) then forgets all
/// that it knew, bootstrap servers too, and now and then asks nobody ever again. It says nothing of it; but another
/// client gets an answer.
pub(super) struct Lookout {
    client: ClientConfig,
    /// After so long with answers to another client alone the producer is given up: both its last attempt at a
    /// connection and the next one have ended by then.
    lost_after: Duration,
    looked: Instant,
    asked: Option<Instant>,
    other: Arc<Other>,
}

/// What another client is told.
#[derive(Default)]
struct Other {
    asks: AtomicBool,
    answered_since: Mutex<Option<Instant>>,
}

impl Lookout {
    /// `client` has the settings of every client of the sink.
    pub(super) fn new(mut client: ClientConfig) -> Self {
        let setup_ms = client.get("socket.connection.setup.timeout.ms").unwrap_or(SETUP_MAX_MS);
        let lost_after = Duration::from_millis(2 * setup_ms.parse::<u64>().unwrap_or_default());
        client.set_log_level(RDKafkaLogLevel::Emerg).set("log_level", "0");
        Self { client, lost_after, looked: Instant::now(), asked: None, other: Arc::default() }
    }

    /// Whether a broker answers this producer again; looks once a second only.
    ///
    /// # Errors
    /// [`SinkError::BrokersLost`] where brokers answer everyone else.
    pub(super) fn finds<C: ClientContext>(
        &mut self,
        producer: &Client<C>,
    ) -> Result<bool, SinkError> {
        if self.looked.elapsed() < LOOK_EVERY {
            return Ok(false);
        }
        self.looked = Instant::now();
        if has_brokers(producer, LOOK_WAIT) {
            self.asked = None;
            return Ok(true);
        }
        if self.asked.is_none() {
            self.other.set(false); // What it was told of an earlier outage.
        }
        if self.asked.is_none_or(|asked| asked.elapsed() >= OTHER_EVERY) {
            self.asked = Some(Instant::now());
            self.ask_as_another();
        }
        let answered_for = self.other.answered_for();
        if answered_for.is_some_and(|time| time >= self.lost_after) {
            return Err(SinkError::BrokersLost);
        }
        Ok(false)
    }

    /// Not waited for: connecting may take a while, and so may giving it up.
    fn ask_as_another(&self) {
        if self.other.asks.swap(true, Ordering::AcqRel) {
            return;
        }
        let (client, other) = (self.client.clone(), Arc::clone(&self.other));
        let ask = move || {
            let admin = client.create::<AdminClient<DefaultClientContext>>();
            let answered = admin.is_ok_and(|admin| has_brokers(admin.inner(), OTHER_WAIT));
            debug!(answered, "another client asked for brokers");
            other.set(answered);
            other.asks.store(false, Ordering::Release);
        };
        if std::thread::Builder::new().name("outflow-lookout".into()).spawn(ask).is_err() {
            self.other.asks.store(false, Ordering::Release);
        }
    }
}

impl Other {
    fn set(&self, answered: bool) {
        let mut since = self.answered_since.lock().unwrap_or_else(PoisonError::into_inner);
        *since = since.or_else(|| Some(Instant::now())).filter(|_| answered);
    }

    fn answered_for(&self) -> Option<Duration> {
        let since = self.answered_since.lock().unwrap_or_else(PoisonError::into_inner);
        since.map(|since| since.elapsed())
    }
}

/// Whether a broker answers and names brokers.
fn has_brokers<C: ClientContext>(client: &Client<C>, wait: Duration) -> bool {
    client.fetch_metadata(None, wait).is_ok_and(|metadata| !metadata.brokers().is_empty())
}
