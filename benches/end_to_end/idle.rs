//! What a connector takes while nothing is committed.

use std::time::{Duration, Instant};

use crate::backlog::{Backlog, Shape};
use crate::bench::Bench;
use crate::numbers::{Spread, megabytes};
use crate::process;
use crate::report::Report;
use crate::subject::{Subject, Tail};
use crate::targets;

/// What a start does is over after this.
const SETTLED: Duration = Duration::from_secs(8);

pub(crate) fn measure(bench: &mut Bench, report: &mut Report) -> anyhow::Result<()> {
    bench.begin(&Backlog::new(Shape::Singles, 0, 262), true)?;
    report.heading("Idle");
    let mut rows = Vec::new();
    for subject in [Subject::Outflow, Subject::Debezium, Subject::DebeziumTuned] {
        if subject.is_debezium() && bench.debezium.is_none() {
            continue;
        }
        let mut runs = Vec::new();
        for _ in 0..bench.options.runs {
            runs.push(once(bench, subject)?);
        }
        let cpu = Spread::of(runs.iter().map(|run| run.0)).unwrap_or_default();
        let resident = Spread::of(runs.iter().map(|run| run.1)).unwrap_or_default();
        rows.push(vec![subject.title().to_owned(), cpu.to_string(), resident.to_string()]);
        if subject == Subject::Outflow {
            report.target(&targets::IDLE, Some(cpu.median));
        }
    }
    report.table(&["", "CPU % of a core", "resident MB"], rows);
    Ok(())
}

/// Percent of a core, and megabytes.
fn once(bench: &mut Bench, subject: Subject) -> anyhow::Result<(f64, f64)> {
    let topic = bench.topics.fresh()?;
    let alone = bench.alone(Some(subject))?;
    let mut tail = Tail::start(bench, subject, &topic)?;
    std::thread::sleep(SETTLED);
    tail.check(bench)?;
    let (begun, before) = (Instant::now(), process::cpu(tail.pid()));
    std::thread::sleep(Duration::from_secs(bench.options.seconds.max(1)));
    let cpu = process::cpu(tail.pid()).saturating_sub(before);
    let share = cpu.as_secs_f64() / begun.elapsed().as_secs_f64();
    let resident = megabytes(tail.memory().resident_kib);
    tail.check(bench)?;
    tail.stop(bench)?;
    drop(alone);
    bench.topics.delete(&[topic])?;
    Ok((share * 100.0, resident))
}
