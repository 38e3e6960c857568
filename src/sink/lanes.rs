use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::producer::{BaseProducer, Producer, PurgeConfig};

use super::SinkError;
use super::delivery::Delivery;
use super::lookout::SETUP_MAX_MS;
use crate::config::{ExactlyOnce, SinkConfig};

/// Records in a producer's queue at the most; a small queue stays in the cache.
pub(super) const QUEUE_RECORDS: i32 = 20_000;
/// Bytes in a producer's queue at the most, a single larger record aside: what bounds memory when records are large.
pub(super) const QUEUE_BYTES: u64 = 16 << 20;
/// What a record takes in a queue besides key and value, with room to spare.
const RECORD_BYTES: u64 = 1 << 20;
/// How long a start waits at the most for what makes the first record faster.
const WARM_UP_WAIT: Duration = Duration::from_secs(1);
/// How long reports of purged records are served.
const PURGE_WAIT: Duration = Duration::from_millis(50);
/// The longest `socket.timeout.ms` that librdkafka allows.
const SOCKET_MS_MAX: u128 = 300_000;
/// What a record that is alone needs.
const PROMPT: [(&str, &str); 1] = [("linger.ms", "0")];
/// What differs when a long backlog is worked off: larger batches, compressed, a little later. Where it goes to one
/// topic its batches are full sooner than that; where it goes to many, twice as long means half as many requests.
const BULK: [(&str, &str); 2] = [("linger.ms", "20"), ("compression.type", "lz4")];

/// What Kafka transactions go with: within one the waiting hides behind the transaction's own round trips, and of a
/// backlog larger batches are made.
const TRANSACTIONAL: [(&str, &str); 2] = [("linger.ms", "1"), ("compression.type", "lz4")];

/// Two producers, of which one is in use: one that sends at once, and one that sends in bulk while the
/// reader is far behind. They change places only while nothing is in flight, so order is kept.
pub(super) struct Lanes {
    prompt: BaseProducer<Delivery>,
    bulk: Option<BaseProducer<Delivery>>,
    in_bulk: AtomicBool,
}

impl Lanes {
    /// Both are made at once: a producer's first record waits half a second for its producer id.
    /// With `alone` every record is a batch of its own.
    pub(super) fn new(
        config: &SinkConfig,
        alone: bool,
        context: Delivery,
    ) -> Result<Self, SinkError> {
        Ok(Self {
            prompt: create(config, &PROMPT, alone, context.clone())?,
            bulk: Some(create(config, &BULK, alone, context)?),
            in_bulk: AtomicBool::new(false),
        })
    }

    /// The one producer of Kafka transactions: a second one of its id would fence it.
    pub(super) fn transactional(
        config: &SinkConfig,
        exactly_once: &ExactlyOnce,
        alone: bool,
        context: Delivery,
    ) -> Result<Self, SinkError> {
        let mut client = settings(config, &TRANSACTIONAL, alone);
        let timeout_ms = exactly_once.transaction_timeout.as_millis();
        // A request, as a record, may take no longer than its transaction.
        let socket_ms = client.get("socket.timeout.ms").and_then(|text| text.parse::<u128>().ok());
        client
            .set("transactional.id", &exactly_once.transactional_id)
            .set("transaction.timeout.ms", timeout_ms.to_string())
            .set("message.timeout.ms", timeout_ms.to_string())
            .set(
                "socket.timeout.ms",
                socket_ms.unwrap_or(SOCKET_MS_MAX).min(timeout_ms).to_string(),
            );
        let producer = client.create_with_context(context);
        let prompt = producer.map_err(|err| SinkError::Configuration(err.to_string()))?;
        Ok(Self { prompt, bulk: None, in_bulk: AtomicBool::new(false) })
    }

