//! Metric names and what they count. Base units; labels of few values; hot-path counters are added to by the batch.

use std::time::Duration;

use prometheus::core::Collector;
use prometheus::process_collector::ProcessCollector;
use prometheus::{
    Gauge, GaugeVec, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge,
    IntGaugeVec, Opts, Registry, TextEncoder,
};

/// Upper bounds of the relay latency's buckets, in seconds.
const LATENCY_BUCKETS: [f64; 16] = [
    0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 300.0,
    3600.0,
];

/// Upper bounds of the buckets of a Kafka transaction's records.
const ROWS_BUCKETS: [f64; 10] =
    [0.0, 1.0, 10.0, 100.0, 1000.0, 5000.0, 20_000.0, 50_000.0, 100_000.0, 1_000_000.0];

/// A family's name and what it counts.
type Name = (&'static str, &'static str);

const PUBLISHED: Name = ("outbox_events_published_total", "Records acknowledged by Kafka");
const FAILED: Name =
    ("outbox_events_failed_total", "Records that could not be routed, converted or delivered");
const DROPPED: Name =
    ("outbox_events_dropped_total", "Row changes that publish nothing, by reason");
const UNEXPANDED: Name = (
    "outbox_events_unexpanded_total",
    "JSON payloads published as they were, although they were to be expanded",
);
const LATENCY: Name = (
    "outbox_relay_latency_seconds",
    "Time from the commit in MySQL to the acknowledgement by Kafka",
);
const DISCONNECTS: Name = ("outflow_disconnects_total", "Lost connections to MySQL");
const TRANSACTIONS: Name = (
    "outflow_transactions_total",
    "Transactions read to their end, those of other tables included",
);
const BINLOG_BYTES: Name = ("outflow_binlog_read_bytes_total", "Bytes of the log that were read");
const SNAPSHOT_ROWS: Name = ("outflow_snapshot_rows_total", "Rows read by the snapshot");
const SNAPSHOT_TABLES_LEFT: Name =
    ("outflow_snapshot_tables_left", "Tables that the snapshot has still to read");
const CONNECTED: Name = ("outflow_connected", "1 while the replica connection streams");
const KAFKA_CONNECTED: Name =
    ("outflow_kafka_connected", "1 unless every Kafka broker is known to be away");
const STATE: Name = ("outflow_connector_state", "1 for the state that the connector is in");
const IN_FLIGHT: Name = ("outflow_in_flight_records", "Records sent and not yet acknowledged");
const LAG: Name =
    ("outflow_lag_seconds", "Time from a transaction's commit to its being read; 0 when caught up");
const POSITION_TIME: Name = (
    "outflow_binlog_position_timestamp_seconds",
    "When the position in the log last moved, as seconds since the epoch",
);
const CHECKPOINT_TIME: Name = (
    "outflow_checkpoint_timestamp_seconds",
    "When the checkpoint was last stored, as seconds since the epoch",
);

const KAFKA_TRANSACTIONS: Name = (
    "outflow_kafka_transactions_total",
    "Kafka transactions of exactly-once delivery, by their outcome",
);
const KAFKA_TRANSACTION_ROWS: Name =
    ("outflow_kafka_transaction_records", "Records of a committed Kafka transaction");
const SPLITS: Name =
    ("outflow_transaction_splits_total", "Commits inside a MySQL transaction or a snapshot");
const FENCED: Name = (
    "outflow_fenced_total",
    "Kafka transactions that the broker ended: open for too long, or another process took over",
);

/// Registers families, each with the label `connector` before any others.
struct Families(Registry);

impl Families {
    fn counter(&self, (name, help): Name, more: &[&str]) -> prometheus::Result<IntCounterVec> {
        self.registered(IntCounterVec::new(Opts::new(name, help), &labels(more))?)
    }

    fn int_gauge(&self, (name, help): Name, more: &[&str]) -> prometheus::Result<IntGaugeVec> {
        self.registered(IntGaugeVec::new(Opts::new(name, help), &labels(more))?)
    }

    fn gauge(&self, (name, help): Name) -> prometheus::Result<GaugeVec> {
        self.registered(GaugeVec::new(Opts::new(name, help), &labels(&[]))?)
    }

