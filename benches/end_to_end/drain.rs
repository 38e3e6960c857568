//! A backlog that waits in the log goes into a sink as fast as it can.

use std::time::{Duration, Instant};

use anyhow::bail;

use crate::backlog::{Backlog, Shape};
use crate::bench::{Bench, Waiting, copy_folder};
use crate::chart::{Bar, bars};
use crate::floor;
use crate::numbers::{Spread, count, megabytes};
use crate::outflow::{self, Job};
use crate::process::{self, Program};
use crate::report::{Report, note};
use crate::subject::{Subject, debezium, seconds};
use crate::targets;

/// Runs of outflow into Kafka, before the first table, that are not counted: a broker that has just started compiles
/// what it runs, which takes it more time than the records do.
const WARM_UP_RUNS: u32 = 3;

/// One run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    /// From the start of the program, or of Debezium's task, to the last record.
    pub(crate) took: f64,
    /// From there to the first record, where a topic tells.
    pub(crate) first: Option<f64>,
    /// CPU time of the subject, of MySQL and of Kafka, in seconds.
    pub(crate) cpu: [f64; 3],
    pub(crate) peak_kib: u64,
}

/// What was measured of one subject.
pub(crate) struct Runs {
    pub(crate) subject: Subject,
    pub(crate) runs: Vec<Run>,
}

impl Runs {
    fn spread(&self, value: impl Fn(&Run) -> f64) -> Spread {
        Spread::of(self.runs.iter().map(value)).unwrap_or_default()
    }

    /// Rows a second, the start included.
    pub(crate) fn rate(&self, rows: u64) -> Spread {
        self.spread(|run| count(rows) / run.took)
    }

    /// CPU time of the subject a row, in microseconds.
    pub(crate) fn cost(&self, rows: u64) -> Spread {
        self.spread(|run| run.cpu.first().copied().unwrap_or_default() * 1e6 / count(rows))
    }

    /// Peak memory in megabytes.
    fn peak(&self) -> Spread {
        self.spread(|run| megabytes(run.peak_kib))
    }
}

/// The mixed backlog into every sink.
pub(crate) fn headline(bench: &mut Bench, report: &mut Report) -> anyhow::Result<()> {
    use Subject::{Debezium, DebeziumTuned, ExactlyOnce, Floor, Null, Outflow, Stdout};
    let backlog = Backlog::new(Shape::Mixed, bench.options.rows, 262);
    let subjects = [Outflow, Debezium, Null, DebeziumTuned, Stdout, Floor, ExactlyOnce];
    report.heading("Draining a backlog");
    let (waiting, all) = table(bench, report, &backlog, &subjects)?;
    aim(report, waiting.rows, &all);
    let shown = all
        .iter()
        .map(|runs| Bar { label: runs.subject.title().to_owned(), value: runs.rate(waiting.rows) });
    let chart = bars("Draining a backlog: rows a second", &shown.collect::<Vec<_>>());
    report.chart("drain.svg", "rows a second while draining a backlog", &chart)
}

/// What was aimed at.
fn aim(report: &mut Report, rows: u64, all: &[Runs]) {
    let of = |subject| all.iter().find(|runs| runs.subject == subject);
    let times = |one, other| Some(of(one)?.rate(rows).median / of(other)?.rate(rows).median);
    let outflow = of(Subject::Outflow);
    report.target(&targets::DRAIN, times(Subject::Outflow, Subject::Debezium));
    report.target(&targets::DRAIN_OF_FLOOR, times(Subject::Outflow, Subject::Floor));
    report.target(&targets::NULL_OF_FLOOR, times(Subject::Null, Subject::Floor));
    report.target(&targets::STDOUT_OF_FLOOR, times(Subject::Stdout, Subject::Floor));
    report.target(&targets::EXACTLY_ONCE, times(Subject::ExactlyOnce, Subject::Outflow));
    report.target(&targets::CPU, outflow.map(|runs| runs.cost(rows).median));
    report.target(&targets::PEAK, outflow.map(|runs| runs.peak().median));
    let first = outflow.and_then(|runs| Spread::of(runs.runs.iter().filter_map(|run| run.first)));
    report.target(&targets::FIRST, first.map(|first| first.median));
}

