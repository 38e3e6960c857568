use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use crate::connect::{Operation, RowChange};

use crate::offset::GtidSource;

use super::{
    ConvertersConfig, HeartbeatConfig, JavaRegex, RegexList, Replacement, Secret, SinkConfig,
    TransformsConfig, WorkerConfig,
};

/// Everything one connector needs, checked.
#[derive(Clone, Debug)]
pub struct ConnectorConfig {
    /// The connector's name: part of the stored offset's key.
    pub name: String,
    /// `topic.prefix`, the logical name of the server.
    pub topic_prefix: String,
    /// How to reach MySQL.
    pub source: SourceConfig,
    /// Which tables and columns are captured.
    pub capture: CaptureConfig,
    /// `snapshot.mode`.
    pub snapshot_mode: SnapshotMode,
    /// How column values become Connect values.
    pub decode: DecodeConfig,
    /// How rows become records.
    pub router: RouterConfig,
    /// What stands around the router in the chain of transforms.
    pub transforms: TransformsConfig,
    /// `tombstones.on.delete`, for tables whose changes the router does not take.
    pub tombstones_on_delete: bool,
    /// How records become bytes.
    pub converters: ConvertersConfig,
    /// Where records go.
    pub sink: SinkConfig,
    /// Heartbeat records; `None` when `heartbeat.interval.ms` is 0.
    pub heartbeat: Option<HeartbeatConfig>,
    /// `skipped.operations`.
    pub skipped_operations: SkippedOperations,
    /// `errors.tolerance=all`: a record that cannot be routed, converted or sent is skipped and counted.
    pub tolerate_errors: bool,
    /// `errors.log.enable`: skipped records are logged.
    pub log_errors: bool,
    /// `errors.log.include.messages`: with what is in them.
    pub log_error_messages: bool,
    /// `errors.deadletterqueue.topic.name`: where skipped rows go.
    pub dead_letter_topic: Option<String>,
    /// `topic.delimiter`: joins the parts of a topic's name before the router gives it another.
    pub topic_delimiter: String,
    /// What the worker's file says for all connectors.
    pub worker: WorkerConfig,
}

/// The changes that are dropped before any transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedOperations {
    /// Inserts (`c`).
    pub creates: bool,
    /// Updates (`u`), those of the primary key included.
    pub updates: bool,
    /// Deletes (`d`).
    pub deletes: bool,
}

impl SkippedOperations {
    /// Whether this change is dropped.
    #[must_use]
    pub fn skips(self, change: &RowChange<'_>) -> bool {
        match change.operation {
            // A new primary key is an update in the log.
            Operation::Create if change.old_key.is_some() => self.updates,
            Operation::Create => self.creates,
            Operation::Update => self.updates,
            Operation::Delete => self.deletes,
            Operation::Read => false,
        }
    }
}

/// How to reach MySQL, and how patient to be.
#[derive(Clone, Debug)]
pub struct SourceConfig {
    /// `database.hostname`: one host, or several to be tried in order.
    pub hosts: Vec<String>,
    /// `database.port`.
    pub port: u16,
    /// `database.user`.
    pub user: String,
    /// `database.password`.
    pub password: Secret,
    /// `database.server.id`.
    pub server_id: NonZeroU32,
    /// TLS.
    pub tls: TlsConfig,
    /// `connect.timeout.ms`.
    pub connect_timeout: Duration,
    /// How often the server is asked to say that it is alive: `outflow.heartbeat.period.ms`.
    pub heartbeat_period: Duration,
    /// `binlog.net.write.timeout`, in seconds, for the dump session; where the file says nothing, long enough for a
    /// broker's outage.
    pub net_write_timeout_s: u32,
    /// `database.initial.statements`, for the ordinary SQL connection.
    pub initial_statements: Vec<String>,
    /// `gtid.source.includes` (`true`) or `gtid.source.excludes` (`false`).
    pub gtid_sources: Option<(bool, RegexList)>,
    /// `gtid.source.filter.dml.events`: rows of filtered sources are dropped.
    pub gtid_filter_rows: bool,
    /// `gtid.ignore.on.recovery`.
    pub gtid_ignore_on_recovery: bool,
    /// `errors.max.retries`: how often a lost connection is tried again; `None` is for ever.
    pub retries_max: Option<u32>,
    /// `retriable.restart.connector.wait.ms`: the longest pause between two tries.
    pub retry_wait_max: Duration,
    /// `snapshot.delay.ms`: a wait before the rows already there are read.
    pub snapshot_delay: Duration,
    /// `streaming.delay.ms`: a wait between those rows and the stream.
    pub streaming_delay: Duration,
}

