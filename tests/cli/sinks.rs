use std::time::Duration;

use serde_json::Value;

use super::ENDED_MAX;
use crate::support::{Kafka, Outbox, until_some};

#[test]
fn stdout_shows_one_json_object_a_record_until_caught_up() {
    let outbox = Outbox::new("stdout").with("snapshot.mode", "initial");
    outbox.sql().run(&Outbox::insert(1..21, 3));
    let mut outflow = outbox.start_with(&["--sink", "stdout", "--until-caught-up"]);
    assert_eq!(outflow.ended(ENDED_MAX), 0);
    let output = outflow.output();
    let records: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(records.len(), 20);
    for (record, id) in records.iter().zip(1..) {
        assert_eq!(record["topic"], outbox.topic.as_str());
        assert_eq!(record["key"]["utf8"], format!("key-{}", id % 3));
        // As MySQL writes it, since the row was there before the start.
        assert_eq!(record["value"]["utf8"], format!("{{\"n\": {id}}}"));
        assert_eq!(record["headers"][0][1]["utf8"], id.to_string());
    }
    // From the checkpoint on there is nothing more.
    let mut outflow = outbox.start_with(&["--sink", "stdout", "--until-caught-up"]);
    assert_eq!(outflow.ended(ENDED_MAX), 0);
    assert_eq!(outflow.output(), "");
}

#[test]
fn the_embedded_cluster_can_be_read_by_a_kafka_client() {
    let outbox = Outbox::new("embedded");
    let outflow = outbox.start_with(&["--sink", "embedded", "--log-format", "json"]).ready();
    let log = outflow.log();
    let servers = log.lines().find_map(|line| {
        let line: Value = serde_json::from_str(line).expect("a log of JSON lines");
        Some(line["fields"]["bootstrap_servers"].as_str()?.to_owned())
    });
    let kafka = Kafka::connect(&servers.expect("the log tells where the cluster is"));
    outbox.sql().run(&Outbox::insert(1..31, 4));
    let records = until_some("30 records", Duration::from_secs(20), || {
        let records = kafka.read_topic(&outbox.topic);
        (records.len() >= 30).then_some(records)
    });
    assert_eq!(records.len(), 30);
    let mut ids: Vec<u32> =
        records.iter().map(|record| record.header("id").unwrap().parse().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..31).collect::<Vec<_>>());
    assert_eq!(outflow.stop(), 0);
}
