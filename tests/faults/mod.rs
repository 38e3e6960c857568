//! Servers that fail while outflow runs: it goes on by itself, nothing is missing, each key's order is kept, and
//! nothing is published twice.
//!
//! These tests have servers of their own and run one after another.

mod brokerless;
mod disk;
mod exactly_once;
mod frozen;
mod history;
mod large;
mod leaders;
mod scene;
mod sessions;
mod tolerance;
mod topics;

use std::time::Duration;

use scene::{GOES_ON_MAX, Scene};

use crate::support::{Kafka, Outbox, until};

#[test]
fn it_goes_on_after_a_restart_of_mysql() {
    let mut scene = Scene::new("mysql-restart").streaming();
    scene.goes_on_after_restarts_of_mysql();
    scene.ends_well();
}

#[test]
fn it_goes_on_after_a_restart_of_the_broker() {
    let mut scene = Scene::new("broker-restart").streaming();
    scene.goes_on_after_restarts_of_the_broker();
    scene.ends_well();
}

#[test]
fn it_goes_on_when_its_dump_thread_is_killed() {
    let mut scene = Scene::new("dump-kill").streaming();
    for _ in 0..3 {
        scene.kill_dump_thread();
        scene.goes_on();
    }
    assert!(scene.outflow().metric(&scene.sample("outflow_disconnects_total")) >= 3.0);
    scene.ends_well();
}

#[test]
fn it_waits_while_mysql_is_offline() {
    let mut scene = Scene::new("mysql-offline").streaming();
    let mut root = scene.server.connect();
    root.run("SET GLOBAL offline_mode = ON");
    scene.outflow_mut().logs("trying again", GOES_ON_MAX);
    root.run("SET GLOBAL offline_mode = OFF");
    scene.goes_on();
    scene.ends_well();
}

#[test]
fn acknowledgements_count_while_mysql_is_away() {
    let mut scene = Scene::new("mysql-away");
    scene.start();
    scene.becomes_ready();
    let mut sql = scene.outbox.sql();
    // MySQL goes away in the midst of a transaction, while the reader is behind.
    let filler = format!("\"filler\":\"{}\",\"n\":", "f".repeat(2_000));
    sql.run("BEGIN");
    for first in (1..50_001).step_by(1_000) {
        sql.run(&Outbox::insert(first..first + 1_000, 20).replace("\"n\":", &filler));
    }
    sql.run("COMMIT");
    let published = scene.sample("outbox_events_published_total");
    until("the first records", GOES_ON_MAX, || scene.outflow().metric(&published) > 1_000.0);
    scene.server.kill();
    scene.outflow_mut().logs("trying again", GOES_ON_MAX);
    let topic = scene.outbox.topic.clone();
    let kafka = Kafka::connect(&scene.broker.bootstrap_servers);
    until("all records on the topic to be acknowledged", GOES_ON_MAX, || {
        let ends = kafka.ends(|name| name == topic);
        let on_topic: i64 = ends.values().sum();
        let on_topic = u32::try_from(on_topic).expect("few");
        (scene.outflow().metric(&published) - f64::from(on_topic)).abs() < 0.5
    });
    scene.server.start();
    scene.ends_well_without_writer(50_000);
}

#[test]
fn a_broker_away_under_load_holds_the_reader_back_and_loses_nothing() {
    let mut scene = Scene::new("broker-away").streaming_fast();
    scene.broker.stop();
    let before = scene.written();
    // More rows than the producer holds, and long enough for its time-outs.
    let away = std::time::Instant::now();
    until("rows committed while the broker is away", GOES_ON_MAX, || {
        scene.written() > before + 50_000 && away.elapsed() > Duration::from_secs(20)
    });
    let (status, _) = scene.outflow().get("/livez").expect("the admin port answers");
    assert_eq!(status, 200, "a broker away is no reason to restart the process");
    let resident = scene.outflow().metric("process_resident_memory_bytes");
    assert!(resident < 150e6, "{resident} bytes while the broker is away");
    scene.broker.start();
    scene.goes_on();
    scene.ends_well();
}

