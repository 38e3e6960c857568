use std::time::Duration;

use super::scene::{Scene, copy, insert};
use crate::support::{Random, until};

const PUBLISHED_MAX: Duration = Duration::from_secs(30);
/// The broker looks for transactions that are open for too long every ten seconds.
const TIMED_OUT_MAX: Duration = Duration::from_secs(60);

/// The first process is stopped, another one goes on with `data`, and the first one wakes up.
#[track_caller]
fn replaced(scene: &Scene, with_data: bool) {
    let mut sql = scene.outbox.sql();
    let mut followed = scene.outbox.follow();
    let mut first = scene.outbox.start().ready();
    sql.run(&insert(1, 100, 5));
    followed.until(100, PUBLISHED_MAX);
    first.signal("STOP");
    let data = scene.outbox.scratch.path("other-data");
    if with_data {
        copy(&scene.outbox.scratch.path("data"), &data);
        std::fs::remove_file(data.join("lock")).unwrap();
    }
    let servers = ["--bootstrap-servers", &scene.outbox.broker.bootstrap_servers];
    let second = scene.outbox.start_elsewhere(&data, &servers).ready();
    sql.run(&insert(101, 100, 5));
    followed.until(200, PUBLISHED_MAX);
    first.signal("CONT");
    sql.run(&insert(201, 100, 5));
    assert_eq!(first.ended(PUBLISHED_MAX), 1);
    let log = first.log();
    assert!(log.contains("another process has taken over"), "it does not say why:\n{log}");
    sql.run(&insert(301, 100, 5));
    followed.until(400, PUBLISHED_MAX);
    assert_eq!(second.stop(), 0);
    followed.compare_once(&mut sql);
    scene.is_whole();
}

#[test]
fn a_process_that_was_replaced_by_its_copy_stops() {
    replaced(&Scene::new("eos-copy"), true);
}

#[test]
fn a_process_that_was_replaced_by_one_without_its_data_stops() {
    replaced(&Scene::new("eos-other"), false);
}

#[test]
fn a_transaction_that_the_broker_ended_is_sent_again() {
    let scene = Scene::new("eos-timeout").with("producer.override.transaction.timeout.ms", "3000");
    let mut sql = scene.outbox.sql();
    let mut followed = scene.outbox.follow();
    let outflow = scene.outbox.start().ready();
    let mut random = Random::new();
    let mut first = 1;
    // A stop can come too early or too late to fall into an open transaction.
    loop {
        sql.run(&insert(first, 2_000, 7));
        first += 2_000;
        std::thread::sleep(Duration::from_millis(random.below(60)));
        outflow.signal("STOP");
        if scene.has_open() {
            break;
        }
        outflow.signal("CONT");
    }
    until("the broker to end the transaction", TIMED_OUT_MAX, || !scene.has_open());
    outflow.signal("CONT");
    sql.run(&insert(first, 100, 7));
    followed.until(usize::try_from(first + 99).unwrap(), PUBLISHED_MAX);
    assert!(scene.outcomes(&outflow, "aborted") >= 1.0);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
    scene.is_whole();
}
