//! A snapshot that is interrupted goes on where it was: nothing is missing, what was published is not published again.

mod between;
mod keys;
mod locks;
mod scene;
mod servers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use scene::{Key, Scene, write};

use crate::exactly_once::exactly_once;
use crate::support::{MySqlServer, Outbox, Outflow, Random, Repeat, broker, now_ms};

/// Rows of each table before the first start.
const ROWS: u64 = 25_000;
const KEYS: [Key; 4] = [Key::Id, Key::TextAndNumber, Key::Bytes, Key::Id];
/// How often it is interrupted while it publishes them, unless it has published all of them before.
const TIMES: u64 = 10;
/// How often it must be at least.
const TIMES_MIN: u64 = 4;

/// Ends a writer, also where a test fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Interrupts a snapshot again and again while rows are written; what was published more than once.
fn interrupt(scene: &mut Scene, how: impl Fn(Outflow)) -> Vec<Repeat> {
    let mut random = Random::new();
    scene.fill(1..ROWS + 1);
    let mut outflow = scene.outbox.start();
    outflow.logs("reading the log up to the snapshot", scene::ALL_MAX);
    let end = AtomicBool::new(false);
    let rows = ROWS * u64::try_from(KEYS.len()).unwrap();
    let mut expected = scene.ids(1..ROWS + 1);
    let writer = scene.writer();
    let (outflow, written) = std::thread::scope(|threads| {
        let ends = Ends(&end);
        let numbers = Random::seeded(random.below(1 << 60));
        let writer = threads.spawn(|| write(&writer, numbers, ROWS + 1, &end));
        for time in 0..TIMES {
            let at = time * rows / (TIMES + 2) + 1 + random.below(rows / (TIMES + 2) - 1);
            scene.until(usize::try_from(at).unwrap());
            std::thread::sleep(Duration::from_millis(random.below(50)));
            how(outflow);
            outflow = scene.outbox.start();
            if !scene.does_go_on(&outflow) {
                assert!(time >= TIMES_MIN, "the snapshot was interrupted {time} times only");
                break;
            }
        }
        outflow = outflow.ready();
        drop(ends);
        (outflow, writer.join().unwrap())
    });
    expected.extend(written);
    assert_eq!(outflow.stop(), 0);
    scene.outbox.catch_up();
    scene.compare(&expected)
}

#[test]
fn ten_kills_in_a_snapshot_lose_nothing_and_repeat_little() {
    let mut scene = Scene::new("snap-kills", &KEYS);
    let kills_ms = std::sync::Mutex::new(Vec::new());
    let repeats = interrupt(&mut scene, |outflow| {
        outflow.kill();
        kills_ms.lock().unwrap().push(now_ms());
    });
    let kills_ms = kills_ms.into_inner().unwrap();
    Repeat::check_all(&repeats, &kills_ms);
}

#[test]
fn ten_stops_in_a_snapshot_lose_and_repeat_nothing() {
    let mut scene = Scene::new("snap-stops", &KEYS);
    let repeats = interrupt(&mut scene, |outflow| assert_eq!(outflow.stop(), 0));
    assert!(repeats.is_empty(), "{} repeats, such as {:?}", repeats.len(), repeats[0]);
}

#[test]
fn ten_stops_in_a_snapshot_without_gtids_lose_and_repeat_nothing() {
    let options = ["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"];
    let server = MySqlServer::started_with("mysql:snapshot-positions", &options);
    let outbox = Outbox::on("snap-positions", server.clone(), broker().clone());
    let mut scene = Scene::on(outbox, &KEYS);
    let repeats = interrupt(&mut scene, |outflow| assert_eq!(outflow.stop(), 0));
    assert!(repeats.is_empty(), "{} repeats, such as {:?}", repeats.len(), repeats[0]);
    drop(scene);
    server.stop();
}

#[test]
fn ten_kills_in_a_snapshot_in_kafka_transactions_lose_and_repeat_nothing() {
    let outbox = Outbox::new("snap-eos");
    let offsets = format!("{}.offsets", outbox.topic);
    let mut scene = Scene::on(exactly_once(outbox, &offsets), &KEYS);
    let repeats = interrupt(&mut scene, Outflow::kill);
    assert!(repeats.is_empty(), "{} repeats, such as {:?}", repeats.len(), repeats[0]);
}

#[test]
fn stops_in_a_snapshot_keep_each_keys_order() {
    let outbox = Outbox::new("snap-order").with("snapshot.mode", "initial");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    for first in (1..=80_000).step_by(1_000) {
        sql.run(&Outbox::insert(first..first + 1_000, 17));
    }
    let end = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let (mut sql, mut next) = (outbox.sql(), 80_001);
            while !end.load(Ordering::Relaxed) {
                sql.run(&Outbox::insert(next..next + 5, 17));
                sql.run("DO SLEEP(0.002)");
                next += 5;
            }
        });
        let _ends = Ends(&end);
        for (at, begins) in [
            (1, "reading the log up to"),
            (5_000, scene::GOES_ON),
            (13_000, scene::GOES_ON),
            (30_000, scene::GOES_ON),
        ] {
            let mut outflow = outbox.start();
            outflow.logs(begins, scene::ALL_MAX);
            followed.until(at, scene::ALL_MAX);
            assert_eq!(outflow.stop(), 0);
        }
    });
    outbox.catch_up();
    followed.compare_once(&mut sql);
}
