use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use super::{Kafka, MySql, Offsets, Record};

/// A consumer that got nothing for so long is made anew: the client's own recovery is not what is tested.
const SILENCE_MAX: Duration = Duration::from_secs(5);

/// What a kill may repeat was sent at most so long before it: the pause between checkpoints, a batch of rows, the flush
/// of one checkpoint and the way to the broker and back, on a busy machine.
const WINDOW_MS: i64 = 5_000;

/// Follows a topic while outflow writes to it, and compares it with the table in the end.
pub(crate) struct Follower {
    kafka: Kafka,
    bootstrap_servers: String,
    topic: String,
    next: Offsets,
    seen: HashSet<u64>,
}

/// An event that stands on the topic a second time.
#[derive(Debug)]
pub(crate) struct Repeat {
    pub(crate) id: u64,
    /// When outflow had sent it the time before.
    pub(crate) sent_ms: i64,
    /// When outflow sent it again.
    pub(crate) again_ms: i64,
}

impl Repeat {
    /// Each of these belongs to a kill, and had been sent shortly before it.
    #[track_caller]
    pub(crate) fn check_all(repeats: &[Self], kills_ms: &[i64]) {
        let mut longest = 0;
        for repeat in repeats {
            let kill_ms = kills_ms.iter().rev().find(|&&kill_ms| kill_ms <= repeat.again_ms);
            let kill_ms = kill_ms.unwrap_or_else(|| panic!("{repeat:?} without a kill"));
            let before = kill_ms - repeat.sent_ms;
            assert!(
                (0..=WINDOW_MS).contains(&before),
                "{repeat:?}: sent {before} ms before the kill"
            );
            longest = longest.max(before);
        }
        eprintln!("{} events repeated, sent {longest} ms before a kill at most", repeats.len());
    }
}

impl Follower {
    pub(crate) fn new(bootstrap_servers: &str, topic: &str) -> Self {
        let (kafka, next) = (Kafka::connect(bootstrap_servers), Offsets::new());
        kafka.follow(topic, &next);
        let (bootstrap_servers, topic) = (bootstrap_servers.to_owned(), topic.to_owned());
        Self { kafka, bootstrap_servers, topic, next, seen: HashSet::new() }
    }

    /// How many events were seen.
    pub(crate) fn seen(&self) -> usize {
        self.seen.len()
    }

    /// Follows until so many different events were seen since the beginning.
    #[track_caller]
    pub(crate) fn until(&mut self, count: usize, limit: Duration) {
        let (deadline, mut heard) = (Instant::now() + limit, Instant::now());
        while self.seen.len() < count {
            let seen = self.seen.len();
            assert!(
                Instant::now() < deadline,
                "{seen} of {count} events after {} s",
                limit.as_secs()
            );
            if let Some(record) = self.kafka.poll(Duration::from_millis(20)) {
                heard = Instant::now();
                self.seen.insert(id(&record));
                self.next.insert((record.topic, record.partition), record.kafka_offset + 1);
            } else if heard.elapsed() > SILENCE_MAX {
                heard = Instant::now();
                self.kafka = Kafka::connect(&self.bootstrap_servers);
                self.kafka.follow(&self.topic, &self.next);
            }
        }
    }

    /// Compares the whole topic with the whole table: every row is there, nothing else is, and the first
    /// records of each key are in the order of their ids. Gives what is there more than once.
    #[track_caller]
    pub(crate) fn compare(&self, sql: &mut MySql) -> Vec<Repeat> {
        let records = self.kafka.read_topic(&self.topic);
        let mut committed: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for row in sql.rows("SELECT id, aggregateid FROM outbox ORDER BY id") {
            committed.entry(row[1].clone()).or_default().push(row[0].parse().unwrap());
        }
        let mut published: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut last_ms = HashMap::new();
        let mut repeats = Vec::new();
        for record in &records {
            let (id, again_ms) = (id(record), record.timestamp_ms);
            match last_ms.insert(id, again_ms) {
                Some(sent_ms) => repeats.push(Repeat { id, sent_ms, again_ms }),
                None => published.entry(record.key_text().to_owned()).or_default().push(id),
            }
        }
        for (key, ids) in &committed {
            let found = published.remove(key).unwrap_or_default();
            let differs = ids.iter().zip(&found).position(|(a, b)| a != b);
            let at = differs.unwrap_or(ids.len().min(found.len()));
            assert!(
                *ids == found,
                "key {key}: {} rows committed, {} published; after {at} equal ones {:?} came in place of {:?}",
                ids.len(),
                found.len(),
                found.get(at),
                ids.get(at),
            );
        }
        assert!(published.is_empty(), "published and never committed: {published:?}");
        repeats
    }

    /// Compares topic and table; nothing may be there twice.
    #[track_caller]
    pub(crate) fn compare_once(&self, sql: &mut MySql) {
        let repeats = self.compare(sql);
        assert!(repeats.is_empty(), "{} events twice, such as {:?}", repeats.len(), repeats[0]);
    }
}

/// The row's id: the header that the router writes first.
fn id(record: &Record) -> u64 {
    record.header("id").expect("a header id").parse().unwrap()
}
