use super::table::TABLE;
use super::*;

fn entries(lines: &[(&str, &str)]) -> Vec<Entry> {
    let entry = |(key, value): &(&str, &str)| {
        let key = format!("producer.override.{key}");
        Entry::new(&key, &key, (*value).to_owned(), false)
    };
    lines.iter().map(entry).collect()
}

fn gather(lines: &[(&str, &str)]) -> (BTreeMap<String, String>, Findings) {
    let mut findings = Findings::default();
    let mut settings = ProducerSettings::default();
    settings.take("producer.override.", &entries(lines), &mut findings);
    let settings = settings.finish(&mut findings);
    let shown = settings.into_iter().map(|(name, value)| (name, value.expose().to_owned()));
    (shown.collect(), findings)
}

/// Names with their values.
type Lines = &'static [(&'static str, &'static str)];

#[test]
fn javas_names_become_librdkafkas() {
    let cases: &[(Lines, Lines)] = &[
        (&[("acks", "all")], &[]),
        (&[("acks", "-1"), ("enable.idempotence", "false"), ("retries", "3")], &[]),
        (&[("compression.type", "ZSTD")], &[("compression.codec", "zstd")]),
        (&[("linger.ms", "7")], &[("queue.buffering.max.ms", "7")]),
        (&[("batch.size", "0")], &[("batch.size", "1")]),
        (&[("max.request.size", "2097152")], &[("message.max.bytes", "2097152")]),
        (&[("buffer.memory", "33554433")], &[("queue.buffering.max.kbytes", "32769")]),
        (
            &[("request.timeout.ms", "40000")],
            &[("request.timeout.ms", "40000"), ("socket.timeout.ms", "40000")],
        ),
        (
            &[("metadata.max.age.ms", "9999999")],
            &[("topic.metadata.refresh.interval.ms", "3600000")],
        ),
        (&[("connections.max.idle.ms", "-1")], &[("connections.max.idle.ms", "0")]),
        (
            &[("max.in.flight.requests.per.connection", "1")],
            &[("max.in.flight.requests.per.connection", "1")],
        ),
        (&[("security.protocol", "SASL_SSL")], &[("security.protocol", "sasl_ssl")]),
        (
            &[
                ("sasl.mechanism", "scram-sha-512"),
                ("sasl.jaas.config", "a.ScramLoginModule required username='u' password='p';"),
            ],
            &[("sasl.mechanisms", "SCRAM-SHA-512"), ("sasl.password", "p"), ("sasl.username", "u")],
        ),
        (
            &[("ssl.endpoint.identification.algorithm", "")],
            &[("ssl.endpoint.identification.algorithm", "none")],
        ),
        (
            &[("ssl.truststore.type", "PEM"), ("ssl.truststore.certificates", "C")],
            &[("ssl.ca.pem", "C")],
        ),
        (
            &[("ssl.keystore.key", "K"), ("ssl.keystore.certificate.chain", "C")],
            &[("ssl.certificate.pem", "C"), ("ssl.key.pem", "K")],
        ),
        (&[("queue.buffering.max.kbytes", "64")], &[("queue.buffering.max.kbytes", "64")]),
        (&[("partitioner.class", ""), ("interceptor.classes", "")], &[]),
    ];
    for (lines, expected) in cases {
        let (settings, findings) = gather(lines);
        let settings: Vec<(&str, &str)> =
            settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(&settings, expected, "{lines:?}");
        assert_eq!(findings.problems, [], "{lines:?}");
    }
}

#[test]
fn what_would_change_the_records_is_refused() {
    for line in [
        ("acks", "1"),
        ("acks", "0"),
        ("request.required.acks", "1"),
        ("compression.type", "brotli"),
        ("linger.ms", "soon"),
        ("partitioner.class", "org.apache.kafka.clients.producer.RoundRobinPartitioner"),
        ("partitioner", "consistent"),
        ("partitioner.ignore.keys", "true"),
        ("interceptor.classes", "com.acme.Interceptor"),
        ("transactional.id", "x"),
        ("queuing.strategy", "lifo"),
        ("topic.blacklist", ".*"),
        ("key.serializer", "com.acme.Serializer"),
        ("security.protocol", "TLS"),
        ("sasl.mechanism", "GSSAPI"),
        ("sasl.mechanism", "OAUTHBEARER"),
        ("sasl.jaas.config", "org.apache.kafka.common.security.plain.PlainLoginModule"),
        ("sasl.something.new", "x"),
        ("ssl.truststore.location", "/nowhere/store.p12"),
        ("ssl.keystore.location", "/nowhere/store.p12"),
        ("ssl.endpoint.identification.algorithm", "dns"),
    ] {
        let (_, findings) = gather(&[line]);
        let names: Vec<_> = findings.problems.iter().filter_map(Problem::property).collect();
        assert_eq!(names, [format!("producer.override.{}", line.0)], "{line:?}");
    }
}

