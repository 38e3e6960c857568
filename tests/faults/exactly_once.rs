//! The same faults with `exactly.once.support=required`.

use std::time::Duration;

use super::scene::{GOES_ON_MAX, Scene};
use crate::exactly_once::exactly_once;
use crate::support::{Outbox, until};

fn scene(name: &str) -> Scene {
    Scene::of(name, |outbox: Outbox| {
        let offsets = format!("{}.offsets", outbox.topic);
        exactly_once(outbox, &offsets)
    })
}

#[test]
fn restarts_of_mysql_repeat_nothing() {
    let mut scene = scene("eos-mysql").streaming_fast();
    scene.goes_on_after_restarts_of_mysql();
    scene.ends_well();
}

#[test]
fn restarts_of_the_broker_repeat_nothing() {
    let mut scene = scene("eos-broker").streaming_fast();
    scene.goes_on_after_restarts_of_the_broker();
    scene.ends_well();
}

#[test]
fn killed_dump_threads_repeat_nothing() {
    let mut scene = scene("eos-dump").streaming_fast();
    for _ in 0..5 {
        scene.kill_dump_thread();
        scene.goes_on();
    }
    scene.ends_well();
}

#[test]
fn a_broker_away_for_longer_than_a_transaction_may_last_repeats_nothing() {
    let mut scene = scene("eos-away").streaming_fast();
    scene.broker.stop();
    let away = std::time::Instant::now();
    until("a time for the broker to be away", GOES_ON_MAX, || {
        away.elapsed() > Duration::from_secs(20)
    });
    scene.is_live_and_not_ready();
    scene.broker.start();
    scene.goes_on();
    scene.ends_well();
}
