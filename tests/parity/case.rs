use std::path::{Path, PathBuf};

use super::event::Event;

/// When the first recording was made, as milliseconds since the epoch: a later record timestamp in a recording
/// is the time of processing, since no case's input has a later event time.
const FIRST_RECORDING_MS: i64 = 1_795_900_000_000;

/// A recorded case.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) connector: PathBuf,
    pub(super) before: String,
    pub(super) input: String,
    pub(super) expected: Vec<Event>,
    pub(super) ending: Ending,
    /// A column gives the record's timestamp.
    pub(super) has_event_time: bool,
    /// Each start publishes all rows again.
    pub(super) reads_all_again: bool,
    /// A column gives the partition.
    pub(super) has_placed_partition: bool,
}

/// How outflow's run ends.
#[derive(Debug)]
pub(super) enum Ending {
    /// By SIGTERM, when all is published.
    Asked,
    /// By itself, before it reads the log.
    Refused(Stop),
    /// By itself, with nothing left to do.
    Ended(Stop),
    /// By itself, at a row.
    Stopped(Stop),
}

/// What the end is to look like.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) exit_code: i32,
    /// Parts of the message.
    pub(super) words: Vec<String>,
}

impl Case {
    /// All cases, by name.
    pub(super) fn all(folder: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        folders.sort();
        folders.iter().map(|folder| Self::load(folder)).collect()
    }

    /// A wrong case is a failed test.
    fn load(folder: &Path) -> Self {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let text = |file: &str| {
            let path = folder.join(file);
            std::fs::read_to_string(&path).unwrap_or_else(|err| panic!("{}: {err}", path.display()))
        };
        let optional = |file: &str| folder.join(file).exists().then(|| text(file));
        let connector = text("connector.json");
        let own = optional("expected-outflow.jsonl");
        let ending =
            optional("expected-stop.txt").map_or(Ending::Asked, |stop| Ending::parse(&stop));
        let failed = optional("expected-failure.txt").is_some();
        assert!(
            !failed || own.is_some() || !matches!(ending, Ending::Asked),
            "{name}: Debezium fails, and neither expected-outflow.jsonl nor expected-stop.txt says what outflow does"
        );
        let expected = own.unwrap_or_else(|| text("expected.jsonl"));
        let expected: Vec<Event> =
            expected.lines().map(|line| Event::parse(line, FIRST_RECORDING_MS)).collect();
        assert!(
            !expected.is_empty() || !matches!(ending, Ending::Asked),
            "{name}: nothing is expected, so a replay would prove nothing"
        );
        Self {
            connector: folder.join("connector.json"),
            before: text("before.sql"),
            input: text("input.sql"),
            expected,
            ending,
            has_event_time: connector.contains(r#".table.field.event.timestamp""#),
            reads_all_again: [r#""snapshot.mode": "always""#, r#"based.snapshot.data": "true""#]
                .iter()
                .any(|part| connector.contains(part)),
            has_placed_partition: connector.contains(":partition"),
            name,
        }
    }

    /// Whether a comma list of parts of names picks it; an empty list picks all.
    pub(super) fn is_chosen(&self, wanted: &str) -> bool {
        wanted.is_empty() || wanted.split(',').any(|part| self.name.contains(part.trim()))
    }

    /// The databases that before.sql makes.
    pub(super) fn databases(&self) -> impl Iterator<Item = &str> {
        let statements = self.before.split(';').map(str::trim);
        let names = statements.filter_map(|statement| statement.strip_prefix("CREATE DATABASE "));
        names.map(|name| name.split_whitespace().next().expect("a name"))
    }
}

impl Ending {
    /// First line: `refused`, `ended` or `stopped`, and the exit code. Each further line: words of the message.
    fn parse(text: &str) -> Self {
        let (first, words) =
            text.split_once('\n').expect("a line for the exit code and one for words");
        let words: Vec<String> = words.lines().map(str::to_owned).collect();
        assert!(!words.is_empty(), "expected-stop.txt without words");
        let (kind, exit_code) = first.split_once(' ').expect("kind and exit code");
        let stop = Stop { exit_code: exit_code.parse().unwrap(), words };
        match kind {
            "refused" => Self::Refused(stop),
            "ended" => Self::Ended(stop),
            "stopped" => Self::Stopped(stop),
            other => panic!("expected-stop.txt begins with {other:?}"),
        }
    }
}