impl SourceConfig {
    /// Whether rows of transactions that this source has numbered are dropped: `gtid.source.*` leaves the
    /// source out, and `gtid.source.filter.dml.events` is on.
    #[must_use]
    pub fn filters_rows_of(&self, source: &GtidSource) -> bool {
        self.gtid_filter_rows
            && self
                .gtid_sources
                .as_ref()
                .is_some_and(|(include, list)| list.matches(&source.uuid_text()) != *include)
    }
}

/// `database.ssl.*`.
#[derive(Clone, Debug, Default)]
pub struct TlsConfig {
    /// `database.ssl.mode`.
    pub mode: TlsMode,
    /// `database.ssl.truststore` and its password.
    pub truststore: Option<(PathBuf, Secret)>,
    /// `database.ssl.keystore` and its password.
    pub keystore: Option<(PathBuf, Secret)>,
}

/// `database.ssl.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsMode {
    /// Plain text.
    Disabled,
    /// TLS where the server offers it.
    #[default]
    Preferred,
    /// TLS, whatever the certificate.
    Required,
    /// TLS with a certificate of a trusted authority.
    VerifyCa,
    /// As `VerifyCa`, for this very host name.
    VerifyIdentity,
}

/// Which tables and columns are captured.
#[derive(Clone, Debug)]
pub struct CaptureConfig {
    /// Databases and tables.
    pub tables: TableFilter,
    /// Columns.
    pub columns: ColumnFilter,
    /// `snapshot.include.collection.list`: the tables whose rows already there are read; `None` is all.
    pub snapshot_tables: Option<RegexList>,
    /// `snapshot.select.statement.overrides`: by `database.table`, the query whose rows are read.
    pub snapshot_selects: BTreeMap<String, String>,
}

/// Databases and tables by Debezium's include and exclude lists.
#[derive(Clone, Debug, Default)]
pub struct TableFilter {
    /// `database.include.list` (`true`) or `database.exclude.list` (`false`).
    pub databases: Option<(bool, RegexList)>,
    /// `table.include.list` (`true`) or `table.exclude.list` (`false`), on `database.table`.
    pub tables: Option<(bool, RegexList)>,
    /// `table.ignore.builtin` off: system schemas count too.
    pub with_builtin: bool,
}

impl TableFilter {
    /// Whether this table is captured.
    #[must_use]
    pub fn captures(&self, database: &str, table: &str) -> bool {
        let builtin = ["mysql", "performance_schema", "sys", "information_schema"];
        (self.with_builtin || !builtin.iter().any(|name| name.eq_ignore_ascii_case(database)))
            && admits(self.databases.as_ref(), database)
            && (self.tables.is_none()
                || admits(self.tables.as_ref(), &format!("{database}.{table}")))
    }
}

/// `column.include.list` (`true`) or `column.exclude.list` (`false`), on `database.table.column`.
#[derive(Clone, Debug, Default)]
pub struct ColumnFilter(pub Option<(bool, RegexList)>);

impl ColumnFilter {
    /// Whether this column exists for the router.
    #[must_use]
    pub fn captures(&self, database: &str, table: &str, column: &str) -> bool {
        self.0.is_none() || admits(self.0.as_ref(), &format!("{database}.{table}.{column}"))
    }
}

fn admits(list: Option<&(bool, RegexList)>, name: &str) -> bool {
    list.is_none_or(|(include, patterns)| patterns.matches(name) == *include)
}

/// `snapshot.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotMode {
    /// Rows already there first, then the stream.
    #[default]
    Initial,
    /// Rows already there, then the end.
    InitialOnly,
    /// Only the stream.
    NoData,
    /// As `Initial`, and again when the stored position is gone.
    WhenNeeded,
    /// Rows already there at every start.
    Always,
    /// As `NoData`, with a stored position required.
    Recovery,
    /// Only the stream, from the first log the server has (Debezium up to 3.5).
    Never,
}

/// How column values become Connect values.
#[derive(Clone, Debug, Default)]
pub struct DecodeConfig {
    /// `decimal.handling.mode`.
    pub decimal: DecimalHandling,
    /// `bigint.unsigned.handling.mode`.
    pub bigint_unsigned: BigintUnsignedHandling,
    /// `time.precision.mode`.
    pub time_precision: TimePrecision,
    /// `binary.handling.mode`.
    pub binary: BinaryHandling,
    /// `enable.time.adjuster`.
    pub time_adjuster: bool,
    /// `event.converting.failure.handling.mode`.
    pub converting_failure: FailureHandling,
    /// `event.processing.failure.handling.mode`.
    pub processing_failure: FailureHandling,
    /// `inconsistent.schema.handling.mode`: a row of a captured table whose layout is not known.
    pub inconsistent_schema: FailureHandling,
    /// `field.name.adjustment.mode`, for column names.
    pub field_names: FieldNameAdjustment,
    /// `TinyIntOneToBooleanConverter`s, each with its selector and whether it looks at the length.
    pub tiny_int_one: Vec<TinyIntOne>,
    /// `column.truncate.*` and `column.mask.*`, in the order in which they are tried.
    pub masks: Vec<ColumnMask>,
}

