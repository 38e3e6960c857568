//! Two brokers: partitions change their leader while records are sent to it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::scene::{GOES_ON_MAX, Writer};
use crate::support::{Broker, Kafka, Outbox, mysql, until};

/// A leader that was away leads again as soon as it has everything.
const REBALANCED: [&str; 2] =
    ["leader.imbalance.check.interval.seconds=1", "leader.imbalance.per.broker.percentage=0"];
/// Rows that must arrive after a change of leaders.
const ROWS: usize = 500;

#[test]
fn changes_of_leaders_lose_and_repeat_nothing() {
    let first = Broker::started_with("kafka:leaders", &REBALANCED);
    let options = first.options_of_a_member(2);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let second = Broker::started_with("kafka:leaders-second", &options);
    let servers = [&*first.bootstrap_servers, &second.bootstrap_servers].join(",");
    let both = Broker { bootstrap_servers: servers.clone(), ..first.clone() };
    let mut outbox = Outbox::on("leaders", mysql().clone(), both);
    let kafka = Kafka::connect(&servers);
    outbox.topic = format!("{}.led", outbox.topic);
    outbox.set("transforms.outbox.route.topic.replacement", &outbox.topic.clone());
    kafka.create_on(&outbox.topic, &[2, 1]);
    let mut followed = outbox.follow();
    let mut outflow = outbox.start().ready();
    let writer = Writer::start(&outbox, 50, Duration::from_millis(10));
    let mut goes_on = || {
        followed.until(writer.written.load(Ordering::Relaxed) + ROWS, GOES_ON_MAX);
        assert_eq!(outflow.exit_code(), None, "it ended by itself");
    };
    goes_on();
    for kill in [false, true, true] {
        if kill {
            second.kill()
        } else {
            second.stop()
        }
        goes_on();
        second.start();
        until("the leader's return", GOES_ON_MAX, || kafka.led_by(&outbox.topic, 2));
        goes_on();
    }
    let written = writer.stop();
    followed.until(written, GOES_ON_MAX);
    assert_eq!(outflow.stop(), 0);
    outbox.catch_up();
    followed.compare_once(&mut outbox.sql());
    outbox.broker = first;
    second.stop();
}
