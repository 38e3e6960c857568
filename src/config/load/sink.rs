//! Where records go: brokers, the producer's settings, topics to be made.

use std::collections::BTreeMap;

use super::{Entry, Findings, Section, below, items};
use crate::config::producer::{self, ProducerSettings};
use crate::config::properties::TOPIC_CREATION;
use crate::config::report::Verdict;
use crate::config::{JavaRegex, Problem, SinkConfig, TopicCreation, TopicGroup, TopicSettings};

/// What the sink is read from.
pub(super) struct Parts<'a> {
    pub(super) section: &'a Section,
    pub(super) worker: &'a Section,
    pub(super) connector_entries: &'a [Entry],
    pub(super) worker_entries: &'a [Entry],
    pub(super) bootstrap: Bootstrap<'a>,
}

/// The brokers' addresses from outside the files.
pub(super) struct Bootstrap<'a> {
    pub(super) flag: Option<&'a str>,
    pub(super) variable: Option<&'a str>,
    pub(super) needed: bool,
}

pub(super) fn sink(parts: &Parts<'_>, findings: &mut Findings) -> SinkConfig {
    let section = parts.section;
    let mut settings = ProducerSettings::default();
    settings.take_worker(parts.worker_entries, findings);
    settings.take("producer.", parts.worker_entries, findings);
    settings.take("producer.override.", parts.connector_entries, findings);
    SinkConfig {
        bootstrap_servers: bootstrap_servers(parts, findings),
        producer: settings.finish(findings),
        topic_creation: topic_creation(section, parts.worker, parts.connector_entries, findings),
        transaction_boundary: section.word("transaction.boundary"),
        offsets_topic: section
            .trimmed("offsets.storage.topic")
            .or_else(|| parts.worker.trimmed("offset.storage.topic")),
        offsets_topic_settings: TopicSettings {
            partitions: parts.worker.integer("offset.storage.partitions"),
            replication_factor: parts.worker.integer("offset.storage.replication.factor"),
            settings: offsets_topic_settings(parts.worker_entries),
        },
    }
}

/// The rest of `offset.storage.*`, which Connect takes for the topic's own settings.
fn offsets_topic_settings(worker: &[Entry]) -> BTreeMap<String, String> {
    const OTHERS: &[&str] = &["topic", "partitions", "replication.factor", "file.filename"];
    let own = below(worker, "offset.storage.").into_iter();
    own.filter(|entry| !OTHERS.contains(&entry.key.as_str()))
        .map(|entry| (entry.key, entry.value))
        .collect()
}

/// The first that says where the brokers are.
fn bootstrap_servers(parts: &Parts<'_>, findings: &mut Findings) -> String {
    let outside =
        |name: &str, value: Option<&str>| Some(Entry::new(name, name, value?.to_owned(), false));
    let within = |entries: &[Entry], key: &str| entries.iter().find(|e| e.key == key).cloned();
    let (worker, connector) = (parts.worker_entries, parts.connector_entries);
    let places = [
        outside("--bootstrap-servers", parts.bootstrap.flag),
        outside(super::BOOTSTRAP_VARIABLE, parts.bootstrap.variable),
        within(worker, "producer.bootstrap.servers"),
        within(worker, "bootstrap.servers"),
        within(connector, "producer.override.bootstrap.servers"),
        within(connector, "schema.history.internal.kafka.bootstrap.servers"),
        within(connector, "database.history.kafka.bootstrap.servers"),
    ];
    let found = places.into_iter().flatten().find(|entry| !entry.value.trim().is_empty());
    if let Some(entry) = within(worker, "bootstrap.servers") {
        let wins = found.as_ref().is_some_and(|found| found.written == entry.written);
        let (verdict, reason) = match wins {
            true => (Verdict::Used, ""),
            false => (Verdict::WithoutEffect, "another address wins"),
        };
        findings.row(&entry.written, verdict, reason);
    }
    let Some(entry) = found else {
        if parts.bootstrap.needed {
            findings.problem(Problem::Missing {
                property: "bootstrap.servers".to_owned(),
                cure: format!(
                    "name the Kafka brokers with --bootstrap-servers, {}, the worker's file or \
                     `producer.override.bootstrap.servers`",
                    super::BOOTSTRAP_VARIABLE
                ),
            });
        }
        return String::new();
    };
    if let Err(reason) = producer::check_brokers(&entry.value)
        && !entry.unresolved
    {
        let cure = "write host:port, several between commas";
        findings.problem(entry.invalid(entry.quoting(reason), cure));
    }
    findings.notice(format!("the Kafka brokers' address comes from `{}`", entry.written));
    items(&entry.value).collect::<Vec<_>>().join(",")
}

