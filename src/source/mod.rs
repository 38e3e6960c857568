//! MySQL's side: a connection that receives the binary log as a replica does, and ordinary queries.
//!
//! In comes where to begin; out go events, checked and without their checksums, in the order of the log.
//! [`Replica`] is blocking and belongs to the reader's thread; everything on ordinary connections is async.

mod bytes;
mod connection;
mod dump;
mod error;
pub mod event;
mod keystore;
mod login;
mod packet;
mod payload;
mod preflight;
mod replica;
mod rsa;
mod stream;
mod tls;

pub use dump::DumpStart;
pub use error::SourceError;
pub use payload::{PayloadReader, Unpacker};
pub use preflight::PreflightProblem;
pub use replica::{Packet, Replica};
pub use stream::ShutdownHandle;
