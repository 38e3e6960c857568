use super::*;

/// Lines of a file and the property that they get wrong.
const WRONG: &[(&str, &str)] = &[
    ("connector.class=io.debezium.connector.postgresql.PostgresConnector", "connector.class"),
    ("topic.prefix=a b", "topic.prefix"),
    ("topic.prefix=a/b", "topic.prefix"),
    ("database.hostname=::1", "database.hostname"),
    ("database.hostname=a:3306", "database.hostname"),
    ("database.hostname=,", "database.hostname"),
    ("database.hostname=", "database.hostname"),
    ("database.port=0", "database.port"),
    ("database.port=65536", "database.port"),
    ("database.port=x", "database.port"),
    ("database.server.id=0", "database.server.id"),
    ("database.server.id=4294967296", "database.server.id"),
    ("database.ssl.mode=yes", "database.ssl.mode"),
    ("enable.time.adjuster=yes", "enable.time.adjuster"),
    ("table.ignore.builtin=1", "table.ignore.builtin"),
    ("table.include.list=a(", "table.include.list"),
    ("table.include.list=a\ntable.exclude.list=b", "table.exclude.list"),
    ("table.whitelist=a\ntable.blacklist=b", "table.blacklist"),
    ("database.include.list=a\ndatabase.exclude.list=b", "database.exclude.list"),
    ("column.include.list=a\ncolumn.exclude.list=b", "column.exclude.list"),
    ("gtid.source.includes=a\ngtid.source.excludes=b", "gtid.source.excludes"),
    ("max.queue.size=100", "max.queue.size"),
    ("max.queue.size=100\nmax.batch.size=100", "max.queue.size"),
    ("max.batch.size=0", "max.batch.size"),
    ("snapshot.mode=custom", "snapshot.mode"),
    ("snapshot.mode=configuration_based", "snapshot.mode"),
    (
        "snapshot.mode=configuration_based\nsnapshot.mode.configuration.based.start.stream=true\n\
          snapshot.mode.configuration.based.snapshot.on.data.error=true",
        "snapshot.mode",
    ),
    ("snapshot.mode=nonsense", "snapshot.mode"),
    ("time.precision.mode=adaptive", "time.precision.mode"),
    ("skipped.operations=x", "skipped.operations"),
    ("skipped.operations=none,c", "skipped.operations"),
    ("exactly.once.support=perhaps", "exactly.once.support"),
    ("transaction.boundary=connector", "transaction.boundary"),
    ("provide.transaction.metadata=yes", "provide.transaction.metadata"),
    (
        "provide.transaction.metadata=true\ntransaction.metadata.factory=a.B",
        "transaction.metadata.factory",
    ),
    ("column.mask.with.5.chars=(", "column.mask.with.5.chars"),
    ("column.mask.hash.MD4.with.salt.s=a.b.c", "column.mask.hash.MD4.with.salt.s"),
    ("column.truncate.to.many.chars=a.b.c", "column.truncate.to.many.chars"),
    ("signal.data.collection=a.signals", "signal.data.collection"),
    ("snapshot.locking.mode=custom", "snapshot.locking.mode"),
    ("snapshot.select.statement.overrides=a.b", "snapshot.select.statement.overrides.a.b"),
    ("post.processors=x", "post.processors"),
    ("topic.naming.strategy=com.acme.Names", "topic.naming.strategy"),
    ("converters=x", "x.type"),
    ("converters=x\nx.type=com.acme.Converter", "x.type"),
    ("key.converter=io.confluent.connect.avro.AvroConverter", "key.converter"),
    ("key.converter=org.apache.kafka.connect.storage.SimpleHeaderConverter", "key.converter"),
    ("value.converter=Json\nvalue.converter.schemas.enable=no", "value.converter.schemas.enable"),
    ("value.converter=Json\nvalue.converter.decimal.format=TEXT", "value.converter.decimal.format"),
    ("value.converter=Json\ncolumn.propagate.source.type=.*", "column.propagate.source.type"),
    (
        "value.converter=String\nvalue.converter.converter.encoding=klingon",
        "value.converter.converter.encoding",
    ),
    ("transforms=", "transforms"),
    ("transforms=o,o", "transforms"),
    ("transforms=o,p", "transforms.p.type"),
    ("transforms=o,p\ntransforms.p.type=com.acme.Mask", "transforms.p.type"),
    ("transforms=o,p\ntransforms.p.type=EventRouter", "transforms.p.type"),
    ("transforms.o.predicate=p", "transforms.o.predicate"),
    ("predicates=q\ntransforms.o.predicate=p", "transforms.o.predicate"),
    ("predicates=p\ntransforms.o.predicate=p", "predicates.p.type"),
    ("predicates=p,p", "predicates"),
    ("predicates=p\npredicates.p.type=com.acme.Day\ntransforms.o.predicate=p", "predicates.p.type"),
    (
        "predicates=p\npredicates.p.type=TopicNameMatches\ntransforms.o.predicate=p",
        "predicates.p.pattern",
    ),
    (
        "predicates=p\npredicates.p.type=TopicNameMatches\npredicates.p.pattern=(\n\
          transforms.o.predicate=p",
        "predicates.p.pattern",
    ),
    (
        "predicates=p\npredicates.p.type=RecordIsTombstone\ntransforms.o.predicate=p\n\
          transforms.o.negate=1",
        "transforms.o.negate",
    ),
    (
        "predicates=p\npredicates.p.type=RecordIsTombstone\ntransforms.o.predicate=p\n\
          transforms.o.negate=true\nmessage.key.columns=a.b:c",
        "message.key.columns",
    ),
    ("transforms=f,o\ntransforms.f.type=Filter", "transforms.f.type"),
    (
        "transforms=f,o\ntransforms.f.type=Filter\ntransforms.f.predicate=p",
        "transforms.f.predicate",
    ),
    ("transforms=d,o\ntransforms.d.type=DropHeaders\ntransforms.d.headers=id", "transforms.d.type"),
    ("transforms=o,d\ntransforms.d.type=DropHeaders", "transforms.d.headers"),
    (
        "transforms=o,r\ntransforms.r.type=RegexRouter\ntransforms.r.regex=(\n\
          transforms.r.replacement=x",
        "transforms.r.regex",
    ),
    ("transforms.o.route.topic.regex=(", "transforms.o.route.topic.regex"),
    ("transforms.o.route.topic.regex=(.*)", "transforms.o.route.topic.replacement"),
    ("transforms.o.route.topic.replacement=", "transforms.o.route.topic.replacement"),
    ("transforms.o.table.expand.json.payload=1", "transforms.o.table.expand.json.payload"),
    ("transforms.o.table.op.invalid.behavior=", "transforms.o.table.op.invalid.behavior"),
    (
        "transforms.o.table.fields.additional.placement=a:body",
        "transforms.o.table.fields.additional.placement",
    ),
    (
        "topic.creation.default.partitions=0\ntopic.creation.default.replication.factor=1",
        "topic.creation.default.partitions",
    ),
    ("topic.creation.default.partitions=1", "topic.creation.default.replication.factor"),
    (
        "topic.creation.default.partitions=1\ntopic.creation.default.replication.factor=1\n\
          topic.creation.groups=x\ntopic.creation.x.include=(",
        "topic.creation.x.include",
    ),
    ("name=a\\u0007b", "name"),
    ("name=", "name"),
];

