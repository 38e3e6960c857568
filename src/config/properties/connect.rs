use super::{Kind, Property, RefusedValue, Words, elsewhere, used, without_effect};
use crate::config::{ExactlyOnceSupport, TransactionBoundary};

const SINKS_ONLY: &str = "only sink connectors have it";
const BOUNDARY: &str = "Kafka transactions end where MySQL's do";
const RETRIES: &str = "outflow retries by itself as long as waiting can help";

/// Kafka Connect's properties in a connector's file.
pub(super) const PROPERTIES: &[Property] = &[
    used("name", Kind::Text),
    without_effect("tasks.max", "one task reads a binlog").checked(Kind::Integer(1, 1_000_000)),
    without_effect("tasks.max.enforce", "one task reads a binlog"),
    without_effect("config.action.reload", "references are resolved once, at start"),
    without_effect("connector.plugin.version", "outflow has one version of everything"),
    without_effect("key.converter.plugin.version", "outflow has one version of everything"),
    without_effect("value.converter.plugin.version", "outflow has one version of everything"),
    without_effect("header.converter.plugin.version", "outflow has one version of everything"),
    elsewhere("key.converter"),
    elsewhere("key.converter.*"),
    elsewhere("value.converter"),
    elsewhere("value.converter.*"),
    elsewhere("header.converter"),
    elsewhere("header.converter.*"),
    elsewhere("transforms"),
    elsewhere("transforms.*"),
    elsewhere("predicates"),
    elsewhere("predicates.*"),
    elsewhere("producer.override.*"),
    without_effect("consumer.override.*", "outflow has no consumer of this kind"),
    without_effect("admin.override.*", "the producer's settings serve for making topics too"),
    used("errors.tolerance", Kind::Word(|| vec!["none", "all"])).or("none"),
    without_effect("errors.retry.timeout", RETRIES),
    without_effect("errors.retry.delay.max.ms", RETRIES),
    used("errors.log.enable", Kind::Boolean).or("false"),
    used("errors.log.include.messages", Kind::Boolean).or("false"),
    used("errors.deadletterqueue.topic.name", Kind::Text),
    without_effect(
        "errors.deadletterqueue.context.headers.enable",
        "dead letters always have them",
    )
    .checked(Kind::Boolean),
    without_effect("errors.deadletterqueue.*", SINKS_ONLY),
    used("topic.creation.groups", Kind::List),
    elsewhere("topic.creation.*"),
    used("exactly.once.support", Kind::Word(ExactlyOnceSupport::words)).or("requested"),
    used("outflow.transaction.split.rows", Kind::Integer(0, i64::MAX)).or("0").meaning(
        "With `exactly.once.support=required`: a MySQL transaction is split over several Kafka \
         transactions of at least so many rows; 0 never splits one, and stops at one that takes too long.",
    ),
    without_effect("transaction.boundary", BOUNDARY)
        .checked(Kind::Word(TransactionBoundary::words))
        .or("poll")
        .but_not(&[RefusedValue {
            value: "connector",
            reason: "Debezium's connector defines no boundaries",
            cure: "write `poll` or `interval`",
        }]),
    without_effect("transaction.boundary.interval.ms", BOUNDARY)
        .checked(Kind::Integer(0, i64::MAX)),
    used("offsets.storage.topic", Kind::Text),
];

/// A converter's options.
pub(super) const CONVERTER: &[Property] = &[
    used("schemas.enable", Kind::Boolean).or("true"),
    used("decimal.format", Kind::Word(|| vec!["base64", "numeric"])).or("base64"),
    used("replace.null.with.default", Kind::Boolean).or("true"),
    used("converter.encoding", Kind::Text).once(&["encoding"]),
    without_effect("converter.encoding.deserializer", "outflow only writes"),
    without_effect("schemas.cache.size", "it does not change what is written"),
    without_effect("schema.content", "it matters to readers only"),
    without_effect("converter.type", "the name before `.converter` says it"),
    used("delegate.converter.type", Kind::Text),
    elsewhere("delegate.converter.type.*"),
];

/// A group of topics that outflow makes.
pub(super) const TOPIC_CREATION: &[Property] = &[
    used("replication.factor", Kind::Integer(-1, 32_767)),
    used("partitions", Kind::Integer(-1, 2_147_483_647)),
    used("include", Kind::Text),
    used("exclude", Kind::Text),
];
