use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use mysql_async::Error;

use super::prepared::PreparedPool;
use super::transaction::{Kind, Rows, TABLES};
use crate::support::{MySql, MySqlServer, Random};

/// The pause between transactions: a few hundred rows a second in all.
const PAUSE_MS: u64 = 60;
/// The pause after a session broke.
const BROKEN: Duration = Duration::from_millis(200);
/// How long a transaction stays prepared.
const PREPARED_MS: u64 = 12_000;
/// How often a transaction of each kind is chosen.
const WEIGHTS: [(u64, Kind); 11] = [
    (40, Kind::Plain),
    (1, Kind::Large),
    (12, Kind::Compressed),
    (8, Kind::RolledBack),
    (8, Kind::Savepoint),
    (8, Kind::Changed),
    (6, Kind::Replaced),
    (4, Kind::XaOnePhase),
    (4, Kind::XaCommitted),
    (3, Kind::XaRolledBack),
    (3, Kind::XaLeft),
];
/// Rows that a table may keep; the oldest go.
const KEPT: u64 = 20_000;

/// Sessions that write all the time; each begins anew where it breaks.
pub(super) struct Writers {
    stop: Arc<AtomicBool>,
    pub(super) prepared: Arc<PreparedPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Writers {
    /// With `tags` some sessions put a tag into their GTIDs.
    pub(super) fn start(
        server: &MySqlServer,
        schema: &str,
        seed: u64,
        count: u64,
        tags: bool,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let prepared = Arc::new(PreparedPool::default());
        let spawn = |number| {
            let mut writer = Writer {
                server: server.clone(),
                schema: schema.to_owned(),
                tags,
                number,
                sequence: 0,
                random: Random::seeded(seed.wrapping_mul(1_000) + number),
                prepared: Arc::clone(&prepared),
                stop: Arc::clone(&stop),
            };
            std::thread::spawn(move || writer.run())
        };
        let threads = (1..=count).map(spawn).collect();
        Self { stop, prepared, threads }
    }

    /// Ends them all.
    pub(super) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().expect("a writer does not panic");
        }
    }
}

impl Drop for Writers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

struct Writer {
    server: MySqlServer,
    schema: String,
    tags: bool,
    number: u64,
    sequence: u64,
    random: Random,
    prepared: Arc<PreparedPool>,
    stop: Arc<AtomicBool>,
}

impl Writer {
    fn run(&mut self) {
        while !self.stop.load(Ordering::Relaxed) {
            if self.session().is_err() {
                std::thread::sleep(BROKEN);
            }
        }
    }

    /// Writes until the session breaks or a statement is refused, which ends the transaction with it.
    fn session(&mut self) -> Result<(), Error> {
        let mut sql = MySql::connect(&self.server)?;
        sql.try_run(&format!("USE {}", self.schema))?;
        if self.tags && self.random.chance(30) {
            sql.try_run("SET SESSION gtid_next = 'AUTOMATIC:chaos'")?;
        }
        self.prepared.adopt(&mut sql, &self.schema, &mut self.random)?;
        while !self.stop.load(Ordering::Relaxed) {
            self.prepared.end_due(&mut sql)?;
            let kind = self.kind();
            match kind {
                Kind::XaOnePhase | Kind::XaCommitted | Kind::XaRolledBack | Kind::XaLeft => {
                    self.xa(&mut sql, kind)?;
                }
                _ => self.plain(&mut sql, kind)?,
            }
            match self.random.below(40) {
                0 => self.trim(&mut sql)?,
                1..=4 => self.elsewhere(&mut sql)?,
                _ => {}
            }
            std::thread::sleep(Duration::from_millis(self.random.below(2 * PAUSE_MS)));
        }
        Ok(())
    }

    fn kind(&mut self) -> Kind {
        let all: u64 = WEIGHTS.iter().map(|(weight, _)| weight).sum();
        let mut at = self.random.below(all);
        for (weight, kind) in WEIGHTS {
            if at < weight {
                return kind;
            }
            at -= weight;
        }
        Kind::Plain
    }

