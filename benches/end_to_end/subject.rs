use std::time::Instant;

use anyhow::Context;

use crate::bench::Bench;
use crate::debezium::Debezium;
use crate::outflow::{self, Job};
use crate::process::{self, Memory, Program};

/// What is measured, in the order in which it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    Outflow,
    /// outflow with `exactly.once.support=required`.
    ExactlyOnce,
    /// outflow, its records going nowhere.
    Null,
    /// outflow, its records printed to `/dev/null`.
    Stdout,
    /// outflow's reader alone: packets are framed and their checksums verified.
    Floor,
    Debezium,
    DebeziumTuned,
}

impl Subject {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Outflow => "outflow",
            Self::ExactlyOnce => "outflow, exactly once",
            Self::Null => "outflow, null sink",
            Self::Stdout => "outflow, stdout",
            Self::Floor => "reader alone",
            Self::Debezium => "Debezium",
            Self::DebeziumTuned => "Debezium, tuned",
        }
    }

    pub(crate) fn is_debezium(self) -> bool {
        matches!(self, Self::Debezium | Self::DebeziumTuned)
    }
}

/// A subject that follows the log's end.
pub(crate) enum Tail {
    Outflow(Program),
    Debezium(u32),
}

impl Tail {
    /// Starts a subject at the log's end, into a topic.
    pub(crate) fn start(bench: &mut Bench, subject: Subject, topic: &str) -> anyhow::Result<Self> {
        if subject.is_debezium() {
            let place = bench.sql.log_end()?;
            let debezium = debezium(bench)?;
            debezium.go(&place, topic, subject == Subject::DebeziumTuned)?;
            return Ok(Self::Debezium(debezium.pid));
        }
        let data = bench.path(&format!("tail-{}", bench.topics.unique()));
        let job = Job { data: &data, subject, topic, until_caught_up: false };
        Program::start(&mut outflow::command(bench, &job)?).map(Self::Outflow)
    }

    pub(crate) fn pid(&self) -> u32 {
        match self {
            Self::Outflow(program) => program.pid(),
            Self::Debezium(pid) => *pid,
        }
    }

    pub(crate) fn memory(&self) -> Memory {
        process::memory(self.pid()).unwrap_or_default()
    }

    /// An error once it does no longer run.
    pub(crate) fn check(&mut self, bench: &Bench) -> anyhow::Result<()> {
        match self {
            Self::Outflow(program) => {
                if program.look() {
                    Ok(())
                } else {
                    Err(outflow::failure(bench))
                }
            }
            Self::Debezium(_) => bench.debezium.as_ref().context("no Debezium")?.check(),
        }
    }

    pub(crate) fn stop(self, bench: &Bench) -> anyhow::Result<()> {
        match self {
            Self::Outflow(program) => program.stop().map(drop),
            Self::Debezium(_) => bench.debezium.as_ref().context("no Debezium")?.halt(),
        }
    }
}

/// The Debezium of this backlog.
pub(crate) fn debezium(bench: &mut Bench) -> anyhow::Result<&mut Debezium> {
    bench.debezium.as_mut().context("Debezium takes no part")
}

/// The seconds between two moments.
pub(crate) fn seconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64()
}