#[test]
fn each_wrong_value_is_one_problem_that_names_its_property() {
    for (lines, property) in WRONG {
        let problems = with(lines).err().unwrap_or_else(|| panic!("{lines} is accepted"));
        let names: Vec<_> = problems.iter().filter_map(Problem::property).collect();
        assert_eq!(names, [*property], "{lines}: {problems:?}");
    }
}

#[test]
fn an_empty_file_names_everything_that_is_missing() {
    let inputs = Inputs { file: "{}", needs_brokers: true, ..Inputs::default() };
    let problems = load(&inputs, &Environment::default()).unwrap_err();
    assert!(problems.iter().all(|problem| matches!(problem, Problem::Missing { .. })));
    let names: Vec<_> = problems.iter().filter_map(Problem::property).collect();
    let expected = [
        "name",
        "connector.class",
        "topic.prefix",
        "database.server.id",
        "database.hostname",
        "database.user",
        "transforms",
        "bootstrap.servers",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_message_names_property_value_and_cure() {
    let problems = with("database.port=99999\nsnapshot.mode=custom").unwrap_err();
    let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "`database.port` = \"99999\" is out of range; write an integer from 1 to 65535",
            "`snapshot.mode` = \"custom\" is not supported: outflow loads no Java class; write `initial` to publish the rows \
             already there first, or `no_data` not to",
        ]
    );
}

