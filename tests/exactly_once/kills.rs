use std::time::Duration;

use super::scene::{Scene, write};
use crate::support::Random;

const ROWS: u64 = 60_000;
const KILLS: u64 = 10;
/// Until everything is on the topic.
const ALL_MAX: Duration = Duration::from_secs(120);

#[test]
fn ten_kills_at_random_moments_repeat_nothing_and_show_no_part() {
    let mut random = Random::new();
    let scene = Scene::new("eos-kills");
    let mut sql = scene.outbox.sql();
    let mut followed = scene.outbox.follow();
    let started = scene.outbox.start().ready();
    let outflow = std::thread::scope(|threads| {
        let (outbox, mut outflow) = (&scene.outbox, started);
        threads.spawn(|| write(outbox, ROWS, &mut Random::new()));
        for kill in 1..=KILLS {
            // Each kill falls somewhere into its share of the rows.
            let at = (kill - 1) * ROWS / KILLS + 1 + random.below(ROWS / KILLS - 1);
            followed.until(usize::try_from(at).unwrap(), ALL_MAX);
            std::thread::sleep(Duration::from_millis(random.below(100)));
            outflow.kill();
            if random.chance(50) {
                scene.fence();
                scene.is_whole();
            }
            if random.chance(20) {
                std::fs::remove_dir_all(outbox.scratch.path("data")).unwrap();
            }
            outflow = outbox.start();
            outflow = if random.chance(50) { outflow.ready() } else { outflow };
        }
        outflow
    });
    followed.until(usize::try_from(ROWS).unwrap(), ALL_MAX);
    assert_eq!(outflow.ready().stop(), 0);
    scene.outbox.catch_up();
    followed.compare_once(&mut sql);
    scene.is_whole();
}

#[test]
fn a_stop_commits_the_transaction_that_is_being_read() {
    let scene = Scene::new("eos-stop");
    let mut sql = scene.outbox.sql();
    let mut followed = scene.outbox.follow();
    for round in 0..5 {
        let outflow = scene.outbox.start().ready();
        let first = round * 3_000 + 1;
        sql.run(&super::insert(first, 3_000, 11));
        std::thread::sleep(Duration::from_millis(round * 20));
        assert_eq!(outflow.stop(), 0);
    }
    scene.outbox.catch_up();
    followed.until(15_000, ALL_MAX);
    followed.compare_once(&mut sql);
    scene.is_whole();
}
