//! The connector's file, the worker's file and the command line to one checked [`ConnectorConfig`].
//!
//! Everything is checked here, all problems at once, before the first socket opens; what comes out is
//! trusted by the other rooms, each of which reads its own part. Only references to secrets and the
//! producer's key stores lead to files; no message holds a secret.

mod capture;
mod connector;
mod debezium_server;
mod decode;
mod exactly_once;
mod file;
mod java_properties;
mod java_regex;
mod key_store;
mod load;
mod placement;
mod problem;
mod producer;
mod properties;
mod replacement;
mod report;
mod router;
mod secret;
mod section;
mod sink;
mod transforms;
mod words;

pub use capture::{CaptureConfig, ColumnFilter, TableFilter};
pub use connector::{
    ConnectorConfig, SkippedOperations, SnapshotMode, SourceConfig, TlsConfig, TlsMode,
};
pub use decode::{
    BigintUnsignedHandling, BinaryHandling, ColumnMask, DecimalHandling, DecodeConfig,
    FailureHandling, FieldNameAdjustment, HashAlgorithm, MaskRule, TimePrecision, TinyIntOne,
};
pub use exactly_once::{ExactlyOnce, ExactlyOnceSupport};
pub use java_regex::{JavaRegex, JavaRegexError, RegexList};
pub(crate) use key_store::{Identity, KeyStore, certificates_as_pem, key_as_pem};
pub use load::{Inputs, check, load};
pub use problem::{Problem, Shown};
pub use properties::own_properties;
pub use replacement::{Replacement, ReplacementError};
pub use report::{Report, ReportRow, Verdict};
pub use router::{
    InvalidOperation, MissingField, NullInJson, Placement, PlacementKind, RouterConfig,
};
pub use secret::{Environment, Secret};
pub use sink::{
    ConverterClass, ConverterConfig, ConvertersConfig, ExactlyOnceSource, HeartbeatConfig,
    SinkConfig, TopicCreation, TopicGroup, TopicSettings, TransactionBoundary, WorkerConfig,
};
pub use transforms::{
    InsertedContent, InsertedField, PredicateConfig, PredicateStep, RecordHalf, TransformConfig,
    TransformError, TransformStep, TransformsConfig,
};
