use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, ResourceSpecifier, TopicReplication};
use rdkafka::error::RDKafkaErrorCode;
use tokio::runtime::Handle;
use tracing::{info, warn};

use super::kafka::QuietContext;
use super::reader::METADATA_WAIT;
use super::{OffsetsTopic, OffsetsTopicError};

/// The only policy that keeps a connector's last offset for good.
const COMPACT: &str = "compact";
const POLICY: &str = "cleanup.policy";

impl OffsetsTopic {
    /// Makes the topic as the worker's file says, compacted; one that exists must be compacted.
    ///
    /// # Errors
    /// When it cannot be made or looked at, or is not compacted.
    pub fn ensure(&self, handle: &Handle) -> Result<(), OffsetsTopicError> {
        let admin: AdminClient<QuietContext> = self.client(&[])?;
        // All topics are listed: asking for one makes brokers create it with their own settings.
        let metadata = admin.inner().fetch_metadata(None, METADATA_WAIT);
        let metadata = metadata.map_err(|err| self.unreachable("asking for it", &err))?;
        if metadata.topics().iter().any(|topic| topic.name() == self.topic) {
            return self.check_policy(&admin, handle);
        }
        if self.create(&admin, handle)? { Ok(()) } else { self.check_policy(&admin, handle) }
    }

    /// Whether it was made here and now; otherwise somebody else was faster.
    fn create(
        &self,
        admin: &AdminClient<QuietContext>,
        handle: &Handle,
    ) -> Result<bool, OffsetsTopicError> {
        let settings = &self.settings;
        let (partitions, replication_factor) = (settings.partitions, settings.replication_factor);
        let replication = TopicReplication::Fixed(replication_factor);
        let mut new = NewTopic::new(&self.topic, partitions, replication);
        for (name, value) in &settings.settings {
            new = new.set(name, value);
        }
        new = new.set(POLICY, COMPACT);
        let options = AdminOptions::new().operation_timeout(Some(METADATA_WAIT));
        let made = handle.block_on(admin.create_topics([&new], &options));
        let made = made.map_err(|err| self.unreachable("making it", &err))?;
        match made.into_iter().next() {
            Some(Ok(_)) => {
                info!(topic = %self.topic, partitions, replication_factor, "offsets topic created");
                Ok(true)
            }
            None | Some(Err((_, RDKafkaErrorCode::TopicAlreadyExists))) => Ok(false),
            Some(Err((
                _,
                RDKafkaErrorCode::TopicAuthorizationFailed
                | RDKafkaErrorCode::ClusterAuthorizationFailed,
            ))) => Err(self.denied("CREATE")),
            Some(Err((_, code))) => Err(OffsetsTopicError::NotMade {
                topic: self.topic.clone(),
                partitions,
                replication_factor,
                reason: code.to_string(),
            }),
        }
    }

    /// Whoever may not look at the topic's settings must trust them, as Connect does.
    fn check_policy(
        &self,
        admin: &AdminClient<QuietContext>,
        handle: &Handle,
    ) -> Result<(), OffsetsTopicError> {
        let resource = ResourceSpecifier::Topic(&self.topic);
        let options = AdminOptions::new().request_timeout(Some(METADATA_WAIT));
        let found = handle.block_on(admin.describe_configs([&resource], &options));
        let found = found.map_err(|err| self.unreachable("looking at its settings", &err))?;
        let described = match found.into_iter().next() {
            Some(Ok(described)) => described,
            Some(Err(
                RDKafkaErrorCode::TopicAuthorizationFailed
                | RDKafkaErrorCode::ClusterAuthorizationFailed,
            )) => {
                warn!(topic = %self.topic, "no right to look at the settings of the offsets topic: make sure that its cleanup.policy is compact");
                return Ok(());
            }
            Some(Err(code)) => return Err(self.unreachable("looking at its settings", &code)),
            None => return Ok(()),
        };
        match described.get(POLICY).and_then(|entry| entry.value.clone()) {
            Some(policy) if policy.trim() != COMPACT => {
                Err(OffsetsTopicError::NotCompacted { topic: self.topic.clone(), policy })
            }
            _ => Ok(()),
        }
    }
}
