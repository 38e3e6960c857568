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
//! behind `overlap_end`. So those between are looked at before they are read: the first change of a row among them is
//! that the row comes or that it goes, and the snapshot shows whether it has. It stands behind the last transaction that
//! shows so. Those before it are told row by row all the same: with `binlog_order_commits=OFF` it may lack some.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ring::digest::{SHA256, digest};

use super::Failure;
use super::queries::Queries;
use crate::connect::Value;
use crate::decode::{RowImages, TableLayout};
use crate::offset::{BinlogPosition, Gtid, SnapshotProgress};
use crate::source::{KeyOrder, KeyValue, Part, Snapshot};

/// Rows that are remembered as gone, which are stored with the position: deletions mostly follow at once. Beyond it a
/// row may be published twice.
const GONE_MAX: usize = 1 << 12;

/// The stretch of the log before a snapshot, which is open meanwhile and is asked.
pub(super) struct Overlap {
    snapshot: Snapshot,
    tables: HashMap<String, PartOfTable>,
    queries: Queries,
    progress: Arc<SnapshotProgress>,
    /// The progress is another than was told last.
    moved: bool,
    place: Place,
    /// The snapshot is sure to hold the present transaction.
    is_held: bool,
}

/// Where in the log the snapshot stands.
enum Place {
    /// Behind the transactions that it is sure to hold.
    Unknown,
    /// Those that it may hold besides are looked at.
    Sought(Search),
    /// Behind the transaction that begins here.
    Known(BinlogPosition),
}

/// What was found in transactions that the snapshot may hold.
struct Search {
    present: BinlogPosition,
    /// The last one that it holds.
    last: Option<BinlogPosition>,
    /// Rows that came or went, by their numbers.
    changed: HashSet<u64>,
}

/// What a snapshot makes of a changed row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing: it is the log's.
    Log,
    /// It is left to the snapshot.
    Snapshot,
    /// It is deleted and was left to a snapshot that did not come to it.
    Missed,
}

/// What a snapshot is to publish of a table.
pub(super) struct PartOfTable {
    pub(super) layout: TableLayout,
    pub(super) order: Option<KeyOrder>,
    pub(super) part: Part,
}

impl Overlap {
    /// The stream is before a snapshot, of which these parts of tables will be published.
    pub(super) fn new(
        snapshot: Snapshot,
        tables: HashMap<String, PartOfTable>,
        progress: Arc<SnapshotProgress>,
        queries: Queries,
    ) -> Self {
        let (moved, place, is_held) = (false, Place::Unknown, true);
        Self { snapshot, tables, queries, progress, moved, place, is_held }
    }

    /// How far the snapshot has come, if that is another place than was told last.
    pub(super) fn moved(&mut self) -> Option<Arc<SnapshotProgress>> {
        std::mem::take(&mut self.moved).then(|| Arc::clone(&self.progress))
    }

    /// Whether no transaction that begins here can be in the snapshot.
    pub(super) fn is_passed(&self, position: &BinlogPosition) -> bool {
        self.snapshot.overlap_end.is_behind(position)
    }

    /// Whether transactions are only looked at.
    pub(super) fn is_sought(&self) -> bool {
        matches!(self.place, Place::Sought(_))
    }

    /// A transaction begins, at `position` where its GTID is not told.
    pub(super) fn begin(
        &mut self,
        gtid: Option<Gtid>,
        position: BinlogPosition,
    ) -> Result<(), Failure> {
        self.is_held = match (&self.snapshot.gtids, gtid) {
            (Some(gtids), Some(gtid)) => gtids.contains(&gtid),
            _ => position.is_behind(&self.snapshot.position),
        };
        let is_passed = !self.is_held && self.is_passed(&position);
        match &mut self.place {
            _ if is_passed => return Err(Failure::SnapshotReached),
            Place::Sought(search) => search.begin(position, self.is_held),
            _ if self.is_held => {}
            Place::Unknown => {
                let (last, changed) = (None, HashSet::new());
                self.place = Place::Sought(Search { present: position, last, changed });
            }
            Place::Known(last) if position.is_behind(last) => {}
            Place::Known(_) => return Err(Failure::SnapshotReached),
        }
        Ok(())
    }

    /// Looks for this row, of a transaction that the snapshot may hold.
    pub(super) fn seek(&mut self, table: &str, row: &RowImages<'_>) -> Result<(), Failure> {
        let Some(PartOfTable { layout, .. }) = self.tables.get(table) else { return Ok(()) };
        let Place::Sought(search) = &mut self.place else { return Ok(()) };
        let keeps_key = row.before.is_some() && row.after.is_some() && !row.moves();
        for (image, comes) in [(row.before, false), (row.after, true)] {
            let Some(key) = image.filter(|_| !keeps_key).and_then(|i| key_of(layout, i.key)) else {
                continue;
            };
            if search.changed.insert(number_of(table, &key)) && !search.has_found() {
                let found = self.queries.wait(self.snapshot.finds(layout, &key, &Part::Nothing))?;
                search.note(found.is_some() == comes);
            }
        }
        Ok(())
    }

    /// Whether the stream has come to the snapshot; otherwise the log up to it is to be read, and where it stands is known.
    pub(super) fn is_reached(&mut self) -> bool {
        let Place::Sought(Search { last: Some(last), .. }) = &self.place else { return true };
        self.place = Place::Known(last.clone());
        false
    }

    /// The snapshot, whose rows are published now.
    pub(super) fn into_snapshot(self) -> Snapshot {
        self.snapshot
    }

