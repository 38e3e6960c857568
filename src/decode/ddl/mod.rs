//! Statements that alter tables: a table's layout and a statement to the layout behind it, as
//! `information_schema` would tell it.
//!
//! A statement that is not understood to its last word gives nothing, never a guess; what it gives is still held
//! against the next table map. The tokens are sqlparser's; its grammar lacks half of MySQL's ALTER TABLE and does
//! not tell what it ignores, so the clauses are read here.

mod alter;
mod apply;
mod column;
mod column_type;
mod create;
mod extra;
mod literal;
mod options;
mod server;
mod statement;
mod tokens;

pub use server::{Collation, Server, Session};
pub use statement::{Becomes, Known, Statement, TableName};
