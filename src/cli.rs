//! The command line: arguments to a worker, results to exit codes.

mod consume;
mod doctor;
mod offsets;

use std::io::{IsTerminal, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};
use tracing::{info, warn};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::admin::{AdminError, AdminOptions};
use crate::config::{self, ConnectorConfig, Environment, Inputs, Problem, Report, Shown, Verdict};
use crate::route::{RouteError, TransformChain};
use crate::runtime::{SinkKind, Worker, WorkerOptions};

/// Wrong usage or configuration.
const EXIT_USAGE: u8 = 2;
/// The admin port, seen from this machine only.
const DEFAULT_LISTEN: &str = "127.0.0.1:8083";

/// Transactional outbox relay from MySQL's binlog to Kafka, compatible with Debezium's EventRouter.
#[derive(Parser)]
#[command(name = "outflow", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run connectors until a signal asks them to stop.
    Run(Run),
    /// Check connector files without connecting anywhere: every problem at once.
    Validate(Files),
    /// Ask the servers whether connectors can run: settings, rights, tables, topics, and what mends each.
    Doctor(doctor::Doctor),
    /// Show, export, import or forget stored positions, while outflow is stopped.
    Offsets(offsets::Offsets),
    /// Print a topic's records as they arrive, to see what was published without other tools.
    Consume(consume::Consume),
    /// Print the version.
    Version,
}

#[derive(Args)]
struct Run {
    #[command(flatten)]
    files: Files,
    /// Folder of the stored offsets.
    #[arg(long, value_name = "DIR", default_value = "./outflow-data")]
    data_dir: PathBuf,
    /// Address of the admin port: /livez, /readyz, /health, /metrics [default: 127.0.0.1:8083, or the worker file's listeners].
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Speak TLS on the admin port; a PEM file of private key and certificates.
    #[arg(long, value_name = "FILE")]
    admin_certificate: Option<PathBuf>,
    /// Ask for a password on the admin port, but for the probes; a file of lines user=password.
    #[arg(long, value_name = "FILE")]
    admin_users: Option<PathBuf>,
    /// Where records go.
    #[arg(long, value_enum, default_value_t = SinkName::Kafka)]
    sink: SinkName,
    /// End once everything that the server had at start is acknowledged.
    #[arg(long)]
    until_caught_up: bool,
    /// Form of the log on standard error; text on a terminal, JSON elsewhere with `json`.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
    /// Least level that is logged, or a filter such as `outflow=debug`; RUST_LOG when not given.
    #[arg(long, value_name = "LEVEL")]
    log: Option<String>,
}

