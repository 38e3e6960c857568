//! From the commit's answer to the consumer's hands, at a steady rate.

use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};

use crate::backlog::{Backlog, Shape};
use crate::bench::Bench;
use crate::chart::{Dots, dots};
use crate::load::{self, Moments};
use crate::numbers::{Spread, megabytes, milliseconds, percentile};
use crate::plain;
use crate::process;
use crate::report::{Report, note};
use crate::subject::{Subject, Tail};
use crate::targets;
use crate::topic::consumer;

/// How long a subject may take until the first record flows, and the last one has come.
const FLOW_MAX: Duration = Duration::from_secs(90);
/// Percentiles that are told, in thousandths.
const TOLD: [usize; 3] = [500, 990, 999];
const LEGEND: [&str; 3] = ["p50", "p99", "p99.9"];

/// One run.
#[derive(Clone, Debug)]
struct Sample {
    from_commit: Vec<f64>,
    from_sending: f64,
    rate: f64,
    /// Of a core.
    cpu: f64,
    resident_kib: u64,
    peak_kib: u64,
    /// The share of a core that the load generator and the consumer took.
    own_cpu: f64,
}

/// Runs of one subject at one rate; without a subject records are produced straight to Kafka.
struct Samples {
    subject: Option<Subject>,
    rate: u64,
    samples: Vec<Sample>,
}

impl Samples {
    fn title(&self) -> &'static str {
        self.subject.map_or("produce to consume", Subject::title)
    }

    fn spread(&self, value: impl Fn(&Sample) -> f64) -> Spread {
        Spread::of(self.samples.iter().map(value)).unwrap_or_default()
    }

    fn told(&self, which: usize) -> Spread {
        self.spread(|sample| sample.from_commit.get(which).copied().unwrap_or_default())
    }
}

/// All subjects at all rates, in turn.
pub(crate) fn measure(bench: &mut Bench, report: &mut Report) -> anyhow::Result<()> {
    use Subject::{Debezium, DebeziumTuned, ExactlyOnce, Outflow};
    bench.begin(&Backlog::new(Shape::Singles, 0, 262), true)?;
    let subjects = [None, Some(Outflow), Some(Debezium), Some(DebeziumTuned), Some(ExactlyOnce)];
    let takes_part = |subject: &&Option<Subject>| {
        bench.debezium.is_some() || !subject.is_some_and(Subject::is_debezium)
    };
    let subjects: Vec<_> = subjects.iter().filter(takes_part).copied().collect();
    let mut all: Vec<Samples> = Vec::new();
    for rate in bench.options.rates.clone() {
        all.extend(subjects.iter().map(|&subject| Samples { subject, rate, samples: Vec::new() }));
    }
    report.heading("From commit to consumer");
    for round in 1..=bench.options.runs {
        let mut failed = Vec::new();
        for samples in &mut all {
            if failed.contains(&samples.subject) {
                continue;
            }
            match once(bench, samples.subject, samples.rate) {
                Ok(sample) => {
                    let (title, rate, told) = (samples.title(), samples.rate, &sample.from_commit);
                    note(&format!("run {round}, {title} at {rate}/s: {told:.2?} ms"));
                    samples.samples.push(sample);
                }
                Err(error) => {
                    report.remark(&format!("{} at {}/s: {error:#}", samples.title(), samples.rate));
                    failed.push(samples.subject);
                }
            }
        }
        all.retain(|samples| !failed.contains(&samples.subject));
    }
    aim(report, &all);
    show(report, &all)
}

/// What was aimed at, at the lowest rate.
fn aim(report: &mut Report, all: &[Samples]) {
    let of = |subject| all.iter().find(|samples| samples.subject == subject);
    let told = |subject, which| Some(of(subject)?.told(which).median);
    let times = |which| Some(told(Some(Subject::Outflow), which)? / told(None, which)?);
    report.target(&targets::P50, times(0));
    report.target(&targets::P99, times(1));
    report.target(&targets::EXACTLY_ONCE_P50, told(Some(Subject::ExactlyOnce), 0));
    let resident = |samples: &Samples| samples.spread(|sample| megabytes(sample.resident_kib));
    report.target(
        &targets::RESIDENT,
        of(Some(Subject::Outflow)).map(|samples| resident(samples).median),
    );
}

