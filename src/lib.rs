//! outflow: MySQL's binlog to Kafka, for the transactional outbox.
//!
//! # The flow
//!
//! Data goes one way through the rooms, acknowledgements come back on one path only:
//!
//! ```text
//! config → source → decode → route → convert → sink → (acks) → checkpoint
//! ```
//!
//! | room | takes → gives |
//! | --- | --- |
//! | [`config`] | a connector's file, a worker's file, the command line → one checked [`config::ConnectorConfig`] |
//! | [`offset`] | text or bytes ↔ a position in MySQL's log |
//! | [`source`] | a position → events of the log, checked; ordinary queries and the snapshot beside it |
//! | [`decode`] | a table map and the bytes of its rows → row changes with Connect values ([`connect`]) |
//! | [`route`] | a row change → the record that Debezium's EventRouter makes of it |
//! | [`convert`] | a record → the bytes that Connect's converters write |
//! | [`sink`] | bytes → Kafka, in order; each delivery is reported by its sequence number |
//! | [`checkpoint`] | reports → an offset that is safe to go on from, on disk |
//! | [`runtime`] | wires all of them, keeps them alive, decides between retry and stop |
//! | [`admin`], [`metrics`], [`cli`] | what is seen from outside |
//!
//! `offset`, `connect`, `decode`, `route` and `convert` are pure. One plain thread a connector reads,
//! decodes, routes, converts and sends, row by row, borrowing from the packet and from one arena; a second
//! one serves delivery reports while the first waits, and stores checkpoints. `tokio` serves HTTP, ordinary
//! queries and signals.
//!
//! # What always holds
//!
//! - An offset is stored before the first event is read, and moves only behind records that are all
//!   acknowledged. A restart may repeat, never skip.
//! - Nothing overtakes a record that could not be delivered: the first failure stops the sender, and a new
//!   one goes on from the checkpoint.
//! - Rows of an XA transaction are kept back until its outcome is in the log.
//! - Bytes from outside are input: whatever they hold, the answer is a value or a typed error.
//! - Every queue, retry and wait has a limit.
//!
//! # What is deliberately absent
//!
//! A second consumer of the log, a queue between the stages, a plug-in interface, and unsafe code.

pub mod admin;
pub mod checkpoint;
pub mod cli;
pub mod config;
pub mod connect;
pub mod convert;
pub mod decode;
pub mod error;
mod fault_point;
pub mod metrics;
pub mod offset;
pub mod route;
pub mod runtime;
pub mod sink;
pub mod source;
