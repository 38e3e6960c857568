//! Connect's converters: a [`SourceRecord`](crate::connect::SourceRecord) in, the bytes of a
//! [`ProducerRecord`] out.
//!
//! Headers first, then key, then value, as Connect does; what needs no rewriting is borrowed, everything
//! else is written into the row's arena. What no converter could write is found by [`Converters::check`]
//! before the first row. Nothing in here does I/O or reads a clock.

mod check;
mod converters;
mod error;
mod header;
mod json;
mod json_schema;
mod primitive;
mod string;

pub use check::ConvertWarning;
pub use converters::{Converters, ProducerRecord};
pub use error::ConvertError;

#[cfg(test)]
mod tests;
