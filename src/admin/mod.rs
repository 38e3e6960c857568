//! HTTP on the admin port: probes for an orchestrator and metrics for Prometheus.
//!
//! `/livez` says whether the process makes progress, whatever the servers do; `/readyz` whether every
//! connector streams; `/metrics` gives Prometheus's text format. Loopback unless told otherwise.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;

use crate::metrics::Metrics;
use crate::runtime::{ConnectorState, ConnectorStatus};

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
    pub async fn serve(self, listener: TcpListener) -> std::io::Result<()> {
        let router = Router::new()
            .route("/livez", get(livez))
            .route("/readyz", get(readyz))
            .route("/metrics", get(metrics))
            .with_state(Arc::new(self));
        axum::serve(listener, router).await
    }
}

/// Binds the admin port.
///
/// # Errors
/// When the address is taken or not this machine's.
pub async fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(address).await
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

async fn metrics(State(admin): State<Arc<Admin>>) -> Response {
    match admin.metrics.encode() {
        Ok(text) => ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response(),
        Err(err) => (StatusCode::INTERNAL_SERVER_ERROR, err.to_string()).into_response(),
    }
}
