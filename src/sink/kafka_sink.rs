use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rdkafka::client::ClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Header, Message, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext, PurgeConfig};
use tokio::runtime::Handle;
use tracing::{debug, error, info, warn};

use super::topics::TopicMaker;
use super::{Sink, SinkError};
use crate::checkpoint::InFlight;
use crate::config::SinkConfig;
use crate::convert::ProducerRecord;
use crate::metrics::ConnectorMetrics;

/// Records in librdkafka's queue at the most; a small queue stays in the cache (PERFORMANCE.md 2).
const QUEUE_RECORDS: i32 = 30_000;
/// Bytes in librdkafka's queue at the most, in KiB: what bounds memory when records are large.
const QUEUE_KIB: &str = "16384";
/// How long the first metadata may take.
const METADATA_WAIT: Duration = Duration::from_secs(10);
/// The pause between looks at the queue while it drains.
const DRAIN_PAUSE: Duration = Duration::from_millis(1);
/// How long reports of purged records are served.
const PURGE_WAIT: Duration = Duration::from_millis(50);

/// One idempotent producer: `acks=all`, Java's partitioner, no message time-out.
pub struct KafkaSink {
    producer: Arc<BaseProducer<Delivery>>,
    failure: Arc<Failure>,
    topics: Option<TopicMaker>,
}

/// The first failed delivery.
#[derive(Default)]
struct Failure {
    failed: AtomicBool,
    error: Mutex<Option<SinkError>>,
}

impl Failure {
    fn set(&self, err: SinkError) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = Some(err);
        }
        self.failed.store(true, Ordering::Release);
    }

    fn check(&self) -> Result<(), SinkError> {
        if !self.failed.load(Ordering::Acquire) {
            return Ok(());
        }
        let first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        Err(first.clone().unwrap_or_else(|| SinkError::Fatal("unknown failure".into())))
    }
}

/// What librdkafka calls back: delivery reports, errors and log lines.
pub struct Delivery {
    in_flight: Arc<InFlight>,
    metrics: ConnectorMetrics,
    failure: Arc<Failure>,
}

impl ClientContext for Delivery {
    fn log(&self, level: RDKafkaLogLevel, fac: &str, message: &str) {
        if fac == "CONFWARN" {
            return debug!(facility = fac, "librdkafka: {message}"); // About our own settings.
        }
        match level {
            RDKafkaLogLevel::Emerg | RDKafkaLogLevel::Alert | RDKafkaLogLevel::Critical => {
                error!(facility = fac, "librdkafka: {message}");
            }
            RDKafkaLogLevel::Error | RDKafkaLogLevel::Warning => {
                warn!(facility = fac, "librdkafka: {message}");
            }
            RDKafkaLogLevel::Notice | RDKafkaLogLevel::Info => {
                info!(facility = fac, "librdkafka: {message}");
            }
            RDKafkaLogLevel::Debug => debug!(facility = fac, "librdkafka: {message}"),
        }
    }

    fn error(&self, err: KafkaError, reason: &str) {
        if err.rdkafka_error_code() == Some(RDKafkaErrorCode::Fatal) {
            self.failure.set(SinkError::Fatal(reason.to_owned()));
        } else {
            warn!(error = %err, "librdkafka: {reason}");
        }
    }
}

impl ProducerContext for Delivery {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, sequence: usize) {
        match result {
            Ok(_) => {
                let commit_us =
                    self.in_flight.acknowledge(u64::try_from(sequence).unwrap_or(u64::MAX));
                self.metrics.published.inc();
                if commit_us > 0 {
                    let late = now_us().saturating_sub(commit_us);
                    self.metrics.latency.observe(Duration::from_micros(late).as_secs_f64());
                }
            }
            Err((err, message)) => {
                // Records purged behind the first failure are sent again, so they did not fail.
                if err.rdkafka_error_code() != Some(RDKafkaErrorCode::PurgeQueue)
                    && err.rdkafka_error_code() != Some(RDKafkaErrorCode::PurgeInflight)
                {
                    self.metrics.failed.inc();
                    self.failure.set(refusal(err, message.topic(), message.partition()));
                }
            }
        }
    }
}