const DEFAULT: &str = "default";

fn topic_creation(
    section: &Section,
    worker: &Section,
    entries: &[Entry],
    findings: &mut Findings,
) -> Option<TopicCreation> {
    let names = section.list("topic.creation.groups");
    let prefix = |name: &str| format!("topic.creation.{name}.");
    let is_of_a_group = |key: &str| {
        names.iter().map(String::as_str).chain([DEFAULT]).any(|name| key.starts_with(&prefix(name)))
    };
    let stray = |entry: &&Entry| {
        entry.key.starts_with("topic.creation.")
            && entry.key != "topic.creation.groups"
            && !is_of_a_group(&entry.key)
    };
    for entry in entries.iter().filter(stray) {
        let reason = "`topic.creation.groups` does not name this group";
        findings.row(&entry.written, Verdict::WithoutEffect, reason);
    }
    if !entries.iter().any(|entry| is_of_a_group(&entry.key)) {
        return None;
    }
    let default = group(&prefix(DEFAULT), entries, None, findings);
    let groups = names
        .iter()
        .map(|name| group(&prefix(name), entries, Some(&default.settings), findings))
        .collect();
    let creation = TopicCreation { groups, default: default.settings };
    worker.boolean("topic.creation.enable").then_some(creation)
}

/// One group; `default` is `None` for the default group itself, which must say how many partitions and copies.
fn group(
    prefix: &str,
    entries: &[Entry],
    default: Option<&TopicSettings>,
    findings: &mut Findings,
) -> TopicGroup {
    let own = below(entries, prefix);
    let (known, others): (Vec<Entry>, Vec<Entry>) =
        own.into_iter().partition(|entry| TOPIC_CREATION.find(&entry.key).is_some());
    let mut settings = default.map(|default| default.settings.clone()).unwrap_or_default();
    for entry in others {
        findings.row(&entry.written, Verdict::Used, "a setting of the topic");
        settings.insert(entry.key, entry.value);
    }
    let section = Section::new(prefix, TOPIC_CREATION, known, findings);
    let mut number = |name: &str, inherited: Option<i32>| {
        let Some(entry) = section.entry(name) else {
            let property = format!("{prefix}{name}");
            if inherited.is_none() && !findings.blame(&property) {
                let cure = "write a number, or -1 for the broker's default".to_owned();
                findings.problem(Problem::Missing { property, cure });
            }
            return inherited.unwrap_or(-1);
        };
        let number: i32 = section.integer(name);
        if number == 0 {
            findings.problem(entry.invalid(
                "makes no topic",
                "write a number above 0, or -1 for the broker's default",
            ));
        }
        number
    };
    let partitions = number("partitions", default.map(|d| d.partitions));
    let replication_factor = number("replication.factor", default.map(|d| d.replication_factor));
    TopicGroup {
        include: patterns(&section, "include", findings),
        exclude: patterns(&section, "exclude", findings),
        settings: TopicSettings { partitions, replication_factor, settings },
    }
}

/// Connect's lists of patterns: split on every comma, matched with regard to case.
fn patterns(section: &Section, name: &str, findings: &mut Findings) -> Vec<JavaRegex> {
    let Some(entry) = section.entry(name) else { return Vec::new() };
    let compiled = items(&entry.value).map(|pattern| JavaRegex::compile(pattern, false));
    compiled.collect::<Result<_, _>>().unwrap_or_else(|err| {
        let reason = entry.quoting(format!("is not a list of regular expressions: {err}"));
        findings.problem(entry.invalid(reason, "correct the pattern"));
        Vec::new()
    })
}
