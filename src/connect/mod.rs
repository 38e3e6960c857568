//! Kafka Connect's data model: what `decode` produces, `route` rearranges and `convert` writes.
//!
//! Values borrow from the row they were read from or from the row's arena, and are `Copy`; schemas
//! belong to the table's plan and outlive the row. Nothing in here does I/O.

pub(crate) mod java_date;
mod java_hash;
pub(crate) mod java_number;
mod record;
mod schema;
mod value;

pub use java_hash::JavaHashOrder;
pub use record::{Cell, Header, Operation, RowChange, SourceRecord, TableSchema};
pub use schema::{DefaultValue, Field, Schema, SchemaRef, SchemaType, logical};
pub use value::{SchemaAndValue, Value};
