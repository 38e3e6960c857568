use std::time::Duration;

/// Exactly-once delivery: records and the position that covers them in one Kafka transaction.
#[derive(Clone, Debug)]
pub struct ExactlyOnce {
    /// Connect's name for the producer of a connector's only task: `<group.id>-<connector>-0`.
    pub transactional_id: String,
    /// The compacted topic that the position goes to.
    pub offsets_topic: String,
    /// `producer.override.transaction.timeout.ms`: the broker gives a transaction up that is open for so long.
    pub transaction_timeout: Duration,
    /// `outflow.transaction.split.rows`: a MySQL transaction is split once so many of its rows are sent; `None`
    /// never splits one.
    pub split_rows: Option<u64>,
}

/// `exactly.once.support`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExactlyOnceSupport {
    /// As the worker's file says.
    #[default]
    Requested,
    /// Exactly once, or not at all.
    Required,
}
