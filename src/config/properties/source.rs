use super::{Kind, Property, RefusedValue, Words, elsewhere, used, without_effect};
use crate::config::{
    BigintUnsignedHandling, BinaryHandling, DecimalHandling, FailureHandling, FieldNameAdjustment,
    SnapshotMode, TimePrecision, TlsMode,
};

const MYSQL_CONNECTORS: &[&str] =
    &["io.debezium.connector.mysql.MySqlConnector", "MySqlConnector", "MySql"];
const LARGEST: i64 = i64::MAX;
const LARGEST_INT: i64 = 2_147_483_647;

/// What shapes reading MySQL and its values.
pub(super) const PROPERTIES: &[Property] = &[
    used("connector.class", Kind::OneOf(MYSQL_CONNECTORS)),
    used("topic.prefix", Kind::Text).once(&["database.server.name"]),
    used("database.hostname", Kind::Text),
    used("database.port", Kind::Integer(1, 65_535)).or("3306"),
    used("database.user", Kind::Text),
    used("database.password", Kind::Secret),
    used("database.server.id", Kind::Integer(1, 4_294_967_295)),
    used("database.include.list", Kind::RegexList).once(&["database.whitelist"]),
    used("database.exclude.list", Kind::RegexList).once(&["database.blacklist"]),
    used("table.include.list", Kind::RegexList).once(&["table.whitelist"]),
    used("table.exclude.list", Kind::RegexList).once(&["table.blacklist"]),
    used("table.ignore.builtin", Kind::Boolean).or("true"),
    used("column.include.list", Kind::RegexList).once(&["column.whitelist"]),
    used("column.exclude.list", Kind::RegexList).once(&["column.blacklist"]),
    used("snapshot.mode", Kind::Word(snapshot_modes)).or("initial").but_not(SNAPSHOT_MODES),
    used("snapshot.mode.configuration.based.snapshot.data", Kind::Boolean).or("false"),
    used("snapshot.mode.configuration.based.start.stream", Kind::Boolean).or("false"),
    used("snapshot.mode.configuration.based.snapshot.on.data.error", Kind::Boolean).or("false"),
    used("snapshot.include.collection.list", Kind::RegexList),
    used("snapshot.select.statement.overrides", Kind::List),
    elsewhere("snapshot.select.statement.overrides.*"),
    used("tombstones.on.delete", Kind::Boolean).or("true"),
    used("snapshot.delay.ms", Kind::Integer(0, LARGEST_INT)).or("0"),
    used("streaming.delay.ms", Kind::Integer(0, LARGEST_INT)).or("0"),
    used("decimal.handling.mode", Kind::Word(DecimalHandling::words)).or("precise"),
    used("bigint.unsigned.handling.mode", Kind::Word(BigintUnsignedHandling::words)).or("long"),
    used("time.precision.mode", Kind::Word(TimePrecision::words))
        .or("adaptive_time_microseconds")
        .but_not(&[RefusedValue {
            value: "adaptive",
            reason: "Debezium refuses it for MySQL too",
            cure: "write `adaptive_time_microseconds`",
        }]),
    used("binary.handling.mode", Kind::Word(BinaryHandling::words)).or("bytes"),
    used("enable.time.adjuster", Kind::Boolean).or("true"),
    used("field.name.adjustment.mode", Kind::Word(FieldNameAdjustment::words)).or("none"),
    used("schema.name.adjustment.mode", Kind::Word(FieldNameAdjustment::words)).or("none"),
    used("sanitize.field.names", Kind::Boolean).or("false"),
    // Debezium's default is true; users of 2.x and 3.0 never saw these headers.
    used("extended.headers.enabled", Kind::Boolean).or("false"),
    used("event.converting.failure.handling.mode", Kind::Word(|| vec!["warn", "fail", "skip"]))
        .or("warn"),
    used("event.processing.failure.handling.mode", Kind::Word(FailureHandling::words))
        .or("fail")
        .once(&["event.deserialization.failure.handling.mode"]),
    used("inconsistent.schema.handling.mode", Kind::Word(FailureHandling::words)).or("fail"),
    used("skipped.operations", Kind::List).or("t"),
    used("heartbeat.interval.ms", Kind::Integer(0, LARGEST_INT)).or("0"),
    used("topic.heartbeat.prefix", Kind::Text)
        .or("__debezium-heartbeat")
        .once(&["heartbeat.topics.prefix"]),
    used("topic.heartbeat.name", Kind::Text),
    used("topic.delimiter", Kind::Text).or("."),
    used("heartbeat.action.query", Kind::Text),
    used("gtid.source.includes", Kind::RegexList),
    used("gtid.source.excludes", Kind::RegexList),
    used("gtid.source.filter.dml.events", Kind::Boolean).or("true"),
    used("gtid.ignore.on.recovery", Kind::Boolean).or("false"),
    used("connect.timeout.ms", Kind::Integer(1, LARGEST_INT)).or("30000"),
    used("binlog.net.write.timeout", Kind::Integer(0, LARGEST_INT)).or("0"),
    used("errors.max.retries", Kind::Integer(-1, LARGEST_INT)).or("-1"),
    used("retriable.restart.connector.wait.ms", Kind::Integer(1, LARGEST)).or("10000"),
    used("database.ssl.mode", Kind::Word(TlsMode::words)).or("preferred"),
    used("database.ssl.keystore", Kind::Text),
    used("database.ssl.keystore.password", Kind::Secret),
    used("database.ssl.truststore", Kind::Text),
    used("database.ssl.truststore.password", Kind::Secret),
    used("database.initial.statements", Kind::Text),
    used("converters", Kind::List),
    used("include.schema.changes", Kind::Boolean).or("false"),
    used("column.propagate.source.type", Kind::RegexList),
    used("datatype.propagate.source.type", Kind::RegexList),
    // Checked as Debezium checks them, though outflow has no such queue.
    without_effect("max.batch.size", QUEUE).checked(Kind::Integer(1, LARGEST_INT)).or("2048"),
    without_effect("max.queue.size", QUEUE).checked(Kind::Integer(1, LARGEST_INT)).or("8192"),
    without_effect("max.queue.size.in.bytes", QUEUE).checked(Kind::Integer(0, LARGEST)).or("0"),
    without_effect("poll.interval.ms", "records are sent as they are read")
        .checked(Kind::Integer(1, LARGEST)),
    used("provide.transaction.metadata", Kind::Boolean).or("false"),
    used("topic.transaction", Kind::Text).or("transaction"),
    used("outflow.heartbeat.period.ms", Kind::Integer(100, 3_600_000)).or("5000").meaning(
        "How often MySQL is asked to show that the binlog connection is alive; three silent periods are a dead \
         connection.",
    ),
];

const SNAPSHOT_MODES: &[RefusedValue] = &[RefusedValue {
    value: "custom",
    reason: "outflow loads no Java class",
    cure: "write `initial` to publish the rows already there first, or `no_data` not to",
}];

fn snapshot_modes() -> Vec<&'static str> {
    let mut modes = SnapshotMode::words();
    modes.push("configuration_based");
    modes
}

const QUEUE: &str = "outflow sends rows as it reads them and holds no queue of its own";

/// The options of a `TinyIntOneToBooleanConverter`.
pub(super) const CUSTOM_CONVERTER: &[Property] = &[
    used("type", Kind::OneOf(TINY_INT_ONE)),
    used("selector", Kind::RegexList),
    used("length.checker", Kind::Boolean).or("true"),
];

const TINY_INT_ONE: &[&str] = &[
    "io.debezium.connector.mysql.converters.TinyIntOneToBooleanConverter",
    "io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter",
];
