//! TLS by `database.ssl.*`: what is verified in which mode.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

use super::SourceError;
use super::keystore::{read_identity, read_trusted};
use crate::config::{Identity, TlsConfig, TlsMode};

/// What is verified, and who we are.
#[derive(Debug)]
pub(super) struct TlsMaterial {
    /// Certificates to trust; `None` where the server's is not verified.
    pub(super) trusted: Option<Vec<CertificateDer<'static>>>,
    /// Whether the certificate must be for the host's name.
    pub(super) check_name: bool,
    /// Our own certificate.
    pub(super) identity: Option<Identity>,
}

impl TlsMaterial {
    /// Reads the stores that the mode needs. Source: Debezium's documentation of `database.ssl.mode`;
    /// preferred and required verify only against a truststore that is given.
    pub(super) fn load(config: &TlsConfig) -> Result<Self, SourceError> {
        let verify = matches!(config.mode, TlsMode::VerifyCa | TlsMode::VerifyIdentity);
        let trusted = match &config.truststore {
            Some((path, password)) => Some(read_trusted(path, password)?),
            None if verify => Some(rustls_native_certs::load_native_certs().certs),
            None => None,
        };
        let identity =
            config.keystore.as_ref().map(|(path, password)| read_identity(path, password));
        Ok(Self {
            trusted,
            check_name: config.mode == TlsMode::VerifyIdentity,
            identity: identity.transpose()?,
        })
    }

    /// The configuration for a blocking connection.
    pub(super) fn client_config(self) -> Result<Arc<ClientConfig>, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Verifier::new(self.trusted, self.check_name, Arc::clone(&provider));
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let config = match self.identity {
            Some(Identity { chain, key }) => builder.with_client_auth_cert(chain, key)?,
            None => builder.with_no_client_auth(),
        };
        Ok(Arc::new(config))
    }
}

/// Verifies the server's certificate as far as the mode asks for; its signatures always.
#[derive(Debug)]
struct Verifier {
    /// The authorities, and the same certificates as they are; `None`: nothing is verified.
    trusted: Option<(RootCertStore, Vec<CertificateDer<'static>>)>,
    check_name: bool,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    fn new(
        trusted: Option<Vec<CertificateDer<'static>>>,
        check_name: bool,
        provider: Arc<CryptoProvider>,
    ) -> Self {
        let trusted = trusted.map(|certificates| {
            let mut roots = RootCertStore::empty();
            // A certificate that cannot be an authority may still be the server's own.
            roots.add_parsable_certificates(certificates.iter().cloned());
            (roots, certificates)
        });
        Self { trusted, check_name, provider }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some((roots, certificates)) = &self.trusted else {
            return Ok(ServerCertVerified::assertion());
        };
        let parsed = ParsedCertificate::try_from(end_entity)?;
        // As in Java, a truststore may hold the server's own certificate.
        if !certificates.contains(end_entity) {
            if roots.is_empty() {
                return Err(CertificateError::UnknownIssuer.into());
            }
            let algorithms = self.provider.signature_verification_algorithms.all;
            verify_server_cert_signed_by_trust_anchor(
                &parsed,
                roots,
                intermediates,
                now,
                algorithms,
            )?;
        }
        if self.check_name {
            verify_server_name(&parsed, server_name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
