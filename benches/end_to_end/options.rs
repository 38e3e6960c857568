use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Measures outflow beside Debezium on real MySQL and Kafka servers of this machine.
#[derive(Parser)]
#[command(name = "end_to_end")]
pub(crate) struct Options {
    /// What to measure; everything but growth when not given.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) only: Vec<Part>,
    /// Rows of the backlog whose payloads are small; larger payloads get fewer.
    #[arg(long, default_value_t = 600_000)]
    pub(crate) rows: u64,
    /// Runs of each, alternating.
    #[arg(long, default_value_t = 3)]
    pub(crate) runs: usize,
    /// Leave Debezium out.
    #[arg(long)]
    pub(crate) no_debezium: bool,
    /// Seconds of load for each latency, and of rest for the idle figures.
    #[arg(long, default_value_t = 10)]
    pub(crate) seconds: u64,
    /// Transactions a second at which latency is measured.
    #[arg(long, value_delimiter = ',', default_values_t = [200, 1000, 5000])]
    pub(crate) rates: Vec<u64>,
    /// The longest backlog of the growth curves.
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) growth_rows: u64,
    /// The most topics of the growth curves that a broker has to keep.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) growth_topics: u64,
    /// Folder of the report and its charts.
    #[arg(long, default_value = "target/end_to_end")]
    pub(crate) out: PathBuf,
    /// Leave the servers running.
    #[arg(long)]
    pub(crate) keep_servers: bool,
    /// Only read the log: connector file, then log file and position of start and end.
    #[arg(long, num_args = 5, hide = true)]
    pub(crate) floor: Option<Vec<String>>,
}

/// A part of the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// A backlog of transactions of one row and of 100 rows, into every sink.
    Drain,
    /// Backlogs by size of transaction and payload.
    Sizes,
    /// A backlog of which one row in a hundred is the outbox's.
    Busy,
    /// From commit to consumer.
    Latency,
    /// What it takes to wait.
    Idle,
    /// Catching up after the broker was away.
    Outage,
    /// How the cost of a row grows with everything that can grow.
    Growth,
}

impl Options {
    /// The parts to measure, in order.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let all = Part::value_variants().iter().copied();
        let wanted = |part: &Part| {
            if self.only.is_empty() { *part != Part::Growth } else { self.only.contains(part) }
        };
        all.filter(wanted).collect()
    }

    /// Whether Debezium takes part in anything that is measured.
    pub(crate) fn debezium(&self) -> bool {
        !self.no_debezium && self.parts().iter().any(|part| *part != Part::Growth)
    }
}
