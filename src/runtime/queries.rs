use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::runtime::Handle;
use tracing::warn;
use uuid::Uuid;

use super::{Failure, Stop};
use crate::config::ConnectorConfig;
use crate::decode::{TableLayout, ddl};
use crate::offset::{BinlogPosition, GtidSet};
use crate::source::{
    Server, Snapshot, SourceError, Sql, StatementPage, captured_tables, ddl_server, end_of_log,
    preflight, read_database, read_layout, server_uuid, some_values, statements, wait_executed,
};

/// A transaction that a replica has received is executed within this, unless it is another server's.
const EXECUTION_TIMEOUT: Duration = Duration::from_secs(2);

/// How often a wait looks whether a stop is requested.
const STOP_POLL: Duration = Duration::from_millis(50);

async fn requested(stop: &Stop) {
    while !stop.requested() {
        tokio::time::sleep(STOP_POLL).await;
    }
}

/// Ordinary queries from the reader's thread, each over a connection of its own: they are rare.
#[derive(Clone)]
pub(super) struct Queries {
    handle: Handle,
    config: Arc<ConnectorConfig>,
    host: String,
    /// The server that was checked.
    server_uuid: OnceLock<String>,
}

impl Queries {
    pub(super) fn new(handle: &Handle, config: Arc<ConnectorConfig>, host: &str) -> Self {
        let (handle, host) = (handle.clone(), host.to_owned());
        Self { handle, config, host, server_uuid: OnceLock::new() }
    }

    /// Where the server is.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The server that was checked, once one was.
    pub(super) fn server_uuid(&self) -> Option<&str> {
        self.server_uuid.get().map(String::as_str)
    }

    /// Waits for `future` on the reader's thread.
    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.handle.block_on(future)
    }

    async fn connect(&self) -> Result<Sql, SourceError> {
        let mut sql = Sql::connect(&self.config.source, &self.host).await?;
        if let Some(expected) = self.server_uuid() {
            let found = server_uuid(&mut sql).await?;
            if found != expected {
                return Err(SourceError::OtherServer(found));
            }
        }
        Ok(sql)
    }

    /// Checks the server and what the user may do; all problems at once. From then on no other one is asked.
    pub(super) fn preflight(&self, uuid: Uuid) -> Result<Server, SourceError> {
        self.wait(self.checked(uuid))
    }

    /// The same, which may wait for an older stream's end, unless a stop is requested.
    pub(super) fn preflight_until(&self, stop: &Stop, uuid: Uuid) -> Result<Server, Failure> {
        self.wait(async {
            tokio::select! {
                server = self.checked(uuid) => Ok(server?),
                () = requested(stop) => Err(Failure::StopRequested),
            }
        })
    }

    async fn checked(&self, uuid: Uuid) -> Result<Server, SourceError> {
        let mut sql = self.connect().await?;
        let tables = &self.config.capture.tables;
        let server = preflight(&mut sql, &self.config.source, tables, uuid).await?;
        sql.close().await;
        self.server_uuid.get_or_init(|| server.server_uuid.clone());
        Ok(server)
    }

    /// The layouts of all captured tables.
    pub(super) fn layouts(&self) -> Result<Vec<TableLayout>, SourceError> {
        self.wait(async {
            let mut sql = self.connect().await?;
            let mut layouts = Vec::new();
            for (database, table) in captured_tables(&mut sql, &self.config.capture.tables).await? {
                layouts.push(read_layout(&mut sql, &database, &table).await?);
            }
            sql.close().await;
            Ok(layouts)
        })
    }

    /// The databases that have captured tables.
    pub(super) fn captured_databases(&self) -> Result<Vec<String>, SourceError> {
        self.wait(async {
            let mut sql = self.connect().await?;
            let tables = captured_tables(&mut sql, &self.config.capture.tables).await?;
            sql.close().await;
            let mut databases: Vec<_> = tables.into_iter().map(|(database, _)| database).collect();
            databases.dedup();
            Ok(databases)
        })
    }

    /// A table's present layout.
    pub(super) fn layout(&self, database: &str, table: &str) -> Result<TableLayout, Failure> {
        Ok(self.wait(async {
            let mut sql = self.connect().await?;
            let layout = read_layout(&mut sql, database, table).await?;
            sql.close().await;
            Ok::<_, SourceError>(layout)
        })?)
    }

    /// A database's present defaults.
    pub(super) fn database(&self, database: &str) -> Result<TableLayout, SourceError> {
        self.wait(async {
            let mut sql = self.connect().await?;
            let defaults = read_database(&mut sql, database).await?;
            sql.close().await;
            Ok(defaults)
        })
    }

    /// What statements that alter tables rely on.
    pub(super) fn ddl_server(&self) -> Result<ddl::Server, SourceError> {
        self.wait(async {
            let mut sql = self.connect().await?;
            let server = ddl_server(&mut sql).await?;
            sql.close().await;
            Ok(server)
        })
    }

    /// Values of the route column that stand in these tables' first rows, of those tables that have it.
    pub(super) fn route_values(
        &self,
        layouts: &[TableLayout],
        column: &str,
    ) -> Result<Vec<String>, SourceError> {
        self.wait(async {
            let mut sql = self.connect().await?;
            let mut values = Vec::new();
            let has = |layout: &&TableLayout| layout.columns.iter().any(|c| c.name == column);
            for layout in layouts.iter().filter(has) {
                let table = (&*layout.database, &*layout.table);
                values.append(&mut some_values(&mut sql, table, column).await?);
            }
            sql.close().await;
            Ok(values)
        })
    }

    /// The end of the log at this moment.
    pub(super) fn end_of_log(&self) -> Result<BinlogPosition, SourceError> {
        self.wait(async {
            let mut sql = self.connect().await?;
            let end = end_of_log(&mut sql).await?;
            sql.close().await;
            Ok(end)
        })
    }

    /// Whether the server has executed `gtids`, or does so within moments.
    pub(super) fn wait_executed(&self, gtids: &GtidSet) -> Result<bool, SourceError> {
        self.wait(async {
            let mut sql = self.connect().await?;
            let executed = wait_executed(&mut sql, gtids, EXECUTION_TIMEOUT).await?;
            sql.close().await;
            Ok(executed)
        })
    }

    /// Statements of the log from `from` towards `end`.
    pub(super) fn statements(
        &self,
        from: &BinlogPosition,
        end: &BinlogPosition,
    ) -> Result<StatementPage, SourceError> {
        self.wait(async {
            let mut sql = self.connect().await?;
            let page = statements(&mut sql, from, end).await?;
            sql.close().await;
            Ok(page)
        })
    }

    /// Opens a consistent snapshot.
    pub(super) fn snapshot(
        &self,
        with_gtids: bool,
        tables: &[TableLayout],
    ) -> Result<Snapshot, SourceError> {
        self.wait(Snapshot::open(&self.config.source, &self.host, with_gtids, tables))
    }

    /// Runs a statement of the file; what goes wrong is said and forgotten.
    pub(super) fn run(&self, statement: &str, property: &'static str) {
        let result = self.wait(async {
            let mut sql = self.connect().await?;
            sql.run(statement, property).await?;
            sql.close().await;
            Ok::<_, SourceError>(())
        });
        if let Err(err) = result {
            warn!(connector = %self.config.name, property, error = %err, "the statement failed; the stream goes on");
        }
    }
}
