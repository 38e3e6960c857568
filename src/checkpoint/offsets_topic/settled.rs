use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer};

use super::kafka::QuietContext;
use super::reader::METADATA_WAIT;
use super::{OffsetsTopic, OffsetsTopicError, StoredOffset, partition_of};

/// How long other producers' open transactions are waited for: Connect's own may last a minute.
const OPEN_MAX: Duration = Duration::from_secs(90);
/// The pause between looks at them.
const LOOK_EVERY: Duration = Duration::from_millis(50);

impl OffsetsTopic {
    /// As [`Self::read`], once every transaction that is open in our partition at this moment has ended. What others
    /// leave open there hides what was committed behind it, our own last position too.
    ///
    /// # Errors
    /// As [`Self::read`], and when a transaction stays open for too long.
    pub fn read_settled(
        &self,
        wait: impl Fn() -> bool,
    ) -> Result<Option<StoredOffset>, OffsetsTopicError> {
        let all: BaseConsumer<QuietContext> = self.client(&[
            ("group.id", "outflow-offsets"),
            ("isolation.level", "read_uncommitted"),
            ("allow.auto.create.topics", "false"),
        ])?;
        let committed: BaseConsumer<QuietContext> = self.client(&[
            ("group.id", "outflow-offsets"),
            ("isolation.level", "read_committed"),
            ("allow.auto.create.topics", "false"),
        ])?;
        let partitions = self.partitions_of(&all)?;
        let count = i32::try_from(partitions.len()).unwrap_or(i32::MAX);
        let partition = partition_of(self.key(), count);
        let end = |consumer: &BaseConsumer<QuietContext>| {
            let ends = consumer.fetch_watermarks(&self.topic, partition, METADATA_WAIT);
            ends.map(|(_, end)| end).map_err(|err| self.unreachable("asking for its end", &err))
        };
        let (last, deadline) = (end(&all)?, Instant::now() + OPEN_MAX);
        while end(&committed)? < last {
            if Instant::now() >= deadline || !wait() {
                return Err(self.slow(OPEN_MAX, &[partition].into()));
            }
            std::thread::sleep(LOOK_EVERY);
        }
        self.read()
    }
}