    fn histogram(&self, (name, help): Name, buckets: &[f64]) -> prometheus::Result<HistogramVec> {
        let opts = HistogramOpts::new(name, help).buckets(buckets.to_vec());
        self.registered(HistogramVec::new(opts, &labels(&[]))?)
    }

    fn registered<T: Collector + Clone + 'static>(&self, family: T) -> prometheus::Result<T> {
        self.0.register(Box::new(family.clone()))?;
        Ok(family)
    }
}

fn labels<'a>(more: &[&'a str]) -> Vec<&'a str> {
    std::iter::once("connector").chain(more.iter().copied()).collect()
}

/// All metric families of the process.
pub struct Metrics {
    registry: Registry,
    published: IntCounterVec,
    failed: IntCounterVec,
    kafka_transactions: IntCounterVec,
    kafka_transaction_rows: HistogramVec,
    splits: IntCounterVec,
    fenced: IntCounterVec,
    dropped: IntCounterVec,
    unexpanded: IntCounterVec,
    disconnects: IntCounterVec,
    transactions: IntCounterVec,
    binlog_bytes: IntCounterVec,
    snapshot_rows: IntCounterVec,
    snapshot_tables_left: IntGaugeVec,
    latency: HistogramVec,
    connected: IntGaugeVec,
    kafka_connected: IntGaugeVec,
    state: IntGaugeVec,
    in_flight: IntGaugeVec,
    lag: GaugeVec,
    position_time: GaugeVec,
    checkpoint_time: GaugeVec,
}

/// One connector's metrics.
#[derive(Clone)]
pub struct ConnectorMetrics {
    /// Records acknowledged by Kafka.
    pub published: IntCounter,
    /// Records that could not be routed, converted or delivered.
    pub failed: IntCounter,
    /// Kafka transactions that were committed.
    pub kafka_commits: IntCounter,
    /// Kafka transactions that were given up.
    pub kafka_aborts: IntCounter,
    /// Records of a committed Kafka transaction.
    pub kafka_transaction_rows: Histogram,
    /// Commits inside a MySQL transaction or a snapshot.
    pub splits: IntCounter,
    /// Kafka transactions that the broker ended.
    pub fenced: IntCounter,
    /// Updates of outbox rows, which publish nothing.
    pub dropped_updates: IntCounter,
    /// Deletes of outbox rows, which publish nothing.
    pub dropped_deletes: IntCounter,
    /// Inserts dropped by `skipped.operations`, and records skipped by `errors.tolerance=all`.
    pub dropped_skipped: IntCounter,
    /// Records dropped by a `Filter` among the transforms.
    pub dropped_filtered: IntCounter,
    /// JSON payloads published as they were, although they were to be expanded.
    pub unexpanded: IntCounter,
    /// Lost connections to MySQL.
    pub disconnects: IntCounter,
    /// Transactions read to their end, those of other tables included.
    pub transactions: IntCounter,
    /// Bytes of the log that were read.
    pub binlog_bytes: IntCounter,
    /// Rows read by the snapshot.
    pub snapshot_rows: IntCounter,
    /// Tables that the snapshot has still to read.
    pub snapshot_tables_left: IntGauge,
    /// Seconds from the commit in MySQL to the acknowledgement by Kafka.
    pub latency: Histogram,
    /// 1 while the replica connection streams.
    pub connected: IntGauge,
    /// 1 unless every Kafka broker is known to be away.
    pub kafka_connected: IntGauge,
    /// 1 for RUNNING, 0 otherwise.
    pub running: IntGauge,
    /// 1 for FAILED, 0 otherwise.
    pub failed_state: IntGauge,
    /// Records sent and not yet acknowledged.
    pub in_flight: IntGauge,
    /// Seconds between a transaction's commit and its being read; 0 when caught up.
    pub lag: Gauge,
    /// When the position last moved, in seconds since the epoch.
    pub position_time: Gauge,
    /// When the checkpoint was last stored, in seconds since the epoch.
    pub checkpoint_time: Gauge,
}

impl ConnectorMetrics {
    /// A record of a transaction that was committed at the one time, in microseconds since the epoch, is where it
    /// belongs at the other.
    pub fn relayed(&self, commit_us: u64, now_us: u64) {
        let late = Duration::from_micros(now_us.saturating_sub(commit_us));
        self.latency.observe(late.as_secs_f64());
    }
}

