use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rdkafka::error::RDKafkaErrorCode;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use tokio::runtime::Handle;
use tracing::debug;

use super::delivery::{self, Clock, Delivery, Failure, of_record, refusal};
use super::lanes::{self, Lanes, QUEUE_BYTES, QUEUE_RECORDS};
use super::lookout::Lookout;
use super::topics::TopicMaker;
use super::{Sink, SinkError};
use crate::checkpoint::InFlight;
use crate::config::SinkConfig;
use crate::convert::ProducerRecord;
use crate::metrics::ConnectorMetrics;

/// How long the first metadata may take.
const METADATA_WAIT: Duration = Duration::from_secs(10);
/// How long events that tell why no broker answers are served: they are there already.
const REASON_WAIT: Duration = Duration::from_millis(20);
/// The pause between looks at the queue while it drains.
const DRAIN_PAUSE: Duration = Duration::from_micros(200);
/// So many turns in a row call for the other producer before it is taken: a few thousand events.
const CHANGE_TURNS: u32 = 40;
/// How long the change to bulk may wait for what is in flight, before it is put off.
const CHANGE_WAIT: Duration = Duration::from_millis(500);

/// Idempotent producers: `acks=all`, Java's partitioner, no message time-out.
pub struct KafkaSink {
    lanes: Arc<Lanes>,
    failure: Arc<Failure>,
    /// Bytes in the queue, where a record may be larger than it should be.
    queued: Option<Arc<AtomicU64>>,
    clock: Arc<Clock>,
    topics: Option<TopicMaker>,
    turns: u32,
    metrics: ConnectorMetrics,
    lookout: Lookout,
    /// Each record is a batch.
    alone: bool,
}

impl KafkaSink {
    /// Makes the producer and waits until the cluster has answered, so that the first record does not
    /// pay for connecting. With `alone` no record shares a batch with another: a broker refuses batches, not
    /// records, and then says which one is too large.
    ///
    /// # Errors
    /// When the configuration is refused or no broker answers in time.
    pub fn connect(
        config: &SinkConfig,
        alone: bool,
        in_flight: Arc<InFlight>,
        metrics: ConnectorMetrics,
        handle: &Handle,
    ) -> Result<Self, SinkError> {
        let delivery = Delivery::new(config, in_flight, metrics, false);
        let lanes = Lanes::new(config, alone, delivery.clone())?;
        let mut sink = Self::over(lanes, delivery, config, handle)?;
        sink.alone = alone;
        Ok(sink)
    }

    /// A sink over these producers, which call `delivery` back.
    pub(super) fn over(
        lanes: Lanes,
        delivery: Delivery,
        config: &SinkConfig,
        handle: &Handle,
    ) -> Result<Self, SinkError> {
        let Delivery { failure, queued, clock, metrics, .. } = delivery;
        let reason = match lanes.active().client().fetch_metadata(None, METADATA_WAIT) {
            // Nor would a producer find them that has been told of none.
            Ok(metadata) if metadata.brokers().is_empty() => Some("it names no brokers yet".into()),
            Ok(_) => None,
            Err(err) => Some(err.to_string()),
        };
        if let Some(reason) = reason {
            lanes.active().poll(REASON_WAIT); // What the brokers said comes as an event.
            let servers = config.bootstrap_servers.clone();
            return Err(failure.refused().unwrap_or(SinkError::Unreachable { servers, reason }));
        }
        metrics.kafka_connected.set(1);
        lanes.warm_up();
        let topics = config
            .topic_creation
            .clone()
            .map(|creation| TopicMaker::new(creation, &lanes::client(config, &[]), handle.clone()));
        Ok(Self {
            lanes: Arc::new(lanes),
            failure,
            queued,
            clock,
            topics: topics.transpose()?,
            turns: CHANGE_TURNS, // A start that is far behind takes the one for bulk at once.
            metrics,
            lookout: Lookout::new(lanes::client(config, &[])),
            alone: false,
        })
    }
}

impl KafkaSink {
    /// The producer in use.
    pub(super) fn producer(&self) -> &BaseProducer<Delivery> {
        self.lanes.active()
    }

    /// Whether a delivery has failed.
    pub(super) fn check(&self) -> Result<(), SinkError> {
        self.failure.check()
    }

    /// Takes room in the queue for so many bytes; a record larger than the queue should be has it alone.
    fn takes(&self, bytes: u64) -> bool {
        let Some(queued) = &self.queued else { return true };
        let is_free = self.lanes.in_flight() == 0;
        let takes = is_free || queued.load(Ordering::Relaxed) + bytes <= QUEUE_BYTES;
        if takes {
            queued.fetch_add(bytes, Ordering::Relaxed);
        }
        takes
    }

