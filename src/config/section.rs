//! One part of a file, such as the connector's own properties or one transform's options, with typed access.

use std::collections::BTreeMap;
use std::time::Duration;

use super::properties::{Effect, Fault, Kind, Known, Property, Table, Words, boolean, java_trim};
use super::report::{Findings, Verdict};
use super::secret::is_secret_name;
use super::{Problem, RegexList, Secret, Shown};

/// A key with its value, references resolved.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The key within its section.
    pub(super) key: String,
    /// The key as its file has it.
    pub(super) written: String,
    pub(super) value: String,
    /// The value came from a reference, or the name says that it is secret.
    pub(super) secret: bool,
    /// A reference in it leads nowhere, which is a problem of its own.
    pub(super) unresolved: bool,
}

impl Entry {
    pub(super) fn new(key: &str, written: &str, value: String, referred: bool) -> Self {
        let secret = referred || is_secret_name(key);
        let (key, written) = (key.to_owned(), written.to_owned());
        Self { key, written, value, secret, unresolved: false }
    }

    /// A reason that quotes the value; what may be said of it where the value is secret.
    pub(super) fn quoting(&self, reason: String) -> String {
        if self.secret { "has a part that does not fit".to_owned() } else { reason }
    }

    /// The value as a message may show it.
    pub(super) fn shown(&self) -> Shown {
        if self.secret { Shown::hidden() } else { Shown::open(&self.value) }
    }

    pub(super) fn invalid(&self, reason: impl Into<String>, cure: impl Into<String>) -> Problem {
        Problem::Invalid {
            property: self.written.clone(),
            value: self.shown(),
            reason: reason.into(),
            cure: cure.into(),
        }
    }

    pub(super) fn refused(&self, reason: impl Into<String>, cure: impl Into<String>) -> Problem {
        Problem::Refused {
            property: self.written.clone(),
            value: self.shown(),
            reason: reason.into(),
            cure: cure.into(),
        }
    }
}

/// The entries below `prefix`, which their keys lose.
pub(super) fn below(entries: &[Entry], prefix: &str) -> Vec<Entry> {
    let stripped = |entry: &Entry| {
        let key = entry.key.strip_prefix(prefix)?.to_owned();
        Some(Entry { key, ..entry.clone() })
    };
    entries.iter().filter_map(stripped).collect()
}

/// The items of a comma-separated list, trimmed, the empty ones left out.
pub(super) fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(java_trim).filter(|item| !item.is_empty())
}

/// The entries of one table, checked; what is wrong or without effect is already noted.
pub(super) struct Section {
    prefix: String,
    table: Table,
    entries: BTreeMap<&'static str, Entry>,
}

impl Section {
    /// Sorts `entries`, whose keys have lost `prefix`, by `table`.
    pub(super) fn new(
        prefix: &str,
        table: Table,
        entries: Vec<Entry>,
        findings: &mut Findings,
    ) -> Self {
        let mut section = Self { prefix: prefix.to_owned(), table, entries: BTreeMap::new() };
        let is_named = |name: &str| entries.iter().any(|entry| entry.key == name);
        let mut aliases = Vec::new();
        for entry in &entries {
            match table.find(&entry.key) {
                Some(Known::Alias(property)) if is_named(property.name) => {
                    let reason = format!("`{prefix}{}` is set too and wins", property.name);
                    findings.row(&entry.written, Verdict::WithoutEffect, reason);
                }
                Some(Known::Alias(property)) => aliases.push((property, entry)),
                Some(Known::Family(property)) if !matches!(property.effect, Effect::Elsewhere) => {
                    match table.within(&entry.key, FAMILY_SLIPS_MAX) {
                        Some(near) => section.unknown(entry, near, findings),
                        None => section.take(property, entry.clone(), "", findings),
                    }
                }
                Some(Known::Name(property) | Known::Family(property)) => {
                    section.take(property, entry.clone(), "", findings);
                }
                None => {
                    let nearest = table.nearest(&entry.key).map(|name| format!("{prefix}{name}"));
                    findings.unknown(&entry.written, nearest.as_deref());
                }
            }
        }
        section.take_aliases(aliases, findings);
        section
    }

    fn unknown(&self, entry: &Entry, near: &str, findings: &mut Findings) {
        findings.unknown(&entry.written, Some(&format!("{}{near}", self.prefix)));
    }

