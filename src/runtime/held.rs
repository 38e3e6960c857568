use std::collections::BTreeMap;

use tracing::warn;

use serde::{Deserialize, Serialize};

use super::hold::{Hold, Kept};
use crate::checkpoint::{PREPARED, SpillFolder, Store, StoreError};
use crate::convert::ProducerRecord;
use crate::offset::{BinlogPosition, Gtid, Offset};

/// What outcomes are stored under that the stored checkpoint may not have passed.
const ENDED: &str = "xa-ended:";

/// A record that waits for the outcome of its transaction.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeldRecord<'a> {
    topic: &'a str,
    partition: Option<i32>,
    key: Option<&'a [u8]>,
    value: Option<&'a [u8]>,
    #[serde(borrow)]
    headers: Vec<(&'a str, Option<&'a [u8]>)>,
    timestamp: Option<i64>,
}

impl<'a> HeldRecord<'a> {
    pub(super) fn of(record: &ProducerRecord<'a>) -> Self {
        Self {
            topic: record.topic,
            partition: record.partition,
            key: record.key,
            value: record.value,
            headers: record.headers.to_vec(),
            timestamp: record.timestamp,
        }
    }

    /// Writes it behind what `bytes` hold.
    pub(super) fn append_to(&self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        postcard::to_extend(self, bytes).ok()
    }

    /// Reads what [`Self::append_to`] wrote.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// Gives the record to `send`.
    pub(super) fn lend<T>(&self, send: impl FnOnce(&ProducerRecord<'_>) -> T) -> T {
        send(&ProducerRecord {
            topic: self.topic,
            partition: self.partition,
            key: self.key,
            value: self.value,
            headers: &self.headers,
            timestamp: self.timestamp,
        })
    }
}

/// XA transactions that were prepared and neither committed nor rolled back, by name. Their rows are in
/// the log before the outcome is known, so they are stored before the checkpoint passes the PREPARE, and
/// forgotten only once a stored checkpoint has passed the outcome.
pub(super) struct Prepared {
    folder: SpillFolder,
    /// Whether records are stored of them.
    names: BTreeMap<String, bool>,
    ended: Vec<Ended>,
    /// What earlier runs have stored may be lost.
    may_lack: bool,
}

/// A transaction whose outcome has come.
#[derive(Serialize, Deserialize)]
struct Ended {
    name: String,
    gtid: Option<String>,
    file: String,
    pos: u64,
    /// The file of its records, where it has one.
    records: Option<String>,
}

/// Where a prepared transaction's outcome is in the log.
pub(super) struct Outcome {
    pub(super) gtid: Option<Gtid>,
    pub(super) position: BinlogPosition,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.gtid {
            Some(gtid) => gtid.fmt(f),
            None => write!(f, "{}:{}", self.position.file, self.position.pos),
        }
    }
}

impl Ended {
    fn is_behind(&self, offset: &Offset) -> bool {
        let gtid = self.gtid.as_ref().and_then(|gtid| gtid.parse::<Gtid>().ok());
        match (gtid, &offset.gtids) {
            (Some(gtid), Some(gtids)) => gtids.contains(&gtid),
            _ => {
                let place = BinlogPosition { file: self.file.clone(), pos: self.pos };
                place.is_behind(&offset.position)
            }
        }
    }

    fn forget(&self, folder: &SpillFolder, store: &Store) -> Result<(), StoreError> {
        store.strike(&format!("{PREPARED}{}", self.name))?;
        store.strike(&format!("{ENDED}{}", self.name))?;
        self.records.iter().for_each(|file| folder.remove(file));
        Ok(())
    }
}

impl Prepared {
    /// Reads what earlier runs have stored, for a start at `offset`.
    pub(super) fn load(store: &Store, offset: &Offset) -> Result<Self, StoreError> {
        let may_lack = store.may_lack_facts()?;
        let folder = store.spills();
        for (name, bytes) in store.facts(ENDED)? {
            let ended: Ended = postcard::from_bytes(&bytes).map_err(|_| malformed(&name))?;
            // One that is not behind comes again.
            if ended.is_behind(offset) {
                ended.forget(&folder, store)?;
            }
        }
        let (mut names, mut files) = (BTreeMap::new(), Vec::new());
        for (name, bytes) in store.facts(PREPARED)? {
            let kept: Kept = postcard::from_bytes(&bytes).map_err(|_| malformed(&name))?;
            names.insert(name, !kept.is_empty());
            if let Kept::File(file, _) = kept {
                files.push(file);
            }
        }
        folder.remove_all_but(&files);
        Ok(Self { folder, names, ended: Vec::new(), may_lack })
    }

