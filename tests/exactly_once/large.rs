use std::time::Duration;

use super::scene::{Scene, insert};

const PUBLISHED_MAX: Duration = Duration::from_secs(60);

/// A MySQL transaction of 200,000 rows.
const LARGE: &str = "SET SESSION cte_max_recursion_depth = 1000000;
    INSERT INTO outbox SELECT * FROM (WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 200000)
      SELECT n, 'Order', CONCAT('key-', n MOD 13), '1+200000', JSON_OBJECT('n', n) FROM n) AS n_rows";

#[test]
fn a_transaction_that_takes_too_long_stops_it_with_words() {
    let scene = Scene::new("eos-large").with("producer.override.transaction.timeout.ms", "1000");
    let mut sql = scene.outbox.sql();
    let mut outflow = scene.outbox.start().ready();
    sql.run(LARGE);
    assert_eq!(outflow.ended(PUBLISHED_MAX), 1);
    let log = outflow.log();
    assert!(log.contains("outflow.transaction.split.rows"), "it does not say what to do:\n{log}");
    assert!(scene.kafka().read_topic(&scene.outbox.topic).is_empty());
}

#[test]
fn a_large_transaction_is_split_where_the_file_says_so() {
    let scene = Scene::new("eos-split").with("outflow.transaction.split.rows", "20000");
    let mut sql = scene.outbox.sql();
    let mut followed = scene.outbox.follow();
    let outflow = scene.outbox.start().ready();
    sql.run(LARGE);
    followed.until(30_000, PUBLISHED_MAX);
    outflow.kill(); // It goes on inside the transaction.
    let outflow = scene.outbox.start().ready();
    followed.until(200_000, PUBLISHED_MAX);
    assert!(outflow.metric(&scene.sample("outflow_transaction_splits_total")) >= 2.0);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

#[test]
fn a_large_snapshot_goes_in_parts_that_a_kill_does_not_repeat() {
    let scene = Scene::new("eos-snapshot").with("snapshot.mode", "initial");
    let mut sql = scene.outbox.sql();
    sql.run(LARGE);
    let outflow = scene.outbox.start();
    let mut followed = scene.outbox.follow();
    followed.until(50_000, PUBLISHED_MAX);
    outflow.kill();
    let position = scene.position();
    assert!(position["outflow_snapshot"].is_string(), "{position}");
    std::fs::remove_dir_all(scene.outbox.scratch.path("data")).unwrap();
    let outflow = scene.outbox.start().ready();
    assert!(outflow.log().contains("going on with the snapshot"), "it was over before");
    assert_eq!(outflow.stop(), 0);
    assert!(scene.position()["snapshot"].is_null());
    followed.compare_once(&mut sql);
}

#[test]
fn a_snapshot_that_cannot_go_on_is_one_transaction_unless_it_may_be_split() {
    for (name, split, splits) in [("eos-whole", "0", 0.0), ("eos-parts", "2000", 2.0)] {
        let scene = Scene::new(name)
            .with("snapshot.mode", "initial")
            .with("outflow.transaction.split.rows", split);
        let mut sql = scene.outbox.sql();
        sql.run("ALTER TABLE outbox DROP PRIMARY KEY");
        for first in (1..=8_000).step_by(1_000) {
            sql.run(&insert(first, 1_000, 7));
        }
        let outflow = scene.outbox.start().ready();
        let mut followed = scene.outbox.follow();
        followed.until(8_000, PUBLISHED_MAX);
        sql.run(&insert(8_001, 10, 7));
        followed.until(8_010, PUBLISHED_MAX);
        let found = outflow.metric(&scene.sample("outflow_transaction_splits_total"));
        assert!((found > 0.0) == (splits > 0.0) && found >= splits, "{found} splits");
        assert_eq!(outflow.stop(), 0);
        followed.compare_once(&mut sql);
    }
}
