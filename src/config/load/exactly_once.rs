//! Whether records go in Kafka transactions, and how.

use std::time::Duration;

use super::{Findings, OF_WORKER, Section};
use crate::config::report::Verdict;
use crate::config::{ExactlyOnce, ExactlyOnceSource, ExactlyOnceSupport, Problem, SinkConfig};

/// `group.id` where no worker's file has one: the first part of the transactional id.
const GROUP: &str = "outflow";
/// The topic of positions where no file names one.
const OFFSETS_TOPIC: &str = "outflow-offsets";
/// `transaction.timeout.ms` where the file has none: readers of committed records wait no longer for one that was left open.
const TIMEOUT: Duration = Duration::from_secs(15);
/// librdkafka's name of it.
const TIMEOUT_MS: &str = "transaction.timeout.ms";
const SPLIT_ROWS: &str = "outflow.transaction.split.rows";
const SUPPORT: &str = "exactly.once.support";
const SOURCE_SUPPORT: &str = "exactly.once.source.support";
const NOT_TRANSACTIONAL: &str =
    "without `exactly.once.support=required` there are no Kafka transactions";

/// `None` for delivery at least once.
pub(super) fn exactly_once(
    name: &str,
    section: &Section,
    worker: &Section,
    sink: &SinkConfig,
    findings: &mut Findings,
) -> Option<ExactlyOnce> {
    let source: ExactlyOnceSource = worker.word(SOURCE_SUPPORT);
    let required = section.word::<ExactlyOnceSupport>(SUPPORT) == ExactlyOnceSupport::Required;
    if required && worker.entry(SOURCE_SUPPORT).is_some() && source != ExactlyOnceSource::Enabled {
        findings.problem(Problem::Conflict {
            property: section.written(SUPPORT),
            other: worker.written(SOURCE_SUPPORT),
            reason: "exclude each other: the worker's file does not allow exactly-once delivery"
                .to_owned(),
            cure: format!(
                "write `enabled` or nothing for `{SOURCE_SUPPORT}`, or `requested` for `{SUPPORT}`"
            ),
        });
    }
    if !required && source != ExactlyOnceSource::Enabled {
        let written = [
            section.written(SPLIT_ROWS),
            format!("producer.override.{TIMEOUT_MS}"),
            format!("producer.{TIMEOUT_MS}{OF_WORKER}"),
        ];
        for written in written {
            findings.amend(&written, Verdict::WithoutEffect, NOT_TRANSACTIONAL);
        }
        return None;
    }
    let group = worker.trimmed("group.id").unwrap_or_else(|| GROUP.to_owned());
    let timeout_ms = sink.producer.get(TIMEOUT_MS).and_then(|text| text.expose().parse().ok());
    let split_rows = Some(section.integer(SPLIT_ROWS)).filter(|rows| *rows > 0);
    Some(ExactlyOnce {
        transactional_id: format!("{group}-{name}-0"),
        offsets_topic: sink.offsets_topic.clone().unwrap_or_else(|| OFFSETS_TOPIC.to_owned()),
        transaction_timeout: timeout_ms.map_or(TIMEOUT, Duration::from_millis),
        split_rows,
    })
}