    /// Keeps a prepared transaction's records; durable once this returns.
    pub(super) fn prepare(
        &mut self,
        name: String,
        held: Option<Hold>,
        store: &Store,
    ) -> Result<(), StoreError> {
        let kept = held.map_or_else(|| Ok(Kept::Memory(Vec::new())), Hold::keep)?;
        let bytes = postcard::to_stdvec(&kept).map_err(|_| malformed(&name))?;
        let fact = format!("{PREPARED}{name}");
        if kept.is_empty() {
            store.note(&fact, &bytes)?; // Other tables' rows: only that it was seen counts.
        } else {
            store.remember(&fact, &bytes)?;
        }
        self.names.insert(name, !kept.is_empty());
        Ok(())
    }

    /// Takes the records of a transaction whose outcome has come.
    pub(super) fn end(
        &mut self,
        name: &str,
        outcome: Outcome,
        store: &Store,
    ) -> Result<Option<Kept>, StoreError> {
        let kept = match self.names.get(name) {
            None => return Ok(None),
            Some(false) => Kept::Memory(Vec::new()),
            Some(true) if !store.can_remember() => return Err(StoreError::NoSled),
            Some(true) => {
                let bytes = store.fact(&format!("{PREPARED}{name}"))?.unwrap_or_default();
                postcard::from_bytes(&bytes).map_err(|_| malformed(name))?
            }
        };
        self.names.remove(name);
        let records = match &kept {
            Kept::File(file, _) => Some(file.clone()),
            Kept::Memory(_) => None,
        };
        let ended = Ended {
            name: name.to_owned(),
            gtid: outcome.gtid.map(|gtid| gtid.to_string()),
            file: outcome.position.file,
            pos: outcome.position.pos,
            records,
        };
        let bytes = postcard::to_stdvec(&ended).map_err(|_| malformed(name))?;
        store.note(&format!("{ENDED}{name}"), &bytes)?;
        self.ended.push(ended);
        Ok(Some(kept))
    }

    /// Takes the records of a transaction that was committed. One that was prepared where we did not read is in no
    /// snapshot either, since that does not show what is not committed.
    pub(super) fn commit(
        &mut self,
        name: &str,
        outcome: Outcome,
        store: &Store,
    ) -> Result<Option<Kept>, StoreError> {
        if !self.names.contains_key(name) {
            if self.may_lack {
                let (xid, transaction) = (name.to_owned(), outcome.to_string());
                return Err(StoreError::PreparedLost { xid, transaction });
            }
            warn!(xid = name, transaction = %outcome, "AN XA TRANSACTION WAS PREPARED BEFORE THIS CONNECTOR'S FIRST START: if it inserted outbox rows, they are not published");
        }
        self.end(name, outcome, store)
    }

    /// Where the records are that do not fit into memory.
    pub(super) fn folder(&self) -> &SpillFolder {
        &self.folder
    }

    /// Forgets transactions whose outcome lies behind a stored checkpoint.
    pub(super) fn forget(&mut self, stored: &Offset, store: &Store) -> Result<(), StoreError> {
        let mut result = Ok(());
        self.ended.retain(|ended| {
            let again = self.names.contains_key(&ended.name);
            if result.is_err() || !ended.is_behind(stored) || again {
                return true;
            }
            result = ended.forget(&self.folder, store);
            result.is_err()
        });
        result
    }

    /// Whether any outcome waits for a checkpoint.
    pub(super) fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }
}

fn malformed(name: &str) -> StoreError {
    StoreError::MalformedFact(format!("{PREPARED}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_storing() {
        let headers = [("id", Some(b"1".as_slice())), ("none", None)];
        let record = ProducerRecord {
            topic: "orders",
            partition: Some(2),
            key: None,
            value: Some(&[0, 255]),
            headers: &headers,
            timestamp: Some(-1),
        };
        let held = HeldRecord::of(&record);
        let bytes = held.append_to(Vec::new()).unwrap();
        let read = HeldRecord::read(&bytes).unwrap();
        assert_eq!(read, held);
        read.lend(|lent| {
            assert_eq!(lent.headers, record.headers);
            assert_eq!((lent.topic, lent.key, lent.value), ("orders", None, record.value));
        });
    }
}
