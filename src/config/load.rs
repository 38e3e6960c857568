//! All inputs to one checked configuration.

mod converters;
mod exactly_once;
mod masks;
mod router;
mod sink;
mod snapshot;
mod source;
mod transforms;

use std::collections::BTreeMap;

use super::file::{ConnectorFile, Pair};
use super::properties::{CONNECTOR, WORKER, java_trim};
use super::report::{Findings, Verdict};
use super::secret::{Provider, Providers};
use super::section::{Entry, Section, below, items};
use super::{ConnectorConfig, Environment, Problem, Report, Shown, WorkerConfig, java_properties};

/// Everything that says how a connector runs. Only references such as `${file:…}` lead outside.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs<'a> {
    /// The text of the connector's file.
    pub file: &'a str,
    /// The text of the worker's file.
    pub worker: Option<&'a str>,
    /// `--set key=value`, in order: they replace what the connector's file says.
    pub set: &'a [(String, String)],
    /// `--bootstrap-servers`.
    pub bootstrap_servers: Option<&'a str>,
    /// Whether records go to a Kafka cluster whose address must be known.
    pub needs_brokers: bool,
    /// Unknown keys are problems.
    pub strict: bool,
}

/// The variable that names the brokers.
const BOOTSTRAP_VARIABLE: &str = "OUTFLOW_BOOTSTRAP_SERVERS";

/// One checked configuration, and what became of each key.
///
/// # Errors
/// All problems at once.
pub fn load(
    inputs: &Inputs<'_>,
    environment: &Environment,
) -> Result<(ConnectorConfig, Report), Vec<Problem>> {
    let (config, report) = check(inputs, environment);
    config.map(|config| (config, report))
}

/// As [`load`], with the report even where there are problems.
pub fn check(
    inputs: &Inputs<'_>,
    environment: &Environment,
) -> (Result<ConnectorConfig, Vec<Problem>>, Report) {
    let mut findings = Findings { strict: inputs.strict, ..Findings::default() };
    let parsed = read(inputs, environment, &mut findings);
    let written = parsed.as_ref().map(Files::order).unwrap_or_default();
    let config = parsed.and_then(|files| assemble(&files, inputs, environment, &mut findings));
    let Findings { mut problems, mut report, .. } = findings;
    point_at_misspellings(&mut problems, &report);
    report.rows.sort_by_key(|row| written.get(&row.key).copied());
    match config {
        Some(config) if problems.is_empty() => (Ok(config), report),
        _ => (Err(problems), report),
    }
}

/// The files' entries, references resolved.
struct Files {
    connector: Vec<Entry>,
    worker: Vec<Entry>,
}

impl Files {
    /// The place of each key, for the report's rows.
    fn order(&self) -> BTreeMap<String, usize> {
        let entries = self.connector.iter().chain(&self.worker);
        entries.enumerate().map(|(place, entry)| (entry.written.clone(), place)).collect()
    }
}

/// What the rows of the worker's file are marked with.
const OF_WORKER: &str = " (worker file)";

fn read(inputs: &Inputs<'_>, environment: &Environment, findings: &mut Findings) -> Option<Files> {
    let file = ConnectorFile::parse(inputs.file).map_err(|mut p| findings.problems.append(&mut p));
    let worker = worker_pairs(inputs.worker.unwrap_or_default());
    let worker = worker.map_err(|problem| findings.problem(of_worker(problem)));
    let (Ok(mut file), Ok(worker)) = (file, worker) else { return None };

    for (key, value) in inputs.set {
        file.pairs.retain(|pair| pair.key != *key);
        file.pairs.push(Pair::new(key, value));
    }
    let worker = worker.into_iter().map(|(key, value)| Pair {
        written: format!("{key}{OF_WORKER}"),
        key,
        value,
    });
    let mut providers = Providers::new(environment);
    let worker = last_of_each(worker.collect(), findings);
    add_providers(&worker, &mut providers, findings);
    let worker = resolve(worker, &providers, findings);
    let connector = last_of_each(file.pairs, findings);
    Some(Files { connector: resolve(connector, &providers, findings), worker })
}

