use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{anyhow, bail};

use crate::bench::Bench;
use crate::connector::TOPIC;
use crate::process::Program;
use crate::subject::Subject;

/// Above the numbers of all others here.
const SERVER_ID_MIN: u32 = 10_000;

/// What a process of outflow does.
pub(crate) struct Job<'a> {
    pub(crate) data: &'a Path,
    pub(crate) subject: Subject,
    pub(crate) topic: &'a str,
    pub(crate) until_caught_up: bool,
}

/// The command for it. The program is the one that cargo built beside this bench.
pub(crate) fn command(bench: &Bench, job: &Job<'_>) -> anyhow::Result<Command> {
    let sink = match job.subject {
        Subject::Null => "null",
        Subject::Stdout => "stdout",
        _ => "kafka",
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflow"));
    command.arg("run").arg(bench.connector_file()).arg("--data-dir").arg(job.data);
    command.args(["--listen", "127.0.0.1:0", "--log", "warn", "--sink", sink]);
    command.args(["--bootstrap-servers", &bench.brokers]);
    command.args(["--set", &format!("{TOPIC}={}", job.topic)]);
    // A start waits for an older stream of the same number and another data folder to end.
    let server_id = SERVER_ID_MIN + bench.topics.number();
    command.args(["--set", &format!("database.server.id={server_id}")]);
    if job.subject == Subject::ExactlyOnce {
        command.args(["--set", "exactly.once.support=required"]);
        command.arg("--worker").arg(positions(bench)?);
    }
    if job.until_caught_up {
        command.arg("--until-caught-up");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(log(bench))?);
    Ok(command)
}

/// A worker's file with a new topic of positions: one that is there would tell of another run.
fn positions(bench: &Bench) -> anyhow::Result<PathBuf> {
    let file = bench.path("worker.properties");
    let topic = format!("bench-positions-{}", bench.topics.unique());
    std::fs::write(
        &file,
        format!(
            "offset.storage.topic={topic}\noffset.storage.partitions=1\noffset.storage.replication.factor=1\n"
        ),
    )?;
    Ok(file)
}

fn log(bench: &Bench) -> PathBuf {
    bench.path("outflow.log")
}

/// Why the last process of outflow ended, in its own words.
pub(crate) fn failure(bench: &Bench) -> anyhow::Error {
    let log = std::fs::read_to_string(log(bench)).unwrap_or_default();
    let mut last: Vec<_> = log.lines().rev().take(3).map(str::trim).collect();
    last.reverse();
    anyhow!("outflow ended: {}", last.join(" / "))
}

/// Stores the log's end as the place to go on from.
pub(crate) fn note_start(bench: &Bench, data: &Path) -> anyhow::Result<()> {
    let job = Job { data, subject: Subject::Null, topic: "unused", until_caught_up: true };
    if !Program::start(&mut command(bench, &job)?)?.ended()?.well {
        bail!(failure(bench));
    }
    Ok(())
}
