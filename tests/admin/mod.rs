//! The admin port: probes and metrics.

use std::time::Duration;

use crate::support::{Outbox, Outflow, until};

/// Until a number has moved.
const MOVED_MAX: Duration = Duration::from_secs(20);

#[test]
fn probes_answer_and_metrics_move() {
    let outbox = Outbox::new("admin");
    let outflow = outbox.start().ready();
    assert_eq!(outflow.get("/livez").unwrap().0, 200);
    let (status, text) = outflow.get("/readyz").unwrap();
    assert!(status == 200 && text.contains(&outbox.schema), "{status} {text}");
    assert_eq!(outflow.get("/nothing").unwrap().0, 404);
    let (status, text) = outflow.get("/health").unwrap();
    assert!(status == 200 && text.contains(r#""status":"healthy""#), "{status} {text}");

    let sample = |family: &str| format!("{family}{{connector=\"{}\"}}", outbox.schema);
    let value = |outflow: &Outflow, family: &str| outflow.metric(&sample(family));
    assert_eq!(value(&outflow, "outbox_events_published_total"), 0.0);
    assert_eq!(value(&outflow, "outflow_connected"), 1.0);
    let mut sql = outbox.sql();
    sql.run(&Outbox::insert(1..101, 5));
    sql.run("UPDATE outbox SET type = 'U' WHERE id <= 3; DELETE FROM outbox WHERE id <= 2");
    until("all acknowledged", MOVED_MAX, || {
        value(&outflow, "outbox_events_published_total") >= 100.0
    });
    let dropped = |reason: &str| {
        let sample = format!(
            "outbox_events_dropped_total{{connector=\"{}\",reason=\"{reason}\"}}",
            outbox.schema
        );
        outflow.metric(&sample)
    };
    until("updates and deletes counted", MOVED_MAX, || {
        (dropped("update"), dropped("delete")) == (3.0, 2.0)
    });
    assert_eq!(value(&outflow, "outbox_events_published_total"), 100.0);
    assert_eq!(value(&outflow, "outbox_events_failed_total"), 0.0);
    until("latencies of all", MOVED_MAX, || {
        value(&outflow, "outbox_relay_latency_seconds_count") == 100.0
    });
    let mean = value(&outflow, "outbox_relay_latency_seconds_sum") / 100.0;
    assert!(mean > 0.0 && mean < 20.0, "{mean} s from commit to acknowledgement");
    assert!(value(&outflow, "outflow_transactions_total") >= 3.0);
    assert!(value(&outflow, "outflow_binlog_read_bytes_total") > 3_000.0);
    until("nothing in flight", MOVED_MAX, || value(&outflow, "outflow_in_flight_records") == 0.0);
    until("caught up", MOVED_MAX, || value(&outflow, "outflow_lag_seconds") < 1.0);
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    for family in
        ["outflow_binlog_position_timestamp_seconds", "outflow_checkpoint_timestamp_seconds"]
    {
        until(family, MOVED_MAX, || (value(&outflow, family) - now).abs() < 60.0);
    }
    assert!(outflow.metric("process_resident_memory_bytes") > 1e6);
    assert!(outflow.metric("process_cpu_seconds_total") >= 0.0);
    assert_eq!(outflow.stop(), 0);
}

#[test]
fn a_page_is_in_prometheus_text_format() {
    let outbox = Outbox::new("format");
    let outflow = outbox.start().ready();
    let (_, text) = outflow.get("/metrics").unwrap();
    let mut described = std::collections::HashSet::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            described.insert(rest.split(' ').next().unwrap().to_owned());
        } else if !line.starts_with('#') && !line.is_empty() {
            let (sample, value) = line.rsplit_once(' ').expect(line);
            let name = sample.split('{').next().unwrap();
            let family =
                ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
            let known =
                described.contains(name) || family.is_some_and(|family| described.contains(family));
            assert!(known, "no # TYPE for {line}");
            assert!(value.parse::<f64>().is_ok(), "{line}");
        }
    }
    assert!(described.len() > 10, "{described:?}");
    assert_eq!(outflow.stop(), 0);
}
