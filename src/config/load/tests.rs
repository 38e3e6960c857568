use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;

use super::super::{
    ConverterClass, DecimalHandling, ExactlyOnceSource, FieldNameAdjustment, MissingField,
    PlacementKind, SnapshotMode, TimePrecision, TlsMode,
};
use super::*;

/// A file of Debezium 1.x, as it came.
const SEED: &str = r#"{
  "name": "outbox-connector",
  "config": {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "database.hostname": "mysql",
    "database.port": "3306",
    "database.user": "debezium",
    "database.password": "dbz_pass",
    "database.server.id": "184054",
    "database.server.name": "outbox_server",
    "database.include.list": "order_db",
    "table.include.list": "order_db.outbox_events",
    "database.history.kafka.bootstrap.servers": "kafka:9092",
    "database.history.kafka.topic": "schema-changes",
    "transforms": "outbox",
    "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
    "transforms.outbox.route.topic.replacement": "order-events",
    "transforms.outbox.table.field.event.id": "id",
    "transforms.outbox.table.field.event.key": "aggregate_id",
    "transforms.outbox.table.field.event.type": "event_type",
    "transforms.outbox.table.field.event.payload": "payload",
    "transforms.outbox.table.fields.additional.placement": "status:header:eventStatus"
  }
}"#;

/// The least that a file needs, as properties.
const LEAST: &str = "name=n\n\
    connector.class=MySql\n\
    topic.prefix=p\n\
    database.hostname=h\n\
    database.user=u\n\
    database.server.id=7\n\
    transforms=o\n\
    transforms.o.type=io.debezium.transforms.outbox.EventRouter\n";

fn load_text(file: &str) -> Result<(ConnectorConfig, Report), Vec<Problem>> {
    load(&Inputs { file, ..Inputs::default() }, &Environment::default())
}

/// The least file and some more lines.
fn with(lines: &str) -> Result<(ConnectorConfig, Report), Vec<Problem>> {
    load_text(&format!("{LEAST}{lines}\n"))
}

fn with_worker(lines: &str, worker: &str) -> Result<(ConnectorConfig, Report), Vec<Problem>> {
    let file = format!("{LEAST}{lines}\n");
    let inputs = Inputs { file: &file, worker: Some(worker), ..Inputs::default() };
    load(&inputs, &Environment::default())
}

fn verdict(report: &Report, key: &str) -> Option<Verdict> {
    let mut rows = report.rows.iter().filter(|row| row.key == key);
    let verdict = rows.next().map(|row| row.verdict);
    assert!(rows.next().is_none(), "{key} has two rows");
    verdict
}

#[test]
fn the_seed_file_loads_unchanged() {
    let inputs = Inputs { file: SEED, needs_brokers: true, ..Inputs::default() };
    let (config, report) = load(&inputs, &Environment::default()).unwrap();
    assert_eq!((&*config.name, &*config.topic_prefix), ("outbox-connector", "outbox_server"));
    assert_eq!(config.source.hosts, ["mysql"]);
    assert_eq!(config.source.server_id, NonZeroU32::new(184_054).unwrap());
    assert_eq!(config.source.password.expose(), "dbz_pass");
    assert_eq!(config.sink.bootstrap_servers, "kafka:9092");
    assert_eq!(config.snapshot_mode, SnapshotMode::Initial);
    assert!(config.capture.tables.captures("order_db", "outbox_events"));
    let router = &config.router;
    assert_eq!((&*router.event_key, &*router.route_by), ("aggregate_id", "aggregatetype"));
    assert_eq!(router.event_type.as_deref(), Some("event_type"));
    assert!(router.topic_replacement.is_constant() && !router.context_headers);
    let placement = &router.placements[0];
    assert_eq!((&*placement.column, &*placement.alias), ("status", "eventStatus"));
    assert_eq!(placement.kind, PlacementKind::Header);
    assert_eq!(config.converters.key.class, ConverterClass::String);
    assert_eq!(config.converters.header.class, ConverterClass::SimpleHeader);
    assert_eq!(verdict(&report, "database.server.name"), Some(Verdict::Used));
    assert_eq!(verdict(&report, "database.history.kafka.topic"), Some(Verdict::WithoutEffect));
    assert_eq!(report.unknown().count(), 0);
    assert_eq!(report.rows.len(), 20);
}

#[test]
fn the_example_files_load() {
    let environment: Environment =
        [("OUTBOX_DATABASE_PASSWORD".to_owned(), "p4ss".to_owned())].into_iter().collect();
    let worker = include_str!("../../../connector-config/worker.properties");
    for file in [
        include_str!("../../../connector-config/outbox-connector.json"),
        include_str!("../../../connector-config/outbox-standard.json"),
    ] {
        let inputs = Inputs {
            file,
            worker: Some(worker),
            needs_brokers: true,
            strict: true,
            ..Inputs::default()
        };
        let (config, report) = load(&inputs, &environment).unwrap();
        assert_eq!(config.sink.bootstrap_servers, "127.0.0.1:9092");
        assert_eq!(config.sink.offsets_topic.as_deref(), Some("connect-offsets"));
        assert_eq!(config.worker.listeners, ["http://127.0.0.1:8083"]);
        assert!(!format!("{config:?}{report:?}").contains("p4ss"));
    }
}
