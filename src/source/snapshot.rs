//! The rows that are in the captured tables before the stream begins, without locks that others feel.
//!
//! With GTIDs: `gtid_executed` is read before the snapshot is opened. The server adds a transaction to it
//! only after the storage engine has committed it, so all of it is visible in the snapshot, and a stream
//! after it misses nothing.
//!
//! Without GTIDs the end of the log takes that part, but a transaction is in the log before the engine has
//! committed it: one could be before that end and yet not visible. So after the end is read, a locking
//! read passes over every row of the captured tables. An uncommitted row is locked by its transaction, and
//! the read waits for it; once it has passed, all that was in the log before is committed. It needs SELECT
//! only, keeps no lock on rows it has passed (READ COMMITTED, no row matches) and blocks no insert.
//!
//! Either way transactions committed between the start and the snapshot are in both. The stream shows them
//! before `overlap_end`, a position read after the snapshot was opened: till then [`Snapshot::finds`] tells
//! whether a streamed row was already visible.
//! Sources: MySQL 9.7 manual, "Consistent Nonlocking Reads", "Locking Reads", "InnoDB Transaction Isolation
//! Levels"; the order of binary log and engine commit is that of the server's group commit.

use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use mysql_async::{QueryResult, TextProtocol, Value};

use super::SourceError;
use super::key_order::KeyOrder;
use super::layout::quoted;
use super::server::{gtid_set, position};
use super::sql::Sql;
use crate::config::SourceConfig;
use crate::decode::TableLayout;
use crate::offset::{BinlogPosition, GtidSet};

const DOING: &str = "reading the snapshot";
/// How long the server may take to produce the next row.
const ROW_TIMEOUT: Duration = Duration::from_secs(600);
/// Bytes after which [`Snapshot::next_rows`] returns with fewer rows than asked for.
const BATCH_BYTES: usize = 4 << 20;
/// How long transactions may hold rows before a snapshot without GTIDs is given up for now.
const QUIET_TIMEOUT: Duration = Duration::from_secs(300);
/// Seconds that one locking read waits for a row.
const LOCK_WAIT_S: u32 = 5;
/// Error of a lock that was waited for in vain.
const LOCK_WAIT_TIMEOUT: u16 = 1205;
/// Errors of a column, a table or a key that is gone since the snapshot was opened.
const GONE: [u16; 3] = [1054, 1146, 1176];
/// Behind it the session holds no table: one that was read or asked about may be altered.
const TABLES_FREE: &str = "ROLLBACK TO SAVEPOINT tables_free";

/// A row's values as MySQL writes them as text, in the order of the select list.
pub type SnapshotRow = Vec<Option<Vec<u8>>>;

/// A value of a primary key, to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyValue<'a> {
    /// A signed number.
    Signed(i64),
    /// An unsigned number.
    Unsigned(u64),
    /// Text, or a decimal.
    Text(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// A date, in days since the epoch.
    Days(i64),
    /// A date and time, in microseconds since the epoch.
    Moment(i64),
    /// An instant in UTC, as ISO 8601 writes it.
    Instant(&'a str),
    /// A time, in microseconds.
    Time(i64),
}

/// Which of a table's rows a snapshot is to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// None of them.
    Nothing,
    /// All of them.
    Whole,
    /// Those that fulfil a condition, as [`KeyOrder::behind`] gives it.
    Behind(String),
}

impl Part {
    fn condition(&self) -> &str {
        match self {
            Self::Nothing => "0",
            Self::Whole => "1",
            Self::Behind(condition) => condition,
        }
    }
}

impl KeyValue<'_> {
    /// A literal that no SQL mode reads otherwise.
    #[must_use]
    pub fn literal(self) -> String {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        match self {
            Self::Signed(number) => number.to_string(),
            Self::Unsigned(number) => number.to_string(),
            Self::Text(text) => format!("_utf8mb4 x'{}'", hex(text.as_bytes())),
            Self::Bytes(bytes) => format!("_binary x'{}'", hex(bytes)),
            Self::Days(days) => format!("DATE'1970-01-01' + INTERVAL {days} DAY"),
            Self::Moment(micros) => {
                format!("TIMESTAMP'1970-01-01 00:00:00' + INTERVAL {micros} MICROSECOND")
            }
            Self::Instant(text) => {
                format!("TIMESTAMP'{}'", text.trim_end_matches('Z').replace('T', " "))
            }
            Self::Time(micros) => {
                let sign = if micros < 0 { "-" } else { "" };
                let micros = micros.unsigned_abs();
                format!("SEC_TO_TIME({sign}{}.{:06})", micros / 1_000_000, micros % 1_000_000)
            }
        }
    }
}

