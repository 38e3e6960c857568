use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use mysql_async::Error;

use super::transaction::TABLES;
use crate::support::{MySql, MySqlServer, Random};

/// The pause between statements.
const PAUSE_MS: u64 = 6_000;

/// Alters the captured tables and others all the time.
pub(super) struct Alterer {
    stop: Arc<AtomicBool>,
    altered: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Alterer {
    pub(super) fn start(server: &MySqlServer, schema: &str, seed: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let altered = Arc::new(AtomicUsize::new(0));
        let thread = std::thread::spawn({
            let (stop, altered) = (Arc::clone(&stop), Arc::clone(&altered));
            let (server, schema) = (server.clone(), schema.to_owned());
            let mut random = Random::seeded(seed ^ 0xa17e);
            move || {
                while !stop.load(Ordering::Relaxed) {
                    // It may be refused, or the server may be gone.
                    let done = alter(&server, &schema, &mut random).is_ok();
                    altered.fetch_add(usize::from(done), Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(1_000 + random.below(PAUSE_MS)));
                }
            }
        });
        Self { stop, altered, thread: Some(thread) }
    }

    /// How often it altered a captured table.
    pub(super) fn altered(&self) -> usize {
        self.altered.load(Ordering::Relaxed)
    }
}

impl Drop for Alterer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// One change of a captured table, and one of another. Rows of prepared transactions hold a table, so it may be
/// refused.
pub(super) fn alter(server: &MySqlServer, schema: &str, random: &mut Random) -> Result<(), Error> {
    let mut sql = MySql::connect(server)?;
    sql.try_run(&format!("USE {schema}; SET SESSION lock_wait_timeout = 3"))?;
    let elsewhere = [
        "ALTER TABLE noise ADD COLUMN more INT NULL FIRST, ALGORITHM=INSTANT",
        "ALTER TABLE noise DROP COLUMN more",
        "TRUNCATE noise",
        "CREATE TABLE noise_copy AS SELECT * FROM noise; DROP TABLE noise_copy",
        "CREATE TABLE noise_like LIKE outbox; DROP TABLE noise_like",
        "DROP TABLE IF EXISTS noise_old; CREATE TABLE noise_new LIKE noise; \
         RENAME TABLE noise TO noise_old, noise_new TO noise",
    ];
    let _refused_now_and_then = sql.try_run(random.pick::<&str>(&elsewhere));
    let table = random.pick(&TABLES);
    let found = sql.try_rows(&format!(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = '{schema}' \
         AND table_name = '{table}' ORDER BY ordinal_position"
    ))?;
    let columns: Vec<&str> = found.iter().map(|row| row[0].as_str()).collect();
    let change = change(random, &columns);
    if random.chance(30) {
        cut_over(&mut sql, table, &change)
    } else {
        sql.try_run(&format!("ALTER TABLE {table} {change}"))
    }
}

/// A change of the columns' order, number or types.
fn change(random: &mut Random, columns: &[&str]) -> String {
    let place = |random: &mut Random, but: &str| match random.pick(columns) {
        column if *column == but => "FIRST".to_owned(),
        column => format!("AFTER {column}"),
    };
    match random.below(5) {
        0 | 1 => {
            let column = *random.pick(&["aggregatetype", "aggregateid", "type"]);
            format!("MODIFY {column} VARCHAR(255) NOT NULL {}", place(random, column))
        }
        2 => {
            let kind = *random.pick(&["JSON", "LONGTEXT"]);
            format!("MODIFY payload {kind} {}", place(random, "payload"))
        }
        _ if columns.contains(&"note") => "DROP COLUMN note".to_owned(),
        _ => format!("ADD COLUMN note VARCHAR(20) NULL {}", place(random, "")),
    }
}

/// An online schema change: a copy beside the table takes its place.
fn cut_over(sql: &mut MySql, table: &str, change: &str) -> Result<(), Error> {
    let (copy, old) = (format!("_{table}_gho"), format!("_{table}_del"));
    sql.try_run(&format!("DROP TABLE IF EXISTS {copy}, {old}; CREATE TABLE {copy} LIKE {table}"))?;
    sql.try_run(&format!("ALTER TABLE {copy} {change}"))?;
    let columns = "id, aggregatetype, aggregateid, type, payload";
    sql.try_run(&format!("LOCK TABLES {table} WRITE, {copy} WRITE"))?;
    sql.try_run(&format!("INSERT INTO {copy} ({columns}) SELECT {columns} FROM {table}"))?;
    sql.try_run(&format!("RENAME TABLE {table} TO {old}, {copy} TO {table}"))?;
    sql.try_run(&format!("UNLOCK TABLES; DROP TABLE {old}"))
}
