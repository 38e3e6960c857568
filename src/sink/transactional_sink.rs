use std::sync::Arc;
use std::time::{Duration, Instant};

use rdkafka::error::{KafkaError, RDKafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, Producer};
use tokio::runtime::Handle;
use tracing::debug;

use super::delivery::{Delivery, POSITION, refusal};
use super::kafka_sink::KafkaSink;
use super::lanes::Lanes;
use super::{Reports, Sink, SinkError};
use crate::checkpoint::{InFlight, OWNER, OffsetsTopic};
use crate::config::{ExactlyOnce, SinkConfig};
use crate::convert::ProducerRecord;
use crate::metrics::ConnectorMetrics;
use crate::offset::Offset;

/// How long the coordinator may take to fence the producer before this one and to end its transaction.
const INIT_WAIT: Duration = Duration::from_secs(30);
/// How long giving up a transaction may take; a broker that is away ends it by its own clock.
const ABORT_WAIT: Duration = Duration::from_secs(5);
/// One step of that, between which reports are served.
const ABORT_STEP: Duration = Duration::from_millis(20);
/// The least time for a commit's answer.
const ANSWER_MIN: Duration = Duration::from_millis(1);

/// Records and the position behind them in Kafka transactions, by a producer that has fenced every other one of its
/// transactional id. After the first error it is of no more use: a new one goes on from the last position.
pub struct TransactionalSink {
    kafka: KafkaSink,
    place: OffsetsTopic,
    owner: String,
    transactional_id: String,
    stage: Stage,
    metrics: ConnectorMetrics,
}

enum Stage {
    /// No transaction is open.
    Between,
    /// One is.
    Open(Instant),
    /// Its last record, the position, is sent.
    Covered(Instant),
}

impl TransactionalSink {
    /// Makes the producer, which fences the one before and ends its transaction. Positions go to `place` and carry
    /// the name of the `owner`.
    ///
    /// # Errors
    /// When the configuration is refused, no broker answers in time, or there is no right to the id.
    #[expect(clippy::too_many_arguments, reason = "what one sink is made of, in one place")]
    pub fn connect(
        config: &SinkConfig,
        exactly_once: &ExactlyOnce,
        place: OffsetsTopic,
        owner: &str,
        alone: bool,
        in_flight: Arc<InFlight>,
        metrics: ConnectorMetrics,
        handle: &Handle,
    ) -> Result<Self, SinkError> {
        let delivery = Delivery::new(config, in_flight, metrics.clone(), true);
        let lanes = Lanes::transactional(config, exactly_once, alone, delivery.clone())?;
        let kafka = KafkaSink::over(lanes, delivery, config, handle)?;
        let id = &exactly_once.transactional_id;
        kafka.producer().init_transactions(INIT_WAIT).map_err(|err| {
            match err.rdkafka_error_code() {
                Some(RDKafkaErrorCode::InvalidTransactionTimeout) => {
                    SinkError::TransactionTimeout(exactly_once.transaction_timeout.as_millis())
                }
                Some(RDKafkaErrorCode::TransactionalIdAuthorizationFailed) => {
                    SinkError::DeniedTransactionalId(id.clone())
                }
                _ => SinkError::Unreachable {
                    servers: config.bootstrap_servers.clone(),
                    reason: format!("taking over the transactional id {id:?}: {err}"),
                },
            }
        })?;
        Ok(Self {
            kafka,
            place,
            owner: owner.to_owned(),
            transactional_id: id.clone(),
            stage: Stage::Between,
            metrics,
        })
    }

    fn begin(&mut self) -> Result<Instant, SinkError> {
        match self.stage {
            Stage::Open(since) | Stage::Covered(since) => Ok(since),
            Stage::Between => {
                let begun = self.kafka.producer().begin_transaction();
                begun.map_err(|err| self.failure(err))?;
                let now = Instant::now();
                self.stage = Stage::Open(now);
                Ok(now)
            }
        }
    }

    /// Sends the position as the transaction's last record.
    fn send_position(&self, position: &Offset) -> Result<(), SinkError> {
        let topic = self.place.topic();
        let value = OffsetsTopic::value(position);
        let owner = Header { key: OWNER, value: Some(self.owner.as_bytes()) };
        let record = BaseRecord::<[u8], [u8], usize>::with_opaque_to(topic, POSITION)
            .key(self.place.key())
            .payload(&value)
            .headers(OwnedHeaders::new_with_capacity(1).insert(owner));
        self.kafka.producer().send(record).map_err(|(err, _)| match err.rdkafka_error_code() {
            Some(RDKafkaErrorCode::QueueFull) => SinkError::Full,
            _ => refusal(&err, topic, None),
        })
    }

