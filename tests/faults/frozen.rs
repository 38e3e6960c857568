//! A broker that holds still: what is read meanwhile is in no checkpoint.

use super::scene::{GOES_ON_MAX, Scene};
use crate::support::{Broker, Outbox, Outflow, until};

/// Each row has a key of its own: rows are committed in another order than they were written in.
const KEYS: u64 = 1_000;

/// Holds the broker still, and lets it go on at the latest with a failure: others need it.
struct Frozen<'a>(&'a Broker);

impl<'a> Frozen<'a> {
    fn new(broker: &'a Broker) -> Self {
        broker.freeze(true);
        Self(broker)
    }
}

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        self.0.freeze(false);
    }
}

#[test]
fn records_that_nobody_acknowledges_are_in_flight() {
    let scene = Scene::new("in-flight");
    let (mut sql, mut followed) = (scene.outbox.sql(), scene.outbox.follow());
    let outflow = scene.outbox.start().ready();
    let in_flight = || outflow.metric(&scene.sample("outflow_in_flight_records"));
    sql.run(&Outbox::insert(1..11, KEYS));
    followed.until(10, GOES_ON_MAX);
    until("nothing in flight", GOES_ON_MAX, || in_flight() == 0.0);
    let frozen = Frozen::new(&scene.broker);
    sql.run(&Outbox::insert(11..31, KEYS));
    until("twenty records in flight", GOES_ON_MAX, || in_flight() == 20.0);
    drop(frozen);
    until("nothing in flight", GOES_ON_MAX, || in_flight() == 0.0);
    assert_eq!(outflow.stop(), 0);
    followed.compare(&mut sql);
}

#[test]
fn rows_of_an_xa_name_that_is_used_again_before_a_checkpoint_are_told_apart() {
    let scene = Scene::new("xa-again");
    let (mut sql, mut followed) = (scene.outbox.sql(), scene.outbox.follow());
    let name = format!("'{}'", scene.outbox.schema);
    let prepared = |ids| {
        let insert = Outbox::insert(ids, KEYS);
        format!("XA START {name}; {insert}; XA END {name}; XA PREPARE {name}")
    };
    let outflow = scene.outbox.start().ready();
    sql.run(&prepared(1..6));
    sql.run(&Outbox::insert(6..11, KEYS));
    followed.until(5, GOES_ON_MAX);
    assert_eq!(outflow.stop(), 0);
    // The checkpoint is behind the first PREPARE, and passes nothing that is read from here on.
    let outflow = scene.outbox.start().ready();
    let transactions =
        |outflow: &Outflow| outflow.metric(&scene.sample("outflow_transactions_total"));
    let frozen = Frozen::new(&scene.broker);
    sql.run(&Outbox::insert(11..16, KEYS));
    sql.run(&format!("XA COMMIT {name}"));
    sql.run(&prepared(16..21));
    until("the second PREPARE to be read", GOES_ON_MAX, || transactions(&outflow) >= 3.0);
    outflow.kill();
    drop(frozen);
    let outflow = scene.outbox.start().ready();
    followed.until(15, GOES_ON_MAX);
    sql.run(&format!("XA COMMIT {name}"));
    followed.until(20, GOES_ON_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare(&mut sql);
}
