//! What a start would find, and what would trouble it later, each with what mends it.

use std::sync::Arc;

use tokio::runtime::Handle;
use uuid::Uuid;

use super::Failure;
use super::clock::now_us;
use super::queries::Queries;
use super::routing::Routing;
use super::start::capture;
use crate::checkpoint::OffsetsTopic;
use crate::config::ConnectorConfig;
use crate::decode::TableLayout;
use crate::offset::Offset;
use crate::sink::{TopicState, look_at_topics};
use crate::source::{PreflightProblem, Server, SourceError, check_offset};

/// Logs that are kept for less than a day do not outlast a weekend's outage, nor a night's.
const RETENTION_MIN_S: u64 = 86_400;
/// Logs for a week, which is what the advice sets.
const RETENTION_S: u64 = 7 * 86_400;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It is as it should be.
    Fine(String),
    /// It works; this would be better.
    Advice {
        /// What it is like.
        what: String,
        /// The statement or command that betters it.
        cure: String,
    },
    /// It does not work.
    Problem {
        /// What is wrong.
        what: String,
        /// The statement, command or words that mend it; empty where `what` says it.
        cure: String,
    },
}

impl Finding {
    fn problem(what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self::Problem { what: what.into(), cure: cure.into() }
    }

    fn advice(what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self::Advice { what: what.into(), cure: cure.into() }
    }
}

/// What is known of the connector's earlier runs.
#[derive(Clone, Debug)]
pub struct Known {
    /// What servers know this replica by.
    pub uuid: Uuid,
    /// Where it goes on.
    pub offset: Option<Offset>,
    /// Another process has the data folder, which is taken for this connector's own.
    pub runs: bool,
}

/// Looks at everything that the connector needs.
#[must_use]
pub fn examine(config: &Arc<ConnectorConfig>, known: &Known, handle: &Handle) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut tables = None;
    for host in &config.source.hosts {
        let queries = Queries::new(handle, Arc::clone(config), host);
        match queries.preflight(known.uuid) {
            Ok(server) => look_at_server(config, host, &server, known, &mut findings),
            Err(SourceError::Preflight(problems)) => {
                findings.extend(problems.iter().map(|problem| judge(host, problem, known)));
            }
            Err(err) => {
                let what = format!("{host}: {}", Failure::from(err).chain());
                findings.push(Finding::problem(what, ""));
                continue;
            }
        }
        if tables.is_none() {
            tables = look_at_tables(config, &queries, &mut findings);
        }
    }
    look_at_kafka(config, tables.unwrap_or_default(), handle, &mut findings);
    findings
}

fn judge(host: &str, problem: &PreflightProblem, known: &Known) -> Finding {
    match problem {
        PreflightProblem::ServerIdInUse { .. } if known.runs => Finding::Fine(format!(
            "{host}: {problem}, which is taken for the outflow that has the data folder in use"
        )),
        _ => Finding::problem(format!("{host}: {problem}"), problem.cure()),
    }
}

fn look_at_server(
    config: &ConnectorConfig,
    host: &str,
    server: &Server,
    known: &Known,
    findings: &mut Vec<Finding>,
) {
    let version = &server.version;
    findings.push(Finding::Fine(format!(
        "{host}: MySQL {version}, its settings and the account's rights"
    )));
    if !server.has_gtids() {
        findings.push(Finding::advice(
            format!("{host}: gtid_mode is {}, so outflow cannot go on at another server", server.gtid_mode),
            "SET PERSIST gtid_mode = 'ON' (by the steps of the MySQL manual, with enforce_gtid_consistency first)",
        ));
    }
    if !server.binlog_row_metadata.eq_ignore_ascii_case("FULL") {
        findings.push(Finding::advice(
            format!(
                "{host}: binlog_row_metadata is {}, so rows between two ALTERs may stop outflow",
                server.binlog_row_metadata
            ),
            "SET PERSIST binlog_row_metadata = 'FULL'",
        ));
    }
    let retention = server.binlog_retention_s;
    let longer = format!("SET PERSIST binlog_expire_logs_seconds = {RETENTION_S}");
    if retention > 0 && retention < RETENTION_MIN_S {
        let what = format!(
            "{host}: logs are kept for {} only: a longer stop loses the position",
            span(retention)
        );
        findings.push(Finding::advice(what, &longer));
    }
    let Some(offset) = &known.offset else { return };
    match check_offset(server, offset, &config.source) {
        Err(problem) => {
            findings.push(Finding::problem(format!("{host}: {problem}"), problem.cure()));
        }
        Ok(_) => findings.push(headroom(host, offset, retention, &longer)),
    }
}

