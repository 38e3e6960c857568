//! A table map and the bytes of its rows to [`RowChange`](crate::connect::RowChange)s with Connect values.
//!
//! A [`TablePlan`] is made once per table layout; after that a row costs index look-ups only. Values borrow
//! from the packet, from the plan or from the row's arena. Bytes are input: whatever they hold, the answer
//! is a value or a typed error. Nothing in here does I/O or looks at a clock.
//!
//! Origin of the wire facts: the MySQL source code documentation of `Table_map_event`, `Rows_event` and
//! `json_binary.h`. What a column becomes in Connect is Debezium's mapping.

mod charset;
mod collation;
mod column;
mod column_source;
pub mod ddl;
mod decimal;
mod default;
mod error;
mod field_name;
mod fit;
mod geometry;
mod images;
mod json;
mod json_number;
mod layout;
mod lone_row;
mod mask;
mod metadata;
mod multi_byte;
mod plan;
mod raw;
mod reader;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod robust;
mod rows;
mod short_text;
mod single_byte;
mod snapshot;
mod table_map;
mod target;
mod temporal;
mod temporal_form;
mod wire;

pub use error::{DecodeError, ValueError};
pub use images::{RowImage, RowImages};
pub use layout::{ColumnLayout, TableLayout};
pub use plan::TablePlan;
pub use rows::{RowsEvent, rows_table_id};
pub use table_map::{TableMap, table_map_names};
