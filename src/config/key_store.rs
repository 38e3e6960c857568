//! Key stores, of MySQL's connection and of the producer: told apart by content, as Java does.

mod jks;

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use p12_keystore::Pkcs12Archive;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::Problem;
use super::section::Entry;

/// What a key store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Pem,
    Pkcs12,
    Jks,
    /// Java's own format with another cipher, which is not read.
    Jceks,
}

impl Form {
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xfe, 0xed, 0xfe, 0xed, ..] => Some(Self::Jks),
            [0xce, 0xce, 0xce, 0xce, ..] => Some(Self::Jceks),
            // The SEQUENCE that every PKCS#12 file is.
            [0x30, ..] => Some(Self::Pkcs12),
            _ => {
                let pem = b"-----BEGIN ";
                bytes.windows(pem.len()).any(|window| window == pem).then_some(Self::Pem)
            }
        }
    }
}

/// What a key store holds.
#[derive(Debug)]
pub(crate) struct KeyStore {
    /// Certificates, whether or not Java's mark of trust stands beside them.
    pub(crate) certificates: Vec<CertificateDer<'static>>,
    /// The first private key, and who it proves.
    pub(crate) identity: Option<Identity>,
}

/// A private key, its certificate and the chain above that.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
}

impl KeyStore {
    /// Reads PEM, PKCS#12 or JKS, with the password of the store and that of the key in it.
    ///
    /// # Errors
    /// What is wrong with the store or its password, in words.
    pub(crate) fn read(bytes: &[u8], password: &str, key_password: &str) -> Result<Self, String> {
        match Form::of(bytes) {
            None => Err("is no key store in PEM, PKCS#12 or JKS".to_owned()),
            Some(Form::Jceks) => Err(format!("is a JCEKS store, which is not read; {CONVERT}")),
            Some(Form::Pem) => pem(bytes),
            Some(Form::Pkcs12) => pkcs12(bytes, password),
            Some(Form::Jks) => jks::read(bytes, password, key_password),
        }
    }
}

const CONVERT: &str = "convert it: keytool -importkeystore -srckeystore FILE -destkeystore FILE.p12 -deststoretype PKCS12";

fn pem(bytes: &[u8]) -> Result<KeyStore, String> {
    // MySQL ends the files that it makes itself with a zero.
    let text: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|err| format!("cannot be read: {err}"))?;
    let identity = match PrivateKeyDer::from_pem_slice(&text) {
        Ok(key) => Some(Identity { chain: certificates.clone(), key }),
        Err(rustls::pki_types::pem::Error::NoItemsFound) => None,
        Err(err) => return Err(format!("cannot be read: {err}")),
    };
    Ok(KeyStore { certificates, identity })
}

fn pkcs12(bytes: &[u8], password: &str) -> Result<KeyStore, String> {
    let archive = Pkcs12Archive::from_pkcs12(bytes, password)
        .map_err(|err| format!("cannot be opened with this password: {err}"))?;
    let identity = archive.keys.first().map(|key| {
        let id = key.local_key_id.as_ref().map(|id| id.0.as_slice());
        let is_leaf = |of: &Option<Vec<u8>>| of.is_some() && of.as_deref() == id;
        // The certificate of the key comes first, as TLS wants it.
        let (mut chain, above): (Vec<_>, Vec<_>) =
            archive.certs.iter().partition(|bag| is_leaf(&bag.local_key_id));
        chain.extend(above);
        Identity {
            chain: chain.iter().map(|bag| bag.cert.as_der().to_vec().into()).collect(),
            key: PrivatePkcs8KeyDer::from(key.key.as_der().to_vec()).into(),
        }
    });
    let certificates = archive.certs.iter().map(|bag| bag.cert.as_der().to_vec().into()).collect();
    Ok(KeyStore { certificates, identity })
}

/// The key store that `entry` names, as far as it is one that can be read.
pub(super) fn open(entry: &Entry) -> Result<(Form, Vec<u8>), Problem> {
    let bytes = std::fs::read(Path::new(entry.value.trim()))
        .map_err(|err| entry.invalid(format!("cannot be read: {err}"), "correct the path"))?;
    match Form::of(&bytes) {
        None => Err(entry.invalid("is no key store", "name one in PEM, PKCS#12 or JKS")),
        Some(Form::Jceks) => {
            Err(entry.refused("outflow reads PEM, PKCS#12 and JKS, not JCEKS", CONVERT))
        }
        Some(form) => Ok((form, bytes)),
    }
}