    /// Of two old names the one that the table names first, the younger, wins.
    fn take_aliases(
        &mut self,
        mut aliases: Vec<(&'static Property, &Entry)>,
        findings: &mut Findings,
    ) {
        aliases.sort_by_key(|(property, entry)| {
            property.aliases.iter().position(|alias| *alias == entry.key)
        });
        for (property, entry) in aliases {
            if self.entries.contains_key(property.name) {
                let reason = "another old name of the same property wins";
                findings.row(&entry.written, Verdict::WithoutEffect, reason);
            } else {
                let note = format!("old name of `{}{}`", self.prefix, property.name);
                self.take(property, entry.clone(), &note, findings);
            }
        }
    }

    fn take(
        &mut self,
        property: &'static Property,
        mut entry: Entry,
        note: &str,
        findings: &mut Findings,
    ) {
        entry.secret |= matches!(property.kind, Kind::Secret);
        let fault = property.check(&entry.value).err().filter(|_| !entry.unresolved);
        match (&fault, &property.effect) {
            (_, Effect::Elsewhere) => return,
            (Some(Fault { refused: true, reason, .. }), _) => {
                findings.row(&entry.written, Verdict::Refused, reason.clone());
            }
            (_, Effect::Used) => findings.row(&entry.written, Verdict::Used, note),
            (_, Effect::Ignored(reason)) => {
                let note = if note.is_empty() { String::new() } else { format!("{note}; ") };
                findings.row(&entry.written, Verdict::WithoutEffect, format!("{note}{reason}"));
            }
            (_, Effect::Refused { .. }) => {
                findings.row(&entry.written, Verdict::WithoutEffect, "it is what outflow does");
            }
        }
        match fault {
            Some(Fault { refused: true, reason, cure }) => {
                findings.problem(entry.refused(reason, cure));
            }
            Some(Fault { reason, cure, .. }) => {
                let quotes = matches!(property.kind, Kind::Regex | Kind::RegexList);
                let reason = if quotes { entry.quoting(reason) } else { reason };
                findings.problem(entry.invalid(reason, cure));
            }
            None if property.name.ends_with('*') || entry.unresolved => {}
            None => {
                self.entries.insert(property.name, entry);
            }
        }
    }

    /// The entry of this property, if its file has it and its value can stand.
    pub(super) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(self.table.named(name).name)
    }

    /// The name that the file gave this property, else its own.
    pub(super) fn written(&self, name: &str) -> String {
        self.entry(name).map_or_else(|| format!("{}{name}", self.prefix), |e| e.written.clone())
    }

    /// The value, else the default.
    fn value(&self, name: &str) -> Option<&str> {
        let property = self.table.named(name);
        self.entries.get(property.name).map(|entry| entry.value.as_str()).or(property.default)
    }

    /// The text as it is; `None` where it is not set and has no default.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.value(name).map(str::to_owned)
    }

    /// The text, trimmed; `None` where that leaves nothing.
    pub(super) fn trimmed(&self, name: &str) -> Option<String> {
        self.value(name).map(java_trim).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    pub(super) fn secret(&self, name: &str) -> Option<Secret> {
        self.text(name).map(Secret::new)
    }

    pub(super) fn boolean(&self, name: &str) -> bool {
        self.value(name).and_then(boolean).unwrap_or_default()
    }

    pub(super) fn integer<T: TryFrom<i64> + Default>(&self, name: &str) -> T {
        let number = self.value(name).and_then(|text| java_trim(text).parse::<i64>().ok());
        number.and_then(|number| T::try_from(number).ok()).unwrap_or_default()
    }

    pub(super) fn millis(&self, name: &str) -> Duration {
        Duration::from_millis(self.integer(name))
    }

    pub(super) fn word<T: Words + Default>(&self, name: &str) -> T {
        self.value(name).and_then(T::of).unwrap_or_default()
    }

    /// `None` where the list is not set or blank.
    pub(super) fn patterns(&self, name: &str) -> Option<RegexList> {
        RegexList::parse(&self.trimmed(name)?).ok()
    }

    pub(super) fn list(&self, name: &str) -> Vec<String> {
        items(self.value(name).unwrap_or_default()).map(str::to_owned).collect()
    }
}

/// A family such as `database.*` takes anything; a key that misses a known name by so little was meant to be it.
const FAMILY_SLIPS_MAX: usize = 2;
