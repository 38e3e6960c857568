//! `errors.tolerance=all`: what fails is passed over and goes to the dead letters, what follows is published.

use std::time::Duration;

use serde_json::Value;

use crate::support::{Kafka, Outbox, Record};

const PUBLISHED_MAX: Duration = Duration::from_secs(30);

fn outbox(name: &str) -> (Outbox, String) {
    let outbox = Outbox::new(name)
        .with("errors.tolerance", "all")
        .with("transforms.outbox.table.fields.additional.placement", "part:partition")
        .with("producer.override.max.request.size", "4000");
    outbox.sql().run("ALTER TABLE outbox ADD part INT NOT NULL DEFAULT 0, ADD note BLOB");
    let letters = format!("{}.dead", outbox.topic);
    Kafka::connect(&outbox.broker.bootstrap_servers).create(&letters);
    let outbox = outbox.with("errors.deadletterqueue.topic.name", &letters);
    (outbox, letters)
}

/// One row that has no partition, one that is too large, and rows around them.
fn write(outbox: &Outbox) {
    let mut sql = outbox.sql();
    sql.run(&Outbox::insert(1..3, 1));
    sql.run("INSERT INTO outbox VALUES (3, 'Order', 'key-0', 'T', '{\"n\": 3}', -5, x'00ff')");
    sql.run("INSERT INTO outbox VALUES (4, 'Order', 'key-0', 'T', JSON_OBJECT('x', REPEAT('y', 9000)), 0, NULL)");
    sql.run(&Outbox::insert(5..7, 1));
}

fn header<'r>(record: &'r Record, name: &str) -> &'r str {
    record.header(name).unwrap_or_else(|| panic!("no header {name} in {record:?}"))
}

#[test]
fn failed_rows_go_to_the_dead_letters_and_the_others_on() {
    let (outbox, letters) = outbox("letters");
    let outflow = outbox.start().ready();
    write(&outbox);
    let mut followed = outbox.follow();
    followed.until(4, PUBLISHED_MAX);
    let sample = |reason| {
        let connector = &outbox.schema;
        format!("outbox_events_dropped_total{{connector=\"{connector}\",reason=\"{reason}\"}}")
    };
    assert!((outflow.metric(&sample("skipped")) - 2.0).abs() < f64::EPSILON);
    assert_eq!(outflow.stop(), 0);
    let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
    let mut records = kafka.read_topic(&letters);
    records.sort_by_key(|record| record.key.clone());
    let [unplaced, too_large] = &records[..] else { panic!("{records:?}") };
    let row: Value = serde_json::from_slice(unplaced.value.as_deref().unwrap()).unwrap();
    let expected = serde_json::json!({
        "id": 3, "aggregatetype": "Order", "aggregateid": "key-0", "type": "T", "payload": "{\"n\":3}", "part": -5,
        "note": "AP8="
    });
    assert_eq!(row, expected);
    assert_eq!(unplaced.key_text(), r#"{"id":3}"#);
    assert_eq!(header(unplaced, "__connect.errors.stage"), "TRANSFORMATION");
    assert_eq!(header(unplaced, "__connect.errors.connector.name"), outbox.schema);
    assert!(header(unplaced, "__connect.errors.exception.message").contains("-5"));
    assert_eq!(header(unplaced, "__outflow.errors.table"), format!("{}.outbox", outbox.schema));
    assert!(unplaced.header("__outflow.errors.gtid").is_some());
    assert_eq!(header(too_large, "__connect.errors.stage"), "KAFKA_PRODUCE");
    assert_eq!((too_large.key_text(), &too_large.value), (r#"{"id":4}"#, &None));
    kafka.delete(&letters);
}

#[test]
fn without_tolerance_a_failed_row_stops_the_connector_before_it() {
    let (outbox, letters) = outbox("intolerant");
    let outbox = outbox.with("errors.tolerance", "none");
    let mut outflow = outbox.start().ready();
    write(&outbox);
    assert_ne!(outflow.ended(PUBLISHED_MAX), 0);
    let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
    assert!(kafka.read_topic(&letters).is_empty());
    assert_eq!(kafka.read_topic(&outbox.topic).len(), 2);
    kafka.delete(&letters);
}
