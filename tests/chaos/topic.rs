use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::checker::Published;
use super::transaction::{filler, key_name, key_of, type_name};
use crate::support::{Kafka, Offsets, Record};

/// Without a record for so long the broker does not give what it has.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// Reads a topic from its beginning to its present end.
pub(super) fn read(bootstrap_servers: &str, topic: &str) -> Vec<Published> {
    let kafka = Kafka::connect(bootstrap_servers);
    let mut open: BTreeMap<i32, i64> = BTreeMap::new();
    for ((_, partition), end) in kafka.ends(|name| name == topic) {
        if end > 0 {
            open.insert(partition, end);
        }
    }
    kafka.follow(topic, &Offsets::new());
    let (mut records, mut heard) = (Vec::new(), Instant::now());
    while !open.is_empty() {
        let Some(record) = kafka.poll(Duration::from_millis(100)) else {
            // What ends a partition need not be a record: a transaction's mark has an offset too.
            open.retain(|partition, end| kafka.position(topic, *partition) < *end);
            assert!(
                heard.elapsed() < SILENCE_MAX,
                "the broker does not give all records: {open:?}"
            );
            continue;
        };
        heard = Instant::now();
        if open.get(&record.partition).is_some_and(|end| record.kafka_offset + 1 >= *end) {
            open.remove(&record.partition);
        }
        records.push(published(&record));
    }
    records
}

/// What a record says of its row, and whether all its parts say the same.
fn published(record: &Record) -> Published {
    let id = record.header("id").and_then(|id| id.parse().ok()).unwrap_or(0);
    let key = record.key.as_deref().and_then(|key| key_of(std::str::from_utf8(key).ok()?));
    let payload: Value = record
        .value
        .as_deref()
        .and_then(|value| serde_json::from_slice(value).ok())
        .unwrap_or_default();
    let number = payload["n"].as_u64().and_then(|number| u32::try_from(number).ok());
    let mut wrong = Vec::new();
    if record.header("type") != Some(&type_name(id)) {
        wrong.push("header type");
    }
    if key.is_none_or(|key| payload["key"].as_str() != Some(&key_name(key))) {
        wrong.push("key");
    }
    if payload["id"].as_u64() != Some(id) || number.is_none() {
        wrong.push("payload");
    }
    if payload["filler"].as_str() != Some(&filler(id)) {
        wrong.push("filler");
    }
    Published {
        id,
        key: key.unwrap_or_default(),
        number: number.unwrap_or_default(),
        partition: record.partition,
        at_ms: record.timestamp_ms,
        wrong: (!wrong.is_empty()).then(|| {
            let value = record.value.as_deref().map(String::from_utf8_lossy);
            let value: String = value.unwrap_or_default().chars().take(200).collect();
            format!("{} in headers {:?}, value {value:?}", wrong.join(", "), record.headers)
        }),
    }
}