    /// Where each record is a batch: a broker that has refused a producer's first one of a partition would take the
    /// next one, which is therefore not sent before the one before it is acknowledged.
    fn waits_for_the_one_before(&self) -> bool {
        self.alone && (self.lanes.in_flight() > 0 || self.failure.check().is_err())
    }

    /// Gives it back.
    fn gives_back(&self, bytes: u64) {
        if let Some(queued) = &self.queued {
            queued.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// While no broker answers, only asking tells whether they are back, or will never be found again.
    fn look_for_brokers(&mut self) -> Result<(), SinkError> {
        if self.metrics.kafka_connected.get() == 0
            && self.lookout.finds(self.lanes.active().client())?
        {
            self.metrics.kafka_connected.set(1);
        }
        Ok(())
    }
}

/// Serves delivery reports of a [`KafkaSink`].
pub struct Reports {
    lanes: Arc<Lanes>,
}

impl Reports {
    /// Serves reports for this long, each as it arrives.
    pub fn serve(&self, time: Duration) {
        self.lanes.active().poll(time);
    }
}

impl Sink for KafkaSink {
    fn send(&mut self, record: &ProducerRecord<'_>, sequence: u64) -> Result<(), SinkError> {
        if let Some(topics) = &mut self.topics {
            topics.ensure(record.topic)?;
        }
        let opaque = delivery::opaque(sequence, record.partition.is_some())
            .ok_or_else(|| SinkError::Fatal("sequence".into()))?;
        let bytes = delivery::bytes(record.key, record.value);
        if self.waits_for_the_one_before() || !self.takes(bytes) {
            return Err(SinkError::Full);
        }
        let mut message = BaseRecord::<[u8], [u8], usize>::with_opaque_to(record.topic, opaque);
        message.partition = record.partition;
        message.payload = record.value;
        message.key = record.key;
        // librdkafka takes 0 for "now"; the nearest time that it takes as said is a millisecond later.
        message.timestamp = record.timestamp.map(|ms| if ms == 0 { 1 } else { ms });
        if !record.headers.is_empty() {
            let mut headers = OwnedHeaders::new_with_capacity(record.headers.len());
            for &(key, value) in record.headers {
                headers = headers.insert(Header { key, value });
            }
            message.headers = Some(headers);
        }
        let Err((err, message)) = self.lanes.active().send(message) else { return Ok(()) };
        self.gives_back(bytes);
        match err.rdkafka_error_code() {
            Some(RDKafkaErrorCode::QueueFull) if self.lanes.in_flight() > 0 => Err(SinkError::Full),
            code => {
                let reason = match code {
                    Some(RDKafkaErrorCode::QueueFull) => {
                        SinkError::LargerThanBuffer { topic: message.topic.to_owned() }
                    }
                    _ => refusal(&err, message.topic, message.partition),
                };
                let id = record.headers.iter().find(|(key, _)| *key == "id");
                let id = id.and_then(|(_, value)| *value).unwrap_or_default();
                Err(of_record(reason, sequence, String::from_utf8_lossy(id).into_owned()))
            }
        }
    }

    fn poll(&mut self) -> Result<(), SinkError> {
        self.clock.stopped_while(|| self.lanes.active().poll(Duration::ZERO));
        self.look_for_brokers()?;
        self.failure.check()
    }

    fn pace(&mut self, far_behind: bool) -> Result<(), SinkError> {
        if self.lanes.in_bulk() == far_behind {
            self.turns = 0;
            return Ok(());
        }
        self.turns += 1;
        // Nothing in flight is the moment to change; under a steady load it must be made.
        let may_wait = self.turns >= CHANGE_TURNS;
        if self.lanes.in_flight() == 0 && (may_wait || !far_behind)
            || may_wait && self.drain(Instant::now() + CHANGE_WAIT)
        {
            debug!(far_behind, "changing producers");
            self.turns = 0;
            self.lanes.change(far_behind);
        }
        self.failure.check()
    }

    fn is_full(&self) -> bool {
        let queued = self.queued.as_ref().map_or(0, |queued| queued.load(Ordering::Relaxed));
        let limit = if self.alone { 1 } else { QUEUE_RECORDS };
        self.lanes.in_flight() >= limit || queued > QUEUE_BYTES
    }

    fn drain(&mut self, deadline: Instant) -> bool {
        while self.lanes.in_flight() > 0 {
            self.lanes.active().poll(Duration::ZERO);
            if self.failure.check().is_err() || Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(DRAIN_PAUSE);
        }
        self.failure.check().is_ok()
    }

    fn purge(&mut self) {
        self.lanes.purge();
    }

    fn reports(&self) -> Option<Reports> {
        Some(Reports { lanes: Arc::clone(&self.lanes) })
    }
}
