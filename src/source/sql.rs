//! Ordinary queries, on a connection of their own.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{ClientIdentity, Conn, DriverError, Opts, OptsBuilder, Params, Row, SslOpts};

use super::SourceError;
use super::login::mariadb_version;
use super::tls::TlsMaterial;
use crate::config::{Identity, SourceConfig, TlsMode, certificates_as_pem, key_as_pem};

const DOING: &str = "logging in";
/// MySQL's own limit, instead of the server's setting: a single row may exceed that.
const PACKET_MAX: usize = 1 << 30;
/// How long a query about the server itself may take.
const QUERY_TIMEOUT: Duration = Duration::from_secs(60);
/// Probes of an idle connection begin after this.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Seconds that a session may be idle, or its rows unread: a snapshot's are while Kafka is away.
const WAIT_TIMEOUT_S: u32 = 28_800;
/// A host name that no certificate is for, and what the driver looks for in the text of a failed check.
const ANY_NAME: &str = "NotValidForName";

/// A connection for ordinary queries, in UTC and utf8mb4.
#[derive(Debug)]
pub struct Sql {
    pub(super) conn: Conn,
    pub(super) user: String,
}

impl Sql {
    /// Connects to `host`, runs the initial statements of the file, then sets what outflow relies on.
    ///
    /// # Errors
    /// When the server cannot be reached, refuses us or is MariaDB.
    pub async fn connect(config: &SourceConfig, host: &str) -> Result<Self, SourceError> {
        let tls = match config.tls.mode {
            TlsMode::Disabled => None,
            _ => Some(ssl_options(config)?),
        };
        let conn = match open(config, host, tls).await {
            // Only a server that has no TLS at all is spoken to without, as the mode says.
            Err(mysql_async::Error::Driver(DriverError::NoClientSslFlagFromServer)) => {
                if config.tls.mode != TlsMode::Preferred {
                    return Err(SourceError::TlsUnavailable(format!("{host}:{}", config.port)));
                }
                open(config, host, None).await
            }
            result => result,
        };
        let conn = conn.map_err(|error| connect_error(error, config, host))?;
        let mut sql = Self { conn, user: config.user.clone() };
        let version = sql.text("SELECT VERSION()", DOING).await?.unwrap_or_default();
        if let Some(version) = mariadb_version(&version) {
            return Err(SourceError::MariaDb(version));
        }
        for statement in &config.initial_statements {
            sql.run(statement, "running database.initial.statements").await?;
        }
        let session = format!(
            "SET NAMES utf8mb4, time_zone = '+00:00', sql_mode = 'ALLOW_INVALID_DATES', autocommit = 1, \
             max_execution_time = 0, sql_select_limit = DEFAULT, wait_timeout = {WAIT_TIMEOUT_S}, \
             net_write_timeout = {WAIT_TIMEOUT_S}"
        );
        sql.run(&session, "preparing the session").await?;
        Ok(sql)
    }

    /// Runs a statement of the file, such as `heartbeat.action.query`; rows that it returns are not read.
    ///
    /// # Errors
    /// When it fails.
    pub async fn execute(&mut self, sql: &str) -> Result<(), SourceError> {
        self.run(sql, "running a statement of the configuration").await
    }

    /// Runs a statement, its rows unread.
    ///
    /// # Errors
    /// When the server refuses it or the connection is lost.
    pub async fn run(&mut self, sql: &str, doing: &'static str) -> Result<(), SourceError> {
        let result = tokio::time::timeout(QUERY_TIMEOUT, self.conn.query_drop(sql)).await;
        self.checked(result, doing)
    }

    /// All rows of a query of few rows.
    pub(super) async fn rows(
        &mut self,
        sql: &str,
        doing: &'static str,
    ) -> Result<Vec<Row>, SourceError> {
        let result = tokio::time::timeout(QUERY_TIMEOUT, self.conn.query(sql)).await;
        self.checked(result, doing)
    }

    /// All rows of a query of few rows with parameters.
    pub(super) async fn rows_with(
        &mut self,
        sql: &str,
        parameters: impl Into<Params> + Send,
        doing: &'static str,
    ) -> Result<Vec<Row>, SourceError> {
        let result = tokio::time::timeout(QUERY_TIMEOUT, self.conn.exec(sql, parameters)).await;
        self.checked(result, doing)
    }

