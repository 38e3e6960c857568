//! `key.converter`, `value.converter` and `header.converter`.

use super::{Entry, Findings, Section, below};
use crate::config::properties::CONVERTER;
use crate::config::report::Verdict;
use crate::config::{ConverterClass, ConverterConfig, ConvertersConfig};

/// Which converters the files choose.
pub(super) fn converters(
    connector: &[Entry],
    worker: &[Entry],
    findings: &mut Findings,
) -> ConvertersConfig {
    let mut part = |part: Part| {
        let name = part.property();
        let has = |entries: &[Entry]| entries.iter().any(|entry| entry.key == name);
        let prefix = format!("{name}.");
        let (chosen, ignored, why) = match (has(connector), has(worker)) {
            (true, _) => (connector, worker, "the connector's file names the converter"),
            (false, true) => {
                (worker, connector, "the worker's file names the converter, and its options count")
            }
            (false, false) => {
                findings.notice(format!(
                    "neither file names `{name}`: it is {}",
                    part.default_class().java_name()
                ));
                unused(connector, name, "no file names the converter", findings);
                unused(worker, name, "no file names the converter", findings);
                return plain(part.default_class());
            }
        };
        unused(ignored, name, why, findings);
        let options = below(chosen, &prefix);
        let named = chosen.iter().find(|entry| entry.key == name);
        named.map_or_else(
            || plain(part.default_class()),
            |entry| converter(part, entry, &prefix, options, findings),
        )
    };
    ConvertersConfig { key: part(Part::Key), value: part(Part::Value), header: part(Part::Header) }
}

fn unused(entries: &[Entry], name: &str, why: &str, findings: &mut Findings) {
    let prefix = format!("{name}.");
    for entry in entries.iter().filter(|e| e.key == name || e.key.starts_with(&prefix)) {
        // Known by itself, whatever the converter.
        if entry.key != format!("{prefix}plugin.version") {
            findings.row(&entry.written, Verdict::WithoutEffect, why);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Key,
    Value,
    Header,
}

impl Part {
    fn property(self) -> &'static str {
        match self {
            Self::Key => "key.converter",
            Self::Value => "value.converter",
            Self::Header => "header.converter",
        }
    }

    /// What counts where no file names one: what relays of an outbox usually have.
    fn default_class(self) -> ConverterClass {
        match self {
            Self::Key | Self::Value => ConverterClass::String,
            Self::Header => ConverterClass::SimpleHeader,
        }
    }
}

impl ConverterClass {
    /// The class's name in Kafka Connect.
    #[must_use]
    pub fn java_name(self) -> &'static str {
        match self {
            Self::String => "org.apache.kafka.connect.storage.StringConverter",
            Self::Json => "org.apache.kafka.connect.json.JsonConverter",
            Self::ByteArray => "org.apache.kafka.connect.converters.ByteArrayConverter",
            Self::BinaryData => "io.debezium.converters.BinaryDataConverter",
            Self::SimpleHeader => "org.apache.kafka.connect.storage.SimpleHeaderConverter",
            Self::Boolean => "org.apache.kafka.connect.converters.BooleanConverter",
            Self::Short => "org.apache.kafka.connect.converters.ShortConverter",
            Self::Integer => "org.apache.kafka.connect.converters.IntegerConverter",
            Self::Long => "org.apache.kafka.connect.converters.LongConverter",
            Self::Float => "org.apache.kafka.connect.converters.FloatConverter",
            Self::Double => "org.apache.kafka.connect.converters.DoubleConverter",
        }
    }
}

const CLASSES: [ConverterClass; 11] = [
    ConverterClass::String,
    ConverterClass::Json,
    ConverterClass::ByteArray,
    ConverterClass::BinaryData,
    ConverterClass::SimpleHeader,
    ConverterClass::Boolean,
    ConverterClass::Short,
    ConverterClass::Integer,
    ConverterClass::Long,
    ConverterClass::Float,
    ConverterClass::Double,
];

/// The old name of `BinaryDataConverter`, which trips over every BLOB where it still exists.
const OLD_BINARY: &str = "io.debezium.converters.ByteArrayConverter";

/// The class of a full name, a simple one, or that without `Converter`, as Connect looks plugins up.
fn class(name: &str) -> Option<ConverterClass> {
    if name == OLD_BINARY {
        return Some(ConverterClass::BinaryData);
    }
    CLASSES.into_iter().find(|class| {
        let full = class.java_name();
        let simple = full.rsplit('.').next().unwrap_or(full);
        let short = simple.strip_suffix("HeaderConverter");
        let short = short.or_else(|| simple.strip_suffix("Converter"));
        name == full || name == simple || Some(name) == short
    })
}

fn plain(class: ConverterClass) -> ConverterConfig {
    ConverterConfig {
        class,
        schemas_enable: true,
        decimal_numeric: false,
        replace_null_with_default: true,
        encoding: None,
        delegate: None,
    }
}

