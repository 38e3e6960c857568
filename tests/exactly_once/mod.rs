//! `exactly.once.support=required`: a reader of committed records sees each MySQL transaction whole and once, whatever
//! breaks, and the position in Kafka is enough to go on from.

mod scene;

use std::time::Duration;

use scene::{Scene, insert};

const PUBLISHED_MAX: Duration = Duration::from_secs(30);

#[test]
fn the_position_in_kafka_is_enough_to_go_on_from() {
    let scene = Scene::new("eos-position");
    let mut sql = scene.outbox.sql();
    let mut followed = scene.outbox.follow();
    let outflow = scene.outbox.start().ready();
    sql.run(&insert(1, 100, 5));
    followed.until(100, PUBLISHED_MAX);
    assert!(scene.outcomes(&outflow, "committed") >= 2.0); // The start's and this one.
    assert_eq!(outflow.stop(), 0);
    let last = scene.positions().pop().expect("a position");
    let (schema, prefix) =
        (&scene.outbox.schema, scene.outbox.config["topic.prefix"].as_str().unwrap());
    assert_eq!(last.key_text(), format!(r#"["{schema}",{{"server":"{prefix}"}}]"#));
    let executed = &sql.rows("SELECT @@gtid_executed")[0][0];
    let position = scene.position();
    assert!(position["file"].is_string() && position["pos"].as_u64() > Some(4), "{position}");
    if !executed.is_empty() {
        assert!(position["gtids"].is_string(), "{position}");
    }
    sql.run(&insert(101, 100, 5));
    std::fs::remove_dir_all(scene.outbox.scratch.path("data")).unwrap();
    let outflow = scene.outbox.start().ready();
    followed.until(200, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    scene.outbox.catch_up();
    followed.compare_once(&mut sql);
    scene.is_whole();
}
