//! What is aimed at, told beside what was measured.

use crate::numbers::short;

/// A figure and its bound, on two cores and with the defaults.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) what: &'static str,
    pub(crate) unit: &'static str,
    bound: Bound,
}

#[derive(Clone, Copy, Debug)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

use Bound::{AtLeast, AtMost};

const fn target(what: &'static str, bound: Bound, unit: &'static str) -> Target {
    Target { what, unit, bound }
}

pub(crate) const DRAIN: Target =
    target("backlog into Kafka", AtLeast(25.0), "times Debezium's rows/s");
pub(crate) const DRAIN_OF_FLOOR: Target =
    target("backlog into Kafka", AtLeast(0.45), "of the reader alone");
pub(crate) const NULL_OF_FLOOR: Target =
    target("backlog into the null sink", AtLeast(0.85), "of the reader alone");
pub(crate) const STDOUT_OF_FLOOR: Target =
    target("backlog printed", AtLeast(0.85), "of the reader alone");
pub(crate) const CPU: Target = target("CPU time of a row", AtMost(2.5), "µs");
pub(crate) const FIRST: Target =
    target("from start to the first record of a backlog", AtMost(1.0), "s");
pub(crate) const PEAK: Target = target("peak memory of a drain", AtMost(64.0), "MB");
pub(crate) const PEAK_OUTAGE: Target =
    target("peak memory over an outage of the broker", AtMost(64.0), "MB");
pub(crate) const RESIDENT: Target = target("memory at the log's end", AtMost(25.0), "MB");
pub(crate) const IDLE: Target =
    target("CPU while nothing is committed", AtMost(1.0), "% of a core");
pub(crate) const P50: Target =
    target("p50 from commit to consumer", AtMost(1.3), "times plain produce to consume");
pub(crate) const P99: Target =
    target("p99 from commit to consumer", AtMost(2.0), "times plain produce to consume");
pub(crate) const EXACTLY_ONCE: Target =
    target("backlog, exactly once", AtLeast(0.6), "of at least once");
pub(crate) const EXACTLY_ONCE_P50: Target =
    target("p50 from commit to consumer, exactly once", AtMost(8.0), "ms");

impl Target {
    /// Its row: what, measured, aimed at, and whether it is reached.
    pub(crate) fn row(&self, measured: f64) -> Vec<String> {
        let (bound, reached) = match self.bound {
            AtLeast(bound) => (format!("at least {bound}"), measured >= bound),
            AtMost(bound) => (format!("at most {bound}"), measured <= bound),
        };
        let reached = if reached { "yes" } else { "no" };
        vec![
            self.what.to_owned(),
            format!("{} {}", short(measured), self.unit),
            bound,
            reached.to_owned(),
        ]
    }
}
