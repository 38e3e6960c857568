use std::collections::BTreeMap;
use std::fmt::Write;

use mysql_async::Error;

use crate::support::{MySql, Random, now_ms};

/// Keys of all rows; few enough that every one has many writers.
pub(super) const KEYS: u64 = 64;
/// The captured tables.
pub(super) const TABLES: [&str; 2] = ["outbox", "outbox_other"];
/// A longest filler.
const FILLER_MAX: u64 = 400;

/// What kinds of transactions there are, as part of a row's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Plain = 1,
    Large,
    Compressed,
    RolledBack,
    Savepoint,
    Changed,
    Replaced,
    XaOnePhase,
    XaCommitted,
    XaRolledBack,
    XaLeft,
}

impl Kind {
    pub(super) const ALL: [Self; 11] = [
        Self::Plain,
        Self::Large,
        Self::Compressed,
        Self::RolledBack,
        Self::Savepoint,
        Self::Changed,
        Self::Replaced,
        Self::XaOnePhase,
        Self::XaCommitted,
        Self::XaRolledBack,
        Self::XaLeft,
    ];

    /// The kind of a row.
    pub(super) fn of(id: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u64 == id >> 40 & 0xff)
    }
}

/// A row's id tells its writer, its transaction's kind and its number there.
pub(super) fn row_id(writer: u64, kind: Kind, sequence: u64) -> u64 {
    writer << 48 | (kind as u64) << 40 | sequence
}

pub(super) fn key_name(key: u32) -> String {
    format!("key-{key}")
}

pub(super) fn key_of(name: &str) -> Option<u32> {
    name.strip_prefix("key-")?.parse().ok()
}

/// What the column `type` holds of a row.
pub(super) fn type_name(id: u64) -> String {
    format!("Type{id}")
}

/// What the payload is filled with: some rows are long.
pub(super) fn filler(id: u64) -> String {
    let length = id.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let length = if length.is_multiple_of(64) { 8_000 } else { length % FILLER_MAX };
    "f".repeat(usize::try_from(length).unwrap())
}

/// The rows of one transaction as they are inserted; each key's numbers go on from the last committed one. The
/// counters' rows stay locked until the end, so the numbers are in the order of commits.
pub(super) struct Rows {
    writer: u64,
    kind: Kind,
    numbers: BTreeMap<u32, u32>,
    keys: Vec<u32>,
}

impl Rows {
    /// Locks so many keys.
    pub(super) fn lock(
        sql: &mut MySql,
        random: &mut Random,
        writer: u64,
        kind: Kind,
        count: u64,
    ) -> Result<Self, Error> {
        let mut keys: Vec<u32> =
            (0..count).map(|_| u32::try_from(random.below(KEYS)).unwrap()).collect();
        keys.sort_unstable();
        keys.dedup();
        let list: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let query = format!(
            "SELECT k, n FROM counters WHERE k IN ({}) ORDER BY k FOR UPDATE",
            list.join(",")
        );
        let numbers = sql.try_rows(&query)?;
        let numbers = numbers.iter().map(|row| (row[0].parse().unwrap(), row[1].parse().unwrap()));
        Ok(Self { writer, kind, numbers: numbers.collect(), keys })
    }

    /// Inserts so many rows into one of the tables and notes them in the ledger; gives their ids.
    pub(super) fn insert(
        &mut self,
        sql: &mut MySql,
        random: &mut Random,
        sequence: &mut u64,
        count: u64,
    ) -> Result<Vec<u64>, Error> {
        let verb = if self.kind == Kind::Replaced { "REPLACE" } else { "INSERT" };
        let mut rows = format!(
            "{verb} INTO {} (id, aggregatetype, aggregateid, type, payload) VALUES ",
            random.pick(&TABLES)
        );
        let mut ledger = "INSERT INTO ledger VALUES ".to_owned();
        let (mut ids, now_ms) = (Vec::new(), now_ms());
        for index in 0..count {
            *sequence += 1;
            let id = row_id(self.writer, self.kind, *sequence);
            let key = *random.pick(&self.keys);
            let number = self.numbers.get_mut(&key).expect("the key is locked");
            *number += 1;
            let (comma, name, kind) =
                (if index == 0 { "" } else { "," }, key_name(key), type_name(id));
            let filler = filler(id);
            write!(
                rows,
                r#"{comma}({id},'Order','{name}','{kind}','{{"id":{id},"n":{number},"key":"{name}","filler":"{filler}"}}')"#
            )
            .unwrap();
            write!(ledger, "{comma}({id},{key},{number},{now_ms})").unwrap();
            ids.push(id);
        }
        sql.try_run(&rows)?;
        sql.try_run(&ledger)?;
        Ok(ids)
    }

    /// Where the numbers stand, to go back to after a savepoint.
    pub(super) fn numbers(&self) -> BTreeMap<u32, u32> {
        self.numbers.clone()
    }

    pub(super) fn set_numbers(&mut self, numbers: BTreeMap<u32, u32>) {
        self.numbers = numbers;
    }

    /// Writes the numbers back.
    pub(super) fn close(&self, sql: &mut MySql) -> Result<(), Error> {
        let mut statement = "INSERT INTO counters VALUES ".to_owned();
        for (index, (key, number)) in self.numbers.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(statement, "{comma}({key},{number})").unwrap();
        }
        statement.push_str(" AS new ON DUPLICATE KEY UPDATE n = new.n");
        sql.try_run(&statement)
    }
}
