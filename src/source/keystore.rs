//! The truststore and the keystore of MySQL's connection.

use std::path::Path;

use rustls::pki_types::CertificateDer;

use super::SourceError;
use crate::config::{Identity, KeyStore, Secret};

const TRUSTSTORE: &str = "database.ssl.truststore";
const KEYSTORE: &str = "database.ssl.keystore";

/// All certificates of a truststore.
pub(super) fn read_trusted(
    path: &Path,
    password: &Secret,
) -> Result<Vec<CertificateDer<'static>>, SourceError> {
    let store = read(TRUSTSTORE, path, password)?;
    if store.certificates.is_empty() {
        return Err(problem(TRUSTSTORE, path, "holds no certificate"));
    }
    Ok(store.certificates)
}

/// The key of a keystore with its chain.
pub(super) fn read_identity(path: &Path, password: &Secret) -> Result<Identity, SourceError> {
    match read(KEYSTORE, path, password)?.identity {
        None => Err(problem(KEYSTORE, path, "holds no private key")),
        Some(identity) if identity.chain.is_empty() => {
            Err(problem(KEYSTORE, path, "holds no certificate"))
        }
        Some(identity) => Ok(identity),
    }
}

fn read(property: &'static str, path: &Path, password: &Secret) -> Result<KeyStore, SourceError> {
    let bytes = std::fs::read(path).map_err(|error| problem(property, path, error))?;
    KeyStore::read(&bytes, password.expose(), password.expose())
        .map_err(|error| problem(property, path, error))
}

fn problem(property: &'static str, path: &Path, problem: impl ToString) -> SourceError {
    SourceError::Store { property, path: path.to_owned(), problem: problem.to_string() }
}
