//! The connector's file, the worker's file and the command line to one checked [`ConnectorConfig`].
//!
//! Everything is checked here, all problems at once, before the first socket opens; what comes out is
//! trusted by the other rooms, each of which reads its own part.

mod connector;
mod java_regex;
mod replacement;
mod transforms;

pub use connector::{
    BigintUnsignedHandling, BinaryHandling, CaptureConfig, ColumnFilter, ConnectorConfig,
    ConverterClass, ConverterConfig, ConvertersConfig, DecimalHandling, DecodeConfig,
    FailureHandling, FieldNameAdjustment, HeartbeatConfig, InvalidOperation, MissingField,
    NullInJson, Placement, PlacementKind, RouterConfig, Secret, SinkConfig, SnapshotMode,
    SourceConfig, TableFilter, TimePrecision, TinyIntOne, TlsConfig, TlsMode,
};
pub use java_regex::{JavaRegex, JavaRegexError, RegexList};
pub use replacement::{Replacement, ReplacementError};
pub use transforms::{
    InsertedContent, InsertedField, PredicateConfig, PredicateStep, RecordHalf, TransformConfig,
    TransformError, TransformStep,
};
