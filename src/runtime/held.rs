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
/// forgotten only once a stored checkpoint has passed the outcome. A name may be used again before that, so
/// what is stored is told apart by the place of its PREPARE as well.
pub(super) struct Prepared {
    folder: SpillFolder,
    waiting: BTreeMap<String, Waiting>,
    ended: Vec<Ended>,
    /// What earlier runs have stored may be lost.
    may_lack: bool,
}

/// A transaction whose outcome is to come.
struct Waiting {
    /// Its name and the place of its PREPARE: what it is stored under.
    fact: String,
    place: Place,
    /// Whether records are stored of it.
    has_records: bool,
}

/// What is stored of a prepared transaction.
#[derive(Serialize, Deserialize)]
struct Stored {
    place: Place,
    records: Kept,
}

/// A transaction whose outcome has come.
#[derive(Serialize, Deserialize)]
struct Ended {
    fact: String,
    outcome: Place,
    /// The file of its records, where it has one.
    records: Option<String>,
}

/// Where a transaction ends in the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Place {
    gtid: Option<String>,
    file: String,
    pos: u64,
}

impl Place {
    pub(super) fn new(gtid: Option<Gtid>, position: BinlogPosition) -> Self {
        let BinlogPosition { file, pos } = position;
        Self { gtid: gtid.map(|gtid| gtid.to_string()), file, pos }
    }

    fn position(&self) -> BinlogPosition {
        BinlogPosition { file: self.file.clone(), pos: self.pos }
    }

    /// Whether a start at `offset` does not read it again.
    fn is_behind(&self, offset: &Offset) -> bool {
        let gtid = self.gtid.as_ref().and_then(|gtid| gtid.parse::<Gtid>().ok());
        match (gtid, &offset.gtids) {
            (Some(gtid), Some(gtids)) => gtids.contains(&gtid),
            _ => self.position().is_behind(&offset.position),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.gtid {
            Some(gtid) => gtid.fmt(f),
            None => write!(f, "{}:{}", self.file, self.pos),
        }
    }
}

impl Ended {
    fn forget(&self, folder: &SpillFolder, store: &Store) -> Result<(), StoreError> {
        store.strike(&format!("{PREPARED}{}", self.fact))?;
        store.strike(&format!("{ENDED}{}", self.fact))?;
        self.records.iter().for_each(|file| folder.remove(file));
        Ok(())
    }
}

impl Prepared {
    /// Reads what earlier runs have stored, for a start at `offset`.
    pub(super) fn load(store: &Store, offset: &Offset) -> Result<Self, StoreError> {
        let may_lack = store.may_lack_facts()?;
        let folder = store.spills();
        for (fact, bytes) in store.facts(ENDED)? {
            let ended: Ended = postcard::from_bytes(&bytes).map_err(|_| malformed(&fact))?;
            // One that is not behind comes again.
            if ended.outcome.is_behind(offset) {
                ended.forget(&folder, store)?;
            }
        }
        let (mut waiting, mut files) = (BTreeMap::new(), Vec::new());
        for (fact, bytes) in store.facts(PREPARED)? {
            let Stored { place, records } =
                postcard::from_bytes(&bytes).map_err(|_| malformed(&fact))?;
            if !place.is_behind(offset) {
                store.strike(&format!("{PREPARED}{fact}"))?; // It comes again.
                continue;
            }
            let has_records = !records.is_empty();
            if let Kept::File(file, _) = records {
                files.push(file);
            }
            let name = fact.rsplit_once(' ').map_or(&*fact, |(name, _place)| name).to_owned();
            let found = Waiting { fact, place, has_records };
            let is_later =
                |other: &Waiting| other.place.position().is_behind(&found.place.position());
            if waiting.get(&name).is_none_or(is_later) {
                waiting.insert(name, found);
            }
        }
        folder.remove_all_but(&files);
        Ok(Self { folder, waiting, ended: Vec::new(), may_lack })
    }

    /// Keeps a prepared transaction's records; durable once this returns.
    pub(super) fn prepare(
        &mut self,
        name: String,
        place: Place,
        held: Option<Hold>,
        store: &Store,
    ) -> Result<(), StoreError> {
        let records = held.map_or_else(|| Ok(Kept::Memory(Vec::new())), Hold::keep)?;
        let has_records = !records.is_empty();
        let stored = Stored { place, records };
        let bytes = postcard::to_stdvec(&stored).map_err(|_| malformed(&name))?;
        let place = stored.place;
        let fact = format!("{name} {place}");
        let stored_as = format!("{PREPARED}{fact}");
        if has_records {
            store.remember(&stored_as, &bytes)?;
        } else {
            store.note(&stored_as, &bytes)?; // Other tables' rows: only that it was seen counts.
        }
        self.waiting.insert(name, Waiting { fact, place, has_records });
        Ok(())
    }

    /// Takes the records of a transaction whose outcome has come.
    pub(super) fn end(
        &mut self,
        name: &str,
        outcome: Place,
        store: &Store,
    ) -> Result<Option<Kept>, StoreError> {
        let Some(waiting) = self.waiting.get(name) else { return Ok(None) };
        let kept = if waiting.has_records {
            if !store.can_remember() {
                return Err(StoreError::NoSled);
            }
            let bytes = store.fact(&format!("{PREPARED}{}", waiting.fact))?.unwrap_or_default();
            let stored: Stored = postcard::from_bytes(&bytes).map_err(|_| malformed(name))?;
            stored.records
        } else {
            Kept::Memory(Vec::new())
        };
        let records = match &kept {
            Kept::File(file, _) => Some(file.clone()),
            Kept::Memory(_) => None,
        };
        let ended = Ended { fact: waiting.fact.clone(), outcome, records };
        let bytes = postcard::to_stdvec(&ended).map_err(|_| malformed(name))?;
        store.note(&format!("{ENDED}{}", ended.fact), &bytes)?;
        self.waiting.remove(name);
        self.ended.push(ended);
        Ok(Some(kept))
    }

    /// Takes the records of a transaction that was committed. One that was prepared where we did not read is in no
    /// snapshot either, since that does not show what is not committed.
    pub(super) fn commit(
        &mut self,
        name: &str,
        outcome: Place,
        store: &Store,
    ) -> Result<Option<Kept>, StoreError> {
        if !self.waiting.contains_key(name) {
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
            if result.is_err() || !ended.outcome.is_behind(stored) {
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

/// The names of prepared transactions whose rows a start at `offset` would wait to publish.
///
/// # Errors
/// When what is stored cannot be read.
pub fn prepared_rows(store: &Store, offset: &Offset) -> Result<Vec<String>, StoreError> {
    let waiting = Prepared::load(store, offset)?.waiting;
    Ok(waiting.into_iter().filter(|(_, one)| one.has_records).map(|(name, _)| name).collect())
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
