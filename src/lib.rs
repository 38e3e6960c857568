//! outflow