    /// Has both ready to send, once the first has metadata. These name the brokers, to which librdkafka then connects
    /// anew, and a producer asks for its id when metadata come over such a connection, or every half a second.
    pub(super) fn warm_up(&self) {
        let Some(bulk) = &self.bulk else { return };
        // Without an answer it is ready a little later.
        let ask = |producer: &BaseProducer<Delivery>| {
            drop(producer.client().fetch_metadata(None, WARM_UP_WAIT));
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                ask(bulk);
                ask(bulk);
            });
            ask(&self.prompt);
        });
    }

    /// The producer in use.
    pub(super) fn active(&self) -> &BaseProducer<Delivery> {
        match &self.bulk {
            Some(bulk) if self.in_bulk() => bulk,
            _ => &self.prompt,
        }
    }

    /// Whether the one for bulk is in use.
    pub(super) fn in_bulk(&self) -> bool {
        self.in_bulk.load(Ordering::Relaxed)
    }

    /// Records that are sent and not yet reported on.
    pub(super) fn in_flight(&self) -> i32 {
        self.active().in_flight_count()
    }

    /// Changes to the other producer. Only while nothing is in flight.
    pub(super) fn change(&self, to_bulk: bool) {
        self.in_bulk.store(to_bulk, Ordering::Relaxed);
    }

    /// Gives up what is queued.
    pub(super) fn purge(&self) {
        self.active().purge(PurgeConfig::default().queue().inflight());
        self.active().poll(PURGE_WAIT);
    }
}

/// The settings that every client of this sink shares.
pub(super) fn client(config: &SinkConfig, lane: &[(&str, &str)]) -> ClientConfig {
    let mut client = ClientConfig::new();
    client
        .set("client.id", "outflow")
        .set("bootstrap.servers", &config.bootstrap_servers)
        .set("batch.num.messages", "2000")
        .set("queue.buffering.max.messages", (QUEUE_RECORDS + 5_000).to_string())
        .set("queue.buffering.max.kbytes", queue_kib(config).to_string())
        .set("message.timeout.ms", "0")
        // Meanwhile records gather, so that a slow broker gets fewer and larger requests. librdkafka has but one request
        // of five records and more to a partition under way, and while it may send to the broker and not to the
        // partition, its thread looks at both without a pause.
        .set("max.in.flight.requests.per.connection", "2")
        // A new topic is asked for again this soon, then twice as long each time up to retry.backoff.max.ms.
        .set("topic.metadata.refresh.fast.interval.ms", "10")
        .set("reconnect.backoff.ms", "50")
        .set("reconnect.backoff.max.ms", "1000")
        // As in Java: so long a connection may take whose machine answers and whose broker does not.
        .set("socket.connection.setup.timeout.ms", SETUP_MAX_MS)
        // A cluster that is just coming back names no broker, and librdkafka then forgets those that it knew. After so
        // long without an answer it begins again with bootstrap.servers; by itself it waits five minutes.
        .set("metadata.recovery.rebootstrap.trigger.ms", "10000")
        .set("allow.auto.create.topics", "true")
        .set("topic.metadata.propagation.max.ms", "10000");
    for (name, value) in lane {
        client.set(*name, *value);
    }
    for (name, value) in &config.producer {
        client.set(name, value.expose());
    }
    client.set_log_level(RDKafkaLogLevel::Debug); // Only what the property `debug` asks for is of that level.
    client
}

/// The largest record that the file allows, where it may be larger than the queue.
pub(super) fn larger_than_queue(config: &SinkConfig) -> Option<u64> {
    let bytes = config.producer.get("message.max.bytes")?.expose().parse().ok()?;
    (bytes > QUEUE_BYTES).then_some(bytes)
}

/// The largest record must fit, or it would be waited for without end.
fn queue_kib(config: &SinkConfig) -> u64 {
    larger_than_queue(config).map_or(QUEUE_BYTES, |bytes| bytes + RECORD_BYTES) >> 10
}

fn create(
    config: &SinkConfig,
    lane: &[(&str, &str)],
    alone: bool,
    context: Delivery,
) -> Result<BaseProducer<Delivery>, SinkError> {
    let mut client = settings(config, lane, alone);
    client.set("enable.gapless.guarantee", "true");
    client.create_with_context(context).map_err(|err| SinkError::Configuration(err.to_string()))
}

fn settings(config: &SinkConfig, lane: &[(&str, &str)], alone: bool) -> ClientConfig {
    let mut client = client(config, lane);
    if alone {
        client.set("batch.num.messages", "1");
    }
    // What the guarantees rest on is not for the file to change.
    client
        .set("enable.idempotence", "true")
        .set("acks", "all")
        .set("partitioner", "murmur2_random");
    client
}
