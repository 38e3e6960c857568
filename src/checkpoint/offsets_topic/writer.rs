use rdkafka::error::RDKafkaErrorCode;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use tokio::runtime::Handle;

use super::kafka::QuietContext;
use super::reader::METADATA_WAIT;
use super::{OffsetsTopic, OffsetsTopicError, partition_of};
use crate::offset::Offset;

impl OffsetsTopic {
    /// Stores `offset` as this connector's, where Connect would; it is acknowledged once this returns.
    ///
    /// # Errors
    /// When the topic does not take it.
    pub fn write(&self, offset: &Offset, handle: &Handle) -> Result<(), OffsetsTopicError> {
        let producer: FutureProducer<QuietContext> = self.client(&[
            ("acks", "all"),
            ("enable.idempotence", "true"),
            ("message.timeout.ms", "30000"),
            ("linger.ms", "0"),
        ])?;
        let metadata = producer.client().fetch_metadata(Some(&self.topic), METADATA_WAIT);
        let metadata = metadata.map_err(|err| self.unreachable("asking for it", &err))?;
        let partitions = metadata.topics().first().map_or(0, |topic| topic.partitions().len());
        let partitions = i32::try_from(partitions).unwrap_or(i32::MAX);
        if partitions == 0 {
            return Err(self.missing());
        }
        let value = Self::value(offset);
        let record = FutureRecord::to(&self.topic)
            .partition(partition_of(&self.key, partitions))
            .key(&self.key)
            .payload(&value);
        let sent = producer
            .send_result(record)
            .map_err(|(err, _)| self.unreachable("writing to it", &err))?;
        match handle.block_on(sent) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err((err, _)))
                if err.rdkafka_error_code() == Some(RDKafkaErrorCode::TopicAuthorizationFailed) =>
            {
                Err(self.denied("WRITE"))
            }
            Ok(Err((err, _))) => Err(self.unreachable("writing to it", &err)),
            Err(_) => Err(self.unreachable("writing to it", &"the producer ended")),
        }
    }
}
