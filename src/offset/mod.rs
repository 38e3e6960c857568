//! Positions in MySQL's log: text and bytes to `Offset` and back. Pure.

mod gtid;
mod position;
mod progress;

pub use gtid::{Gtid, GtidError, GtidInterval, GtidSet, GtidSource, Tag};
pub use position::{BinlogPosition, Offset, OffsetError};
pub use progress::{SnapshotProgress, TableProgress};
