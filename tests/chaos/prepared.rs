use std::sync::Mutex;
use std::time::{Duration, Instant};

use mysql_async::Error;

use crate::support::{MySql, Random};

/// No XA transaction of that name.
const XAER_NOTA: u16 = 1397;
/// After a refusal it is tried again so much later.
const AGAIN: Duration = Duration::from_secs(2);
/// What a broken session left prepared is ended so much later.
const LEFT: Duration = Duration::from_secs(5);

/// XA transactions that are prepared, or may be, and when and how they end. Any session ends them.
#[derive(Default)]
pub(super) struct PreparedPool(Mutex<Vec<Entry>>);

struct Entry {
    name: String,
    commits: bool,
    due: Instant,
}

impl PreparedPool {
    /// Adds one; called before it is prepared, since the answer may never arrive.
    pub(super) fn add(&self, name: &str, commits: bool, delay: Duration) {
        let due = Instant::now() + delay;
        self.0.lock().unwrap().push(Entry { name: name.to_owned(), commits, due });
    }

    /// Ends one that is due.
    pub(super) fn end_due(&self, sql: &mut MySql) -> Result<(), Error> {
        let due = {
            let mut entries = self.0.lock().unwrap();
            let at = entries.iter().position(|entry| entry.due <= Instant::now());
            at.map(|at| entries.swap_remove(at))
        };
        let Some(mut entry) = due else { return Ok(()) };
        let verb = if entry.commits { "COMMIT" } else { "ROLLBACK" };
        let ended = sql.try_run(&format!("XA {verb} '{}'", entry.name));
        match &ended {
            Ok(()) => return Ok(()),
            // It never was prepared, or an answer to this very statement was lost.
            Err(Error::Server(err)) if err.code == XAER_NOTA => return Ok(()),
            Err(_) => {}
        }
        entry.due = Instant::now() + AGAIN;
        self.0.lock().unwrap().push(entry);
        ended
    }

    /// Takes up what sessions left behind that broke before they told.
    pub(super) fn adopt(
        &self,
        sql: &mut MySql,
        prefix: &str,
        random: &mut Random,
    ) -> Result<(), Error> {
        for row in sql.try_rows("XA RECOVER")? {
            let name = &row[3];
            let known = self.0.lock().unwrap().iter().any(|entry| entry.name == *name);
            if name.starts_with(prefix) && !known {
                self.add(name, random.chance(50), LEFT);
            }
        }
        Ok(())
    }

    /// Ends all now, and what the server knows beside; how many are left.
    pub(super) fn end_all(&self, sql: &mut MySql, prefix: &str, random: &mut Random) -> usize {
        self.adopt(sql, prefix, random).expect("XA RECOVER");
        let count = self.0.lock().unwrap().len();
        for entry in self.0.lock().unwrap().iter_mut() {
            entry.due = Instant::now();
        }
        for _ in 0..count {
            let _tried_again_later = self.end_due(sql);
        }
        sql.rows("XA RECOVER").iter().filter(|row| row[3].starts_with(prefix)).count()
    }
}
