use std::fmt;

use super::Problem;

/// What became of each key, and what a reader of the file should know besides.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One row a key, in the order of the files.
    pub rows: Vec<ReportRow>,
    /// What no key of the file says: defaults that differ from Debezium's, where the brokers come from.
    pub notices: Vec<String>,
}

/// What became of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRow {
    /// The key as its file has it.
    pub key: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Why; empty for a key that is simply used.
    pub reason: String,
}

impl fmt::Display for ReportRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.verdict)?;
        if self.reason.is_empty() { Ok(()) } else { write!(f, " ({})", self.reason) }
    }
}

/// What became of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is carried out.
    Used,
    /// It is known and has no effect here.
    WithoutEffect,
    /// It would change what is published and is not supported: the start fails.
    Refused,
    /// Nobody knows it.
    Unknown,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Used => "used",
            Self::WithoutEffect => "without effect",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        })
    }
}

impl Report {
    /// The keys that nobody knows.
    pub fn unknown(&self) -> impl Iterator<Item = &ReportRow> {
        self.rows.iter().filter(|row| row.verdict == Verdict::Unknown)
    }
}

/// What reading the configuration has found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) problems: Vec<Problem>,
    pub(super) report: Report,
    /// Unknown keys are problems.
    pub(super) strict: bool,
}

impl Findings {
    pub(super) fn row(&mut self, key: &str, verdict: Verdict, reason: impl Into<String>) {
        self.report.rows.push(ReportRow { key: key.to_owned(), verdict, reason: reason.into() });
    }

    /// Says of a key that is already reported what is known only now.
    pub(super) fn amend(&mut self, key: &str, verdict: Verdict, reason: &str) {
        for row in self.report.rows.iter_mut().filter(|row| row.key == key) {
            (row.verdict, row.reason) = (verdict, reason.to_owned());
        }
    }

    pub(super) fn unknown(&mut self, key: &str, nearest: Option<&str>) {
        let reason = match nearest {
            Some(name) => format!("did you mean `{name}`?"),
            None => "no property has a name like it".to_owned(),
        };
        self.row(key, Verdict::Unknown, reason);
        if self.strict {
            let nearest = nearest.map(str::to_owned);
            self.problems.push(Problem::Unknown { property: key.to_owned(), nearest });
        }
    }

    pub(super) fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Whether a problem names this property already.
    pub(super) fn blame(&self, property: &str) -> bool {
        self.problems.iter().any(|problem| problem.property() == Some(property))
    }

    pub(super) fn notice(&mut self, text: impl Into<String>) {
        self.report.notices.push(text.into());
    }
}
