use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType};

use super::Scratch;

/// An authority and what it has signed, as PEM files.
pub(crate) struct Certificates {
    /// The authority's certificate.
    pub(crate) authority: PathBuf,
    /// Another authority's, which signed nothing.
    pub(crate) stranger: PathBuf,
    /// Key and certificate of the broker, for 127.0.0.1.
    pub(crate) broker: PathBuf,
    /// Key and certificate of a client whose common name is `outflow`.
    pub(crate) client: PathBuf,
    /// The certificate alone.
    pub(crate) client_chain: PathBuf,
    /// The key alone.
    pub(crate) client_key: PathBuf,
}

impl Certificates {
    pub(crate) fn make(scratch: &Scratch) -> Self {
        let (authority, stranger) = (authority("outflow tests"), authority("nobody"));
        let mut broker = named("broker");
        broker.subject_alt_names = vec![SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST))];
        let (broker_key, broker_chain) = signed(&broker, &authority);
        let (client_key, client_chain) = signed(&named("outflow"), &authority);
        Self {
            authority: scratch.write("ca.pem", &authority.pem()),
            stranger: scratch.write("stranger.pem", &stranger.pem()),
            broker: scratch.write("broker.pem", &format!("{broker_key}{broker_chain}")),
            client: scratch.write("client.pem", &format!("{client_key}{client_chain}")),
            client_chain: scratch.write("client-chain.pem", &client_chain),
            client_key: scratch.write("client-key.pem", &client_key),
        }
    }
}

fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = named(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Key and certificate.
fn signed(params: &CertificateParams, by: &CertifiedIssuer<'static, KeyPair>) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, by).unwrap();
    (key.serialize_pem(), certificate.pem())
}
