//! Tables altered so that old and new columns look alike in the log. Its table maps carry no names here
//! (`binlog_row_metadata=MINIMAL`), so nothing but the order of events tells which columns a row has.

use std::time::Duration;

use super::PUBLISHED_MAX;
use crate::support::{MySqlServer, Outbox, broker};

const SWAPPED: &str = "ALTER TABLE outbox MODIFY aggregateid VARCHAR(255) NOT NULL AFTER type";
const SWAPPED_BACK: &str =
    "ALTER TABLE outbox MODIFY aggregateid VARCHAR(255) NOT NULL AFTER aggregatetype";
const RENAMED: &str = "CREATE TABLE _outbox_gho LIKE outbox; \
    ALTER TABLE _outbox_gho MODIFY aggregateid VARCHAR(255) NOT NULL FIRST; \
    INSERT INTO _outbox_gho (id, aggregatetype, aggregateid, type, payload) \
      SELECT id, aggregatetype, aggregateid, type, payload FROM outbox; \
    RENAME TABLE outbox TO _outbox_del, _outbox_gho TO outbox; DROP TABLE _outbox_del";

/// On a server whose setting no other test changes.
fn outbox(name: &str) -> Outbox {
    Outbox::on(name, MySqlServer::started("mysql:layouts"), broker().clone())
}

#[test]
fn columns_swapped_while_streaming_keep_their_values() {
    let outbox = outbox("swap-streaming");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start().ready();
    for (round, change) in (0..).zip(["", SWAPPED, SWAPPED_BACK, RENAMED]) {
        sql.run(&format!("SET @round = {round}; {change}"));
        sql.run(&Outbox::insert(round * 10 + 1..round * 10 + 11, 3));
        followed.until(usize::try_from(round).unwrap() * 10 + 10, PUBLISHED_MAX);
    }
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

#[test]
fn columns_swapped_while_stopped_keep_their_values() {
    let outbox = outbox("swap-stopped");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    // These rows were written with columns that the table no longer has when they are read.
    sql.run(&Outbox::insert(11..21, 3));
    sql.run(&format!("{SWAPPED_BACK}; {SWAPPED}"));
    sql.run(&Outbox::insert(21..31, 3));
    outbox.catch_up();
    sql.run(&Outbox::insert(31..41, 3));
    sql.run(SWAPPED_BACK);
    sql.run(&Outbox::insert(41..51, 3));
    outbox.catch_up();
    followed.compare_once(&mut sql);
}

#[test]
fn rows_whose_columns_nothing_proves_stop_it() {
    let outbox = outbox("swap-twice");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    sql.run(SWAPPED);
    sql.run(&Outbox::insert(11..21, 3));
    sql.run(SWAPPED_BACK);
    let mut outflow = outbox.start();
    assert_eq!(outflow.ended(Duration::from_secs(30)), 1);
    let log = outflow.log();
    assert!(log.contains("binlog_row_metadata=FULL"), "no cure in:\n{log}");
    sql.run("DELETE FROM outbox WHERE id > 10");
    followed.compare_once(&mut sql);
}
