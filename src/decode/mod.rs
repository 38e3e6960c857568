//! To be written.

mod layout;

pub use layout::{ColumnLayout, TableLayout};
