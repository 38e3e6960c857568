//! The process dies at each step of send, acknowledgement and checkpoint. The next start knows a place that is not
//! older than an earlier stored one, everything before it is on the topic, and only what lies behind it comes again.

use std::collections::HashSet;
use std::time::Duration;

use crate::support::{Follower, Kafka, MySql, Outbox, Outflow, until};

use super::PUBLISHED_MAX;

/// What `abort` looks like from outside.
const ABORTED: i32 = 134;
/// Until the process has come by the point where it dies.
const DIES_MAX: Duration = Duration::from_secs(60);
/// Rows of each transaction.
const TX_ROWS: u64 = 10;

/// A place in the log.
type Place = (String, u64);

struct Scene {
    outbox: Outbox,
    sql: MySql,
    followed: Follower,
    /// Where each transaction ends.
    ends: Vec<Place>,
    /// What was stored at the first death, where there were several.
    first_stored: Option<Place>,
}

impl Scene {
    fn new(name: &str, mode: &str) -> Self {
        let outbox = Outbox::new(name).with("snapshot.mode", mode);
        let (sql, followed) = (outbox.sql(), outbox.follow());
        Self { outbox, sql, followed, ends: Vec::new(), first_stored: None }
    }

    /// Commits one more transaction.
    fn write(&mut self) {
        self.write_by(|sql, insert| sql.run(insert));
    }

    fn write_by(&mut self, write: impl FnOnce(&mut MySql, &str)) {
        let first = u64::try_from(self.ends.len()).unwrap() * TX_ROWS + 1;
        write(&mut self.sql, &Outbox::insert(first..first + TX_ROWS, 7));
        let status = &self.sql.rows("SHOW BINARY LOG STATUS")[0];
        self.ends.push((status[0].clone(), status[1].parse().unwrap()));
    }

    /// Publishes some rows and stops, so that there is a stored place.
    fn begin(&mut self) -> Place {
        let outflow = self.outbox.start().ready();
        for _ in 0..5 {
            self.write();
        }
        self.followed.until(self.rows(), PUBLISHED_MAX);
        assert_eq!(outflow.stop(), 0);
        self.stored().expect("a stored place")
    }

    fn rows(&self) -> usize {
        self.ends.len() * usize::try_from(TX_ROWS).unwrap()
    }

    fn stored(&self) -> Option<Place> {
        let stored = self.outbox.stored();
        Some((stored["file"].as_str()?.to_owned(), stored["pos"].as_u64()?))
    }

    /// Starts it and writes until it has died at its point.
    fn dies(&mut self, point: &str, mut write: impl FnMut(&mut Self)) {
        let mut outflow = self.outbox.start_to_die(point);
        until(&format!("its death at {point}"), DIES_MAX, || {
            write(self);
            outflow.exit_code().is_some()
        });
        died(&mut outflow, point);
        if self.first_stored.is_none() {
            self.first_stored = self.stored();
        }
    }

    /// Compares what is stored with what was published, and what comes after a restart with what was stored.
    fn is_right(&mut self, before: Option<&Place>, point: &str) {
        let stored = self.stored();
        assert!(stored.as_ref() >= before, "{point}: {stored:?} is older than {before:?}");
        let kafka = Kafka::connect(&self.outbox.broker.bootstrap_servers);
        let published = kafka.read_topic(&self.outbox.topic);
        let published: HashSet<u64> =
            published.iter().map(|record| record.header("id").unwrap().parse().unwrap()).collect();
        let is_behind = |id: u64, stored: Option<&Place>| {
            let end = &self.ends[usize::try_from((id - 1) / TX_ROWS).unwrap()];
            stored.is_some_and(|stored| end <= stored)
        };
        if before.is_some() {
            let rows = u64::try_from(self.rows()).unwrap();
            let newer: Vec<u64> = (1..=rows)
                .filter(|id| is_behind(*id, stored.as_ref()) && !published.contains(id))
                .collect();
            assert!(
                newer.is_empty(),
                "{point}: {stored:?} is newer than the unpublished {newer:?}"
            );
        }
        self.outbox.catch_up();
        let repeats = self.followed.compare(&mut self.sql);
        if before.is_some() {
            let oldest = self.first_stored.as_ref().or(stored.as_ref());
            let older: Vec<_> =
                repeats.iter().filter(|repeat| is_behind(repeat.id, oldest)).collect();
            assert!(older.is_empty(), "{point}: {older:?} came again from before {stored:?}");
        }
        eprintln!("{point}: {} rows, {} repeated", self.rows(), repeats.len());
    }
}

