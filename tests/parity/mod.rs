//! Every case of `tests/parity` is replayed on real servers and compared in whole records with what Debezium
//! published, or with what outflow publishes by a documented difference. README.md beside this file tells what a
//! case holds.
//!
//! `OUTFLOW_TEST_CASES=key-int,types` replays only the cases whose names contain one of these, and
//! `OUTFLOW_TEST_CASE_DIR` those of another folder.

mod case;
mod compare;
mod event;
mod replay;
mod varying;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use case::Case;
use replay::Replay;
pub(crate) use replay::Servers;

/// The cases share topics, so one replay at a time on the servers that tests share.
static TOPICS: Mutex<()> = Mutex::new(());

/// Keeps the topics from other replays.
pub(crate) fn own_topics() -> MutexGuard<'static, ()> {
    TOPICS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn every_case_is_published_as_debezium_publishes_it() {
    let _one_at_a_time = own_topics();
    replay_all("FULL", Servers::shared());
}

#[test]
fn every_case_is_published_alike_without_column_names_in_the_log() {
    let servers = Servers::named("parity-minimal");
    let (mysql, broker) = (servers.mysql.clone(), servers.broker.clone());
    replay_all("MINIMAL", servers);
    mysql.stop();
    broker.stop();
}

fn replay_all(metadata: &str, servers: Servers) {
    let mut sql = servers.mysql.connect();
    sql.run(&format!("SET GLOBAL binlog_row_metadata = {metadata}"));
    let mut replay = Replay::on(servers);
    let wanted = std::env::var("OUTFLOW_TEST_CASES").unwrap_or_default();
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity");
    let folder = std::env::var("OUTFLOW_TEST_CASE_DIR").map_or_else(|_| own(), PathBuf::from);
    let cases = Case::all(&folder);
    let chosen: Vec<&Case> = cases.iter().filter(|case| case.is_chosen(&wanted)).collect();
    assert!(!chosen.is_empty(), "no case is named like {wanted:?}");
    let open = open_cases(&folder);
    let mut wrong = Vec::new();
    let mut equal = 0;
    for case in &chosen {
        let name = case.name.as_str();
        match replay.case(case) {
            Ok(()) if open.contains(name) => {
                wrong.push(format!("{name} is equal: take it off open.txt"))
            }
            Ok(()) => equal += 1,
            Err(difference) => {
                let note = if open.contains(name) { " (open)" } else { "" };
                eprintln!("---- {name}{note}\n{difference}");
                if note.is_empty() {
                    wrong.push(format!("{name} differs"));
                }
            }
        }
    }
    let records: usize = chosen.iter().map(|case| case.expected.len()).sum();
    eprintln!(
        "binlog_row_metadata={metadata}: {equal} of {} cases equal, {records} records",
        chosen.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names of cases that are known to differ still: the list may only become shorter.
fn open_cases(folder: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder.join("open.txt")).unwrap_or_default();
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}
