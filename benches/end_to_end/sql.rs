use std::fmt;

use anyhow::Context;
use mysql_async::prelude::{FromRow, Queryable};
use mysql_async::{Conn, OptsBuilder, Row, Value};
use tokio::runtime::{Builder, Runtime};

/// A session as root, used by blocking calls: each has a runtime of its own thread.
pub(crate) struct Sql {
    runtime: Runtime,
    conn: Conn,
}

/// A place in the log, with the transactions before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) pos: u64,
    pub(crate) gtids: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.pos)
    }
}

impl Sql {
    pub(crate) fn connect(port: u16) -> anyhow::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let opts = OptsBuilder::default()
            .ip_or_hostname("127.0.0.1")
            .tcp_port(port)
            .user(Some("root"))
            .prefer_socket(false);
        let conn = runtime.block_on(Conn::new(opts)).context("connecting to MySQL")?;
        Ok(Self { runtime, conn })
    }

    pub(crate) fn run(&mut self, sql: &str) -> anyhow::Result<()> {
        let Self { runtime, conn } = self;
        let start: String = sql.chars().take(80).collect();
        runtime.block_on(conn.query_drop(sql)).with_context(|| format!("running {start:?}"))
    }

    /// Prepares the statement once and runs it with these values.
    pub(crate) fn execute(&mut self, sql: &str, values: Vec<Value>) -> anyhow::Result<()> {
        let Self { runtime, conn } = self;
        Ok(runtime.block_on(conn.exec_drop(sql, values))?)
    }

    pub(crate) fn rows<T: FromRow + Send + 'static>(
        &mut self,
        sql: &str,
    ) -> anyhow::Result<Vec<T>> {
        let Self { runtime, conn } = self;
        Ok(runtime.block_on(conn.query(sql))?)
    }

    pub(crate) fn text(&mut self, sql: &str) -> anyhow::Result<String> {
        let found = self.rows::<String>(sql)?.into_iter().next();
        found.with_context(|| format!("{sql} gives nothing"))
    }

    /// Where the log ends.
    pub(crate) fn log_end(&mut self) -> anyhow::Result<Place> {
        let row = self.rows::<Row>("SHOW BINARY LOG STATUS")?.into_iter().next();
        let row = row.context("the binary log is off")?;
        let file = row.get::<String, _>(0).context("no log file")?;
        let pos = row.get::<u64, _>(1).context("no log position")?;
        let gtids = self.text("SELECT @@GLOBAL.gtid_executed")?.replace('\n', "");
        Ok(Place { file, pos, gtids })
    }

    /// How many bytes of log there are between two places.
    pub(crate) fn log_bytes(&mut self, from: &Place, to: &Place) -> anyhow::Result<u64> {
        let mut bytes = to.pos;
        for row in self.rows::<Row>("SHOW BINARY LOGS")? {
            let (file, size) = (row.get::<String, _>(0), row.get::<u64, _>(1));
            let (file, size) = (file.context("no file")?, size.context("no size")?);
            if file >= from.file && file < to.file {
                bytes += size;
            }
        }
        Ok(bytes.saturating_sub(from.pos))
    }
}
