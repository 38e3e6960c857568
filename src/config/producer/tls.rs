//! `ssl.truststore.*` and `ssl.keystore.*` of the Java client for librdkafka, which reads PEM.

use std::collections::BTreeMap;

use super::{Problems, Settings};
use crate::config::Secret;
use crate::config::key_store::{self, Form, KeyStore, certificates_as_pem, key_as_pem};
use crate::config::section::Entry;

type Login = BTreeMap<String, Entry>;

/// Whom the producer trusts, and whether it compares host names.
pub(super) fn trust(login: &Login, settings: &mut Settings, problems: &mut Problems) {
    let mut set = |name: &str, value: String| settings.push((name.to_owned(), Secret::new(value)));
    if let Some(entry) = login.get("ssl.endpoint.identification.algorithm") {
        match entry.value.trim().to_ascii_lowercase().as_str() {
            "" | "none" => set("ssl.endpoint.identification.algorithm", "none".to_owned()),
            "https" => set("ssl.endpoint.identification.algorithm", "https".to_owned()),
            _ => problems.push(entry.invalid(
                "is not a way to compare host names",
                "write https, or nothing to compare none",
            )),
        }
    }
    if let Some(entry) = login.get("ssl.truststore.certificates") {
        set("ssl.ca.pem", entry.value.clone());
    }
    let Some(entry) = login.get("ssl.truststore.location") else { return };
    match key_store::open(entry) {
        Err(problem) => problems.push(problem),
        Ok((Form::Pem, _)) => set("ssl.ca.location", entry.value.trim().to_owned()),
        Ok((_, bytes)) => match read(login, "ssl.truststore.password", &bytes) {
            Ok(store) if store.certificates.is_empty() => problems.push(
                entry.invalid("holds no certificate", "import the broker's authority into it"),
            ),
            Ok(store) => set("ssl.ca.pem", certificates_as_pem(&store.certificates)),
            Err(reason) => {
                problems.push(entry.invalid(reason, "check the file and `ssl.truststore.password`"))
            }
        },
    }
}

/// A store of Java's, with its password and the key's own where it has one.
fn read(login: &Login, password: &str, bytes: &[u8]) -> Result<KeyStore, String> {
    let get = |name: &str| login.get(name).map(|entry| entry.value.as_str());
    let password = get(password).unwrap_or_default();
    KeyStore::read(bytes, password, get("ssl.key.password").unwrap_or(password))
}

/// Who the producer is.
pub(super) fn identify(login: &Login, settings: &mut Settings, problems: &mut Problems) {
    let mut set = |name: &str, value: &str| {
        settings.push((name.to_owned(), Secret::new(value.to_owned())));
    };
    for (java, name) in [
        ("ssl.keystore.key", "ssl.key.pem"),
        ("ssl.keystore.certificate.chain", "ssl.certificate.pem"),
        ("ssl.key.password", "ssl.key.password"),
    ] {
        if let Some(entry) = login.get(java) {
            set(name, &entry.value);
        }
    }
    let Some(entry) = login.get("ssl.keystore.location") else { return };
    let path = entry.value.trim();
    match key_store::open(entry) {
        Err(problem) => problems.push(problem),
        Ok((Form::Pem, _)) => {
            // One file with the key and its chain.
            set("ssl.certificate.location", path);
            set("ssl.key.location", path);
        }
        Ok((_, bytes)) => {
            match read(login, "ssl.keystore.password", &bytes) {
                Ok(KeyStore { identity: Some(identity), .. }) => {
                    set("ssl.certificate.pem", &certificates_as_pem(&identity.chain));
                    set("ssl.key.pem", &key_as_pem(&identity.key));
                }
                Ok(_) => problems
                    .push(entry.invalid("holds no private key", "name the client's own store")),
                Err(reason) => problems
                    .push(entry.invalid(reason, "check the file and `ssl.keystore.password`")),
            }
        }
    }
}
