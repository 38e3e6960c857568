//! The transforms behind the EventRouter: Connect's stock ones, each with its predicate.

mod cast;
mod chain;
mod container;
mod date_format;
mod literal;
mod metadata;
mod shape;

pub use chain::TransformChain;

#[cfg(test)]
mod tests;
