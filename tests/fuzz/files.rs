//! Configuration: the connector's file in all its forms, the worker's file, and the command line.

use outflow::config::{
    Environment, Inputs, JavaRegex, RegexList, Replacement, TransformConfig, check,
};
use outflow::route::TransformChain;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::fuzz;
use super::property::{name, value};

/// What every file needs, so that the rest is looked at too.
pub(super) const BASE: &[(&str, &str)] = &[
    ("name", "n"),
    ("connector.class", "io.debezium.connector.mysql.MySqlConnector"),
    ("topic.prefix", "p"),
    ("database.hostname", "h"),
    ("database.user", "u"),
    ("database.server.id", "7"),
    ("transforms", "outbox"),
    ("transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter"),
];

/// Checks a file and prints all that is to be said of it.
fn look(file: &str, worker: Option<&str>, set: &[(String, String)], strict: bool) {
    let environment = Environment::from_iter([("NAME".to_owned(), "v".to_owned())]);
    let inputs =
        Inputs { file, worker, set, bootstrap_servers: None, needs_brokers: !strict, strict };
    let (config, report) = check(&inputs, &environment);
    let _text = format!("{report:?}");
    match config {
        Ok(config) => drop(TransformChain::new(config.transforms.behind)),
        Err(problems) => {
            assert!(!problems.is_empty(), "a file is refused without a word");
            problems.iter().for_each(|problem| assert!(!problem.to_string().is_empty()));
        }
    }
}

fn properties(pairs: &[(String, String)]) -> String {
    pairs.iter().map(|(key, value)| format!("{key}={value}\n")).collect()
}

#[test]
fn every_connector_file_returns() {
    let pairs = vec((name(), value()), 0..12);
    fuzz(
        "connector files",
        &(pairs, any::<[bool; 4]>()),
        |(pairs, [json, flat, based, strict])| {
            let mut all: Vec<(String, String)> = Vec::new();
            if based {
                all.extend(
                    BASE.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
                );
            }
            all.extend(pairs.iter().cloned());
            let config: serde_json::Map<String, serde_json::Value> =
                all.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
            let file = match (json, flat) {
                (true, true) => serde_json::Value::Object(config).to_string(),
                (true, false) => serde_json::json!({ "name": "n", "config": config }).to_string(),
                (false, _) => properties(&all),
            };
            look(&file, None, &[], strict);
            look("{\"name\":\"n\",\"config\":{}}", None, &all, strict);
        },
    );
}

#[test]
fn every_worker_file_returns() {
    fuzz("worker files", &vec((name(), value()), 0..12), |pairs| {
        let file = properties(
            &BASE.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<Vec<_>>(),
        );
        look(&file, Some(&properties(&pairs)), &[], false);
    });
}

#[test]
fn every_text_may_be_a_file() {
    let text = prop_oneof![
        any::<String>(),
        "[\\[\\]{}\":,a-c0-9\\\\u \n=#!.e+-]{0,60}",
        "(name|config|\\{|\\}|\"|:|,|\\[|\\]|null|1e999|\\\\u00|=|\n){0,24}",
    ];
    fuzz("texts", &(text, any::<bool>()), |(text, strict)| {
        look(&text, Some(&text), &[], strict);
    });
}

#[test]
fn every_pattern_returns() {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        ".",
        "*",
        "+",
        "?",
        "{2}",
        "{1,}",
        "(",
        ")",
        "(?:",
        "(?=",
        "(?<!",
        "(?<n>",
        "(?>",
        "|",
        "[",
        "]",
        "[^",
        "&&",
        "-",
        "\\d",
        "\\p{L}",
        "\\Q",
        "\\E",
        "\\1",
        "\\k<n>",
        "^",
        "$",
        "\\b",
        "(?i)",
        "(?s:",
        "é",
        "\\x{1F600}",
        "\\uD83D",
        "++",
        "*?",
        ",",
        "\\,",
        " ",
        "$1",
        "${n}",
        "\\$",
    ]);
    let text = vec(piece, 0..14).prop_map(|pieces| pieces.concat());
    fuzz("patterns", &(text.clone(), text, any::<bool>()), |(pattern, text, ignore_case)| {
        let _list = RegexList::parse(&pattern).map(|list| list.matches(&text));
        let Ok(regex) = JavaRegex::compile(&pattern, ignore_case) else { return };
        let _matches = regex.matches(&text);
        let _replacement = Replacement::parse(&text, &regex);
    });
}

#[test]
fn every_transform_returns() {
    let class = prop::sample::select(vec![
        "RegexRouter",
        "TimestampRouter",
        "InsertHeader",
        "DropHeaders",
        "HeaderFrom$Value",
        "HeaderFrom$Key",
        "ReplaceField$Value",
        "ReplaceField$Key",
        "ValueToKey",
        "InsertField$Value",
        "InsertField$Key",
        "Cast$Value",
        "Cast$Key",
        "SetSchemaMetadata$Value",
        "Filter",
        "Nothing",
    ]);
    let option = prop::sample::select(vec![
        "regex",
        "replacement",
        "header",
        "value.literal",
        "headers",
        "fields",
        "operation",
        "exclude",
        "include",
        "renames",
        "topic.field",
        "partition.field",
        "timestamp.field",
        "static.field",
        "static.value",
        "spec",
        "topic.format",
        "timestamp.format",
        "schema.name",
        "schema.version",
        "replace.null.with.default",
    ]);
    let options = btree_map(option.prop_map(str::to_owned), value(), 0..5);
    fuzz("transforms", &(class, options), |(class, options)| {
        let class = format!("org.apache.kafka.connect.transforms.{class}");
        if let Ok(transform) = TransformConfig::parse(&class, &options) {
            let step = outflow::config::TransformStep {
                alias: "t".to_owned(),
                transform,
                predicate: None,
            };
            let _chain = TransformChain::new(vec![step]);
        }
    });
}
