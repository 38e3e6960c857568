use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;

use super::super::{
    ConverterClass, ConvertersConfig, DecimalHandling, ExactlyOnceSource, FieldNameAdjustment,
    MissingField, PlacementKind, SkippedOperations, SnapshotMode, TimePrecision, TlsMode,
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

mod exactly_once;
mod problems;
mod transforms;

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

#[test]
fn nothing_but_defaults_is_needed() {
    let (config, report) = with("").unwrap();
    assert_eq!(config.source.port, 3306);
    assert_eq!(config.source.connect_timeout, Duration::from_secs(30));
    assert_eq!(config.source.heartbeat_period, Duration::from_secs(5));
    assert_eq!(config.source.net_write_timeout_s, 3600);
    assert_eq!(config.source.tls.mode, TlsMode::Preferred);
    assert_eq!(config.source.retries_max, None);
    assert!(config.source.gtid_filter_rows && !config.source.gtid_ignore_on_recovery);
    assert!(config.decode.time_adjuster && config.heartbeat.is_none());
    assert!(!config.capture.tables.captures("mysql", "user"));
    assert!(config.capture.tables.captures("any", "table"));
    assert_eq!(
        (
            config.skipped_operations.creates,
            config.skipped_operations.updates,
            config.tolerate_errors
        ),
        (false, false, false)
    );
    let router = &config.router;
    assert_eq!(
        (&*router.event_id, &*router.event_key, &*router.payload, &*router.route_by),
        ("id", "aggregateid", "payload", "aggregatetype")
    );
    assert_eq!((&router.event_type, &router.timestamp), (&None, &None));
    assert_eq!(router.topic_regex.pattern(), "(?<routedByValue>.*)");
    assert_eq!(router.topic_replacement.text(), "outbox.event.${routedByValue}");
    assert!(config.sink.topic_creation.is_none() && config.sink.producer.is_empty());
    assert!(report.rows.iter().all(|row| row.verdict == Verdict::Used));
    // DDL, context headers and the three converters.
    assert_eq!(report.notices.len(), 5, "{:?}", report.notices);
}

/// A line of a file and what must hold of the configuration.
type Claim = (&'static str, fn(&ConnectorConfig) -> bool);

const CLAIMS: &[Claim] = &[
    ("database.port= 3307 ", |c| c.source.port == 3307),
    ("database.hostname=a, b ,c.d-e_f", |c| c.source.hosts == ["a", "b", "c.d-e_f"]),
    ("database.server.id=4294967295", |c| c.source.server_id.get() == u32::MAX),
    ("database.ssl.mode=Verify_CA", |c| c.source.tls.mode == TlsMode::VerifyCa),
    ("binlog.net.write.timeout=5", |c| c.source.net_write_timeout_s == 5),
    ("errors.max.retries=3", |c| c.source.retries_max == Some(3)),
    ("outflow.heartbeat.period.ms=500", |c| {
        c.source.heartbeat_period == Duration::from_millis(500)
    }),
    ("database.initial.statements=SET a=1;SET b=2", |c| c.source.initial_statements.len() == 2),
    ("gtid.source.excludes=a,b", |c| matches!(&c.source.gtid_sources, Some((false, _)))),
    ("table.whitelist=a.b", |c| {
        c.capture.tables.captures("a", "b") && !c.capture.tables.captures("a", "c")
    }),
    ("table.exclude.list=a.b", |c| {
        !c.capture.tables.captures("a", "b") && c.capture.tables.captures("a", "c")
    }),
    ("database.include.list=  ", |c| c.capture.tables.databases.is_none()),
    ("table.ignore.builtin=false", |c| c.capture.tables.captures("mysql", "x")),
    ("column.blacklist=a.b.c", |c| !c.capture.columns.captures("a", "b", "c")),
    ("snapshot.include.collection.list=a.b", |c| c.capture.snapshot_tables.is_some()),
    ("snapshot.mode=NO_DATA", |c| c.snapshot_mode == SnapshotMode::NoData),
    ("snapshot.mode=schema_only", |c| c.snapshot_mode == SnapshotMode::NoData),
    ("decimal.handling.mode=String", |c| c.decode.decimal == DecimalHandling::String),
    ("time.precision.mode=isostring", |c| c.decode.time_precision == TimePrecision::IsoString),
    ("sanitize.field.names=true", |c| c.decode.field_names == FieldNameAdjustment::Avro),
    ("sanitize.field.names=true\nfield.name.adjustment.mode=none", |c| {
        c.decode.field_names == FieldNameAdjustment::None
    }),
    ("event.deserialization.failure.handling.mode=ignore", |c| {
        c.decode.processing_failure == super::super::FailureHandling::Skip
    }),
    (
        "converters=b\nb.type=io.debezium.connector.mysql.converters.TinyIntOneToBooleanConverter\n\
          b.selector=a.b.c\nb.length.checker=false",
        |c| c.decode.tiny_int_one.len() == 1 && !c.decode.tiny_int_one[0].length_checker,
    ),
    ("extended.headers.enabled=TRUE", |c| c.router.context_headers),
    ("skipped.operations=c,u", |c| c.skipped_operations.creates && c.skipped_operations.updates),
    ("skipped.operations=none", |c| c.skipped_operations == SkippedOperations::default()),
    ("errors.tolerance=all\nerrors.log.enable=true", |c| c.tolerate_errors && c.log_errors),
    ("heartbeat.interval.ms=1000", |c| {
        c.heartbeat.as_ref().unwrap().topic == "__debezium-heartbeat.p"
    }),
    ("heartbeat.interval.ms=1\nheartbeat.topics.prefix=hb\ntopic.delimiter=_", |c| {
        c.heartbeat.as_ref().unwrap().topic == "hb_p"
    }),
    ("heartbeat.interval.ms=1\ntopic.heartbeat.name=all", |c| {
        c.heartbeat.as_ref().unwrap().topic == "all"
    }),
    ("transforms.o.table.field.payload.id=k", |c| c.router.event_key == "k"),
    ("transforms.o.table.field.payload.id=k\ntransforms.o.table.field.event.key=m", |c| {
        c.router.event_key == "m"
    }),
    ("transforms.o.table.field.payload.id=k\ntransforms.o.table.field.event.payload.id=m", |c| {
        c.router.event_key == "m"
    }),
    ("transforms.o.table.fields.additional.error.on.missing=false", |c| {
        c.router.missing == MissingField::Ignore
    }),
    (
        "transforms.o.table.fields.additional.error.on.missing=false\n\
          transforms.o.table.field.additional.missing=error",
        |c| c.router.missing == MissingField::Error,
    ),
    ("transforms.o.table.json.payload.empty.array.behavior=Optional_String", |c| {
        c.router.json_empty_array_as_strings
    }),
    ("transforms.o.table.field.event.key=", |c| c.router.event_key.is_empty()),
    ("transforms.o.table.fields.additional.placement=a:header,b:partition", |c| {
        c.router.placements.len() == 2
    }),
    ("offsets.storage.topic=mine", |c| c.sink.offsets_topic.as_deref() == Some("mine")),
    ("key.converter.schemas.enable=false", |c| c.converters.key.class == ConverterClass::String),
    ("provide.transaction.metadata=false\nexactly.once.support=requested", |_| true),
    ("snapshot.locking.mode=minimal\nsnapshot.query.mode=select_all", |_| true),
    (
        "topic.creation.default.partitions=6\ntopic.creation.default.replication.factor=-1\n\
          topic.creation.default.cleanup.policy=compact\ntopic.creation.groups=x\n\
          topic.creation.x.include=out.*\ntopic.creation.x.partitions=1",
        |c| {
            let creation = c.sink.topic_creation.as_ref().unwrap();
            let (x, other) = (creation.settings("out1"), creation.settings("else"));
            x.partitions == 1
                && other.partitions == 6
                && x.replication_factor == -1
                && x.settings["cleanup.policy"] == "compact"
        },
    ),
];

#[test]
fn properties_become_typed_values() {
    for (lines, holds) in CLAIMS {
        // A line of the file replaces that of the least file.
        let outcome = with(lines);
        let (config, _) = outcome.unwrap_or_else(|problems| panic!("{lines}: {problems:?}"));
        assert!(holds(&config), "{lines}");
    }
}

#[test]
fn overrides_replace_the_file_and_unknown_providers_stay() {
    let set = [("database.hostname", "other"), ("database.port", "1"), ("database.port", "2")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
    let file = format!("{LEAST}database.password=${{vault:a:b}}\n");
    let inputs = Inputs { file: &file, set: &set, ..Inputs::default() };
    let (config, report) = load(&inputs, &Environment::default()).unwrap();
    assert_eq!((config.source.hosts, config.source.port), (vec!["other".to_owned()], 2));
    assert_eq!(config.source.password.expose(), "${vault:a:b}");
    assert_eq!(verdict(&report, "database.hostname"), Some(Verdict::Used));
}

#[test]
fn brokers_are_looked_up_in_order() {
    let variable: Environment =
        [("OUTFLOW_BOOTSTRAP_SERVERS".to_owned(), "variable:1".to_owned())].into_iter().collect();
    let places = "producer.override.bootstrap.servers=override:1\n\
                  schema.history.internal.kafka.bootstrap.servers=history:1\n\
                  database.history.kafka.bootstrap.servers=old:1\n";
    let worker = "bootstrap.servers = worker:1 , worker:2\n";
    let line = |text: &str, count: usize| -> String {
        text.lines().skip(count).map(|line| format!("{line}\n")).collect()
    };
    let none = Environment::default();
    let cases = [
        (Some("flag:1"), &variable, Some(worker), line(places, 0), "flag:1"),
        (None, &variable, Some(worker), line(places, 0), "variable:1"),
        (None, &none, Some(worker), line(places, 0), "worker:1,worker:2"),
        (None, &none, None, line(places, 0), "override:1"),
        (None, &none, None, line(places, 1), "history:1"),
        (None, &none, None, line(places, 2), "old:1"),
    ];
    for (flag, environment, worker, lines, expected) in cases {
        let file = format!("{LEAST}{lines}");
        let inputs = Inputs {
            file: &file,
            worker,
            bootstrap_servers: flag,
            needs_brokers: true,
            ..Inputs::default()
        };
        let (config, report) = load(&inputs, environment).unwrap();
        assert_eq!(config.sink.bootstrap_servers, expected);
        assert!(report.notices.iter().any(|notice| notice.contains("address comes from")));
    }
    let inputs = Inputs { file: LEAST, bootstrap_servers: Some("k"), ..Inputs::default() };
    let problems = load(&inputs, &none).unwrap_err();
    assert_eq!(problems[0].property(), Some("--bootstrap-servers"));
}

#[test]
fn converters_are_chosen_by_one_file_with_that_files_options() {
    let json = "org.apache.kafka.connect.json.JsonConverter";
    let worker = format!(
        "key.converter={json}\nkey.converter.schemas.enable=false\nvalue.converter={json}\n"
    );
    // The connector names the value's converter, and only says an option for the key's.
    let (config, report) = with_worker(
        "key.converter.schemas.enable=true\nvalue.converter=JsonConverter\n\
         value.converter.decimal.format=NUMERIC\nheader.converter=String\n\
         header.converter.schemas.enable=false",
        &worker,
    )
    .unwrap();
    let ConvertersConfig { key, value, header } = &config.converters;
    assert_eq!((key.class, key.schemas_enable), (ConverterClass::Json, false));
    assert_eq!((value.class, value.schemas_enable), (ConverterClass::Json, true));
    assert!(value.decimal_numeric && value.replace_null_with_default);
    assert_eq!(header.class, ConverterClass::String);
    for key in [
        "key.converter.schemas.enable",
        "header.converter.schemas.enable",
        "value.converter (worker file)",
    ] {
        assert_eq!(verdict(&report, key), Some(Verdict::WithoutEffect), "{key}");
    }
    assert_eq!(verdict(&report, "key.converter (worker file)"), Some(Verdict::Used));
}

#[test]
fn a_binary_converter_has_a_delegate() {
    let (config, report) = with(
        "value.converter=io.debezium.converters.ByteArrayConverter\n\
         value.converter.delegate.converter.type=org.apache.kafka.connect.json.JsonConverter\n\
         value.converter.delegate.converter.type.schemas.enable=false",
    )
    .unwrap();
    let value = &config.converters.value;
    assert_eq!(value.class, ConverterClass::BinaryData);
    let delegate = value.delegate.as_ref().unwrap();
    assert_eq!((delegate.class, delegate.schemas_enable), (ConverterClass::Json, false));
    assert_eq!(verdict(&report, "value.converter.delegate.converter.type"), Some(Verdict::Used));
    let option = "value.converter.delegate.converter.type.schemas.enable";
    assert_eq!(verdict(&report, option), Some(Verdict::Used));
}

#[test]
fn the_workers_facts_are_read() {
    let (config, report) = with_worker(
        "",
        "group.id=g\nlisteners=http://:8083, http://x:1\noffset.storage.topic=offsets\n\
         exactly.once.source.support=ENABLED\nplugin.path=/x\nrest.port=1\n\
         config.providers=v\nconfig.providers.v.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider\n\
         config.providers.v.param.allowlist.pattern=.*\n",
    )
    .unwrap();
    assert_eq!(config.worker.group_id.as_deref(), Some("g"));
    assert_eq!(config.worker.listeners, ["http://:8083", "http://x:1"]);
    assert_eq!(config.worker.exactly_once_source, ExactlyOnceSource::Enabled);
    assert_eq!(config.sink.offsets_topic.as_deref(), Some("offsets"));
    assert_eq!(verdict(&report, "plugin.path (worker file)"), Some(Verdict::WithoutEffect));

    let environment: Environment = [("USER".to_owned(), "app".to_owned())].into_iter().collect();
    let worker = "config.providers=v\nconfig.providers.v.class=a.EnvVarConfigProvider\n";
    let file = LEAST.replace("database.user=u", "database.user=${v:USER}");
    let inputs = Inputs { file: &file, worker: Some(worker), ..Inputs::default() };
    assert_eq!(load(&inputs, &environment).unwrap().0.source.user, "app");

    let problems =
        with_worker("", "config.providers=v\nconfig.providers.v.class=a.Vault\n").unwrap_err();
    assert_eq!(problems[0].property(), Some("config.providers.v.class (worker file)"));
}

#[test]
fn every_key_has_exactly_one_row() {
    let keys = "table.include.list=a.b\ndatabase.blacklist=c\nkey.converter=Json\n\
        key.converter.schemas.enable=false\nkey.converter.nonsense=1\n\
        value.converter.schemas.enable=false\npredicates=p\npredicates.p.type=x\n\
        transforms.q.type=x\ntransforms.o.table.field.payload=p\ntransforms.o.nonsense=1\n\
        producer.override.acks=all\nproducer.override.linger.ms=1\nproducer.override.nonsense=1\n\
        producer.override.bootstrap.servers=k:1\nconsumer.override.x=1\n\
        topic.creation.default.partitions=1\ntopic.creation.default.replication.factor=1\n\
        topic.creation.default.retention.ms=1\ntopic.creation.x.partitions=1\n\
        topic.heartbeat.prefix=a\nheartbeat.topics.prefix=b\nconverters=c\n\
        c.type=io.debezium.connector.mysql.converters.TinyIntOneToBooleanConverter\nc.x=1\n\
        tasks.max=2\nnonsense=1\ndriver.x=1\nschema.history.internal.kafka.topic=t\n\
        errors.deadletterqueue.topic.name=t\nkey.converter.plugin.version=1\n";
    let worker = "bootstrap.servers=k:1\nkey.converter=String\nkey.converter.x=1\n\
        value.converter=String\nheader.converter.x=1\nproducer.linger.ms=1\n\
        security.protocol=SSL\nssl.truststore.type=PEM\ngroup.id=g\nplugin.path=x\nnonsense=1\n\
        config.providers=file\nconfig.providers.file.class=a.FileConfigProvider\n\
        config.providers.file.param.x=1\nvalue.converter.plugin.version=1\n";
    let (_, report) = with_worker(keys, worker).unwrap();
    let mut expected: Vec<String> = format!("{LEAST}{keys}")
        .lines()
        .map(|line| line.split('=').next().unwrap().to_owned())
        .collect();
    expected.extend(
        worker.lines().map(|line| format!("{}{OF_WORKER}", line.split('=').next().unwrap())),
    );
    let rows: Vec<&str> = report.rows.iter().map(|row| row.key.as_str()).collect();
    assert_eq!(rows, expected);
    let unknown: Vec<&str> = report.unknown().map(|row| row.key.as_str()).collect();
    assert_eq!(
        unknown,
        [
            "transforms.o.nonsense",
            "producer.override.nonsense",
            "c.x",
            "nonsense",
            "nonsense (worker file)"
        ]
    );
}

#[test]
fn a_repeated_key_is_noticed_and_the_last_counts() {
    let (config, report) = with("database.port=1\ndatabase.port=2").unwrap();
    assert_eq!(config.source.port, 2);
    assert!(report.notices.iter().any(|notice| notice.contains("`database.port` stands more")));
}

#[test]
fn debezium_servers_form_loads() {
    let text = "debezium.sink.type=kafka\n\
        debezium.sink.kafka.producer.bootstrap.servers=k:9092\n\
        debezium.sink.kafka.producer.key.serializer=org.apache.kafka.common.serialization.StringSerializer\n\
        debezium.source.connector.class=io.debezium.connector.mysql.MySqlConnector\n\
        debezium.source.offset.storage.file.filename=data/offsets.dat\n\
        debezium.source.offset.flush.interval.ms=0\n\
        debezium.source.database.hostname=h\ndebezium.source.database.user=u\n\
        debezium.source.database.server.id=1\ndebezium.source.topic.prefix=p\n\
        debezium.transforms=outbox\n\
        debezium.transforms.outbox.type=io.debezium.transforms.outbox.EventRouter\n\
        debezium.format.value.schemas.enable=false\nquarkus.log.level=INFO\n";
    let inputs = Inputs { file: text, needs_brokers: true, strict: true, ..Inputs::default() };
    let (config, report) = load(&inputs, &Environment::default()).unwrap();
    assert_eq!((&*config.name, &*config.sink.bootstrap_servers), ("kafka", "k:9092"));
    let ConvertersConfig { key, value, .. } = &config.converters;
    assert_eq!((key.class, key.schemas_enable), (ConverterClass::Json, true));
    assert_eq!((value.class, value.schemas_enable), (ConverterClass::Json, false));
    assert_eq!(verdict(&report, "debezium.source.database.hostname"), Some(Verdict::Used));
}

proptest! {
    #[test]
    fn any_properties_are_loaded_or_refused(
        lines in proptest::collection::vec("(transforms|transforms\\.o\\.[a-z.]{0,12}|converters|[kv]\\.type|\
            topic\\.creation\\.[a-z.]{0,8}|producer\\.override\\.(acks|ssl\\.|linger\\.ms|sasl\\.jaas\\.config)|\
            database\\.[a-z.]{0,10}|key\\.converter[a-z.]{0,6}|[a-z.]{0,20})=[^\n]{0,12}", 0..8)
    ) {
        let text = format!("{LEAST}{}\n", lines.join("\n"));
        let _outcome = load_text(&text);
    }

    #[test]
    fn any_text_is_loaded_or_refused(text in "(?s).{0,60}") {
        let _outcome = with_worker(&text, &text);
    }
}
