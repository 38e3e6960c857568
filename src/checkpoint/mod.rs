//! Acknowledgements in, a durable `Offset` out.
//!
//! Deliveries finish in any order; the offset that is stored stays behind the oldest record that is not
//! acknowledged, and moves only at transaction ends (or to a counted row inside a transaction that is too
//! large to wait for). What is stored is flushed before it counts. A restart may repeat, never skip.

mod boundary;
mod in_flight;
mod offsets_topic;
mod slots;
mod spill;
mod store;

pub use boundary::{Boundary, CompletedGtids};
pub use in_flight::{IN_FLIGHT_MAX, InFlight};
pub use offsets_topic::{OWNER, OffsetsTopic, OffsetsTopicError, StoredOffset, partition_of};
pub use slots::SlotFiles;
pub use spill::{Spill, SpillFolder};
pub use store::{DataDir, Store, StoreError};
pub(crate) use store::{PREPARED, REPLICA_UUID};
