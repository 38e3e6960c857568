use std::time::{Duration, Instant};

use bumpalo::Bump;
use tracing::warn;

use super::Failure;
use super::queries::Queries;
use super::routing::{OwnRecords, Routing};
use super::sender::Sender;
use crate::config::ConnectorConfig;
use crate::route::Heartbeat;

/// Debezium's heartbeat records, by the clock: also on a server where nothing happens.
pub(super) struct Beat {
    /// None where a filter drops them.
    record: Option<Heartbeat>,
    interval: Duration,
    action_query: Option<String>,
    /// None before the first one, which is due at once.
    last: Option<Instant>,
}

impl Beat {
    /// Heartbeats as the file asks for them. Converters that cannot write one publish none: the position
    /// moves on without them.
    pub(super) fn new(config: &ConnectorConfig, routing: &Routing) -> Option<Self> {
        let heartbeat = config.heartbeat.as_ref()?;
        let record = Heartbeat::new(heartbeat.topic.clone(), &config.topic_prefix);
        let published = match routing.check_own(&heartbeat.topic, record.parts()) {
            Ok(own) => own == OwnRecords::Published,
            Err(problems) => {
                for problem in problems {
                    warn!(connector = %config.name, "heartbeats are not published: {problem}");
                }
                return None;
            }
        };
        Some(Self {
            record: published.then_some(record),
            interval: heartbeat.interval,
            action_query: heartbeat.action_query.clone(),
            last: None,
        })
    }

    /// Whether the interval has passed.
    pub(super) fn is_due(&self) -> bool {
        self.last.is_none_or(|last| last.elapsed() >= self.interval)
    }

    /// Sends one, and runs the action query.
    pub(super) fn send(
        &mut self,
        now_ms: i64,
        routing: &Routing,
        arena: &Bump,
        queries: &Queries,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        self.last = Some(Instant::now());
        if let Some(record) = &self.record {
            routing.publish_own(record.record(now_ms, arena), arena, 0, sender)?;
        }
        if let Some(query) = &self.action_query {
            queries.run(query, "heartbeat.action.query");
        }
        Ok(())
    }
}