    fn plain(&mut self, sql: &mut MySql, kind: Kind) -> Result<(), Error> {
        let (statements, rows) = match kind {
            Kind::Large => (10, 500),
            Kind::Compressed => (3, 1 + self.random.below(60)),
            Kind::Plain => (1 + self.random.below(3), 1 + self.random.below(12)),
            _ => (2, 1 + self.random.below(12)),
        };
        let compressed = u8::from(kind == Kind::Compressed);
        sql.try_run(&format!("SET SESSION binlog_transaction_compression={compressed}; BEGIN"))?;
        let keys = 1 + self.random.below(6);
        let mut locked = Rows::lock(sql, &mut self.random, self.number, kind, keys)?;
        for _ in 0..statements {
            let ids = locked.insert(sql, &mut self.random, &mut self.sequence, rows)?;
            match kind {
                Kind::Savepoint => {
                    let before = locked.numbers();
                    sql.try_run("SAVEPOINT undone")?;
                    // These have numbers that the next ones take again.
                    locked.insert(sql, &mut self.random, &mut self.sequence, rows)?;
                    sql.try_run("ROLLBACK TO SAVEPOINT undone")?;
                    locked.set_numbers(before);
                }
                Kind::Changed => change(sql, &ids)?,
                Kind::Replaced => replace(sql, &ids)?,
                _ => {}
            }
        }
        locked.close(sql)?;
        sql.try_run(if kind == Kind::RolledBack { "ROLLBACK" } else { "COMMIT" })
    }

    fn xa(&mut self, sql: &mut MySql, kind: Kind) -> Result<(), Error> {
        let name = format!("{}-{}-{}", self.schema, self.number, self.sequence);
        sql.try_run(&format!("XA START '{name}'"))?;
        let mut locked = Rows::lock(sql, &mut self.random, self.number, kind, 1)?;
        let rows = 1 + self.random.below(20);
        locked.insert(sql, &mut self.random, &mut self.sequence, rows)?;
        locked.close(sql)?;
        sql.try_run(&format!("XA END '{name}'"))?;
        match kind {
            Kind::XaOnePhase => sql.try_run(&format!("XA COMMIT '{name}' ONE PHASE")),
            Kind::XaLeft => {
                let delay = Duration::from_millis(1_000 + self.random.below(PREPARED_MS));
                self.prepared.add(&name, self.random.chance(60), delay);
                sql.try_run(&format!("XA PREPARE '{name}'"))
            }
            _ => {
                let verb = if kind == Kind::XaCommitted { "COMMIT" } else { "ROLLBACK" };
                sql.try_run(&format!("XA PREPARE '{name}'"))?;
                sql.try_run(&format!("XA {verb} '{name}'"))
            }
        }
    }

    /// Deletes the oldest rows of a table.
    fn trim(&mut self, sql: &mut MySql) -> Result<(), Error> {
        let table = self.random.pick(&TABLES);
        let count = sql.try_rows(&format!("SELECT COUNT(*) FROM {table}"))?;
        let surplus = count[0][0].parse::<u64>().unwrap().saturating_sub(KEPT);
        sql.try_run(&format!("DELETE FROM {table} ORDER BY id LIMIT {}", surplus.min(5_000)))
    }

    /// Writes to tables that are not captured.
    fn elsewhere(&mut self, sql: &mut MySql) -> Result<(), Error> {
        let id = self.random.below(1_000);
        sql.try_run(&format!(
            "REPLACE INTO noise VALUES ({id}, REPEAT('n', {})); DELETE FROM noise WHERE id = {}",
            self.random.below(60_000),
            self.random.below(1_000)
        ))
    }
}

/// What became of rows within their transaction is no event.
fn change(sql: &mut MySql, ids: &[u64]) -> Result<(), Error> {
    for table in TABLES {
        for (at, id) in ids.iter().enumerate() {
            match at % 3 {
                0 => {
                    sql.try_run(&format!("UPDATE {table} SET type = 'changed' WHERE id = {id}"))?
                }
                1 => sql.try_run(&format!("DELETE FROM {table} WHERE id = {id}"))?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// A row in the place of another is an update, and so no event.
fn replace(sql: &mut MySql, ids: &[u64]) -> Result<(), Error> {
    for table in TABLES {
        let id = ids[0];
        sql.try_run(&format!(
            "REPLACE INTO {table} (id, aggregatetype, aggregateid, type, payload) \
             SELECT id, aggregatetype, aggregateid, 'replaced', payload FROM {table} WHERE id = {id}"
        ))?;
    }
    Ok(())
}
