//! HTTP on the admin port: probes for an orchestrator and metrics for Prometheus.
//!
//! `/livez` says whether the process makes progress, whatever the servers do; `/readyz` whether every
//! connector streams; `/health` speaks Connect's words; `/metrics` gives Prometheus's text format. Loopback unless told otherwise. With a file
//! of users everything but these probes asks for a password; with a certificate the port speaks TLS.

mod tls;
mod users;

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tls::TlsListener;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tracing::warn;
use users::Users;

use crate::metrics::Metrics;
use crate::runtime::{ConnectorState, ConnectorStatus};

/// Where the admin port is and who may ask.
#[derive(Clone, Debug)]
pub struct AdminOptions {
    /// The address.
    pub listen: SocketAddr,
    /// A PEM file of private key and certificate chain; without one the port speaks plain HTTP.
    pub certificate: Option<PathBuf>,
    /// A file of lines `user=password`; without one everybody may ask.
    pub users: Option<PathBuf>,
}

/// Why the admin port cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The address is taken or not this machine's.
    #[error("admin port {address} cannot be opened; give a free one with --listen")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file of key and certificate is of no use.
    #[error(
        "--admin-certificate {path:?} must be a PEM file of a private key and its certificates: {problem}"
    )]
    Tls {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The file of users is of no use.
    #[error("--admin-users {path:?} must be a file of lines user=password: {problem}")]
    Users {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl AdminError {
    /// Whether a file that the command line names is of no use.
    #[must_use]
    pub fn is_of_usage(&self) -> bool {
        matches!(self, Self::Tls { .. } | Self::Users { .. })
    }
}

/// The admin port, open and not served yet.
pub struct AdminPort {
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    users: Option<Users>,
}

impl AdminPort {
    /// Reads the files and binds the address.
    ///
    /// # Errors
    /// When a file is of no use, or the address is taken or not this machine's.
    pub async fn open(options: &AdminOptions) -> Result<Self, AdminError> {
        let acceptor = options.certificate.as_deref().map(tls::acceptor).transpose()?;
        let users = options.users.as_deref().map(Users::read).transpose()?;
        let address = options.listen;
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|source| AdminError::Bind { address, source })?;
        if users.is_none() && !address.ip().is_loopback() {
            warn!(%address, "other machines may reach the admin port and need no password; --admin-users FILE asks for one");
        }
        Ok(Self { listener, acceptor, users })
    }

    /// The address.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// What the pages show.
pub struct Admin {
    metrics: Arc<Metrics>,
    connectors: Vec<Arc<ConnectorStatus>>,
}

impl Admin {
    /// Pages about these connectors.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>, connectors: Vec<Arc<ConnectorStatus>>) -> Self {
        Self { metrics, connectors }
    }

    /// Serves until the task is dropped.
    ///
    /// # Errors
    /// When the listener fails.
    pub async fn serve(self, port: AdminPort) -> std::io::Result<()> {
        let mut guarded = Router::new().route("/metrics", get(metrics));
        if let Some(users) = port.users {
            let check = axum::middleware::from_fn_with_state(Arc::new(users), users::check);
            guarded = guarded.layer(check);
        }
        // An orchestrator's probes have no password.
        let router = guarded
            .route("/livez", get(livez))
            .route("/readyz", get(readyz))
            .route("/health", get(health))
            .with_state(Arc::new(self));
        match port.acceptor {
            Some(acceptor) => axum::serve(TlsListener::new(port.listener, acceptor), router).await,
            None => axum::serve(port.listener, router).await,
        }
    }
}

async fn livez(State(admin): State<Arc<Admin>>) -> (StatusCode, String) {
    let stuck = admin.connectors.iter().filter(|connector| !connector.is_alive());
    let lines = stuck.fold(String::new(), |mut lines, connector| {
        let _infallible = writeln!(lines, "{}: no progress", connector.name);
        lines
    });
    if lines.is_empty() {
        (StatusCode::OK, "ok\n".to_owned())
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, lines)
    }
}

async fn readyz(State(admin): State<Arc<Admin>>) -> (StatusCode, String) {
    let mut ready = true;
    let mut lines = String::new();
    for connector in &admin.connectors {
        let (fine, text) = match connector.state() {
            ConnectorState::Streaming if connector.brokers_are_away() => {
                (false, "no Kafka broker answers; sending goes on when one does".to_owned())
            }
            ConnectorState::Streaming if connector.is_stalled() => {
                (false, "Kafka acknowledges no records; sending goes on when it does".to_owned())
            }
            ConnectorState::Streaming => (true, "streaming".to_owned()),
            ConnectorState::Snapshot => {
                (false, "reading the rows that were already there".to_owned())
            }
            ConnectorState::Starting(reason) => (false, reason),
            ConnectorState::Stopped => (false, "stopped".to_owned()),
            ConnectorState::Failed(reason) => (false, format!("FAILED: {reason}")),
        };
        ready &= fine;
        let _infallible = writeln!(lines, "{}: {text}", connector.name);
    }
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, lines)
}

/// The process's health in the words of Connect's worker, which is blind to what connectors wait for.
async fn health(State(admin): State<Arc<Admin>>) -> (StatusCode, Json<serde_json::Value>) {
    let (code, status, message) = if admin.connectors.iter().all(|c| c.is_alive()) {
        let message = "Worker has completed startup and is ready to handle requests.";
        (StatusCode::OK, "healthy", message)
    } else {
        let message =
            "Worker was unable to handle this request and may be unable to handle other requests.";
        (StatusCode::INTERNAL_SERVER_ERROR, "unhealthy", message)
    };
    (code, Json(json!({ "status": status, "message": message })))
}

async fn metrics(State(admin): State<Arc<Admin>>) -> Response {
    match admin.metrics.encode() {
        Ok(text) => ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response(),
        Err(err) => (StatusCode::INTERNAL_SERVER_ERROR, err.to_string()).into_response(),
    }
}
