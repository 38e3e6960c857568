//! `ProducerRecord`s to Kafka, one ordered sender; acknowledgements come back to `checkpoint::InFlight`.
//!
//! A record is either taken, in order, or refused with room to try again; the first failed delivery stops
//! the sender before anything overtakes it.

mod delivery;
mod embedded;
mod inspect;
mod kafka_sink;
mod lanes;
mod line_sink;
mod lookout;
mod topics;
mod transactional_sink;

pub use embedded::EmbeddedCluster;
pub use inspect::{TopicState, look_at_topics};
pub use kafka_sink::{KafkaSink, Reports};
pub use line_sink::{LineSink, NullSink};
pub use transactional_sink::TransactionalSink;

use std::time::Instant;

use crate::convert::ProducerRecord;
use crate::error::Remedy;
use crate::offset::Offset;

/// Where records go.
pub trait Sink: Send {
    /// Takes a record, which is acknowledged later under its sequence number.
    ///
    /// # Errors
    /// `SinkError::Full` when there is no room yet; any other error means that nothing more may be sent.
    fn send(&mut self, record: &ProducerRecord<'_>, sequence: u64) -> Result<(), SinkError>;

    /// Serves what has been acknowledged, without waiting.
    ///
    /// # Errors
    /// When a delivery has failed.
    fn poll(&mut self) -> Result<(), SinkError>;

    /// Told now and then whether the reader is far behind: a sink may then send in bulk, and at once otherwise.
    ///
    /// # Errors
    /// When a delivery has failed.
    fn pace(&mut self, far_behind: bool) -> Result<(), SinkError>;

    /// Whether the queue is as full as it should get.
    fn is_full(&self) -> bool;

    /// Waits until everything sent is acknowledged or has failed; whether all of it is acknowledged.
    fn drain(&mut self, deadline: Instant) -> bool;

    /// Gives up what is queued, so that nothing overtakes a failed record.
    fn purge(&mut self);

    /// Since when a Kafka transaction is open; `None` where there is none.
    fn open_since(&self) -> Option<Instant> {
        None
    }

    /// Commits everything sent since the last commit, together with the position that covers it; whether that is
    /// done by the deadline. Otherwise it is to be called again. Only a [`TransactionalSink`] has anything to do.
    ///
    /// # Errors
    /// When the transaction has failed: a new sink goes on from the last position.
    fn commit(&mut self, _position: &Offset, _deadline: Instant) -> Result<bool, SinkError> {
        Ok(true)
    }

    /// A handle for the thread that serves delivery reports while the sender has nothing to do; `None`
    /// where sending acknowledges.
    fn reports(&self) -> Option<Reports>;
}

/// Why a record cannot be sent or was not delivered.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SinkError {
    /// No room in the producer's queue.
    #[error("the producer's queue is full")]
    Full,
    /// The producer cannot be made with this configuration.
    #[error(
        "the Kafka producer cannot be made: {0}; look at bootstrap.servers and producer.override.*"
    )]
    Configuration(String),
    /// The cluster does not answer at start.
    #[error("no Kafka broker of {servers:?} answers: {reason}")]
    Unreachable {
        /// The bootstrap servers.
        servers: String,
        /// What librdkafka said.
        reason: String,
    },
    /// A broker refuses the login.
    #[error(
        "Kafka refuses the login: {0}; look at producer.override.sasl.mechanism and producer.override.sasl.jaas.config"
    )]
    Login(String),
    /// No agreement on TLS with a broker, or it is not the one it says.
    #[error(
        "no TLS connection with Kafka: {0}; look at producer.override.security.protocol and producer.override.ssl.*"
    )]
    Tls(String),
    /// A record is larger than the client, the topic or the broker allows.
    #[error(
        "a record for topic {topic:?} is too large; raise max.message.bytes of the topic, message.max.bytes \
         of the broker and producer.override.max.request.size"
    )]
    TooLarge {
        /// The topic.
        topic: String,
    },
    /// A record is larger than the producer's whole queue, which the file limits.
    #[error(
        "a record for topic {topic:?} is larger than the producer's buffer; raise producer.override.buffer.memory"
    )]
    LargerThanBuffer {
        /// The topic.
        topic: String,
    },
    /// The topic's name is not a legal one.
    #[error(
        "topic {topic:?} is not a legal Kafka topic name; look at route.topic.replacement and the route column"
    )]
    IllegalTopic {
        /// The topic.
        topic: String,
    },
    /// A partition that the topic does not have.
    #[error(
        "partition {partition} of topic {topic:?} does not exist; look at the partition placement"
    )]
    UnknownPartition {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
    },
    /// The broker will never take a record, or another one of its batch.
    #[error(
        "the broker refuses a record for topic {topic:?}: {reason}; look at what the topic asks of records \
         (message.timestamp.before.max.ms and after.max.ms, cleanup.policy=compact, which wants keys) and at the row"
    )]
    Rejected {
        /// The topic.
        topic: String,
        /// What librdkafka said.
        reason: String,
    },
    /// The topic does not exist and the broker does not make it.
    #[error(
        "topic {topic:?} does not exist and the broker does not create it; create it, and sending goes on"
    )]
    UnknownTopic {
        /// The topic.
        topic: String,
    },
    /// No right to write.
    #[error(
        "no right to write to topic {topic:?}; grant Write and Describe on it, and sending goes on"
    )]
    Denied {
        /// The topic.
        topic: String,
    },
    /// A delivery failed in another way.
    #[error("a record for topic {topic:?} was not delivered: {reason}")]
    Undelivered {
        /// The topic.
        topic: String,
        /// What librdkafka said.
        reason: String,
    },
    /// One record was refused; which one.
    #[error("{reason}")]
    Record {
        /// Its sequence number.
        sequence: u64,
        /// What its header `id` says.
        event_id: String,
        /// Why.
        reason: Box<SinkError>,
    },
    /// Brokers answer other clients, and this one has forgotten how to reach them.
    #[error(
        "the Kafka client has lost all brokers of a cluster that answers others; a new one goes on, and records are \
         left unacknowledged, which are sent again"
    )]
    BrokersLost,
    /// The producer lost its state and must be made anew.
    #[error("the Kafka producer failed: {0}")]
    Fatal(String),
    /// The Kafka transaction failed.
    #[error("the Kafka transaction is given up, and its rows are sent again: {0}")]
    Transaction(String),
    /// The broker takes nothing more from this producer: its transaction was open for too long, or there is another one.
    #[error(
        "the broker has ended the Kafka transaction of {transactional_id:?}: it was open for longer than \
         transaction.timeout.ms, or another process has taken over"
    )]
    Fenced {
        /// The transactional id.
        transactional_id: String,
    },
    /// Another process publishes for this connector.
    #[error(
        "another process has taken over: it publishes under the transactional id {transactional_id:?} and keeps the \
         position in topic {topic:?}; run one process a connector, or give them other names or another group.id \
         in the worker's file"
    )]
    TakenOver {
        /// The transactional id.
        transactional_id: String,
        /// The topic of positions.
        topic: String,
    },
    /// A MySQL transaction that does not fit into a Kafka transaction.
    #[error(
        "a MySQL transaction, or a snapshot that cannot go on in parts, is too large for one Kafka transaction: {rows} rows and {seconds} s, and \
         its end is not reached; raise producer.override.transaction.timeout.ms (up to the broker's \
         transaction.max.timeout.ms), or let outflow.transaction.split.rows split it"
    )]
    TransactionTooLarge {
        /// Rows sent so far.
        rows: u64,
        /// How long that took.
        seconds: u64,
    },
    /// The broker allows no transactions of this length.
    #[error(
        "producer.override.transaction.timeout.ms={0} is more than the broker's transaction.max.timeout.ms; lower the one or raise the other"
    )]
    TransactionTimeout(u128),
    /// No right to the transactional id.
    #[error(
        "no right to the transactional id {0:?}; grant Write and Describe on it, and sending goes on"
    )]
    DeniedTransactionalId(String),
    /// Standard output went away.
    #[error("writing to standard output failed: {0}")]
    Output(String),
}

