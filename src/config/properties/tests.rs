use super::*;

/// Every property of Debezium 3.6, of its EventRouter and of Kafka Connect that a file may hold, old names included.
const CONNECTORS: &str = "
    connector.class name topic.prefix database.hostname database.port database.user database.password
    database.server.id database.include.list database.exclude.list table.include.list table.exclude.list
    table.ignore.builtin column.include.list column.exclude.list snapshot.mode decimal.handling.mode
    bigint.unsigned.handling.mode time.precision.mode binary.handling.mode enable.time.adjuster
    extended.headers.enabled event.converting.failure.handling.mode event.processing.failure.handling.mode
    inconsistent.schema.handling.mode skipped.operations tombstones.on.delete heartbeat.interval.ms
    topic.heartbeat.prefix topic.heartbeat.name heartbeat.topics.prefix heartbeat.action.query
    gtid.source.includes gtid.source.excludes gtid.source.filter.dml.events gtid.ignore.on.recovery
    connect.timeout.ms connect.keep.alive connect.keep.alive.interval.ms binlog.net.read.timeout
    binlog.net.write.timeout database.ssl.mode database.ssl.keystore database.ssl.keystore.password
    database.ssl.truststore database.ssl.truststore.password max.batch.size max.queue.size
    max.queue.size.in.bytes poll.interval.ms errors.max.retries retriable.restart.connector.wait.ms
    provide.transaction.metadata include.schema.changes schema.history.internal.kafka.bootstrap.servers
    field.name.adjustment.mode schema.name.adjustment.mode converters snapshot.select.statement.overrides
    snapshot.select.statement.overrides.a.b snapshot.include.collection.list snapshot.locking.mode
    column.mask.with.12.chars column.mask.hash.SHA-256.with.salt.x column.mask.hash.v2.SHA-256.with.salt.x
    column.truncate.to.12.chars message.key.columns signal.data.collection signal.poll.interval.ms
    notification.enabled.channels incremental.snapshot.chunk.size read.only schema.history.internal
    schema.history.internal.kafka.topic schema.history.internal.kafka.recovery.poll.interval.ms
    schema.history.internal.kafka.recovery.attempts schema.history.internal.kafka.query.timeout.ms
    schema.history.internal.kafka.create.timeout.ms schema.history.internal.kafka.buffer.batch.size
    schema.history.internal.consumer.security.protocol schema.history.internal.producer.security.protocol
    schema.history.internal.file.filename schema.history.internal.skip.unparseable.ddl
    schema.history.internal.store.only.captured.tables.ddl
    schema.history.internal.store.only.captured.databases.ddl schema.history.internal.ddl.filter
    snapshot.delay.ms streaming.delay.ms snapshot.fetch.size query.fetch.size min.row.count.to.stream.results
    snapshot.lock.timeout.ms snapshot.max.threads snapshot.max.threads.multiplier legacy.snapshot.max.threads
    internal.legacy.snapshot.max.threads snapshot.tables.order.by.row.count snapshot.query.mode
    snapshot.query.mode.custom.name snapshot.mode.custom.name snapshot.locking.mode.custom.name
    snapshot.mode.configuration.based.snapshot.data snapshot.mode.configuration.based.snapshot.schema
    snapshot.mode.configuration.based.start.stream snapshot.mode.configuration.based.snapshot.on.schema.error
    snapshot.mode.configuration.based.snapshot.on.data.error database.initial.statements
    database.query.timeout.ms database.jdbc.driver database.protocol driver.useSSL database.server.id.offset
    use.nongraceful.disconnect connection.validation.timeout.ms binlog.buffer.size include.query
    event.deserialization.failure.handling.mode topic.naming.strategy topic.delimiter topic.cache.size
    topic.transaction ddl.parser.type include.schema.comments column.propagate.source.type
    datatype.propagate.source.type skip.messages.without.change post.processors sourceinfo.struct.maker
    transaction.metadata.factory custom.metric.tags custom.sanitize.pattern executor.shutdown.timeout.ms
    guardrail.collections.max guardrail.collections.limit.action statistics.metrics.enabled
    memory.management.x queue.provider.type unavailable.value.placeholder openlineage.integration.enabled
    internal.x custom.retriable.exception signal.enabled.channels signal.kafka.topic signal.file
    notification.sink.topic.name database.server.name database.history database.history.kafka.topic
    database.history.kafka.bootstrap.servers database.history.store.only.monitored.tables.ddl
    database.whitelist database.blacklist table.whitelist table.blacklist column.whitelist column.blacklist
    snapshot.new.tables snapshot.minimal.locks gtid.new.channel.position sanitize.field.names
    source.struct.version transaction.topic snapshot.events.as.inserts database.serverTimezone
    tasks.max tasks.max.enforce config.action.reload connector.plugin.version key.converter value.converter
    header.converter key.converter.schemas.enable transforms transforms.a.type predicates predicates.p.type
    errors.tolerance errors.retry.timeout errors.retry.delay.max.ms errors.log.enable
    errors.log.include.messages errors.deadletterqueue.topic.name topic.creation.groups
    topic.creation.default.partitions exactly.once.support transaction.boundary
    transaction.boundary.interval.ms offsets.storage.topic producer.override.acks consumer.override.x
    admin.override.x";

