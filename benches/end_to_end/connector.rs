use serde_json::{Value, json};

use crate::bench::Bench;

/// The connector's name, which is its topic prefix too.
pub(crate) const NAME: &str = "bench";
/// Decides on the topic.
pub(crate) const TOPIC: &str = "transforms.outbox.route.topic.replacement";

/// The connector's file; both subjects get the same.
pub(crate) fn file(bench: &Bench, tables: &str) -> Value {
    json!({"name": NAME, "config": {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "tasks.max": "1",
        "database.hostname": "127.0.0.1",
        "database.port": bench.mysql_port.to_string(),
        "database.user": "debezium",
        "database.password": "dbz_pass",
        "database.server.id": "7001",
        "topic.prefix": NAME,
        "database.include.list": "bench",
        "table.include.list": tables,
        "snapshot.mode": "no_data",
        "snapshot.locking.mode": "none",
        "schema.history.internal.kafka.bootstrap.servers": bench.brokers,
        "schema.history.internal.kafka.topic": "bench-schema",
        "include.schema.changes": "false",
        "extended.headers.enabled": "false",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
        "transforms": "outbox",
        "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
        "transforms.outbox.table.fields.additional.placement": "type:header:eventType",
        TOPIC: "bench-unused",
    }})
}
