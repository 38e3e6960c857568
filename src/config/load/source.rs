use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use super::{Entry, Findings, Section, below, items, java_trim, masks, require, snapshot};
use crate::config::properties::CUSTOM_CONVERTER;
use crate::config::{
    CaptureConfig, ColumnFilter, ConverterClass, ConvertersConfig, DecodeConfig, FailureHandling,
    FieldNameAdjustment, HeartbeatConfig, Problem, RegexList, Secret, SkippedOperations,
    SourceConfig, TableFilter, TinyIntOne, TlsConfig, TlsMode, key_store,
};

/// Debezium's rule for names that become parts of topics' and hosts' names.
fn is_plain_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

pub(super) fn topic_prefix(section: &Section, findings: &mut Findings) -> String {
    let prefix = require(section, "topic.prefix", "give the server a logical name", findings);
    if let Some(entry) = section.entry("topic.prefix")
        && !prefix.is_empty()
        && !is_plain_name(&prefix)
    {
        findings.problem(
            entry.invalid(
                "is not a part of a topic's name",
                "use letters, digits, `.`, `_` and `-`",
            ),
        );
    }
    prefix
}

pub(super) fn source(section: &Section, findings: &mut Findings) -> SourceConfig {
    let server_id: u32 = section.integer("database.server.id");
    if section.entry("database.server.id").is_none() {
        require(
            section,
            "database.server.id",
            "give a number that no other replica of this server has",
            findings,
        );
    }
    SourceConfig {
        hosts: hosts(section, findings),
        port: section.integer("database.port"),
        user: require(section, "database.user", "name the user that replicates", findings),
        password: section.secret("database.password").unwrap_or_default(),
        // Zero only where a problem says so already.
        server_id: NonZeroU32::new(server_id).unwrap_or(NonZeroU32::MIN),
        tls: TlsConfig {
            mode: section.word("database.ssl.mode"),
            truststore: store(section, "database.ssl.truststore", findings),
            keystore: store(section, "database.ssl.keystore", findings),
        },
        connect_timeout: section.millis("connect.timeout.ms"),
        heartbeat_period: section.millis("outflow.heartbeat.period.ms"),
        net_write_timeout_s: match section.integer("binlog.net.write.timeout") {
            0 => NET_WRITE_TIMEOUT_S,
            seconds => seconds,
        },
        initial_statements: statements(
            &section.text("database.initial.statements").unwrap_or_default(),
        ),
        gtid_sources: filter(section, "gtid.source.includes", "gtid.source.excludes", findings),
        gtid_filter_rows: section.boolean("gtid.source.filter.dml.events"),
        gtid_ignore_on_recovery: section.boolean("gtid.ignore.on.recovery"),
        retries_max: u32::try_from(section.integer::<i64>("errors.max.retries")).ok(),
        retry_wait_max: section.millis("retriable.restart.connector.wait.ms"),
        snapshot_delay: section.millis("snapshot.delay.ms"),
        streaming_delay: section.millis("streaming.delay.ms"),
    }
}

/// A broker's outage stops reading; MySQL must not give the connection up meanwhile, as it does after 60 s.
const NET_WRITE_TIMEOUT_S: u32 = 3600;

fn hosts(section: &Section, findings: &mut Findings) -> Vec<String> {
    let text = require(section, "database.hostname", "name the server", findings);
    let hosts: Vec<String> = items(&text).map(str::to_owned).collect();
    if let Some(entry) = section.entry("database.hostname")
        && !text.is_empty()
        && (hosts.is_empty() || !hosts.iter().all(|host| is_plain_name(host)))
    {
        findings.problem(entry.invalid(
            "is not a host name or a comma-separated list of them",
            "write names or IPv4 addresses; the port has a property of its own, `database.port`",
        ));
    }
    hosts
}

/// A key store and its password; its file is looked at, so that a wrong one is known before the first connection.
fn store(section: &Section, name: &str, findings: &mut Findings) -> Option<(PathBuf, Secret)> {
    let path = section.trimmed(name)?;
    let is_needed = section.word::<TlsMode>("database.ssl.mode") != TlsMode::Disabled;
    if let Some(entry) = section.entry(name).filter(|_| is_needed)
        && let Err(problem) = key_store::open(entry)
    {
        findings.problem(problem);
    }
    let password = section.secret(&format!("{name}.password")).unwrap_or_default();
    Some((PathBuf::from(path), password))
}

