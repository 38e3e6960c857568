//! `errors.tolerance=all`: a row that fails on its way is passed over, and where a dead letter topic is named it
//! goes there as it is, before the position moves past it.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use tracing::error;

use super::Failure;
use super::sender::Sender;
use super::tables::Captured;
use super::transaction::Transaction;
use crate::config::{ConnectorConfig, ConverterClass, ConverterConfig, ConvertersConfig};
use crate::connect::{
    Cell, Field, Header, Schema, SchemaAndValue, SchemaRef, SchemaType, SourceRecord, TableSchema,
    Value,
};
use crate::convert::{ConvertError, Converters};
use crate::metrics::ConnectorMetrics;
use crate::sink::SinkError;

const ROUTER: &str = "io.debezium.transforms.outbox.EventRouter";
const DATA_EXCEPTION: &str = "org.apache.kafka.connect.errors.DataException";

/// What to do with rows that fail.
pub(super) struct Tolerance {
    connector: String,
    topic_prefix: String,
    all: bool,
    log: bool,
    log_rows: bool,
    dead_letters: Option<DeadLetters>,
}

/// Where rows that failed go.
struct DeadLetters {
    topic: String,
    converters: Converters,
}

/// A row that failed, and where it is.
pub(super) struct FailedRow<'a, 'r> {
    pub(super) table: &'r Captured,
    pub(super) cells: &'r [Cell<'a>],
    pub(super) transaction: &'r Transaction,
    pub(super) arena: &'a Bump,
    pub(super) metrics: &'r ConnectorMetrics,
}

/// What Connect says of a failure: the stage, the class that failed and the exception.
struct Account {
    stage: &'static str,
    class: &'static str,
    exception: &'static str,
}

impl Tolerance {
    pub(super) fn new(config: &ConnectorConfig) -> Result<Self, ConvertError> {
        let topic = config.dead_letter_topic.clone().filter(|_| config.tolerate_errors);
        let letters = |topic| {
            let converters = Converters::new(&ConvertersConfig {
                key: converter(ConverterClass::Json),
                value: converter(ConverterClass::Json),
                header: converter(ConverterClass::String),
            })?;
            Ok(DeadLetters { topic, converters })
        };
        Ok(Self {
            connector: config.name.clone(),
            topic_prefix: config.topic_prefix.clone(),
            all: config.tolerate_errors,
            log: config.log_errors,
            log_rows: config.log_error_messages,
            dead_letters: topic.map(letters).transpose()?,
        })
    }

    /// Whether failed rows are kept whole, so that every column must be read.
    pub(super) fn keeps_rows(&self) -> bool {
        self.dead_letters.is_some() || (self.all && self.log_rows)
    }

    /// Whether any row may fail.
    pub(super) fn is_asked_for(&self) -> bool {
        self.all
    }

    /// Whether a row may fail with this.
    pub(super) fn covers(&self, failure: &Failure) -> bool {
        self.all && account(failure).is_some()
    }

    /// Passes over a row that failed with what [`Self::covers`] says yes to.
    pub(super) fn pass(
        &self,
        failure: &Failure,
        row: &FailedRow<'_, '_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let Some(account) = account(failure) else { return Ok(()) };
        row.metrics.failed.inc();
        row.metrics.dropped_skipped.inc();
        if self.log {
            let error = failure.chain();
            let content = self.log_rows.then(|| row.text()).flatten();
            error!(connector = %self.connector, table = %row.table.name, stage = account.stage, error, row = content, "a row failed and is passed over, as errors.tolerance says");
        }
        let Some(letters) = &self.dead_letters else { return Ok(()) };
        let headers = self.headers(failure, &account, row);
        match letters.send(row.record(&letters.topic, &headers), row, sender) {
            Err(Failure::Refused(err)) if matches!(err.reason(), SinkError::TooLarge { .. }) => {}
            sent => return sent,
        }
        let omitted =
            [headers, vec![("__outflow.errors.row.omitted", "too large".to_owned())]].concat();
        let record = row.record(&letters.topic, &omitted);
        letters.send(SourceRecord { value: SchemaAndValue::NULL, ..record }, row, sender)
    }

    /// Connect's headers of a dead letter, and where the row is in MySQL.
    fn headers(
        &self,
        failure: &Failure,
        account: &Account,
        row: &FailedRow<'_, '_>,
    ) -> Vec<(&'static str, String)> {
        let position = row.transaction.position();
        let mut headers = vec![
            ("__connect.errors.topic", format!("{}.{}", self.topic_prefix, row.table.name)),
            ("__connect.errors.connector.name", self.connector.clone()),
            ("__connect.errors.task.id", "0".to_owned()),
            ("__connect.errors.stage", account.stage.to_owned()),
            ("__connect.errors.class.name", account.class.to_owned()),
            ("__connect.errors.exception.class.name", account.exception.to_owned()),
            ("__connect.errors.exception.message", innermost(failure)),
            ("__connect.errors.exception.stacktrace", failure.chain()),
            ("__outflow.errors.table", row.table.name.to_string()),
            ("__outflow.errors.binlog.file", position.file),
            ("__outflow.errors.binlog.pos", position.pos.to_string()),
        ];
        headers.extend(row.transaction.gtid_text().map(|gtid| ("__outflow.errors.gtid", gtid)));
        headers
    }
}

