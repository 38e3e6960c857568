//! The producer's settings: the Java client's names to librdkafka's (its CONFIGURATION.md), which pass too.

mod jaas;
mod table;
mod tls;

use std::collections::BTreeMap;

use super::properties::java_trim;
use super::report::{Findings, Verdict};
use super::secret::is_secret_name;
use super::section::{Entry, below, items};
use super::{Problem, Secret};
use table::{TABLE, Treatment};

/// Settings gathered from the worker's file and the connector's; the later one wins.
#[derive(Default)]
pub(super) struct ProducerSettings {
    /// By librdkafka's name.
    settings: BTreeMap<String, Secret>,
    /// What needs its fellows to be understood: SASL and the key stores.
    login: BTreeMap<String, Entry>,
}

impl ProducerSettings {
    /// `security.protocol`, `sasl.*` and `ssl.*` of the worker's file: the producer reaches the same cluster.
    pub(super) fn take_worker(&mut self, entries: &[Entry], findings: &mut Findings) {
        let security = ["security.", "sasl.", "ssl."];
        for entry in entries.iter().filter(|e| security.iter().any(|p| e.key.starts_with(p))) {
            self.take_one(entry, findings);
        }
    }

    /// The entries below `prefix`.
    pub(super) fn take(&mut self, prefix: &str, entries: &[Entry], findings: &mut Findings) {
        for entry in &below(entries, prefix) {
            self.take_one(entry, findings);
        }
    }

    fn take_one(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some((_, treatment)) = TABLE.iter().find(|(name, _)| *name == entry.key) else {
            return unknown(entry, findings);
        };
        let refuse = |findings: &mut Findings, reason: &str, cure: String| {
            findings.row(&entry.written, Verdict::Refused, reason);
            findings.problem(entry.refused(reason, cure));
        };
        match treatment {
            Treatment::Elsewhere(reason) => findings.row(&entry.written, Verdict::Used, *reason),
            Treatment::Login => {
                findings.row(&entry.written, Verdict::Used, "");
                self.login.insert(entry.key.clone(), entry.clone());
            }
            Treatment::Without(reason) => {
                findings.row(&entry.written, Verdict::WithoutEffect, *reason);
            }
            Treatment::Only { allowed, reason } => {
                if allowed.iter().any(|word| word.eq_ignore_ascii_case(java_trim(&entry.value))) {
                    findings.row(&entry.written, Verdict::WithoutEffect, "it is what outflow does");
                } else {
                    let words = allowed.iter().filter(|word| !word.is_empty());
                    let words = words.copied().collect::<Vec<_>>().join(" or ");
                    let cure = if words.is_empty() {
                        "remove it".to_owned()
                    } else {
                        format!("remove it, or write {words}")
                    };
                    refuse(findings, reason, cure);
                }
            }
            Treatment::Words { name, words } => self.take_word(entry, name, words, findings),
            Treatment::Number { names, min, max, unit } => {
                self.take_number(entry, (names, *unit), (*min, *max), findings);
            }
            Treatment::Text(name) => {
                findings.row(&entry.written, Verdict::Used, renamed(&entry.key, name));
                self.set(name, java_trim(&entry.value));
            }
        }
    }

    fn take_word(&mut self, entry: &Entry, name: &str, words: &[&str], findings: &mut Findings) {
        let value = java_trim(&entry.value).to_ascii_lowercase();
        findings.row(&entry.written, Verdict::Used, renamed(&entry.key, name));
        if words.contains(&value.as_str()) {
            self.set(name, &value);
        } else {
            let reason = "is not a value of this property";
            findings.problem(entry.invalid(reason, format!("write one of {}", words.join(", "))));
        }
    }

    /// A number in Java's unit; what is beyond librdkafka's range is brought into it, since both mean "very long".
    fn take_number(
        &mut self,
        entry: &Entry,
        (names, unit): (&[&str], i64),
        (min, max): (i64, i64),
        findings: &mut Findings,
    ) {
        let Ok(number) = java_trim(&entry.value).parse::<i64>() else {
            findings.row(&entry.written, Verdict::Used, "");
            return findings.problem(entry.invalid("is not an integer", "write an integer"));
        };
        let scaled = number.checked_add(unit - 1).unwrap_or(number).div_euclid(unit);
        let taken = scaled.clamp(min, max);
        let mut reason = names.first().map(|name| renamed(&entry.key, name)).unwrap_or_default();
        if taken != scaled {
            reason = format!("taken as {taken}, the nearest that librdkafka allows");
        }
        findings.row(&entry.written, Verdict::Used, reason);
        for name in names {
            self.set(name, &taken.to_string());
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        self.settings.insert(name.to_owned(), Secret::new(value.to_owned()));
    }

    /// Everything by librdkafka's names.
    pub(super) fn finish(mut self, findings: &mut Findings) -> BTreeMap<String, Secret> {
        let login = std::mem::take(&mut self.login);
        let (mut settings, mut problems) = (Vec::new(), Vec::new());
        let protocol = self.settings.get("security.protocol");
        let needed = protocol.is_some_and(|protocol| protocol.expose().starts_with("sasl"));
        jaas::log_in(&login, needed, &mut settings, &mut problems);
        tls::trust(&login, &mut settings, &mut problems);
        tls::identify(&login, &mut settings, &mut problems);
        findings.problems.append(&mut problems);
        self.settings.extend(settings);
        self.settings
    }
}

type Settings = Vec<(String, Secret)>;
type Problems = Vec<Problem>;

fn renamed(key: &str, name: &str) -> String {
    if key == name { String::new() } else { format!("librdkafka's `{name}`") }
}

const OTHER_LOGIN: &str = "outflow logs in by PLAIN or SCRAM";

/// Nobody's name: what it would have done is not known, so it is not passed over in silence.
fn unknown(entry: &Entry, findings: &mut Findings) {
    let others = ["sasl.oauthbearer.", "sasl.login.", "sasl.kerberos."];
    if others.iter().any(|prefix| entry.key.starts_with(prefix)) {
        return findings.row(&entry.written, Verdict::WithoutEffect, OTHER_LOGIN);
    }
    let names = TABLE.iter().map(|(name, _)| *name);
    let near = super::properties::nearest_of(names, &entry.key, 3);
    let near = near.map(|name| entry.written.replace(&entry.key, name));
    if is_secret_name(&entry.key) || entry.key.starts_with("sasl.") || entry.key.starts_with("ssl.")
    {
        findings.row(&entry.written, Verdict::Refused, "unknown setting of the login");
        let cure = near.map_or("remove it".to_owned(), |name| format!("did you mean `{name}`?"));
        let reason = "outflow does not know this setting of the login to Kafka";
        return findings.problem(entry.refused(reason, cure));
    }
    findings.unknown(&entry.written, near.as_deref());
}

/// Whether `text` is a list of `host:port`.
pub(super) fn check_brokers(text: &str) -> Result<(), String> {
    let mut brokers = items(text).peekable();
    if brokers.peek().is_none() {
        return Err("names no broker".to_owned());
    }
    for broker in brokers {
        let address = broker.rsplit_once("://").map_or(broker, |(_, address)| address);
        let port = address.rsplit_once(':').map(|(host, port)| (host, port.parse::<u16>()));
        match port {
            Some((host, Ok(port))) if port > 0 && !host.is_empty() => {}
            _ => return Err(format!("has {broker:?}, which is not host:port")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