    /// What an error of the client means here.
    fn failure(&self, err: KafkaError) -> SinkError {
        match err {
            KafkaError::Transaction(err) if is_fenced(err.code()) => self.fenced(),
            KafkaError::Transaction(err) if err.is_fatal() => SinkError::Fatal(err.string()),
            KafkaError::Transaction(err) => SinkError::Transaction(err.string()),
            err => SinkError::Transaction(err.to_string()),
        }
    }

    fn fenced(&self) -> SinkError {
        self.metrics.fenced.inc();
        SinkError::Fenced { transactional_id: self.transactional_id.clone() }
    }

    /// A producer that was fenced says so by a fatal error.
    fn explain(&self, err: SinkError) -> SinkError {
        let fatal = self.kafka.producer().client().fatal_error();
        match (err, fatal) {
            (SinkError::Full, _) => SinkError::Full,
            (_, Some((code, _))) if is_fenced(code) => self.fenced(),
            (_, Some((_, reason))) => SinkError::Fatal(reason),
            (err, None) => err,
        }
    }
}

fn is_fenced(code: RDKafkaErrorCode) -> bool {
    matches!(
        code,
        RDKafkaErrorCode::Fenced
            | RDKafkaErrorCode::ProducerFenced
            | RDKafkaErrorCode::InvalidProducerEpoch
    )
}

/// Whether asking again may help.
fn is_passing(err: &RDKafkaError) -> bool {
    err.is_retriable() && !err.is_fatal() && !err.txn_requires_abort()
}

impl Sink for TransactionalSink {
    fn send(&mut self, record: &ProducerRecord<'_>, sequence: u64) -> Result<(), SinkError> {
        self.begin()?;
        self.kafka.send(record, sequence).map_err(|err| self.explain(err))
    }

    fn poll(&mut self) -> Result<(), SinkError> {
        self.kafka.poll().map_err(|err| self.explain(err))
    }

    fn pace(&mut self, _far_behind: bool) -> Result<(), SinkError> {
        self.kafka.check().map_err(|err| self.explain(err))
    }

    fn is_full(&self) -> bool {
        self.kafka.is_full()
    }

    fn drain(&mut self, deadline: Instant) -> bool {
        self.kafka.drain(deadline)
    }

    /// Gives the open transaction up. Where that fails the next producer does it, or the broker by its clock.
    fn purge(&mut self) {
        if matches!(self.stage, Stage::Between) {
            return;
        }
        self.stage = Stage::Between;
        self.metrics.kafka_aborts.inc();
        let deadline = Instant::now() + ABORT_WAIT;
        while let Err(err) = self.kafka.producer().abort_transaction(ABORT_STEP) {
            let passing = matches!(&err, KafkaError::Transaction(err) if is_passing(err));
            if !passing || Instant::now() >= deadline {
                debug!(error = %err, "the Kafka transaction is left to the broker");
                break;
            }
            while self.kafka.producer().in_flight_count() > 0 && Instant::now() < deadline {
                self.kafka.producer().poll(Duration::ZERO);
                std::thread::sleep(ANSWER_MIN);
            }
        }
    }

    fn open_since(&self) -> Option<Instant> {
        match self.stage {
            Stage::Between => None,
            Stage::Open(since) | Stage::Covered(since) => Some(since),
        }
    }

    fn commit(&mut self, position: &Offset, deadline: Instant) -> Result<bool, SinkError> {
        let since = self.begin()?;
        if matches!(self.stage, Stage::Open(_)) {
            match self.send_position(position) {
                Err(SinkError::Full) => {}
                sent => {
                    sent.map_err(|err| self.explain(err))?;
                    self.stage = Stage::Covered(since);
                }
            }
        }
        // The client's own way to wait looks only ten times a second.
        if !self.kafka.drain(deadline) || matches!(self.stage, Stage::Open(_)) {
            self.kafka.check().map_err(|err| self.explain(err))?;
            return Ok(false);
        }
        let left = deadline.saturating_duration_since(Instant::now()).max(ANSWER_MIN);
        match self.kafka.producer().commit_transaction(left) {
            Ok(()) => {
                self.stage = Stage::Between;
                Ok(true)
            }
            Err(KafkaError::Flush(_)) => Ok(false),
            Err(KafkaError::Transaction(err)) if is_passing(&err) => Ok(false),
            Err(err) => Err(self.failure(err)),
        }
    }

    fn reports(&self) -> Option<Reports> {
        self.kafka.reports()
    }
}
