//! Wires the rooms together and keeps them alive: one reader thread a connector, one thread that serves
//! acknowledgements and stores checkpoints, one place that decides between retry and stop.

mod alteration;
mod backoff;
mod beat;
mod changes;
mod checkpointer;
mod claim;
mod clock;
mod connector;
mod doctor;
mod errors;
mod failure;
mod group;
mod held;
mod hold;
mod hosts;
mod layouts;
mod overlap;
mod pipeline;
mod queries;
mod routing;
mod row;
mod sender;
mod sent_from;
mod shutdown;
mod snapshot;
mod start;
mod statement;
mod status;
mod stream;
mod tables;
mod takeover;
mod transaction;
mod transaction_metadata;
mod until;
mod words;
mod worker;

pub use doctor::{Finding, Known, examine};
pub use failure::Failure;
pub use held::prepared_rows;
pub use shutdown::Stop;
pub use status::{ConnectorState, ConnectorStatus};
pub use worker::{SinkKind, Worker, WorkerOptions};
