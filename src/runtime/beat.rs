use std::time::{Duration, Instant};

use bumpalo::Bump;
use tracing::warn;

use super::Failure;
use super::queries::Queries;
use super::routing::Routing;
use super::sender::Sender;
use crate::config::ConnectorConfig;
use crate::route::Heartbeat;

/// Debezium's heartbeat records, by the clock: also on a server where nothing happens.
pub(super) struct Beat {
    record: Heartbeat,
    interval: Duration,
    action_query: Option<String>,
    last: Instant,
}

impl Beat {
    /// Heartbeats as the file asks for them. Converters that cannot write one publish none: the position
    /// moves on without them.
    pub(super) fn new(config: &ConnectorConfig, routing: &Routing) -> Option<Self> {
        let heartbeat = config.heartbeat.as_ref()?;
        let record = Heartbeat::new(heartbeat.topic.clone(), &config.topic_prefix);
        if routing.chain.keeps_parts()
            && let Err(problems) = routing.converters.check(record.parts())
        {
            for problem in problems {
                warn!(connector = %config.name, "heartbeats are not published: {problem}");
            }
            return None;
        }
        Some(Self {
            record,
            interval: heartbeat.interval,
            action_query: heartbeat.action_query.clone(),
            last: Instant::now(),
        })
    }

    /// Whether the interval has passed.
    pub(super) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval
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
        self.last = Instant::now();
        let record = self.record.record(now_ms, arena);
        let record = routing.chain.apply(record, arena);
        let record = record.map_err(|err| Failure::Transforms(vec![err.to_string()]))?;
        if let Some(record) = record {
            let record = routing.converters.convert(&record, arena);
            sender.send(&record.map_err(|err| Failure::Converters(Box::new(err)))?, 0)?;
        }
        if let Some(query) = &self.action_query {
            queries.run(query, "heartbeat.action.query");
        }
        Ok(())
    }
}
