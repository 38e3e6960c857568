use super::*;
use crate::config::Problem;

#[test]
fn it_is_on_where_the_file_or_the_worker_says_so() {
    let required = "exactly.once.support=Required";
    for (line, worker, on) in [
        (required, "", true),
        (required, "exactly.once.source.support=enabled", true),
        ("exactly.once.support=requested", "exactly.once.source.support=enabled", true),
        ("", "exactly.once.source.support=enabled", true),
        ("", "", false),
        ("exactly.once.support=requested", "exactly.once.source.support=preparing", false),
        ("", "exactly.once.source.support=disabled", false),
    ] {
        let (config, _) = with_worker(line, worker).unwrap();
        assert_eq!(config.exactly_once.is_some(), on, "{line} {worker}");
    }
    for word in ["disabled", "preparing"] {
        let worker = format!("exactly.once.source.support={word}");
        let problems = with_worker(required, &worker).unwrap_err();
        assert!(
            matches!(&problems[..], [Problem::Conflict { property, .. }] if property == "exactly.once.support")
        );
    }
}

#[test]
fn its_names_and_limits_are_connects_or_documented() {
    let lines = "exactly.once.support=required\nproducer.override.transaction.timeout.ms=4000\n\
                 outflow.transaction.split.rows=7";
    let worker = "group.id=g\noffset.storage.topic=all\n";
    let (config, report) = with_worker(lines, worker).unwrap();
    let found = config.exactly_once.unwrap();
    assert_eq!(found.transactional_id, format!("g-{}-0", config.name));
    assert_eq!((found.offsets_topic.as_str(), found.split_rows), ("all", Some(7)));
    assert_eq!(found.transaction_timeout, Duration::from_secs(4));
    let timeout = "producer.override.transaction.timeout.ms";
    assert_eq!(verdict(&report, timeout), Some(Verdict::Used));

    let lines = format!("{}\noffsets.storage.topic=mine", lines.lines().next().unwrap());
    let found = with_worker(&lines, worker).unwrap().0.exactly_once.unwrap();
    assert_eq!((found.offsets_topic.as_str(), found.split_rows), ("mine", None));
    let found = with("exactly.once.support=required").unwrap().0;
    let name = found.name.clone();
    let found = found.exactly_once.unwrap();
    assert_eq!(found.transactional_id, format!("outflow-{name}-0"));
    assert_eq!(found.offsets_topic, "outflow-offsets");
    assert_eq!(found.transaction_timeout, Duration::from_secs(15));
}

#[test]
fn what_it_alone_reads_is_without_effect_otherwise() {
    let lines = "producer.override.transaction.timeout.ms=4000\noutflow.transaction.split.rows=7";
    let (_, report) = with_worker(lines, "producer.transaction.timeout.ms=1").unwrap();
    for key in lines.lines().map(|line| line.split('=').next().unwrap()) {
        assert_eq!(verdict(&report, key), Some(Verdict::WithoutEffect), "{key}");
    }
    let of_worker = "producer.transaction.timeout.ms (worker file)";
    assert_eq!(verdict(&report, of_worker), Some(Verdict::WithoutEffect));
}
