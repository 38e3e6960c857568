use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{BorrowedMessage, Headers, Message};
use rdkafka::{Offset as KafkaOffset, TopicPartitionList};

use super::kafka::QuietContext;
use super::{OWNER, OffsetsTopic, OffsetsTopicError, StoredOffset};

/// How long the brokers may take to answer about the topic.
pub(super) const METADATA_WAIT: Duration = Duration::from_secs(10);
/// How long reading may take: compacted topics are small, but brokers may be starting.
const READ_MAX: Duration = Duration::from_secs(60);
/// How long one wait for a record lasts, so that the limit is looked at.
const RECORD_WAIT: Duration = Duration::from_millis(200);

/// A partition's last record with our key.
struct Last {
    time_ms: i64,
    value: Option<Vec<u8>>,
    owner: Option<String>,
}

impl Last {
    fn of(record: &BorrowedMessage<'_>) -> Self {
        let owner = record.headers().and_then(|headers| {
            headers.iter().find(|header| header.key == OWNER).and_then(|header| header.value)
        });
        Self {
            time_ms: record.timestamp().to_millis().unwrap_or_default(),
            value: record.payload().map(<[u8]>::to_vec),
            owner: owner.map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
        }
    }
}

impl OffsetsTopic {
    /// What the topic says of this connector at its end: of all partitions, the youngest record with our key.
    /// Records of transactions that are open or given up do not count.
    ///
    /// # Errors
    /// When it does not exist, is not readable, is not read to its end in time, or holds no offset for our key.
    pub fn read(&self) -> Result<Option<StoredOffset>, OffsetsTopicError> {
        // The client asks for a group; none is joined and nothing is committed.
        let consumer: BaseConsumer<QuietContext> = self.client(&[
            ("group.id", "outflow-offsets"),
            ("enable.auto.commit", "false"),
            ("isolation.level", "read_committed"),
            ("fetch.wait.max.ms", "10"),
            ("auto.offset.reset", "earliest"),
            ("enable.partition.eof", "true"),
            ("allow.auto.create.topics", "false"),
        ])?;
        let partitions = self.partitions_of(&consumer)?;
        let mut assignment = TopicPartitionList::new();
        for partition in &partitions {
            assignment
                .add_partition_offset(&self.topic, *partition, KafkaOffset::Beginning)
                .map_err(|err| self.unreachable("reading it", &err))?;
        }
        consumer.assign(&assignment).map_err(|err| self.unreachable("reading it", &err))?;
        let Some(last) = self.last_value(&consumer, partitions)? else { return Ok(None) };
        let found = self.parse(last.value.as_deref())?;
        Ok(found.map(|found| StoredOffset { owner: last.owner, ..found }))
    }

    pub(super) fn partitions_of(
        &self,
        consumer: &BaseConsumer<QuietContext>,
    ) -> Result<BTreeSet<i32>, OffsetsTopicError> {
        let metadata = consumer.fetch_metadata(Some(&self.topic), METADATA_WAIT);
        let metadata = metadata.map_err(|err| self.unreachable("asking for it", &err))?;
        let topic = metadata.topics().iter().find(|topic| topic.name() == self.topic);
        let error = topic.and_then(|topic| topic.error()).map(RDKafkaErrorCode::from);
        match error {
            Some(RDKafkaErrorCode::TopicAuthorizationFailed) => return Err(self.denied("READ")),
            Some(RDKafkaErrorCode::UnknownTopicOrPartition) => return Err(self.missing()),
            Some(code) => return Err(self.unreachable("asking for it", &code)),
            None => {}
        }
        let partitions: BTreeSet<i32> = topic
            .iter()
            .flat_map(|topic| topic.partitions())
            .map(|partition| partition.id())
            .collect();
        if partitions.is_empty() { Err(self.missing()) } else { Ok(partitions) }
    }

    /// Reads until the end of each partition was seen. A key stands in one partition, unless partitions were
    /// added later: then the record that is younger by its timestamp counts.
    fn last_value(
        &self,
        consumer: &BaseConsumer<QuietContext>,
        mut open: BTreeSet<i32>,
    ) -> Result<Option<Last>, OffsetsTopicError> {
        let deadline = Instant::now() + READ_MAX;
        let mut last: BTreeMap<i32, Last> = BTreeMap::new();
        while !open.is_empty() {
            match consumer.poll(RECORD_WAIT) {
                Some(Ok(record)) if record.key() == Some(&self.key) => {
                    last.insert(record.partition(), Last::of(&record));
                }
                Some(Err(KafkaError::PartitionEOF(partition))) => {
                    open.remove(&partition);
                }
                Some(Err(err)) => self.judge(&err)?,
                Some(Ok(_)) | None => {}
            }
            if Instant::now() >= deadline && !open.is_empty() {
                return Err(self.slow(READ_MAX, &open));
            }
        }
        Ok(last.into_values().max_by_key(|last| last.time_ms))
    }

    pub(super) fn slow(&self, limit: Duration, partitions: &BTreeSet<i32>) -> OffsetsTopicError {
        let partitions: Vec<String> = partitions.iter().map(ToString::to_string).collect();
        OffsetsTopicError::Slow {
            topic: self.topic.clone(),
            servers: self.sink.bootstrap_servers.clone(),
            seconds: limit.as_secs(),
            partitions: partitions.join(", "),
        }
    }

    /// Which errors end the reading: the client gets over most of them, and no group is needed.
    fn judge(&self, err: &KafkaError) -> Result<(), OffsetsTopicError> {
        match err.rdkafka_error_code() {
            Some(RDKafkaErrorCode::TopicAuthorizationFailed) => Err(self.denied("READ")),
            Some(RDKafkaErrorCode::UnknownTopicOrPartition | RDKafkaErrorCode::UnknownTopic) => {
                Err(self.missing())
            }
            Some(RDKafkaErrorCode::Authentication | RDKafkaErrorCode::SaslAuthenticationFailed) => {
                Err(self.unreachable("reading it", err))
            }
            _ => {
                tracing::debug!(error = %err, topic = %self.topic, "reading the offsets topic");
                Ok(())
            }
        }
    }
}
