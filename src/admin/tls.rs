use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tracing::debug;

use super::AdminError;

/// How long a client may take to agree on TLS.
const HANDSHAKE_MAX: Duration = Duration::from_secs(5);
/// Clients that do so at a time: more than a scraper and an orchestrator need.
const HANDSHAKES: usize = 16;
/// The pause after a failed accept: too many open files pass.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Reads a PEM file of the private key, the certificate and those above it.
pub(super) fn acceptor(path: &Path) -> Result<TlsAcceptor, AdminError> {
    let problem = |problem: String| AdminError::Tls { path: path.to_owned(), problem };
    let text = std::fs::read(path).map_err(|err| problem(err.to_string()))?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let chain = chain.map_err(|err| problem(err.to_string()))?;
    let key = PrivateKeyDer::from_pem_slice(&text)
        .map_err(|err| problem(format!("no private key: {err}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|err| problem(err.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Gives connections once they speak TLS; a client that is slow to do so holds no other up.
pub(super) struct TlsListener {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: io::Result<SocketAddr>,
}

impl TlsListener {
    pub(super) fn new(listener: TcpListener, acceptor: TlsAcceptor) -> Self {
        let address = listener.local_addr();
        let (sender, ready) = mpsc::channel(HANDSHAKES);
        tokio::spawn(accept(listener, acceptor, sender));
        Self { ready, address }
    }
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    ready: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    let places = Arc::new(Semaphore::new(HANDSHAKES));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok((stream, peer)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let (acceptor, ready) = (acceptor.clone(), ready.clone());
        tokio::spawn(async move {
            match tokio::time::timeout(HANDSHAKE_MAX, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => drop(ready.send((stream, peer)).await),
                Ok(Err(error)) => debug!(%peer, %error, "no TLS with a client of the admin port"),
                Err(_) => debug!(%peer, "a client of the admin port is too slow"),
            }
            drop(place);
        });
    }
}

impl axum::serve::Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(connection) => connection,
            None => std::future::pending().await, // Only when the runtime ends.
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.address {
            Ok(address) => Ok(*address),
            Err(error) => Err(error.kind().into()),
        }
    }
}
