//! Connect's offsets topic: one record a connector, whose key names it and whose value is its offset.

mod kafka;
mod partition;
mod reader;
mod record;
mod settled;
mod setup;
mod writer;

use rdkafka::client::ClientContext;
use rdkafka::config::{ClientConfig, FromClientConfigAndContext};

use crate::config::{ConnectorConfig, SinkConfig, TopicSettings};
use crate::error::Remedy;
use crate::offset::OffsetError;

use kafka::QuietContext;
pub use partition::partition_of;
pub use record::{OWNER, StoredOffset};

/// Where one connector's offset stands in Connect's offsets topic.
#[derive(Clone, Debug)]
pub struct OffsetsTopic {
    topic: String,
    key: Vec<u8>,
    settings: TopicSettings,
    sink: SinkConfig,
    said: QuietContext,
}

/// Why the offsets topic cannot be read, written or made.
#[derive(Debug, thiserror::Error)]
pub enum OffsetsTopicError {
    /// The client cannot be made with this configuration.
    #[error(
        "no Kafka client for the offsets topic {topic:?} can be made: {reason}; look at bootstrap.servers, and at \
         the worker's security settings"
    )]
    Configuration {
        /// The topic.
        topic: String,
        /// What librdkafka said.
        reason: String,
    },
    /// The cluster does not answer, or not to this request.
    #[error("the offsets topic {topic:?} on {servers:?}: {reason}")]
    Unreachable {
        /// The topic.
        topic: String,
        /// The bootstrap servers.
        servers: String,
        /// What was being done, and what librdkafka said.
        reason: String,
    },
    /// Its end was not reached in time.
    #[error(
        "the offsets topic {topic:?} on {servers:?} was not read to its end within {seconds} s; partitions {partitions} \
         are missing: look whether they have a leader, and whether a transaction is left open"
    )]
    Slow {
        /// The topic.
        topic: String,
        /// The bootstrap servers.
        servers: String,
        /// The limit.
        seconds: u64,
        /// The partitions whose end was not seen.
        partitions: String,
    },
    /// No right to it.
    #[error(
        "no right to {right} the offsets topic {topic:?}; grant it to the user of the worker's security settings, \
         or name another topic with offset.storage.topic"
    )]
    Denied {
        /// The topic.
        topic: String,
        /// `READ`, `WRITE` or `CREATE`.
        right: &'static str,
    },
    /// It is not there.
    #[error(
        "the offsets topic {topic:?} does not exist on {servers:?}; look at offset.storage.topic and bootstrap.servers"
    )]
    Missing {
        /// The topic.
        topic: String,
        /// The bootstrap servers.
        servers: String,
    },
    /// The broker would in time delete what is in it.
    #[error(
        "the offsets topic {topic:?} has cleanup.policy={policy}, under which offsets are lost in time; mend it with \
         kafka-configs.sh --alter --entity-type topics --entity-name {topic} --add-config cleanup.policy=compact"
    )]
    NotCompacted {
        /// The topic.
        topic: String,
        /// What it has.
        policy: String,
    },
    /// It cannot be made.
    #[error(
        "the offsets topic {topic:?} cannot be made with {partitions} partitions and {replication_factor} replicas: \
         {reason}; set offset.storage.partitions and offset.storage.replication.factor in the worker's file, or \
         make it, compacted"
    )]
    NotMade {
        /// The topic.
        topic: String,
        /// `offset.storage.partitions`.
        partitions: i32,
        /// `offset.storage.replication.factor`.
        replication_factor: i32,
        /// What the broker said.
        reason: String,
    },
    /// The record does not parse.
    #[error(
        "the record of key {key} in the offsets topic {topic:?} holds no offset of the MySQL connector"
    )]
    Malformed {
        /// The topic.
        topic: String,
        /// The record's key.
        key: String,
        /// What is wrong with it.
        source: OffsetError,
    },
}

impl OffsetsTopicError {
    /// Whether waiting can cure it.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Unreachable { .. } | Self::Slow { .. } => Remedy::Retry,
            Self::Configuration { .. }
            | Self::Denied { .. }
            | Self::Missing { .. }
            | Self::NotCompacted { .. }
            | Self::NotMade { .. }
            | Self::Malformed { .. } => Remedy::Stop,
        }
    }
}

impl OffsetsTopic {
    /// This connector's place in the topic that its file or the worker's names; `None` where neither does.
    #[must_use]
    pub fn of(config: &ConnectorConfig) -> Option<Self> {
        let topic = config.sink.offsets_topic.clone()?;
        Some(Self::named(topic, config))
    }

    /// This connector's place in a topic of this name.
    #[must_use]
    pub fn named(topic: String, config: &ConnectorConfig) -> Self {
        Self {
            topic,
            key: record::key(&config.name, &config.topic_prefix),
            settings: config.sink.offsets_topic_settings.clone(),
            sink: config.sink.clone(),
            said: QuietContext::default(),
        }
    }

    /// The topic's name.
    #[must_use]
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// The record's key, byte for byte as Connect writes it.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    fn client<T>(&self, own: &[(&str, &str)]) -> Result<T, OffsetsTopicError>
    where
        T: FromClientConfigAndContext<QuietContext>,
        QuietContext: ClientContext,
    {
        let mut client = ClientConfig::new();
        client.set("client.id", "outflow-offsets");
        client.set("bootstrap.servers", &self.sink.bootstrap_servers);
        client.set("reconnect.backoff.ms", "50").set("reconnect.backoff.max.ms", "1000");
        for (name, value) in self.sink.connection() {
            client.set(name, value.expose());
        }
        for (name, value) in own {
            client.set(*name, *value);
        }
        client.create_with_context(self.said.clone()).map_err(|err| {
            OffsetsTopicError::Configuration { topic: self.topic.clone(), reason: err.to_string() }
        })
    }

    fn unreachable(&self, doing: &str, reason: &impl std::fmt::Display) -> OffsetsTopicError {
        let said = self.said.last().map(|said| format!("; the client says: {said}"));
        OffsetsTopicError::Unreachable {
            topic: self.topic.clone(),
            servers: self.sink.bootstrap_servers.clone(),
            reason: format!("{doing}: {reason}{}", said.unwrap_or_default()),
        }
    }

    fn denied(&self, right: &'static str) -> OffsetsTopicError {
        OffsetsTopicError::Denied { topic: self.topic.clone(), right }
    }

    fn missing(&self) -> OffsetsTopicError {
        OffsetsTopicError::Missing {
            topic: self.topic.clone(),
            servers: self.sink.bootstrap_servers.clone(),
        }
    }
}
