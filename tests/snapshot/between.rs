//! What is committed between two parts of a snapshot, and while one is opened.

use super::scene::{ALL_MAX, Key, Scene, id};
use crate::support::{MySqlServer, Outbox, Outflow, broker, until};

/// The first row's number; a row that comes later may get one before it.
const FIRST: u64 = 10;

/// Stops it once it reads a table.
fn stop_in_the_middle(scene: &Scene, mut outflow: Outflow) {
    outflow.logs("reading table connector", ALL_MAX);
    assert_eq!(outflow.stop(), 0);
    let stored = scene.outbox.stored();
    assert_eq!(stored["snapshot"], "INITIAL", "it was not stopped in the middle: {stored}");
}

#[test]
fn what_is_committed_while_a_snapshot_is_opened_is_published_once() {
    const ROWS: u64 = 60_000;
    let options = ["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"];
    let server = MySqlServer::started_with("mysql:snapshot-between", &options);
    let outbox = Outbox::on("snap-between", server.clone(), broker().clone());
    let scene = Scene::on(outbox, &[Key::Id]);
    scene.fill(FIRST..ROWS + 1);
    let (mut sql, mut holder) = (scene.outbox.sql(), scene.outbox.sql());
    sql.run("DELETE FROM outbox_0 WHERE id % 100 = 0");
    stop_in_the_middle(&scene, scene.outbox.start());
    // Without GTIDs a snapshot waits for whoever holds rows, and the log goes on meanwhile.
    holder
        .run(&format!("START TRANSACTION; SELECT id FROM outbox_0 WHERE id = {FIRST} FOR UPDATE"));
    let outflow = scene.outbox.start();
    let waiting =
        "SELECT 1 FROM performance_schema.processlist WHERE info LIKE 'SELECT 1 FROM `%SHARE MODE'";
    until("it waits", ALL_MAX, || !sql.rows(waiting).is_empty());
    // A row that the snapshot never shows, then some that it shows, and some that it does not show any more.
    let new = scene.insert(0, ROWS + 1..ROWS + 2);
    sql.run(&format!(
        "START TRANSACTION; {new}; DELETE FROM outbox_0 WHERE id = {}; COMMIT",
        ROWS + 1
    ));
    for n in (100..=ROWS).step_by(100) {
        let delete = format!("DELETE FROM outbox_0 WHERE id = {}", n - 50);
        sql.run(&format!("{}; {delete}", scene.insert(0, n..n + 1)));
    }
    holder.run("COMMIT");
    stop_in_the_middle(&scene, outflow);
    scene.outbox.catch_up();
    scene.compare_once(&scene.ids(FIRST..ROWS + 2));
    drop(scene);
    server.stop();
}

#[test]
fn keys_of_dates_and_times_are_told_apart_whatever_the_file_makes_of_values() {
    const ROWS: u64 = 8_000;
    let keys = [Key::Moments, Key::Bytes];
    for (table, name) in [(0, "snap-moments"), (1, "snap-hex")] {
        let mut scene = Scene::new(name, &keys[table..=table]);
        scene.outbox.set("binary.handling.mode", "hex");
        scene.outbox.set("time.precision.mode", "connect");
        scene.fill(FIRST..ROWS + 1);
        stop_in_the_middle(&scene, scene.outbox.start());
        let mut sql = scene.outbox.sql();
        sql.run(&scene.insert(0, ROWS + 1..ROWS + 21));
        sql.run(&format!("DELETE FROM outbox_0 WHERE id > {}", ROWS + 10));
        // Rows that were published, and rows that were not.
        sql.run("DELETE FROM outbox_0 WHERE id % 2 = 0");
        scene.outbox.catch_up();
        scene.compare_once(&scene.ids(FIRST..ROWS + 21));
    }
}

#[test]
fn initial_only_goes_on_as_any_other_snapshot() {
    const ROWS: u64 = 15_000;
    let mut scene = Scene::new("snap-only", &[Key::Id]);
    scene.outbox.set("snapshot.mode", "initial_only");
    scene.fill(FIRST..ROWS + 1);
    stop_in_the_middle(&scene, scene.outbox.start());
    let mut sql = scene.outbox.sql();
    sql.run(&scene.insert(0, 0..1));
    sql.run(&scene.insert(0, ROWS + 1..ROWS + 2));
    sql.run(&format!("DELETE FROM outbox_0 WHERE id = {ROWS}"));
    assert_eq!(scene.outbox.start().ended(ALL_MAX), 0);
    let mut expected = scene.ids(FIRST..ROWS + 2);
    expected.insert(0);
    scene.compare_once(&expected);
    scene.outbox.set("snapshot.mode", "initial");
    sql.run(&scene.insert(0, ROWS + 2..ROWS + 3));
    scene.outbox.catch_up();
    expected.insert(id(0, ROWS + 2));
    scene.compare_once(&expected);
}

#[test]
fn a_row_whose_like_was_rolled_back_is_published_though_it_is_deleted_unread() {
    const ROWS: u64 = 60_000;
    let scene = Scene::new("snap-like", &[Key::Id]);
    scene.fill(FIRST..ROWS + 1);
    stop_in_the_middle(&scene, scene.outbox.start());
    let (mut sql, row) = (scene.outbox.sql(), scene.insert(0, ROWS + 1..ROWS + 2));
    let xid = format!("'{}'", scene.outbox.schema);
    sql.run(&format!("XA START {xid}; {row}; XA END {xid}; XA PREPARE {xid}; XA ROLLBACK {xid}"));
    stop_in_the_middle(&scene, scene.goes_on());
    sql.run(&row);
    stop_in_the_middle(&scene, scene.goes_on());
    sql.run(&format!("DELETE FROM outbox_0 WHERE id = {}", ROWS + 1));
    scene.outbox.catch_up();
    scene.compare_once(&scene.ids(FIRST..ROWS + 2));
}
