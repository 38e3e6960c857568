//! `ssl.truststore.*` and `ssl.keystore.*` of the Java client for librdkafka, which reads PEM and, for the client's own
//! key, PKCS12.

use std::collections::BTreeMap;

use super::{Problems, Settings};
use crate::config::Secret;
use crate::config::key_store::{self, Form};
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
        Ok((Form::Pkcs12, bytes)) => {
            let password = login.get("ssl.truststore.password").map(|entry| entry.value.as_str());
            match key_store::certificates(&bytes, password.unwrap_or_default()) {
                Ok(pem) => set("ssl.ca.pem", pem),
                Err(reason) => problems
                    .push(entry.invalid(reason, "check the file and `ssl.truststore.password`")),
            }
        }
        Ok((Form::Pem | Form::Jks, _)) => set("ssl.ca.location", entry.value.trim().to_owned()),
    }
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
        Ok((Form::Pkcs12, _)) => {
            set("ssl.keystore.location", path);
            if let Some(password) = login.get("ssl.keystore.password") {
                set("ssl.keystore.password", &password.value);
            }
        }
        Ok((Form::Pem | Form::Jks, _)) => {
            // One file with the key and its chain.
            set("ssl.certificate.location", path);
            set("ssl.key.location", path);
        }
    }
}
