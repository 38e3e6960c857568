//! Key stores: told apart by content, as Java does, and read as far as others need it.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use p12_keystore::Pkcs12Archive;

use super::Problem;
use super::section::Entry;

/// What a key store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Pem,
    Pkcs12,
    Jks,
}

impl Form {
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            // The magic numbers of JKS and JCEKS, and the SEQUENCE that every PKCS12 file is.
            [0xfe, 0xed, 0xfe, 0xed, ..] | [0xce, 0xce, 0xce, 0xce, ..] => Some(Self::Jks),
            [0x30, ..] => Some(Self::Pkcs12),
            _ => {
                let pem = b"-----BEGIN ";
                bytes.windows(pem.len()).any(|window| window == pem).then_some(Self::Pem)
            }
        }
    }
}

/// The key store that `entry` names, PEM or PKCS12, and its bytes.
pub(super) fn open(entry: &Entry) -> Result<(Form, Vec<u8>), Problem> {
    let bytes = std::fs::read(Path::new(entry.value.trim()))
        .map_err(|err| entry.invalid(format!("cannot be read: {err}"), "correct the path"))?;
    match Form::of(&bytes) {
        None => Err(entry.invalid("is no key store", "name one in PEM or PKCS12")),
        Some(Form::Jks) => Err(entry.refused("outflow reads PEM and PKCS12, not JKS", JKS_CURE)),
        Some(form) => Ok((form, bytes)),
    }
}

const JKS_CURE: &str = "convert it: keytool -importkeystore -srckeystore FILE -destkeystore FILE.p12 -deststoretype PKCS12";

/// Every certificate of a PKCS12 store as PEM, whether or not Java's mark of trust stands beside it.
pub(super) fn certificates(bytes: &[u8], password: &str) -> Result<String, String> {
    let archive = Pkcs12Archive::from_pkcs12(bytes, password)
        .map_err(|err| format!("cannot be opened: {err}"))?;
    let mut pem = String::new();
    for bag in &archive.certs {
        push_pem(bag.cert.as_der(), &mut pem);
    }
    if pem.is_empty() { Err("holds no certificate".to_owned()) } else { Ok(pem) }
}

fn push_pem(der: &[u8], pem: &mut String) {
    pem.push_str("-----BEGIN CERTIFICATE-----\n");
    let text = STANDARD.encode(der);
    let mut rest = text.as_str();
    while let Some((line, after)) = rest.split_at_checked(64) {
        pem.push_str(line);
        pem.push('\n');
        rest = after;
    }
    if !rest.is_empty() {
        pem.push_str(rest);
        pem.push('\n');
    }
    pem.push_str("-----END CERTIFICATE-----\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_by_content() {
        let cases: [(&[u8], Option<Form>); 5] = [
            (b"\xfe\xed\xfe\xed\0\0\0\x02", Some(Form::Jks)),
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
        let store = STANDARD.decode(STORE).unwrap();
        let pem = certificates(&store, "changeit").unwrap();
        let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        assert_eq!(body, CERTIFICATE);
        assert!(certificates(&store, "wrong").is_err());
        assert!(certificates(b"\x30\x82", "changeit").is_err());
    }

    #[test]
    fn pem_has_lines_of_64_characters() {
        let mut pem = String::new();
        push_pem(&[0; 60], &mut pem);
        let lines: Vec<usize> = pem.lines().map(str::len).collect();
        assert_eq!(lines, [27, 64, 16, 25]);
    }
}