/// Statements between semicolons; `;;` is a semicolon within one.
fn statements(text: &str) -> Vec<String> {
    let text = text.replace(";;", "\0");
    let statements = text.split(';').map(|statement| statement.replace('\0', ";"));
    statements.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

/// An include list (`true`) or an exclude list (`false`), never both.
fn filter(
    section: &Section,
    include: &str,
    exclude: &str,
    findings: &mut Findings,
) -> Option<(bool, RegexList)> {
    match (section.patterns(include), section.patterns(exclude)) {
        (Some(_), Some(_)) => {
            findings.problem(Problem::Conflict {
                property: section.written(exclude),
                other: section.written(include),
                reason: "exclude each other".to_owned(),
                cure: "keep one of them".to_owned(),
            });
            None
        }
        (Some(list), None) => Some((true, list)),
        (None, Some(list)) => Some((false, list)),
        (None, None) => None,
    }
}

pub(super) fn capture(
    section: &Section,
    entries: &[Entry],
    findings: &mut Findings,
) -> CaptureConfig {
    let mut list = |kind: &str| {
        let (include, exclude) = (format!("{kind}.include.list"), format!("{kind}.exclude.list"));
        filter(section, &include, &exclude, findings)
    };
    CaptureConfig {
        tables: TableFilter {
            databases: list("database"),
            tables: list("table"),
            with_builtin: !section.boolean("table.ignore.builtin"),
        },
        columns: ColumnFilter(list("column")),
        snapshot_tables: section.patterns("snapshot.include.collection.list"),
        snapshot_selects: snapshot::selects(section, entries, findings),
    }
}

/// The names in `converters`, each of which heads properties of its own.
pub(super) fn custom_converters(entries: &[Entry]) -> Vec<String> {
    let entry = entries.iter().find(|entry| entry.key == "converters");
    entry.map(|entry| items(&entry.value).map(str::to_owned).collect()).unwrap_or_default()
}

pub(super) fn decode(
    section: &Section,
    custom: &[String],
    entries: &[Entry],
    findings: &mut Findings,
) -> DecodeConfig {
    let tiny_int_one = custom.iter().map(|name| {
        let prefix = format!("{name}.");
        let own = Section::new(&prefix, CUSTOM_CONVERTER, below(entries, &prefix), findings);
        let property = format!("{prefix}type");
        if own.entry("type").is_none() && !findings.blame(&property) {
            let cure = "`converters` names it".to_owned();
            findings.problem(Problem::Missing { property, cure });
        }
        TinyIntOne {
            selector: own.patterns("selector"),
            length_checker: own.boolean("length.checker"),
        }
    });
    DecodeConfig {
        tiny_int_one: tiny_int_one.collect(),
        masks: masks::masks(entries, findings),
        decimal: section.word("decimal.handling.mode"),
        bigint_unsigned: section.word("bigint.unsigned.handling.mode"),
        time_precision: section.word("time.precision.mode"),
        binary: section.word("binary.handling.mode"),
        time_adjuster: section.boolean("enable.time.adjuster"),
        converting_failure: section.word("event.converting.failure.handling.mode"),
        processing_failure: section.word("event.processing.failure.handling.mode"),
        inconsistent_schema: section.word::<FailureHandling>("inconsistent.schema.handling.mode"),
        field_names: field_names(section),
        schema_names: section.word("schema.name.adjustment.mode"),
    }
}

/// Up to 1.9 the adjustment was a switch, `sanitize.field.names`.
fn field_names(section: &Section) -> FieldNameAdjustment {
    if section.entry("field.name.adjustment.mode").is_none()
        && section.boolean("sanitize.field.names")
    {
        return FieldNameAdjustment::Avro;
    }
    section.word("field.name.adjustment.mode")
}

pub(super) fn heartbeat(section: &Section, topic_prefix: &str) -> Option<HeartbeatConfig> {
    let interval = section.millis("heartbeat.interval.ms");
    let named = section.trimmed("topic.heartbeat.name");
    let text = |name| section.text(name).unwrap_or_default();
    let derived = || {
        let (prefix, delimiter) = (text("topic.heartbeat.prefix"), text("topic.delimiter"));
        format!("{prefix}{delimiter}{topic_prefix}")
    };
    (interval > Duration::ZERO).then(|| HeartbeatConfig {
        interval,
        topic: named.unwrap_or_else(derived),
        action_query: section.trimmed("heartbeat.action.query"),
    })
}

/// Where transaction records go, if there are any.
pub(super) fn transaction_topic(section: &Section, topic_prefix: &str) -> Option<String> {
    let text = |name| section.text(name).unwrap_or_default();
    section
        .boolean("provide.transaction.metadata")
        .then(|| [topic_prefix, &text("topic.transaction")].join(&text("topic.delimiter")))
}

/// The changes that are dropped before the router.
pub(super) fn skipped_operations(section: &Section, findings: &mut Findings) -> SkippedOperations {
    let operations = section.list("skipped.operations");
    let is = |letter: &str| operations.iter().any(|item| item.eq_ignore_ascii_case(letter));
    let known = ["c", "u", "d", "t", "r", "none"];
    let is_known = |item: &String| known.iter().any(|word| word.eq_ignore_ascii_case(item));
    if let Some(entry) = section.entry("skipped.operations")
        && (!operations.iter().all(is_known) || (is("none") && operations.len() > 1))
    {
        findings.problem(entry.invalid(
            "is not a list of operations",
            "write some of c, u, d and t between commas, or none alone",
        ));
    }
    SkippedOperations { creates: is("c"), updates: is("u"), deletes: is("d") }
}

const METADATA_FACTORY: &str = "io.debezium.pipeline.txmetadata.DefaultTransactionMetadataFactory";

/// What concerns two properties at once.
pub(super) fn cross_checks(
    section: &Section,
    converters: &ConvertersConfig,
    findings: &mut Findings,
) {
    let (queue, batch) =
        (section.integer::<u64>("max.queue.size"), section.integer("max.batch.size"));
    if queue <= batch {
        findings.problem(Problem::Conflict {
            property: section.written("max.queue.size"),
            other: section.written("max.batch.size"),
            reason: format!("do not fit together: {queue} is not larger than {batch}"),
            cure: "make the queue larger than the batch, or remove both".to_owned(),
        });
    }
    if section.boolean("provide.transaction.metadata")
        && let Some(entry) = section.entry("transaction.metadata.factory")
        && java_trim(&entry.value) != METADATA_FACTORY
    {
        findings.problem(entry.refused(
            "outflow loads no Java class, and transaction records would be others than it makes",
            "remove it",
        ));
    }
    let with_schema = [&converters.key, &converters.value, &converters.header]
        .iter()
        .any(|converter| converter.class == ConverterClass::Json && converter.schemas_enable);
    for name in ["column.propagate.source.type", "datatype.propagate.source.type"] {
        let Some(entry) = section.entry(name) else { continue };
        if with_schema && !java_trim(&entry.value).is_empty() {
            findings.problem(entry.refused(
                "the schemas that JsonConverter publishes would lack the source types",
                "remove it, or set `schemas.enable=false` for the converters",
            ));
        }
    }
}

/// What the file leaves to defaults that a reader should know of.
pub(super) fn notices(section: &Section, topic_prefix: &str, findings: &mut Findings) {
    match section.entry("include.schema.changes") {
        None if topic_prefix.is_empty() => {}
        None => findings.notice(format!(
            "DDL records are not published (`include.schema.changes` is not set; Debezium would write them to \
             `{topic_prefix}`)"
        )),
        Some(_) if section.boolean("include.schema.changes") => findings.notice(format!(
            "`include.schema.changes` is true, but outflow publishes no DDL records to `{topic_prefix}`"
        )),
        Some(_) => {}
    }
    if section.entry("extended.headers.enabled").is_none() {
        findings.notice(
            "records carry no `__debezium.context.*` headers (Debezium adds them from 3.2 on): set \
             `extended.headers.enabled` to true for them",
        );
    }
    if let Some(entry) = section.entry("tasks.max")
        && java_trim(&entry.value).parse::<u32>().is_ok_and(|tasks| tasks > 1)
    {
        findings.notice(format!("`{}` is more than one: one task does the work", entry.written));
    }
    if let Some(entry) = section.entry("snapshot.mode") {
        let word = java_trim(&entry.value).to_ascii_lowercase();
        if word == "schema_only" {
            findings.notice("`snapshot.mode=schema_only` is the old word for `no_data`");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_split_on_single_semicolons() {
        assert_eq!(statements(""), Vec::<String>::new());
        assert_eq!(statements("SET a=1; SET b='x;;y' ;"), ["SET a=1", "SET b='x;y'"]);
    }
}
