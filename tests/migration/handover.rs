use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::cli::run;
use crate::support::Connect;
use crate::support::{Follower, MySql, Outbox, Outflow, Random};

/// One worker serves these tests, and one of them kills it.
static WORKER: Mutex<()> = Mutex::new(());

const KEYS: u64 = 13;
/// Until rows that were committed are on the topic, with Debezium on a busy machine.
const PUBLISHED_MAX: Duration = Duration::from_secs(60);
/// The pause between transactions.
const PACE: Duration = Duration::from_millis(15);
/// Rows that each reader publishes before the next one takes over.
const SHARE: usize = 3_000;

/// An outbox that Debezium and outflow can both read, from the same file.
fn outbox(name: &str) -> Outbox {
    let outbox = Outbox::new(name)
        .with("key.converter", "org.apache.kafka.connect.storage.StringConverter")
        .with("value.converter", "org.apache.kafka.connect.storage.StringConverter")
        .with("snapshot.locking.mode", "none");
    let servers = outbox.broker.bootstrap_servers.clone();
    let history = format!("{}.history", outbox.topic);
    let user = outbox.schema.clone();
    outbox.sql().run(&format!(
        "CREATE USER {user}@'%' IDENTIFIED BY 'dbz_pass';
         GRANT REPLICATION SLAVE, REPLICATION CLIENT, SELECT ON *.* TO {user}@'%'"
    ));
    outbox
        .with("database.user", &user)
        .with("schema.history.internal.kafka.bootstrap.servers", &servers)
        .with("schema.history.internal.kafka.topic", &history)
}

/// Commits transactions of all kinds until it is told to stop.
struct Writer {
    over: Arc<AtomicBool>,
    rows: Arc<AtomicU64>,
    thread: JoinHandle<()>,
}

impl Writer {
    fn start(outbox: &Outbox) -> Self {
        let (over, rows) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut sql = outbox.sql();
        sql.run("CREATE TABLE IF NOT EXISTS other (id BIGINT PRIMARY KEY)");
        let thread = std::thread::spawn({
            let (over, rows) = (Arc::clone(&over), Arc::clone(&rows));
            move || {
                let mut random = Random::new();
                while !over.load(Ordering::Relaxed) {
                    let first = rows.load(Ordering::Relaxed) + 1;
                    let next = transaction(&mut sql, first, &mut random);
                    rows.store(next - 1, Ordering::Relaxed);
                    std::thread::sleep(PACE); // Debezium shall keep up, also on a busy machine.
                }
            }
        });
        Self { over, rows, thread }
    }

    /// How many rows were committed, once it has stopped.
    fn stop(self) -> usize {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
        usize::try_from(self.rows.load(Ordering::Relaxed)).unwrap()
    }
}

/// One transaction with rows from `first` on: some statements of some rows, another table's between them, now and
/// then compressed, now and then rolled back. Gives the next free id.
fn transaction(sql: &mut MySql, first: u64, random: &mut Random) -> u64 {
    let compressed = u8::from(random.below(4) == 0);
    sql.run(&format!(
        "SET SESSION binlog_transaction_compression = {compressed}; START TRANSACTION"
    ));
    let mut next = first;
    for _ in 0..=random.below(4) {
        let end = next + 1 + random.below(60);
        sql.run(&Outbox::insert(next..end, KEYS));
        sql.run(&format!("REPLACE INTO other VALUES ({})", random.below(100)));
        next = end;
    }
    if random.below(10) == 0 {
        sql.run("ROLLBACK");
        return first;
    }
    sql.run("COMMIT");
    next
}

/// Starts outflow as the worker's operator would.
fn take_over(outbox: &Outbox) -> Outflow {
    let worker = Connect::worker_file();
    outbox.start_with(&["--worker", worker.to_str().unwrap()]).ready()
}

/// Runs `outflow offsets` on the outbox's folder with the worker's file.
fn offsets(outbox: &Outbox, action: &str, option: &str) {
    let (file, data_dir, worker) =
        (outbox.file(), outbox.scratch.path("data"), Connect::worker_file());
    let (code, _, errors) = run(&[
        "offsets",
        action,
        file.to_str().unwrap(),
        "--data-dir",
        data_dir.to_str().unwrap(),
        "--worker",
        worker.to_str().unwrap(),
        option,
    ]);
    assert_eq!(code, 0, "{errors}");
}

fn publish_a_share(followed: &mut Follower) {
    let seen = followed.seen();
    followed.until(seen + SHARE, PUBLISHED_MAX);
}

#[test]
fn a_clean_handover_under_load_misses_and_repeats_nothing_in_either_direction() {
    let _alone = WORKER.lock().unwrap_or_else(PoisonError::into_inner);
    let outbox = outbox("handover");
    let mut followed = outbox.follow();
    let connect = Connect::started();
    connect.create(&outbox);
    let writer = Writer::start(&outbox);
    publish_a_share(&mut followed);
    for round in 0..2 {
        connect.stop_connector(&outbox);
        if round > 0 {
            offsets(&outbox, "import", "--from-topic");
        }
        let outflow = take_over(&outbox);
        assert_eq!(outflow.log().contains("taking over the offset"), round == 0);
        publish_a_share(&mut followed);
        assert_eq!(outflow.stop(), 0);
        offsets(&outbox, "export", "--to-topic");
        connect.resume_connector(&outbox);
        publish_a_share(&mut followed);
    }
    let rows = writer.stop();
    followed.until(rows, PUBLISHED_MAX);
    connect.delete(&outbox);
    followed.compare_once(&mut outbox.sql());
}

#[test]
fn debezium_begins_a_snapshot_anew_that_outflow_had_not_ended() {
    const ROWS: u64 = 60_000;
    let _alone = WORKER.lock().unwrap_or_else(PoisonError::into_inner);
    let outbox = outbox("half").with("snapshot.mode", "initial");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    for first in (1..=ROWS).step_by(1_000) {
        sql.run(&Outbox::insert(first..first + 1_000, KEYS));
    }
    let connect = Connect::started();
    let worker = Connect::worker_file();
    let outflow = outbox.start_with(&["--worker", worker.to_str().unwrap()]);
    followed.until(1_000, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    let progress = outbox.stored()["outflow_snapshot"].clone();
    assert!(progress.to_string().contains("key"), "a snapshot in its course: {progress}");
    offsets(&outbox, "export", "--to-topic");
    connect.create(&outbox);
    followed.until(usize::try_from(ROWS).unwrap(), PUBLISHED_MAX);
    connect.until_stored(&outbox);
    connect.delete(&outbox);
    let repeats = followed.compare(&mut sql).len();
    assert!(repeats >= 1_000, "{repeats} of outflow's events were published again");
}

#[test]
fn after_a_killed_debezium_nothing_is_missing() {
    let _alone = WORKER.lock().unwrap_or_else(PoisonError::into_inner);
    let outbox = outbox("killed");
    let mut followed = outbox.follow();
    let connect = Connect::started();
    connect.create(&outbox);
    let writer = Writer::start(&outbox);
    publish_a_share(&mut followed);
    connect.until_stored(&outbox);
    connect.kill();
    let outflow = take_over(&outbox);
    publish_a_share(&mut followed);
    let rows = writer.stop();
    followed.until(rows, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    let repeats = followed.compare(&mut outbox.sql());
    eprintln!("{} of {rows} events repeated", repeats.len());
    outbox.catch_up();
    assert_eq!(followed.compare(&mut outbox.sql()).len(), repeats.len(), "outflow repeats none");
    let connect = Connect::started();
    connect.delete(&outbox);
    connect.stop();
}