const ROUTERS: &str = "
    table.field.event.id table.field.event.key table.field.event.type table.field.event.payload
    table.field.event.timestamp table.field.event.schema.version table.fields.additional.placement
    table.field.additional.missing table.expand.json.payload table.json.payload.null.behavior
    table.json.payload.empty.array.behavior table.op.invalid.behavior route.by.field route.topic.regex
    route.topic.replacement route.tombstone.on.empty.payload field.name.adjustment.mode
    tracing.span.context.field tracing.operation.name tracing.with.context.field.only predicate negate
    debezium.op.invalid.behavior table.field.payload table.field.payload.id table.field.event.payload.id
    table.field.schema.version table.fields.additional.error.on.missing type";

const CONVERTERS: &str = "schemas.enable decimal.format replace.null.with.default schemas.cache.size
    schema.content converter.encoding delegate.converter.type delegate.converter.type.schemas.enable";

const TABLES: [Table; 6] = [CONNECTOR, ROUTER, CONVERTER, CUSTOM_CONVERTER, TOPIC_CREATION, WORKER];

#[test]
fn every_property_of_debezium_and_connect_is_known() {
    for (table, names) in [(CONNECTOR, CONNECTORS), (ROUTER, ROUTERS), (CONVERTER, CONVERTERS)] {
        for name in names.split_whitespace() {
            assert!(table.find(name).is_some(), "{name}");
        }
    }
}

#[test]
fn no_name_stands_twice_in_a_table() {
    for table in TABLES {
        let names = |p: &'static Property| std::iter::once(p.name).chain(p.aliases.iter().copied());
        let mut names: Vec<&str> = table.properties().flat_map(names).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

#[test]
fn every_default_can_stand() {
    for property in TABLES.into_iter().flat_map(Table::properties) {
        if let Some(default) = property.default {
            assert!(property.check(default).is_ok(), "{}", property.name);
        }
    }
}

#[test]
fn harmless_and_refused_values_are_told_apart() {
    for property in TABLES.into_iter().flat_map(Table::properties) {
        if let Effect::Refused { harmless, .. } = property.effect {
            for value in harmless {
                assert!(property.check(value).is_ok(), "{} {value}", property.name);
            }
            assert!(property.check("whatever").is_err_and(|fault| fault.refused));
        }
        for value in property.refused_values {
            assert!(property.check(value.value).is_err_and(|fault| fault.refused));
        }
    }
}

#[test]
fn words_that_are_refused_are_not_proposed() {
    let fault = CONNECTOR.named("snapshot.mode").check("nonsense").unwrap_err();
    assert_eq!(
        (fault.refused, &*fault.cure),
        (
            false,
            "write one of initial, no_data, schema_only, initial_only, when_needed, always, recovery, \
             schema_only_recovery, never, configuration_based"
        )
    );
}

#[test]
fn own_properties_have_a_default_and_a_meaning() {
    let own: Vec<_> = own_properties().collect();
    assert!(!own.is_empty());
    for (name, default, meaning) in own {
        assert!(!default.is_empty() && !meaning.is_empty(), "{name}");
    }
}

#[test]
fn booleans_are_trimmed_words_of_any_case() {
    for (text, value) in [
        ("true", Some(true)),
        (" TRUE\t", Some(true)),
        ("False", Some(false)),
        ("yes", None),
        ("1", None),
        ("", None),
        ("\u{a0}true", None),
    ] {
        assert_eq!(boolean(text), value, "{text:?}");
    }
}

#[test]
fn distances_count_slips_of_the_hand() {
    for (one, other, distance) in [
        ("", "", 0),
        ("", "abc", 3),
        ("abc", "abc", 0),
        ("abc", "acb", 1),
        ("tabel", "table", 1),
        ("hostnme", "hostname", 1),
        ("kitten", "sitting", 3),
    ] {
        assert_eq!(edit_distance(one, other), distance, "{one} {other}");
        assert_eq!(edit_distance(other, one), distance, "{other} {one}");
    }
}
