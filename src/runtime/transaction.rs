use std::sync::Arc;

use super::held::Place;
use crate::checkpoint::{Boundary, CompletedGtids};
use crate::offset::{BinlogPosition, Gtid, Offset, SnapshotProgress};
use crate::route::ChangeSource;
use crate::source::event::{EventHeader, GtidEvent};

/// Where the reader is in the log, and what it knows of the transaction it is in.
///
/// Events are counted as Debezium's offsets count them: from the BEGIN, itself
/// included, every event of the transaction, whichever table it belongs to.
pub(super) struct Transaction {
    file: Arc<str>,
    pos: u64,
    begin_pos: u64,
    /// Where the present event starts.
    event_pos: u64,
    gtid: Option<Gtid>,
    open: bool,
    /// When it was committed, in microseconds since the epoch; 0 for unknown.
    pub(super) commit_us: u64,
    /// When it was committed first, at the server it comes from.
    original_us: u64,
    /// The session that made it.
    thread: Option<u32>,
    may_have_statements: bool,
    events: u64,
    rows: u64,
    ts_sec: u64,
    server_id: u32,
    skip: Option<(u64, u64)>,
    skipping: (u64, u64),
    /// How far the snapshot has come that is still to be gone on with.
    snapshot: Option<Arc<SnapshotProgress>>,
}

impl Transaction {
    /// From here on a restart goes on with the snapshot from another place.
    pub(super) fn note_snapshot(&mut self, progress: Arc<SnapshotProgress>) {
        self.snapshot = Some(progress);
    }

    /// Begins at `offset`; what it counts as handled is skipped once, at the first BEGIN.
    pub(super) fn new(offset: &Offset) -> Self {
        Self {
            file: Arc::from(offset.position.file.as_str()),
            pos: offset.position.pos,
            begin_pos: offset.position.pos,
            event_pos: offset.position.pos,
            gtid: None,
            open: false,
            commit_us: 0,
            original_us: 0,
            thread: None,
            may_have_statements: true,
            events: 0,
            rows: 0,
            ts_sec: offset.ts_sec,
            server_id: offset.server_id,
            skip: (offset.event > 0 || offset.row > 0).then_some((offset.event, offset.row)),
            skipping: (0, 0),
            snapshot: offset.progress.clone(),
        }
    }

    /// Takes note of where an event ends. Positions on the wire have 32 bits and wrap in large files.
    pub(super) fn move_to(&mut self, header: &EventHeader) {
        if header.log_pos != 0 {
            let low = u64::from(header.log_pos);
            let mut pos = (self.pos & !0xffff_ffff) | low;
            if pos < self.pos {
                pos += 1 << 32;
            }
            self.pos = pos;
            self.event_pos = pos.saturating_sub(u64::from(header.event_size));
        }
        if header.timestamp != 0 {
            self.ts_sec = u64::from(header.timestamp);
            self.server_id = header.server_id;
        }
    }

    /// The log goes on in another file.
    pub(super) fn rotate(&mut self, file: &str, pos: u64) {
        if *self.file != *file {
            self.file = Arc::from(file);
        }
        self.pos = pos;
    }

    /// A GTID event, or an anonymous one, which has none.
    pub(super) fn announce(&mut self, gtid: Option<Gtid>, event: &GtidEvent, header: &EventHeader) {
        let second_us = u64::from(header.timestamp) * 1_000_000;
        self.gtid = gtid;
        self.commit_us = event.immediate_commit_timestamp.unwrap_or(second_us);
        self.original_us = event.original_commit_timestamp.unwrap_or(second_us);
        self.may_have_statements = event.may_have_statements;
        self.open = false;
    }

    /// Stands for the rows of a snapshot; the server tells the time of one in whole seconds.
    pub(super) fn read_at(&mut self, now_ms: i64) {
        self.original_us = u64::try_from(now_ms / 1000).unwrap_or_default() * 1_000_000;
    }

    /// A BEGIN of a session, at the present event; the session of an XA transaction is not told.
    pub(super) fn begin(&mut self, thread: Option<u32>) {
        self.open = true;
        self.begin_pos = self.event_pos;
        self.thread = thread;
        self.events = 1;
        self.rows = 0;
        self.skipping = self.skip.take().unwrap_or((0, 0));
    }

    /// Whether a part of it was handled before a restart.
    pub(super) fn is_resumed(&self) -> bool {
        self.skipping > (0, 0)
    }

    /// What Debezium calls it: its GTID, or where its BEGIN is in the log.
    pub(super) fn id(&self) -> String {
        match self.gtid {
            Some(gtid) => gtid.to_string(),
            None => format!("file={},pos={}", self.file, self.begin_pos),
        }
    }

    /// When it was committed first, in milliseconds since the epoch.
    pub(super) fn original_ms(&self) -> i64 {
        i64::try_from(self.original_us / 1000).unwrap_or(i64::MAX)
    }

