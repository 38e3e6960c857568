use crate::offset::{BinlogPosition, Offset};

/// The place at which `--until-caught-up` ends: everything that the server had at start.
pub(super) struct CaughtUp {
    target: Offset,
}

impl CaughtUp {
    /// Begins at `start`, whose transactions need not be looked for at every look.
    pub(super) fn new(mut target: Offset, start: &Offset) -> Self {
        if let (Some(gtids), Some(known)) = (&mut target.gtids, &start.gtids) {
            gtids.subtract(known);
        }
        Self { target }
    }

    /// Whether everything up to the place has been read, on the server that it was taken from.
    pub(super) fn is_read(&self, position: &BinlogPosition) -> bool {
        self.target.position.is_behind(position)
    }

    /// Whether `offset` has reached the place.
    pub(super) fn reached(&self, offset: &Offset) -> bool {
        match (&self.target.gtids, &offset.gtids) {
            (Some(target), Some(gtids)) => target.is_subset_of(gtids),
            // Read by position: the server has no GTIDs, or the file says to ignore them.
            _ => self.target.position.is_behind(&offset.position),
        }
    }
}
