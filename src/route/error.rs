use crate::config::JavaRegexError;
use crate::error::Remedy;

/// Why a table or a row cannot be routed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// A property names a column that the table does not have.
    #[error(
        "{property}: table {table} has no column {column:?}; it has {}",
        columns.join(", ")
    )]
    MissingColumn {
        /// The property.
        property: &'static str,
        /// The column that it names.
        column: String,
        /// The table.
        table: String,
        /// The columns that there are.
        columns: Vec<String>,
    },
    /// A property names a column of a type that cannot serve.
    #[error("{property}: column {column:?} of table {table} is {found}, it must be {needed}")]
    WrongType {
        /// The property.
        property: &'static str,
        /// The column that it names.
        column: String,
        /// The table.
        table: String,
        /// The column's type.
        found: String,
        /// The types that serve.
        needed: &'static str,
    },
    /// Two parts of an envelope have the same name.
    #[error(
        "table.fields.additional.placement: the envelope of table {table} would have two fields named \
         {field:?}; give one of them another alias"
    )]
    DuplicateField {
        /// The table.
        table: String,
        /// The name.
        field: String,
    },
    /// The column that decides the topic is NULL.
    #[error(
        "event {event_id} of table {table}: column {column:?} is NULL, so there is no topic for it"
    )]
    NullRoute {
        /// The table.
        table: String,
        /// The column of `route.by.field`.
        column: String,
        /// The event's id.
        event_id: String,
    },
    /// The pattern of `route.topic.regex` gave up on a value.
    #[error("event {event_id} of table {table}: the topic could not be told")]
    Topic {
        /// The table.
        table: String,
        /// The event's id.
        event_id: String,
        /// What the pattern met.
        source: JavaRegexError,
    },
    /// A value is not a partition's number.
    #[error("event {event_id} of table {table}: {value} in column {column:?} is not a partition")]
    Partition {
        /// The table.
        table: String,
        /// The column placed as `partition`.
        column: String,
        /// Its value.
        value: i64,
        /// The event's id.
        event_id: String,
    },
    /// A timestamp lies before 1970, which Kafka does not accept.
    #[error(
        "event {event_id} of table {table}: the timestamp {timestamp_ms} ms in column {column:?} lies \
         before 1970"
    )]
    TimestampBeforeEpoch {
        /// The table.
        table: String,
        /// The column of `table.field.event.timestamp`.
        column: String,
        /// Its value.
        timestamp_ms: i64,
        /// The event's id.
        event_id: String,
    },
    /// A timestamp is not one.
    #[error("event {event_id} of table {table}: column {column:?} does not hold a timestamp")]
    Timestamp {
        /// The table.
        table: String,
        /// The column of `table.field.event.timestamp`.
        column: String,
        /// The event's id.
        event_id: String,
    },
    /// The row image leaves out a column that is needed.
    #[error(
        "event {event_id} of table {table}: column {column:?} is not in the row image and has no literal \
         default; set binlog_row_image=FULL"
    )]
    Absent {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The event's id.
        event_id: String,
    },
    /// A transform of the chain cannot do what it is configured to do.
    #[error("transforms.{alias}: {reason}")]
    Transform {
        /// The transform's name.
        alias: String,
        /// What it met.
        reason: String,
    },
    /// A predicate's pattern gave up on a table's topic.
    #[error("whether a predicate holds for topic {topic:?} could not be told")]
    Predicate {
        /// The topic before the router.
        topic: String,
        /// What the pattern met.
        source: JavaRegexError,
    },
    /// The row was decoded or laid out for another plan.
    #[error("event {event_id} of table {table}: column {column:?} was not decoded as planned")]
    Unplanned {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The event's id.
        event_id: String,
    },
}

impl RouteError {
    /// Whether waiting can cure it.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::MissingColumn { .. }
            | Self::WrongType { .. }
            | Self::DuplicateField { .. }
            | Self::NullRoute { .. }
            | Self::Topic { .. }
            | Self::Partition { .. }
            | Self::TimestampBeforeEpoch { .. }
            | Self::Timestamp { .. }
            | Self::Absent { .. }
            | Self::Transform { .. }
            | Self::Predicate { .. }
            | Self::Unplanned { .. } => Remedy::Stop, // The same row or table fails again.
        }
    }
}
