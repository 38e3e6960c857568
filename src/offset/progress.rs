use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Debezium's word for a snapshot that has not ended.
const IN_PROGRESS: &str = "INITIAL";

/// How far a snapshot has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotProgress {
    /// The tables whose rows are all published, as `database.table`.
    pub done: Vec<String>,
    /// The one that is being read.
    pub table: Option<TableProgress>,
    /// Rows that were published from the log and are not in the snapshot any more, by a number that stands for each:
    /// the log is about to say that they are deleted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub gone: BTreeSet<u64>,
}

/// How far the table is read that a snapshot is at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableProgress {
    /// `database.table`.
    pub name: String,
    /// What the primary key was made of, by which its rows are ordered; empty where they have no order to rely on.
    pub order: String,
    /// The key of the last published row; empty before the first one.
    pub key: Vec<String>,
}

impl SnapshotProgress {
    /// What an offset says of its snapshot, and Debezium understands.
    #[must_use]
    pub fn word() -> String {
        IN_PROGRESS.to_owned()
    }
}