#[derive(Args)]
struct Files {
    /// Connector files: Connect's JSON or Java properties.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A Connect worker's properties file.
    #[arg(long, value_name = "FILE")]
    worker: Option<PathBuf>,
    /// Kafka's addresses.
    #[arg(long, value_name = "HOST:PORT,…")]
    bootstrap_servers: Option<String>,
    /// Set a property over what the files say.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Unknown properties are errors.
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum SinkName {
    /// The Kafka cluster of the configuration.
    Kafka,
    /// One JSON object a record on standard output.
    Stdout,
    /// An in-process cluster on a loopback port, for trying out.
    Embedded,
    /// Nowhere, for measurements.
    Null,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

impl From<SinkName> for SinkKind {
    fn from(name: SinkName) -> Self {
        match name {
            SinkName::Kafka => Self::Kafka,
            SinkName::Stdout => Self::Stdout,
            SinkName::Embedded => Self::Embedded,
            SinkName::Null => Self::Null,
        }
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("give it as key=value")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Run(run) => self::run(run),
        Command::Validate(files) => Ok(validate(files)),
        Command::Doctor(args) => doctor::doctor(args).or_else(|err| Ok(refuse(&err))),
        Command::Offsets(args) => offsets::offsets(args),
        Command::Consume(args) => consume::consume(args).map(exit_code),
        Command::Version => {
            say(&format!("outflow {}", env!("CARGO_PKG_VERSION")));
            Ok(ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|err| {
        complain(&format!("error: {err:#}"));
        ExitCode::FAILURE
    })
}

/// Says what is wrong with the command line or what it names.
fn refuse(err: &anyhow::Error) -> ExitCode {
    complain(&format!("error: {err:#}"));
    ExitCode::from(EXIT_USAGE)
}

fn exit_code(well: bool) -> ExitCode {
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints what the command was asked for; nobody may be reading it any more.
fn say(text: &str) {
    let _nobody_reads = writeln!(std::io::stdout(), "{text}");
}

/// Prints an error where the process ends.
fn complain(text: &str) {
    let _nobody_reads = writeln!(std::io::stderr(), "{text}");
}

fn run(run: &Run) -> anyhow::Result<ExitCode> {
    let (options, configs) = match prepare(run) {
        Ok(Some(prepared)) => prepared,
        Ok(None) => return Ok(ExitCode::from(EXIT_USAGE)),
        Err(err) => return Ok(refuse(&err)),
    };
    let runtime = asynchronous()?;
    let well = match runtime.block_on(Worker::new(options, configs).run()) {
        Err(err) if err.downcast_ref().is_some_and(AdminError::is_of_usage) => {
            return Ok(refuse(&err));
        }
        well => well?,
    };
    runtime.shutdown_background();
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Why two connectors cannot run side by side.
fn clash_of(other: &ConnectorConfig, config: &ConnectorConfig) -> Option<String> {
    if other.name == config.name {
        return Some(format!("a connector named {:?} is already there", config.name));
    }
    let (one, two) = (&other.source, &config.source);
    let same = (one.server_id, one.port, &one.hosts) == (two.server_id, two.port, &two.hosts);
    same.then(|| {
        format!(
            "database.server.id {} is that of connector {:?} on the same server, which keeps one of them; give \
             each its own",
            two.server_id, other.name
        )
    })
}

/// What serves HTTP, ordinary queries and signals.
fn asynchronous() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("starting the asynchronous runtime")
}

/// The connectors of all files; none when problems were told. `tell` is called for each file that can be read, with its
/// connector where nothing is wrong.
fn configurations(
    files: &Files,
    needs_brokers: bool,
    tell: impl Fn(&Path, &Report, Option<&ConnectorConfig>),
) -> Option<Vec<ConnectorConfig>> {
    let mut configs: Vec<ConnectorConfig> = Vec::new();
    for file in &files.files {
        let (config, report) = match check(files, file, needs_brokers) {
            Ok(checked) => checked,
            Err(err) => {
                complain(&format!("error: {err:#}"));
                continue;
            }
        };
        let clash = config.as_ref().ok();
        let clash =
            clash.and_then(|config| configs.iter().find_map(|other| clash_of(other, config)));
        tell(file, &report, config.as_ref().ok().filter(|_| clash.is_none()));
        match (config, clash) {
            (Ok(config), None) => configs.push(config),
            (Ok(_), Some(clash)) => complain(&format!("{}: {clash}", file.display())),
            (Err(problems), _) => complain_of(file, &problems),
        }
    }
    (configs.len() == files.files.len()).then_some(configs)
}

/// Reads and checks everything before the first socket opens; none when problems were told.
fn prepare(run: &Run) -> anyhow::Result<Option<(WorkerOptions, Vec<ConnectorConfig>)>> {
    start_log(run)?;
    let needs_brokers = matches!(run.sink, SinkName::Kafka);
    let configs = configurations(&run.files, needs_brokers, |_, report, config| {
        if let Some(config) = config {
            log_report(&config.name, report);
        }
    });
    let Some(configs) = configs else { return Ok(None) };
    let listeners = configs.first().map_or(&[][..], |config| &config.worker.listeners);
    if run.listen.is_none() && listeners.len() > 1 {
        warn!(address = listeners.first(), "of `listeners` only the first is opened");
    }
    let tls = run.admin_certificate.is_some();
    let listen = admin_address(run.listen.as_deref(), listeners, tls)?;
    let options = WorkerOptions {
        data_dir: run.data_dir.clone(),
        admin: AdminOptions {
            listen,
            certificate: run.admin_certificate.clone(),
            users: run.admin_users.clone(),
        },
        sink: run.sink.into(),
        until_caught_up: run.until_caught_up,
    };
    Ok(Some((options, configs)))
}

/// The admin port's address: the command line's, else the worker file's first listener.
fn admin_address(
    listen: Option<&str>,
    listeners: &[String],
    tls: bool,
) -> anyhow::Result<SocketAddr> {
    let text = listen.or(listeners.first().map(String::as_str)).unwrap_or(DEFAULT_LISTEN);
    let usual = if tls { "https" } else { "http" };
    let (scheme, address) = text.split_once("://").unwrap_or((usual, text));
    let address = address.trim_end_matches('/');
    match (scheme.to_ascii_lowercase().as_str(), tls) {
        ("http", false) | ("https", true) => {}
        ("https", false) => anyhow::bail!(
            "admin address {text:?} asks for TLS; give key and certificate with --admin-certificate FILE"
        ),
        ("http", true) => anyhow::bail!(
            "admin address {text:?} is plain HTTP beside --admin-certificate; write https://"
        ),
        _ => anyhow::bail!("admin address {text:?} is neither http:// nor https://"),
    }
    let address = match address.strip_prefix(':') {
        Some(port) => format!("0.0.0.0:{port}"), // Connect's way to say every interface.
        None => address.to_owned(),
    };
    let mut found = address
        .to_socket_addrs()
        .with_context(|| format!("admin address {text:?} is not host:port"))?;
    found.next().with_context(|| format!("admin address {text:?} names no address"))
}

fn validate(files: &Files) -> ExitCode {
    let configs = configurations(files, false, |file, report, config| {
        let width = report.rows.iter().map(|row| row.key.chars().count()).max().unwrap_or(0);
        say(&format!("{}:", file.display()));
        for row in &report.rows {
            let line = format!("  {:<width$}  {:<14}  {}", row.key, row.verdict, row.reason);
            say(line.trim_end());
        }
        for notice in &report.notices {
            say(&format!("  note: {notice}"));
        }
        if config.is_some() {
            say("  no problem found");
        }
    });
    if configs.is_some() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_USAGE) }
}

type Checked = (Result<ConnectorConfig, Vec<Problem>>, Report);

fn check(files: &Files, file: &Path, needs_brokers: bool) -> anyhow::Result<Checked> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
    };
    let text = read(file)?;
    let worker = files.worker.as_deref().map(read).transpose()?;
    let inputs = Inputs {
        file: &text,
        worker: worker.as_deref(),
        set: &files.set,
        bootstrap_servers: files.bootstrap_servers.as_deref(),
        needs_brokers,
        strict: files.strict,
    };
    let (config, report) = config::check(&inputs, &Environment::of_process());
    Ok((config.and_then(with_transforms), report))
}

/// What a transform's own words cannot mean is a problem of the file too.
fn with_transforms(config: ConnectorConfig) -> Result<ConnectorConfig, Vec<Problem>> {
    let problem = |error: RouteError| Problem::Refused {
        property: "transforms".to_owned(),
        value: Shown::hidden(),
        reason: error.to_string(),
        cure: "correct or remove it".to_owned(),
    };
    match TransformChain::new(config.transforms.behind.clone()) {
        Ok(_) => Ok(config),
        Err(errors) => Err(errors.into_iter().map(problem).collect()),
    }
}

fn complain_of(file: &Path, problems: &[Problem]) {
    complain(&format!(
        "{}: {} to mend",
        file.display(),
        match problems.len() {
            1 => "one problem".to_owned(),
            count => format!("{count} problems"),
        }
    ));
    for problem in problems {
        complain(&format!("  {problem}"));
    }
}

/// Tells once what the file asks for in vain, and what it does not say.
fn log_report(connector: &str, report: &Report) {
    for row in &report.rows {
        match row.verdict {
            Verdict::Used | Verdict::Refused => {}
            Verdict::WithoutEffect => {
                info!(connector, property = %row.key, reason = %row.reason, "property without effect")
            }
            Verdict::Unknown => {
                warn!(connector, property = %row.key, hint = %row.reason, "unknown property")
            }
        }
    }
    for notice in &report.notices {
        info!(connector, "{notice}");
    }
}

/// A level, or levels by target. A word alone that is no level would be a target, and silence all others.
fn log_filter(text: &str) -> anyhow::Result<EnvFilter> {
    let is_meant =
        |part: &str| part.contains(['=', '[', ':']) || part.trim().parse::<LevelFilter>().is_ok();
    if !text.split(',').all(is_meant) {
        anyhow::bail!(
            "--log {text:?} is no level: write error, warn, info, debug, trace or off, or target=level between commas"
        );
    }
    EnvFilter::try_new(text).context("--log is not a level or filter")
}

fn start_log(run: &Run) -> anyhow::Result<()> {
    let filter = match &run.log {
        Some(filter) => log_filter(filter)?,
        None => EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info")),
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match run.log_format {
        LogFormat::Json => log.json().init(),
        LogFormat::Text => {
            log.with_ansi(std::io::stderr().is_terminal()).with_target(false).init();
        }
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let text = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(place, "panic: {text}");
    }));
    Ok(())
}
