//! outflow: MySQL's binlog to Kafka, for the transactional outbox.
//!
//! Data goes one way through the rooms, acknowledgements come back on one path only:
//!
//! ```text
//! config → source → decode → route → convert → sink → (acks) → checkpoint
//! ```

pub mod admin;
pub mod checkpoint;
pub mod cli;
pub mod config;
pub mod connect;
pub mod convert;
pub mod decode;
pub mod error;
pub mod metrics;
pub mod offset;
pub mod route;
pub mod runtime;
pub mod sink;
pub mod source;