    /// Whether it may end in ROLLBACK, as without GTIDs one may that has statements among its rows.
    pub(super) fn may_be_rolled_back(&self) -> bool {
        self.gtid.is_none() && self.may_have_statements
    }

    /// Whether a BEGIN was seen and not yet its end.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Whether the reader is between transactions, with nothing left to skip.
    pub(super) fn is_between(&self) -> bool {
        !self.open && self.gtid.is_none() && self.skip.is_none()
    }

    /// Its GTID, in words.
    pub(super) fn gtid_text(&self) -> Option<String> {
        self.gtid.map(|gtid| gtid.to_string())
    }

    /// Where the present row comes from.
    pub(super) fn change_source<'a>(&'a self, gtid: Option<&'a str>) -> ChangeSource<'a> {
        ChangeSource {
            ts_us: i64::try_from(self.original_us).unwrap_or(i64::MAX),
            snapshot: None,
            server_id: i64::from(self.server_id),
            gtid,
            file: &self.file,
            pos: i64::try_from(self.event_pos).unwrap_or(i64::MAX),
            row: i32::try_from(self.rows).unwrap_or(i32::MAX),
            thread: self.thread.map(i64::from),
        }
    }

    /// Where its end is in the log.
    pub(super) fn place(&self) -> Place {
        Place::new(self.gtid, self.position())
    }

    /// Where the last event ended.
    pub(super) fn position(&self) -> BinlogPosition {
        BinlogPosition { file: self.file.to_string(), pos: self.pos }
    }

    /// What a message calls it: its GTID, or where it is.
    pub(super) fn name(&self) -> String {
        match self.gtid {
            Some(gtid) => gtid.to_string(),
            None => format!("{}:{}", self.file, self.pos),
        }
    }

    /// The present event is handled.
    pub(super) fn event_done(&mut self) {
        self.events += 1;
        self.rows = 0;
    }

    /// Whether the next row of the present event was handled before the restart.
    pub(super) fn skips_row(&self) -> bool {
        (self.events, self.rows) < self.skipping
    }

    /// The next row of the present event is handled.
    pub(super) fn row_done(&mut self) {
        self.rows += 1;
    }

    /// Whether all rows of the present event were handled before the restart.
    pub(super) fn skips_event(&self) -> bool {
        self.events < self.skipping.0
    }

    /// Whether it is at a place that a restart inside the transaction could name.
    pub(super) fn has_progress(&self) -> bool {
        self.open && (self.events > 1 || self.rows > 0)
    }

    /// A place inside the transaction: everything up to the present row is handled.
    pub(super) fn inside(&self, sequence: u64) -> Boundary {
        let (event, row) = self.skipping.max((self.events, self.rows));
        Boundary {
            sequence,
            gtids: CompletedGtids::None,
            file: Arc::clone(&self.file),
            pos: self.begin_pos,
            event,
            row,
            ts_sec: self.ts_sec,
            server_id: self.server_id,
            snapshot: self.snapshot.clone(),
        }
    }

    /// The transaction is complete, or there is none: the place behind it.
    pub(super) fn finish(&mut self, sequence: u64) -> Boundary {
        self.open = false;
        self.may_have_statements = true;
        self.skipping = (0, 0);
        Boundary {
            sequence,
            gtids: CompletedGtids::one(self.gtid.take()),
            file: Arc::clone(&self.file),
            pos: self.pos,
            event: 0,
            row: 0,
            ts_sec: self.ts_sec,
            server_id: self.server_id,
            snapshot: self.snapshot.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(log_pos: u32) -> EventHeader {
        EventHeader { timestamp: 1, event_type: 0, server_id: 1, event_size: 30, log_pos, flags: 0 }
    }

    #[test]
    fn positions_go_on_past_four_gib() {
        let mut transaction = Transaction::new(&Offset::default());
        transaction.move_to(&header(u32::MAX - 5));
        transaction.move_to(&header(100));
        assert_eq!(transaction.finish(0).pos, (1 << 32) + 100);
    }

    #[test]
    fn a_second_loss_inside_the_skipped_part_goes_back_no_further() {
        let offset = Offset { event: 9, row: 4, ..Offset::default() };
        let mut transaction = Transaction::new(&offset);
        transaction.begin(Some(7));
        transaction.event_done();
        let place = transaction.inside(0);
        assert_eq!((place.event, place.row), (9, 4));
    }

    #[test]
    fn a_restart_inside_a_transaction_skips_handled_events_and_rows() {
        let offset = Offset { event: 3, row: 2, ..Offset::default() };
        let mut transaction = Transaction::new(&offset);
        transaction.begin(Some(7));
        assert!(transaction.skips_event());
        transaction.event_done(); // Table map.
        assert!(transaction.skips_event());
        transaction.event_done(); // Rows of another statement.
        assert!(!transaction.skips_event());
        for expected in [true, true, false] {
            assert_eq!(transaction.skips_row(), expected);
            transaction.row_done();
        }
        transaction.finish(0);
        transaction.begin(Some(7));
        assert!(!transaction.skips_row());
    }
}