fn worker_pairs(text: &str) -> Result<Vec<(String, String)>, Problem> {
    if text.trim_start().starts_with('{') {
        let reason = "this is JSON; a worker's file has lines of key=value".to_owned();
        return Err(Problem::Syntax { line: 1, column: 1, reason });
    }
    java_properties::parse(text)
}

fn of_worker(problem: Problem) -> Problem {
    match problem {
        Problem::Syntax { line, column, reason } => {
            Problem::Syntax { line, column, reason: format!("{reason}{OF_WORKER}") }
        }
        other => other,
    }
}

/// Of a key that stands twice the last one counts, as for Java.
fn last_of_each(pairs: Vec<Pair>, findings: &mut Findings) -> Vec<Pair> {
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for (index, pair) in pairs.iter().enumerate() {
        if last.insert(pair.key.clone(), index).is_some() {
            findings
                .notice(format!("`{}` stands more than once: the last one counts", pair.written));
        }
    }
    let is_last = |(index, pair): &(usize, Pair)| last.get(&pair.key) == Some(index);
    pairs.into_iter().enumerate().filter(is_last).map(|(_, pair)| pair).collect()
}

/// `config.providers` of the worker's file may give the three providers other names.
fn add_providers(worker: &[Pair], providers: &mut Providers<'_>, findings: &mut Findings) {
    let find = |key: &str| worker.iter().find(|pair| pair.key == key);
    let names = find("config.providers");
    if let Some(pair) = names {
        findings.row(&pair.written, Verdict::Used, "");
    }
    let names: Vec<&str> = names.map(|pair| items(&pair.value).collect()).unwrap_or_default();
    for name in &names {
        let Some(pair) = find(&format!("config.providers.{name}.class")) else { continue };
        let simple = pair.value.trim().rsplit('.').next().unwrap_or_default();
        let provider = match simple {
            "FileConfigProvider" => Provider::File,
            "EnvVarConfigProvider" => Provider::Env,
            "DirectoryConfigProvider" => Provider::Dir,
            _ => {
                findings.row(&pair.written, Verdict::Refused, "unknown config provider");
                findings.problem(Problem::Refused {
                    property: pair.written.clone(),
                    value: Shown::open(&pair.value),
                    reason: "its references would be taken for values".to_owned(),
                    cure: "use FileConfigProvider, EnvVarConfigProvider or DirectoryConfigProvider"
                        .to_owned(),
                });
                continue;
            }
        };
        findings.row(&pair.written, Verdict::Used, "");
        providers.add(name, provider);
    }
    let is_class = |key: &str| names.iter().any(|n| key == format!("config.providers.{n}.class"));
    for pair in worker.iter().filter(|pair| pair.key.starts_with("config.providers.")) {
        if !is_class(&pair.key) {
            let reason = "outflow reads whatever its user may read";
            findings.row(&pair.written, Verdict::WithoutEffect, reason);
        }
    }
}

fn resolve(pairs: Vec<Pair>, providers: &Providers<'_>, findings: &mut Findings) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(pairs.len());
    for Pair { key, written, value } in pairs {
        match providers.resolve(&value) {
            Ok((value, referred)) => entries.push(Entry::new(&key, &written, value, referred)),
            Err(unresolved) => {
                findings.problem(Problem::Reference {
                    property: written.clone(),
                    reference: unresolved.reference,
                    reason: unresolved.reason,
                });
                // It stays, so that it is not called missing besides.
                let entry = Entry::new(&key, &written, value, true);
                entries.push(Entry { unresolved: true, ..entry });
            }
        }
    }
    entries
}

/// A missing property whose name stands there with a slip is said to be that.
fn point_at_misspellings(problems: &mut [Problem], report: &Report) {
    for problem in problems {
        let Problem::Missing { property, cure } = problem else { continue };
        let meant = format!("did you mean `{property}`?");
        if let Some(row) = report.unknown().find(|row| row.reason == meant) {
            *cure = format!("the file has `{}` instead", row.key);
        }
    }
}

