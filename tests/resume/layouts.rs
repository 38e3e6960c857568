//! Tables altered so that old and new columns look alike in the log. Its table maps carry no names here
//! (`binlog_row_metadata=MINIMAL`), so nothing but the order of events tells which columns a row has.

use std::time::Duration;

use super::PUBLISHED_MAX;
use crate::support::{Kafka, MySqlServer, Outbox, broker};

const SWAPPED: &str = "ALTER TABLE outbox MODIFY aggregateid VARCHAR(255) NOT NULL AFTER type";
const SWAPPED_BACK: &str =
    "ALTER TABLE outbox MODIFY aggregateid VARCHAR(255) NOT NULL AFTER aggregatetype";
const RENAMED: &str = "CREATE TABLE _outbox_gho LIKE outbox; \
    ALTER TABLE _outbox_gho MODIFY aggregateid VARCHAR(255) NOT NULL FIRST; \
    INSERT INTO _outbox_gho (id, aggregatetype, aggregateid, type, payload) \
      SELECT id, aggregatetype, aggregateid, type, payload FROM outbox; \
    RENAME TABLE outbox TO _outbox_del, _outbox_gho TO outbox; DROP TABLE _outbox_del";

/// Each changes the columns that the rows behind it have, and those of one type change places.
const CHANGES: [&str; 13] = [
    SWAPPED,
    SWAPPED_BACK,
    "ALTER TABLE outbox ADD hidden INT INVISIBLE DEFAULT 7 FIRST, \
       ADD twice BIGINT UNSIGNED AS (id * 2) STORED AFTER hidden, ALGORITHM=COPY",
    "ALTER TABLE outbox MODIFY type ENUM('X','T') NOT NULL",
    "/*!80000 ALTER TABLE outbox MODIFY type ENUM('T','X') NOT NULL */",
    "ALTER TABLE outbox MODIFY aggregateid VARCHAR(255) CHARACTER SET latin1 NOT NULL FIRST",
    "ALTER TABLE outbox CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    "ALTER TABLE outbox PARTITION BY HASH (id) PARTITIONS 3",
    RENAMED,
    RENAMED,
    "RENAME TABLE outbox TO elsewhere; ALTER TABLE elsewhere MODIFY aggregateid VARCHAR(255) NOT NULL AFTER type; \
       ALTER TABLE elsewhere RENAME TO outbox",
    "SET sql_log_bin = 0; CREATE TABLE saved LIKE outbox; INSERT INTO saved (id, aggregatetype, aggregateid, type) \
       SELECT id, aggregatetype, aggregateid, type FROM outbox; SET sql_log_bin = 1; DROP TABLE outbox; \
     CREATE TABLE outbox (type VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, \
       aggregatetype VARCHAR(255) NOT NULL, id BIGINT UNSIGNED NOT NULL PRIMARY KEY, payload JSON)",
    "ALTER TABLE outbox MODIFY aggregatetype VARCHAR(255) NOT NULL FIRST, DROP COLUMN type, \
       ADD type VARCHAR(255) NOT NULL DEFAULT 'T' AFTER aggregatetype",
];
/// Puts back the rows that went with the table, unseen by the log.
const RESTORED: &str = "SET sql_log_bin = 0; INSERT INTO outbox (id, aggregatetype, aggregateid, type) \
    SELECT id, aggregatetype, aggregateid, type FROM saved; SET sql_log_bin = 1";
/// What is not understood: another name for a type of another character set.
const NOT_UNDERSTOOD: &str =
    "ALTER TABLE outbox MODIFY aggregateid NVARCHAR(255) NOT NULL AFTER type";
/// What it logs when it reads the log a second time.
const LOOKING: &str = "looking through the log";

/// On a server of its own: other tests switch the metadata of the shared server's log.
fn outbox(name: &str) -> Outbox {
    Outbox::on(name, MySqlServer::started("mysql:layouts"), broker().clone())
}

fn log(outbox: &Outbox) -> String {
    std::fs::read_to_string(outbox.scratch.path("outflow.log")).unwrap()
}

/// It has not read the log twice since its log was so long. The very first start may: where others write meanwhile, it
/// makes sure that the layouts which it looks up are those of the place where it begins.
#[track_caller]
fn read_once(outbox: &Outbox, begun: usize) {
    let log = log(outbox);
    assert!(!log.get(begun..).unwrap().contains(LOOKING), "it has read the log twice:\n{log}");
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
fn rows_between_alterations_are_read_late_with_their_own_columns() {
    let outbox = outbox("alterations")
        .with("transforms.outbox.table.fields.additional.placement", "type:header:eventType");
    let (mut sql, followed) = (outbox.sql(), outbox.follow());
    assert_eq!(outbox.start().ready().stop(), 0);
    let begun = log(&outbox).len();
    sql.run(&Outbox::insert(1..6, 3));
    for (first, change) in (6..).step_by(5).zip(CHANGES) {
        sql.run(change);
        sql.run(&Outbox::insert(first..first + 5, 3));
    }
    outbox.catch_up();
    sql.run(RESTORED);
    followed.compare_once(&mut sql);
    for record in Kafka::connect(&outbox.broker.bootstrap_servers).read_topic(&outbox.topic) {
        assert_eq!(record.header("eventType"), Some("T"), "{record:?}");
    }
    read_once(&outbox, begun);
}

#[test]
fn what_was_derived_outlives_kills() {
    let outbox = outbox("alterations-killed");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let mut rows = 0;
    assert_eq!(outbox.start().ready().stop(), 0);
    let begun = log(&outbox).len();
    for change in CHANGES {
        let outflow = outbox.start().ready();
        sql.run(change);
        sql.run(&Outbox::insert(rows + 1..rows + 6, 3));
        followed.until(usize::try_from(rows).unwrap() + 5, PUBLISHED_MAX);
        outflow.kill();
        // With the layout of the first five, which a killed process leaves behind.
        sql.run(&Outbox::insert(rows + 6..rows + 11, 3));
        rows += 10;
    }
    outbox.catch_up();
    sql.run(RESTORED);
    followed.compare(&mut sql);
    read_once(&outbox, begun);
}

#[test]
fn rows_whose_columns_nothing_proves_stop_it() {
    let outbox = outbox("swap-twice");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    sql.run(NOT_UNDERSTOOD);
    sql.run(&Outbox::insert(11..21, 3));
    sql.run(SWAPPED_BACK);
    let mut outflow = outbox.start();
    assert_eq!(outflow.ended(Duration::from_secs(30)), 1);
    let log = outflow.log();
    assert!(log.contains("binlog_row_metadata=FULL"), "no cure in:\n{log}");
    sql.run("DELETE FROM outbox WHERE id > 10");
    followed.compare_once(&mut sql);
}
