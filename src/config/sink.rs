use std::collections::BTreeMap;
use std::time::Duration;

use super::{JavaRegex, Secret};

/// The three converters.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ConvertersConfig {
    pub key: ConverterConfig,
    pub value: ConverterConfig,
    pub header: ConverterConfig,
}

/// A converter with its options, the prefix stripped.
#[derive(Clone, Debug)]
pub struct ConverterConfig {
    /// Which one.
    pub class: ConverterClass,
    /// `schemas.enable` of `JsonConverter`.
    pub schemas_enable: bool,
    /// `decimal.format` of `JsonConverter` is `NUMERIC`.
    pub decimal_numeric: bool,
    /// `replace.null.with.default` of `JsonConverter`.
    pub replace_null_with_default: bool,
    /// `converter.encoding` of `StringConverter`, where it is not UTF-8.
    pub encoding: Option<String>,
    /// `delegate.converter.type` of `BinaryDataConverter`.
    pub delegate: Option<Box<ConverterConfig>>,
}

/// The converters that outflow knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Connect's own")]
pub enum ConverterClass {
    String,
    Json,
    ByteArray,
    BinaryData,
    SimpleHeader,
    Boolean,
    Short,
    Integer,
    Long,
    Float,
    Double,
}

/// Where records go.
#[derive(Clone, Debug)]
pub struct SinkConfig {
    /// Comma-separated `host:port`s; empty when the sink needs none.
    pub bootstrap_servers: String,
    /// `producer.override.*` and the worker's security settings under librdkafka's names. Values may be secret.
    pub producer: BTreeMap<String, Secret>,
    /// `topic.creation.*`: how missing topics are made before the first record goes there; `None` leaves it to the broker.
    pub topic_creation: Option<TopicCreation>,
    /// `transaction.boundary`, where records go in Kafka transactions.
    pub transaction_boundary: TransactionBoundary,
    /// `offsets.storage.topic`, or the worker's `offset.storage.topic`: where Connect kept the offset.
    pub offsets_topic: Option<String>,
    /// `offset.storage.partitions`, `.replication.factor` and the rest of them: how that topic is made.
    pub offsets_topic_settings: TopicSettings,
}

impl SinkConfig {
    /// The settings of `producer` that any client needs to reach the same brokers: its way there, its login and
    /// its patience. What only a producer has is left out.
    pub fn connection(&self) -> impl Iterator<Item = (&str, &Secret)> {
        let is_shared = |name: &str| CONNECTION.iter().any(|prefix| name.starts_with(prefix));
        let all = self.producer.iter().map(|(name, value)| (name.as_str(), value));
        all.filter(move |(name, _)| is_shared(name))
    }
}

/// What the names of such settings begin with.
const CONNECTION: &[&str] = &[
    "allow.auto",
    "api.",
    "broker.",
    "client.",
    "connections.",
    "debug",
    "enable.ssl",
    "log",
    "metadata.",
    "receive.",
    "reconnect.",
    "sasl.",
    "security.",
    "socket.",
    "ssl.",
    "topic.metadata.",
];

/// `topic.creation.*`.
#[derive(Clone, Debug)]
pub struct TopicCreation {
    /// `topic.creation.groups`, in that order: the first that includes a topic's name and does not exclude it counts.
    pub groups: Vec<TopicGroup>,
    /// `topic.creation.default.*`.
    pub default: TopicSettings,
}

impl TopicCreation {
    /// How `topic` is made.
    #[must_use]
    pub fn settings(&self, topic: &str) -> &TopicSettings {
        let any =
            |patterns: &[JavaRegex]| patterns.iter().any(|p| p.matches(topic).unwrap_or(false));
        let group = self.groups.iter().find(|group| any(&group.include) && !any(&group.exclude));
        group.map_or(&self.default, |group| &group.settings)
    }
}

/// `topic.creation.<group>.*`.
#[derive(Clone, Debug)]
pub struct TopicGroup {
    /// `include`: whole names.
    pub include: Vec<JavaRegex>,
    /// `exclude`.
    pub exclude: Vec<JavaRegex>,
    /// The rest.
    pub settings: TopicSettings,
}

/// How a topic is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicSettings {
    /// `partitions`; -1 is the broker's default.
    pub partitions: i32,
    /// `replication.factor`; -1 is the broker's default.
    pub replication_factor: i32,
    /// The topic's own settings, such as `cleanup.policy`.
    pub settings: BTreeMap<String, String>,
}

/// `transaction.boundary`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransactionBoundary {
    /// After each batch.
    #[default]
    Poll,
    /// After a time.
    Interval,
    /// Where the connector says, which this one never does.
    Connector,
}

/// What the worker's file says for all connectors.
#[derive(Clone, Debug, Default)]
pub struct WorkerConfig {
    /// `group.id`.
    pub group_id: Option<String>,
    /// `listeners`: URLs of the admin server.
    pub listeners: Vec<String>,
    /// `exactly.once.source.support`.
    pub exactly_once_source: ExactlyOnceSource,
}

/// `exactly.once.source.support`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum ExactlyOnceSource {
    #[default]
    Disabled,
    Preparing,
    Enabled,
}

/// Heartbeat records.
#[derive(Clone, Debug)]
pub struct HeartbeatConfig {
    /// `heartbeat.interval.ms`.
    pub interval: Duration,
    /// The topic that they go to.
    pub topic: String,
    /// `heartbeat.action.query`.
    pub action_query: Option<String>,
}