fn show(report: &mut Report, all: &[Samples]) -> anyhow::Result<()> {
    report.text(
        "The clock starts when the client has the answer to its COMMIT, and stops when a consumer has the record; \
         one row of 262 bytes a transaction.",
    );
    report.table(
        &[
            "",
            "tx/s",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "p50 ms from the INSERT on",
            "CPU % of a core",
            "CPU µs/tx",
            "resident MB",
            "peak MB",
            "probe's CPU %",
        ],
        all.iter().map(|samples| {
            let of_subject = |value: &dyn Fn(&Sample) -> f64| match samples.subject {
                Some(_) => samples.spread(value).to_string(),
                None => "–".to_owned(),
            };
            vec![
                samples.title().to_owned(),
                samples.spread(|sample| sample.rate).to_string(),
                samples.told(0).to_string(),
                samples.told(1).to_string(),
                samples.told(2).to_string(),
                samples.spread(|sample| sample.from_sending).to_string(),
                of_subject(&|sample| sample.cpu * 100.0),
                of_subject(&|sample| sample.cpu * 1e6 / sample.rate),
                of_subject(&|sample| megabytes(sample.resident_kib)),
                of_subject(&|sample| megabytes(sample.peak_kib)),
                samples.spread(|sample| sample.own_cpu * 100.0).to_string(),
            ]
        }),
    );
    let rows = all.iter().map(|samples| Dots {
        label: format!("{}, {}/s", samples.title(), samples.rate),
        values: (0..TOLD.len()).map(|which| samples.told(which).median).collect(),
    });
    let chart = dots("From commit to consumer", &LEGEND, &rows.collect::<Vec<_>>());
    report.chart("latency.svg", "time from commit to consumer", &chart)
}

/// One subject at one rate.
fn once(bench: &mut Bench, subject: Option<Subject>, rate: u64) -> anyhow::Result<Sample> {
    let topic = bench.topics.fresh()?;
    let consumer = consumer(&bench.brokers, &topic)?;
    let alone = bench.alone(subject)?;
    let records = usize::try_from(rate * bench.options.seconds)?;
    let moments = Moments::new(records);
    let sample = std::thread::scope(|scope| {
        let reader = scope.spawn(|| moments.consume(&consumer));
        let sample = match subject {
            Some(subject) => through(bench, subject, &topic, &moments, rate),
            None => plainly(bench, &topic, records, &moments, rate),
        };
        moments.end();
        reader.join().map_err(|_| anyhow!("the consumer panicked"))??;
        sample
    });
    drop(alone);
    bench.topics.delete(&[topic])?;
    sample
}

/// The floor.
fn plainly(
    bench: &Bench,
    topic: &str,
    records: usize,
    moments: &Moments,
    rate: u64,
) -> anyhow::Result<Sample> {
    let own = std::process::id();
    let (begun, before) = (Instant::now(), process::cpu(own));
    plain::produce(&bench.brokers, topic, records, moments, rate)?;
    arrived(moments)?;
    let own_cpu = share(process::cpu(own).saturating_sub(before), begun);
    sample(moments, 0.0, own_cpu, process::Memory::default())
}

/// Through MySQL and a subject.
fn through(
    bench: &mut Bench,
    subject: Subject,
    topic: &str,
    moments: &Moments,
    rate: u64,
) -> anyhow::Result<Sample> {
    let mut tail = Tail::start(bench, subject, topic)?;
    let deadline = Instant::now() + FLOW_MAX;
    while !moments.is_warm() {
        if Instant::now() > deadline {
            bail!("nothing flows");
        }
        tail.check(bench)?;
        load::warm_up(&mut bench.sql)?;
        std::thread::sleep(Duration::from_millis(100));
    }
    // What it does once after its start is behind it.
    std::thread::sleep(Duration::from_secs(1));
    let (own, pid) = (std::process::id(), tail.pid());
    let (begun, before, own_before) = (Instant::now(), process::cpu(pid), process::cpu(own));
    load::transactions(bench.mysql_port, moments, rate)?;
    let cpu = share(process::cpu(pid).saturating_sub(before), begun);
    let own_cpu = share(process::cpu(own).saturating_sub(own_before), begun);
    let memory = tail.memory();
    arrived(moments)?;
    tail.stop(bench)?;
    sample(moments, cpu, own_cpu, memory)
}

fn share(cpu: Duration, begun: Instant) -> f64 {
    cpu.as_secs_f64() / begun.elapsed().as_secs_f64()
}

/// Waits for the last record.
fn arrived(moments: &Moments) -> anyhow::Result<()> {
    let deadline = Instant::now() + FLOW_MAX;
    while moments.missing() > 0 {
        if Instant::now() > deadline {
            bail!("{} records have not come", moments.missing());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn sample(
    moments: &Moments,
    cpu: f64,
    own_cpu: f64,
    memory: process::Memory,
) -> anyhow::Result<Sample> {
    let (from_commit, from_sending) = (moments.since_commit(), moments.since_sending());
    let told = TOLD.map(|permille| percentile(&from_commit, permille).map(milliseconds));
    let p50 = percentile(&from_sending, 500).context("nothing was sent")?;
    Ok(Sample {
        from_commit: told.into_iter().flatten().collect(),
        from_sending: milliseconds(p50),
        rate: moments.rate(),
        cpu,
        resident_kib: memory.resident_kib,
        peak_kib: memory.peak_kib,
        own_cpu,
    })
}
