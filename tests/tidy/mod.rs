//! What can be seen of the style by reading the sources.

use std::path::{Path, PathBuf};

/// Rooms without input, output, clock or `async`.
const PURE: [&str; 5] = ["offset", "connect", "decode", "route", "convert"];
/// What a pure room never names.
const IMPURE: [&str; 9] = [
    "tokio",
    "std::fs",
    "std::net",
    "SystemTime",
    "Instant",
    "async ",
    ".await",
    "std::env",
    "std::thread",
];
/// A file past this many lines, tests aside, has a second concept in it.
const LINES_MAX: usize = 600;
/// Names that say nothing about what is inside.
const VAGUE: [&str; 4] = ["utils", "common", "types", "helpers"];

struct Source {
    path: PathBuf,
    text: String,
}

/// The Rust files below a folder of the package.
fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut found) = (vec![root.join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push(Source { path: path.strip_prefix(root).unwrap().to_owned(), text });
            }
        }
    }
    assert!(!found.is_empty(), "no Rust file below {folder}");
    found
}

impl Source {
    /// The lines above the unit tests, comments aside.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = |line: &&str| line.trim_start().starts_with("#[cfg(test)]");
        let end = self.text.lines().position(|line| tests(&line)).unwrap_or(usize::MAX);
        let lines = self.text.lines().enumerate().take(end);
        lines
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
            .map(|(at, line)| (at + 1, line))
    }

    fn room(&self) -> String {
        let mut parts = self.path.iter().skip(1);
        let room = parts.next().unwrap().to_string_lossy();
        room.trim_end_matches(".rs").to_owned()
    }
}

#[track_caller]
fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn pure_rooms_do_nothing_but_compute() {
    let mut found = Vec::new();
    for source in sources("src").iter().filter(|source| PURE.contains(&source.room().as_str())) {
        for (at, line) in source.code() {
            for name in IMPURE.iter().filter(|name| line.contains(**name)) {
                found.push(format!("{}:{at} names {name}", source.path.display()));
            }
        }
    }
    assert_none("pure rooms", &found);
}

#[test]
fn only_the_runtime_knows_all_rooms() {
    // A room may name its left neighbours' output, never what stands to its right; but what `source` asks the
    // server about a table is given as `decode` keeps it.
    let order = ["config", "source", "decode", "route", "convert", "sink", "runtime"];
    let mut found = Vec::new();
    for source in sources("src") {
        let Some(place) = order.iter().position(|room| *room == source.room()) else { continue };
        for (at, line) in source.code() {
            for right in &order[place + 1..] {
                let allowed = (order[place], *right) == ("source", "decode");
                if !allowed && line.contains(&format!("crate::{right}")) {
                    found.push(format!("{}:{at} names {right}", source.path.display()));
                }
            }
        }
    }
    assert_none("wrong direction", &found);
}

#[test]
fn files_hold_one_concept() {
    let mut found = Vec::new();
    for source in sources("src").into_iter().chain(sources("tests")) {
        let lines = source.code().last().map_or(0, |(at, _)| at);
        let name = source.path.file_stem().unwrap().to_string_lossy().into_owned();
        if lines > LINES_MAX {
            found.push(format!("{}: {lines} lines", source.path.display()));
        }
        if VAGUE.contains(&name.as_str()) || VAGUE.contains(&source.room().as_str()) {
            found.push(format!("{}: says nothing by its name", source.path.display()));
        }
    }
    assert_none("files", &found);
}

#[test]
fn no_test_is_left_out() {
    let ignore = ["#[", "ignore"].concat();
    let mut found = Vec::new();
    for source in sources("src").into_iter().chain(sources("tests")) {
        for (at, line) in source.text.lines().enumerate().filter(|(_, line)| line.contains(&ignore))
        {
            found.push(format!("{}:{} {}", source.path.display(), at + 1, line.trim()));
        }
    }
    assert_none("ignored tests", &found);
}

#[test]
fn the_readme_lists_every_property_of_our_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let mut count = 0;
    for (name, default, meaning) in outflow::config::own_properties() {
        let row = format!("| `{name}` | `{default}` | {meaning} |");
        assert!(readme.contains(&row), "README.md lacks the row\n{row}");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn every_test_that_the_table_of_failures_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(root.join("tests/FAILURES.md")).unwrap();
    let code: Vec<String> =
        sources("src").into_iter().chain(sources("tests")).map(|source| source.text).collect();
    let names = table.split('`').skip(1).step_by(2);
    let names = names.filter(|name| name.contains('_') && !name.contains('='));
    let missing: Vec<String> = names
        .filter(|name| !code.iter().any(|text| text.contains(&format!("fn {name}("))))
        .map(str::to_owned)
        .collect();
    assert_none("no such tests", &missing);
    let cases = table.split("case ").skip(1).flat_map(|rest| {
        rest.split(['|', ';']).next().unwrap_or_default().split(',').map(str::trim)
    });
    let cases = cases.filter(|case| case.split_whitespace().count() == 1);
    let missing: Vec<String> = cases
        .filter(|case| !case.contains('…') && !root.join("tests/parity").join(case).is_dir())
        .map(str::to_owned)
        .collect();
    assert_none("no such cases", &missing);
}

#[test]
fn every_metric_is_set_somewhere_and_every_one_in_the_readme_is_there() {
    let (metrics, others): (Vec<Source>, Vec<Source>) =
        sources("src").into_iter().partition(|source| source.path == Path::new("src/metrics.rs"));
    let fields = metrics[0].code().filter_map(|(_, line)| {
        let (field, kind) = line.trim().strip_prefix("pub ")?.split_once(": ")?;
        let kind = kind.strip_suffix(',')?;
        ["IntCounter", "IntGauge", "Gauge", "Histogram"].contains(&kind).then_some(field)
    });
    let fields: Vec<&str> = fields.collect();
    assert!(fields.len() > 10, "{fields:?}");
    let set = |field: &str| {
        ["inc", "inc_by", "set", "observe"].iter().any(|verb| {
            let call = format!(".{field}.{verb}(");
            others.iter().any(|source| source.code().any(|(_, line)| line.contains(&call)))
        })
    };
    // `relayed` observes this one.
    let unset: Vec<String> = fields
        .iter()
        .filter(|field| **field != "latency" && !set(field))
        .map(|field| (*field).to_owned())
        .collect();
    assert_none("metrics that nothing sets", &unset);

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let named = readme.split('`').skip(1).step_by(2);
    let named = named.filter(|name| name.starts_with("outflow_") || name.starts_with("outbox_"));
    let missing: Vec<String> = named
        .filter(|name| !metrics[0].text.contains(&format!("\"{name}\"")))
        .map(str::to_owned)
        .collect();
    assert_none("no such metrics", &missing);
}