fn converter(
    part: Part,
    named: &Entry,
    prefix: &str,
    mut options: Vec<Entry>,
    findings: &mut Findings,
) -> ConverterConfig {
    let name = named.value.trim();
    let fits =
        |class: &ConverterClass| part == Part::Header || *class != ConverterClass::SimpleHeader;
    let Some(class) = class(name).filter(fits) else {
        refuse(part, named, &options, findings);
        return plain(part.default_class());
    };
    findings.row(&named.written, Verdict::Used, "");
    if name == OLD_BINARY {
        findings.notice(format!("`{}`: {OLD_BINARY} is taken for its successor", named.written));
    }
    options.retain(|option| option.key != "plugin.version");
    // Options of another class are known and do nothing, as in Connect.
    let relevant = relevant_options(class);
    options.retain(|option| {
        let is_relevant =
            relevant.iter().any(|name| option.key == *name || is_below(&option.key, name));
        if !is_relevant {
            let reason = format!("{} has no such option", class.java_name());
            findings.row(&option.written, Verdict::WithoutEffect, reason);
        }
        is_relevant
    });
    let section = Section::new(prefix, CONVERTER, options.clone(), findings);
    ConverterConfig {
        class,
        schemas_enable: section.boolean("schemas.enable"),
        decimal_numeric: section
            .trimmed("decimal.format")
            .is_some_and(|format| format.eq_ignore_ascii_case("numeric")),
        replace_null_with_default: section.boolean("replace.null.with.default"),
        encoding: encoding(&section, findings),
        delegate: delegate(part, &section, prefix, &options, findings),
    }
}

fn is_below(key: &str, name: &str) -> bool {
    key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
}

fn relevant_options(class: ConverterClass) -> &'static [&'static str] {
    match class {
        ConverterClass::Json => &[
            "schemas.enable",
            "decimal.format",
            "replace.null.with.default",
            "schemas.cache.size",
            "schema.content",
            "converter.type",
        ],
        ConverterClass::String => {
            &["converter.encoding", "converter.encoding.deserializer", "encoding", "converter.type"]
        }
        ConverterClass::BinaryData => &["delegate.converter.type", "converter.type"],
        ConverterClass::ByteArray
        | ConverterClass::SimpleHeader
        | ConverterClass::Boolean
        | ConverterClass::Short
        | ConverterClass::Integer
        | ConverterClass::Long
        | ConverterClass::Float
        | ConverterClass::Double => &["converter.type"],
    }
}

fn refuse(part: Part, named: &Entry, options: &[Entry], findings: &mut Findings) {
    findings.row(&named.written, Verdict::Refused, "unsupported converter");
    for option in options {
        findings.row(&option.written, Verdict::Refused, "option of an unsupported converter");
    }
    let is_registry = ["Avro", "Protobuf", "JsonSchema"].iter().any(|w| named.value.contains(w));
    let reason = if is_registry {
        "outflow speaks to no schema registry"
    } else {
        "outflow does not have this converter"
    };
    let supported: Vec<&str> = CLASSES
        .into_iter()
        .filter(|class| part == Part::Header || *class != ConverterClass::SimpleHeader)
        .map(ConverterClass::java_name)
        .collect();
    findings.problem(named.refused(reason, format!("write one of {}", supported.join(", "))));
}

/// `converter.encoding` where it is not UTF-8.
fn encoding(section: &Section, findings: &mut Findings) -> Option<String> {
    let label = section.trimmed("converter.encoding")?;
    let known = encoding_rs::Encoding::for_label(label.as_bytes());
    if known == Some(encoding_rs::UTF_8) {
        return None;
    }
    if known.is_none()
        && let Some(entry) = section.entry("converter.encoding")
    {
        findings.problem(entry.invalid(
            "is not a character set that outflow can write",
            "write UTF-8 or another common name",
        ));
    }
    Some(label)
}

fn delegate(
    part: Part,
    section: &Section,
    prefix: &str,
    options: &[Entry],
    findings: &mut Findings,
) -> Option<Box<ConverterConfig>> {
    let named = section.entry("delegate.converter.type")?;
    let below_it = "delegate.converter.type.";
    // A delegate of a delegate would be a loop of the reader's making.
    if class(named.value.trim()) == Some(ConverterClass::BinaryData) {
        findings.problem(named.invalid("delegates to itself", "name another converter"));
        return None;
    }
    let prefix = format!("{prefix}{below_it}");
    // The section has its row; the delegate's own row says the same.
    let rows = findings.report.rows.len();
    let config = converter(part, named, &prefix, below(options, below_it), findings);
    let is_repeated = |row: &crate::config::ReportRow| row.key == named.written;
    if let Some(at) = findings.report.rows.iter().skip(rows).position(is_repeated) {
        findings.report.rows.remove(rows + at);
    }
    Some(Box::new(config))
}