    /// The first column of the first row.
    pub(super) async fn text(
        &mut self,
        sql: &str,
        doing: &'static str,
    ) -> Result<Option<String>, SourceError> {
        Ok(self.rows(sql, doing).await?.first().and_then(|row| column(row, 0)))
    }

    pub(super) fn checked<T>(
        &self,
        result: Result<mysql_async::Result<T>, tokio::time::error::Elapsed>,
        doing: &'static str,
    ) -> Result<T, SourceError> {
        match result {
            Ok(result) => result.map_err(|error| SourceError::query(error, &self.user, doing)),
            Err(_) => Err(SourceError::Disconnected {
                doing,
                source: Some(std::io::ErrorKind::TimedOut.into()),
            }),
        }
    }

    /// The server's version, such as `(9, 7, 4)`.
    pub(super) fn version(&self) -> (u16, u16, u16) {
        self.conn.server_version()
    }

    /// Ends the session in order.
    pub async fn close(self) {
        // A connection that is lost already needs no end.
        drop(tokio::time::timeout(Duration::from_secs(1), self.conn.disconnect()).await);
    }
}

/// A column as text; `None` for NULL.
pub(super) fn column(row: &Row, index: usize) -> Option<String> {
    row.get_opt::<Option<String>, _>(index)?.ok().flatten()
}

/// A column by its name.
pub(super) fn named(row: &Row, name: &str) -> Option<String> {
    row.get_opt::<Option<String>, _>(name)?.ok().flatten()
}

async fn open(
    config: &SourceConfig,
    host: &str,
    tls: Option<SslOpts>,
) -> mysql_async::Result<Conn> {
    let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let opts: Opts = OptsBuilder::default()
        .ip_or_hostname(bare)
        .tcp_port(config.port)
        .user(Some(config.user.clone()))
        .pass(Some(config.password.expose().to_owned()))
        .prefer_socket(false)
        .tcp_nodelay(true)
        .tcp_keepalive(Some(KEEP_ALIVE))
        .max_allowed_packet(Some(PACKET_MAX))
        .stmt_cache_size(0)
        .ssl_opts(tls)
        .into();
    match tokio::time::timeout(config.connect_timeout, Conn::new(opts)).await {
        Ok(result) => result,
        Err(_) => {
            Err(mysql_async::Error::Io(std::io::Error::from(std::io::ErrorKind::TimedOut).into()))
        }
    }
}

fn connect_error(error: mysql_async::Error, config: &SourceConfig, host: &str) -> SourceError {
    let address = format!("{host}:{}", config.port);
    match error {
        mysql_async::Error::Io(mysql_async::IoError::Io(source)) => {
            // The driver hides what rustls says in an ordinary error.
            match source.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                Some(inner) => SourceError::Tls { address, source: inner.clone() },
                None => SourceError::Connect { address, source },
            }
        }
        other => SourceError::query(other, &config.user, DOING),
    }
}

/// The same verification as the reader's own connection, in the driver's terms.
fn ssl_options(config: &SourceConfig) -> Result<SslOpts, SourceError> {
    let TlsMaterial { trusted, check_name, identity } = TlsMaterial::load(&config.tls)?;
    let mut options = SslOpts::default();
    if let Some(certificates) = trusted {
        let roots = certificates
            .iter()
            .map(|root| certificates_as_pem(std::slice::from_ref(root)).into_bytes().into());
        options = options.with_disable_built_in_roots(true).with_root_certs(roots.collect());
        if !check_name {
            // The driver verifies the chain first and then the name. It forgives the latter when the
            // error's text holds a word that rustls does not write any more, other than in the name.
            options = options
                .with_danger_skip_domain_validation(true)
                .with_danger_tls_hostname_override(Some(ANY_NAME));
        }
    } else {
        options = options.with_danger_accept_invalid_certs(true);
    }
    if let Some(Identity { chain, key }) = identity {
        let (chain, key) = (certificates_as_pem(&chain), key_as_pem(&key));
        let identity = ClientIdentity::new(chain.into_bytes().into(), key.into_bytes().into());
        options = options.with_client_identity(Some(identity));
    }
    Ok(options)
}
