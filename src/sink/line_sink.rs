use std::io::{BufWriter, Stdout, Write};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};

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
        let line = Line {
            topic: record.topic,
            partition: record.partition,
            key: record.key.map(Bytes::of),
            value: record.value.map(Bytes::of),
            headers: Headers(record.headers),
            timestamp: record.timestamp,
        };
        let output = |err: std::io::Error| SinkError::Output(err.to_string());
        serde_json::to_writer(&mut self.out, &line)
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

#[derive(Serialize)]
struct Line<'a> {
    topic: &'a str,
    partition: Option<i32>,
    key: Option<Bytes<'a>>,
    value: Option<Bytes<'a>>,
    headers: Headers<'a>,
    timestamp: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Bytes<'a> {
    Utf8(&'a str),
    Base64(String),
}

/// Pairs of name and value.
struct Headers<'a>(&'a [(&'a str, Option<&'a [u8]>)]);

impl<'a> Bytes<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        std::str::from_utf8(bytes).map_or_else(|_| Self::Base64(STANDARD.encode(bytes)), Self::Utf8)
    }
}

impl Serialize for Headers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(headers) = self;
        serializer.collect_seq(headers.iter().map(|(name, value)| (name, value.map(Bytes::of))))
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