#[test]
fn a_login_must_agree_with_itself() {
    for (mechanism, module) in
        [("PLAIN", "ScramLoginModule"), ("SCRAM-SHA-256", "PlainLoginModule")]
    {
        let jaas = format!("a.{module} required username='u' password='hunter2';");
        let (_, findings) = gather(&[("sasl.mechanism", mechanism), ("sasl.jaas.config", &jaas)]);
        assert_eq!(findings.problems.len(), 1);
        assert!(!findings.problems[0].to_string().contains("hunter2"));
    }
    let jaas = "a.PlainLoginModule required username='u' password='p';";
    let (_, findings) = gather(&[("sasl.jaas.config", jaas)]);
    assert!(matches!(findings.problems.as_slice(), [Problem::Missing { property, .. }]
        if property == "producer.override.sasl.mechanism"));
}

#[test]
fn later_files_win() {
    let mut findings = Findings::default();
    let mut settings = ProducerSettings::default();
    let entry = |key: &str, value: &str| Entry::new(key, key, value.to_owned(), false);
    let worker = [
        entry("security.protocol", "SASL_PLAINTEXT"),
        entry("sasl.mechanism", "PLAIN"),
        entry("producer.linger.ms", "1"),
        entry("producer.batch.size", "10"),
        entry("producer.security.protocol", "PLAINTEXT"),
    ];
    settings.take_worker(&worker, &mut findings);
    settings.take("producer.", &worker, &mut findings);
    settings.take("producer.override.", &entries(&[("linger.ms", "2")]), &mut findings);
    let settings = settings.finish(&mut findings);
    assert_eq!(settings["queue.buffering.max.ms"].expose(), "2");
    assert_eq!(settings["batch.size"].expose(), "10");
    assert_eq!(settings["security.protocol"].expose(), "plaintext");
    assert_eq!(settings["sasl.mechanisms"].expose(), "PLAIN");
    assert_eq!(findings.report.rows.len(), 6);
    assert_eq!(findings.problems, []);
}

/// librdkafka itself says whether it knows each name and takes both ends of each range.
#[test]
fn librdkafka_takes_everything_that_is_passed_on() {
    for (name, treatment) in TABLE {
        let values: Vec<String> = match treatment {
            Treatment::Words { words, .. } => words.iter().map(|word| (*word).to_owned()).collect(),
            Treatment::Number { .. } => [i64::from(i32::MIN), 1, i64::from(i32::MAX), i64::MAX]
                .map(|number| number.to_string())
                .to_vec(),
            Treatment::Text(_) => vec![sample(name).to_owned()],
            _ => continue,
        };
        for value in values {
            let (settings, findings) = gather(&[(name, &value)]);
            assert_eq!(findings.problems, [], "{name}={value}");
            assert!(!settings.is_empty());
            let mut config = rdkafka::ClientConfig::new();
            config.extend(settings);
            let native = config.create_native_config();
            assert!(native.is_ok(), "{name}={value}: {:?}", native.err());
        }
    }
}

fn sample(name: &str) -> &str {
    match name {
        "debug" => "broker",
        _ => "x",
    }
}

#[test]
fn brokers_are_hosts_with_ports() {
    for text in ["a:1", "a:1,b:65535", " a:9092 , b:9092,", "PLAINTEXT://a:1", "[::1]:9092"] {
        assert_eq!(check_brokers(text), Ok(()), "{text}");
    }
    for text in ["", ",", "a", "a:", "a:x", "a:0", "a:65536", ":1", "a:1,b"] {
        assert!(check_brokers(text).is_err(), "{text}");
    }
}
