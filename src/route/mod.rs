//! Debezium's outbox EventRouter: a [`RowChange`](crate::connect::RowChange) in, the
//! [`SourceRecord`](crate::connect::SourceRecord) that it becomes out, or the reason why it is dropped.
//!
//! What a table lacks is found when its [`RouterPlan`] is made, all at once; a row only looks up indices.
//! Records borrow from the row, the plan and the row's arena. Nothing in here does I/O or reads a clock.

mod change_record;
mod envelope;
mod error;
mod event_router;
mod expand;
mod gate;
mod heartbeat;
mod infer;
mod json;
mod plan;
mod row;
mod timestamp;
mod topic;
mod transaction_record;
mod transform;

#[cfg(test)]
mod tests;

pub use change_record::{Change, ChangeRecords, ChangeSource, raw_topic};
pub use error::RouteError;
pub use event_router::{DropReason, EventRouter, Routed};
pub use expand::ExpandWarning;
pub use gate::{Fate, Gate, RawKind};
pub use heartbeat::Heartbeat;
pub use plan::{Place, RecordPart, RouterPlan};
pub use transaction_record::{TransactionOrder, TransactionRecords};
pub use transform::TransformChain;
