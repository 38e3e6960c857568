use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use super::{
    CaptureConfig, ConvertersConfig, DecodeConfig, ExactlyOnce, HeartbeatConfig, RegexList,
    RouterConfig, Secret, SinkConfig, TransformsConfig, WorkerConfig,
};
use crate::connect::{Operation, RowChange};
use crate::offset::GtidSource;

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
    /// The topic of transaction records; `None` without `provide.transaction.metadata`.
    pub transaction_topic: Option<String>,
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
    /// Exactly-once delivery; `None` for delivery at least once.
    pub exactly_once: Option<ExactlyOnce>,
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
