//! The words of each enumerated property.

use super::properties::Words;
use super::{
    BigintUnsignedHandling, BinaryHandling, DecimalHandling, ExactlyOnceSource, ExactlyOnceSupport,
    FailureHandling, FieldNameAdjustment, InvalidOperation, MissingField, NullInJson,
    PlacementKind, SnapshotMode, TimePrecision, TlsMode, TransactionBoundary,
};

macro_rules! words {
    ($($type:ident { $($word:literal => $value:ident),+ $(,)? })+) => {
        $(impl Words for $type {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$value)),+];
        })+
    };
}

words! {
    SnapshotMode {
        "initial" => Initial, "no_data" => NoData, "schema_only" => NoData,
        "initial_only" => InitialOnly, "when_needed" => WhenNeeded, "always" => Always,
        "recovery" => Recovery, "schema_only_recovery" => Recovery, "never" => Never,
    }
    DecimalHandling { "precise" => Precise, "double" => Double, "string" => String }
    BigintUnsignedHandling { "long" => Long, "precise" => Precise }
    TimePrecision {
        "adaptive_time_microseconds" => AdaptiveTimeMicroseconds, "connect" => Connect,
        "isostring" => IsoString, "microseconds" => Microseconds, "nanoseconds" => Nanoseconds,
    }
    BinaryHandling { "bytes" => Bytes, "base64" => Base64, "base64-url-safe" => Base64UrlSafe, "hex" => Hex }
    FailureHandling { "fail" => Fail, "warn" => Warn, "skip" => Skip, "ignore" => Skip }
    FieldNameAdjustment { "none" => None, "avro" => Avro, "avro_unicode" => AvroUnicode }
    TlsMode {
        "disabled" => Disabled, "preferred" => Preferred, "required" => Required,
        "verify_ca" => VerifyCa, "verify_identity" => VerifyIdentity,
    }
    PlacementKind { "header" => Header, "envelope" => Envelope, "partition" => Partition }
    MissingField { "error" => Error, "ignore" => Ignore }
    NullInJson { "ignore" => Ignore, "optional_bytes" => OptionalBytes }
    InvalidOperation { "warn" => Warn, "error" => Error, "fatal" => Fatal }
    TransactionBoundary { "poll" => Poll, "interval" => Interval, "connector" => Connector }
    ExactlyOnceSupport { "requested" => Requested, "required" => Required }
    ExactlyOnceSource { "disabled" => Disabled, "preparing" => Preparing, "enabled" => Enabled }
}
