//! The broker goes away, rows are committed meanwhile, the broker comes back.

use std::time::{Duration, Instant};

use anyhow::bail;

use crate::backlog::{self, Backlog, Shape};
use crate::bench::Bench;
use crate::load;
use crate::numbers::{Spread, megabytes};
use crate::report::{Report, note};
use crate::subject::{Subject, Tail, seconds};
use crate::targets;

const FLOW_MAX: Duration = Duration::from_secs(90);
pub(crate) fn measure(bench: &mut Bench, report: &mut Report) -> anyhow::Result<()> {
    let backlog = Backlog::new(Shape::Hundreds, bench.options.rows / 3, 262);
    report.heading("After an outage of the broker");
    report.text(&format!(
        "{} are committed while the broker is away; the clock starts when it is back.",
        backlog.title()
    ));
    let mut rows = Vec::new();
    for subject in [Subject::Outflow, Subject::Debezium] {
        if subject.is_debezium() && !bench.options.debezium() {
            continue;
        }
        let mut runs = Vec::new();
        for round in 1..=bench.options.runs {
            match once(bench, subject, &backlog) {
                Ok(run) => {
                    note(&format!("run {round}, {}: {:.2} s", subject.title(), run.0));
                    runs.push(run);
                }
                Err(error) => report.remark(&format!("{}: {error:#}", subject.title())),
            }
        }
        if let (Some(took), Some(peak)) =
            (Spread::of(runs.iter().map(|run| run.0)), Spread::of(runs.iter().map(|run| run.1)))
        {
            rows.push(vec![subject.title().to_owned(), took.to_string(), peak.to_string()]);
            if subject == Subject::Outflow {
                report.target(&targets::PEAK_OUTAGE, Some(peak.median));
            }
        }
    }
    report.table(&["", "all there after s", "peak MB"], rows);
    Ok(())
}

/// Seconds and megabytes.
fn once(bench: &mut Bench, subject: Subject, backlog: &Backlog) -> anyhow::Result<(f64, f64)> {
    bench.begin(backlog, subject.is_debezium())?;
    let topic = bench.topics.fresh()?;
    let alone = bench.alone(Some(subject))?;
    let mut tail = Tail::start(bench, subject, &topic)?;
    let deadline = Instant::now() + FLOW_MAX;
    // The leaders of a new topic may not know of it yet.
    while bench.topics.count(&topic).unwrap_or_default() == 0 {
        if Instant::now() > deadline {
            bail!("nothing flows");
        }
        tail.check(bench)?;
        load::warm_up(&mut bench.sql)?;
        std::thread::sleep(Duration::from_millis(200));
    }
    std::thread::sleep(Duration::from_secs(1));
    let before = bench.topics.count(&topic)?;
    bench.kafka.stop()?;
    let filled = backlog::fill(&mut bench.sql, backlog);
    bench.kafka.again()?;
    filled?;
    let back = Instant::now();
    let arrival = bench.topics.until(&topic, before + backlog.rows, || Ok(()));
    let peak = megabytes(tail.memory().peak_kib);
    let arrival = match arrival {
        Ok(arrival) => arrival,
        Err(error) => {
            tail.stop(bench)?;
            return Err(error);
        }
    };
    tail.check(bench)?;
    tail.stop(bench)?;
    drop(alone);
    bench.topics.delete(&[topic])?;
    Ok((seconds(back, arrival.last), peak))
}
