use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::support::Record;

/// A record as a recording has it: what a consumer sees but for the offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) topic: String,
    /// None where any is right.
    pub(super) partition: Option<i32>,
    pub(super) key: Option<Vec<u8>>,
    pub(super) value: Option<Vec<u8>>,
    pub(super) headers: Vec<(String, Option<Vec<u8>>)>,
    pub(super) timestamp: Timestamp,
}

/// A record's timestamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Timestamp {
    /// The time of processing, which changes from run to run.
    Processing,
    /// An event's time in milliseconds.
    Event(i64),
}

impl Event {
    /// A line of a recording.
    pub(super) fn parse(line: &str, first_recording_ms: i64) -> Self {
        let json: Value = serde_json::from_str(line).expect(line);
        let timestamp = json["timestamp"].as_i64();
        let headers = json["headers"].as_array().expect(line);
        Self {
            topic: json["topic"].as_str().expect(line).to_owned(),
            partition: json["partition"]
                .as_i64()
                .map(|partition| i32::try_from(partition).unwrap()),
            key: bytes(&json["key"]),
            value: bytes(&json["value"]),
            headers: headers
                .iter()
                .map(|pair| (pair[0].as_str().unwrap().to_owned(), bytes(&pair[1])))
                .collect(),
            timestamp: match timestamp {
                Some(ms) if ms < first_recording_ms => Timestamp::Event(ms),
                _ => Timestamp::Processing,
            },
        }
    }

    /// A record of this run, which was processed between the two times.
    pub(super) fn of(record: Record, run_ms: &std::ops::RangeInclusive<i64>) -> Self {
        let processing = run_ms.contains(&record.timestamp_ms);
        Self {
            topic: record.topic,
            partition: Some(record.partition),
            key: record.key,
            value: record.value,
            headers: record.headers,
            timestamp: if processing {
                Timestamp::Processing
            } else {
                Timestamp::Event(record.timestamp_ms)
            },
        }
    }

    /// One line for a person, in the recordings' form.
    pub(super) fn line(&self) -> String {
        let shown = |bytes: &Option<Vec<u8>>| match bytes.as_deref().map(std::str::from_utf8) {
            None => Value::Null,
            Some(Ok(text)) => serde_json::json!({ "utf8": text }),
            Some(Err(_)) => {
                serde_json::json!({ "base64": bytes.as_ref().map(|bytes| BASE64_STANDARD.encode(bytes)) })
            }
        };
        let headers: Vec<Value> = self
            .headers
            .iter()
            .map(|(name, value)| serde_json::json!([name, shown(value)]))
            .collect();
        let timestamp = match self.timestamp {
            Timestamp::Processing => Value::from("processing"),
            Timestamp::Event(ms) => Value::from(ms),
        };
        serde_json::json!({
            "topic": self.topic, "partition": self.partition, "key": shown(&self.key), "value": shown(&self.value),
            "headers": headers, "timestamp": timestamp,
        })
        .to_string()
    }
}

fn bytes(json: &Value) -> Option<Vec<u8>> {
    match json {
        Value::Null => None,
        Value::Object(form) => match (form.get("utf8"), form.get("base64")) {
            (Some(Value::String(text)), None) => Some(text.clone().into_bytes()),
            (None, Some(Value::String(text))) => Some(BASE64_STANDARD.decode(text).unwrap()),
            _ => panic!("neither utf8 nor base64: {json}"),
        },
        _ => panic!("not bytes: {json}"),
    }
}
