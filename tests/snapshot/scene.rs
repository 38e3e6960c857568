use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::support::{Follower, Kafka, MySql, MySqlServer, Outbox, Outflow, Random, Repeat, until};

/// Until everything is on the topic.
pub(super) const ALL_MAX: Duration = Duration::from_secs(120);
/// Until a start has read how far the snapshot had come.
const GOES_ON_MAX: Duration = Duration::from_secs(30);
/// What a start says that goes on with a snapshot.
pub(super) const GOES_ON: &str = "going on with the snapshot that was interrupted";
/// Each table's ids begin at a multiple of this.
const IDS: u64 = 10_000_000;
/// The columns that the router reads.
const ROUTED: &str = "id BIGINT UNSIGNED NOT NULL, aggregatetype VARCHAR(255) NOT NULL, \
                      aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON";

/// How a table's rows are told apart.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    /// By the id, which rises.
    Id,
    /// By a text in a collation that orders it otherwise than bytes, and a number that falls.
    TextAndNumber,
    /// By bytes in no order.
    Bytes,
    /// By dates and times.
    Moments,
    /// Not at all.
    None,
}

/// What writes rows while the topic is followed.
pub(super) struct Writer {
    server: MySqlServer,
    schema: String,
    keys: Vec<Key>,
}

/// Outboxes with different keys, read in this order into one topic.
pub(super) struct Scene {
    pub(super) outbox: Outbox,
    keys: Vec<Key>,
    pub(super) followed: Follower,
}

impl Scene {
    pub(super) fn new(name: &str, keys: &[Key]) -> Self {
        Self::on(Outbox::new(name), keys)
    }

    pub(super) fn on(outbox: Outbox, keys: &[Key]) -> Self {
        let mut sql = outbox.sql();
        let mut tables = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            let columns = match key {
                Key::Id => format!("{ROUTED}, PRIMARY KEY (id)"),
                Key::TextAndNumber => format!(
                    "tenant VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, n INT, {ROUTED}, PRIMARY KEY (tenant, n), KEY (id)"
                ),
                Key::Bytes => format!("k BINARY(16), {ROUTED}, PRIMARY KEY (k), KEY (id)"),
                Key::Moments => format!(
                    "y YEAR, d DATE, t TIME(2), s TIMESTAMP(3), m DATETIME(6), {ROUTED}, \
                     PRIMARY KEY (y, d, t, s, m), KEY (id)"
                ),
                Key::None => format!("{ROUTED}, KEY (id)"),
            };
            sql.run(&format!("CREATE TABLE outbox_{index} ({columns})"));
            tables.push(format!("{}.outbox_{index}", outbox.schema));
        }
        let outbox =
            outbox.with("snapshot.mode", "initial").with("table.include.list", &tables.join(","));
        let followed = outbox.follow();
        Self { outbox, keys: keys.to_vec(), followed }
    }

    /// The ids of so many rows in each table.
    pub(super) fn ids(&self, numbers: Range<u64>) -> BTreeSet<u64> {
        let tables = 0..u64::try_from(self.keys.len()).unwrap();
        tables.flat_map(|table| numbers.clone().map(move |n| table * IDS + n)).collect()
    }

    /// Inserts these rows into each table.
    pub(super) fn fill(&self, numbers: Range<u64>) {
        let mut sql = self.outbox.sql();
        for first in numbers.clone().step_by(1_000) {
            for table in 0..self.keys.len() {
                sql.run(&self.insert(table, first..(first + 1_000).min(numbers.end)));
            }
        }
    }

    /// What writes rows while the topic is followed.
    pub(super) fn writer(&self) -> Writer {
        let (server, schema) = (self.outbox.server.clone(), self.outbox.schema.clone());
        Writer { server, schema, keys: self.keys.clone() }
    }

    /// A statement that inserts these rows into a table.
    pub(super) fn insert(&self, table: usize, numbers: Range<u64>) -> String {
        insert(self.keys[table], table, numbers)
    }

    /// Starts it again, to go on with the snapshot.
    #[track_caller]
    pub(super) fn goes_on(&self) -> Outflow {
        let mut outflow = self.outbox.start();
        outflow.logs(GOES_ON, GOES_ON_MAX);
        outflow
    }

    /// Whether a start goes on with the snapshot, or finds that it has ended.
    #[track_caller]
    pub(super) fn does_go_on(&self, outflow: &Outflow) -> bool {
        let (mut log, streams) = (String::new(), "streaming connector=");
        until("a start", GOES_ON_MAX, || {
            log = outflow.log();
            log.contains(GOES_ON) || log.contains(streams)
        });
        log.contains(GOES_ON)
    }

    /// Waits until so many events were published.
    #[track_caller]
    pub(super) fn until(&mut self, count: usize) {
        self.followed.until(count, ALL_MAX);
    }

    /// Every one of these is on the topic, nothing else is; what is there more than once.
    #[track_caller]
    pub(super) fn compare(&self, expected: &BTreeSet<u64>) -> Vec<Repeat> {
        let kafka = Kafka::connect(&self.outbox.broker.bootstrap_servers);
        let (mut last_ms, mut repeats) = (HashMap::new(), Vec::new());
        for record in kafka.read_topic(&self.outbox.topic) {
            let id = record.header("id").expect("a header id").parse().unwrap();
            if let Some(sent_ms) = last_ms.insert(id, record.timestamp_ms) {
                repeats.push(Repeat { id, sent_ms, again_ms: record.timestamp_ms });
            }
        }
        let found: BTreeSet<u64> = last_ms.into_keys().collect();
        let missing: Vec<_> = expected.difference(&found).take(10).collect();
        assert!(
            missing.is_empty(),
            "{} of {} are there, not {missing:?} …",
            found.len(),
            expected.len()
        );
        let surplus: Vec<_> = found.difference(expected).take(10).collect();
        assert!(surplus.is_empty(), "published and not expected: {surplus:?} …");
        repeats
    }

    /// The same; nothing may be there twice.
    #[track_caller]
    pub(super) fn compare_once(&self, expected: &BTreeSet<u64>) {
        let repeats = self.compare(expected);
        assert!(repeats.is_empty(), "{} events twice, such as {:?}", repeats.len(), repeats[0]);
    }
}

