use std::sync::Arc;

use crate::offset::{
    BinlogPosition, Gtid, GtidInterval, GtidSet, GtidSource, Offset, SnapshotProgress,
};

/// A place at which a restart may go on, once every record before it is acknowledged.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// Every record with a lower sequence number lies before this place.
    pub sequence: u64,
    /// The transactions that end here.
    pub gtids: CompletedGtids,
    /// The log file.
    pub file: Arc<str>,
    /// The position in it: the end of the transaction, or its BEGIN while it goes on.
    pub pos: u64,
    /// Events of the unfinished transaction that are handled; 0 at a transaction's end.
    pub event: u64,
    /// Rows handled of the event after those.
    pub row: u64,
    /// When the last event was made, in seconds since the epoch; 0 for unknown.
    pub ts_sec: u64,
    /// The server that wrote it; 0 for unknown.
    pub server_id: u32,
    /// How far the snapshot has come by then, while there is one.
    pub snapshot: Option<Arc<SnapshotProgress>>,
}

/// Transactions that a boundary completes: mostly one, a run after a stretch of other tables' transactions.
#[derive(Clone, Debug, Default)]
pub enum CompletedGtids {
    /// None: no GTIDs on the server, or inside a transaction.
    #[default]
    None,
    /// Consecutive numbers of one source.
    Run(GtidSource, GtidInterval),
    /// Any others.
    Set(Box<GtidSet>),
}

impl CompletedGtids {
    /// One transaction, or none.
    #[must_use]
    pub fn one(gtid: Option<Gtid>) -> Self {
        gtid.map_or(Self::None, |gtid| {
            Self::Run(gtid.source, GtidInterval { start: gtid.number, end: gtid.number })
        })
    }

    /// Adds all of these to `set`.
    pub fn add_to(&self, set: &mut GtidSet) {
        match self {
            Self::None => {}
            Self::Run(source, interval) => set.insert(*source, *interval),
            Self::Set(more) => set.union(more),
        }
    }

    /// Takes in those that completed later.
    fn absorb(&mut self, later: &Self) {
        match (&mut *self, later) {
            (_, Self::None) => {}
            (Self::None, _) => *self = later.clone(),
            (Self::Run(source, interval), Self::Run(later_source, later_interval))
                if source == later_source && interval.end + 1 == later_interval.start =>
            {
                interval.end = later_interval.end;
            }
            (Self::Set(set), _) => later.add_to(set),
            (Self::Run(..), _) => {
                let mut set = GtidSet::default();
                self.add_to(&mut set);
                later.add_to(&mut set);
                *self = Self::Set(Box::new(set));
            }
        }
    }
}

impl Boundary {
    /// Joins a later boundary into this one where no record lies between them, so that other tables'
    /// transactions cost no memory. Whether it was joined.
    pub fn absorb(&mut self, later: &Self) -> bool {
        if self.sequence != later.sequence {
            return false;
        }
        self.gtids.absorb(&later.gtids);
        self.file.clone_from(&later.file);
        self.pos = later.pos;
        self.event = later.event;
        self.row = later.row;
        self.snapshot.clone_from(&later.snapshot);
        if later.ts_sec > 0 {
            self.ts_sec = later.ts_sec;
            self.server_id = later.server_id;
        }
        true
    }

    /// Where it is in the log.
    #[must_use]
    pub fn position(&self) -> BinlogPosition {
        BinlogPosition { file: self.file.to_string(), pos: self.pos }
    }

    /// Whether no transaction is open here.
    #[must_use]
    pub fn is_between(&self) -> bool {
        self.event == 0 && self.row == 0
    }

    /// What a message calls the first transaction that ends here.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.gtids {
            CompletedGtids::Run(source, interval) => {
                Gtid { source: *source, number: interval.start }.to_string()
            }
            _ => format!("{}:{}", self.file, self.pos),
        }
    }

    /// Moves `offset` to this place.
    pub fn apply(&self, offset: &mut Offset) {
        if let Some(gtids) = &mut offset.gtids {
            self.gtids.add_to(gtids); // A start by position must not leave a set that lacks what came before.
        }
        offset.snapshot = self.snapshot.as_ref().map(|_| SnapshotProgress::word());
        offset.progress.clone_from(&self.snapshot);
        if offset.position.file != *self.file {
            offset.position = BinlogPosition { file: self.file.to_string(), pos: self.pos };
        }
        offset.position.pos = self.pos;
        offset.event = self.event;
        offset.row = self.row;
        if self.ts_sec > 0 {
            offset.ts_sec = self.ts_sec;
            offset.server_id = self.server_id;
        }
    }
}
