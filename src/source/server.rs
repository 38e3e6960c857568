use std::collections::BTreeMap;
use std::time::Duration;

use super::SourceError;
use super::sql::{Sql, column, named};
use crate::offset::{BinlogPosition, GtidSet};

const DOING: &str = "reading the server's settings";

/// What matters about the server.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its version as it says.
    pub version: String,
    /// `server_uuid`.
    pub server_uuid: String,
    /// `server_id`.
    pub server_id: u32,
    /// `gtid_mode`: `ON`, `OFF` or a step between.
    pub gtid_mode: String,
    /// `gtid_executed` when it was asked.
    pub gtid_executed: GtidSet,
    /// `gtid_purged` when it was asked.
    pub gtid_purged: GtidSet,
    /// Whether there is a binary log.
    pub log_bin: bool,
    /// `binlog_format`; gone where only ROW is left.
    pub binlog_format: String,
    /// `binlog_row_image`.
    pub binlog_row_image: String,
    /// `binlog_row_metadata`: `FULL` or `MINIMAL`.
    pub binlog_row_metadata: String,
    /// Whether what it replicates from elsewhere is in its own log.
    pub log_replica_updates: bool,
    /// Whether it replicates from another server at this moment.
    pub replicates: bool,
    /// For how many seconds logs are kept at least; 0 for ever.
    pub binlog_retention_s: u64,
    /// The end of the log when it was asked, after `gtid_executed`.
    pub position: BinlogPosition,
    /// The log files with their sizes, oldest first.
    pub logs: Vec<(String, u64)>,
}

impl Server {
    /// Whether streams can begin after a GTID set.
    #[must_use]
    pub fn has_gtids(&self) -> bool {
        self.gtid_mode.eq_ignore_ascii_case("ON")
    }

    /// Asks the server, which needs REPLICATION CLIENT where there is a binary log.
    ///
    /// # Errors
    /// When a query fails.
    pub async fn read(sql: &mut Sql) -> Result<Self, SourceError> {
        let mut server = Self::read_settings(sql).await?;
        if server.log_bin {
            // Before the position: what it holds is in the log before that.
            server.gtid_executed = gtid_set(sql, "SELECT @@global.gtid_executed").await?;
            server.replicates = replica_status(sql).await?.iter().any(is_replicating);
            server.gtid_purged = gtid_set(sql, "SELECT @@global.gtid_purged").await?;
            server.position = position(sql).await?;
            let logs = sql.rows("SHOW BINARY LOGS", "listing the binary logs").await?;
            let log = |row| Some((column(row, 0)?, column(row, 1)?.parse().ok()?));
            server.logs = logs.iter().filter_map(log).collect();
        }
        Ok(server)
    }

    /// What every account may ask.
    pub(super) async fn read_settings(sql: &mut Sql) -> Result<Self, SourceError> {
        let rows = sql
            .rows(
                "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'server_uuid', 'server_id', \
                 'gtid_mode', 'log_bin', 'binlog_format', 'binlog_row_image', 'binlog_row_metadata', \
                 'log_replica_updates', 'log_slave_updates', 'binlog_expire_logs_seconds', \
                 'expire_logs_days', 'binlog_expire_logs_auto_purge')",
                DOING,
            )
            .await?;
        let pair = |row| Some((column(row, 0)?.to_ascii_lowercase(), column(row, 1)?));
        let variables: BTreeMap<String, String> = rows.iter().filter_map(pair).collect();
        let get = |name: &str| variables.get(name).cloned().unwrap_or_default();
        let is_on = |name: &str| get(name).eq_ignore_ascii_case("ON");
        let number = |name: &str| get(name).parse::<u64>().unwrap_or_default();
        let kept_for_ever = variables.contains_key("binlog_expire_logs_auto_purge")
            && !is_on("binlog_expire_logs_auto_purge");
        let seconds = match number("binlog_expire_logs_seconds") {
            0 => number("expire_logs_days").saturating_mul(86_400),
            seconds => seconds,
        };
        Ok(Self {
            version: get("version"),
            server_uuid: get("server_uuid"),
            server_id: get("server_id").parse().map_err(|_| SourceError::Answer("server_id"))?,
            gtid_mode: variables.get("gtid_mode").map_or_else(|| "OFF".into(), Clone::clone),
            gtid_executed: GtidSet::default(),
            gtid_purged: GtidSet::default(),
            log_bin: is_on("log_bin"),
            binlog_format: variables
                .get("binlog_format")
                .map_or_else(|| "ROW".into(), Clone::clone),
            binlog_row_image: variables
                .get("binlog_row_image")
                .map_or_else(|| "FULL".into(), Clone::clone),
            binlog_row_metadata: variables
                .get("binlog_row_metadata")
                .map_or_else(|| "MINIMAL".into(), Clone::clone),
            log_replica_updates: is_on("log_replica_updates") || is_on("log_slave_updates"),
            replicates: false,
            binlog_retention_s: if kept_for_ever { 0 } else { seconds },
            position: BinlogPosition::default(),
            logs: Vec::new(),
        })
    }
}

