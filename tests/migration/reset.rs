use std::time::Duration;

use crate::support::{Kafka, Outbox, Outflow};

/// Until a command has ended, on a busy machine.
const ENDED_MAX: Duration = Duration::from_secs(60);

#[test]
fn a_position_that_is_reset_is_not_taken_over_from_the_topic() {
    let outbox = Outbox::new("reset").with("snapshot.mode", "initial");
    let offsets_topic = format!("{}.offsets", outbox.topic);
    let servers = outbox.broker.bootstrap_servers.clone();
    let outbox = outbox.with_worker(&format!(
        "bootstrap.servers={servers}\noffset.storage.topic={offsets_topic}\n\
         offset.storage.partitions=1\noffset.storage.replication.factor=1\n"
    ));
    let offsets = |action: &[&str]| {
        let (file, data) = (outbox.file(), outbox.scratch.path("data"));
        let mut arguments = vec!["offsets", action[0], file.to_str().unwrap()];
        arguments.extend(["--data-dir", data.to_str().unwrap()]);
        arguments.extend(&action[1..]);
        arguments.extend(outbox.options.iter().map(String::as_str));
        let mut ran = Outflow::start(&outbox.scratch.path(""), &arguments);
        assert_eq!(ran.ended(ENDED_MAX), 0, "{}", ran.log());
    };
    let kafka = Kafka::connect(&servers);
    let published = || {
        outbox.catch_up();
        kafka.ends(|name| name == outbox.topic).values().sum::<i64>()
    };
    outbox.sql().run(&Outbox::insert(1..6, 3));
    assert_eq!(published(), 5);
    offsets(&["export", "--to-topic"]);
    offsets(&["reset"]);
    assert_eq!(published(), 10, "a first start publishes the rows that are there");
    assert_eq!(published(), 10);
}