/// Transactions of 1 and of 100 rows, payloads of 200 bytes to 10 KB.
pub(crate) fn sizes(bench: &mut Bench, report: &mut Report) -> anyhow::Result<()> {
    let subjects = [Subject::Outflow, Subject::Debezium, Subject::DebeziumTuned];
    report.heading("By size of transaction and payload");
    for shape in [Shape::Singles, Shape::Hundreds] {
        for (payload, share) in [(200, 2), (1_000, 4), (10_000, 20)] {
            let rows = (bench.options.rows / share).max(100);
            table(bench, report, &Backlog::new(shape, rows, payload), &subjects)?;
        }
    }
    Ok(())
}

/// An outbox that is a hundredth of a busy log.
pub(crate) fn busy(bench: &mut Bench, report: &mut Report) -> anyhow::Result<()> {
    let subjects = [Subject::Outflow, Subject::Debezium, Subject::DebeziumTuned, Subject::Floor];
    let rows = (bench.options.rows / 20).max(100);
    report.heading("An outbox that is one row in a hundred of a busy log");
    table(bench, report, &Backlog::new(Shape::Busy, rows, 262), &subjects).map(drop)
}

/// Makes a backlog, drains it by all subjects in turn and writes their table.
fn table(
    bench: &mut Bench,
    report: &mut Report,
    backlog: &Backlog,
    subjects: &[Subject],
) -> anyhow::Result<(Waiting, Vec<Runs>)> {
    let waiting = bench.make(backlog, true)?;
    let all = alternate(bench, report, &waiting, subjects)?;
    let megabytes_of_log = count(waiting.log_bytes) / 1e6;
    report.text(&format!("{}; {megabytes_of_log:.0} MB of log.", backlog.title()));
    report.table(
        &[
            "",
            "rows/s",
            "MB/s",
            "CPU µs/row",
            "of MySQL",
            "of Kafka",
            "first record after s",
            "rows/s from then on",
            "peak MB",
        ],
        all.iter().map(|runs| {
            let rows = count(waiting.rows);
            let cpu = |of: usize| {
                runs.spread(|run| run.cpu.get(of).copied().unwrap_or_default() * 1e6 / rows)
            };
            let told = |value: &dyn Fn(f64, &Run) -> Option<f64>| {
                let values = runs.runs.iter().filter_map(|run| value(run.first?, run));
                Spread::of(values).map_or("–".to_owned(), |spread| spread.to_string())
            };
            // What comes between two looks has no rate.
            let then_on = |first: f64, run: &Run| {
                Some(run.took - first).filter(|took| *took > 0.05).map(|took| rows / took)
            };
            vec![
                runs.subject.title().to_owned(),
                runs.rate(waiting.rows).to_string(),
                runs.spread(|run| megabytes_of_log / run.took).to_string(),
                cpu(0).to_string(),
                cpu(1).to_string(),
                cpu(2).to_string(),
                told(&|first, _| Some(first)),
                told(&then_on),
                runs.peak().to_string(),
            ]
        }),
    );
    Ok((waiting, all))
}

/// Runs the subjects in turn. One that fails is told of and left out from then on.
pub(crate) fn alternate(
    bench: &mut Bench,
    report: &mut Report,
    waiting: &Waiting,
    subjects: &[Subject],
) -> anyhow::Result<Vec<Runs>> {
    let takes_part = |subject: &&Subject| bench.debezium.is_some() || !subject.is_debezium();
    let mut all: Vec<Runs> = subjects
        .iter()
        .filter(takes_part)
        .map(|subject| Runs { subject: *subject, runs: Vec::new() })
        .collect();
    if !std::mem::replace(&mut bench.is_warm, true) {
        for _ in 0..WARM_UP_RUNS {
            once(bench, Subject::Outflow, waiting)?;
        }
        report.text(&format!("{WARM_UP_RUNS} runs that do not count have warmed the broker up."));
    }
    for round in 1..=bench.options.runs {
        let mut failed = Vec::new();
        for runs in &mut all {
            match once(bench, runs.subject, waiting) {
                Ok(run) => {
                    note(&format!("run {round}, {}: {:.2} s", runs.subject.title(), run.took));
                    runs.runs.push(run);
                }
                Err(error) => {
                    report.remark(&format!("{}: {error:#}", runs.subject.title()));
                    failed.push(runs.subject);
                }
            }
        }
        all.retain(|runs| !failed.contains(&runs.subject));
    }
    all.sort_by_key(|runs| runs.subject);
    if all.is_empty() {
        bail!("no subject is left");
    }
    Ok(all)
}