/// One row a channel by which the server replicates from another.
pub(super) async fn replica_status(sql: &mut Sql) -> Result<Vec<mysql_async::Row>, SourceError> {
    let new_name = sql.version() >= (8, 0, 22);
    let statement = if new_name { "SHOW REPLICA STATUS" } else { "SHOW SLAVE STATUS" };
    sql.rows(statement, "asking whether the server is a replica").await
}

/// Whether a channel receives or applies transactions, or tries to.
fn is_replicating(channel: &mysql_async::Row) -> bool {
    let threads =
        ["Replica_IO_Running", "Replica_SQL_Running", "Slave_IO_Running", "Slave_SQL_Running"];
    let runs =
        |name: &&str| named(channel, name).is_some_and(|state| !state.eq_ignore_ascii_case("No"));
    threads.iter().any(runs)
}

/// A GTID set that a query returns.
pub(super) async fn gtid_set(sql: &mut Sql, query: &str) -> Result<GtidSet, SourceError> {
    let text = sql.text(query, DOING).await?.unwrap_or_default();
    text.parse().map_err(|_| SourceError::Answer("a query for a GTID set"))
}

/// `server_uuid` of the server that is asked.
///
/// # Errors
/// When the query fails.
pub async fn server_uuid(sql: &mut Sql) -> Result<String, SourceError> {
    let uuid = sql.text("SELECT @@server_uuid", DOING).await?;
    uuid.ok_or(SourceError::Answer("a query for server_uuid"))
}

/// Waits until the server has executed `gtids`; whether it did in time. It sends a transaction to its replicas
/// before it counts it as executed.
///
/// # Errors
/// When the query fails.
pub async fn wait_executed(
    sql: &mut Sql,
    gtids: &GtidSet,
    timeout: Duration,
) -> Result<bool, SourceError> {
    let query = format!("SELECT WAIT_FOR_EXECUTED_GTID_SET('{gtids}', {})", timeout.as_secs_f64());
    let timed_out = sql.text(&query, "waiting for transactions to be executed").await?;
    Ok(timed_out.as_deref() == Some("0"))
}

/// The end of the binary log. The statement's old name is gone since 8.4, the new one came with 8.2.
pub(super) async fn position(sql: &mut Sql) -> Result<BinlogPosition, SourceError> {
    const STATUS: &str = "SHOW BINARY LOG STATUS";
    let statement = if sql.version() >= (8, 2, 0) { STATUS } else { "SHOW MASTER STATUS" };
    let rows = sql.rows(statement, "reading the end of the binary log").await?;
    let row = rows.first().ok_or(SourceError::Answer(STATUS))?;
    let pos = named(row, "Position").and_then(|text| text.parse().ok());
    match (named(row, "File"), pos) {
        (Some(file), Some(pos)) => Ok(BinlogPosition { file, pos }),
        _ => Err(SourceError::Answer(STATUS)),
    }
}