#[test]
fn it_waits_for_mysql_at_its_start() {
    let mut scene = Scene::new("mysql-late");
    scene.server.stop();
    scene.start();
    scene.outflow_mut().logs("trying again", GOES_ON_MAX);
    scene.is_live_and_not_ready();
    scene.server.start();
    scene.becomes_ready();
    scene.write();
    scene.goes_on();
    scene.ends_well();
}

#[test]
fn it_waits_for_the_broker_at_its_start() {
    let mut scene = Scene::new("broker-late");
    scene.broker.stop();
    scene.start();
    scene.outflow_mut().logs("trying again", GOES_ON_MAX);
    scene.is_live_and_not_ready();
    // The place from which it publishes was fixed when it saw MySQL, so these rows count.
    scene.write();
    until("rows committed while the broker is away", GOES_ON_MAX, || scene.written() > 100);
    scene.broker.start();
    scene.becomes_ready();
    scene.goes_on();
    scene.ends_well();
}

#[test]
fn it_follows_rotated_logs_and_altered_tables() {
    let mut scene = Scene::new("alter").streaming();
    for change in [
        "ALTER TABLE outbox ADD COLUMN note VARCHAR(20) NULL FIRST",
        "FLUSH BINARY LOGS",
        "ALTER TABLE outbox DROP COLUMN note, ADD COLUMN extra INT NOT NULL DEFAULT 7 AFTER type",
        "FLUSH BINARY LOGS",
        "ALTER TABLE outbox MODIFY payload LONGTEXT",
    ] {
        scene.outbox.sql().run(change);
        scene.goes_on();
    }
    scene.ends_well();
}

#[test]
fn purged_logs_stop_it_with_words() {
    let mut scene = Scene::new("purged").streaming();
    scene.goes_on();
    scene.rests();
    let mut sql = scene.outbox.sql();
    sql.run("INSERT INTO outbox (id, aggregatetype, aggregateid, type) VALUES (9000000, 'Order', 'key-0', 'T')");
    sql.run("FLUSH BINARY LOGS");
    let logs = sql.rows("SHOW BINARY LOGS");
    sql.run(&format!("PURGE BINARY LOGS TO '{}'", logs.last().unwrap()[0]));
    scene.start();
    let code = scene.outflow_mut().ended(GOES_ON_MAX);
    let log = scene.outflow().log();
    assert_eq!(code, 1);
    assert!(log.contains("purged"), "it does not say that logs were purged");
}

#[test]
fn a_batch_that_is_too_large_is_sent_record_by_record() {
    let scene = Scene::new("small-batches");
    let topic = &scene.outbox.topic;
    Kafka::connect(&scene.broker.bootstrap_servers).set(topic, "max.message.bytes", "1000");
    let mut sql = scene.outbox.sql();
    let mut outflow = scene.outbox.start().ready();
    sql.run(&Outbox::insert(1..201, 3));
    let mut followed = scene.outbox.follow();
    followed.until(200, GOES_ON_MAX);
    // One that is too large by itself stops it, and nothing behind it in its partition is sent.
    let large = Outbox::insert(202..203, 1)
        .replace("\"n\":", &format!("\"n\":\"{}\",\"m\":", "x".repeat(2_000)));
    sql.run(&format!(
        "BEGIN; {}; {large}; {}; COMMIT",
        Outbox::insert(201..202, 1),
        Outbox::insert(203..204, 1)
    ));
    assert_eq!(outflow.ended(GOES_ON_MAX), 1);
    let log = outflow.log();
    assert!(log.contains("event 202: a record for topic"), "not the right record:\n{log}");
    sql.run("DELETE FROM outbox WHERE id > 201");
    followed.compare(&mut sql);
}
