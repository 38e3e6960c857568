//! Random cases: a table, its rows and options that Debezium accepts, all from a seed. `tests/generate.sh` records
//! them live and replays them; here each is only run, so that none may end in an error.
//!
//! `OUTFLOW_TEST_SEED` is the first case's seed; without it they are always the same ones, for whether Debezium accepts
//! a case, only `tests/generate.sh` can tell. With `OUTFLOW_TEST_GENERATE_DIR` as many cases as
//! `OUTFLOW_TEST_CASE_COUNT` says are written there and not run.

mod column;
mod document;
mod literal;
mod options;
mod statements;
mod table;
mod transforms;

use std::path::{Path, PathBuf};
use std::time::Duration;

use options::Plan;
use table::Table;

use crate::parity::{Servers, own_topics};
use crate::support::{Random, Scratch, mysql};

/// The first seed, where none is given.
const FIRST: u64 = 1;
/// As many cases as a run of all tests takes.
const COUNT: u64 = 8;
/// Until a case's few rows are all published.
const ENDED_MAX: Duration = Duration::from_secs(30);

#[test]
fn a_random_legal_case_runs_to_its_end() {
    let first = Random::seed_or(FIRST);
    if let Ok(folder) = std::env::var("OUTFLOW_TEST_GENERATE_DIR") {
        let count = std::env::var("OUTFLOW_TEST_CASE_COUNT").expect("how many");
        for at in 0..count.parse().expect("a number") {
            write(Path::new(&folder), first + at);
        }
        return;
    }
    let _one_at_a_time = own_topics();
    let scratch = Scratch::new("generated");
    for seed in first..first + COUNT {
        let mut sql = mysql().connect();
        sql.run(&format!("DROP DATABASE IF EXISTS {}", database(seed)));
        run(&write(&scratch.path(""), seed));
        sql.run(&format!("DROP DATABASE {}", database(seed)));
    }
}

/// Streams the rows of a case: rows are published, and no option, type or value stops it.
fn run(case: &Path) {
    let text = |file: &str| std::fs::read_to_string(case.join(file)).unwrap();
    mysql().connect().run(&text("before.sql"));
    let scratch = Scratch::new("generated-run");
    let connector = case.join("connector.json");
    let servers = Servers::shared();
    let outflow = servers.run(&connector, &scratch, &[]).ready();
    mysql().connect().run(&text("input.sql"));
    assert_eq!(outflow.stop(), 0, "{}", case.display());
    let mut rest = servers.run(&connector, &scratch, &["--until-caught-up"]);
    assert_eq!(rest.ended(ENDED_MAX), 0, "{}: {}", case.display(), rest.log());
}

fn database(seed: u64) -> String {
    format!("r_{seed}")
}

/// Writes the case of a seed.
fn write(folder: &Path, seed: u64) -> PathBuf {
    let mut random = Random::seeded(seed);
    let name = format!("random-{seed}");
    let database = database(seed);
    let plan = Plan::any(&mut random);
    let has_form = !matches!(plan.time_mode, "nanoseconds" | "connect" | "isostring");
    let mut table = Table::any(&mut random, plan.expands, has_form);
    if plan.envelope && plan.schemas {
        // Debezium names the envelope's schema after the first value and table that it saw.
        table.has_second = false;
        table.route.values.truncate(1);
    }
    let connector = options::any(&mut random, &plan, &table, &name, &database);
    let before = statements::before(&mut random, &table, &database, plan.snapshot_rows);
    let input = statements::input(&mut random, &table, &database, plan.truncates);
    let case = folder.join(&name);
    std::fs::create_dir_all(&case).unwrap();
    std::fs::write(
        case.join("connector.json"),
        serde_json::to_string_pretty(&connector).unwrap() + "\n",
    )
    .unwrap();
    std::fs::write(case.join("before.sql"), before).unwrap();
    std::fs::write(case.join("input.sql"), input).unwrap();
    case
}
