//! Transaction records over a restart, and around transactions that change nothing that is captured.

use std::time::Duration;

use serde_json::Value;

use crate::support::{MySqlServer, Outbox, broker, until};

const ENDED_MAX: Duration = Duration::from_secs(60);
const JSON: &str = "org.apache.kafka.connect.json.JsonConverter";

/// What a run publishes, to standard output.
fn published(outbox: &Outbox) -> Vec<Value> {
    let mut outflow = outbox.start_with(&["--sink", "stdout", "--until-caught-up"]);
    assert_eq!(outflow.ended(ENDED_MAX), 0, "{}", outflow.log());
    let output = outflow.output();
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The transaction records of some transactions, by their ids: status and count.
fn of_transactions(records: &[Value], ids: &[String]) -> Vec<(usize, String, Value)> {
    let values = records.iter().filter_map(|record| {
        let value: Value = serde_json::from_str(record["value"]["utf8"].as_str()?).ok()?;
        let transaction = ids.iter().position(|id| value["id"] == id.as_str())?;
        Some((transaction, value["status"].as_str()?.to_owned(), value["event_count"].clone()))
    });
    values.collect()
}

/// Runs a transaction under this GTID, so that it is known among those of other tests.
fn run(outbox: &Outbox, gtid: &str, statements: &str) {
    let session = format!("SET SESSION gtid_next = '{gtid}'");
    outbox.sql().run(&format!("{session}; {statements}; SET SESSION gtid_next = AUTOMATIC"));
}

#[test]
fn a_count_begins_at_the_first_row_wherever_a_restart_goes_on() {
    // The count concerns the first transaction behind the offset, so no other test may have one there.
    let server = MySqlServer::started("mysql:transactions");
    let outbox = Outbox::on("tx-resume", server, broker().clone())
        .with("provide.transaction.metadata", "true");
    let outbox = ["key.converter", "value.converter"].iter().fold(outbox, |outbox, name| {
        outbox.with(name, JSON).with(&format!("{name}.schemas.enable"), "false")
    });
    outbox.sql().run("CREATE TABLE noise (id INT PRIMARY KEY)");
    published(&outbox); // Notes where the log ends.
    let offset = |action: &str, more: &[&str]| {
        let (file, data) = (outbox.file(), outbox.scratch.path("data"));
        let mut arguments = vec!["offsets", action, file.to_str().unwrap()];
        arguments.extend(["--data-dir", data.to_str().unwrap()]);
        arguments.extend(more);
        crate::cli::run(&arguments).1
    };
    let mut stored: Value = serde_json::from_str(&offset("export", &[])).unwrap();
    let rows = Outbox::insert(1..6, 3);
    let ids = [1, 2].map(|number| format!("{}:{number}", uuid::Uuid::now_v7()));
    run(&outbox, &ids[0], &format!("BEGIN; {rows}; COMMIT"));
    run(&outbox, &ids[1], "INSERT INTO noise VALUES (1)");

    let whole = published(&outbox);
    let marks = |first: &[(usize, &str, Value)]| {
        first
            .iter()
            .map(|(at, status, count)| (*at, (*status).to_owned(), count.clone()))
            .collect::<Vec<_>>()
    };
    let all = [
        (0, "BEGIN", Value::Null),
        (0, "END", 5.into()),
        (1, "BEGIN", Value::Null),
        (1, "END", 0.into()),
    ];
    assert_eq!(of_transactions(&whole, &ids), marks(&all));

    // BEGIN, table map and two rows are handled.
    stored["value"]["event"] = 2.into();
    stored["value"]["row"] = 2.into();
    let saved = outbox.scratch.write("offset.json", &stored.to_string());
    offset("reset", &[]);
    offset("import", &["--from", saved.to_str().unwrap()]);
    let rest = published(&outbox);
    assert_eq!(of_transactions(&rest, &ids), marks(&all[1..]));
    let of_rows = |records: &[Value]| {
        records.iter().filter(|record| record["topic"] == outbox.topic.as_str()).count()
    };
    assert_eq!((of_rows(&whole), of_rows(&rest)), (5, 3));
}

/// It sends a transaction to its replicas before it counts it as executed.
#[test]
fn what_the_server_is_still_executing_is_waited_for() {
    let outbox = Outbox::new("executing");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    outbox.catch_up();
    let (file, data) = (outbox.file(), outbox.scratch.path("data"));
    let offset = |action: &str, more: &[&str]| {
        let arguments = ["offsets", action, file.to_str().unwrap(), "--data-dir"];
        let arguments = [&arguments[..], &[data.to_str().unwrap()], more].concat();
        let (code, output, log) = crate::cli::run(&arguments);
        assert_eq!(code, 0, "{log}");
        output
    };
    let mut stored: Value = serde_json::from_str(&offset("export", &[])).unwrap();
    let gtid = format!("{}:1", uuid::Uuid::now_v7());
    let gtids = format!("{},{gtid}", stored["value"]["gtids"].as_str().unwrap());
    stored["value"]["gtids"] = gtids.into();
    let saved = outbox.scratch.write("stored.json", &stored.to_string());
    offset("import", &["--from", saved.to_str().unwrap()]);

    let outflow = outbox.start();
    let waits =
        "SELECT 1 FROM performance_schema.processlist WHERE info LIKE 'SELECT WAIT_FOR_EXECUTED%'";
    until("the question whether it is executed", ENDED_MAX, || !sql.rows(waits).is_empty());
    run(&outbox, &gtid, "CREATE TABLE noise (id INT)");
    let outflow = outflow.ready();
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, ENDED_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}