fn assemble(
    files: &Files,
    inputs: &Inputs<'_>,
    environment: &Environment,
    findings: &mut Findings,
) -> Option<ConnectorConfig> {
    let custom = source::custom_converters(&files.connector);
    let is_custom =
        |entry: &&Entry| custom.iter().any(|name| entry.key.starts_with(&format!("{name}.")));
    let own = files.connector.iter().filter(|entry| !is_custom(entry)).cloned().collect();
    let section = Section::new("", CONNECTOR, own, findings);
    let worker = Section::new("", WORKER, files.worker.clone(), findings);

    let name = require(&section, "name", "give the connector a name", findings);
    require(
        &section,
        "connector.class",
        "write io.debezium.connector.mysql.MySqlConnector",
        findings,
    );
    if let Some(entry) = section.entry("name")
        && name.chars().any(char::is_control)
    {
        findings.problem(entry.invalid("holds control characters", "write plain text"));
    }
    let topic_prefix = source::topic_prefix(&section, findings);
    let source = source::source(&section, findings);
    let capture = source::capture(&section, &files.connector, findings);
    let snapshot_mode = snapshot::mode(&section, findings);
    let decode = source::decode(&section, &custom, &files.connector, findings);
    let converters = converters::converters(&files.connector, &files.worker, findings);
    let transforms = transforms::transforms(&files.connector, &section, findings);
    let sink = sink::sink(
        &sink::Parts {
            section: &section,
            worker: &worker,
            connector_entries: &files.connector,
            worker_entries: &files.worker,
            bootstrap: sink::Bootstrap {
                flag: inputs.bootstrap_servers,
                variable: environment.get(BOOTSTRAP_VARIABLE),
                needed: inputs.needs_brokers,
            },
        },
        findings,
    );
    let exactly_once = exactly_once::exactly_once(&name, &section, &worker, &sink, findings);
    source::cross_checks(&section, &converters, findings);
    source::notices(&section, &topic_prefix, findings);
    let skipped_operations = source::skipped_operations(&section, findings);
    let (router, transforms) = transforms?;
    Some(ConnectorConfig {
        name,
        heartbeat: source::heartbeat(&section, &topic_prefix),
        transaction_topic: source::transaction_topic(&section, &topic_prefix),
        topic_prefix,
        source,
        capture,
        snapshot_mode,
        decode,
        router,
        transforms,
        tombstones_on_delete: section.boolean("tombstones.on.delete"),
        converters,
        sink,
        exactly_once,
        skipped_operations,
        tolerate_errors: section
            .trimmed("errors.tolerance")
            .is_some_and(|word| word.eq_ignore_ascii_case("all")),
        log_errors: section.boolean("errors.log.enable"),
        log_error_messages: section.boolean("errors.log.include.messages"),
        dead_letter_topic: dead_letter_topic(&section, findings),
        topic_delimiter: section.text("topic.delimiter").unwrap_or_default(),
        worker: worker_config(&worker),
    })
}

/// What the worker's file says for all connectors.
fn worker_config(worker: &Section) -> WorkerConfig {
    WorkerConfig {
        group_id: worker.trimmed("group.id"),
        listeners: worker.list("listeners"),
        exactly_once_source: worker.word("exactly.once.source.support"),
    }
}

/// Connect has dead letters of sinks only; here rows that `errors.tolerance` lets pass go there.
fn dead_letter_topic(section: &Section, findings: &mut Findings) -> Option<String> {
    let property = "errors.deadletterqueue.topic.name";
    let topic = section.trimmed(property)?;
    let all =
        section.trimmed("errors.tolerance").is_some_and(|word| word.eq_ignore_ascii_case("all"));
    if !all {
        let written = section.written(property);
        findings.amend(&written, Verdict::WithoutEffect, "`errors.tolerance` is not `all`");
    }
    all.then_some(topic)
}

/// A text that must be there; a placeholder where it is not, which the problem keeps from going further.
fn require(section: &Section, name: &str, cure: &str, findings: &mut Findings) -> String {
    section.trimmed(name).unwrap_or_else(|| {
        // A value that cannot stand has its problem already.
        if !findings.blame(name) {
            findings.problem(Problem::Missing { property: name.to_owned(), cure: cure.to_owned() });
        }
        String::new()
    })
}

#[cfg(test)]
mod tests;
