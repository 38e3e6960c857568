//! What is both in a snapshot and in the log.
//!
//! A snapshot shows what was committed when it was opened, the stream what is committed behind its place. So first the
//! stream is read up to the snapshot: what that lacks is published, what it has is left to it. Then its rows are
//! published, and the stream goes on. The place that is stored meanwhile is always the one to go on from, with another
//! snapshot for the rows that are not published yet.
//!
//! A row that is left to the snapshot may be deleted before one has published it, where that is interrupted. The log
//! then tells of its deletion before the next snapshot, and the row is published as it was.
//!
//! Where the snapshot stands in the log is not known to the transaction, only that it holds certain ones, and none
//! behind `end`. Those between are in it if their rows are. The stream stops at the first that is not; what comes in the
//! log behind that and yet is in the snapshot, as with `binlog_order_commits=OFF`, is told row by row until `end`.

use std::collections::HashMap;
use std::sync::Arc;

use ring::digest::{SHA256, digest};
use tracing::{info, warn};

use super::Failure;
use super::queries::Queries;
use crate::connect::{Cell, RowChange, Value};
use crate::decode::TableLayout;
use crate::offset::{BinlogPosition, Gtid, SnapshotProgress};
use crate::source::{KeyOrder, KeyValue, Part, Snapshot};

/// Rows that are remembered as gone, which are stored with the position: deletions mostly follow at once. Beyond it a
/// row may be published twice.
const GONE_MAX: usize = 1 << 12;

/// The stretch of the log in which a row may be both in the snapshot and in the stream. The snapshot stays
/// open till its end and is asked.
pub(super) struct Overlap {
    snapshot: Option<Snapshot>,
    end: BinlogPosition,
    tables: HashMap<String, PartOfTable>,
    queries: Queries,
    progress: Arc<SnapshotProgress>,
    /// The progress is another than was told last.
    moved: bool,
    /// The rows of the snapshot are not published yet.
    ahead: bool,
    /// The present transaction is in the snapshot.
    is_held: bool,
}

/// What a snapshot is to publish of a table.
pub(super) struct PartOfTable {
    pub(super) layout: TableLayout,
    pub(super) order: Option<KeyOrder>,
    pub(super) part: Part,
}

impl Overlap {
    /// The stream is before a snapshot, of which these parts of tables will be published.
    pub(super) fn ahead(
        snapshot: Snapshot,
        tables: HashMap<String, PartOfTable>,
        progress: Arc<SnapshotProgress>,
        queries: Queries,
    ) -> Self {
        let end = snapshot.overlap_end.clone();
        Self {
            snapshot: Some(snapshot),
            end,
            tables,
            queries,
            progress,
            moved: false,
            ahead: true,
            is_held: false,
        }
    }

    /// How far the snapshot has come, if that is another place than was told last.
    pub(super) fn moved(&mut self) -> Option<Arc<SnapshotProgress>> {
        std::mem::take(&mut self.moved).then(|| Arc::clone(&self.progress))
    }

    /// Whether the rows of the snapshot are still to be published.
    pub(super) fn is_ahead(&self) -> bool {
        self.ahead
    }

    /// The snapshot, whose rows are published now.
    pub(super) fn reach(&mut self) -> Option<&mut Snapshot> {
        self.ahead = false;
        self.snapshot.as_mut()
    }

    /// Whether the stream has passed the end.
    pub(super) fn is_passed(&self, position: &BinlogPosition) -> bool {
        self.end.is_behind(position)
    }

    /// A transaction begins or is gone on with, at `position` where its GTID is not told.
    pub(super) fn begin(&mut self, gtid: Option<Gtid>, position: &BinlogPosition) {
        self.is_held =
            self.snapshot.as_ref().is_some_and(|snapshot| match (&snapshot.gtids, gtid) {
                (Some(gtids), Some(gtid)) => gtids.contains(&gtid),
                _ => position.is_behind(&snapshot.position),
            });
    }

    /// Whether this inserted row is left to the snapshot. A row whose key cannot be asked for counts as not
    /// published: better twice than never.
    pub(super) fn covers(&mut self, table: &str, change: &RowChange<'_>) -> Result<bool, Failure> {
        let Some(PartOfTable { layout, part, .. }) = self.tables.get(table) else {
            return Ok(false);
        };
        if self.is_held && *part == Part::Nothing {
            return Ok(false); // As far as this table goes, the log is gone on with.
        }
        let Some(snapshot) = &mut self.snapshot else { return Ok(false) };
        let key = key_of(layout, change);
        let found = match &key {
            Some(key) => self.queries.wait(snapshot.finds(layout, key, part)),
            None => Ok(None),
        };
        match found {
            Ok(None) if self.ahead && !self.is_held => Err(Failure::SnapshotReached),
            Ok(found) => {
                self.is_held |= found.is_some();
                if let (None, Some(key), true) = (found, &key, self.ahead) {
                    self.remember(number_of(table, key));
                }
                Ok(found == Some(true))
            }
            Err(err) if self.ahead => Err(err.into()),
            Err(err) => {
                warn!(table, error = %err, "the snapshot cannot be asked any more: rows committed while it began may be published twice");
                self.snapshot = None;
                Ok(false)
            }
        }
    }

