//! XA transactions far larger than memory: their rows wait on disk for the outcome.

use std::time::Duration;

use super::PUBLISHED_MAX;
use crate::support::{MySql, Outbox, Outflow};

/// Rows of each transaction, and of one statement.
const ROWS: u64 = 500_000;
const STATEMENT_ROWS: u64 = 2_000;
/// Resident memory at its highest; the rows have a hundred bytes each.
const MEMORY_MAX: u64 = 64 << 20;
/// Until a whole transaction is on the topic, with a debug build on a busy machine.
const ALL_MAX: Duration = Duration::from_secs(300);

#[test]
fn a_huge_prepared_transaction_takes_little_memory() {
    let outbox = Outbox::new("xa-huge");
    let mut sql = outbox.sql();
    let mut followed = outbox.follow();
    let outflow = outbox.start().ready();
    let names = [format!("'{}-kept'", outbox.schema), format!("'{}-undone'", outbox.schema)];
    prepare(&mut sql, &names[0], 1_000);
    prepare(&mut sql, &names[1], 1_000 + ROWS);
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, ALL_MAX);
    assert_eq!(files(&outbox), 2);
    assert_small(&outflow);
    outflow.kill();
    let outflow = outbox.start().ready();
    sql.run(&format!("XA ROLLBACK {}; XA COMMIT {}", names[1], names[0]));
    // In the middle of sending them.
    followed.until(1_000, ALL_MAX);
    assert_small(&outflow);
    outflow.kill();
    let last = 1_000 + 2 * ROWS;
    let outflow = outbox.start().ready();
    followed.until(usize::try_from(ROWS).unwrap() + 10, ALL_MAX);
    sql.run(&Outbox::insert(last..last + 10, 3));
    followed.until(usize::try_from(ROWS).unwrap() + 20, PUBLISHED_MAX);
    assert_small(&outflow);
    assert_eq!(outflow.stop(), 0);
    outbox.catch_up();
    // In the order of the commits, which is that of the ids; the second kill may repeat some.
    let repeats = followed.compare(&mut sql);
    eprintln!("{} of {ROWS} rows twice", repeats.len());
    assert_eq!(files(&outbox), 0, "files of transactions that have ended");
}

/// Prepares a transaction of so many rows.
fn prepare(sql: &mut MySql, name: &str, first: u64) {
    sql.run(&format!("XA START {name}"));
    for at in (first..first + ROWS).step_by(usize::try_from(STATEMENT_ROWS).unwrap()) {
        sql.run(&Outbox::insert(at..at + STATEMENT_ROWS, 3));
    }
    sql.run(&format!("XA END {name}; XA PREPARE {name}"));
}

/// Files of transactions that wait.
fn files(outbox: &Outbox) -> usize {
    std::fs::read_dir(outbox.scratch.path("data").join("held")).unwrap().count()
}

#[track_caller]
fn assert_small(outflow: &Outflow) {
    let peak = outflow.resident_peak();
    eprintln!("resident at most {} kB", peak >> 10);
    assert!(peak < MEMORY_MAX, "{} kB", peak >> 10);
}
