use std::time::Duration;

use crate::support::{Outbox, Random, Repeat, now_ms};

const ROWS: u64 = 100_000;
const KEYS: u64 = 50;
const KILLS: u64 = 10;
/// Until everything is on the topic.
const ALL_MAX: Duration = Duration::from_secs(120);

#[test]
fn ten_kills_at_random_moments_lose_nothing_and_repeat_little() {
    let mut random = Random::new();
    let outbox = Outbox::new("kills");
    let mut sql = outbox.sql();
    let mut followed = outbox.follow();
    let mut outflow = outbox.start().ready();
    let writer = std::thread::spawn({
        let mut sql = outbox.sql();
        let mut sizes = Random::new();
        move || write(&mut sql, &mut sizes)
    });
    let mut kills_ms = Vec::new();
    let mut at = 0;
    for kill in 0..KILLS {
        // Each kill falls somewhere into its share of the rows.
        at = at.max(kill * ROWS / KILLS) + 1 + random.below(ROWS / KILLS - 1);
        at = at.min((kill + 1) * ROWS / KILLS);
        followed.until(usize::try_from(at).unwrap(), ALL_MAX);
        std::thread::sleep(Duration::from_millis(random.below(150)));
        outflow.kill();
        kills_ms.push(now_ms());
        outflow = outbox.start();
        outflow = if random.below(2) == 0 { outflow.ready() } else { outflow };
    }
    writer.join().unwrap();
    followed.until(usize::try_from(ROWS).unwrap(), ALL_MAX);
    assert_eq!(outflow.ready().stop(), 0);
    outbox.catch_up();
    let repeats = followed.compare(&mut sql);
    Repeat::check_all(&repeats, &kills_ms);
}

/// Transactions of one to three hundred rows, as fast as the server takes them.
fn write(sql: &mut crate::support::MySql, sizes: &mut Random) {
    let mut first = 1;
    while first <= ROWS {
        let end = (first + 1 + sizes.below(300)).min(ROWS + 1);
        sql.run(&Outbox::insert(first..end, KEYS));
        first = end;
    }
}