/// A rule that changes values before anyone sees them.
#[derive(Clone, Debug)]
pub struct ColumnMask {
    /// The columns, as `database.table.column`.
    pub columns: RegexList,
    /// What is done.
    pub rule: MaskRule,
}

/// What is done to values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MaskRule {
    /// `column.truncate.to.N.chars`.
    Truncate(usize),
    /// `column.mask.with.N.chars`.
    Chars(usize),
    /// `column.mask.hash.ALGORITHM.with.salt.SALT`.
    Hash {
        /// The algorithm.
        algorithm: HashAlgorithm,
        /// The salt.
        salt: String,
        /// Not `v2`: hashes are taken of Java's serialized form.
        serialized: bool,
    },
}

/// The algorithms of `column.mask.hash.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the algorithms'")]
pub enum HashAlgorithm {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// A configured `TinyIntOneToBooleanConverter`.
#[derive(Clone, Debug)]
pub struct TinyIntOne {
    /// `selector`, on `database.table.column`; `None` matches every column.
    pub selector: Option<RegexList>,
    /// `length.checker`: only columns of length 1.
    pub length_checker: bool,
}

/// `decimal.handling.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum DecimalHandling {
    #[default]
    Precise,
    Double,
    String,
}

/// `bigint.unsigned.handling.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum BigintUnsignedHandling {
    #[default]
    Long,
    Precise,
}

/// `time.precision.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum TimePrecision {
    #[default]
    AdaptiveTimeMicroseconds,
    Connect,
    IsoString,
    Microseconds,
    Nanoseconds,
}

/// `binary.handling.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum BinaryHandling {
    #[default]
    Bytes,
    Base64,
    Base64UrlSafe,
    Hex,
}

/// What to do with a value or row that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureHandling {
    /// Stop before it.
    #[default]
    Fail,
    /// Go on without it and say so.
    Warn,
    /// Go on without it.
    Skip,
}

/// `field.name.adjustment.mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum FieldNameAdjustment {
    #[default]
    None,
    Avro,
    AvroUnicode,
}

/// The EventRouter's options (EVENT_ROUTER.md 1).
#[derive(Clone, Debug)]
pub struct RouterConfig {
    /// `table.field.event.id`.
    pub event_id: String,
    /// `table.field.event.key`.
    pub event_key: String,
    /// `table.field.event.type`, where the file sets it: a header of the column's own name, after the others.
    pub event_type: Option<String>,
    /// `table.field.event.payload`.
    pub payload: String,
    /// `table.field.event.timestamp`.
    pub timestamp: Option<String>,
    /// `table.field.event.schema.version`.
    pub schema_version: Option<String>,
    /// `table.fields.additional.placement`.
    pub placements: Vec<Placement>,
    /// `table.field.additional.missing`.
    pub missing: MissingField,
    /// `table.expand.json.payload`.
    pub expand_json: bool,
    /// `table.json.payload.null.behavior`.
    pub json_null: NullInJson,
    /// `table.json.payload.empty.array.behavior` is `optional_string`.
    pub json_empty_array_as_strings: bool,
    /// `field.name.adjustment.mode` of the transform, for keys of expanded JSON.
    pub field_names: FieldNameAdjustment,
    /// `table.op.invalid.behavior`.
    pub invalid_operation: InvalidOperation,
    /// `route.by.field`.
    pub route_by: String,
    /// `route.topic.regex`.
    pub topic_regex: JavaRegex,
    /// `route.topic.replacement`.
    pub topic_replacement: Replacement,
    /// `route.tombstone.on.empty.payload`.
    pub tombstone_on_empty: bool,
    /// The `__debezium.context.*` headers, where `extended.headers.enabled` is `true`.
    pub context_headers: bool,
}

/// One item of `table.fields.additional.placement`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The column.
    pub column: String,
    /// Where it goes.
    pub kind: PlacementKind,
    /// Under which name.
    pub alias: String,
}

/// Where an additional column goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum PlacementKind {
    Header,
    Envelope,
    Partition,
}

/// `table.field.additional.missing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum MissingField {
    #[default]
    Error,
    Ignore,
}

/// `table.json.payload.null.behavior`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum NullInJson {
    #[default]
    Ignore,
    OptionalBytes,
}

/// `table.op.invalid.behavior`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the property's values")]
pub enum InvalidOperation {
    #[default]
    Warn,
    Error,
    Fatal,
}
