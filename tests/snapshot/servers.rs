//! Servers that restart in the midst of a snapshot.

use super::scene::{ALL_MAX, GOES_ON, Key, Scene};
use crate::support::{Broker, MySqlServer, Outbox, until};

const ROWS: u64 = 6_000;
/// More rows than may be on their way, so that some are still to be read.
const KEYS: [Key; 8] = [Key::TextAndNumber; 8];
/// What is said where MySQL is lost and the broker takes nothing for longer than a stop would wait.
const WAITS: &str = "waiting for Kafka to acknowledge what was sent";
/// What is said where a producer has lost its brokers for good, whose records are sent again.
const GAVE_UP: &str = "records are left unacknowledged";
/// So many on their way that nothing more is read, so that a loss of MySQL is not seen.
const FULL: f64 = 20_000.0;

#[test]
fn restarts_of_mysql_and_of_the_broker_lose_and_repeat_nothing() {
    let server = MySqlServer::started("mysql:snapshot");
    let broker = Broker::started("kafka:snapshot");
    // A broker that has just started lets the first producer wait, which would take in all rows meanwhile.
    let before = Outbox::on("snap-before", server.clone(), broker.clone());
    before.sql().run(&Outbox::insert(1..2, 1));
    before.with("snapshot.mode", "initial").catch_up();
    let outbox = Outbox::on("snap-servers", server.clone(), broker.clone());
    let mut scene = Scene::on(outbox, &KEYS);
    scene.fill(1..ROWS + 1);
    let outflow = scene.outbox.start();
    scene.until(1);
    outflow.signal("STOP"); // So that the producer is not full before MySQL is lost.
    broker.freeze(true);
    server.kill();
    server.start();
    outflow.signal("CONT");
    until("it waits for the broker", ALL_MAX, || {
        let sample = format!("outflow_in_flight_records{{connector=\"{}\"}}", scene.outbox.schema);
        outflow.log().contains(WAITS) || outflow.metric(&sample) >= FULL
    });
    broker.freeze(false);
    until("the snapshot goes on", ALL_MAX, || outflow.log().contains(GOES_ON));
    broker.kill();
    broker.start();
    let outflow = outflow.ready();
    scene.until(KEYS.len() * usize::try_from(ROWS).unwrap());
    let gave_up = outflow.log().contains(GAVE_UP);
    assert_eq!(outflow.stop(), 0);
    let repeats = scene.compare(&scene.ids(1..ROWS + 1));
    assert!(gave_up || repeats.is_empty(), "{} events twice", repeats.len());
    drop(scene);
    server.stop();
    broker.stop();
}
