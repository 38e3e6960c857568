//! How the cost of a row grows with everything that can grow. A flat curve is the aim.

use crate::backlog::{self, Backlog, Shape};
use crate::bench::{Bench, Waiting};
use crate::chart::{Line, Panel, panels};
use crate::drain::{Runs, by_exit};
use crate::numbers::{Spread, count};
use crate::report::{Report, note};
use crate::subject::Subject;

/// The ways that are told apart: what is ours alone, and all of it.
const SUBJECTS: [Subject; 2] = [Subject::Null, Subject::Outflow];
/// Rows where something else grows.
const ROWS: u64 = 200_000;

/// What was measured at one place of a curve.
struct Point {
    at: u64,
    rows: u64,
    runs: [Runs; 2],
}

/// Something that grows.
struct Curve {
    title: &'static str,
    points: Vec<Point>,
}

pub(crate) fn measure(bench: &mut Bench, report: &mut Report) -> anyhow::Result<()> {
    report.heading("Growth");
    let rows = ROWS.min(bench.options.growth_rows);
    let base = Backlog::new(Shape::Hundreds, rows, 262);
    let mut curves = Vec::new();
    let measured = all(bench, &base, &mut curves);
    show(report, &curves)?;
    measured
}

/// Every curve, one after another; those before a failure stay.
fn all(bench: &mut Bench, base: &Backlog, curves: &mut Vec<Curve>) -> anyhow::Result<()> {
    curves.push(of_rows(bench, base)?);
    curves.push(curve(bench, "captured tables", &[1, 10, 50, 200], |at| Backlog {
        tables: at,
        ..base.clone()
    })?);
    curves.push(curve(bench, "distinct keys", &[1, 100, 10_000], |at| Backlog {
        keys: at,
        ..base.clone()
    })?);
    curves.push(curve(bench, "distinct topics", &[1, 10, 100, 1_000, 10_000], |at| Backlog {
        topics: at,
        ..base.clone()
    })?);
    curves.push(of_sources(bench, base)?);
    Ok(())
}

fn show(report: &mut Report, curves: &[Curve]) -> anyhow::Result<()> {
    report.table(
        &["", "", "null sink: CPU µs/row", "rows/s", "Kafka: CPU µs/row", "rows/s"],
        curves.iter().flat_map(|curve| {
            curve.points.iter().map(|point| {
                let told = |runs: &Runs, spread: Spread| {
                    if runs.runs.is_empty() { "–".to_owned() } else { spread.to_string() }
                };
                let [null, kafka] = &point.runs;
                vec![
                    curve.title.to_owned(),
                    point.at.to_string(),
                    told(null, null.cost(point.rows)),
                    told(null, null.rate(point.rows)),
                    told(kafka, kafka.cost(point.rows)),
                    told(kafka, kafka.rate(point.rows)),
                ]
            })
        }),
    );
    let shown: Vec<_> = curves.iter().map(panel).collect();
    let chart = panels("CPU time of a row in microseconds, by", &shown);
    report.chart("growth.svg", "CPU time of a row as things grow", &chart)
}

fn panel(curve: &Curve) -> Panel {
    let lines = SUBJECTS.iter().enumerate().map(|(which, subject)| {
        let points = curve.points.iter().filter_map(|point| {
            let runs = point.runs.get(which).filter(|runs| !runs.runs.is_empty())?;
            Some((count(point.at), runs.cost(point.rows).median))
        });
        Line { label: subject.title().to_owned(), points: points.collect() }
    });
    Panel { title: curve.title.to_owned(), lines: lines.collect() }
}

/// The same log, longer each time.
fn of_rows(bench: &mut Bench, base: &Backlog) -> anyhow::Result<Curve> {
    bench.begin(base, false)?;
    let start = bench.sql.log_end()?;
    let (mut points, mut there) = (Vec::new(), 0);
    let mut rows = 10_000.min(bench.options.growth_rows);
    loop {
        note(&format!("making a backlog of {rows} rows"));
        let backlog = Backlog { rows, ..base.clone() };
        backlog::fill_from(&mut bench.sql, &backlog, there)?;
        there = rows;
        let waiting = bench.waiting(start.clone(), rows)?;
        points.push(point(bench, rows, &waiting, &[])?);
        if rows >= bench.options.growth_rows {
            return Ok(Curve { title: "rows of backlog", points });
        }
        rows = (rows * 10).min(bench.options.growth_rows);
    }
}

fn curve(
    bench: &mut Bench,
    title: &'static str,
    sizes: &[u64],
    backlog: impl Fn(u64) -> Backlog,
) -> anyhow::Result<Curve> {
    let mut points = Vec::new();
    for &at in sizes {
        let backlog = backlog(at);
        note(&format!("{title}: {at}"));
        let waiting = bench.make(&backlog, false)?;
        let prefix = format!("bench-{}", bench.topics.unique());
        let topics: Vec<_> =
            (0..backlog.topics).map(|topic| format!("{prefix}.t{topic}")).collect();
        points.push(point(bench, at, &waiting, if backlog.topics > 1 { &topics } else { &[] })?);
    }
    Ok(Curve { title, points })
}

/// Transactions of so many other servers are in the GTID set.
fn of_sources(bench: &mut Bench, base: &Backlog) -> anyhow::Result<Curve> {
    let mut points = Vec::new();
    for at in [1, 10, 100, 1_000] {
        note(&format!("UUIDs in the GTID set: {at}"));
        backlog::make_tables(&mut bench.sql, base)?;
        let others =
            (1..at).map(|n| format!("{n:08x}-0000-4000-8000-000000000000:1-1000:2000-3000"));
        let others: Vec<_> = others.collect();
        if !others.is_empty() {
            bench.sql.run(&format!("SET GLOBAL gtid_purged = '+{}'", others.join(",")))?;
        }
        bench.note_start()?;
        let start = bench.sql.log_end()?;
        backlog::fill(&mut bench.sql, base)?;
        let waiting = bench.waiting(start, base.rows)?;
        points.push(point(bench, at, &waiting, &[])?);
    }
    Ok(Curve { title: "UUIDs in the GTID set", points })
}

/// Drains in turn. `topics` are those that rows go to where it is not one.
fn point(
    bench: &mut Bench,
    at: u64,
    waiting: &Waiting,
    topics: &[String],
) -> anyhow::Result<Point> {
    let mut runs = SUBJECTS.map(|subject| Runs { subject, runs: Vec::new() });
    let replacement = match topics.first().and_then(|topic| topic.rsplit_once('.')) {
        Some((prefix, _)) => format!("{prefix}.${{routedByValue}}"),
        None => bench.topics.fresh()?,
    };
    let too_many = u64::try_from(topics.len())? > bench.options.growth_topics;
    if !topics.is_empty() && !too_many {
        bench.topics.create(topics, 1)?;
    }
    for _ in 0..bench.options.runs {
        for of in &mut runs {
            if of.subject == Subject::Outflow && too_many {
                continue;
            }
            let run = by_exit(bench, of.subject, waiting, &replacement)?;
            note(&format!("{at}, {}: {:.2} s", of.subject.title(), run.took));
            of.runs.push(run);
        }
    }
    if topics.is_empty() {
        bench.topics.delete(&[replacement])?;
    } else if !too_many {
        bench.topics.delete(topics)?;
    }
    Ok(Point { at, rows: waiting.rows, runs })
}
