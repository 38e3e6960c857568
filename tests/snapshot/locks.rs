//! What a snapshot keeps others from, and others keep from it.

use super::scene::{ALL_MAX, Key, Scene};
use crate::support::MySql;

const ROWS: u64 = 15_000;
/// Seconds that an ALTER TABLE waits for those who use the table.
const LOCK_WAIT: &str = "SET lock_wait_timeout = 2";

fn alter(sql: &mut MySql, table: usize) -> Result<(), mysql_async::Error> {
    sql.try_run(&format!("ALTER TABLE outbox_{table} ADD added INT, ALGORITHM=INPLACE"))
}

#[test]
fn a_table_can_be_altered_once_its_rows_are_read() {
    let mut scene = Scene::new("snap-locks", &[Key::Id, Key::Id]);
    scene.fill(1..ROWS + 1);
    let mut sql = scene.outbox.sql();
    sql.run(LOCK_WAIT);
    let outflow = scene.outbox.start();
    scene.until(usize::try_from(ROWS).unwrap() + 1);
    outflow.signal("STOP"); // In the second table.
    let (first, second) = (alter(&mut sql, 0), alter(&mut sql, 1));
    outflow.signal("CONT");
    assert!(second.is_err(), "the second table is not being read any more");
    first.expect("the first table is still locked");
    let outflow = outflow.ready();
    // No transaction comes behind the snapshot.
    alter(&mut sql, 1).expect("the second table is still locked");
    sql.run("ALTER TABLE outbox_0 DROP added; ALTER TABLE outbox_1 DROP added");
    scene.until(2 * usize::try_from(ROWS).unwrap());
    assert_eq!(outflow.stop(), 0);
    scene.compare_once(&scene.ids(1..ROWS + 1));
}

#[test]
fn a_table_can_be_altered_while_the_log_before_its_snapshot_is_read() {
    let mut scene = Scene::new("snap-asked", &[Key::Id]);
    scene.fill(1..ROWS + 1);
    let outflow = scene.outbox.start();
    scene.until(1);
    assert_eq!(outflow.stop(), 0);
    scene.fill(ROWS + 1..2 * ROWS + 1);
    let mut outflow = scene.goes_on();
    outflow.logs("table layout taken up", ALL_MAX);
    outflow.signal("STOP");
    let mut sql = scene.outbox.sql();
    sql.run(LOCK_WAIT);
    let altered = alter(&mut sql, 0);
    outflow.signal("CONT");
    altered.expect("the table is locked");
    assert!(!outflow.log().contains("reading table "), "it is beyond the log already");
    assert_eq!(outflow.ready().stop(), 0);
    scene.compare_once(&scene.ids(1..2 * ROWS + 1));
}

#[test]
fn tables_that_are_altered_and_dropped_before_they_are_read_are_read_as_they_are() {
    let keys = [Key::Id, Key::TextAndNumber, Key::Id];
    let mut scene = Scene::new("snap-meanwhile", &keys);
    scene.fill(1..ROWS + 1);
    let outflow = scene.outbox.start();
    scene.until(1);
    outflow.signal("STOP");
    let mut sql = scene.outbox.sql();
    sql.run("ALTER TABLE outbox_1 RENAME COLUMN tenant TO owner; DROP TABLE outbox_2");
    outflow.signal("CONT");
    let outflow = outflow.ready();
    assert_eq!(outflow.stop(), 0);
    let mut expected = scene.ids(1..ROWS + 1);
    expected.retain(|&id| id < super::scene::id(2, 0));
    scene.compare_once(&expected);
}

#[test]
fn the_server_waits_for_a_snapshot_that_waits_for_kafka() {
    let mut scene = Scene::new("snap-patience", &[Key::Id]);
    scene.fill(1..ROWS + 1);
    let outflow = scene.outbox.start();
    scene.until(1);
    outflow.signal("STOP");
    let mut sql = scene.outbox.sql();
    let waits = "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM performance_schema.variables_by_thread \
                 JOIN performance_schema.threads USING (THREAD_ID) \
                 WHERE VARIABLE_NAME IN ('net_write_timeout', 'wait_timeout') \
                 AND PROCESSLIST_USER = 'debezium' \
                 AND PROCESSLIST_ID IN (SELECT trx_mysql_thread_id FROM information_schema.innodb_trx)";
    let found = sql.rows(waits);
    outflow.signal("CONT");
    assert!(!found.is_empty());
    for row in found {
        assert!(row[1].parse::<u32>().unwrap() >= 3_600, "{row:?}");
    }
    assert_eq!(outflow.ready().stop(), 0);
}
