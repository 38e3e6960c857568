use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Headers, Message};
use rdkafka::producer::ProducerContext;
use tracing::{debug, error, info, warn};

use super::{SinkError, lanes};
use crate::checkpoint::InFlight;
use crate::config::SinkConfig;
use crate::fault_point::fault_point;
use crate::metrics::ConnectorMetrics;

/// Set in a record's opaque where the record names its partition.
const PLACED: usize = 1 << (usize::BITS - 1);
/// The opaque of a position record, which is none of those that are counted.
pub(super) const POSITION: usize = !PLACED;

/// What a record's delivery report brings back.
pub(super) fn opaque(sequence: u64, is_placed: bool) -> Option<usize> {
    let sequence = usize::try_from(sequence).ok().filter(|sequence| *sequence < POSITION)?;
    Some(if is_placed { sequence | PLACED } else { sequence })
}

/// The first failed delivery, and why no broker lets us in.
#[derive(Default)]
pub(super) struct Failure {
    failed: AtomicBool,
    error: Mutex<Option<SinkError>>,
    refused: Mutex<Option<SinkError>>,
}

impl Failure {
    pub(super) fn set(&self, err: SinkError) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = Some(err);
        }
        self.failed.store(true, Ordering::Release);
    }

    /// Why a broker refused the connection, the latest time that one did.
    pub(super) fn refused(&self) -> Option<SinkError> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_refused(&self, err: SinkError) {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(err);
    }

    pub(super) fn check(&self) -> Result<(), SinkError> {
        if !self.failed.load(Ordering::Acquire) {
            return Ok(());
        }
        let first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        Err(first.clone().unwrap_or_else(|| SinkError::Fatal("unknown failure".into())))
    }
}

/// The time of a batch of reports, which it would take longer to ask for at each than to count it.
#[derive(Default)]
pub(super) struct Clock {
    /// Of the batch that is being served without waiting, in microseconds since the epoch; 0 while there is none.
    now_us: AtomicU64,
}

impl Clock {
    /// Serves reports that are there already, all of them at one time.
    pub(super) fn stopped_while(&self, serve: impl FnOnce()) {
        self.now_us.store(now_us(), Ordering::Relaxed);
        serve();
        self.now_us.store(0, Ordering::Relaxed);
    }

    fn now_us(&self) -> u64 {
        match self.now_us.load(Ordering::Relaxed) {
            0 => now_us(),
            of_batch => of_batch,
        }
    }
}

fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// What librdkafka calls back: delivery reports, errors and log lines.
#[derive(Clone)]
pub(super) struct Delivery {
    in_flight: Arc<InFlight>,
    pub(super) metrics: ConnectorMetrics,
    pub(super) failure: Arc<Failure>,
    pub(super) queued: Option<Arc<AtomicU64>>,
    pub(super) clock: Arc<Clock>,
    /// Records count as published once their transaction is committed, not when they are acknowledged.
    in_transactions: bool,
}

impl Delivery {
    /// For the producers of one sink.
    pub(super) fn new(
        config: &SinkConfig,
        in_flight: Arc<InFlight>,
        metrics: ConnectorMetrics,
        in_transactions: bool,
    ) -> Self {
        let queued = lanes::larger_than_queue(config).map(|_| Arc::default());
        Self {
            in_flight,
            metrics,
            failure: Arc::default(),
            queued,
            clock: Arc::default(),
            in_transactions,
        }
    }
}

/// What a record counts in the queue.
pub(super) fn bytes(key: Option<&[u8]>, value: Option<&[u8]>) -> u64 {
    let length = |bytes: Option<&[u8]>| bytes.map_or(0, <[u8]>::len);
    u64::try_from(length(key) + length(value)).unwrap_or(u64::MAX)
}

