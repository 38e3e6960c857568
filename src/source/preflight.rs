//! What must be right about server and account, checked by asking for just that: rights that come from
//! roles, partial revokes and the like count as the server counts them.

use std::time::{Duration, Instant};

use uuid::Uuid;

use super::SourceError;
use super::layout::{captured_tables, near_names, quoted};
use super::server::{Server, position, replica_status};
use super::sql::{Sql, named};
use crate::config::{SourceConfig, TableFilter};

/// The server notices that a stream has ended when it next writes to it; after this long it has not ended.
const OLD_STREAM_TIMEOUT: Duration = Duration::from_secs(20);
/// How often to look whether it is gone.
const OLD_STREAM_POLL: Duration = Duration::from_millis(500);

/// Something that must be mended before the start.
#[derive(Debug, thiserror::Error)]
pub enum PreflightProblem {
    /// The binary log is off.
    #[error("the binary log is off")]
    LogBinOff,
    /// Statements are logged instead of rows.
    #[error("binlog_format is {0}, not ROW")]
    BinlogFormat(String),
    /// Rows are logged in part.
    #[error("binlog_row_image is {0}, not FULL")]
    BinlogRowImage(String),
    /// A replica whose log lacks what it replicates.
    #[error(
        "the server is a replica with log_replica_updates off: its log lacks what it replicates"
    )]
    NoReplicaUpdates,
    /// A right is missing.
    #[error("{account} lacks {privilege}")]
    MissingGrant {
        /// The account as the server knows it.
        account: String,
        /// The privilege, with the table for SELECT.
        privilege: String,
        /// What to grant it on.
        on: String,
    },
    /// Our server id is the server's own.
    #[error("database.server.id {0} is the server's own server_id")]
    ServerIdOfServer(u32),
    /// Our server id is in use.
    #[error("database.server.id {id} is in use by the replica {host}")]
    ServerIdInUse {
        /// The id.
        id: u32,
        /// The host of the replica, as it says.
        host: String,
    },
    /// No table is captured.
    #[error("no table that {account} can see matches the include and exclude lists{}", hint(near))]
    NoTable {
        /// The account as the server knows it.
        account: String,
        /// Tables with similar names.
        near: Vec<String>,
    },
    /// Transactions that are needed next are gone.
    #[error("transactions that are needed next are purged: {0}")]
    Purged(crate::offset::GtidSet),
    /// Transactions that were read are not the server's.
    #[error("the server lacks transactions that were read before: {0}")]
    ForeignServer(crate::offset::GtidSet),
    /// A replica that has yet to receive or apply transactions that were read.
    #[error(
        "the server is a replica that is behind: it has yet to apply transactions that were read before: {0}"
    )]
    LaggingReplica(crate::offset::GtidSet),
    /// The log file that is needed next is gone.
    #[error("the binary log file {0} that is needed next is gone")]
    MissingLog(String),
    /// Positions say nothing about another server's log.
    #[error(
        "the server is another one ({0}) than the stored position is from, and without GTIDs it cannot be told where to go on"
    )]
    OtherServer(String),
    /// The log file that is needed next ends before the stored position.
    #[error("the binary log file {file} ends at {size}, before the stored position {pos}")]
    ShortLog {
        /// The file.
        file: String,
        /// Its size.
        size: u64,
        /// The stored position.
        pos: u64,
    },
}

fn hint(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; there is {}", near.join(", ")) }
}

impl PreflightProblem {
    /// Whether it is the stored position that the server cannot go on from.
    #[must_use]
    pub fn is_lost_position(&self) -> bool {
        match self {
            Self::Purged(_)
            | Self::ForeignServer(_)
            | Self::MissingLog(_)
            | Self::OtherServer(_)
            | Self::ShortLog { .. } => true,
            Self::LogBinOff
            | Self::BinlogFormat(_)
            | Self::BinlogRowImage(_)
            | Self::NoReplicaUpdates
            | Self::MissingGrant { .. }
            | Self::ServerIdOfServer(_)
            | Self::ServerIdInUse { .. }
            | Self::NoTable { .. }
            | Self::LaggingReplica(_) => false,
        }
    }

    /// Whether waiting can cure it.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::LaggingReplica(_))
    }

    /// The SQL or the words that mend it.
    #[must_use]
    pub fn cure(&self) -> String {
        match self {
            Self::LogBinOff => "start mysqld with --log-bin".into(),
            Self::BinlogFormat(_) => "SET PERSIST binlog_format = 'ROW'".into(),
            Self::BinlogRowImage(_) => "SET PERSIST binlog_row_image = 'FULL'".into(),
            Self::NoReplicaUpdates => "start mysqld with --log-replica-updates".into(),
            Self::MissingGrant { account, privilege, on } => {
                format!("GRANT {privilege} ON {on} TO {account}")
            }
            Self::ServerIdOfServer(_) | Self::ServerIdInUse { .. } => {
                "give database.server.id a number that no server and no other replica uses".into()
            }
            Self::NoTable { account, .. } => format!(
                "correct table.include.list, create the table, or GRANT SELECT ON database.table TO {account}"
            ),
            Self::Purged(_) | Self::MissingLog(_) | Self::ShortLog { .. } => {
                "bring the logs back, or start anew with `outflow offsets reset` or \
                 snapshot.mode=when_needed, knowing what is missed"
                    .into()
            }
            Self::LaggingReplica(_) => {
                "it is used once it has caught up; name further hosts in database.hostname to go on earlier".into()
            }
            Self::ForeignServer(_) | Self::OtherServer(_) => {
                "connect to the server that was read before or to a replica that has all of it, or \
                 start anew with `outflow offsets reset`"
                    .into()
            }
        }
    }
}