    /// What becomes of a row.
    pub(super) fn tell(&mut self, table: &str, row: &RowImages<'_>) -> Result<Told, Failure> {
        match (row.before, row.after) {
            (Some(before), None) if self.missed(table, before.key)? => Ok(Told::Missed),
            (None, Some(after)) if self.covers(table, after.key)? => Ok(Told::Snapshot),
            (Some(_), Some(after)) if row.moves() && self.covers(table, after.key)? => {
                Ok(Told::Snapshot)
            }
            _ => Ok(Told::Log),
        }
    }

    /// Whether this inserted row is left to the snapshot. A row whose key cannot be asked for counts as not
    /// published: better twice than never.
    fn covers(&mut self, table: &str, key: &[Value<'_>]) -> Result<bool, Failure> {
        let Some(PartOfTable { layout, part, .. }) = self.tables.get(table) else {
            return Ok(false);
        };
        if *part == Part::Nothing {
            return Ok(false); // As far as this table goes, the log is gone on with.
        }
        let Some(key) = key_of(layout, key) else { return Ok(false) };
        let found = self.queries.wait(self.snapshot.finds(layout, &key, part))?;
        let number = number_of(table, &key);
        match found {
            // It was published and is gone before the snapshot; what the log says of its deletion is no news then.
            None => self.note_gone(number, true),
            Some(_) => self.note_gone(number, false),
        }
        Ok(found == Some(true))
    }

    /// Whether this row, which is deleted, was left to a snapshot that did not come to it.
    fn missed(&mut self, table: &str, key: &[Value<'_>]) -> Result<bool, Failure> {
        let Some(PartOfTable { layout, order: Some(order), part }) = self.tables.get(table) else {
            return Ok(false);
        };
        let Some(key) = key_of(layout, key).filter(|_| *part != Part::Nothing) else {
            return Ok(false);
        };
        let number = number_of(table, &key);
        if self.progress.gone.contains(&number) {
            self.note_gone(number, false);
            return Ok(false);
        }
        if !self.is_held && self.queries.wait(self.snapshot.finds(layout, &key, part))?.is_some() {
            return Ok(false); // The snapshot does not hold this transaction after all, and comes to the row.
        }
        Ok(match part {
            Part::Nothing => false,
            Part::Whole => true,
            Part::Behind(_) => self.queries.wait(self.snapshot.would_hold(order, &key, part))?,
        })
    }

    fn note_gone(&mut self, number: u64, is_gone: bool) {
        let gone = &self.progress.gone;
        let has_room = gone.len() < GONE_MAX || !is_gone;
        if gone.contains(&number) != is_gone && has_room {
            let gone = &mut Arc::make_mut(&mut self.progress).gone;
            self.moved = if is_gone { gone.insert(number) } else { gone.remove(&number) };
        }
    }
}

impl Search {
    /// Another transaction begins, which the snapshot is sure to hold or not.
    fn begin(&mut self, position: BinlogPosition, is_held: bool) {
        self.present = position;
        self.note(is_held);
    }

    fn has_found(&self) -> bool {
        self.last.as_ref() == Some(&self.present)
    }

    fn note(&mut self, is_held: bool) {
        if is_held {
            self.last = Some(self.present.clone());
        }
    }
}

/// The primary key of a row, where the server can be asked for it.
fn key_of<'a>(layout: &TableLayout, key: &[Value<'a>]) -> Option<Vec<KeyValue<'a>>> {
    if key.is_empty() || key.len() != layout.primary_key.len() {
        return None;
    }
    let columns = layout.primary_key.iter().zip(key);
    columns.map(|(&column, value)| key_value(layout, column, *value)).collect()
}

/// A number that stands for a row: so long that two rows hardly ever share one.
fn number_of(table: &str, key: &[KeyValue<'_>]) -> u64 {
    let words: Vec<String> = key.iter().map(|value| value.literal()).collect();
    let digest = digest(&SHA256, format!("{table} {}", words.join(" ")).as_bytes());
    let start = digest.as_ref().first_chunk().copied().unwrap_or_default();
    u64::from_be_bytes(start)
}

/// A key's value as the server knows it, from the form that [`Captured::keys`] gives it.
///
/// [`Captured::keys`]: super::tables::Captured::keys
fn key_value<'a>(layout: &TableLayout, column: usize, value: Value<'a>) -> Option<KeyValue<'a>> {
    let column = layout.columns.get(column)?;
    let is_unsigned = column.column_type.contains("unsigned");
    let number = match value {
        Value::Int16(number) => Some(number.into()),
        Value::Int32(number) => Some(number.into()),
        Value::Int64(number) => Some(number),
        _ => None,
    };
    Some(match (column.data_type.as_str(), number, value) {
        ("tinyint" | "smallint" | "mediumint" | "int" | "bigint", Some(number), _)
            if is_unsigned =>
        {
            KeyValue::Unsigned(number.cast_unsigned())
        }
        ("tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year", Some(number), _) => {
            KeyValue::Signed(number)
        }
        ("date", Some(days), _) => KeyValue::Days(days),
        ("datetime", Some(micros), _) => KeyValue::Moment(micros),
        ("time", Some(micros), _) => KeyValue::Time(micros),
        ("timestamp", _, Value::String(text)) => KeyValue::Instant(text),
        ("char" | "varchar", _, Value::String(text)) => KeyValue::Text(text),
        ("binary" | "varbinary", _, Value::Bytes(bytes)) => KeyValue::Bytes(bytes),
        ("decimal", _, Value::Decimal(digits)) => KeyValue::Text(digits),
        _ => return None,
    })
}
