use std::time::Duration;

use outflow::checkpoint::{OffsetsTopic, OffsetsTopicError, partition_of};
use outflow::config::{Environment, Inputs, load};
use rdkafka::ClientConfig;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use tokio::runtime::Runtime;

use crate::support::{Kafka, Outbox, broker};

/// How long the broker may take for one step of a transaction.
const STEP_MAX: Duration = Duration::from_secs(20);
const PARTITIONS: i32 = 5;

/// The place of the connector `name` in `topic`, made with `partitions` by the worker's file.
fn place(name: &str, topic: &str, replication_factor: &str) -> OffsetsTopic {
    let worker = format!(
        "bootstrap.servers={}\noffset.storage.topic={topic}\noffset.storage.partitions={PARTITIONS}\n\
         offset.storage.replication.factor={replication_factor}\noffset.storage.segment.ms=60000\n\
         producer.linger.ms=5\n",
        broker().bootstrap_servers
    );
    let file = format!(
        "name={name}\nconnector.class=io.debezium.connector.mysql.MySqlConnector\n\
         database.hostname=127.0.0.1\ndatabase.user=u\ndatabase.password=p\ndatabase.server.id=1\n\
         topic.prefix=shop\ntable.include.list=a.b\ntransforms=outbox\n\
         transforms.outbox.type=io.debezium.transforms.outbox.EventRouter\n"
    );
    let inputs = Inputs { file: &file, worker: Some(&worker), ..Inputs::default() };
    OffsetsTopic::of(&load(&inputs, &Environment::default()).unwrap().0).unwrap()
}

pub(super) fn producer(transactional_id: Option<&str>) -> BaseProducer {
    let mut client = ClientConfig::new();
    client
        .set("bootstrap.servers", &broker().bootstrap_servers)
        .set("partitioner", "murmur2_random");
    if let Some(id) = transactional_id {
        client.set("transactional.id", id);
    }
    let producer: BaseProducer = client.create().unwrap();
    if transactional_id.is_some() {
        producer.init_transactions(STEP_MAX).unwrap();
    }
    producer
}

pub(super) fn send(producer: &BaseProducer, topic: &str, key: &[u8], value: Option<&str>) {
    let mut record = BaseRecord::to(topic).key(key);
    if let Some(value) = value {
        record = record.payload(value.as_bytes());
    }
    producer.send(record).unwrap();
    producer.flush(STEP_MAX).unwrap();
}

#[test]
fn the_last_committed_value_of_our_key_is_read() {
    let topic = format!("{}-offsets", Outbox::new("last-value").schema);
    let (ours, other) = (place("ours", &topic, "1"), place("other", &topic, "1"));
    assert!(matches!(ours.read(), Err(OffsetsTopicError::Missing { .. })));
    let runtime = Runtime::new().unwrap();
    ours.ensure(runtime.handle()).unwrap();
    ours.ensure(runtime.handle()).unwrap();
    assert_eq!(ours.read().unwrap(), None);

    let pos = |place: &OffsetsTopic| place.read().unwrap().map(|found| found.offset.position.pos);
    let plain = producer(None);
    send(&plain, &topic, ours.key(), Some(r#"{"file":"b.1","pos":1}"#));
    send(&plain, &topic, ours.key(), Some(r#"{"file":"b.1","pos":2}"#));
    send(&plain, &topic, other.key(), Some(r#"{"file":"b.1","pos":3}"#));
    assert_eq!((pos(&ours), pos(&other)), (Some(2), Some(3)));

    // The partition is the one that Kafka's own partitioner chose.
    let lies = Kafka::connect(&broker().bootstrap_servers).read_topic(&topic);
    for record in &lies {
        let key = record.key.as_deref().unwrap();
        assert_eq!(record.partition, partition_of(key, PARTITIONS));
    }
    assert_eq!(lies.len(), 3);

    // What is given up, or open, is not there.
    let transactional = producer(Some(&topic));
    transactional.begin_transaction().unwrap();
    send(&transactional, &topic, ours.key(), Some(r#"{"file":"b.1","pos":4}"#));
    assert_eq!(pos(&ours), Some(2));
    transactional.abort_transaction(STEP_MAX).unwrap();
    assert_eq!(pos(&ours), Some(2));
    transactional.begin_transaction().unwrap();
    send(&transactional, &topic, ours.key(), Some(r#"{"file":"b.1","pos":5}"#));
    assert_eq!(pos(&ours), Some(2));
    transactional.commit_transaction(STEP_MAX).unwrap();
    assert_eq!(pos(&ours), Some(5));

    send(&plain, &topic, ours.key(), None);
    assert_eq!((pos(&ours), pos(&other)), (None, Some(3)));
    send(&plain, &topic, ours.key(), Some("no JSON"));
    assert!(matches!(ours.read(), Err(OffsetsTopicError::Malformed { .. })));
}

#[test]
fn a_topic_that_would_forget_is_refused() {
    let schema = Outbox::new("forgetful").schema.clone();
    let topic = format!("{schema}-offsets");
    Kafka::connect(&broker().bootstrap_servers).create(&topic);
    let runtime = Runtime::new().unwrap();
    let refused = place("ours", &topic, "1").ensure(runtime.handle()).unwrap_err();
    assert!(
        matches!(&refused, OffsetsTopicError::NotCompacted { policy, .. } if policy == "delete")
    );
    let many = place("ours", &format!("{schema}-many"), "7").ensure(runtime.handle());
    assert!(matches!(many, Err(OffsetsTopicError::NotMade { replication_factor: 7, .. })));
}
