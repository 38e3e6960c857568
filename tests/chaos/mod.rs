//! Writers, a relay between them and the topic, and a nemesis that breaks everything as its seed says and, with GTIDs,
//! has a replica take MySQL's place. Then the committed rows are compared with the topic: none is missing, none
//! invented, each key's first records are in the order of commits, and records come twice only after a crash or a move
//! to the replica.
//!
//! The environment names `OUTFLOW_CHAOS_MINUTES`, `OUTFLOW_TEST_SEED`, `OUTFLOW_CHAOS_NAME` (runs at one time need
//! different ones), `OUTFLOW_CHAOS_EXACTLY_ONCE=yes`, and `OUTFLOW_CHAOS_RELAY=debezium` to measure Debezium in
//! outflow's place, which fails no test. `tests/chaos.sh` sets them.

mod alterer;
mod checker;
mod nemesis;
mod prepared;
mod relay;
mod servers;
mod stage;
mod timeline;
mod topic;
mod transaction;
mod writer;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use alterer::Alterer;
use checker::{Committed, Delivery, Ledger, Verdict};
use nemesis::Nemesis;

use relay::{Debezium, OutflowRelay, Relay};
use stage::{Setting, Stage};
use timeline::Timeline;
use transaction::Kind;
use writer::Writers;

use crate::support::{MySqlServer, Outbox, Random, Way, until};

/// Sessions that write.
const WRITERS: u64 = 4;
/// A run among other tests is short; `tests/chaos.sh` makes longer ones.
const MINUTES: f64 = 1.0;
/// Until the relay reads the log for the first time.
const READS_MAX: Duration = Duration::from_secs(120);
/// Until prepared transactions have ended.
const ENDED_MAX: Duration = Duration::from_secs(60);

/// What a run found.
struct Report {
    verdict: Verdict,
    timeline: Timeline,
    problems: Vec<String>,
    kinds: BTreeMap<String, usize>,
}

#[test]
fn nothing_is_lost_or_invented_whatever_breaks() {
    let seed = Random::seed();
    let minutes = variable("OUTFLOW_CHAOS_MINUTES").map_or(MINUTES, |text| text.parse().unwrap());
    let exactly_once = variable("OUTFLOW_CHAOS_EXACTLY_ONCE").is_some();
    let delivery = if exactly_once { Delivery::ExactlyOnce } else { Delivery::AtLeastOnce };
    let name = variable("OUTFLOW_CHAOS_NAME").unwrap_or_else(|| "chaos".to_owned());
    let mut stage = Stage::new(&name, Setting::of(seed));
    if exactly_once {
        let worker = "offset.storage.replication.factor=1\n";
        stage.outbox = stage.outbox.with("exactly.once.support", "required").with_worker(worker);
    }
    let mut debezium = variable("OUTFLOW_CHAOS_RELAY").map(|_| Debezium::new(&name, &stage));
    let mut outflow = OutflowRelay::default();
    let relay: &mut dyn Relay = match &mut debezium {
        Some(debezium) => debezium,
        None => &mut outflow,
    };
    let report = run(&stage, relay, seed, minutes, delivery);
    eprintln!("chaos: seed {seed}, {minutes} minutes, {:?}", stage.setting);
    eprintln!("chaos: faults {:?}", report.timeline.counts());
    eprintln!("chaos: rows by kind of transaction {:?}", report.kinds);
    eprintln!("chaos: {}", report.verdict);
    if let Some(debezium) = debezium {
        debezium.tell();
    } else {
        assert!(report.problems.is_empty(), "{:#?}", report.problems);
        assert!(report.verdict.is_good(), "{}", report.verdict);
    }
    assert!(report.verdict.rows > 0 && !report.timeline.0.is_empty(), "it tried nothing");
    stop(stage);
}

fn run(
    stage: &Stage,
    relay: &mut dyn Relay,
    seed: u64,
    minutes: f64,
    delivery: Delivery,
) -> Report {
    let (server, schema) = (&stage.servers.written(), &stage.outbox.schema);
    relay.start(&stage.outbox);
    let mut sql = server.connect();
    // The relay and each replica.
    let readers = stage.servers.all().len();
    until("all readers of the log", READS_MAX, || {
        let query =
            "SELECT 1 FROM performance_schema.processlist WHERE command LIKE 'Binlog Dump%'";
        sql.rows(query).len() >= readers
    });
    let mut writers = Writers::start(server, schema, seed, WRITERS, stage.setting.has_gtids());
    // Without columns' names only the nemesis alters tables, when the relay is not behind.
    let alterer = (stage.setting != Setting::Minimal).then(|| Alterer::start(server, schema, seed));
    let mut nemesis = Nemesis::new(stage, relay, seed);
    nemesis.run(Duration::from_secs_f64(minutes * 60.0));
    let (mut timeline, mut problems) = (nemesis.timeline, nemesis.problems);
    eprintln!(
        "chaos: {} changes of captured tables",
        alterer.map_or(0, |alterer| alterer.altered())
    );
    writers.stop();
    end_prepared(server, schema, &writers, seed);
    if problems.is_empty() {
        stage.mysql_way.set(Way::Open);
        stage.kafka_way.set(Way::Open);
        relay.finish(&stage.outbox);
        problems.extend(relay.look());
        timeline.look(relay);
    }
    let ledger = ledger(&stage.outbox);
    let topic = topic::read(&stage.outbox.broker.bootstrap_servers, &stage.outbox.topic);
    let verdict = checker::check(&ledger, &topic, &timeline, delivery);
    let mut kinds = BTreeMap::new();
    for id in ledger.keys() {
        let kind = Kind::of(*id).map_or("unknown".to_owned(), |kind| format!("{kind:?}"));
        *kinds.entry(kind).or_default() += 1;
    }
    Report { verdict, timeline, problems, kinds }
}

fn end_prepared(server: &MySqlServer, schema: &str, writers: &Writers, seed: u64) {
    let started = Instant::now();
    let mut random = Random::seeded(seed);
    let mut sql = server.connect();
    until("the end of all prepared transactions", ENDED_MAX, || {
        writers.prepared.end_all(&mut sql, schema, &mut random) == 0
    });
    eprintln!("chaos: prepared transactions ended in {} ms", started.elapsed().as_millis());
}

/// What was committed, as the database tells it in the end.
fn ledger(outbox: &Outbox) -> Ledger {
    let (mut sql, mut ledger, mut last) = (outbox.sql(), Ledger::new(), 0);
    loop {
        let query =
            format!("SELECT id, k, n, at_ms FROM ledger WHERE id > {last} ORDER BY id LIMIT 50000");
        let rows = sql.rows(&query);
        if rows.is_empty() {
            return ledger;
        }
        for row in rows {
            last = row[0].parse().unwrap();
            let (key, number) = (row[1].parse().unwrap(), row[2].parse().unwrap());
            ledger.insert(last, Committed { key, number, at_ms: row[3].parse().unwrap() });
        }
    }
}

fn stop(stage: Stage) {
    let (servers, broker) = (stage.servers.all().to_vec(), stage.broker.clone());
    drop(stage);
    servers.iter().for_each(MySqlServer::stop);
    broker.stop();
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