impl Metrics {
    /// Registers every family.
    ///
    /// # Errors
    /// When two families share a name, which a test rules out.
    pub fn new() -> Result<Self, prometheus::Error> {
        let families = Families(Registry::new());
        let metrics = Self {
            published: families.counter(PUBLISHED, &[])?,
            failed: families.counter(FAILED, &[])?,
            kafka_transactions: families.counter(KAFKA_TRANSACTIONS, &["outcome"])?,
            kafka_transaction_rows: families.histogram(KAFKA_TRANSACTION_ROWS, &ROWS_BUCKETS)?,
            splits: families.counter(SPLITS, &[])?,
            fenced: families.counter(FENCED, &[])?,
            dropped: families.counter(DROPPED, &["reason"])?,
            unexpanded: families.counter(UNEXPANDED, &[])?,
            disconnects: families.counter(DISCONNECTS, &[])?,
            transactions: families.counter(TRANSACTIONS, &[])?,
            binlog_bytes: families.counter(BINLOG_BYTES, &[])?,
            snapshot_rows: families.counter(SNAPSHOT_ROWS, &[])?,
            snapshot_tables_left: families.int_gauge(SNAPSHOT_TABLES_LEFT, &[])?,
            connected: families.int_gauge(CONNECTED, &[])?,
            kafka_connected: families.int_gauge(KAFKA_CONNECTED, &[])?,
            state: families.int_gauge(STATE, &["state"])?,
            in_flight: families.int_gauge(IN_FLIGHT, &[])?,
            lag: families.gauge(LAG)?,
            position_time: families.gauge(POSITION_TIME)?,
            checkpoint_time: families.gauge(CHECKPOINT_TIME)?,
            latency: families.histogram(LATENCY, &LATENCY_BUCKETS)?,
            registry: families.0,
        };
        metrics.registry.register(Box::new(ProcessCollector::for_self()))?;
        Ok(metrics)
    }

    /// One connector's metrics, at zero.
    #[must_use]
    pub fn connector(&self, name: &str) -> ConnectorMetrics {
        let one = [name];
        let dropped = |reason: &str| self.dropped.with_label_values(&[name, reason]);
        ConnectorMetrics {
            published: self.published.with_label_values(&one),
            failed: self.failed.with_label_values(&one),
            kafka_commits: self.kafka_transactions.with_label_values(&[name, "committed"]),
            kafka_aborts: self.kafka_transactions.with_label_values(&[name, "aborted"]),
            kafka_transaction_rows: self.kafka_transaction_rows.with_label_values(&one),
            splits: self.splits.with_label_values(&one),
            fenced: self.fenced.with_label_values(&one),
            dropped_updates: dropped("update"),
            dropped_deletes: dropped("delete"),
            dropped_skipped: dropped("skipped"),
            dropped_filtered: dropped("filtered"),
            unexpanded: self.unexpanded.with_label_values(&one),
            disconnects: self.disconnects.with_label_values(&one),
            transactions: self.transactions.with_label_values(&one),
            binlog_bytes: self.binlog_bytes.with_label_values(&one),
            snapshot_rows: self.snapshot_rows.with_label_values(&one),
            snapshot_tables_left: self.snapshot_tables_left.with_label_values(&one),
            latency: self.latency.with_label_values(&one),
            connected: self.connected.with_label_values(&one),
            kafka_connected: self.kafka_connected.with_label_values(&one),
            running: self.state.with_label_values(&[name, "RUNNING"]),
            failed_state: self.state.with_label_values(&[name, "FAILED"]),
            in_flight: self.in_flight.with_label_values(&one),
            lag: self.lag.with_label_values(&one),
            position_time: self.position_time.with_label_values(&one),
            checkpoint_time: self.checkpoint_time.with_label_values(&one),
        }
    }

    /// Everything in Prometheus's text format.
    ///
    /// # Errors
    /// When a family cannot be encoded.
    pub fn encode(&self) -> Result<String, prometheus::Error> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

#[cfg(test)]
mod tests {
    use super::Metrics;

    #[test]
    fn every_family_registers_and_encodes() {
        let metrics = Metrics::new().unwrap();
        metrics.connector("orders").published.inc_by(3);
        let text = metrics.encode().unwrap();
        assert!(text.contains("outbox_events_published_total{connector=\"orders\"} 3"));
        assert!(text.contains("process_resident_memory_bytes"));
    }
}