    /// Whether this row, which is deleted, was left to a snapshot that did not come to it. `is_open` says that the
    /// outcome of the transaction is not known yet.
    pub(super) fn missed(
        &mut self,
        table: &str,
        deleted: &RowChange<'_>,
        is_open: bool,
    ) -> Result<bool, Failure> {
        let Some(PartOfTable { layout, order: Some(order), part }) = self.tables.get(table) else {
            return Ok(false);
        };
        if !self.ahead {
            return Ok(false); // It has published all it was left.
        }
        let key = key_of(layout, deleted);
        let (Some(snapshot), Some(key)) = (&mut self.snapshot, key) else { return Ok(false) };
        if *part == Part::Nothing {
            return Ok(false);
        }
        let number = number_of(table, &key);
        if self.is_held && self.progress.gone.contains(&number) {
            Arc::make_mut(&mut self.progress).gone.remove(&number);
            self.moved = true;
            return Ok(false);
        }
        if !self.is_held || is_open {
            let found = self.queries.wait(snapshot.finds(layout, &key, part))?;
            match found {
                Some(_) if is_open => return Ok(false),
                Some(_) => return Err(Failure::SnapshotReached),
                None => self.is_held = true,
            }
        }
        Ok(match part {
            Part::Nothing => false,
            Part::Whole => true,
            Part::Behind(_) => self.queries.wait(snapshot.would_hold(order, &key, part))?,
        })
    }

    /// A row was published that is gone before the snapshot; what the log says of its deletion is no news then.
    fn remember(&mut self, number: u64) {
        if self.progress.gone.len() < GONE_MAX {
            self.moved |= Arc::make_mut(&mut self.progress).gone.insert(number);
        }
    }

    /// Closes the snapshot.
    pub(super) fn close(self) {
        if let Some(snapshot) = self.snapshot {
            self.queries.wait(snapshot.close());
            info!("the stream has passed the snapshot");
        }
    }
}

/// The primary key of a row, where the server can be asked for it.
fn key_of<'a>(layout: &TableLayout, change: &RowChange<'a>) -> Option<Vec<KeyValue<'a>>> {
    let columns = layout.primary_key.iter().zip(&change.schema.primary_key);
    let key: Option<Vec<KeyValue<'a>>> = columns
        .map(|(&column, &field)| key_value(layout, column, change.cells.get(field)?))
        .collect();
    key.filter(|key| !key.is_empty() && key.len() == layout.primary_key.len())
}

/// A number that stands for a row: so long that two rows hardly ever share one.
fn number_of(table: &str, key: &[KeyValue<'_>]) -> u64 {
    let words: Vec<String> = key.iter().map(|value| value.literal()).collect();
    let digest = digest(&SHA256, format!("{table} {}", words.join(" ")).as_bytes());
    let start = digest.as_ref().first_chunk().copied().unwrap_or_default();
    u64::from_be_bytes(start)
}

/// A key's value as the server knows it, where decoding has not changed its form.
fn key_value<'a>(layout: &TableLayout, column: usize, cell: &Cell<'a>) -> Option<KeyValue<'a>> {
    let column = layout.columns.get(column)?;
    let unsigned = column.column_type.contains("unsigned");
    match (column.data_type.as_str(), cell) {
        ("tinyint" | "smallint" | "mediumint" | "int" | "bigint", Cell::Value(value)) => {
            let number = match *value {
                Value::Int16(number) => number.into(),
                Value::Int32(number) => number.into(),
                Value::Int64(number) => number,
                Value::Decimal(digits) => return Some(KeyValue::Unsigned(digits.parse().ok()?)),
                _ => return None,
            };
            Some(if unsigned {
                KeyValue::Unsigned(number.cast_unsigned())
            } else {
                KeyValue::Signed(number)
            })
        }
        ("char" | "varchar", Cell::Value(Value::String(text))) => Some(KeyValue::Text(text)),
        ("binary" | "varbinary", Cell::Value(Value::Bytes(bytes))) => Some(KeyValue::Bytes(bytes)),
        ("decimal", Cell::Value(Value::Decimal(digits) | Value::String(digits))) => {
            Some(KeyValue::Text(digits))
        }
        _ => None,
    }
}
