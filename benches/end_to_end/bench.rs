use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::backlog::{self, Backlog};
use crate::connector;
use crate::debezium::Debezium;
use crate::options::Options;
use crate::outflow;
use crate::process::Frozen;
use crate::report::note;
use crate::servers::Server;
use crate::sql::{Place, Sql};
use crate::subject::Subject;
use crate::topic::Topics;

/// How long a worker may be frozen and still be its group's member.
const REST_MAX: &str = "session.timeout.ms=300000";

/// The servers and what is known of them.
pub(crate) struct Bench {
    pub(crate) options: Options,
    pub(crate) mysql: Server,
    pub(crate) kafka: Server,
    pub(crate) connect: Option<Server>,
    pub(crate) debezium: Option<Debezium>,
    pub(crate) sql: Sql,
    pub(crate) topics: Topics,
    pub(crate) brokers: String,
    pub(crate) mysql_port: u16,
    /// Whether the broker has compiled what it runs.
    pub(crate) is_warm: bool,
    work: PathBuf,
}

/// A backlog in the log, waiting to be drained.
pub(crate) struct Waiting {
    pub(crate) start: Place,
    pub(crate) end: Place,
    pub(crate) rows: u64,
    pub(crate) log_bytes: u64,
}

impl Bench {
    /// Starts what the parts need.
    pub(crate) fn start(options: Options) -> anyhow::Result<Self> {
        note("starting the servers");
        let mysql = Server::start("mysql", &["--max-binlog-size=1G"])?;
        let kafka = Server::start("kafka", &[])?;
        let connect =
            if options.debezium() { Some(Server::start("connect", &[REST_MAX])?) } else { None };
        let address = mysql.value("MYSQL")?;
        let port = address.rsplit_once(':').context("host:port")?.1;
        let mysql_port = port.parse().with_context(|| format!("{port:?} is no port"))?;
        let brokers = kafka.value("BOOTSTRAP_SERVERS")?.to_owned();
        let work = std::env::temp_dir().join(format!("outflow-bench-{}", std::process::id()));
        std::fs::create_dir_all(&work)?;
        Ok(Self {
            sql: Sql::connect(mysql_port)?,
            topics: Topics::connect(&brokers)?,
            debezium: None,
            is_warm: false,
            options,
            mysql,
            kafka,
            connect,
            brokers,
            mysql_port,
            work,
        })
    }

    /// A place in the run's own folder.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.work.join(inside)
    }

    /// The connector's file.
    pub(crate) fn connector_file(&self) -> PathBuf {
        self.path("connector.json")
    }

    /// Begins with an empty log and tables of this shape; every subject has its position behind them.
    pub(crate) fn begin(&mut self, backlog: &Backlog, with_debezium: bool) -> anyhow::Result<()> {
        if let Some(debezium) = self.debezium.take() {
            debezium.delete()?;
        }
        backlog::make_tables(&mut self.sql, backlog)?;
        let file = connector::file(self, backlog.tables_pattern());
        std::fs::write(self.connector_file(), file.to_string())?;
        if with_debezium && let Some(connect) = &self.connect {
            self.debezium = Some(Debezium::prepare(self, connect)?);
        }
        self.note_start()
    }

    /// Gives a subject the machine and the broker for itself: Debezium's worker, which takes a tenth of a core even
    /// without a task, stands still while others are measured.
    pub(crate) fn alone(&self, subject: Option<Subject>) -> anyhow::Result<Option<Frozen>> {
        match &self.connect {
            Some(connect) if !subject.is_some_and(Subject::is_debezium) => {
                Frozen::new(connect.pid()?).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Stores the log's end as the place where outflow goes on.
    pub(crate) fn note_start(&self) -> anyhow::Result<()> {
        let start = self.path("start");
        if start.exists() {
            std::fs::remove_dir_all(&start)?;
        }
        outflow::note_start(self, &start)
    }

    /// As [`Self::begin`], and makes the backlog.
    pub(crate) fn make(
        &mut self,
        backlog: &Backlog,
        with_debezium: bool,
    ) -> anyhow::Result<Waiting> {
        self.begin(backlog, with_debezium)?;
        note(&format!("making a backlog: {}", backlog.title()));
        let start = self.sql.log_end()?;
        backlog::fill(&mut self.sql, backlog)?;
        self.waiting(start, backlog.rows)
    }

    /// What lies between a place and the log's end.
    pub(crate) fn waiting(&mut self, start: Place, rows: u64) -> anyhow::Result<Waiting> {
        let end = self.sql.log_end()?;
        let log_bytes = self.sql.log_bytes(&start, &end)?;
        Ok(Waiting { start, end, rows, log_bytes })
    }

    /// Cleans up and stops what was not running before.
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        if let Some(debezium) = self.debezium.take() {
            debezium.delete()?;
        }
        self.sql.run("DROP DATABASE IF EXISTS bench")?;
        self.sql.run("RESET BINARY LOGS AND GTIDS")?;
        std::fs::remove_dir_all(&self.work)?;
        if !self.options.keep_servers {
            // Connect before the broker that it uses.
            for server in self.connect.iter().chain([&self.mysql, &self.kafka]) {
                server.end()?;
            }
        }
        Ok(())
    }
}

/// Copies a folder to a place that does not exist.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
