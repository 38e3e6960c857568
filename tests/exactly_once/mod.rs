//! `exactly.once.support=required`: a reader of committed records sees each MySQL transaction whole and once, whatever
//! breaks, and the position in Kafka is enough to go on from.

mod kills;
mod large;
mod scene;
mod zombies;

use std::time::Duration;

pub(crate) use scene::exactly_once;
use scene::{Scene, insert, until_position};
use serde_json::Value;

use crate::support::{Kafka, Outbox, Outflow, Random, until};

const PUBLISHED_MAX: Duration = Duration::from_secs(30);

#[test]
fn the_position_in_kafka_is_enough_to_go_on_from() {
    let scene = Scene::new("eos-position");
    let mut sql = scene.outbox.sql();
    let mut followed = scene.outbox.follow();
    let outflow = scene.outbox.start().ready();
    sql.run(&insert(1, 100, 5));
    followed.until(100, PUBLISHED_MAX);
    until("the start's commit and another", PUBLISHED_MAX, || {
        scene.outcomes(&outflow, "committed") >= 2.0
    });
    assert_eq!(outflow.stop(), 0);
    let last = scene.positions().pop().expect("a position");
    let (schema, prefix) = (&scene.outbox.schema, scene.outbox.config["topic.prefix"].as_str());
    assert_eq!(last.key_text(), format!(r#"["{schema}",{{"server":"{}"}}]"#, prefix.unwrap()));
    let position = scene.position();
    assert!(position["file"].is_string() && position["pos"].as_u64() > Some(4), "{position}");
    assert!(position["gtids"].is_string() && position["event"].is_null(), "{position}");
    sql.run(&insert(101, 100, 5));
    std::fs::remove_dir_all(scene.outbox.scratch.path("data")).unwrap();
    let outflow = scene.outbox.start().ready();
    followed.until(200, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    scene.outbox.catch_up();
    followed.compare_once(&mut sql);
    scene.is_whole();
}

#[test]
fn quiet_outboxes_commit_no_empty_transactions_but_follow_the_logs() {
    let scene = Scene::new("eos-quiet");
    let mut sql = scene.outbox.sql();
    let outflow = scene.outbox.start().ready();
    let commits = scene.outcomes(&outflow, "committed");
    sql.run("CREATE TABLE other (id INT PRIMARY KEY AUTO_INCREMENT)");
    for _ in 0..50 {
        sql.run("INSERT INTO other VALUES ()");
    }
    sql.run("FLUSH BINARY LOGS; INSERT INTO other VALUES ()");
    let logs = sql.rows("SHOW BINARY LOGS");
    let file = &logs.last().unwrap()[0];
    until_position(&scene, "a position in the new log", |position| position["file"] == **file);
    assert!(scene.outcomes(&outflow, "committed") < commits + 20.0);
    sql.run("INSERT INTO other VALUES ()");
    let executed = sql.rows("SELECT @@gtid_executed")[0][0].replace('\n', "");
    // A stop commits what is read; the last event may still be on its way.
    until("the last event is read", PUBLISHED_MAX, || {
        outflow.metric(&scene.sample("outflow_transactions_total")) >= 52.0
    });
    assert_eq!(outflow.stop(), 0);
    let position = scene.position();
    let server = executed.split(':').next().unwrap();
    assert!(position["gtids"].as_str().unwrap().contains(server), "{position} {executed}");
}

#[test]
fn delivery_at_least_once_and_exactly_once_take_turns_without_repeats() {
    let mut scene = Scene::new("eos-turns");
    let mut sql = scene.outbox.sql();
    let mut followed = scene.outbox.follow();
    for (round, support) in (0..).zip(["requested", "required", "requested", "required"]) {
        scene.outbox.set("exactly.once.support", support);
        let outflow = scene.outbox.start().ready();
        sql.run(&insert(round * 200 + 1, 100, 5));
        followed.until(usize::try_from(round * 200 + 100).unwrap(), PUBLISHED_MAX);
        let commits = scene.outcomes(&outflow, "committed");
        assert_eq!(commits > 0.0, support == "required");
        assert_eq!(outflow.stop(), 0);
        sql.run(&insert(round * 200 + 101, 100, 5)); // While it is away.
    }
    scene.outbox.catch_up();
    followed.compare_once(&mut sql);
}

#[test]
fn snapshots_heartbeats_and_dead_letters_of_two_connectors_come_once() {
    let mut scenes = ["eos-one", "eos-two"].map(|name| {
        let scene = Scene::new(name)
            .with("snapshot.mode", "initial")
            .with("heartbeat.interval.ms", "200")
            .with("errors.tolerance", "all")
            .with(
                "transforms.outbox.table.fields.additional.placement",
                "type:header:transaction,part:partition",
            );
        scene.outbox.sql().run("ALTER TABLE outbox ADD part INT NOT NULL DEFAULT 0");
        scene.outbox.sql().run(&insert(1, 500, 7));
        scene
    });
    for scene in &mut scenes {
        let letters = format!("{}.dead", scene.outbox.topic);
        scene.kafka().create(&letters);
        scene.outbox.set("errors.deadletterqueue.topic.name", &letters);
    }
    let [one, two] = &scenes;
    let (servers, second) = (&one.outbox.broker.bootstrap_servers, two.outbox.file());
    let start = || {
        let second = second.to_str().unwrap();
        one.outbox.start_with(&["--bootstrap-servers", servers, second]).ready()
    };
    let outflow = start();
    let mut followed = [one, two].map(|scene| scene.outbox.follow());
    for (scene, followed) in [one, two].iter().zip(&mut followed) {
        let mut sql = scene.outbox.sql();
        let bad = "INSERT INTO outbox VALUES (501, 'Order', 'key-0', '501+1', '{}', -5)";
        sql.run(&format!("BEGIN; {}; {bad}; {}; COMMIT", insert(502, 10, 7), insert(512, 10, 7)));
        followed.until(520, PUBLISHED_MAX);
    }
    outflow.kill();
    let outflow = start();
    for (scene, followed) in [one, two].iter().zip(&mut followed) {
        scene.outbox.sql().run(&insert(522, 10, 7));
        followed.until(530, PUBLISHED_MAX);
        until("a heartbeat", PUBLISHED_MAX, || !scene.kafka().read_topic(&beats(scene)).is_empty());
    }
    assert_eq!(outflow.stop(), 0);
    for (scene, followed) in [one, two].iter().zip(&followed) {
        let mut sql = scene.outbox.sql();
        sql.run("DELETE FROM outbox WHERE id = 501");
        followed.compare_once(&mut sql);
        let letters = format!("{}.dead", scene.outbox.topic);
        let kafka = scene.kafka();
        assert_eq!(kafka.read_topic(&letters).len(), 1);
        kafka.delete(&letters);
        kafka.delete(&beats(scene));
    }
}

/// The topic of heartbeats.
fn beats(scene: &Scene) -> String {
    format!("__debezium-heartbeat.{}", scene.outbox.config["topic.prefix"].as_str().unwrap())
}

#[test]
fn transactions_before_one_that_cannot_be_published_are_published() {
    let scene = Scene::new("eos-border").with(
        "transforms.outbox.table.fields.additional.placement",
        "type:header:transaction,part:partition",
    );
    let mut sql = scene.outbox.sql();
    sql.run("ALTER TABLE outbox ADD part INT NOT NULL DEFAULT 0");
    assert_eq!(scene.outbox.start().ready().stop(), 0);
    for first in (1..=400).step_by(4) {
        sql.run(&insert(first, 4, 7));
    }
    let bad = "INSERT INTO outbox VALUES (402, 'Order', 'key-0', '401+2', '{}', -5)";
    sql.run(&format!("BEGIN; {}; {bad}; COMMIT", insert(401, 1, 7)));
    sql.run(&insert(403, 4, 7));
    let mut outflow = scene.outbox.start();
    assert_eq!(outflow.ended(PUBLISHED_MAX), 1);
    assert!(outflow.log().contains("-5"), "not the right row");
    sql.run("DELETE FROM outbox WHERE id > 400");
    scene.outbox.follow().compare_once(&mut sql);
    scene.is_whole();
}

#[test]
fn a_topic_of_positions_that_is_not_compacted_is_refused() {
    let scene = Scene::new("eos-not-compacted");
    scene.kafka().create(&scene.offsets);
    let mut outflow = scene.outbox.start();
    assert_eq!(outflow.ended(PUBLISHED_MAX), 1);
    let log = outflow.log();
    assert!(log.contains("cleanup.policy=compact"), "it does not say what to do:\n{log}");
}

#[test]
fn a_record_that_the_topic_refuses_stops_it_behind_the_transactions_before() {
    let scene = Scene::new("eos-small-batches");
    let kafka = scene.kafka();
    kafka.set(&scene.outbox.topic, "max.message.bytes", "1000");
    let mut sql = scene.outbox.sql();
    let outflow = scene.outbox.start().ready();
    sql.run(&insert(1, 200, 3));
    let mut followed = scene.outbox.follow();
    followed.until(200, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    for first in (201..=240).step_by(4) {
        sql.run(&insert(first, 4, 3));
    }
    let large =
        insert(241, 1, 1).replace("\"n\":", &format!("\"n\":\"{}\",\"m\":", random_text(2_000)));
    sql.run(&format!("BEGIN; {large}; {}; COMMIT", insert(242, 1, 1)));
    sql.run(&insert(243, 1, 1));
    let mut outflow = scene.outbox.start();
    assert_eq!(outflow.ended(PUBLISHED_MAX * 2), 1);
    assert!(outflow.log().contains("event 241: a record for topic"), "not the right record");
    sql.run("DELETE FROM outbox WHERE id > 240");
    followed.compare_once(&mut sql);
}

/// Text that does not become smaller when it is compressed.
fn random_text(length: usize) -> String {
    let mut random = Random::new();
    (0..length).map(|_| char::from(b'a' + u8::try_from(random.below(26)).unwrap())).collect()
}

#[test]
fn a_worker_may_ask_for_it() {
    let outbox = Outbox::new("eos-worker");
    let offsets = format!("{}.offsets", outbox.topic);
    let outbox = exactly_once(outbox, &offsets).with("exactly.once.support", "requested");
    let worker = outbox.scratch.path("worker.properties");
    let text = std::fs::read_to_string(&worker).unwrap();
    std::fs::write(&worker, text + "exactly.once.source.support=enabled\n").unwrap();
    assert_eq!(outbox.start().ready().stop(), 0);
    let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
    let positions = kafka.read_topic(&offsets);
    let value: Value = serde_json::from_slice(positions[0].value.as_deref().unwrap()).unwrap();
    assert!(value["file"].is_string());
    kafka.delete(&offsets);
}

#[test]
fn a_position_that_is_imported_goes_before_the_topics() {
    let scene = Scene::new("eos-import");
    let mut sql = scene.outbox.sql();
    let mut followed = scene.outbox.follow();
    let outflow = scene.outbox.start().ready();
    let before = scene.position();
    sql.run(&insert(1, 100, 5));
    followed.until(100, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    let (file, data) = (scene.outbox.file(), scene.outbox.scratch.path("data"));
    let from = scene.outbox.scratch.write("position.json", &before.to_string());
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let import =
        ["offsets", "import", &text(&file), "--data-dir", &text(&data), "--from", &text(&from)];
    let mut import = Outflow::start(&scene.outbox.scratch.path(""), &import);
    assert_eq!(import.ended(PUBLISHED_MAX), 0, "{}", import.log());
    scene.outbox.catch_up();
    assert_eq!(scene.kafka().read_topic(&scene.outbox.topic).len(), 200);
    scene.outbox.catch_up();
    assert_eq!(scene.kafka().read_topic(&scene.outbox.topic).len(), 200);
}