#[track_caller]
fn died(outflow: &mut Outflow, point: &str) {
    let code = outflow.ended(DIES_MAX);
    assert_eq!(code, ABORTED, "{point}: it ended otherwise:\n{}", outflow.log());
}

#[test]
fn a_death_around_send_and_acknowledgement_loses_nothing() {
    for point in
        ["sent:1", "sent:35", "delivered:1", "delivered:37", "acknowledged:1", "acknowledged:37"]
    {
        let mut scene = Scene::new("point-send", "no_data");
        let before = scene.begin();
        scene.dies(point, Scene::write);
        scene.is_right(Some(&before), point);
    }
}

#[test]
fn a_death_while_a_checkpoint_is_stored_leaves_the_older_or_the_newer_one() {
    for point in [
        "checkpoint taken:2",
        "offset in sled:2",
        "offset flushed by sled:1",
        "offset flushed by sled:2",
        "slot chosen:2",
        "slot written:1",
        "slot written:2",
        "slot on disk:2",
        "checkpoint stored:2",
    ] {
        let mut scene = Scene::new("point-store", "no_data");
        let before = scene.begin();
        scene.dies(point, Scene::write);
        scene.is_right(Some(&before), point);
    }
}

#[test]
fn a_second_death_before_the_next_checkpoint_changes_nothing() {
    let mut scene = Scene::new("point-twice", "no_data");
    let before = scene.begin();
    for point in
        ["offset flushed by sled:2", "slot written:1", "offset flushed by sled:1", "sent:1"]
    {
        scene.dies(point, Scene::write);
    }
    scene.is_right(Some(&before), "twice");
}

#[test]
fn a_death_at_the_first_start_loses_no_row_of_the_snapshot() {
    for point in [
        "slots made:1",
        "fact in sled:1",
        "fact flushed by sled:1",
        "offset in sled:1",
        "offset flushed by sled:1",
        "slot written:1",
        "slot on disk:1",
        "fact in sled:2",
        "sent:25",
        "delivered:25",
    ] {
        let mut scene = Scene::new("point-first", "initial");
        for _ in 0..5 {
            scene.write();
        }
        died(&mut scene.outbox.start_to_die(point), point);
        scene.write();
        scene.is_right(None, point);
    }
}

#[test]
fn a_death_around_a_prepared_transaction_loses_and_invents_nothing() {
    for point in [
        "fact in sled:1",
        "fact flushed by sled:1",
        "fact flushed by sled:3",
        "kept back and sent:3",
        "kept back and sent:10",
        "fact struck:1",
        "fact struck:2",
        "checkpoint stored:2",
    ] {
        let mut scene = Scene::new("point-xa", "no_data");
        let before = scene.begin();
        let mut number = 0;
        scene.dies(point, |scene| {
            number += 1;
            let name = format!("'{}-{number}'", scene.outbox.schema);
            let undone = format!("'{}-undone-{number}'", scene.outbox.schema);
            let never = Outbox::insert(900_000 + number * 10..900_000 + number * 10 + 3, 7);
            scene.write_by(|sql, insert| {
                sql.run(&format!(
                    "XA START {undone}; {never}; XA END {undone}; XA PREPARE {undone}"
                ));
                sql.run(&format!("XA START {name}; {insert}; XA END {name}; XA PREPARE {name}"));
                sql.run(&format!("XA ROLLBACK {undone}; XA COMMIT {name}"));
            });
            scene.write();
        });
        scene.is_right(Some(&before), point);
    }
}

#[test]
fn a_death_during_a_stop_is_like_any_other() {
    for point in ["draining:1", "checkpoint taken:1", "slot written:1"] {
        let mut scene = Scene::new("point-stop", "no_data");
        let before = scene.begin();
        let mut outflow = scene.outbox.start_to_die(point);
        // A checkpoint that is stored a moment before the stop will do too.
        if outflow.ready_or_ended() {
            scene.write();
            outflow.terminate();
        }
        died(&mut outflow, point);
        scene.is_right(Some(&before), point);
    }
}
