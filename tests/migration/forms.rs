use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::offsets_topic::{producer, send};
use crate::support::{Kafka, MySql, Offsets, Outbox};

/// Until outflow has caught up with a few rows.
const ENDED_MAX: Duration = Duration::from_secs(60);

/// Three transactions in the log, of which the second has two statements: 1 to 3; 4 to 6 and 7 to 8; 9 to 10.
struct Scene {
    outbox: Outbox,
    offsets_topic: String,
    /// Everything but the second transaction and the third.
    gtids: String,
    file: String,
    /// Where the second transaction's GTID event begins: a place between transactions.
    between: u64,
    /// Where its BEGIN begins.
    begin: u64,
    starts: AtomicU64,
}

impl Scene {
    fn new() -> Self {
        let outbox = Outbox::new("forms");
        let offsets_topic = format!("{}.offsets", outbox.topic);
        let mut sql = outbox.sql();
        sql.run(&Outbox::insert(1..4, 1));
        let status = sql.rows("SHOW BINARY LOG STATUS").remove(0);
        let source = sql.rows("SELECT UUID()").remove(0).remove(0);
        let (first, second) = (Outbox::insert(4..7, 1), Outbox::insert(7..9, 1));
        sql.run(&format!(
            "SET gtid_next = '{source}:1'; START TRANSACTION; {first}; {second}; COMMIT"
        ));
        sql.run(&format!("SET gtid_next = '{source}:2'; {}", Outbox::insert(9..11, 1)));
        sql.run("SET gtid_next = AUTOMATIC");
        let gtids = sql.rows(&format!("SELECT GTID_SUBTRACT(@@gtid_executed, '{source}:1-2')"));
        let (between, begin) = places(&mut sql, &status[0], &status[1], &format!("{source}:1"));
        Self {
            outbox,
            offsets_topic,
            gtids: gtids[0][0].replace('\n', ""),
            file: status[0].clone(),
            between,
            begin,
            starts: AtomicU64::new(0),
        }
    }

    /// Starts outflow afresh with this as Connect's stored offset: what it publishes, its exit code, its log.
    fn take_over(&self, stored: Option<&Value>, mode: &str) -> (Vec<u64>, i32, String) {
        let outbox = &self.outbox;
        let key = json!([outbox.schema, { "server": outbox.config["topic.prefix"] }]).to_string();
        let value = stored.map(ToString::to_string);
        send(&producer(None), &self.offsets_topic, key.as_bytes(), value.as_deref());
        let worker = format!(
            "bootstrap.servers={}\noffset.storage.topic={}\n",
            outbox.broker.bootstrap_servers, self.offsets_topic
        );
        let worker = outbox.scratch.write("worker.properties", &worker);
        let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
        let before = kafka.ends(|topic| topic == outbox.topic);
        let mode = format!("snapshot.mode={mode}");
        // With its folder it forgets who it was; the server still knows the replica before it.
        let id: u64 = outbox.config["database.server.id"].as_str().unwrap().parse().unwrap();
        let starts = self.starts.fetch_add(1, Ordering::Relaxed);
        let server_id = format!("database.server.id={}", id + 500_000_000 + starts);
        let mut outflow = outbox.start_with(&[
            "--worker",
            worker.to_str().unwrap(),
            "--set",
            &mode,
            "--set",
            &server_id,
            "--until-caught-up",
        ]);
        let code = outflow.ended(ENDED_MAX);
        std::fs::remove_dir_all(outbox.scratch.path("data")).unwrap();
        (self.published(&kafka, &before), code, outflow.log())
    }

    fn published(&self, kafka: &Kafka, before: &Offsets) -> Vec<u64> {
        let records = kafka.read(before, &kafka.ends(|topic| topic == self.outbox.topic));
        records.iter().map(|record| record.header("id").unwrap().parse().unwrap()).collect()
    }
}

/// Where the transaction `gtid` and its BEGIN begin.
fn places(sql: &mut MySql, file: &str, from: &str, gtid: &str) -> (u64, u64) {
    let events = sql.rows(&format!("SHOW BINLOG EVENTS IN '{file}' FROM {from}"));
    let at = events.iter().position(|event| event[5].contains(gtid)).expect("the transaction");
    assert_eq!(events[at + 1][5], "BEGIN");
    (events[at][1].parse().unwrap(), events[at + 1][1].parse().unwrap())
}

#[test]
fn every_form_of_a_stored_offset_is_gone_on_from() {
    let scene = Scene::new();
    let (file, gtids) = (&scene.file, &scene.gtids);
    let begin = |more: Value| merged(json!({ "file": file, "pos": scene.begin }), more);
    let after = |id: u64| (id + 1..=10).collect::<Vec<u64>>();
    for (stored, mode, expected) in [
        (json!({ "file": file, "pos": 4, "gtids": gtids, "ts_sec": 1 }), "initial", after(3)),
        (json!({ "file": file, "pos": scene.between }), "no_data", after(3)),
        (json!({ "file": file, "pos": scene.between.to_string() }), "when_needed", after(3)),
        // Inside: BEGIN, table map, rows, table map, rows.
        (begin(json!({ "gtids": gtids, "event": 2, "row": 2 })), "initial", after(5)),
        (
            begin(json!({ "gtids": gtids, "event": 2, "row": 3, "server_id": 1 })),
            "initial",
            after(6),
        ),
        (begin(json!({ "gtids": gtids, "event": 3 })), "initial", after(6)),
        (begin(json!({ "gtids": gtids, "event": 4, "row": 1 })), "recovery", after(7)),
        (begin(json!({ "event": 4, "row": 2 })), "never", after(8)),
        // Snapshots: one that had not ended begins again, in the words of 3.x and of 1.x.
        (
            begin(json!({ "gtids": gtids, "snapshot": "INITIAL", "snapshot_completed": false })),
            "initial",
            after(0),
        ),
        (begin(json!({ "gtids": gtids, "snapshot": true })), "initial", after(0)),
        (
            begin(json!({ "gtids": gtids, "snapshot": true, "snapshot_completed": true })),
            "initial",
            after(3),
        ),
        (begin(json!({ "gtids": gtids, "snapshot": "BLOCKING" })), "initial", after(3)),
    ] {
        let (published, code, log) = scene.take_over(Some(&stored), mode);
        assert_eq!(code, 0, "{stored}\n{log}");
        assert_eq!(published, expected, "{stored}\n{log}");
        assert!(log.contains("taking over the offset that Connect stored"), "{log}");
    }
    // A tombstone is no offset.
    let (published, code, log) = scene.take_over(None, "no_data");
    assert_eq!((published, code), (vec![], 0), "{log}");
    assert!(log.contains("Connect stored no offset of this connector"), "{log}");

    // What the server does not have, and what is no offset, stops the start.
    let foreign = format!("{gtids},{}:1-5", "8a3c0000-0000-4000-8000-00000000000a");
    for (stored, words) in [
        (
            json!({ "file": file, "pos": 4, "gtids": foreign }),
            "8a3c0000-0000-4000-8000-00000000000a:1-5",
        ),
        (json!({ "file": "gone.000001", "pos": 4 }), "gone.000001"),
        (json!({ "pos": 4 }), "holds no offset of the MySQL connector"),
    ] {
        let (published, code, log) = scene.take_over(Some(&stored), "initial");
        assert_eq!((published, code), (vec![], 1), "{stored}\n{log}");
        assert!(log.contains(words), "{log}");
    }
}

fn merged(mut into: Value, more: Value) -> Value {
    let members = into.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    into
}
