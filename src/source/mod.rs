//! MySQL's side: a connection that receives the binary log as a replica does, and ordinary queries.
//!
//! In comes where to begin; out go events, checked and without their checksums, in the order of the log.
//! [`Replica`] is blocking and belongs to the reader's thread; everything on ordinary connections is async.

mod alterations;
mod bytes;
mod connection;
mod dump;
mod error;
pub mod event;
mod key_order;
mod keystore;
mod layout;
mod login;
mod packet;
mod payload;
mod preflight;
mod replica;
mod resume;
mod rsa;
mod server;
mod snapshot;
mod sql;
mod stream;
mod tls;

pub use alterations::{StatementPage, end_of_log, statements};
pub use dump::DumpStart;
pub use error::SourceError;
pub use key_order::KeyOrder;
pub use layout::{captured_tables, ddl_server, read_database, read_layout, some_values};
pub use payload::{PayloadReader, Unpacker};
pub use preflight::{PreflightProblem, preflight};
pub use replica::{Packet, Replica};
pub use resume::{check_offset, goes_on_by_gtids};
pub use server::{Server, server_uuid, wait_executed};
pub use snapshot::{KeyValue, Part, Snapshot, SnapshotRow};
pub use sql::Sql;
pub use stream::ShutdownHandle;
