//! What to do about a failure: decided by each room's error in one exhaustive `match`.

/// Whether waiting can cure a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Back off, then resume from the checkpoint.
    Retry,
    /// A person must act: the connector is FAILED and its position stays before the fault.
    Stop,
}
