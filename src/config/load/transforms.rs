//! `transforms` and `predicates`: the EventRouter and what stands around it.

use std::collections::BTreeMap;

use super::{Entry, Findings, Section, below, items, java_trim, router};
use crate::config::properties::{ROUTER, boolean};
use crate::config::report::Verdict;
use crate::config::{
    PredicateConfig, PredicateStep, Problem, RouterConfig, TransformConfig, TransformError,
    TransformStep, TransformsConfig,
};

const CLASS: &str = "io.debezium.transforms.outbox.EventRouter";

/// The router's options and the chain around it; `None` where a problem stands for them.
pub(super) fn transforms(
    entries: &[Entry],
    connector: &Section,
    findings: &mut Findings,
) -> Option<(RouterConfig, TransformsConfig)> {
    let aliases = aliases(entries, "transforms", findings);
    if let Some(entry) = find(entries, "transforms") {
        findings.row(&entry.written, Verdict::Used, "");
    }
    let mut chain = Chain {
        entries,
        predicates: Predicates::new(entries, findings),
        config: TransformsConfig::default(),
    };
    let mut router: Option<&str> = None;
    for alias in &aliases {
        if !is_router(entries, alias) {
            chain.add(alias, router.is_some(), findings);
        } else if let Some(first) = router {
            findings.problem(Problem::Conflict {
                property: format!("transforms.{alias}.type"),
                other: format!("transforms.{first}.type"),
                reason: "are both EventRouters".to_owned(),
                cure: "keep one".to_owned(),
            });
        } else {
            router = Some(alias);
        }
    }
    leftovers(entries, &aliases, findings);
    let config = match router {
        Some(alias) => {
            let prefix = format!("transforms.{alias}.");
            let options = Section::new(&prefix, ROUTER, below(entries, &prefix), findings);
            chain.config.router = chain.predicate(alias, findings);
            router::options_of(&options, connector, findings)
        }
        None => {
            missing(findings);
            None
        }
    };
    if chain.config.router.is_some() {
        refuse_for_raw_records(connector, findings);
    }
    chain.predicates.report(entries, findings);
    Some((config?, chain.config))
}

/// What has no effect on the router's records would change those that pass it.
fn refuse_for_raw_records(connector: &Section, findings: &mut Findings) {
    for (property, harmless) in [
        ("message.key.columns", ""),
        ("include.query", "false"),
        ("skip.messages.without.change", "false"),
    ] {
        let Some(entry) = connector.entry(property) else { continue };
        let value = java_trim(&entry.value);
        if !value.is_empty() && !value.eq_ignore_ascii_case(harmless) {
            let reason = "records that pass the router by its predicate would be others";
            findings.amend(&entry.written, Verdict::Refused, reason);
            findings.problem(entry.refused(reason, "remove it, or the router's predicate"));
        }
    }
}

fn find<'e>(entries: &'e [Entry], key: &str) -> Option<&'e Entry> {
    entries.iter().find(|entry| entry.key == key)
}

/// The names in a list, each once.
fn aliases<'e>(entries: &'e [Entry], property: &str, findings: &mut Findings) -> Vec<&'e str> {
    let Some(entry) = find(entries, property) else { return Vec::new() };
    let mut aliases = Vec::new();
    for alias in items(&entry.value) {
        if aliases.contains(&alias) {
            let reason = format!("names `{alias}` twice");
            findings.problem(entry.invalid(reason, "give each its own name, and name it once"));
        } else {
            aliases.push(alias);
        }
    }
    aliases
}

fn is_router(entries: &[Entry], alias: &str) -> bool {
    find(entries, &format!("transforms.{alias}.type"))
        .is_some_and(|entry| [CLASS, "EventRouter"].contains(&java_trim(&entry.value)))
}

/// There is no router, unless another problem with the transforms explains that.
fn missing(findings: &mut Findings) {
    let is_about_transforms =
        |problem: &Problem| problem.property().is_some_and(|p| p.starts_with("transforms"));
    if !findings.problems.iter().any(is_about_transforms) {
        findings.problem(Problem::Missing {
            property: "transforms".to_owned(),
            cure: format!("write `transforms=outbox` and `transforms.outbox.type={CLASS}`"),
        });
    }
}

/// Options of transforms that `transforms` does not name.
fn leftovers(entries: &[Entry], aliases: &[&str], findings: &mut Findings) {
    let is_used = |key: &str| aliases.iter().any(|alias| key.starts_with(&format!("{alias}.")));
    for entry in entries {
        if entry.key.strip_prefix("transforms.").is_some_and(|rest| !is_used(rest)) {
            let reason = "`transforms` does not name this transform";
            findings.row(&entry.written, Verdict::WithoutEffect, reason);
        }
    }
}

struct Chain<'e> {
    entries: &'e [Entry],
    predicates: Predicates<'e>,
    config: TransformsConfig,
}

