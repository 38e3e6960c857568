use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::producer::{BaseProducer, Producer};
use serde_json::Value;

use crate::support::{Kafka, Outbox, Outflow, Random, Record, until};

/// How long the broker may take to end a transaction that was left open.
const FENCED_MAX: Duration = Duration::from_secs(30);
/// The group that the worker's file names.
const GROUP: &str = "tests";

/// An outbox whose rows go in Kafka transactions, and whose position goes to a topic of its own.
pub(super) struct Scene {
    pub(super) outbox: Outbox,
    pub(super) offsets: String,
}

impl Scene {
    pub(super) fn new(name: &str) -> Self {
        let outbox = Outbox::new(name);
        let offsets = format!("{}.offsets", outbox.topic);
        let outbox = exactly_once(outbox, &offsets);
        Self { outbox, offsets }
    }

    /// The same with a property of the connector.
    pub(super) fn with(mut self, property: &str, value: &str) -> Self {
        self.outbox.set(property, value);
        self
    }

    pub(super) fn kafka(&self) -> Kafka {
        Kafka::connect(&self.outbox.broker.bootstrap_servers)
    }

    /// The positions that were committed, oldest first. A broker marks what was committed a moment after it has said so.
    pub(super) fn positions(&self) -> Vec<Record> {
        until("the mark of the last commit", FENCED_MAX, || !self.is_open(&self.offsets));
        self.kafka().read_topic(&self.offsets)
    }

    /// The last position.
    pub(super) fn position(&self) -> Value {
        let positions = self.positions();
        let last = positions.last().expect("a position was committed");
        serde_json::from_slice(last.value.as_deref().expect("it is no tombstone")).expect("JSON")
    }

    /// Ends what a killed outflow has left open, as the next one's start does.
    pub(super) fn fence(&self) {
        let producer: BaseProducer = ClientConfig::new()
            .set("bootstrap.servers", &self.outbox.broker.bootstrap_servers)
            .set("transactional.id", format!("{GROUP}-{}-0", self.outbox.schema))
            .create()
            .expect("a producer");
        producer.init_transactions(FENCED_MAX).expect("the transactional id is to be had");
    }

    /// Whether a Kafka transaction with records is open.
    pub(super) fn has_open(&self) -> bool {
        self.is_open(&self.outbox.topic)
    }

    fn is_open(&self, topic: &str) -> bool {
        let ends = |isolation: &str| {
            let consumer: BaseConsumer = ClientConfig::new()
                .set("bootstrap.servers", &self.outbox.broker.bootstrap_servers)
                .set("isolation.level", isolation)
                .create()
                .expect("a consumer");
            let end = |partition| consumer.fetch_watermarks(topic, partition, FENCED_MAX);
            [0, 1, 2].map(|partition| end(partition).expect("the broker answers").1)
        };
        ends("read_committed") != ends("read_uncommitted")
    }

    /// Every MySQL transaction that is on the topic is there as a whole.
    #[track_caller]
    pub(super) fn is_whole(&self) {
        let mut found: BTreeMap<(u64, usize), usize> = BTreeMap::new();
        for record in self.kafka().read_topic(&self.outbox.topic) {
            *found.entry(members(&record)).or_default() += 1;
        }
        for ((first, count), found) in found {
            assert_eq!(found, count, "records of the MySQL transaction that begins with {first}");
        }
    }

    /// The sample of a family for this connector.
    pub(super) fn sample(&self, family: &str) -> String {
        format!("{family}{{connector=\"{}\"}}", self.outbox.schema)
    }

    /// How many Kafka transactions had this outcome.
    pub(super) fn outcomes(&self, outflow: &Outflow, outcome: &str) -> f64 {
        let connector = &self.outbox.schema;
        outflow.metric(&format!(
            "outflow_kafka_transactions_total{{connector=\"{connector}\",outcome=\"{outcome}\"}}"
        ))
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.kafka().delete(&self.offsets);
        }
    }
}

/// An outbox with what exactly-once delivery needs.
pub(crate) fn exactly_once(outbox: Outbox, offsets: &str) -> Outbox {
    let worker = format!(
        "group.id={GROUP}\noffset.storage.topic=unused\noffset.storage.partitions=3\n\
         offset.storage.replication.factor=1\n"
    );
    outbox
        .with_worker(&worker)
        .with("exactly.once.support", "required")
        .with("offsets.storage.topic", offsets)
        .with("transforms.outbox.table.fields.additional.placement", "type:header:transaction")
}

/// A statement that inserts rows which say which transaction they belong to.
pub(super) fn insert(first: u64, count: u64, keys: u64) -> String {
    Outbox::insert(first..first + count, keys).replace("'T'", &format!("'{first}+{count}'"))
}

/// The MySQL transaction of a record: its first row's id, and its number of rows.
fn members(record: &Record) -> (u64, usize) {
    let text = record.header("transaction").expect("a header transaction");
    let (first, count) = text.split_once('+').expect("first+count");
    (first.parse().expect("a number"), count.parse().expect("a number"))
}

/// Transactions of one to three hundred rows, as fast as the server takes them.
pub(super) fn write(outbox: &Outbox, rows: u64, sizes: &mut Random) {
    let mut sql = outbox.sql();
    let mut first = 1;
    while first <= rows {
        let count = (1 + sizes.below(300)).min(rows + 1 - first);
        sql.run(&insert(first, count, 50));
        first += count;
    }
}

/// Copies the files of a folder.
pub(super) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a file");
        }
    }
}

/// Waits until the offsets topic holds a position that `holds` accepts.
#[track_caller]
pub(super) fn until_position(scene: &Scene, what: &str, holds: impl Fn(&Value) -> bool) {
    until(what, FENCED_MAX, || !scene.positions().is_empty() && holds(&scene.position()));
}
