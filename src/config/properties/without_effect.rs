use super::{Kind, Property, elsewhere, refused, without_effect};

const HISTORY: &str = "outflow keeps table layouts with its checkpoint";
const STORE: &str = "outflow keeps its state in its data folder, at its own pace";
const NO_LOCKS: &str = "a snapshot is one consistent read and takes no lock";
const SNAPSHOT: &str = "an outbox is read in one go, in one session";
const SIGNALS: &str = "no signal is read without `signal.data.collection`";
const KEEP_ALIVE: &str = "`outflow.heartbeat.period.ms` takes its place";
const NAMES: &str = "the router gives every record its own topic";
const NO_DDL: &str = "outflow parses no DDL and publishes none";
const ROUTER: &str = "the router drops such records";
const JVM: &str = "it concerns the JVM";
const UNCONDITIONAL: &str = "Debezium no longer has it";

/// Known and ignored.
pub(super) const PROPERTIES: &[Property] = &[
    without_effect("skip.messages.without.change", ROUTER).checked(Kind::Boolean),
    without_effect("message.key.columns", "the router replaces the key"),
    without_effect("connect.keep.alive", KEEP_ALIVE).checked(Kind::Boolean),
    without_effect("connect.keep.alive.interval.ms", KEEP_ALIVE)
        .checked(Kind::Integer(1, i64::MAX)),
    without_effect("binlog.net.read.timeout", "nothing is written on the binlog connection")
        .checked(Kind::Integer(0, 2_147_483_647)),
    without_effect(
        "binlog.buffer.size",
        "a rolled-back transaction is never published, whatever its size",
    ),
    without_effect("include.query", "the router drops the query"),
    without_effect("include.schema.comments", NO_DDL),
    without_effect("ddl.parser.type", NO_DDL),
    without_effect("schema.history.internal", HISTORY).once(&["database.history"]),
    without_effect("schema.history.internal.kafka.bootstrap.servers", BROKERS)
        .once(&["database.history.kafka.bootstrap.servers"]),
    without_effect("schema.history.internal.*", HISTORY),
    without_effect("database.history.*", HISTORY),
    without_effect("snapshot.fetch.size", SNAPSHOT),
    without_effect("query.fetch.size", SNAPSHOT),
    without_effect("min.row.count.to.stream.results", SNAPSHOT),
    without_effect("snapshot.max.threads", SNAPSHOT),
    without_effect("snapshot.max.threads.multiplier", SNAPSHOT),
    without_effect("legacy.snapshot.max.threads", SNAPSHOT)
        .once(&["internal.legacy.snapshot.max.threads"]),
    without_effect("snapshot.tables.order.by.row.count", SNAPSHOT),
    without_effect("snapshot.query.mode.custom.name", SNAPSHOT),
    without_effect("snapshot.mode.custom.name", "`snapshot.mode` is not `custom`"),
    without_effect("snapshot.mode.configuration.based.*", "table layouts are read at every start"),
    without_effect("snapshot.lock.timeout.ms", NO_LOCKS),
    without_effect("snapshot.locking.mode.custom.name", NO_LOCKS),
    without_effect("database.query.timeout.ms", "queries are small and have a limit of their own"),
    without_effect("database.jdbc.driver", JVM),
    without_effect("database.protocol", JVM),
    without_effect("driver.*", JVM),
    without_effect("database.*", JVM),
    without_effect("database.server.id.offset", "one connection needs one server id"),
    without_effect("use.nongraceful.disconnect", "connections are simply closed"),
    without_effect("connection.validation.timeout.ms", "`connect.timeout.ms` takes its place"),
    without_effect("topic.cache.size", NAMES),
    without_effect("transaction.topic", "`topic.transaction` took its place"),
    without_effect("transaction.metadata.factory", "outflow loads no Java class"),
    without_effect("sourceinfo.struct.maker", "the router drops the source block"),
    without_effect("source.struct.version", "the router drops the source block"),
    without_effect("snapshot.events.as.inserts", "the router takes both alike"),
    without_effect("custom.metric.tags", "metrics are labelled by connector"),
    without_effect("custom.sanitize.pattern", "nothing of the configuration is shown"),
    without_effect("statistics.metrics.enabled", "metrics are always on"),
    without_effect("executor.shutdown.timeout.ms", "outflow has its own deadline for a stop"),
    without_effect("guardrail.collections.max", "tables that are not captured cost nothing"),
    without_effect(
        "guardrail.collections.limit.action",
        "tables that are not captured cost nothing",
    ),
    without_effect("memory.management.*", JVM),
    without_effect("queue.provider.type", JVM),
    without_effect("unavailable.value.placeholder", "MySQL sends every value"),
    without_effect("openlineage.integration.*", "outflow sends no lineage"),
    without_effect("internal.*", "it is internal to Debezium"),
    without_effect("custom.retriable.exception", "outflow knows by itself what waiting can cure"),
    without_effect("signal.poll.interval.ms", SIGNALS),
    without_effect("signal.enabled.channels", SIGNALS),
    without_effect("signal.kafka.*", SIGNALS),
    without_effect("signal.file", SIGNALS),
    without_effect("signal.consumer.*", SIGNALS),
    without_effect("incremental.snapshot.*", SIGNALS),
    without_effect("read.only", SIGNALS),
    without_effect("notification.*", "outflow sends no notifications"),
    // Debezium Server's.
    without_effect("offset.storage", STORE),
    without_effect("offset.storage.*", STORE),
    without_effect("offset.flush.*", STORE),
    without_effect("quarkus.*", JVM),
    without_effect("debezium.*", JVM),
    without_effect("snapshot.new.tables", UNCONDITIONAL),
    without_effect("snapshot.minimal.locks", UNCONDITIONAL),
    without_effect("gtid.new.channel.position", "a new source is always read from its start"),
];

const BROKERS: &str = "outflow keeps table layouts with its checkpoint; the address serves where no other names the brokers";

const ROWS: &str = "other rows would be published than the file asks for";
const SCHEMA: &str = "the topics of heartbeats would have other names";

/// Known and refused, but for values that change nothing.
pub(super) const REFUSED: &[Property] = &[
    elsewhere("column.mask.*"),
    elsewhere("column.truncate.*"),
    refused("post.processors", &[""], "values would be published as they are", "remove it"),
    refused("post.processors.*", &[""], "values would be published as they are", "remove it"),
    refused(
        "signal.data.collection",
        &[""],
        "outflow carries out no signals, and their rows would be taken for events",
        "remove it and leave the signal table out of `table.include.list`",
    ),
    refused("snapshot.query.mode", &["select_all"], ROWS, "write `select_all`"),
    refused(
        "snapshot.locking.mode",
        &["minimal", "extended", "none", "minimal_percona", "minimal_percona_no_table_locks"],
        "outflow loads no Java class, and Debezium has no other mode",
        "write `none`: a snapshot is one consistent read and takes no lock",
    ),
    refused(
        "topic.naming.strategy",
        &[
            "io.debezium.schema.SchemaTopicNamingStrategy",
            "io.debezium.schema.DefaultTopicNamingStrategy",
        ],
        SCHEMA,
        "remove it",
    ),
];
