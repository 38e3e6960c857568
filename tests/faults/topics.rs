//! Topics that are missing, deleted or forbidden, on a broker that makes none by itself: said at once, and what was
//! committed meanwhile is published once the topic can be written. Records that no topic takes.

use std::sync::OnceLock;
use std::time::Duration;

use crate::exactly_once::exactly_once;
use crate::support::{Broker, Follower, Kafka, Outbox, mysql};

/// Until rows are on the topic, or words in the log.
const SEEN_MAX: Duration = Duration::from_secs(60);

fn strict_broker() -> Broker {
    static BROKER: OnceLock<Broker> = OnceLock::new();
    let options = [
        "auto.create.topics.enable=false",
        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found=true",
        "super.users=User:admin",
    ];
    BROKER.get_or_init(|| Broker::started_with("kafka:strict", &options)).clone()
}

fn outbox(name: &str) -> Outbox {
    Outbox::on(name, mysql().clone(), strict_broker())
}

#[test]
fn a_missing_topic_is_named_and_awaited() {
    let outbox = outbox("topic-missing");
    let late = format!("{}.late", outbox.topic);
    let outbox = outbox.with("transforms.outbox.route.topic.replacement", &late);
    let mut sql = outbox.sql();
    let mut outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..101, 7));
    outflow.logs(&late, SEEN_MAX);
    outflow.logs("trying again", SEEN_MAX);
    assert_eq!(outflow.get("/readyz").expect("the admin port answers").0, 503);
    let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
    kafka.create(&late);
    let mut followed = Follower::new(&outbox.broker.bootstrap_servers, &late);
    followed.until(100, SEEN_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
    kafka.delete(&late);
}

#[test]
fn a_topic_that_is_deleted_while_it_runs_is_awaited() {
    let outbox = outbox("topic-deleted");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let mut outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..101, 7));
    followed.until(100, SEEN_MAX);
    let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
    kafka.delete(&outbox.topic);
    kafka.gone(&outbox.topic);
    // What the deleted topic held is gone with it.
    sql.run("DELETE FROM outbox");
    sql.run(&Outbox::insert(101..201, 7));
    outflow.logs("trying again", SEEN_MAX);
    assert!(outflow.log().contains(&outbox.topic), "it does not name the topic");
    kafka.create(&outbox.topic);
    let mut followed = outbox.follow();
    followed.until(100, SEEN_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

#[test]
fn a_topic_that_may_not_be_written_is_named_and_awaited() {
    let outbox = outbox("topic-denied");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let acl = |verb: &str| {
        let principal = ["--deny-principal", "User:ANONYMOUS", "--operation", "Write"];
        let arguments = [&[verb, "--force", "--topic", &outbox.topic], &principal[..]].concat();
        outbox.broker.tool("AclCommand", &arguments);
    };
    let mut outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..101, 7));
    followed.until(100, SEEN_MAX);
    acl("--add");
    sql.run(&Outbox::insert(101..201, 7));
    outflow.logs("no right to write to topic", SEEN_MAX);
    outflow.logs("trying again", SEEN_MAX);
    assert!(outflow.log().contains(&outbox.topic), "it does not name the topic");
    acl("--remove");
    followed.until(200, SEEN_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

/// Ten rows are there; in a transaction one is refused, and the one behind it with its key does not overtake it.
#[track_caller]
fn stops_at_what_the_broker_never_takes(outbox: Outbox) {
    let outbox = outbox.with("transforms.outbox.table.field.event.timestamp", "at");
    let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
    kafka.set(&outbox.topic, "message.timestamp.before.max.ms", "3600000");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    sql.run("ALTER TABLE outbox ADD at DATETIME(3) NOT NULL DEFAULT (UTC_TIMESTAMP(3))");
    let mut outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, SEEN_MAX);
    sql.run(&format!(
        "BEGIN; INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload, at)
           VALUES (12, 'Order', 'key-1', 'T', '{{}}', '2001-01-01'); {}; COMMIT",
        Outbox::insert(13..14, 3)
    ));
    assert_eq!(outflow.ended(SEEN_MAX), 1);
    let log = outflow.log();
    assert!(log.contains("event 12: the broker refuses a record for topic"), "{log}");
    assert!(log.contains("message.timestamp.before.max.ms"), "no cure in:\n{log}");
    sql.run("DELETE FROM outbox WHERE id > 10");
    followed.compare(&mut sql);
}

#[test]
fn a_record_that_the_broker_never_takes_stops_it() {
    stops_at_what_the_broker_never_takes(outbox("topic-refuses"));
}

#[test]
fn a_record_that_the_broker_never_takes_stops_it_before_its_transaction() {
    let outbox = Outbox::new("topic-refuses-whole");
    let offsets = format!("{}.offsets", outbox.topic);
    stops_at_what_the_broker_never_takes(exactly_once(outbox, &offsets));
}

#[test]
fn what_was_not_delivered_is_not_caught_up_with() {
    for mode in ["initial", "no_data"] {
        let outbox = outbox(&format!("topic-caught-up-{}", mode.replace('_', "-")));
        let outbox = outbox.with("snapshot.mode", mode);
        assert_eq!(outbox.start().ready().stop(), 0);
        let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
        kafka.set(&outbox.topic, "max.message.bytes", "1000");
        let payload = format!("\"n\":\"{}\",\"m\":", "x".repeat(3_000));
        outbox.sql().run(&Outbox::insert(1..2, 1).replace("\"n\":", &payload));
        if mode == "initial" {
            std::fs::remove_dir_all(outbox.scratch.path("data")).unwrap();
        }
        let servers = &outbox.broker.bootstrap_servers;
        let mut outflow = outbox.start_with(&["--bootstrap-servers", servers, "--until-caught-up"]);
        assert_eq!(outflow.ended(SEEN_MAX), 1, "{mode}");
        assert!(outflow.log().contains("is too large"), "{}", outflow.log());
    }
}

#[test]
fn a_topic_name_with_a_zero_byte_stops_it_with_words() {
    let outbox = outbox("topic-zero-byte");
    let routed = format!("{}.${{routedByValue}}", outbox.topic);
    let outbox = outbox.with("transforms.outbox.route.topic.replacement", &routed);
    let mut sql = outbox.sql();
    let mut outflow = outbox.start().ready();
    sql.run("INSERT INTO outbox VALUES (1, CONCAT('Or', CHAR(0), 'der'), 'k', 'T', '{}')");
    assert_eq!(outflow.ended(SEEN_MAX), 1);
    let log = outflow.log();
    assert!(log.contains("is not a legal Kafka topic name"), "{log}");
}