impl SinkError {
    /// Why, whichever record it concerns.
    #[must_use]
    pub fn reason(&self) -> &Self {
        match self {
            Self::Record { reason, .. } => reason.reason(),
            other => other,
        }
    }

    /// Whether it lies in the record alone, so that others could still be sent.
    #[must_use]
    pub fn is_of_record(&self) -> bool {
        matches!(
            self.reason(),
            Self::TooLarge { .. }
                | Self::LargerThanBuffer { .. }
                | Self::IllegalTopic { .. }
                | Self::Rejected { .. }
                | Self::UnknownPartition { .. }
        )
    }

    /// Whether waiting can cure it.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Full
            | Self::Unreachable { .. }
            | Self::Login(_)
            | Self::Tls(_)
            | Self::UnknownTopic { .. }
            | Self::Denied { .. }
            | Self::Undelivered { .. }
            | Self::Transaction(_)
            | Self::Fenced { .. } // Whether by another process is looked at next.
            | Self::DeniedTransactionalId(_)
            | Self::BrokersLost
            | Self::Fatal(_) => Remedy::Retry, // A new producer goes on from the checkpoint.
            Self::Record { reason, .. } => reason.remedy(),
            Self::Configuration(_)
            | Self::TooLarge { .. }
            | Self::LargerThanBuffer { .. }
            | Self::IllegalTopic { .. }
            | Self::Rejected { .. }
            | Self::UnknownPartition { .. }
            | Self::TakenOver { .. }
            | Self::TransactionTooLarge { .. }
            | Self::TransactionTimeout(_)
            | Self::Output(_) => Remedy::Stop,
        }
    }
}