impl ClientContext for Delivery {
    fn log(&self, level: RDKafkaLogLevel, fac: &str, message: &str) {
        // Our own settings, each partition without a leader at every look, and what every attempt of an outage repeats.
        if matches!(fac, "CONFWARN" | "METADATAUPDATE") || self.metrics.kafka_connected.get() == 0 {
            return debug!(facility = fac, "librdkafka: {message}");
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
        let code = err.rdkafka_error_code();
        match code {
            Some(RDKafkaErrorCode::Authentication) => {
                self.failure.set_refused(SinkError::Login(reason.to_owned()));
            }
            Some(RDKafkaErrorCode::SSL) => {
                self.failure.set_refused(SinkError::Tls(reason.to_owned()));
            }
            _ => {}
        }
        match code {
            Some(RDKafkaErrorCode::Fatal) => {
                self.failure.set(SinkError::Fatal(reason.to_owned()));
            }
            Some(RDKafkaErrorCode::AllBrokersDown) => {
                // Said once an outage: librdkafka says it at every attempt.
                if self.metrics.kafka_connected.get() != 0 {
                    self.metrics.kafka_connected.set(0);
                    warn!("no Kafka broker answers; sending goes on when one does: {reason}");
                }
            }
            _ if self.metrics.kafka_connected.get() == 0 => {
                debug!(error = %err, "librdkafka: {reason}")
            }
            _ => warn!(error = %err, "librdkafka: {reason}"),
        }
    }
}

impl ProducerContext for Delivery {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, opaque: usize) {
        let sequence = u64::try_from(opaque & !PLACED).unwrap_or(u64::MAX);
        if let Some(queued) = self.queued.as_ref().filter(|_| opaque != POSITION) {
            let (Ok(message) | Err((_, message))) = result;
            queued.fetch_sub(bytes(message.key(), message.payload()), Ordering::Relaxed);
        }
        match result {
            Ok(_) => {
                fault_point("delivered");
                let commit_us = match opaque {
                    POSITION => 0,
                    _ => self.in_flight.acknowledge(sequence),
                };
                fault_point("acknowledged");
                if !self.in_transactions {
                    self.metrics.published.inc();
                }
                if self.metrics.kafka_connected.get() == 0 {
                    self.metrics.kafka_connected.set(1);
                    info!("Kafka answers again");
                }
                if commit_us > 0 && !self.in_transactions {
                    self.metrics.relayed(commit_us, self.clock.now_us());
                }
            }
            Err((err, message)) => {
                // Records purged behind the first failure are sent again, so they did not fail.
                if err.rdkafka_error_code() != Some(RDKafkaErrorCode::PurgeQueue)
                    && err.rdkafka_error_code() != Some(RDKafkaErrorCode::PurgeInflight)
                {
                    self.metrics.failed.inc();
                    let placed = (opaque & PLACED != 0).then(|| message.partition());
                    let reason = refusal(err, message.topic(), placed);
                    self.failure.set(match opaque {
                        POSITION => reason,
                        _ => of_record(reason, sequence, event_id(message)),
                    });
                }
            }
        }
    }
}

/// The event id that a record carries in its header `id`.
fn event_id(message: &impl Message) -> String {
    let id = message.headers().and_then(|headers| {
        headers.iter().find(|header| header.key == "id").and_then(|header| header.value)
    });
    String::from_utf8_lossy(id.unwrap_or_default()).into_owned()
}

/// Names the record that was refused, unless the whole producer failed.
pub(super) fn of_record(reason: SinkError, sequence: u64, event_id: String) -> SinkError {
    match reason {
        SinkError::Fatal(_) => reason,
        reason => SinkError::Record { sequence, event_id, reason: Box::new(reason) },
    }
}

/// What a failed send or delivery means. `placed` is the partition that the record itself names: one that was chosen
/// among those there were is missing only where the topic was deleted.
pub(super) fn refusal(err: &KafkaError, topic: &str, placed: Option<i32>) -> SinkError {
    let topic = topic.to_owned();
    if matches!(err, KafkaError::Nul(_)) {
        return SinkError::IllegalTopic { topic };
    }
    match err.rdkafka_error_code() {
        Some(RDKafkaErrorCode::MessageSizeTooLarge | RDKafkaErrorCode::InvalidMessageSize) => {
            SinkError::TooLarge { topic }
        }
        Some(RDKafkaErrorCode::InvalidTopic | RDKafkaErrorCode::InvalidArgument) => {
            SinkError::IllegalTopic { topic }
        }
        Some(RDKafkaErrorCode::UnknownPartition) => match placed {
            Some(partition) => SinkError::UnknownPartition { topic, partition },
            None => SinkError::UnknownTopic { topic },
        },
        Some(RDKafkaErrorCode::UnknownTopic | RDKafkaErrorCode::UnknownTopicOrPartition) => {
            SinkError::UnknownTopic { topic }
        }
        Some(
            RDKafkaErrorCode::InvalidRecord
            | RDKafkaErrorCode::InvalidDifferentRecord
            | RDKafkaErrorCode::InvalidTimestamp
            | RDKafkaErrorCode::PolicyViolation
            | RDKafkaErrorCode::UnsupportedForMessageFormat
            | RDKafkaErrorCode::UnsupportedCompressionType,
        ) => SinkError::Rejected { topic, reason: err.to_string() },
        Some(RDKafkaErrorCode::TopicAuthorizationFailed) => SinkError::Denied { topic },
        Some(RDKafkaErrorCode::Fatal) => SinkError::Fatal(err.to_string()),
        _ => SinkError::Undelivered { topic, reason: err.to_string() },
    }
}