impl DeadLetters {
    fn send(
        &self,
        record: SourceRecord<'_>,
        row: &FailedRow<'_, '_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let arena = Bump::new();
        let record = self.converters.convert(&record, &arena).map_err(|err| row.failure(err))?;
        sender.send(&record, row.transaction.commit_us)
    }
}

impl<'a> FailedRow<'a, '_> {
    fn failure(&self, source: ConvertError) -> Failure {
        Failure::Convert {
            transaction: self.transaction.name(),
            table: self.table.name.to_string(),
            source: Box::new(source),
        }
    }

    fn value(&self, index: usize) -> Value<'a> {
        match self.cells.get(index) {
            Some(Cell::Value(value)) => *value,
            Some(Cell::Absent | Cell::Skipped) | None => Value::Null,
        }
    }

    /// The row as a struct; with `fields`, of these fields alone.
    fn row(&self, fields: impl Iterator<Item = usize> + Clone) -> SchemaAndValue<'a> {
        let schema: &TableSchema = &self.table.plan.schema;
        let named = |index: usize| schema.fields.get(index);
        let of_fields = fields.clone().filter_map(|index| {
            let Field { name, schema } = named(index)?;
            // A null stays one: a dead letter shows what the row holds.
            let bare = Schema { default: None, optional: true, ..Schema::clone(schema) };
            Some(Field { name: name.clone(), schema: bare.into() })
        });
        let whole = Schema { fields: of_fields.collect(), ..Schema::new(SchemaType::Struct) };
        let values = fields.filter(|index| named(*index).is_some()).map(|index| self.value(index));
        let values = ArenaVec::from_iter_in(values, self.arena);
        SchemaAndValue {
            schema: Some(SchemaRef::Shared(whole.into())),
            value: Value::Struct(values.into_bump_slice()),
        }
    }

    fn record<'h>(&self, topic: &'h str, headers: &'h [(&'static str, String)]) -> SourceRecord<'h>
    where
        'a: 'h,
    {
        let text = || Some(SchemaRef::Shared(Schema::new(SchemaType::String).into()));
        let headers = headers.iter().map(|(key, value)| Header {
            key,
            value: SchemaAndValue { schema: text(), value: Value::String(value) },
        });
        let schema = &self.table.plan.schema;
        SourceRecord {
            topic,
            partition: None,
            key: self.row(schema.primary_key.iter().copied()),
            value: self.row(0..schema.fields.len()),
            headers: ArenaVec::from_iter_in(headers, self.arena),
            timestamp: None,
        }
    }

    /// The row as JSON, for the log.
    fn text(&self) -> Option<String> {
        let json = ConvertersConfig {
            key: converter(ConverterClass::Json),
            value: converter(ConverterClass::Json),
            header: converter(ConverterClass::String),
        };
        let converters = Converters::new(&json).ok()?;
        let record = self.record("", &[]);
        let written = converters.convert(&record, self.arena).ok()?;
        written.value.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

fn converter(class: ConverterClass) -> ConverterConfig {
    ConverterConfig {
        class,
        schemas_enable: false,
        decimal_numeric: true,
        replace_null_with_default: false,
        encoding: None,
        delegate: None,
    }
}

/// What can be said of a failure that concerns one row only; `None` for any other.
fn account(failure: &Failure) -> Option<Account> {
    let routing = Account { stage: "TRANSFORMATION", class: ROUTER, exception: DATA_EXCEPTION };
    match failure {
        Failure::Route { .. } | Failure::InvalidOperation { .. } => Some(routing),
        Failure::Convert { .. } => Some(Account {
            stage: "VALUE_CONVERTER",
            class: "org.apache.kafka.connect.storage.Converter",
            exception: DATA_EXCEPTION,
        }),
        Failure::Refused(err) => Some(Account {
            stage: "KAFKA_PRODUCE",
            class: "org.apache.kafka.connect.runtime.WorkerSourceTask",
            exception: match err.reason() {
                SinkError::TooLarge { .. } | SinkError::LargerThanBuffer { .. } => {
                    "org.apache.kafka.common.errors.RecordTooLargeException"
                }
                SinkError::IllegalTopic { .. } => {
                    "org.apache.kafka.common.errors.InvalidTopicException"
                }
                _ => "org.apache.kafka.common.KafkaException",
            },
        }),
        Failure::Source(_)
        | Failure::Decode { .. }
        | Failure::Event { .. }
        | Failure::Converters(_)
        | Failure::Transforms(_)
        | Failure::TransactionRecords(_)
        | Failure::Tables(_)
        | Failure::NothingToRecover
        | Failure::Sink(_)
        | Failure::Delivery { .. }
        | Failure::Store(_)
        | Failure::OffsetsTopic(_)
        | Failure::StatementFormat { .. }
        | Failure::UnprovenLayout { .. }
        | Failure::UnknownEvent { .. }
        | Failure::Incident { .. }
        | Failure::Panic(_)
        | Failure::SnapshotReached
        | Failure::StopRequested => None,
    }
}

/// What stands at the end of the chain of causes.
fn innermost(failure: &Failure) -> String {
    let mut error: &dyn std::error::Error = failure;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
