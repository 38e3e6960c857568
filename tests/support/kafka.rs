use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rdkafka::admin::{
    AdminClient, AdminOptions, AlterConfig, NewTopic, ResourceSpecifier, TopicReplication,
};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, Headers, Message};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

/// How long a broker may take to answer.
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// Partitions of every topic here, as in the recordings.
const PARTITIONS: i32 = 3;

/// A record as it lies on the topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) topic: String,
    pub(crate) partition: i32,
    pub(crate) kafka_offset: i64,
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) value: Option<Vec<u8>>,
    pub(crate) headers: Vec<(String, Option<Vec<u8>>)>,
    pub(crate) timestamp_ms: i64,
}

impl Record {
    /// The text of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let value = self.headers.iter().find(|(key, _)| key == name)?.1.as_deref()?;
        Some(std::str::from_utf8(value).unwrap())
    }

    /// The text of the key.
    pub(crate) fn key_text(&self) -> &str {
        std::str::from_utf8(self.key.as_deref().expect("a key")).unwrap()
    }
}

/// Where a topic's partitions end, or shall be read from.
pub(crate) type Offsets = BTreeMap<(String, i32), i64>;

/// A client that reads what lies on topics.
pub(crate) struct Kafka {
    consumer: BaseConsumer,
    admin: AdminClient<DefaultClientContext>,
}

impl Kafka {
    pub(crate) fn connect(bootstrap_servers: &str) -> Self {
        let mut client = ClientConfig::new();
        client
            .set("bootstrap.servers", bootstrap_servers)
            .set("topic.metadata.refresh.interval.ms", "2000")
            .set("reconnect.backoff.max.ms", "500");
        let admin = client.create().unwrap();
        let consumer = client
            .set("group.id", "outflow-tests")
            .set("enable.auto.commit", "false")
            .set("auto.offset.reset", "error")
            .set("fetch.wait.max.ms", "20")
            .set("check.crcs", "true")
            .set("enable.partition.eof", "true")
            .create()
            .unwrap();
        Self { consumer, admin }
    }

    /// Waits until a topic that was deleted is gone.
    pub(crate) fn gone(&self, topic: &str) {
        super::until("the end of a topic", ANSWER_MAX, || {
            let metadata =
                self.consumer.fetch_metadata(None, ANSWER_MAX).expect("the broker answers");
            !metadata.topics().iter().any(|found| found.name() == topic)
        });
    }

    /// Makes a topic and waits until it can be written.
    pub(crate) fn create(&self, topic: &str) {
        let new = NewTopic::new(topic, PARTITIONS, TopicReplication::Fixed(1));
        let made = block_on(self.admin.create_topics([&new], &AdminOptions::new()));
        for result in made.expect("the broker answers") {
            result.expect("the topic is made");
        }
        super::until("a new topic's leaders", ANSWER_MAX, || self.partitions(topic) == PARTITIONS);
    }

    /// Makes a topic whose partitions are on these brokers, each led by the first of them.
    pub(crate) fn create_on(&self, topic: &str, brokers: &[i32]) {
        let assignment = [brokers; 3];
        let new = NewTopic::new(topic, PARTITIONS, TopicReplication::Variable(&assignment));
        let made = block_on(self.admin.create_topics([&new], &AdminOptions::new()));
        for result in made.expect("the broker answers") {
            result.expect("the topic is made");
        }
        super::until("a new topic's leaders", ANSWER_MAX, || self.led_by(topic, brokers[0]));
    }

    /// Whether this broker leads all of a topic's partitions, and all of their replicas are in step.
    pub(crate) fn led_by(&self, topic: &str, broker: i32) -> bool {
        let Ok(metadata) = self.consumer.fetch_metadata(Some(topic), ANSWER_MAX) else {
            return false;
        };
        let mut partitions = metadata.topics().iter().flat_map(|topic| topic.partitions());
        partitions
            .all(|found| found.leader() == broker && found.isr().len() == found.replicas().len())
    }

    /// The cluster's id.
    pub(crate) fn cluster(&self) -> String {
        self.consumer.client().fetch_cluster_id(ANSWER_MAX).expect("the broker tells it")
    }

    /// Sets a property of a topic.
    pub(crate) fn set(&self, topic: &str, property: &str, value: &str) {
        let config = AlterConfig::new(ResourceSpecifier::Topic(topic)).set(property, value);
        let set = block_on(self.admin.alter_configs([&config], &AdminOptions::new()));
        for result in set.expect("the broker answers") {
            result.expect("the property is set");
        }
    }

    /// Deletes a topic.
    pub(crate) fn delete(&self, topic: &str) {
        let _best_effort = block_on(self.admin.delete_topics(&[topic], &AdminOptions::new()));
    }

    /// How many partitions a topic has that can be written.
    fn partitions(&self, topic: &str) -> i32 {
        let Ok(metadata) = self.consumer.fetch_metadata(Some(topic), ANSWER_MAX) else { return 0 };
        let led = metadata.topics().iter().flat_map(|topic| topic.partitions());
        i32::try_from(led.filter(|partition| partition.leader() >= 0).count()).unwrap()
    }

