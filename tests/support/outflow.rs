use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{until, until_some};

/// Until the program streams; a debug build on a busy machine.
const READY_MAX: Duration = Duration::from_secs(60);
/// Until the program has ended after SIGTERM: its own deadline and a little.
const STOP_MAX: Duration = Duration::from_secs(25);
/// How much of the log a failure shows.
const LOG_SHOWN: usize = 6_000;

/// A port that was free a moment ago, below those that the kernel gives away.
pub(crate) fn free_port() -> u16 {
    use std::sync::atomic::{AtomicU16, Ordering};
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = u16::try_from(std::process::id() % 100).unwrap() * 80;
    loop {
        let port = 12_000 + (own + NEXT.fetch_add(1, Ordering::Relaxed)) % 8_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A file to which runs in one folder write one after another, and where this run begins in it.
struct Written {
    path: PathBuf,
    start: usize,
}

impl Written {
    fn after(path: PathBuf) -> Self {
        let start = std::fs::read(&path).map_or(0, |earlier| earlier.len());
        Self { path, start }
    }

    fn append(&self) -> File {
        File::options().create(true).append(true).open(&self.path).unwrap()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.path).unwrap()[self.start..]).into_owned()
    }
}

/// The program as a child process; killed when dropped.
pub(crate) struct Outflow {
    child: Child,
    port: OnceCell<u16>,
    log: Written,
    output: Written,
    ended: Option<i32>,
}

impl Outflow {
    /// Starts it with these arguments; log and output go into `folder`, one after another's.
    pub(crate) fn start<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Self {
        Self::start_to_die(folder, arguments, "")
    }

    /// The same, to die at a fault point; nowhere without a name.
    pub(crate) fn start_to_die<S: AsRef<OsStr>>(
        folder: &Path,
        arguments: &[S],
        fault_point: &str,
    ) -> Self {
        let log = Written::after(folder.join("outflow.log"));
        let output = Written::after(folder.join("outflow.out"));
        let program = std::env::var("OUTFLOW_TEST_PROGRAM");
        let program = program.unwrap_or_else(|_| env!("CARGO_BIN_EXE_outflow").to_owned());
        // Where the tests are to outlive their terminal, the program under test is not.
        let child = Command::new("env")
            .args(["--default-signal=HUP", &program])
            .args(arguments)
            .env_remove("RUST_LOG")
            .env("RUST_BACKTRACE", "0")
            .env("OUTFLOW_TEST_FAULT_POINT", fault_point)
            .env_remove("OUTFLOW_BOOTSTRAP_SERVERS")
            .stdin(Stdio::null())
            .stdout(output.append())
            .stderr(log.append())
            .spawn()
            .expect("outflow cannot be started");
        Self { child, port: OnceCell::new(), log, output, ended: None }
    }

    /// The most memory that it ever had resident, in bytes, without the pages of its file: of those a debug build has
    /// three times what a release has.
    pub(crate) fn resident_peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let bytes = |name| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
        };
        bytes("VmHWM:") - bytes("RssFile:")
    }

    /// What it has written to its log.
    pub(crate) fn log(&self) -> String {
        self.log.text()
    }

    /// What it has written to standard output.
    pub(crate) fn output(&self) -> String {
        self.output.text()
    }

    /// The exit code, if it has ended; 128 and the number after a signal.
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        use std::os::unix::process::ExitStatusExt;
        if self.ended.is_none() {
            let status = self.child.try_wait().unwrap()?;
            self.ended = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
        }
        self.ended
    }

    /// Waits until it streams; false when it ended instead.
    pub(crate) fn ready_or_ended(&mut self) -> bool {
        until_some("outflow to be ready", READY_MAX, || {
            if self.exit_code().is_some() {
                return Some(false);
            }
            (self.get("/readyz").is_some_and(|(status, _)| status == 200)).then_some(true)
        })
    }

    /// Waits until it streams.
    #[track_caller]
    pub(crate) fn ready(mut self) -> Self {
        assert!(self.ready_or_ended(), "outflow ended with {:?} before it was ready", self.ended);
        self
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn ended(&mut self, limit: Duration) -> i32 {
        until_some("outflow to end", limit, || self.exit_code())
    }

    /// Asks it to stop.
    pub(crate) fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends it a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("bash").args(["-c", &kill]).status().unwrap().success());
    }

    /// Stops it and gives the exit code.
    #[track_caller]
    pub(crate) fn stop(mut self) -> i32 {
        self.terminate();
        self.ended(STOP_MAX)
    }

    /// Kills it as `kill -9` does.
    pub(crate) fn kill(mut self) {
        assert_eq!(self.exit_code(), None, "it ended by itself");
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.ended = Some(137);
    }

    /// The admin port, as its log tells; none before it is open.
    pub(crate) fn port(&self) -> Option<u16> {
        if let Some(port) = self.port.get() {
            return Some(*port);
        }
        let log = self.log();
        let line = log.lines().find(|line| line.contains("admin port open"))?;
        let (_, rest) = line.split_once("127.0.0.1:")?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        let port = digits.parse().ok()?;
        Some(*self.port.get_or_init(|| port))
    }

    /// A page of the admin port: status and body; none while it is not open.
    pub(crate) fn get(&self, path: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port()?)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }

    /// A sample of /metrics by its whole name, labels included.
    #[track_caller]
    pub(crate) fn metric(&self, sample: &str) -> f64 {
        let (status, text) = self.get("/metrics").expect("the admin port answers");
        assert_eq!(status, 200);
        let mut values =
            text.lines().filter_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
        values.next().unwrap_or_else(|| panic!("no {sample} in:\n{text}")).parse().unwrap()
    }

    /// Waits for words in its log.
    #[track_caller]
    pub(crate) fn logs(&mut self, words: &str, limit: Duration) {
        until(&format!("{words:?} in the log"), limit, || {
            let ended = self.exit_code();
            let found = self.log().contains(words);
            assert!(
                found || ended.is_none(),
                "outflow ended with {ended:?} before it logged {words:?}"
            );
            found
        });
    }
}

impl Drop for Outflow {
    fn drop(&mut self) {
        if std::thread::panicking() && self.exit_code().is_none() {
            let metrics = self.get("/metrics").map(|(_, text)| text).unwrap_or_default();
            let lines =
                metrics.lines().filter(|line| line.starts_with("out") && !line.contains("_bucket"));
            eprintln!("---- outflow's metrics\n{}", lines.collect::<Vec<_>>().join("\n"));
        }
        if self.ended.is_none() {
            let _already_gone = self.child.kill();
            let _reaped = self.child.wait();
        }
        if std::thread::panicking() {
            let log = self.log();
            let start = log.len().saturating_sub(LOG_SHOWN);
            let start = (start..log.len()).find(|at| log.is_char_boundary(*at)).unwrap_or(0);
            eprintln!("---- outflow's log, its end\n{}----", log.get(start..).unwrap_or_default());
        }
    }
}