#[test]
fn a_near_name_is_suggested_and_strict_makes_it_an_error() {
    let slips = [
        ("tabel.include.list", Some("table.include.list")),
        ("database.hostnme", Some("database.hostname")),
        ("snapshot.mod", Some("snapshot.mode")),
        ("transforms.o.route.by.fields", Some("transforms.o.route.by.field")),
        (
            "schema.history.internal.kafka.bootstrap.server",
            Some("schema.history.internal.kafka.bootstrap.servers"),
        ),
        ("something.else.entirely", None),
    ];
    for (key, near) in slips {
        let (_, report) = with(&format!("{key}=x")).unwrap();
        let row = report.unknown().next().unwrap_or_else(|| panic!("{key}"));
        assert_eq!(row.key, key);
        match near {
            Some(near) => assert_eq!(row.reason, format!("did you mean `{near}`?")),
            None => assert!(!row.reason.contains("mean"), "{}", row.reason),
        }
        let file = format!("{LEAST}{key}=x\n");
        let inputs = Inputs { file: &file, strict: true, ..Inputs::default() };
        let problems = load(&inputs, &Environment::default()).unwrap_err();
        let nearest = near.map(str::to_owned);
        assert_eq!(problems, [Problem::Unknown { property: key.to_owned(), nearest }]);
    }
    for known in ["database.serverTimezone", "database.useSSL", "driver.x", "internal.x"] {
        let (_, report) = with(&format!("{known}=x")).unwrap();
        assert_eq!(verdict(&report, known), Some(Verdict::WithoutEffect), "{known}");
    }
}

#[test]
fn a_misspelt_property_that_is_missed_is_pointed_at() {
    let file = LEAST.replace("topic.prefix", "topic.prefx");
    let problems = load_text(&file).unwrap_err();
    assert_eq!(
        problems[0].to_string(),
        "`topic.prefix` is missing; the file has `topic.prefx` instead"
    );
}

#[test]
fn secrets_are_resolved_and_never_shown() {
    let environment: Environment = [("PORT", "hunter2"), ("PASS", "hunter2"), ("PLACE", "hunter2")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into_iter()
        .collect();
    let file = format!(
        "{LEAST}database.password=${{env:PASS}}\ndatabase.port=${{env:PORT}}\n\
         table.include.list=${{env:PASS}}(\n\
         producer.override.sasl.jaas.config=M required password=\"hunter2\"\n\
         transforms.o.table.fields.additional.placement=${{env:PLACE}}\n\
         transforms.o.route.topic.replacement=${{hunter}}${{env:PASS}}\n\
         schema.history.internal.kafka.bootstrap.servers=${{env:PASS}}\n\
         database.user=${{env:NOBODY}}\ndatabase.server.id=${{env:NOBODY}}\n"
    );
    let (config, report) = check(&Inputs { file: &file, ..Inputs::default() }, &environment);
    let problems = config.unwrap_err();
    assert_eq!(problems.len(), 8, "{problems:?}");
    let text = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(!text.contains("hunter2") && !format!("{problems:?}{report:?}").contains("hunter2"));
    assert!(text.contains(
        "`database.user` refers to `${env:NOBODY}`: the environment has no variable `NOBODY`"
    ));

    let file = format!("{LEAST}database.password=a${{env:PASS}}b\n");
    let (config, _) = load(&Inputs { file: &file, ..Inputs::default() }, &environment).unwrap();
    assert_eq!(config.source.password.expose(), "ahunter2b");
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn key_stores_are_looked_at_unless_tls_is_off() {
    let folder = std::env::temp_dir().join(format!("outflow-stores-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in
        [("p12", &b"\x30\x82"[..]), ("jceks", b"\xce\xce\xce\xce"), ("txt", b"hello")]
    {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let store = |name: &str| format!("database.ssl.truststore={}/{name}", folder.display());
    let (config, _) =
        with(&format!("{}\ndatabase.ssl.truststore.password=x", store("p12"))).unwrap();
    let (path, password) = config.source.tls.truststore.unwrap();
    assert_eq!((path, password.expose()), (folder.join("p12"), "x"));
    for name in ["jceks", "txt", "none"] {
        let problems = with(&store(name)).unwrap_err();
        let names: Vec<_> = problems.iter().filter_map(Problem::property).collect();
        assert_eq!(names, ["database.ssl.truststore"]);
        assert!(with(&format!("{}\ndatabase.ssl.mode=disabled", store(name))).is_ok());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