impl KafkaSink {
    /// Makes the producer and waits until the cluster has answered, so that the first record does not
    /// pay for connecting.
    ///
    /// # Errors
    /// When the configuration is refused or no broker answers in time.
    pub fn connect(
        config: &SinkConfig,
        in_flight: Arc<InFlight>,
        metrics: ConnectorMetrics,
        handle: &Handle,
    ) -> Result<Self, SinkError> {
        let mut client = ClientConfig::new();
        client
            .set("client.id", "outflow")
            .set("bootstrap.servers", &config.bootstrap_servers)
            .set("linger.ms", "0")
            .set("batch.num.messages", "2000")
            .set("queue.buffering.max.messages", (QUEUE_RECORDS + 5_000).to_string())
            .set("queue.buffering.max.kbytes", QUEUE_KIB)
            .set("message.timeout.ms", "0")
            .set("allow.auto.create.topics", "true")
            .set("topic.metadata.propagation.max.ms", "10000");
        for (name, value) in &config.producer {
            client.set(name, value.expose());
        }
        let admin = client.clone();
        // What the guarantees rest on is not for the file to change.
        client
            .set("enable.idempotence", "true")
            .set("enable.gapless.guarantee", "true")
            .set("acks", "all")
            .set("partitioner", "murmur2_random");
        client.set_log_level(RDKafkaLogLevel::Info);
        let failure = Arc::new(Failure::default());
        let context = Delivery { in_flight, metrics, failure: Arc::clone(&failure) };
        let producer: BaseProducer<Delivery> = client
            .create_with_context(context)
            .map_err(|err| SinkError::Configuration(err.to_string()))?;
        let reached = producer.client().fetch_metadata(None, METADATA_WAIT);
        reached.map_err(|err| SinkError::Unreachable {
            servers: config.bootstrap_servers.clone(),
            reason: err.to_string(),
        })?;
        let topics = config.topic_creation.clone();
        let topics = topics.map(|creation| TopicMaker::new(creation, &admin, handle.clone()));
        Ok(Self { producer: Arc::new(producer), failure, topics: topics.transpose()? })
    }
}

/// Serves delivery reports of a [`KafkaSink`].
pub struct Reports {
    producer: Arc<BaseProducer<Delivery>>,
}

impl Reports {
    /// Serves reports for this long, each as it arrives.
    pub fn serve(&self, time: Duration) {
        self.producer.poll(time);
    }
}

impl Sink for KafkaSink {
    fn send(&mut self, record: &ProducerRecord<'_>, sequence: u64) -> Result<(), SinkError> {
        if let Some(topics) = &mut self.topics {
            topics.ensure(record.topic)?;
        }
        let opaque = usize::try_from(sequence).map_err(|_| SinkError::Fatal("sequence".into()))?;
        let mut message = BaseRecord::<[u8], [u8], usize>::with_opaque_to(record.topic, opaque);
        message.partition = record.partition;
        message.payload = record.value;
        message.key = record.key;
        message.timestamp = record.timestamp;
        if !record.headers.is_empty() {
            let mut headers = OwnedHeaders::new_with_capacity(record.headers.len());
            for &(key, value) in record.headers {
                headers = headers.insert(Header { key, value });
            }
            message.headers = Some(headers);
        }
        match self.producer.send(message) {
            Ok(()) => Ok(()),
            Err((err, _)) if err.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull) => {
                Err(SinkError::Full)
            }
            Err((err, message)) => {
                Err(refusal(&err, message.topic, message.partition.unwrap_or(-1)))
            }
        }
    }

    fn poll(&mut self) -> Result<(), SinkError> {
        self.producer.poll(Duration::ZERO);
        self.failure.check()
    }

    fn is_full(&self) -> bool {
        self.producer.in_flight_count() >= QUEUE_RECORDS
    }

    fn drain(&mut self, deadline: Instant) -> bool {
        while self.producer.in_flight_count() > 0 {
            self.producer.poll(Duration::ZERO);
            if self.failure.check().is_err() || Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(DRAIN_PAUSE);
        }
        self.failure.check().is_ok()
    }

    fn purge(&mut self) {
        self.producer.purge(PurgeConfig::default().queue().inflight());
        self.producer.poll(PURGE_WAIT);
    }

    fn reports(&self) -> Option<Reports> {
        Some(Reports { producer: Arc::clone(&self.producer) })
    }
}

/// What a failed send or delivery means.
fn refusal(err: &KafkaError, topic: &str, partition: i32) -> SinkError {
    let topic = topic.to_owned();
    match err.rdkafka_error_code() {
        Some(RDKafkaErrorCode::MessageSizeTooLarge | RDKafkaErrorCode::InvalidMessageSize) => {
            SinkError::TooLarge { topic }
        }
        Some(RDKafkaErrorCode::InvalidTopic | RDKafkaErrorCode::InvalidArgument) => {
            SinkError::IllegalTopic { topic }
        }
        Some(RDKafkaErrorCode::UnknownPartition) => {
            SinkError::UnknownPartition { topic, partition }
        }
        Some(RDKafkaErrorCode::UnknownTopic | RDKafkaErrorCode::UnknownTopicOrPartition) => {
            SinkError::UnknownTopic { topic }
        }
        Some(RDKafkaErrorCode::TopicAuthorizationFailed) => SinkError::Denied { topic },
        Some(RDKafkaErrorCode::Fatal) => SinkError::Fatal(err.to_string()),
        _ => SinkError::Undelivered { topic, reason: err.to_string() },
    }
}

fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