/// Certificates as PEM.
pub(crate) fn certificates_as_pem(certificates: &[CertificateDer<'_>]) -> String {
    certificates.iter().map(|certificate| as_pem("CERTIFICATE", certificate)).collect()
}

/// A private key as PEM.
pub(crate) fn key_as_pem(key: &PrivateKeyDer<'_>) -> String {
    let label = match key {
        PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
        PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
        _ => "PRIVATE KEY",
    };
    as_pem(label, key.secret_der())
}

fn as_pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let mut pem = format!("-----BEGIN {label}-----\n");
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at_checked(64).unwrap_or((rest, ""));
        pem.push_str(line);
        pem.push('\n');
        rest = after;
    }
    pem.push_str(&format!("-----END {label}-----\n"));
    pem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_by_content() {
        let cases: [(&[u8], Option<Form>); 6] = [
            (b"\xfe\xed\xfe\xed\0\0\0\x02", Some(Form::Jks)),
            (b"\xce\xce\xce\xce\0\0\0\x02", Some(Form::Jceks)),
            (b"\x30\x82\x01\x02", Some(Form::Pkcs12)),
            (b"Bag Attributes\n-----BEGIN CERTIFICATE-----\n", Some(Form::Pem)),
            (b"", None),
            (b"hello", None),
        ];
        for (bytes, form) in cases {
            assert_eq!(Form::of(bytes), form, "{bytes:?}");
        }
    }

    /// A self-signed certificate, made for this test.
    const CERTIFICATE: &str = "\
        MIIBhTCCASugAwIBAgIUFMiJWxkM2KF5H+p1SLSc0ttSOSYwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMb3V0Zmxv\
        dy10ZXN0MCAXDTI2MTEzMDAwMTYyMVoYDzIxMjYxMTA2MDAxNjIxWjAXMRUwEwYDVQQDDAxvdXRmbG93LXRlc3Qw\
        WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATeBX/SR4hXEBVhOVZ+wkUKzrH7S8+4MfZN7MIO7V3fdjZQdO4y0pEm\
        kCchp6/waJxPa/B4fkOxTnsObSAS5F2mo1MwUTAdBgNVHQ4EFgQUW9lmWGJHoqTQUIm56PrnqTfA6A0wHwYDVR0j\
        BBgwFoAUW9lmWGJHoqTQUIm56PrnqTfA6A0wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA0fUQ\
        gmbbQ66gzWFzDe58cHpN6/z1szkAC6XurwYPmlsCIFi/tZMU+n5sgQbKtSaDAKtTK+TUrg8nTrmrwr9M8siw";

    /// It in a store as `openssl pkcs12 -export -nokeys` makes them, password `changeit`.
    const STORE: &str = "\
        MIICpwIBAzCCAl0GCSqGSIb3DQEHAaCCAk4EggJKMIICRjCCAkIGCSqGSIb3DQEHBqCCAjMwggIvAgEAMIICKAYJ\
        KoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiSosFhBqrPhAICCAAwDAYIKoZIhvcNAgkF\
        ADAdBglghkgBZQMEASoEEAKNOm3eqKA1BBu4+8iTZtuAggHAcu+mGRXwc6hsYimrZK062pZsikT9oQbvIAhtrvC2\
        mbHdwmK48pr04XfPSaC2A6phPvPouYn34jVa1ViJOp/dtV7Ea0Ey2wNeVIRg8DYdcugi9X7amENC/M+qg7OuoWwM\
        mBfuZox50JceDHTm6cfDQl1Qm01eXevvsyXuXeErX251paG33WlG2bzm5RQxK2hcsI5p2CLoqNUvOfZcjm/U/RQn\
        93GBPfmuB97sYB9I3LqThbWrcH5r3GfN7GBvNRRfeSU2rNO28kRBFaEzglXtukeZ9LovHd6XImDywGWym0gX0sV0\
        6YOUwt0bBabOXPP3HEsZo/E4TAOI405i7BfkOsOSD6Oj6LpzKdKVq1gQbntUFoJvW1nDH6qP0WckcVlU061umDCT\
        vOb+dAlueYTF2kXelI6wS13i2r+lZX5npA9zPTMhZWy3PoodtD9CeenrqLqBTSUaNaI0GtDTsOXvfkuHdlc3WZ4Q\
        nZqAN0Mz0xM4D2HJumOS6SqOcHH1vw6NzF5PcXdJshb53jvC943+U7lLJGzqZuJdofRTEQMiE6txyjhi29daGVSL\
        JP5hGC1Z4gfJQaOxjpviKq0WOg92zjBBMDEwDQYJYIZIAWUDBAIBBQAEII7FsrwiB6xNNoQdIaPsaxeW2JfhBBLG\
        hWBa2M7Kx/xCBAiM1gQShn7rSwICCAA=";

    #[test]
    fn certificates_of_a_store_become_pem() {
        let read = |bytes: &[u8], password| KeyStore::read(bytes, password, password);
        let store = read(&STANDARD.decode(STORE).unwrap(), "changeit").unwrap();
        let pem = certificates_as_pem(&store.certificates);
        let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        assert_eq!(body, CERTIFICATE);
        assert!(store.identity.is_none());
        assert!(read(&STANDARD.decode(STORE).unwrap(), "wrong").is_err());
        assert!(read(b"\x30\x82", "changeit").is_err());
        assert_eq!(read(pem.as_bytes(), "").unwrap().certificates, store.certificates);
    }

    #[test]
    fn pem_has_lines_of_64_characters() {
        for (bytes, expected) in [(60, &[27, 64, 16, 25][..]), (48, &[27, 64, 25]), (0, &[27, 25])]
        {
            let pem = as_pem("CERTIFICATE", &vec![0; bytes]);
            assert_eq!(pem.lines().map(str::len).collect::<Vec<_>>(), expected);
        }
    }
}
