use crate::checkpoint::{OffsetsTopicError, StoreError};
use crate::convert::ConvertError;
use crate::decode::DecodeError;
use crate::error::Remedy;
use crate::route::RouteError;
use crate::sink::SinkError;
use crate::source::event::EventError;
use crate::source::{PreflightProblem, SourceError};

/// Why a connector is not running.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// MySQL, or the way to it.
    #[error(transparent)]
    Source(Box<SourceError>),
    /// Bytes of the log that cannot be read.
    #[error("in transaction {transaction}")]
    Decode {
        /// The transaction, by GTID or position.
        transaction: String,
        /// What cannot be read.
        source: Box<DecodeError>,
    },
    /// A row that cannot be routed.
    #[error("row of transaction {transaction}, table {table}")]
    Route {
        /// The transaction, by GTID or position.
        transaction: String,
        /// The table.
        table: String,
        /// What is wrong with the row.
        source: Box<RouteError>,
    },
    /// A record that cannot be converted.
    #[error("row of transaction {transaction}, table {table}")]
    Convert {
        /// The transaction, by GTID or position.
        transaction: String,
        /// The table.
        table: String,
        /// What is wrong with the record.
        source: Box<ConvertError>,
    },
    /// An event of the log whose bytes are not what they should be.
    #[error("{event} in transaction {transaction}")]
    Event {
        /// The transaction, by GTID or position.
        transaction: String,
        /// The event's type.
        event: String,
        /// What is wrong.
        source: EventError,
    },
    /// Converters that cannot be made.
    #[error(transparent)]
    Converters(Box<ConvertError>),
    /// Transforms that cannot do what they are configured to do.
    #[error("{}", .0.join("\n"))]
    Transforms(Vec<String>),
    /// Transaction records that the converters cannot write.
    #[error("provide.transaction.metadata: {}", .0.join("\n"))]
    TransactionRecords(Vec<String>),
    /// Tables that the router cannot work with.
    #[error("{}", .0.join("\n"))]
    Tables(Vec<String>),
    /// `snapshot.mode=recovery` without a stored position.
    #[error(
        "snapshot.mode=recovery goes on from a stored position, and there is no stored position; write initial or \
         no_data for a first start"
    )]
    NothingToRecover,
    /// Kafka, or the way to it.
    #[error(transparent)]
    Sink(#[from] SinkError),
    /// A record that Kafka refuses.
    #[error("record of transaction {transaction}, table {table}, event {event_id}")]
    Delivery {
        /// The transaction, by GTID or position.
        transaction: String,
        /// The table.
        table: String,
        /// The event's id.
        event_id: String,
        /// Why.
        source: Box<SinkError>,
    },
    /// A record that the producer does not take, whatever becomes of others.
    #[error(transparent)]
    Refused(SinkError),
    /// The checkpoint.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The topic of positions.
    #[error(transparent)]
    OffsetsTopic(Box<OffsetsTopicError>),
    /// `table.op.invalid.behavior=fatal` and an outbox row was updated.
    #[error(
        "transaction {transaction} updates a row of {table} and table.op.invalid.behavior is fatal; outbox \
         rows are only ever inserted and deleted"
    )]
    InvalidOperation {
        /// The transaction, by GTID or position.
        transaction: String,
        /// The table.
        table: String,
    },
    /// A statement in place of row events.
    #[error(
        "transaction {transaction} {does} in statement format, so its rows are not in the log; set \
         binlog_format=ROW for every session, publish what rows it wrote by other means, and go on behind it \
         with event.processing.failure.handling.mode=warn"
    )]
    StatementFormat {
        /// The transaction, by GTID or position.
        transaction: String,
        /// What it does, or may do, to which tables.
        does: String,
    },
    /// A layout that the log does not carry and nothing proves.
    #[error(
        "in transaction {transaction}: which columns {table} had is not known, since the table was altered again \
         before these rows were read, at {place} by {statement:?}, and binlog_row_metadata=MINIMAL keeps \
         columns out of the log; SET GLOBAL binlog_row_metadata=FULL for what comes; publish the rows between \
         by other means before resetting the offset"
    )]
    UnprovenLayout {
        /// The transaction, by GTID or position.
        transaction: String,
        /// The table.
        table: String,
        /// Where the later alteration ends in the log.
        place: String,
        /// Its beginning.
        statement: String,
    },
    /// An event that a reader must know and this one does not.
    #[error(
        "unknown event type {event_type} in transaction {transaction}; this server needs a newer outflow"
    )]
    UnknownEvent {
        /// The number of the type.
        event_type: u8,
        /// The transaction, by GTID or position.
        transaction: String,
    },
    /// The server says that events are missing from its log.
    #[error(
        "the server reports an incident in its log after transaction {transaction}: {message}; rows may be \
         missing there, so compare the table with the topic before resetting the offset"
    )]
    Incident {
        /// The transaction, by GTID or position.
        transaction: String,
        /// The server's words.
        message: String,
    },
    /// A stage panicked: a defect of outflow.
    #[error("a stage of the connector panicked: {0}; this is a defect of outflow")]
    Panic(String),
    /// No failure, but the end of what was asked of the stream: the next transaction is not in the snapshot.
    #[error("the stream has reached the snapshot")]
    SnapshotReached,
    /// Somebody asked.
    #[error("stopped on request")]
    StopRequested,
}