/// Checks server and account, and finds all problems at once. A stream under our own `uuid` is one of ours that
/// the server will end when the next one begins, no clash.
///
/// # Errors
/// [`SourceError::Preflight`] with what is to be mended, or why it could not be found out.
pub async fn preflight(
    sql: &mut Sql,
    config: &SourceConfig,
    tables: &TableFilter,
    uuid: Uuid,
) -> Result<Server, SourceError> {
    let settings = Server::read_settings(sql).await?;
    let mut problems = settings_problems(&settings, config);
    let account = account(sql).await?;
    let missing = |privilege: &str, on: &str| PreflightProblem::MissingGrant {
        account: account.clone(),
        privilege: privilege.to_owned(),
        on: on.to_owned(),
    };
    if settings.log_bin {
        match position(sql).await {
            Err(SourceError::AccessDenied { .. }) => {
                problems.push(missing("REPLICATION CLIENT", "*.*"))
            }
            result => drop(result?),
        }
    }
    match is_silent_replica(sql, &settings).await {
        Ok(true) => problems.push(PreflightProblem::NoReplicaUpdates),
        // The missing right is named already.
        Ok(false) | Err(SourceError::AccessDenied { .. }) => {}
        Err(error) => return Err(error),
    }
    match other_replica(sql, config.server_id.get(), uuid).await {
        Ok(Some(host)) => {
            problems.push(PreflightProblem::ServerIdInUse { id: config.server_id.get(), host });
        }
        Ok(None) => {}
        Err(SourceError::AccessDenied { .. }) => problems.push(missing("REPLICATION SLAVE", "*.*")),
        Err(error) => return Err(error),
    }
    let captured = captured_tables(sql, tables).await?;
    if captured.is_empty() {
        let near = near_names(sql, tables).await?;
        problems.push(PreflightProblem::NoTable { account: account.clone(), near });
    }
    for (database, table) in &captured {
        let name = format!("{}.{}", quoted(database), quoted(table));
        match sql.run(&format!("SELECT * FROM {name} LIMIT 0"), "reading a captured table").await {
            Err(SourceError::AccessDenied { .. }) => problems.push(missing("SELECT", &name)),
            result => result?,
        }
    }
    if problems.is_empty() {
        Server::read(sql).await
    } else {
        Err(SourceError::Preflight(problems))
    }
}

fn settings_problems(server: &Server, config: &SourceConfig) -> Vec<PreflightProblem> {
    let mut problems = Vec::new();
    if !server.log_bin {
        problems.push(PreflightProblem::LogBinOff);
    }
    if !server.binlog_format.eq_ignore_ascii_case("ROW") {
        problems.push(PreflightProblem::BinlogFormat(server.binlog_format.clone()));
    }
    if !server.binlog_row_image.eq_ignore_ascii_case("FULL") {
        problems.push(PreflightProblem::BinlogRowImage(server.binlog_row_image.clone()));
    }
    if server.server_id == config.server_id.get() {
        problems.push(PreflightProblem::ServerIdOfServer(server.server_id));
    }
    problems
}

/// The account that our login became, quoted as GRANT wants it.
async fn account(sql: &mut Sql) -> Result<String, SourceError> {
    let account = sql.text("SELECT CURRENT_USER()", "asking who we are").await?.unwrap_or_default();
    let (user, host) = account.rsplit_once('@').unwrap_or((&account, "%"));
    let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
    Ok(format!("{}@{}", quote(user), quote(host)))
}

/// Whether the server replicates from another without logging it.
async fn is_silent_replica(sql: &mut Sql, server: &Server) -> Result<bool, SourceError> {
    Ok(!server.log_replica_updates && !replica_status(sql).await?.is_empty())
}

/// The host of a replica that uses our id, and goes on doing so.
async fn other_replica(
    sql: &mut Sql,
    server_id: u32,
    uuid: Uuid,
) -> Result<Option<String>, SourceError> {
    let new_name = sql.version() >= (8, 0, 22);
    let statement = if new_name { "SHOW REPLICAS" } else { "SHOW SLAVE HOSTS" };
    let deadline = Instant::now() + OLD_STREAM_TIMEOUT;
    loop {
        let rows = sql.rows(statement, "listing the replicas").await?;
        let is_other = |row: &&mysql_async::Row| {
            let id = named(row, "Server_Id").or_else(|| named(row, "Server_id"));
            let owner = named(row, "Replica_UUID").or_else(|| named(row, "Slave_UUID"));
            id.is_some_and(|id| id == server_id.to_string())
                && owner.is_none_or(|owner| !owner.eq_ignore_ascii_case(&uuid.to_string()))
        };
        let Some(row) = rows.iter().find(is_other) else { return Ok(None) };
        if Instant::now() > deadline {
            return Ok(Some(named(row, "Host").unwrap_or_default()));
        }
        tokio::time::sleep(OLD_STREAM_POLL).await;
    }
}
