use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, ResourceSpecifier};
use rdkafka::client::DefaultClientContext;
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::metadata::Metadata;
use tokio::runtime::Handle;

use super::SinkError;
use super::lanes::client;
use crate::config::SinkConfig;

/// How long the brokers may take to answer.
const ANSWER_WAIT: Duration = Duration::from_secs(10);
/// The broker's setting that has it make topics.
const AUTO_CREATE: &str = "auto.create.topics.enable";

/// What a topic is like before anything is sent there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicState {
    /// So many partitions, each with a leader.
    Ready(usize),
    /// It does not exist, and this makes it.
    WillBeMade(&'static str),
    /// It does not exist, and nobody makes it.
    Missing,
    /// It cannot even be looked at.
    Denied,
    /// This partition has no leader.
    Leaderless(i32),
}

/// Looks at topics without making or writing any.
///
/// # Errors
/// When the client cannot be made or no broker answers.
pub fn look_at_topics(
    config: &SinkConfig,
    topics: &[String],
    handle: &Handle,
) -> Result<Vec<TopicState>, SinkError> {
    let mut client = client(config, &[]);
    client.set("allow.auto.create.topics", "false");
    let admin: AdminClient<DefaultClientContext> =
        client.create().map_err(|err| SinkError::Configuration(err.to_string()))?;
    let unreachable = |reason: String| SinkError::Unreachable {
        servers: config.bootstrap_servers.clone(),
        reason,
    };
    let all = admin.inner().fetch_metadata(None, ANSWER_WAIT);
    let all = all.map_err(|err| unreachable(err.to_string()))?;
    let missing = match &config.topic_creation {
        Some(_) => TopicState::WillBeMade("topic.creation.*"),
        None if makes_topics(&admin, &all, handle) => TopicState::WillBeMade("the broker"),
        None => TopicState::Missing,
    };
    let state = |topic: &String| {
        if let Some(found) = all.topics().iter().find(|found| found.name() == topic) {
            return Ok(match found.partitions().iter().find(|p| p.leader() < 0) {
                Some(partition) => TopicState::Leaderless(partition.id()),
                None => TopicState::Ready(found.partitions().len()),
            });
        }
        // Only whoever asks for a topic is told that it may not be seen.
        let one = admin.inner().fetch_metadata(Some(topic), ANSWER_WAIT);
        let one = one.map_err(|err| unreachable(err.to_string()))?;
        let error = one.topics().first().and_then(|topic| topic.error());
        Ok(match error.map(RDKafkaErrorCode::from) {
            Some(RDKafkaErrorCode::TopicAuthorizationFailed) => TopicState::Denied,
            _ => missing.clone(),
        })
    };
    topics.iter().map(state).collect()
}

/// Whether a broker says that it makes topics that are asked for.
fn makes_topics(
    admin: &AdminClient<DefaultClientContext>,
    metadata: &Metadata,
    handle: &Handle,
) -> bool {
    let Some(broker) = metadata.brokers().first() else { return false };
    let resource = ResourceSpecifier::Broker(broker.id());
    let options = AdminOptions::new().request_timeout(Some(ANSWER_WAIT));
    let described = handle.block_on(admin.describe_configs([&resource], &options));
    let described = described.ok().and_then(|mut all| all.pop()).and_then(Result::ok);
    let setting = described.and_then(|all| all.get(AUTO_CREATE).and_then(|one| one.value.clone()));
    setting.is_some_and(|value| value == "true")
}