/// Drains a backlog once.
pub(crate) fn once(bench: &mut Bench, subject: Subject, waiting: &Waiting) -> anyhow::Result<Run> {
    let topic = bench.topics.fresh()?;
    let alone = bench.alone(Some(subject))?;
    let run = with_servers(bench, |bench| {
        if subject.is_debezium() {
            by_debezium(bench, subject, waiting, &topic)
        } else {
            by_program(bench, subject, waiting, &topic, subject == Subject::Outflow)
        }
    });
    drop(alone);
    bench.topics.delete(&[topic])?;
    run
}

/// Drains a backlog by a program of outflow, whose end is the backlog's end, to topics that may hold records.
pub(crate) fn by_exit(
    bench: &mut Bench,
    subject: Subject,
    waiting: &Waiting,
    topic: &str,
) -> anyhow::Result<Run> {
    with_servers(bench, |bench| by_program(bench, subject, waiting, topic, false))
}

/// Adds the CPU time of MySQL and Kafka to a run.
fn with_servers(
    bench: &mut Bench,
    run: impl FnOnce(&mut Bench) -> anyhow::Result<Run>,
) -> anyhow::Result<Run> {
    let servers = [bench.mysql.pid()?, bench.kafka.pid()?];
    let before = servers.map(process::cpu);
    let mut run = run(bench)?;
    let after = servers.map(process::cpu);
    for (cpu, (before, after)) in run.cpu.iter_mut().skip(1).zip(before.iter().zip(after)) {
        *cpu = after.saturating_sub(*before).as_secs_f64();
    }
    Ok(run)
}

fn by_program(
    bench: &Bench,
    subject: Subject,
    waiting: &Waiting,
    topic: &str,
    watch: bool,
) -> anyhow::Result<Run> {
    let data = bench.path(&format!("data-{}", bench.topics.unique()));
    let mut command = if subject == Subject::Floor {
        floor::command(bench, waiting)?
    } else {
        copy_folder(&bench.path("start"), &data)?;
        outflow::command(bench, &Job { data: &data, subject, topic, until_caught_up: true })?
    };
    let mut program = Program::start(&mut command)?;
    let started = program.started;
    let arrival = if watch {
        let mut look = || {
            // It may have ended with all of it delivered.
            if program.look() || bench.topics.count(topic)? >= waiting.rows {
                return Ok(());
            }
            bail!(outflow::failure(bench))
        };
        Some(bench.topics.until(topic, waiting.rows, &mut look)?)
    } else {
        None
    };
    let ended = program.ended()?;
    if !ended.well {
        bail!("exit code {:?}: {:#}", ended.code, outflow::failure(bench));
    }
    if data.exists() {
        std::fs::remove_dir_all(data)?;
    }
    Ok(Run {
        took: arrival.map_or(ended.took.as_secs_f64(), |arrival| seconds(started, arrival.last)),
        first: arrival.map(|arrival| seconds(started, arrival.first)),
        cpu: [ended.cpu.as_secs_f64(), 0.0, 0.0],
        peak_kib: ended.peak_kib,
    })
}

fn by_debezium(
    bench: &mut Bench,
    subject: Subject,
    waiting: &Waiting,
    topic: &str,
) -> anyhow::Result<Run> {
    let tuned = subject == Subject::DebeziumTuned;
    let started = debezium(bench)?.go(&waiting.start, topic, tuned)?;
    let debezium = debezium(bench)?;
    let (pid, before) = (debezium.pid, process::cpu(debezium.pid));
    let mut looked = Instant::now();
    let arrival = bench.topics.until(topic, waiting.rows, || {
        if looked.elapsed() < Duration::from_secs(5) {
            return Ok(());
        }
        looked = Instant::now();
        bench.debezium.as_ref().map_or(Ok(()), |debezium| debezium.check())
    })?;
    let cpu = process::cpu(pid).saturating_sub(before).as_secs_f64();
    let peak_kib = process::memory(pid).unwrap_or_default().peak_kib;
    if let Some(debezium) = &bench.debezium {
        debezium.halt()?;
    }
    Ok(Run {
        took: seconds(started, arrival.last),
        first: Some(seconds(started, arrival.first)),
        cpu: [cpu, 0.0, 0.0],
        peak_kib,
    })
}