/// How long the stored position still has, should outflow not run.
fn headroom(host: &str, offset: &Offset, retention_s: u64, longer: &str) -> Finding {
    let now = now_us() / 1_000_000;
    let age = if offset.ts_sec > 0 { now.saturating_sub(offset.ts_sec) } else { 0 };
    let (kept, behind) = (span(retention_s), span(age));
    match retention_s {
        0 => Finding::Fine(format!(
            "{host}: the stored position, {behind} old; logs are kept for ever"
        )),
        _ if age > retention_s / 2 => Finding::problem(
            format!("{host}: the stored position is {behind} old, and logs are kept for {kept}"),
            format!("start outflow; until it has caught up, {longer}"),
        ),
        _ => Finding::Fine(format!(
            "{host}: the stored position, {behind} old; logs are kept for {kept}"
        )),
    }
}

/// A time in words.
fn span(seconds: u64) -> String {
    match seconds {
        172_800.. => format!("{} days", seconds / 86_400),
        7_200.. => format!("{} hours", seconds / 3_600),
        120.. => format!("{} minutes", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// Plans the captured tables as a start does. Gives the route values that stand in them, where they could be read.
fn look_at_tables(
    config: &Arc<ConnectorConfig>,
    queries: &Queries,
    findings: &mut Vec<Finding>,
) -> Option<Vec<String>> {
    let (routing, layouts) = match (Routing::new(config), queries.layouts()) {
        (Ok(routing), Ok(layouts)) => (routing, layouts),
        (Err(failure), _) => {
            findings.push(Finding::problem(failure.chain(), ""));
            return None;
        }
        (_, Err(_)) => return None, // What keeps it from reading is named already.
    };
    match capture(config, layouts.clone(), &routing) {
        Err(Failure::Tables(problems)) => {
            findings.extend(problems.into_iter().map(|problem| Finding::problem(problem, "")));
        }
        Err(failure) => findings.push(Finding::problem(failure.chain(), "")),
        Ok(_) => {
            let name = |layout: &TableLayout| format!("{}.{}", layout.database, layout.table);
            findings.extend(layouts.iter().map(|l| Finding::Fine(format!("table {}", name(l)))));
        }
    }
    queries.route_values(&layouts, &config.router.route_by).ok()
}

/// The topics that can be told beforehand: what the rows that are there go to, or the only one.
fn topics(config: &ConnectorConfig, values: Vec<String>) -> Vec<String> {
    let router = &config.router;
    let mut topics: Vec<String> = match router.topic_replacement.constant() {
        _ if !config.transforms.behind.is_empty() => Vec::new(), // They may rename it.
        Some(topic) => vec![topic.to_owned()],
        None => values.into_iter().filter_map(|value| topic_of(config, value)).collect(),
    };
    topics.extend(config.dead_letter_topic.clone());
    topics.extend(config.heartbeat.iter().map(|heartbeat| heartbeat.topic.clone()));
    topics.sort();
    topics.dedup();
    topics
}

fn topic_of(config: &ConnectorConfig, value: String) -> Option<String> {
    let regex = &config.router.topic_regex;
    if !regex.matches(&value).ok()? {
        return Some(value);
    }
    let mut topic = String::new();
    regex.replace_first(&value, &config.router.topic_replacement, &mut topic).ok()?;
    Some(topic)
}

fn look_at_kafka(
    config: &ConnectorConfig,
    values: Vec<String>,
    handle: &Handle,
    findings: &mut Vec<Finding>,
) {
    let (topics, servers) = (topics(config, values), &config.sink.bootstrap_servers);
    let states = match look_at_topics(&config.sink, &topics, handle) {
        Ok(states) => states,
        Err(err) => return findings.push(Finding::problem(err.to_string(), "")),
    };
    findings.push(Finding::Fine(format!("Kafka at {servers}")));
    let create = |topic: &str| {
        format!("kafka-topics.sh --bootstrap-server {servers} --create --topic {topic}")
    };
    for (topic, state) in topics.iter().zip(states) {
        findings.push(match state {
            TopicState::Ready(partitions) => {
                Finding::Fine(format!("topic {topic}, partitions: {partitions}"))
            }
            TopicState::WillBeMade(by) => {
                Finding::Fine(format!("topic {topic} does not exist yet; {by} makes it"))
            }
            TopicState::Missing => Finding::problem(
                format!("topic {topic} does not exist, and nobody makes it"),
                create(topic),
            ),
            TopicState::Denied => Finding::problem(
                format!("the Kafka user has no right to topic {topic}"),
                format!("kafka-acls.sh --bootstrap-server {servers} --add --allow-principal User:… --producer --topic {topic}"),
            ),
            TopicState::Leaderless(partition) => Finding::problem(
                format!("partition {partition} of topic {topic} has no leader"),
                "look at the brokers",
            ),
        });
    }
    if let Some(offsets) = OffsetsTopic::of(config) {
        findings.push(match offsets.read() {
            Ok(Some(_)) => Finding::Fine(format!(
                "offsets topic {}, with an offset of this connector",
                offsets.topic()
            )),
            Ok(None) => Finding::Fine(format!(
                "offsets topic {}, without an offset of this connector",
                offsets.topic()
            )),
            Err(err) => Finding::problem(Failure::from(err).chain(), ""),
        });
    }
}