/// A row's event id.
pub(super) fn id(table: usize, n: u64) -> u64 {
    u64::try_from(table).unwrap() * IDS + n
}

/// Inserts, updates and deletes rows in all tables from number `first` on until it is told to end; the ids of all
/// that was ever inserted. Rows before `first` are updated at most.
pub(super) fn write(
    writer: &Writer,
    mut random: Random,
    first: u64,
    end: &AtomicBool,
) -> BTreeSet<u64> {
    let mut sql = writer.server.connect();
    sql.run(&format!("USE {}", writer.schema));
    let (mut written, mut next) = (BTreeSet::new(), first);
    while !end.load(Ordering::Relaxed) {
        let table = usize::try_from(random.below(writer.keys.len().try_into().unwrap())).unwrap();
        let count = 1 + random.below(8);
        let insert = insert(writer.keys[table], table, next..next + count);
        let deleted = first + random.below(next + count - first);
        let delete = format!("DELETE FROM outbox_{table} WHERE id = {}", id(table, deleted));
        let update = format!(
            "UPDATE outbox_{table} SET payload = '{{}}' WHERE id = {}",
            id(table, 1 + random.below(next))
        );
        sql.run(&format!("START TRANSACTION; {insert}"));
        if random.chance(50) {
            sql.run(&delete);
        }
        if random.chance(20) {
            sql.run(&update);
        }
        if random.chance(10) {
            sql.run("ROLLBACK");
        } else {
            sql.run("COMMIT");
            written.extend((next..next + count).map(|n| id(table, n)));
        }
        next += count;
        breathe(&mut sql);
    }
    written
}

/// The server's own pause, so that there are moments without a transaction.
fn breathe(sql: &mut MySql) {
    sql.run("DO SLEEP(0.005)");
}

fn insert(key: Key, table: usize, numbers: Range<u64>) -> String {
    let start = numbers.start;
    let mut statement = format!("INSERT INTO outbox_{table} VALUES ");
    for n in numbers {
        let id = id(table, n);
        let key = match key {
            Key::Id | Key::None => String::new(),
            // Letters of one base letter in some order, and both cases.
            Key::TextAndNumber => {
                let letters = ["é", "Z", "e", "ß", "E", "a", r"o\'\\"];
                let letter = letters[usize::try_from(n % 7).unwrap()];
                format!("'{letter}{}',-{n},", n % 30)
            }
            Key::Bytes => format!("UNHEX(LEFT(SHA2('{n}', 256), 32)),"),
            Key::Moments => format!(
                "{},'1969-12-{}','0{}:00:00.25','2026-01-02 03:04:{}.125',\
                 TIMESTAMP'1970-01-01 00:00:00' + INTERVAL {n}000001 - 4000000000 MICROSECOND,",
                2_000 + n % 3,
                20 + n % 7,
                n % 5,
                10 + n % 11
            ),
        };
        let comma = if n == start { "" } else { "," };
        write!(statement, "{comma}({key}{id},'Order','key-{}','T','{{\"n\":{n}}}')", n % 50)
            .unwrap();
    }
    statement
}
