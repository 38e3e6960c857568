//! Debezium Server's `application.properties` in Connect's names.

use super::file::Pair;
use super::{Problem, Shown};

/// `pairs` with Connect's names: `debezium.source.*` is the connector, `debezium.format.*` its converters,
/// `debezium.sink.kafka.producer.*` its producer.
///
/// # Errors
/// When the sink is not Kafka, or a format has no converter here.
pub(super) fn translate(pairs: Vec<(String, String)>) -> Result<Vec<Pair>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut translated = Vec::new();
    let mut formats = Formats::default();
    for (key, value) in pairs {
        if let Some(rest) = key.strip_prefix("debezium.format.") {
            formats.take(rest, &key, &value, &mut translated, &mut problems);
            continue;
        }
        match rename(&key) {
            Renamed::Key(name) => translated.push(Pair { key: name, written: key, value }),
            Renamed::SinkType if value.trim() == "kafka" => {}
            Renamed::SinkType => problems.push(Problem::Refused {
                value: Shown::open(&value),
                property: key,
                reason: "outflow writes to Kafka".to_owned(),
                cure: "set it to `kafka`".to_owned(),
            }),
        }
    }
    formats.finish(&mut translated);
    if !translated.iter().any(|pair| pair.key == "name") {
        // Debezium Server names its connector after the sink; stored offsets carry that name.
        translated.insert(0, Pair::new("name", "kafka"));
    }
    if problems.is_empty() { Ok(translated) } else { Err(problems) }
}

enum Renamed {
    Key(String),
    SinkType,
}

fn rename(key: &str) -> Renamed {
    let prefixes = [
        ("debezium.source.", ""),
        ("debezium.sink.kafka.producer.", "producer.override."),
        ("debezium.transforms.", "transforms."),
        ("debezium.predicates.", "predicates."),
    ];
    let renamed = prefixes
        .iter()
        .find_map(|(old, new)| Some(format!("{new}{}", key.strip_prefix(old)?)))
        .or_else(|| match key {
            "debezium.name" => Some("name".to_owned()),
            "debezium.transforms" => Some("transforms".to_owned()),
            "debezium.predicates" => Some("predicates".to_owned()),
            _ => None,
        });
    match renamed {
        Some(name) => Renamed::Key(name),
        None if key == "debezium.sink.type" => Renamed::SinkType,
        None => Renamed::Key(key.to_owned()),
    }
}

/// `debezium.format.key|value|header`: `json` where nothing is said.
#[derive(Default)]
struct Formats {
    named: Vec<&'static str>,
    /// `debezium.format.schemas.enable`, for all three.
    schemas_enable: Option<(String, String)>,
    own_schemas_enable: Vec<&'static str>,
}

const PARTS: [&str; 3] = ["key", "value", "header"];
const JSON: &str = "org.apache.kafka.connect.json.JsonConverter";

impl Formats {
    fn take(
        &mut self,
        rest: &str,
        key: &str,
        value: &str,
        translated: &mut Vec<Pair>,
        problems: &mut Vec<Problem>,
    ) {
        let mut push = |name: String, value: &str| {
            translated.push(Pair { key: name, written: key.to_owned(), value: value.to_owned() });
        };
        if rest == "schemas.enable" {
            self.schemas_enable = Some((key.to_owned(), value.to_owned()));
            return;
        }
        for part in PARTS {
            if rest == part {
                self.named.push(part);
                match converter(value.trim()) {
                    Some(class) => push(format!("{part}.converter"), class),
                    None => problems.push(Problem::Refused {
                        property: key.to_owned(),
                        value: Shown::open(value),
                        reason: "outflow has no converter for this format".to_owned(),
                        cure: "use json, simplestring or binary".to_owned(),
                    }),
                }
                return;
            }
            if let Some(option) = rest.strip_prefix(part).and_then(|rest| rest.strip_prefix('.')) {
                if option == "schemas.enable" {
                    self.own_schemas_enable.push(part);
                }
                push(format!("{part}.converter.{option}"), value);
                return;
            }
        }
        push(key.to_owned(), value);
    }

    fn finish(self, translated: &mut Vec<Pair>) {
        for part in PARTS {
            if !self.named.contains(&part) {
                translated.push(Pair::new(format!("{part}.converter"), JSON));
            }
            let inherited = self.schemas_enable.as_ref();
            if let Some((written, value)) = inherited
                && !self.own_schemas_enable.contains(&part)
            {
                translated.push(Pair {
                    key: format!("{part}.converter.schemas.enable"),
                    written: written.clone(),
                    value: value.clone(),
                });
            }
        }
    }
}

fn converter(format: &str) -> Option<&'static str> {
    match format.to_ascii_lowercase().as_str() {
        "json" | "jsonbytearray" => Some(JSON),
        "simplestring" => Some("org.apache.kafka.connect.storage.StringConverter"),
        "binary" => Some("io.debezium.converters.BinaryDataConverter"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, Vec<Problem>> {
        let pairs = super::super::java_properties::parse(text).unwrap();
        Ok(translate(pairs)?
            .into_iter()
            .map(|pair| format!("{}={}", pair.key, pair.value))
            .collect())
    }

    #[test]
    fn servers_names_become_connects() {
        let text = "debezium.sink.type=kafka\n\
                    debezium.sink.kafka.producer.bootstrap.servers=k:9092\n\
                    debezium.source.topic.prefix=p\n\
                    debezium.transforms=outbox\n\
                    debezium.transforms.outbox.type=T\n\
                    debezium.format.schemas.enable=false\n\
                    debezium.format.key=simplestring\n\
                    debezium.format.value.schemas.enable=true\n\
                    quarkus.log.level=INFO\n";
        let expected = [
            "name=kafka",
            "producer.override.bootstrap.servers=k:9092",
            "topic.prefix=p",
            "transforms=outbox",
            "transforms.outbox.type=T",
            "key.converter=org.apache.kafka.connect.storage.StringConverter",
            "value.converter.schemas.enable=true",
            "quarkus.log.level=INFO",
            "key.converter.schemas.enable=false",
            "value.converter=org.apache.kafka.connect.json.JsonConverter",
            "header.converter=org.apache.kafka.connect.json.JsonConverter",
            "header.converter.schemas.enable=false",
        ];
        assert_eq!(names(text).unwrap(), expected);
    }

    #[test]
    fn other_sinks_and_formats_are_refused_together() {
        let problems = names("debezium.sink.type=redis\ndebezium.format.value=avro\n").unwrap_err();
        let names: Vec<_> = problems.iter().filter_map(Problem::property).collect();
        assert_eq!(names, ["debezium.sink.type", "debezium.format.value"]);
    }
}
