use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::support::{Broker, Follower, MySql, MySqlServer, Outbox, Outflow, until, until_some};

/// Until new rows arrive after a fault, servers' own recovery included.
pub(super) const GOES_ON_MAX: Duration = Duration::from_secs(90);
/// Rows that must arrive after a fault before it counts as over.
const GOES_ON_ROWS: usize = 200;
/// Keys of the written rows.
const KEYS: u64 = 20;
/// Rows of a transaction.
const TX_ROWS: u64 = 10;

/// One test at a time has the servers.
static SERVERS: Mutex<()> = Mutex::new(());

/// Servers that may be disturbed, an outbox on them, a writer and outflow.
pub(super) struct Scene {
    pub(super) server: MySqlServer,
    pub(super) broker: Broker,
    pub(super) outbox: Outbox,
    followed: Follower,
    outflow: Option<Outflow>,
    writer: Option<Writer>,
    _servers: MutexGuard<'static, ()>,
}

impl Scene {
    /// Both servers run; nothing else does.
    pub(super) fn new(name: &str) -> Self {
        Self::of(name, |outbox| outbox)
    }

    /// The same with an outbox that `change` gives other properties.
    pub(super) fn of(name: &str, change: impl FnOnce(Outbox) -> Outbox) -> Self {
        let servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
        let server = MySqlServer::started("mysql:faults");
        let broker = Broker::started("kafka:faults");
        let outbox = change(Outbox::on(name, server.clone(), broker.clone()));
        let followed = outbox.follow();
        Self { server, broker, outbox, followed, outflow: None, writer: None, _servers: servers }
    }

    /// Outflow streams and rows are written all the time.
    pub(super) fn streaming(mut self) -> Self {
        self.start();
        self.becomes_ready();
        self.write();
        self.goes_on();
        self
    }

    /// The same with some thousand rows a second.
    pub(super) fn streaming_fast(mut self) -> Self {
        self.start();
        self.becomes_ready();
        self.writer = Some(Writer::start(&self.outbox, 100, Duration::from_millis(20)));
        self.goes_on();
        self
    }

    pub(super) fn start(&mut self) {
        self.outflow = Some(self.outbox.start());
    }

    pub(super) fn write(&mut self) {
        self.writer = Some(Writer::start(&self.outbox, TX_ROWS, Duration::from_millis(5)));
    }

    pub(super) fn outflow(&self) -> &Outflow {
        self.outflow.as_ref().expect("outflow was started")
    }

    pub(super) fn outflow_mut(&mut self) -> &mut Outflow {
        self.outflow.as_mut().expect("outflow was started")
    }

    #[track_caller]
    pub(super) fn becomes_ready(&mut self) {
        assert!(self.outflow_mut().ready_or_ended(), "outflow ended by itself");
    }

    #[track_caller]
    pub(super) fn is_live_and_not_ready(&self) {
        let status = |path| self.outflow().get(path).expect("the admin port answers").0;
        assert_eq!((status("/livez"), status("/readyz")), (200, 503));
    }

    /// A sample of this connector.
    pub(super) fn sample(&self, family: &str) -> String {
        format!("{family}{{connector=\"{}\"}}", self.outbox.schema)
    }

    /// How many rows were committed so far.
    pub(super) fn written(&self) -> usize {
        self.writer.as_ref().expect("the writer was started").written.load(Ordering::Relaxed)
    }

    /// Ends the connection on which the server sends its log.
    #[track_caller]
    pub(super) fn kill_dump_thread(&self) {
        let mut sql = self.server.connect();
        let query =
            "SELECT id FROM performance_schema.processlist WHERE command LIKE 'Binlog Dump%'";
        let id =
            until_some("a dump thread", GOES_ON_MAX, || Some(sql.rows(query).first()?[0].clone()));
        sql.run(&format!("KILL {id}"));
        until("its end", GOES_ON_MAX, || !sql.rows(query).iter().any(|row| row[0] == id));
    }