/// An open consistent snapshot.
#[derive(Debug)]
pub struct Snapshot {
    sql: Sql,
    /// The end of the log before the snapshot was opened.
    pub position: BinlogPosition,
    /// The transactions that the snapshot is sure to hold; `None` on a server without GTIDs.
    pub gtids: Option<GtidSet>,
    /// Beyond this place no streamed row can be in the snapshot.
    pub overlap_end: BinlogPosition,
    /// Where each column is among those of the query that is read; nowhere where it does not give it.
    places: Vec<Option<usize>>,
}

impl Snapshot {
    /// Connects to `host` and opens a snapshot of `tables`.
    ///
    /// # Errors
    /// When a query fails, or transactions hold rows of the tables for too long on a server without GTIDs.
    pub async fn open(
        config: &SourceConfig,
        host: &str,
        with_gtids: bool,
        tables: &[TableLayout],
    ) -> Result<Self, SourceError> {
        let mut sql = Sql::connect(config, host).await?;
        let gtids = if with_gtids {
            Some(gtid_set(&mut sql, "SELECT @@global.gtid_executed").await?)
        } else {
            None
        };
        let place = position(&mut sql).await?;
        if !with_gtids {
            wait_for_commits(&mut sql, tables).await?;
        }
        sql.run("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", DOING).await?;
        sql.run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY", DOING).await?;
        sql.run("SAVEPOINT tables_free", DOING).await?;
        let overlap_end = position(&mut sql).await?;
        Ok(Self { sql, position: place, gtids, overlap_end, places: Vec::new() })
    }

    /// Begins to read these columns of a part of a table in the order of its primary key, the key's values in `order`
    /// behind them, or of the rows that `query` gives in its place, whose columns count by their names; what is left
    /// of one before is dropped.
    ///
    /// # Errors
    /// When the query fails.
    pub async fn read_table(
        &mut self,
        table: &TableLayout,
        columns: &[&str],
        (part, order): (&Part, Option<&KeyOrder>),
        query: Option<&str>,
    ) -> Result<(), SourceError> {
        self.sql.run(TABLES_FREE, DOING).await?;
        let text = query.map_or_else(|| select(table, columns, part, order), str::to_owned);
        let result = tokio::time::timeout(ROW_TIMEOUT, self.sql.conn.query_iter(text)).await;
        // The rows stay with the connection.
        let names = result.map(|result| result.map(|rows| names_of(&rows)));
        let names = self.sql.checked(names, DOING);
        let names = if query.is_none() { names.map_err(altered)? } else { names? };
        let place = |column: &&str| {
            let column = column.to_lowercase();
            names.iter().position(|name| name.to_lowercase() == column)
        };
        self.places = match query {
            Some(_) => columns.iter().map(place).collect(),
            None => (0..names.len()).map(Some).collect(),
        };
        Ok(())
    }

    /// Up to `rows_max` further rows of the table, fewer where they are large; none at its end. Rows come off
    /// the socket as they are asked for.
    ///
    /// # Errors
    /// When the connection is lost or the server reports an error.
    pub async fn next_rows(&mut self, rows_max: usize) -> Result<Vec<SnapshotRow>, SourceError> {
        let mut rows = Vec::new();
        let mut bytes = 0;
        while rows.len() < rows_max && bytes < BATCH_BYTES {
            let mut result = QueryResult::<TextProtocol>::new(&mut self.sql.conn);
            let next = tokio::time::timeout(ROW_TIMEOUT, result.next()).await;
            let Some(row) = self.sql.checked(next, DOING)? else { break };
            let row: Option<SnapshotRow> = row.unwrap().into_iter().map(text_of).collect();
            let mut row = row.ok_or(SourceError::Answer("a snapshot's query"))?;
            let mut take = |place: &Option<usize>| row.get_mut((*place)?)?.take();
            let row: SnapshotRow = self.places.iter().map(&mut take).collect();
            bytes += row.iter().flatten().map(Vec::len).sum::<usize>();
            rows.push(row);
        }
        Ok(rows)
    }

