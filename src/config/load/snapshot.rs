//! `snapshot.mode` and which rows a snapshot reads.

use std::collections::BTreeMap;

use super::{Entry, Findings, Section, below, java_trim};
use crate::config::report::Verdict;
use crate::config::{Problem, SnapshotMode};

const DATA: &str = "snapshot.mode.configuration.based.snapshot.data";
const STREAM: &str = "snapshot.mode.configuration.based.start.stream";
const ON_ERROR: &str = "snapshot.mode.configuration.based.snapshot.on.data.error";

/// The mode; one of its own making is mapped to the mode that does the same.
pub(super) fn mode(section: &Section, findings: &mut Findings) -> SnapshotMode {
    let of_flags = section
        .entry("snapshot.mode")
        .filter(|entry| java_trim(&entry.value).eq_ignore_ascii_case("configuration_based"));
    let Some(entry) = of_flags else {
        for flag in [DATA, STREAM, ON_ERROR].iter().filter_map(|name| section.entry(name)) {
            findings.amend(&flag.written, Verdict::WithoutEffect, "`snapshot.mode` is another");
        }
        return section.word("snapshot.mode");
    };
    let is = |name| section.boolean(name);
    let (mode, means) = match (is(DATA), is(STREAM), is(ON_ERROR)) {
        // A snapshot of rows at each start mends a lost position too.
        (true, true, _) => (SnapshotMode::Always, "always"),
        (false, true, false) => (SnapshotMode::NoData, "no_data"),
        (true, false, _) => (SnapshotMode::InitialOnly, "initial_only"),
        (false, true, true) => {
            findings.problem(entry.refused(
                "outflow has no mode that reads rows only where the stored position is lost",
                format!("set `{DATA}` too, or write `when_needed`"),
            ));
            return SnapshotMode::default();
        }
        (false, false, _) => {
            findings.problem(entry.refused(
                "with these flags nothing is published",
                format!("set `{DATA}` or `{STREAM}`"),
            ));
            return SnapshotMode::default();
        }
    };
    findings.notice(format!("`snapshot.mode=configuration_based` with these flags is `{means}`"));
    mode
}

/// `snapshot.select.statement.overrides`: the query of each table in the list.
pub(super) fn selects(
    section: &Section,
    entries: &[Entry],
    findings: &mut Findings,
) -> BTreeMap<String, String> {
    let property = "snapshot.select.statement.overrides";
    let options = below(entries, &format!("{property}."));
    let tables = section.list(property);
    let mut selects = BTreeMap::new();
    for option in &options {
        if tables.contains(&option.key) {
            findings.row(&option.written, Verdict::Used, "");
            let query = option.value.trim().trim_end_matches(';').to_owned();
            selects.insert(option.key.clone(), query);
        } else {
            let reason = format!("`{property}` does not name this table");
            findings.row(&option.written, Verdict::WithoutEffect, reason);
        }
    }
    for table in tables.iter().filter(|table| !selects.contains_key(*table)) {
        findings.problem(Problem::Missing {
            property: format!("{property}.{table}"),
            cure: format!("`{property}` names the table: write its query"),
        });
    }
    selects
}
