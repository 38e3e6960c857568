use std::process::Command;
use std::time::{Duration, Instant};

use crate::bench::Bench;
use crate::numbers::short;
use crate::process;

/// Tells how much of the machine others took: beside them no number counts.
pub(crate) struct Quiet {
    begun: Instant,
    others: Duration,
}

impl Quiet {
    pub(crate) fn begin(bench: &Bench) -> Self {
        Self { begun: Instant::now(), others: others(bench) }
    }

    /// The share of a core that others took, in words.
    pub(crate) fn end(&self, bench: &Bench) -> String {
        let others = others(bench).saturating_sub(self.others).as_secs_f64();
        let share = others / self.begun.elapsed().as_secs_f64() * 100.0;
        format!("Other programs took {} % of a core meanwhile.", short(share))
    }
}

/// CPU time of all that has no part in the measurements. A server that was started anew counts from zero.
fn others(bench: &Bench) -> Duration {
    let servers = [Some(&bench.mysql), Some(&bench.kafka), bench.connect.as_ref()];
    let servers = servers.into_iter().flatten().filter_map(|server| server.pid().ok());
    let ours = servers.map(process::cpu).sum::<Duration>() + process::own_cpu();
    process::machine_cpu().saturating_sub(ours)
}

/// Versions and machine, one line each.
pub(crate) fn describe(bench: &mut Bench) -> anyhow::Result<Vec<String>> {
    let cores = std::thread::available_parallelism()?;
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned());
    let memory = field("/proc/meminfo", "MemTotal").unwrap_or_default();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<_> = load.split(' ').take(3).collect();
    let mut lines = vec![
        format!(
            "{cores} cores of {processor}, {memory}; Linux {}",
            read("/proc/sys/kernel/osrelease")
        ),
        format!("load before the first run: {}", load.join(" ")),
        format!(
            "outflow {} at {}, {}",
            env!("CARGO_PKG_VERSION"),
            output("git", &["rev-parse", "--short", "HEAD"]),
            output("rustc", &["--version"])
        ),
        format!(
            "MySQL {}, `sync_binlog=0`, `innodb_flush_log_at_trx_commit=2`",
            bench.sql.text("SELECT VERSION()")?
        ),
    ];
    let versions = versions();
    lines.push(format!("Kafka {}, one broker", versions.0));
    if bench.connect.is_some() {
        lines.push(format!("Debezium {} in Kafka Connect {}; {}", versions.2, versions.1, java()));
    }
    Ok(lines)
}

/// Kafka's, Connect's and Debezium's, as tests/servers.sh gets them.
fn versions() -> (String, String, String) {
    let script = read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/get.sh"));
    let of = |name: &str| {
        let found =
            script.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix("_version="));
        found.unwrap_or("unknown").to_owned()
    };
    (of("kafka"), of("connect"), of("debezium"))
}

fn java() -> String {
    let output = Command::new("java").arg("-version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
    text.unwrap_or_default().lines().next().unwrap_or("java").to_owned()
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = read(file);
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn read(file: &str) -> String {
    std::fs::read_to_string(file).unwrap_or_default().trim().to_owned()
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default()
}