    /// Whether a row with this primary key is visible in the snapshot, and if so, whether it is in this part of the
    /// table. A table without one answers no, as does a key of which something is missing: better a row twice than
    /// none.
    ///
    /// # Errors
    /// When the query fails.
    pub async fn finds(
        &mut self,
        table: &TableLayout,
        key: &[KeyValue<'_>],
        part: &Part,
    ) -> Result<Option<bool>, SourceError> {
        let columns: Vec<&str> = key_columns(table).collect();
        if columns.is_empty() || columns.len() != key.len() {
            return Ok(None);
        }
        let terms = columns.iter().zip(key);
        let terms: Vec<String> = terms
            .map(|(column, value)| format!("{} = {}", quoted(column), value.literal()))
            .collect();
        let (name, terms) = (name_of(table), terms.join(" AND "));
        let condition = part.condition();
        let query = format!("SELECT {condition} FROM {name} WHERE {terms} LIMIT 1; {TABLES_FREE}");
        let found = self.sql.text(&query, DOING).await.map_err(altered)?;
        Ok(found.map(|found| found == "1"))
    }

    /// Whether a row with this key would be in this part of the table, whether it is there or not.
    ///
    /// # Errors
    /// When the query fails.
    pub async fn would_hold(
        &mut self,
        order: &KeyOrder,
        key: &[KeyValue<'_>],
        part: &Part,
    ) -> Result<bool, SourceError> {
        let row = order.row(key).join(", ");
        let query = format!("SELECT {} FROM (SELECT {row}) AS key_row", part.condition());
        Ok(self.sql.text(&query, DOING).await?.is_some_and(|found| found == "1"))
    }

    /// Closes the snapshot.
    pub async fn close(self) {
        self.sql.close().await;
    }
}

fn select(table: &TableLayout, columns: &[&str], part: &Part, order: Option<&KeyOrder>) -> String {
    let selected = columns.iter().copied().map(quoted);
    let selected: Vec<String> = selected.chain(order.iter().flat_map(|o| o.selected())).collect();
    let key: Vec<String> = key_columns(table).map(quoted).collect();
    let by = if key.is_empty() { String::new() } else { format!(" ORDER BY {}", key.join(", ")) };
    let (selected, name) = (selected.join(", "), name_of(table));
    format!("SELECT {selected} FROM {name} WHERE {}{by}", part.condition())
}

fn name_of(table: &TableLayout) -> String {
    format!("{}.{}", quoted(&table.database), quoted(&table.table))
}

fn key_columns(table: &TableLayout) -> impl Iterator<Item = &str> {
    let columns = table.primary_key.iter().filter_map(|index| table.columns.get(*index));
    columns.map(|column| column.name.as_str())
}

fn names_of(rows: &QueryResult<'_, '_, TextProtocol>) -> Vec<String> {
    rows.columns_ref().iter().map(|column| column.name_str().into_owned()).collect()
}

/// In the text protocol every value is bytes or NULL.
fn text_of(value: Value) -> Option<Option<Vec<u8>>> {
    match value {
        Value::NULL => Some(None),
        Value::Bytes(bytes) => Some(Some(bytes)),
        _ => None,
    }
}

/// Waits until all transactions that are in the log so far and touch these tables are committed.
async fn wait_for_commits(sql: &mut Sql, tables: &[TableLayout]) -> Result<(), SourceError> {
    let deadline = Instant::now() + QUIET_TIMEOUT;
    sql.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", DOING).await?;
    sql.run(&format!("SET SESSION innodb_lock_wait_timeout = {LOCK_WAIT_S}"), DOING).await?;
    for table in tables {
        // By the primary key where there is one: every row is in it. The condition holds for no row, and
        // the server cannot know that.
        let force = if table.primary_key.is_empty() { "" } else { " FORCE INDEX (PRIMARY)" };
        let query =
            format!("SELECT 1 FROM {}{force} WHERE RAND() < 0 LOCK IN SHARE MODE", name_of(table));
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let result = tokio::time::timeout(left, sql.conn.query_drop(&query)).await;
            if result.is_err() {
                return Err(SourceError::NeverQuiet(QUIET_TIMEOUT));
            }
            match sql.checked(result, DOING) {
                Ok(()) => break,
                Err(SourceError::Server { code: LOCK_WAIT_TIMEOUT, .. }) => {}
                Err(error) => return Err(altered(error)),
            }
        }
    }
    Ok(())
}

/// What a query of our own cannot find was there when the layouts were read.
fn altered(error: SourceError) -> SourceError {
    match error {
        SourceError::Server { code, message, .. } if GONE.contains(&code) => {
            SourceError::Altered(message)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_cannot_be_misread() {
        assert_eq!(KeyValue::Signed(-5).literal(), "-5");
        assert_eq!(KeyValue::Unsigned(u64::MAX).literal(), "18446744073709551615");
        assert_eq!(KeyValue::Text("a'\\").literal(), "_utf8mb4 x'61275c'");
        assert_eq!(KeyValue::Bytes(&[0, 0xff]).literal(), "_binary x'00ff'");
        assert_eq!(KeyValue::Days(-1).literal(), "DATE'1970-01-01' + INTERVAL -1 DAY");
        assert_eq!(
            KeyValue::Instant("2026-01-02T03:04:05.600Z").literal(),
            "TIMESTAMP'2026-01-02 03:04:05.600'"
        );
        assert_eq!(KeyValue::Time(-3_723_000_005).literal(), "SEC_TO_TIME(-3723.000005)");
    }
}
