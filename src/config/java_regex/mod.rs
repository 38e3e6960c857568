//! Java's regular expressions on `fancy-regex`: a pattern's text in, a matcher with Java's meaning out.
//!
//! A pattern is translated once into the engine's own syntax, with every flag, class and escape resolved;
//! what cannot be carried out is refused there, so a compiled pattern never means something else than in Java.

mod brackets;
mod class;
mod escape;
mod list;
mod regex;
mod translate;

pub use list::RegexList;
pub use regex::{JavaRegex, JavaRegexError};
