//! The command line: what it refuses, in which words and with which exit code, and what its options do.

mod doctor;
mod offsets;
mod refusals;
mod secrets;
mod sinks;

use std::time::Duration;

use crate::support::{Outbox, Outflow, Scratch, until};

/// Until a program that should end has ended.
const ENDED_MAX: Duration = Duration::from_secs(40);

/// Runs outflow to its end: exit code, standard output, standard error.
pub(crate) fn run(arguments: &[&str]) -> (i32, String, String) {
    let scratch = Scratch::new("cli");
    let mut outflow = Outflow::start(&scratch.path(""), arguments);
    (outflow.ended(ENDED_MAX), outflow.output(), outflow.log())
}

#[test]
fn version_and_help_say_what_it_is() {
    let (code, output, _) = run(&["version"]);
    assert_eq!((code, output.trim()), (0, concat!("outflow ", env!("CARGO_PKG_VERSION"))));
    let (code, output, _) = run(&["run", "--help"]);
    assert_eq!(code, 0);
    for option in ["--data-dir", "--listen", "--bootstrap-servers", "--set", "--until-caught-up"] {
        assert!(output.contains(option), "{option} is not in:\n{output}");
    }
    assert_eq!(run(&["run"]).0, 2, "a file is missing");
    assert_eq!(run(&["walk"]).0, 2, "no such command");
}

#[test]
fn validate_tells_used_ignored_and_unknown_properties_apart() {
    let outbox = Outbox::new("validate").with("table.include.lits", "a.b").with("tasks.max", "1");
    let file = outbox.file();
    let file = file.to_str().unwrap();
    let (code, output, errors) = run(&["validate", file]);
    assert_eq!(code, 0, "{errors}");
    let line = |key: &str| {
        let found = output.lines().find(|line| line.split_whitespace().next() == Some(key));
        found.unwrap_or_else(|| panic!("no line for {key} in:\n{output}"))
    };
    assert!(line("table.include.list").contains("used"));
    assert!(line("tasks.max").contains("without effect"));
    let unknown = line("table.include.lits");
    assert!(unknown.contains("unknown") && unknown.contains("table.include.list"), "{unknown}");
    let (code, _, errors) = run(&["validate", "--strict", file]);
    assert_eq!(code, 2);
    assert!(
        errors.contains("table.include.lits") && errors.contains("table.include.list"),
        "{errors}"
    );
}

#[test]
fn several_files_run_in_one_process() {
    let (one, two) = (Outbox::new("several-one"), Outbox::new("several-two"));
    let second = two.file();
    let servers = ["--bootstrap-servers", &one.broker.bootstrap_servers];
    let outflow = one.start_with(&[second.to_str().unwrap(), servers[0], servers[1]]).ready();
    for outbox in [&one, &two] {
        outbox.sql().run(&Outbox::insert(1..51, 5));
    }
    for outbox in [&one, &two] {
        let mut followed = outbox.follow();
        followed.until(50, ENDED_MAX);
        let sample = format!("outbox_events_published_total{{connector=\"{}\"}}", outbox.schema);
        until("the count of acknowledged records", ENDED_MAX, || outflow.metric(&sample) >= 50.0);
    }
    assert_eq!(outflow.stop(), 0);
    for outbox in [&one, &two] {
        outbox.follow().compare_once(&mut outbox.sql());
    }
}

#[test]
fn a_closed_terminal_ends_it_as_a_stop_does() {
    let outbox = Outbox::new("hangup");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let mut outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..51, 5));
    followed.until(50, ENDED_MAX);
    outflow.signal("HUP");
    assert_eq!(outflow.ended(ENDED_MAX), 0);
    sql.run(&Outbox::insert(51..61, 5));
    outbox.catch_up();
    followed.compare_once(&mut sql);
}
