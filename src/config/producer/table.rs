/// What becomes of a producer's setting.
pub(super) enum Treatment {
    /// Read in another place.
    Elsewhere(&'static str),
    /// Part of the login: read together with its fellows.
    Login,
    /// Known, and without effect here.
    Without(&'static str),
    /// It would change what is published, unless it says what outflow does anyway.
    Only { allowed: &'static [&'static str], reason: &'static str },
    /// One word, passed on in lower case.
    Words { name: &'static str, words: &'static [&'static str] },
    /// A number, passed on under each name after division by the unit.
    Number { names: &'static [&'static str], min: i64, max: i64, unit: i64 },
    /// Passed on as it is.
    Text(&'static str),
}

use Treatment::{Elsewhere, Login, Number, Only, Text, Without, Words};

const fn number(names: &'static [&'static str], min: i64, max: i64) -> Treatment {
    Number { names, min, max, unit: 1 }
}

const INT_MAX: i64 = 2_147_483_647;
const CODECS: &[&str] = &["none", "gzip", "snappy", "lz4", "zstd"];
const BOOLEANS: &[&str] = &["true", "false"];
const IDEMPOTENT: &str =
    "outflow's producer is always idempotent and waits for every in-sync replica";
const PATIENT: &str = "outflow never gives a record up: it retries until the broker takes it";
const ORDER: &str = "records would be lost or overtake each other";
const PARTITIONS: &str = "keys would go to other partitions";
const JVM: &str = "it concerns the Java client";
const CALLBACK: &str = "outflow loads no Java class";
const FENCING: &str = "it is made of the worker's `group.id` and the connector's name, and two producers of one name fence \
                       each other";
const METRICS: &str = "metrics are Prometheus's, on the admin port";
const OLD: &str = "librdkafka no longer needs it";
const HOOK: &str = "it is a hook for programs, not a setting";
const CODEC: Treatment = Words { name: "compression.codec", words: CODECS };
const SERIALIZER: Treatment = Only {
    allowed: &[
        "org.apache.kafka.common.serialization.ByteArraySerializer",
        "org.apache.kafka.common.serialization.StringSerializer",
    ],
    reason: "the converters make the bytes",
};
const LINGER: Treatment = number(&["queue.buffering.max.ms"], 0, 900_000);
const IN_FLIGHT: Treatment = number(&["max.in.flight.requests.per.connection"], 1, 5);

/// The Java client's names first, then librdkafka's own.
pub(super) static TABLE: &[(&str, Treatment)] = &[
    ("bootstrap.servers", Elsewhere("where no place before it names the brokers")),
    ("acks", Only { allowed: &["all", "-1"], reason: ORDER }),
    ("enable.idempotence", Without(IDEMPOTENT)),
    ("retries", Without(PATIENT)),
    ("delivery.timeout.ms", Without(PATIENT)),
    ("max.block.ms", Without(PATIENT)),
    ("max.in.flight.requests.per.connection", IN_FLIGHT),
    ("compression.type", CODEC),
    ("compression.gzip.level", Without("write `compression.level`")),
    ("compression.lz4.level", Without("write `compression.level`")),
    ("compression.zstd.level", Without("write `compression.level`")),
    ("linger.ms", LINGER),
    ("batch.size", number(&["batch.size"], 1, INT_MAX)),
    ("max.request.size", number(&["message.max.bytes"], 1000, 1_000_000_000)),
    (
        "buffer.memory",
        Number { names: &["queue.buffering.max.kbytes"], min: 1, max: INT_MAX, unit: 1024 },
    ),
    ("request.timeout.ms", number(&["socket.timeout.ms", "request.timeout.ms"], 10, 300_000)),
    ("metadata.max.age.ms", number(&["topic.metadata.refresh.interval.ms"], 1, 3_600_000)),
    ("metadata.max.idle.ms", Without("librdkafka keeps what it needs")),
    (
        "metadata.recovery.strategy",
        Words { name: "metadata.recovery.strategy", words: &["none", "rebootstrap"] },
    ),
    (
        "metadata.recovery.rebootstrap.trigger.ms",
        number(&["metadata.recovery.rebootstrap.trigger.ms"], 0, INT_MAX),
    ),
    ("reconnect.backoff.ms", number(&["reconnect.backoff.ms"], 0, 3_600_000)),
    ("reconnect.backoff.max.ms", number(&["reconnect.backoff.max.ms"], 0, 3_600_000)),
    ("retry.backoff.ms", number(&["retry.backoff.ms"], 1, 300_000)),
    ("retry.backoff.max.ms", number(&["retry.backoff.max.ms"], 1, 300_000)),
    ("connections.max.idle.ms", number(&["connections.max.idle.ms"], 0, INT_MAX)),
    (
        "socket.connection.setup.timeout.ms",
        number(&["socket.connection.setup.timeout.ms"], 1000, INT_MAX),
    ),
    ("socket.connection.setup.timeout.max.ms", Without("librdkafka has one such time")),
    ("receive.buffer.bytes", number(&["socket.receive.buffer.bytes"], 0, 100_000_000)),
    ("send.buffer.bytes", number(&["socket.send.buffer.bytes"], 0, 100_000_000)),
    ("client.id", Text("client.id")),
    ("client.rack", Text("client.rack")),
    (
        "client.dns.lookup",
        Words {
            name: "client.dns.lookup",
            words: &["use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"],
        },
    ),
    ("enable.metrics.push", Words { name: "enable.metrics.push", words: BOOLEANS }),
    (
        "partitioner.class",
        Only {
            allowed: &["", "org.apache.kafka.clients.producer.internals.DefaultPartitioner"],
            reason: PARTITIONS,
        },
    ),
    ("partitioner.ignore.keys", Only { allowed: &["false"], reason: PARTITIONS }),
    ("partitioner.adaptive.partitioning.enable", Without("it concerns records without a key")),
    ("partitioner.availability.timeout.ms", Without("it concerns records without a key")),
    ("interceptor.classes", Only { allowed: &[""], reason: CALLBACK }),
    ("key.serializer", SERIALIZER),
    ("value.serializer", SERIALIZER),
    ("transactional.id", Only { allowed: &[], reason: FENCING }),
    ("transaction.timeout.ms", number(&["transaction.timeout.ms"], 1000, INT_MAX)),
    (
        "transaction.two.phase.commit.enable",
        Only {
            allowed: &["false"],
            reason: "a transaction would stay open until somebody ends it",
        },
    ),
    ("metric.reporters", Without(METRICS)),
    ("metrics.num.samples", Without(METRICS)),
    ("metrics.recording.level", Without(METRICS)),
    ("metrics.sample.window.ms", Without(METRICS)),
    ("auto.include.jmx.reporter", Without(METRICS)),
    ("config.providers", Without("references are resolved before")),
    ("security.providers", Without(JVM)),
    (
        "security.protocol",
        Words {
            name: "security.protocol",
            words: &["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"],
        },
    ),
    // SASL.
    ("sasl.mechanism", Login),
    ("sasl.jaas.config", Login),
    ("sasl.username", Login),
    ("sasl.password", Login),
    ("sasl.client.callback.handler.class", Only { allowed: &[""], reason: CALLBACK }),
    ("sasl.login.callback.handler.class", Only { allowed: &[""], reason: CALLBACK }),
    ("sasl.login.class", Only { allowed: &[""], reason: CALLBACK }),
    // TLS.
    ("ssl.truststore.type", Login),
    ("ssl.truststore.location", Login),
    ("ssl.truststore.password", Login),
    ("ssl.truststore.certificates", Login),
    ("ssl.keystore.type", Login),
    ("ssl.keystore.location", Login),
    ("ssl.keystore.password", Login),
    ("ssl.keystore.key", Login),
    ("ssl.keystore.certificate.chain", Login),
    ("ssl.key.password", Login),
    ("ssl.endpoint.identification.algorithm", Login),
    ("ssl.protocol", Without(JVM)),
    ("ssl.enabled.protocols", Without("OpenSSL agrees on the newest version that both sides have")),
    ("ssl.provider", Without(JVM)),
    ("ssl.keymanager.algorithm", Without(JVM)),
    ("ssl.trustmanager.algorithm", Without(JVM)),
    ("ssl.secure.random.implementation", Without(JVM)),
    ("ssl.engine.factory.class", Only { allowed: &[""], reason: CALLBACK }),
    ("ssl.client.auth", Without("it is a broker's setting")),
    ("ssl.cipher.suites", Text("ssl.cipher.suites")),
    // librdkafka's own names.
    ("request.required.acks", Only { allowed: &["all", "-1"], reason: ORDER }),
    ("message.timeout.ms", Without(PATIENT)),
    ("message.send.max.retries", Without(PATIENT)),
    ("max.in.flight", IN_FLIGHT),
    ("compression.codec", CODEC),
    ("compression.level", number(&["compression.level"], -1, 12)),
    ("queue.buffering.max.ms", LINGER),
    ("queue.buffering.max.messages", number(&["queue.buffering.max.messages"], 1, INT_MAX)),
    ("queue.buffering.max.kbytes", number(&["queue.buffering.max.kbytes"], 1, INT_MAX)),
    (
        "queue.buffering.backpressure.threshold",
        number(&["queue.buffering.backpressure.threshold"], 1, 1_000_000),
    ),
    ("batch.num.messages", number(&["batch.num.messages"], 1, 1_000_000)),
    ("message.max.bytes", number(&["message.max.bytes"], 1000, 1_000_000_000)),
    ("message.copy.max.bytes", number(&["message.copy.max.bytes"], 0, 1_000_000_000)),
    ("receive.message.max.bytes", number(&["receive.message.max.bytes"], 1000, INT_MAX)),
    ("sticky.partitioning.linger.ms", number(&["sticky.partitioning.linger.ms"], 0, 900_000)),
    (
        "topic.metadata.refresh.interval.ms",
        number(&["topic.metadata.refresh.interval.ms"], -1, 3_600_000),
    ),
    (
        "topic.metadata.refresh.fast.interval.ms",
        number(&["topic.metadata.refresh.fast.interval.ms"], 1, 60_000),
    ),
    (
        "topic.metadata.refresh.sparse",
        Words { name: "topic.metadata.refresh.sparse", words: BOOLEANS },
    ),
    (
        "topic.metadata.propagation.max.ms",
        number(&["topic.metadata.propagation.max.ms"], 0, 3_600_000),
    ),
    ("socket.timeout.ms", number(&["socket.timeout.ms"], 10, 300_000)),
    ("socket.send.buffer.bytes", number(&["socket.send.buffer.bytes"], 0, 100_000_000)),
    ("socket.receive.buffer.bytes", number(&["socket.receive.buffer.bytes"], 0, 100_000_000)),
    ("socket.keepalive.enable", Words { name: "socket.keepalive.enable", words: BOOLEANS }),
    ("socket.nagle.disable", Words { name: "socket.nagle.disable", words: BOOLEANS }),
    ("socket.max.fails", number(&["socket.max.fails"], 0, 1_000_000)),
    ("broker.address.ttl", number(&["broker.address.ttl"], 0, 86_400_000)),
    ("broker.address.family", Words { name: "broker.address.family", words: &["any", "v4", "v6"] }),
    ("statistics.interval.ms", number(&["statistics.interval.ms"], 0, 86_400_000)),
    ("log.connection.close", Words { name: "log.connection.close", words: BOOLEANS }),
    ("log_level", number(&["log_level"], 0, 7)),
    ("debug", Text("debug")),
    ("allow.auto.create.topics", Words { name: "allow.auto.create.topics", words: BOOLEANS }),
    ("api.version.request.timeout.ms", number(&["api.version.request.timeout.ms"], 1, 300_000)),
    ("sasl.mechanisms", Login),
    ("ssl.ca.location", Text("ssl.ca.location")),
    ("ssl.ca.pem", Text("ssl.ca.pem")),
    ("ssl.crl.location", Text("ssl.crl.location")),
    ("ssl.certificate.location", Text("ssl.certificate.location")),
    ("ssl.certificate.pem", Text("ssl.certificate.pem")),
    ("ssl.key.location", Text("ssl.key.location")),
    ("ssl.key.pem", Text("ssl.key.pem")),
    ("ssl.curves.list", Text("ssl.curves.list")),
    ("ssl.sigalgs.list", Text("ssl.sigalgs.list")),
    ("ssl.providers", Text("ssl.providers")),
    (
        "enable.ssl.certificate.verification",
        Words { name: "enable.ssl.certificate.verification", words: BOOLEANS },
    ),
    (
        "metadata.broker.list",
        Only { allowed: &[], reason: "`bootstrap.servers` names the brokers" },
    ),
    ("partitioner", Only { allowed: &["murmur2_random"], reason: PARTITIONS }),
    ("partitioner_cb", Only { allowed: &[], reason: HOOK }),
    ("queuing.strategy", Only { allowed: &["fifo"], reason: ORDER }),
    ("msg_order_cmp", Only { allowed: &[], reason: HOOK }),
    ("enable.gapless.guarantee", Without("a failed delivery stops the sender anyway")),
    (
        "delivery.report.only.error",
        Only { allowed: &["false"], reason: "checkpoints need every report" },
    ),
    ("topic.blacklist", Only { allowed: &[""], reason: "records of those topics would be lost" }),
    ("plugin.library.paths", Only { allowed: &[""], reason: "outflow loads no plugins" }),
    ("interceptors", Only { allowed: &[], reason: HOOK }),
    ("error_cb", Only { allowed: &[], reason: HOOK }),
    ("throttle_cb", Only { allowed: &[], reason: HOOK }),
    ("stats_cb", Only { allowed: &[], reason: HOOK }),
    ("log_cb", Only { allowed: &[], reason: HOOK }),
    ("dr_cb", Only { allowed: &[], reason: HOOK }),
    ("dr_msg_cb", Only { allowed: &[], reason: HOOK }),
    ("background_event_cb", Only { allowed: &[], reason: HOOK }),
    ("socket_cb", Only { allowed: &[], reason: HOOK }),
    ("connect_cb", Only { allowed: &[], reason: HOOK }),
    ("closesocket_cb", Only { allowed: &[], reason: HOOK }),
    ("open_cb", Only { allowed: &[], reason: HOOK }),
    ("resolve_cb", Only { allowed: &[], reason: HOOK }),
    ("opaque", Only { allowed: &[], reason: HOOK }),
    ("default_topic_conf", Only { allowed: &[], reason: HOOK }),
    ("oauthbearer_token_refresh_cb", Only { allowed: &[], reason: HOOK }),
    ("ssl.certificate.verify_cb", Only { allowed: &[], reason: HOOK }),
    ("ssl_key", Only { allowed: &[], reason: HOOK }),
    ("ssl_certificate", Only { allowed: &[], reason: HOOK }),
    ("ssl_ca", Only { allowed: &[], reason: HOOK }),
    ("ssl_engine_callback_data", Only { allowed: &[], reason: HOOK }),
    ("enabled_events", Without(HOOK)),
    ("log.queue", Without(HOOK)),
    ("internal.termination.signal", Without(HOOK)),
    ("log.thread.name", Without("outflow's log names the connector")),
    ("builtin.features", Without("it tells what librdkafka has")),
    ("enable.random.seed", Without("it changes nothing that is published")),
    ("enable.sasl.oauthbearer.unsecure.jwt", Without("outflow logs in by PLAIN or SCRAM")),
    ("https.ca.location", Without("the producer makes no HTTPS requests")),
    ("https.ca.pem", Without("the producer makes no HTTPS requests")),
    ("ssl.ca.certificate.stores", Without("it concerns Windows")),
    ("ssl.engine.location", Without(OLD)),
    ("ssl.engine.id", Without(OLD)),
    ("topic.metadata.refresh.fast.cnt", Without(OLD)),
    ("socket.blocking.max.ms", Without(OLD)),
    ("reconnect.backoff.jitter.ms", Without(OLD)),
    ("api.version.request", Without(OLD)),
    ("api.version.fallback.ms", Without(OLD)),
    ("broker.version.fallback", Without(OLD)),
    ("produce.offset.report", Without(OLD)),
];