    /// All that was written by now and some rows more arrive.
    #[track_caller]
    pub(super) fn goes_on(&mut self) {
        let (target, started) = (self.written() + GOES_ON_ROWS, Instant::now());
        self.followed.until(target, GOES_ON_MAX);
        eprintln!("{}: goes on after {:.1} s", self.outbox.schema, started.elapsed().as_secs_f64());
        let code = self.outflow_mut().exit_code();
        assert_eq!(code, None, "outflow ended by itself");
    }

    /// MySQL is restarted, then killed and started.
    #[track_caller]
    pub(super) fn goes_on_after_restarts_of_mysql(&mut self) {
        self.server.stop();
        self.server.start();
        self.goes_on();
        self.server.kill();
        self.server.start();
        self.goes_on();
    }

    /// The broker is restarted, then killed and started.
    #[track_caller]
    pub(super) fn goes_on_after_restarts_of_the_broker(&mut self) {
        self.broker.stop();
        self.broker.start();
        self.goes_on();
        self.broker.kill();
        self.broker.start();
        self.goes_on();
    }

    /// The writer stops, everything arrives, and outflow stops.
    #[track_caller]
    pub(super) fn rests(&mut self) {
        let written = self.writer.take().expect("the writer was started").stop();
        self.followed.until(written, GOES_ON_MAX);
        assert_eq!(self.outflow.take().expect("outflow was started").stop(), 0);
    }

    /// The same where rows were written by hand, so many in all.
    #[track_caller]
    pub(super) fn ends_well_without_writer(&mut self, rows: usize) {
        self.followed.until(rows, GOES_ON_MAX);
        assert_eq!(self.outflow.take().expect("outflow was started").stop(), 0);
        self.followed.compare_once(&mut self.outbox.sql());
    }

    /// What was committed is on the topic, once.
    #[track_caller]
    pub(super) fn ends_well(&mut self) {
        self.rests();
        self.outbox.catch_up();
        self.followed.compare_once(&mut self.outbox.sql());
    }
}

impl Drop for Scene {
    /// What drops after this needs both servers.
    fn drop(&mut self) {
        self.writer.take();
        if !std::thread::panicking() {
            self.server.start();
            self.broker.start();
        }
    }
}

/// Commits rows all the time; when the server is away it waits for its return.
pub(super) struct Writer {
    stop: Arc<AtomicBool>,
    pub(super) written: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(outbox: &Outbox, tx_rows: u64, pause: Duration) -> Self {
        let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let thread = std::thread::spawn({
            let (stop, written) = (Arc::clone(&stop), Arc::clone(&written));
            let (server, schema) = (outbox.server.clone(), outbox.schema.clone());
            move || {
                while !stop.load(Ordering::Relaxed) {
                    let ended = write(&server, &schema, &written, &stop, tx_rows, pause);
                    if ended.is_err() {
                        std::thread::sleep(Duration::from_millis(100));
                    }
                }
            }
        });
        Self { stop, written, thread: Some(thread) }
    }

    /// Ends it; how many rows were committed.
    pub(super) fn stop(mut self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().expect("it runs").join().expect("the writer does not panic");
        self.written.load(Ordering::Relaxed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// Writes in one session until it breaks. What was committed before the break, the table tells.
fn write(
    server: &MySqlServer,
    schema: &str,
    written: &AtomicUsize,
    stop: &AtomicBool,
    tx_rows: u64,
    pause: Duration,
) -> Result<(), mysql_async::Error> {
    let mut sql = MySql::connect(server)?;
    sql.try_run(&format!("USE {schema}"))?;
    let last = &sql.rows("SELECT COALESCE(MAX(id), 0) FROM outbox")[0][0];
    let mut next: u64 = last.parse().expect("a number");
    while !stop.load(Ordering::Relaxed) {
        written.store(usize::try_from(next).expect("small"), Ordering::Relaxed);
        let ids = next + 1..next + 1 + tx_rows;
        next += tx_rows;
        sql.try_run(&Outbox::insert(ids, KEYS))?;
        std::thread::sleep(pause);
    }
    written.store(usize::try_from(next).expect("small"), Ordering::Relaxed);
    Ok(())
}