impl From<SourceError> for Failure {
    fn from(err: SourceError) -> Self {
        Self::Source(Box::new(err))
    }
}

impl From<OffsetsTopicError> for Failure {
    fn from(err: OffsetsTopicError) -> Self {
        Self::OffsetsTopic(Box::new(err))
    }
}

impl Failure {
    /// Whether waiting can cure it: the one place that decides.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Source(err) => err.remedy(),
            Self::Decode { source, .. } => source.remedy(),
            Self::Route { source, .. } => source.remedy(),
            Self::Convert { source, .. } => source.remedy(),
            Self::Sink(err) | Self::Refused(err) => err.remedy(),
            Self::Delivery { source, .. } => source.remedy(),
            Self::Store(err) => err.remedy(),
            Self::OffsetsTopic(err) => err.remedy(),
            Self::Event { .. }
            | Self::Converters(_)
            | Self::Transforms(_)
            | Self::TransactionRecords(_)
            | Self::Tables(_)
            | Self::NothingToRecover
            | Self::InvalidOperation { .. }
            | Self::StatementFormat { .. }
            | Self::UnprovenLayout { .. }
            | Self::UnknownEvent { .. }
            | Self::Incident { .. }
            | Self::Panic(_)
            | Self::SnapshotReached
            | Self::StopRequested => Remedy::Stop,
        }
    }

    /// Whether records were refused that may be sound, each by itself.
    pub(super) fn is_of_batch(&self) -> bool {
        let Self::Delivery { source, .. } = self else { return false };
        matches!(source.reason(), SinkError::TooLarge { .. } | SinkError::Rejected { .. })
    }

    /// Whether the log can only be read on from a place in it.
    pub(super) fn is_without_gtids(&self) -> bool {
        matches!(self, Self::Source(source) if matches!(**source, SourceError::WithoutGtids(_)))
    }

    /// Whether it lies in what a transaction holds, so that those before it could still be published.
    pub(super) fn is_of_transaction(&self) -> bool {
        match self {
            Self::Decode { .. }
            | Self::Route { .. }
            | Self::Convert { .. }
            | Self::Event { .. }
            | Self::Refused(_)
            | Self::Delivery { .. }
            | Self::InvalidOperation { .. }
            | Self::StatementFormat { .. }
            | Self::UnprovenLayout { .. }
            | Self::UnknownEvent { .. }
            | Self::Incident { .. } => self.remedy() == Remedy::Stop,
            Self::Sink(err) => {
                err.is_of_record() || matches!(err, SinkError::TransactionTooLarge { .. })
            }
            Self::Source(_)
            | Self::Converters(_)
            | Self::Transforms(_)
            | Self::TransactionRecords(_)
            | Self::Tables(_)
            | Self::NothingToRecover
            | Self::Store(_)
            | Self::OffsetsTopic(_)
            | Self::Panic(_)
            | Self::SnapshotReached
            | Self::StopRequested => false,
        }
    }

    /// Whether the server cannot go on from the stored position.
    pub(super) fn is_lost_position(&self) -> bool {
        let Self::Source(source) = self else { return false };
        let SourceError::Preflight(problems) = &**source else { return false };
        problems.iter().any(PreflightProblem::is_lost_position)
    }

    /// Whether the server is not the one that the stored position is from: the one may yet come back.
    pub(super) fn is_of_other_server(&self) -> bool {
        let Self::Source(source) = self else { return false };
        let SourceError::Preflight(problems) = &**source else { return false };
        problems.iter().any(|problem| matches!(problem, PreflightProblem::OtherServer(_)))
    }

    /// Whether the address leads to another server than the session began with.
    pub(super) fn is_of_changed_server(&self) -> bool {
        matches!(self, Self::Source(source) if matches!(**source, SourceError::OtherServer(_)))
    }

    /// The whole chain of causes in one line.
    #[must_use]
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        text
    }
}
