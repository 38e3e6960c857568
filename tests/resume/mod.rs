//! What a stop, a kill and a start do to the records: nothing is missing, each key's order is kept, and only a
//! kill repeats, no more than what was not yet acknowledged and stored.

mod damage;
mod held;
mod kills;
mod layouts;
mod points;
mod snapshots;
mod transactions;

use std::time::Duration;

use crate::support::{Outbox, until};

/// Until rows that were committed are on the topic, on a busy machine.
const PUBLISHED_MAX: Duration = Duration::from_secs(30);

#[test]
fn rows_before_the_first_start_come_first_and_once() {
    let outbox = Outbox::new("snapshot").with("snapshot.mode", "initial");
    let mut sql = outbox.sql();
    for first in (1..=3_000).step_by(500) {
        sql.run(&Outbox::insert(first..first + 500, 7));
    }
    // Written while the snapshot is read, and after it.
    let outflow = outbox.start();
    let mut followed = outbox.follow();
    for first in (3_001..=4_000).step_by(50) {
        sql.run(&Outbox::insert(first..first + 50, 7));
    }
    let outflow = outflow.ready();
    sql.run(&Outbox::insert(4_001..4_101, 7));
    followed.until(4_100, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    outbox.catch_up();
    followed.compare_once(&mut sql);
}

#[test]
fn a_stop_and_a_start_neither_miss_nor_repeat() {
    let outbox = Outbox::new("stop");
    let mut sql = outbox.sql();
    let mut followed = outbox.follow();
    for round in 0..4 {
        let outflow = outbox.start().ready();
        let first = round * 2_000 + 1;
        sql.run(&Outbox::insert(first..first + 1_000, 11));
        followed.until(usize::try_from(first).unwrap(), PUBLISHED_MAX);
        assert_eq!(outflow.stop(), 0);
        // While it is away.
        sql.run(&Outbox::insert(first + 1_000..first + 2_000, 11));
    }
    outbox.catch_up();
    followed.compare_once(&mut sql);
}

#[test]
fn a_stop_inside_a_transaction_neither_misses_nor_repeats() {
    let outbox = Outbox::new("inside");
    let mut sql = outbox.sql();
    let mut followed = outbox.follow();
    let (mut first, mut inside) = (1, 0);
    // A stop can come too late to fall inside, so there are some.
    for _ in 0..4 {
        let outflow = outbox.start().ready();
        sql.run("START TRANSACTION");
        for rows in (first..first + 5_000).step_by(100) {
            sql.run(&large_rows(rows..rows + 100));
        }
        sql.run("COMMIT");
        followed.until(usize::try_from(first).unwrap(), PUBLISHED_MAX);
        inside += usize::from(followed.seen() < usize::try_from(first).unwrap() + 4_900);
        assert_eq!(outflow.stop(), 0);
        first += 5_000;
    }
    assert!(inside > 0, "no stop fell inside a transaction");
    outbox.catch_up();
    followed.compare_once(&mut sql);
}

/// Rows that take the program a while.
fn large_rows(ids: std::ops::Range<u64>) -> String {
    let filler = "x".repeat(2_000);
    Outbox::insert(ids, 13).replace(r#"{"n":"#, &format!(r#"{{"filler":"{filler}","n":"#))
}

#[test]
fn a_kill_before_the_first_row_loses_none() {
    let outbox = Outbox::new("first-kill");
    let mut sql = outbox.sql();
    let followed = outbox.follow();
    outbox.start().ready().kill();
    sql.run(&Outbox::insert(1..101, 5));
    outbox.catch_up();
    followed.compare_once(&mut sql);
}

#[test]
fn what_was_stored_before_a_kill_is_not_repeated() {
    let outbox = Outbox::new("idle-kill");
    let mut sql = outbox.sql();
    let mut followed = outbox.follow();
    let outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..1_001, 5));
    followed.until(1_000, PUBLISHED_MAX);
    let sample = format!("outflow_checkpoint_timestamp_seconds{{connector=\"{}\"}}", outbox.schema);
    // Later transactions of another table move the checkpoint. The first one's may have been begun before the rows were
    // acknowledged and end only now; the second one's begins behind it.
    sql.run("CREATE TABLE other (id INT PRIMARY KEY)");
    for number in 1..3 {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        sql.run(&format!("INSERT INTO other VALUES ({number})"));
        until("a later checkpoint", Duration::from_secs(5), || {
            outflow.metric(&sample) > now.as_secs_f64()
        });
    }
    outflow.kill();
    outbox.catch_up();
    followed.compare_once(&mut sql);
}

#[test]
fn a_prepared_transaction_outlives_a_kill() {
    let outbox = Outbox::new("prepared");
    let mut sql = outbox.sql();
    let mut followed = outbox.follow();
    let outflow = outbox.start().ready();
    let names = [format!("'{}-kept'", outbox.schema), format!("'{}-undone'", outbox.schema)];
    for (name, first) in names.iter().zip([100, 200]) {
        let insert = Outbox::insert(first..first + 10, 3);
        sql.run(&format!("XA START {name}; {insert}; XA END {name}; XA PREPARE {name}"));
    }
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, PUBLISHED_MAX);
    outflow.kill();
    let outflow = outbox.start().ready();
    sql.run(&format!("XA ROLLBACK {}", names[1]));
    outflow.kill();
    sql.run(&format!("XA COMMIT {}", names[0]));
    outbox.catch_up();
    // In the order of the commits, which is that of the ids; the kills may repeat some.
    followed.compare(&mut sql);
}
