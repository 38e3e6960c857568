//! What becomes of rows and tables that change between two parts of a snapshot.

use super::scene::{ALL_MAX, Key, Scene, id};

/// The first row's number; a row that comes later may get one before it.
const FIRST: u64 = 10;
const ROWS: u64 = 15_000;

/// Publishes so many thousands of the rows, each table's beginning anew, and stops in an orderly way.
fn stopped_behind(batches: u64, name: &str, keys: &[Key]) -> Scene {
    let scene = Scene::new(name, keys);
    scene.fill(FIRST..ROWS + 1);
    let mut outflow = scene.outbox.start_to_die(&format!("snapshot_batch:{batches}:stop"));
    assert_eq!(outflow.ended(ALL_MAX), 0);
    let stored = scene.outbox.stored();
    assert_eq!(stored["snapshot"], "INITIAL", "it was not stopped in the middle: {stored}");
    scene
}

#[test]
fn rows_that_change_between_two_parts_are_published_once() {
    let scene = stopped_behind(1, "snap-changes", &[Key::Id, Key::TextAndNumber]);
    let mut expected = scene.ids(FIRST..ROWS + 1);
    let mut sql = scene.outbox.sql();
    // Before what is read, in what is not read, and gone again in one transaction and in two.
    sql.run(&format!(
        "INSERT INTO outbox_0 VALUES (0, 'Order', 'key', 'T', '{{}}'); {}",
        scene.insert(0, ROWS + 1..ROWS + 11)
    ));
    sql.run(&scene.insert(1, ROWS + 1..ROWS + 11));
    sql.run(&format!(
        "START TRANSACTION; {}; DELETE FROM outbox_0 WHERE id > {}; COMMIT",
        scene.insert(0, ROWS + 11..ROWS + 21),
        ROWS + 10
    ));
    sql.run(&scene.insert(1, ROWS + 11..ROWS + 21));
    sql.run(&format!("DELETE FROM outbox_1 WHERE id > {}", id(1, ROWS + 10)));
    expected.insert(0);
    expected.extend(scene.ids(ROWS + 1..ROWS + 21));
    // A row that was published and goes, and one that was not and is gone before it is read: the log tells of it.
    sql.run(&format!("DELETE FROM outbox_0 WHERE id IN ({FIRST}, {ROWS})"));
    // Rows that get another key: not published ones, before and behind those that were, and a published one. The router
    // publishes them under their new ids.
    for (old, new) in [(ROWS - 1, 1), (ROWS - 2, 9_000_000), (FIRST + 1, 9_000_001)] {
        sql.run(&format!("UPDATE outbox_0 SET id = {new} WHERE id = {old}"));
        expected.insert(new);
    }
    expected.retain(|id| ![ROWS - 1, ROWS - 2].contains(id));
    let moved = id(1, FIRST);
    sql.run(&format!("UPDATE outbox_1 SET tenant = 'A', n = -1000000 WHERE id = {moved}"));
    scene.outbox.catch_up();
    scene.compare_once(&expected);
}

#[test]
fn a_table_without_a_primary_key_starts_over_and_says_so() {
    let scene = stopped_behind(17, "snap-keyless", &[Key::Id, Key::None, Key::Id]);
    let mut outflow = scene.goes_on();
    outflow.logs("no primary key by whose order its reading could go on", ALL_MAX);
    assert_eq!(outflow.ready().stop(), 0);
    let repeats = scene.compare(&scene.ids(FIRST..ROWS + 1));
    assert!(repeats.len() > 1_000, "{} rows came again", repeats.len());
    let others: Vec<_> = repeats.iter().filter(|repeat| repeat.id / id(1, 0) != 1).collect();
    assert!(others.is_empty(), "rows of other tables came again: {others:?}");
}

#[test]
fn a_table_with_another_primary_key_starts_over_and_says_so() {
    let scene = stopped_behind(17, "snap-altered", &[Key::Id, Key::TextAndNumber]);
    scene
        .outbox
        .sql()
        .run("ALTER TABLE outbox_1 DROP PRIMARY KEY, ADD PRIMARY KEY (id), ADD added INT");
    let mut outflow = scene.goes_on();
    outflow.logs("its primary key has been altered since", ALL_MAX);
    assert_eq!(outflow.ready().stop(), 0);
    let repeats = scene.compare(&scene.ids(FIRST..ROWS + 1));
    assert!(repeats.iter().all(|repeat| repeat.id > id(1, 0)), "the first table came again");
}

#[test]
fn another_column_is_no_reason_to_start_over() {
    let scene = stopped_behind(5, "snap-column", &[Key::TextAndNumber]);
    let mut sql = scene.outbox.sql();
    sql.run(&scene.insert(0, ROWS + 1..ROWS + 11));
    sql.run("ALTER TABLE outbox_0 ADD added INT FIRST");
    sql.run("DELETE FROM outbox_0 WHERE id % 2 = 0 AND id > 15000");
    scene.outbox.catch_up();
    scene.compare_once(&scene.ids(FIRST..ROWS + 11));
}
