//! Truststores and keystores: PKCS#12 or PEM, told apart by their content.

use std::path::Path;

use p12_keystore::Pkcs12Archive;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::SourceError;
use crate::config::Secret;

const TRUSTSTORE: &str = "database.ssl.truststore";
const KEYSTORE: &str = "database.ssl.keystore";
/// The first bytes of Java's own format.
const JKS: [u8; 4] = [0xfe, 0xed, 0xfe, 0xed];

/// Our certificate, the chain above it and its key.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) chain: Vec<CertificateDer<'static>>,
    pub(super) key: PrivateKeyDer<'static>,
}

enum Content {
    Pkcs12(Pkcs12Archive),
    Pem(Vec<u8>),
}

/// All certificates of a truststore.
pub(super) fn read_trusted(
    path: &Path,
    password: &Secret,
) -> Result<Vec<CertificateDer<'static>>, SourceError> {
    let certificates = match read(TRUSTSTORE, path, password)? {
        Content::Pkcs12(archive) => certificates(&archive),
        Content::Pem(text) => {
            pem_certificates(&text).map_err(|error| problem(TRUSTSTORE, path, error))?
        }
    };
    if certificates.is_empty() {
        return Err(problem(TRUSTSTORE, path, "it holds no certificate"));
    }
    Ok(certificates)
}

/// The key of a keystore with its chain.
pub(super) fn read_identity(path: &Path, password: &Secret) -> Result<Identity, SourceError> {
    let (chain, key) = match read(KEYSTORE, path, password)? {
        Content::Pkcs12(archive) => {
            let key = archive.keys.first();
            let key = key.ok_or_else(|| problem(KEYSTORE, path, "it holds no private key"))?;
            let is_leaf = |id: &Option<Vec<u8>>| {
                let id = id.as_deref();
                id.is_some() && id == key.local_key_id.as_ref().map(|key_id| key_id.0.as_slice())
            };
            // The certificate of the key comes first, as TLS wants it.
            let (mut chain, above): (Vec<_>, Vec<_>) =
                archive.certs.iter().partition(|bag| is_leaf(&bag.local_key_id));
            chain.extend(above);
            let chain = chain.iter().map(|bag| bag.cert.as_der().to_vec().into()).collect();
            (chain, PrivatePkcs8KeyDer::from(key.key.as_der().to_vec()).into())
        }
        Content::Pem(text) => {
            let chain = pem_certificates(&text).map_err(|error| problem(KEYSTORE, path, error))?;
            let key = PrivateKeyDer::from_pem_slice(&text);
            (chain, key.map_err(|error| problem(KEYSTORE, path, error))?)
        }
    };
    if chain.is_empty() {
        return Err(problem(KEYSTORE, path, "it holds no certificate"));
    }
    Ok(Identity { chain, key })
}

fn read(property: &'static str, path: &Path, password: &Secret) -> Result<Content, SourceError> {
    let mut bytes = std::fs::read(path).map_err(|error| problem(property, path, error))?;
    if bytes.starts_with(&JKS) {
        let convert = "it is a JKS store, which is not supported; convert it: keytool -importkeystore \
                       -srckeystore OLD -destkeystore NEW -deststoretype PKCS12";
        return Err(problem(property, path, convert));
    }
    if bytes.windows(11).any(|window| window == b"-----BEGIN ") {
        // MySQL ends the files that it makes itself with a zero.
        bytes.retain(|&byte| byte != 0);
        return Ok(Content::Pem(bytes));
    }
    let archive = Pkcs12Archive::from_pkcs12(&bytes, password.expose());
    archive.map(Content::Pkcs12).map_err(|error| {
        problem(property, path, format!("not PEM, and not PKCS#12 by this password: {error}"))
    })
}

fn certificates(archive: &Pkcs12Archive) -> Vec<CertificateDer<'static>> {
    archive.certs.iter().map(|bag| bag.cert.as_der().to_vec().into()).collect()
}

fn pem_certificates(
    text: &[u8],
) -> Result<Vec<CertificateDer<'static>>, rustls::pki_types::pem::Error> {
    CertificateDer::pem_slice_iter(text).collect()
}

fn problem(property: &'static str, path: &Path, problem: impl ToString) -> SourceError {
    SourceError::Store { property, path: path.to_owned(), problem: problem.to_string() }
}