    /// Where all partitions of the topics that `wanted` picks end.
    pub(crate) fn ends(&self, wanted: impl Fn(&str) -> bool) -> Offsets {
        // A topic that was made a moment ago may have no leader yet.
        super::until_some("the broker to say where topics end", ANSWER_MAX, || {
            self.try_ends(&wanted).ok()
        })
    }

    fn try_ends(&self, wanted: impl Fn(&str) -> bool) -> Result<Offsets, KafkaError> {
        let metadata = self.consumer.fetch_metadata(None, ANSWER_MAX)?;
        let mut asked = TopicPartitionList::new();
        for topic in metadata.topics().iter().filter(|topic| wanted(topic.name())) {
            for partition in topic.partitions() {
                asked.add_partition_offset(topic.name(), partition.id(), Offset::End)?;
            }
        }
        if asked.count() == 0 {
            return Ok(Offsets::new());
        }
        // The offset for the time "latest" is the end; one request a broker in place of one a partition.
        let ends = self.consumer.offsets_for_times(asked, ANSWER_MAX)?;
        let mut offsets = Offsets::new();
        for end in ends.elements() {
            let (topic, partition) = (end.topic().to_owned(), end.partition());
            end.error()?;
            let end = match end.offset() {
                Offset::Offset(end) => end,
                // A partition in which nothing was ever written has no latest record.
                _ => self.consumer.fetch_watermarks(&topic, partition, ANSWER_MAX)?.1,
            };
            offsets.insert((topic, partition), end);
        }
        Ok(offsets)
    }

    /// Reads what is committed from one place to another; what `from` does not name is read from its beginning.
    pub(crate) fn read(&self, from: &Offsets, to: &Offsets) -> Vec<Record> {
        let mut open = BTreeMap::new();
        let mut assigned = TopicPartitionList::new();
        for ((topic, partition), end) in to {
            let start = from.get(&(topic.clone(), *partition)).copied().unwrap_or(0);
            if start < *end {
                assigned.add_partition_offset(topic, *partition, Offset::Offset(start)).unwrap();
                open.insert((topic.clone(), *partition), *end);
            }
        }
        self.consumer.assign(&assigned).unwrap();
        let of_one_topic = to.keys().map(|(topic, _)| topic).collect::<BTreeSet<_>>().len() == 1;
        let deadline = Instant::now() + ANSWER_MAX;
        let mut records = Vec::new();
        while !open.is_empty() {
            assert!(Instant::now() < deadline, "the broker did not give all records: {open:?}");
            let message = match self.consumer.poll(Duration::from_millis(100)) {
                Some(Ok(message)) => message,
                // At the end of a partition stand marks of transactions, which are no records. The event names no topic.
                Some(Err(KafkaError::PartitionEOF(partition))) if of_one_topic => {
                    open.retain(|(_, other), _| *other != partition);
                    continue;
                }
                _ => continue,
            };
            let record = Record::of(&message);
            let place = (record.topic.clone(), record.partition);
            if open.get(&place).is_some_and(|end| record.kafka_offset + 1 >= *end) {
                open.remove(&place);
            }
            records.push(record);
        }
        self.consumer.unassign().unwrap();
        records.sort_by(|a, b| {
            (&a.topic, a.partition, a.kafka_offset).cmp(&(&b.topic, b.partition, b.kafka_offset))
        });
        records
    }

    /// Everything that lies on one topic.
    pub(crate) fn read_topic(&self, topic: &str) -> Vec<Record> {
        self.read(&Offsets::new(), &self.ends(|name| name == topic))
    }

    /// Begins to follow a topic from `from` on, or its beginning, by [`Kafka::poll`].
    pub(crate) fn follow(&self, topic: &str, from: &Offsets) {
        let mut assigned = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            let start = from.get(&(topic.to_owned(), partition)).copied().unwrap_or(0);
            assigned.add_partition_offset(topic, partition, Offset::Offset(start)).unwrap();
        }
        self.consumer.assign(&assigned).unwrap();
    }

    /// Where a partition that is followed is read next; `i64::MIN` before anything was read.
    pub(crate) fn position(&self, topic: &str, partition: i32) -> i64 {
        let places = self.consumer.position().unwrap_or_default();
        match places.find_partition(topic, partition).map(|place| place.offset()) {
            Some(Offset::Offset(next)) => next,
            _ => i64::MIN,
        }
    }

    /// The next record, if one arrives in time. Faults of the broker pass.
    pub(crate) fn poll(&self, time: Duration) -> Option<Record> {
        Some(Record::of(&self.consumer.poll(time)?.ok()?))
    }
}

impl Record {
    fn of(message: &BorrowedMessage<'_>) -> Self {
        let headers = message.headers().map_or(Vec::new(), |headers| {
            let owned = |header: rdkafka::message::Header<'_, &[u8]>| {
                (header.key.to_owned(), header.value.map(<[u8]>::to_vec))
            };
            headers.iter().map(owned).collect()
        });
        Self {
            topic: message.topic().to_owned(),
            partition: message.partition(),
            kafka_offset: message.offset(),
            key: message.key().map(<[u8]>::to_vec),
            value: message.payload().map(<[u8]>::to_vec),
            headers,
            timestamp_ms: message.timestamp().to_millis().unwrap_or(-1),
        }
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
