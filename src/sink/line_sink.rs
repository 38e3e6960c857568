use std::io::{BufWriter, Stdout, Write};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json, json};

use super::{Reports, Sink, SinkError};
use crate::checkpoint::InFlight;
use crate::convert::ProducerRecord;
use crate::metrics::ConnectorMetrics;

/// One JSON object a record on standard output: topic, partition, key, value, headers, timestamp. Bytes
/// are `{"utf8": …}` or, where they are not UTF-8, `{"base64": …}`.
pub struct LineSink {
    out: BufWriter<Stdout>,
    unflushed: Range<u64>,
    in_flight: Arc<InFlight>,
    metrics: ConnectorMetrics,
}

impl LineSink {
    /// Writes to standard output.
    #[must_use]
    pub fn new(in_flight: Arc<InFlight>, metrics: ConnectorMetrics) -> Self {
        let out = BufWriter::with_capacity(1 << 16, std::io::stdout());
        Self { out, unflushed: 0..0, in_flight, metrics }
    }
}

impl Sink for LineSink {
    fn send(&mut self, record: &ProducerRecord<'_>, sequence: u64) -> Result<(), SinkError> {
        let mut line = Map::new();
        line.insert("topic".into(), record.topic.into());
        line.insert("partition".into(), record.partition.into());
        line.insert("key".into(), bytes(record.key));
        line.insert("value".into(), bytes(record.value));
        let headers = record.headers.iter().map(|(key, value)| json!([key, bytes(*value)]));
        line.insert("headers".into(), headers.collect());
        line.insert("timestamp".into(), record.timestamp.into());
        let output = |err: std::io::Error| SinkError::Output(err.to_string());
        serde_json::to_writer(&mut self.out, &Json::Object(line))
            .map_err(|err| SinkError::Output(err.to_string()))?;
        self.out.write_all(b"\n").map_err(output)?;
        if self.unflushed.is_empty() {
            self.unflushed.start = sequence;
        }
        self.unflushed.end = sequence + 1;
        Ok(())
    }

    fn poll(&mut self) -> Result<(), SinkError> {
        self.out.flush().map_err(|err| SinkError::Output(err.to_string()))?;
        self.metrics.published.inc_by(self.unflushed.end - self.unflushed.start);
        for sequence in std::mem::take(&mut self.unflushed) {
            self.in_flight.acknowledge(sequence);
        }
        Ok(())
    }

    fn pace(&mut self, _behind: bool) -> Result<(), SinkError> {
        Ok(())
    }

    fn is_full(&self) -> bool {
        false
    }

    fn drain(&mut self, _deadline: Instant) -> bool {
        self.poll().is_ok()
    }

    fn purge(&mut self) {}

    fn reports(&self) -> Option<Reports> {
        None
    }
}

fn bytes(bytes: Option<&[u8]>) -> Json {
    match bytes.map(|bytes| (bytes, std::str::from_utf8(bytes))) {
        None => Json::Null,
        Some((_, Ok(text))) => json!({ "utf8": text }),
        Some((bytes, Err(_))) => json!({ "base64": STANDARD.encode(bytes) }),
    }
}

/// Takes everything and keeps nothing: parts reading from sending in measurements.
pub struct NullSink {
    in_flight: Arc<InFlight>,
    metrics: ConnectorMetrics,
}

impl NullSink {
    /// Acknowledges at once.
    #[must_use]
    pub fn new(in_flight: Arc<InFlight>, metrics: ConnectorMetrics) -> Self {
        Self { in_flight, metrics }
    }
}

impl Sink for NullSink {
    fn send(&mut self, _record: &ProducerRecord<'_>, sequence: u64) -> Result<(), SinkError> {
        self.in_flight.acknowledge(sequence);
        self.metrics.published.inc();
        Ok(())
    }

    fn poll(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn pace(&mut self, _behind: bool) -> Result<(), SinkError> {
        Ok(())
    }

    fn is_full(&self) -> bool {
        false
    }

    fn drain(&mut self, _deadline: Instant) -> bool {
        self.poll().is_ok()
    }

    fn purge(&mut self) {}

    fn reports(&self) -> Option<Reports> {
        None
    }
}
