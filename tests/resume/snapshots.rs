//! Each `snapshot.mode` at a first start and at a later one.

use std::time::Duration;

use crate::support::{MySqlServer, Outbox, broker};

use super::PUBLISHED_MAX;

/// Until a program that has nothing more to do has ended.
const ENDED_MAX: Duration = Duration::from_secs(30);

#[test]
fn always_publishes_all_rows_at_every_start() {
    let outbox = Outbox::new("always").with("snapshot.mode", "always");
    let mut sql = outbox.sql();
    let mut followed = outbox.follow();
    sql.run(&Outbox::insert(1..11, 3));
    let outflow = outbox.start().ready();
    sql.run(&Outbox::insert(11..21, 3));
    followed.until(20, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    outbox.catch_up();
    assert_eq!(followed.compare(&mut sql).len(), 20);
}

#[test]
fn initial_only_publishes_the_rows_and_ends_well() {
    let outbox = Outbox::new("only").with("snapshot.mode", "initial_only");
    let mut sql = outbox.sql();
    let followed = outbox.follow();
    sql.run(&Outbox::insert(1..1_501, 3));
    assert_eq!(outbox.start().ended(ENDED_MAX), 0);
    followed.compare_once(&mut sql);
    // What comes later is not its business.
    sql.run("CREATE TABLE kept AS SELECT * FROM outbox");
    sql.run(&Outbox::insert(1_501..1_511, 3));
    assert_eq!(outbox.start().ended(ENDED_MAX), 0);
    sql.run("DELETE FROM outbox WHERE id > 1500");
    followed.compare_once(&mut sql);
}

#[test]
fn recovery_goes_on_from_what_is_stored() {
    let outbox = Outbox::new("recovery").with("snapshot.mode", "recovery");
    assert_ne!(outbox.start().ended(ENDED_MAX), 0, "there is nothing to recover");
    let outbox = outbox.with("snapshot.mode", "no_data");
    let mut sql = outbox.sql();
    let followed = outbox.follow();
    outbox.catch_up();
    sql.run(&Outbox::insert(1..11, 3));
    let outbox = outbox.with("snapshot.mode", "recovery");
    outbox.catch_up();
    followed.compare_once(&mut sql);
}

#[test]
fn a_purged_position_is_mended_only_where_the_mode_says_so() {
    let server = MySqlServer::started("mysql:purged");
    let outbox = Outbox::on("purged", server, broker().clone()).with("snapshot.mode", "never");
    let mut sql = outbox.sql();
    let mut followed = outbox.follow();
    sql.run(&Outbox::insert(1..11, 3));
    outbox.catch_up(); // From the oldest log.
    followed.compare_once(&mut sql);
    sql.run(&Outbox::insert(11..21, 3));
    sql.run("FLUSH BINARY LOGS");
    let files = sql.rows("SHOW BINARY LOGS");
    sql.run(&format!("PURGE BINARY LOGS TO '{}'", files.last().unwrap()[0]));
    assert_ne!(outbox.start().ended(ENDED_MAX), 0, "rows are missing");
    let outbox = outbox.with("snapshot.mode", "when_needed");
    let mut outflow = outbox.start();
    outflow.logs("THE STORED POSITION IS LOST", ENDED_MAX);
    followed.until(20, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    assert_eq!(followed.compare(&mut sql).len(), 10);
    let server = outbox.server.clone();
    drop(outbox);
    server.stop();
}