impl Chain<'_> {
    /// A transform other than the router, before or behind it.
    fn add(&mut self, alias: &str, is_behind: bool, findings: &mut Findings) {
        let prefix = format!("transforms.{alias}.");
        let Some(class) = find(self.entries, &format!("{prefix}type")) else {
            let cure = format!("`transforms` names `{alias}`: name its class, such as {CLASS}");
            let property = format!("{prefix}type");
            return findings.problem(Problem::Missing { property, cure });
        };
        let options = below(self.entries, &prefix);
        let parsed = TransformConfig::parse(java_trim(&class.value), &values(&options));
        let reason = match &parsed {
            Err(TransformError::Class(_)) => Some((
                "outflow does not have this transform, and records would be published without it",
                format!("remove it; supported: {CLASS}, {}", TransformConfig::SUPPORTED),
            )),
            Ok(TransformConfig::Filter) => None,
            Ok(_) if !is_behind => Some((
                "before the EventRouter it would work on Debezium's change envelopes, which outflow does not \
                 build for rows that the router takes",
                "move it behind the EventRouter; only `Filter` may stand before it".to_owned(),
            )),
            _ => None,
        };
        if let Some((reason, cure)) = reason {
            for option in &options {
                findings.row(&option.written, Verdict::Refused, "option of a refused transform");
            }
            return findings.problem(class.refused(reason, cure));
        }
        report(&options, TransformConfig::properties(java_trim(&class.value)), findings);
        let predicate = self.predicate(alias, findings);
        let transform = match parsed {
            Ok(transform) => transform,
            Err(err) => return malformed(&prefix, &options, err, findings),
        };
        match (is_behind, predicate) {
            (true, predicate) => {
                let alias = alias.to_owned();
                self.config.behind.push(TransformStep { alias, transform, predicate });
            }
            (false, Some(predicate)) => self.config.before.push(predicate),
            // A predicate that cannot stand has its problem already.
            (false, None) if findings.blame(&format!("{prefix}predicate")) => {}
            (false, None) => findings.problem(class.refused(
                "without a predicate it drops every row before the EventRouter",
                format!("name its predicate in `{prefix}predicate`"),
            )),
        }
    }

    /// `predicate` and `negate` of a transform.
    fn predicate(&mut self, alias: &str, findings: &mut Findings) -> Option<PredicateStep> {
        let option = |name: &str| find(self.entries, &format!("transforms.{alias}.{name}"));
        let negate = option("negate").map(|entry| (entry, boolean(&entry.value)));
        let predicate = option("predicate").filter(|entry| !java_trim(&entry.value).is_empty())?;
        let predicate = self.predicates.find(predicate, findings)?;
        match negate {
            Some((entry, None)) if !findings.blame(&entry.written) => {
                findings.problem(entry.invalid("is neither true nor false", "write true or false"));
                None
            }
            negate => {
                let negate = negate.and_then(|(_, negate)| negate).unwrap_or_default();
                Some(PredicateStep { predicate, negate })
            }
        }
    }
}

/// What `predicates` declares, and which of it is used.
struct Predicates<'e> {
    entries: &'e [Entry],
    aliases: Vec<&'e str>,
    used: BTreeMap<&'e str, Option<PredicateConfig>>,
}

impl<'e> Predicates<'e> {
    fn new(entries: &'e [Entry], findings: &mut Findings) -> Self {
        let aliases = aliases(entries, "predicates", findings);
        Self { entries, aliases, used: BTreeMap::new() }
    }

    /// The predicate that a transform's option names.
    fn find(&mut self, named: &Entry, findings: &mut Findings) -> Option<PredicateConfig> {
        let name = java_trim(&named.value);
        let Some(&alias) = self.aliases.iter().find(|alias| **alias == name) else {
            findings.problem(
                named.invalid("is not in the list `predicates`", "declare it there, or remove it"),
            );
            return None;
        };
        if !self.used.contains_key(alias) {
            let predicate = self.read(alias, findings);
            self.used.insert(alias, predicate);
        }
        self.used.get(alias).cloned().flatten()
    }

    fn read(&self, alias: &str, findings: &mut Findings) -> Option<PredicateConfig> {
        let prefix = format!("predicates.{alias}.");
        let options = below(self.entries, &prefix);
        let Some(class) = find(self.entries, &format!("{prefix}type")) else {
            let cure = format!("a transform uses `{alias}`: name its class");
            findings.problem(Problem::Missing { property: format!("{prefix}type"), cure });
            return None;
        };
        match PredicateConfig::parse(java_trim(&class.value), &values(&options)) {
            Ok(predicate) => {
                report(&options, predicate.properties(), findings);
                Some(predicate)
            }
            Err(TransformError::Class(_)) => {
                findings.problem(class.refused(
                    "outflow does not have this predicate, and a transform depends on it",
                    format!("use one of {}", PredicateConfig::SUPPORTED),
                ));
                None
            }
            Err(err) => {
                malformed(&prefix, &options, err, findings);
                None
            }
        }
    }

    /// What became of the keys that are not reported yet.
    fn report(&self, entries: &[Entry], findings: &mut Findings) {
        let is_used = |key: &str| {
            let mut aliases = self.used.keys();
            aliases.any(|alias| key.starts_with(&format!("predicates.{alias}.")))
        };
        for entry in entries.iter().filter(|entry| entry.key.starts_with("predicates")) {
            if entry.key == "predicates" && !self.used.is_empty() {
                findings.row(&entry.written, Verdict::Used, "");
            } else if !is_used(&entry.key) {
                let reason = "no transform uses this predicate";
                findings.row(&entry.written, Verdict::WithoutEffect, reason);
            }
        }
    }
}

fn values(options: &[Entry]) -> BTreeMap<String, String> {
    options.iter().map(|option| (option.key.clone(), option.value.clone())).collect()
}

/// One row an option; what a class does not know Connect passes over.
fn report(options: &[Entry], known: &[&str], findings: &mut Findings) {
    for option in options {
        let key = option.key.as_str();
        if known.contains(&key) || ["type", "predicate", "negate"].contains(&key) {
            findings.row(&option.written, Verdict::Used, "");
        } else {
            findings.unknown(&option.written, None);
        }
    }
}

fn malformed(prefix: &str, options: &[Entry], err: TransformError, findings: &mut Findings) {
    let TransformError::Property { property, reason } = err else { return };
    findings.problem(match find(options, property) {
        Some(entry) => {
            entry.invalid(entry.quoting(format!("cannot stand: {reason}")), "correct it")
        }
        None => Problem::Missing { property: format!("{prefix}{property}"), cure: reason },
    });
}
