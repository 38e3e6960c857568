use std::collections::HashSet;
use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::error::RDKafkaErrorCode;
use tokio::runtime::Handle;
use tracing::info;

use super::SinkError;
use crate::config::TopicCreation;

/// How long the cluster may take to answer about a topic.
const ADMIN_WAIT: Duration = Duration::from_secs(10);

/// Makes missing topics as `topic.creation.*` says, before the first record goes there.
pub(super) struct TopicMaker {
    creation: TopicCreation,
    admin: AdminClient<DefaultClientContext>,
    handle: Handle,
    known: HashSet<Box<str>>,
}

impl TopicMaker {
    pub(super) fn new(
        creation: TopicCreation,
        client: &ClientConfig,
        handle: Handle,
    ) -> Result<Self, SinkError> {
        let admin = client.create().map_err(|err| SinkError::Configuration(err.to_string()))?;
        Ok(Self { creation, admin, handle, known: HashSet::new() })
    }

    /// Makes the topic if it does not exist. After the first time it costs one look-up.
    pub(super) fn ensure(&mut self, topic: &str) -> Result<(), SinkError> {
        if !self.known.contains(topic) {
            if !self.exists(topic)? {
                self.create(topic)?;
            }
            self.known.insert(topic.into());
        }
        Ok(())
    }

    fn exists(&self, topic: &str) -> Result<bool, SinkError> {
        // All topics are listed: asking for one makes brokers create it with their own settings.
        let metadata = self.admin.inner().fetch_metadata(None, ADMIN_WAIT);
        let metadata = metadata.map_err(|err| undelivered(topic, err.to_string()))?;
        Ok(metadata.topics().iter().any(|found| found.name() == topic))
    }

    fn create(&self, topic: &str) -> Result<(), SinkError> {
        let settings = self.creation.settings(topic);
        let replication = TopicReplication::Fixed(settings.replication_factor);
        let mut new = NewTopic::new(topic, settings.partitions, replication);
        for (name, value) in &settings.settings {
            new = new.set(name, value);
        }
        let options = AdminOptions::new().operation_timeout(Some(ADMIN_WAIT));
        let results = self.handle.block_on(self.admin.create_topics([&new], &options));
        let results = results.map_err(|err| undelivered(topic, err.to_string()))?;
        for result in results {
            match result {
                Ok(_) => info!(topic, partitions = settings.partitions, "topic created"),
                Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => {}
                Err((
                    _,
                    RDKafkaErrorCode::TopicAuthorizationFailed
                    | RDKafkaErrorCode::ClusterAuthorizationFailed,
                )) => return Err(SinkError::Denied { topic: topic.to_owned() }),
                Err((_, code)) => {
                    return Err(undelivered(topic, format!("creating the topic: {code}")));
                }
            }
        }
        Ok(())
    }
}

fn undelivered(topic: &str, reason: String) -> SinkError {
    SinkError::Undelivered { topic: topic.to_owned(), reason }
}
