use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tracing::{error, info, warn};

use super::connector::Connector;
use super::{ConnectorState, ConnectorStatus, Failure, Stop};
use crate::admin::{Admin, AdminOptions, AdminPort};
use crate::checkpoint::DataDir;
use crate::config::ConnectorConfig;
use crate::metrics::Metrics;
use crate::sink::EmbeddedCluster;

/// From the request to stop to the end of the process, at the most; an orchestrator kills after 30 s.
const SHUTDOWN_MAX: Duration = Duration::from_secs(20);

/// Where records go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinkKind {
    /// The Kafka cluster of the configuration.
    Kafka,
    /// One JSON object a record on standard output.
    Stdout,
    /// An in-process cluster on a loopback port, for trying outflow out.
    Embedded,
    /// Nowhere, for measurements.
    Null,
}

/// How a process runs its connectors.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Where state lies.
    pub data_dir: PathBuf,
    /// The admin port.
    pub admin: AdminOptions,
    /// Where records go.
    pub sink: SinkKind,
    /// End once everything that the server had at start is acknowledged.
    pub until_caught_up: bool,
}

/// What a worker's connectors share.
pub(super) struct Shared {
    pub(super) handle: Handle,
    pub(super) metrics: Arc<Metrics>,
    pub(super) data_dir: Arc<DataDir>,
    pub(super) stop: Stop,
    pub(super) sink: SinkKind,
    pub(super) until_caught_up: bool,
}

/// Runs connectors until they end or a signal asks them to.
pub struct Worker {
    options: WorkerOptions,
    connectors: Vec<ConnectorConfig>,
}

impl Worker {
    /// A worker for these connectors.
    #[must_use]
    pub fn new(options: WorkerOptions, connectors: Vec<ConnectorConfig>) -> Self {
        Self { options, connectors }
    }

    /// Runs; whether every connector ended well.
    ///
    /// # Errors
    /// When the process cannot start: data folder, admin port, embedded cluster.
    pub async fn run(mut self) -> anyhow::Result<bool> {
        let data_dir = DataDir::open(&self.options.data_dir)?;
        let port = AdminPort::open(&self.options.admin).await?;
        let address = port.address()?;
        let embedded = self.start_embedded()?;
        let metrics = Arc::new(Metrics::new()?);
        let shared = Arc::new(Shared {
            handle: Handle::current(),
            metrics: Arc::clone(&metrics),
            data_dir,
            stop: Stop::default(),
            sink: self.options.sink,
            until_caught_up: self.options.until_caught_up,
        });
        let statuses: Vec<_> = self
            .connectors
            .iter()
            .map(|config| {
                Arc::new(ConnectorStatus::new(&config.name, metrics.connector(&config.name)))
            })
            .collect();
        let admin = tokio::spawn(Admin::new(metrics, statuses.clone()).serve(port));
        info!(%address, "admin port open");
        let well = supervise(self.connectors, &statuses, &shared).await?;
        admin.abort();
        drop(embedded);
        Ok(well)
    }

    fn start_embedded(&mut self) -> anyhow::Result<Option<EmbeddedCluster>> {
        if self.options.sink != SinkKind::Embedded {
            return Ok(None);
        }
        let cluster = EmbeddedCluster::start()?;
        let servers = cluster.bootstrap_servers();
        info!(bootstrap_servers = %servers, "embedded cluster started, for trying out only: it keeps nothing");
        for config in &mut self.connectors {
            config.sink.bootstrap_servers.clone_from(&servers);
        }
        Ok(Some(cluster))
    }
}

/// Runs each connector on a thread of its own and sees all of them to their end.
async fn supervise(
    connectors: Vec<ConnectorConfig>,
    statuses: &[Arc<ConnectorStatus>],
    shared: &Arc<Shared>,
) -> anyhow::Result<bool> {
    let (ended, mut ends) = mpsc::channel(connectors.len().max(1));
    let mut running = Vec::new();
    for (config, status) in connectors.into_iter().zip(statuses) {
        let connector = Connector::new(config, Arc::clone(status), Arc::clone(shared));
        let (ended, status) = (ended.clone(), Arc::clone(status));
        running.push(status.name.clone());
        std::thread::Builder::new().name(format!("{}-reader", status.name)).spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| connector.run()));
            let outcome = outcome.unwrap_or_else(|panic| Err(panic_failure(panic.as_ref())));
            let well = conclude(&status, outcome);
            let _receiver_gone = ended.blocking_send((status.name.clone(), well));
        })?;
    }
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = hangup()?;
    let mut well = true;
    let mut deadline = None;
    while !running.is_empty() {
        tokio::select! {
            Some((name, fine)) = ends.recv() => {
                well &= fine;
                running.retain(|other| *other != name);
            }
            _ = interrupt.recv(), if deadline.is_none() => deadline = Some(ask_to_stop(shared)),
            _ = terminate.recv(), if deadline.is_none() => deadline = Some(ask_to_stop(shared)),
            () = received(&mut hangup), if deadline.is_none() => deadline = Some(ask_to_stop(shared)),
            () = tokio::time::sleep_until(deadline.unwrap_or_else(tokio::time::Instant::now)), if deadline.is_some() => {
                warn!(open = running.join(", "), "not everything ended in time; the checkpoint stays behind what is not acknowledged");
                return Ok(false);
            }
        }
    }
    Ok(well)
}

/// SIGHUP ends it like SIGTERM when its terminal is closed, unless it was started to outlive that, as by `nohup`.
fn hangup() -> std::io::Result<Option<Signal>> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let kind = SignalKind::hangup();
    let bit = 1 << (kind.as_raw_value() - 1);
    if ignored.is_some_and(|mask| mask & bit != 0) { Ok(None) } else { signal(kind).map(Some) }
}

async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

fn ask_to_stop(shared: &Shared) -> tokio::time::Instant {
    info!("stopping");
    shared.stop.request();
    tokio::time::Instant::now() + SHUTDOWN_MAX
}

/// Notes how a connector ended; whether it ended well.
fn conclude(status: &ConnectorStatus, outcome: Result<(), Failure>) -> bool {
    match outcome {
        Ok(()) | Err(Failure::StopRequested) => {
            info!(connector = %status.name, "stopped");
            status.enter(ConnectorState::Stopped);
            true
        }
        Err(failure) => {
            let error = failure.chain();
            error!(connector = %status.name, error, "FAILED");
            status.enter(ConnectorState::Failed(error));
            false
        }
    }
}

fn panic_failure(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    Failure::Panic(text.unwrap_or("no message").to_owned())
}
