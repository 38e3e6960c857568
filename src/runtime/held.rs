use std::collections::BTreeMap;

use tracing::warn;

use serde::{Deserialize, Serialize};

use crate::checkpoint::{PREPARED, Store, StoreError};
use crate::convert::ProducerRecord;
use crate::offset::{BinlogPosition, Gtid, Offset};

/// What a held record takes besides its bytes.
const RECORD_BYTES: usize = 128;

type HeldHeader = (Box<str>, Option<Box<[u8]>>);

/// A record that waits for the outcome of its transaction.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeldRecord {
    topic: Box<str>,
    partition: Option<i32>,
    key: Option<Box<[u8]>>,
    value: Option<Box<[u8]>>,
    headers: Vec<HeldHeader>,
    timestamp: Option<i64>,
}

impl HeldRecord {
    pub(super) fn new(record: &ProducerRecord<'_>) -> Self {
        let own = |(key, value): &(&str, Option<&[u8]>)| (Box::from(*key), value.map(Box::from));
        Self {
            topic: record.topic.into(),
            partition: record.partition,
            key: record.key.map(Box::from),
            value: record.value.map(Box::from),
            headers: record.headers.iter().map(own).collect(),
            timestamp: record.timestamp,
        }
    }

    /// What it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        let of = |bytes: &Option<Box<[u8]>>| bytes.as_ref().map_or(0, |bytes| bytes.len());
        let header = |(key, value): &HeldHeader| key.len() + of(value) + RECORD_BYTES / 2;
        let headers: usize = self.headers.iter().map(header).sum();
        RECORD_BYTES + self.topic.len() + of(&self.key) + of(&self.value) + headers
    }

    /// Gives the record to `send`.
    pub(super) fn lend<T>(&self, send: impl FnOnce(&ProducerRecord<'_>) -> T) -> T {
        let headers: Vec<_> =
            self.headers.iter().map(|(key, value)| (key.as_ref(), value.as_deref())).collect();
        send(&ProducerRecord {
            topic: &self.topic,
            partition: self.partition,
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers: &headers,
            timestamp: self.timestamp,
        })
    }
}

/// XA transactions that were prepared and neither committed nor rolled back, by name. Their rows are in
/// the log before the outcome is known, so they are stored before the checkpoint passes the PREPARE, and
/// forgotten only once a stored checkpoint has passed the outcome.
#[derive(Default)]
pub(super) struct Prepared {
    records: BTreeMap<String, Vec<HeldRecord>>,
    ended: Vec<(String, Outcome)>,
    /// What earlier runs have stored may be lost.
    may_lack: bool,
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

impl Outcome {
    fn is_behind(&self, offset: &Offset) -> bool {
        match (self.gtid, &offset.gtids) {
            (Some(gtid), Some(gtids)) => gtids.contains(&gtid),
            _ => self.position.is_behind(&offset.position),
        }
    }
}

impl Prepared {
    /// Reads what earlier runs have stored.
    pub(super) fn load(store: &Store) -> Result<Self, StoreError> {
        let may_lack = store.may_lack_facts()?;
        let mut records = BTreeMap::new();
        for (name, bytes) in store.facts(PREPARED)? {
            let held = postcard::from_bytes(&bytes)
                .map_err(|_| StoreError::MalformedFact(format!("{PREPARED}{name}")))?;
            records.insert(name, held);
        }
        Ok(Self { records, ended: Vec::new(), may_lack })
    }

    /// Keeps a prepared transaction's records; durable once this returns.
    pub(super) fn prepare(
        &mut self,
        name: String,
        records: Vec<HeldRecord>,
        store: &Store,
    ) -> Result<(), StoreError> {
        let bytes = postcard::to_stdvec(&records)
            .map_err(|_| StoreError::MalformedFact(format!("{PREPARED}{name}")))?;
        let fact = format!("{PREPARED}{name}");
        if records.is_empty() {
            store.note(&fact, &bytes)?; // Other tables' rows: only that it was seen counts.
        } else {
            store.remember(&fact, &bytes)?;
        }
        self.records.insert(name, records);
        Ok(())
    }

    /// Takes the records of a transaction whose outcome has come.
    pub(super) fn end(&mut self, name: &str, outcome: Outcome) -> Vec<HeldRecord> {
        match self.records.remove(name) {
            Some(records) => {
                self.ended.push((name.to_owned(), outcome));
                records
            }
            None => Vec::new(),
        }
    }

    /// Takes the records of a transaction that was committed. One that was prepared where we did not read is in no
    /// snapshot either, since that does not show what is not committed.
    pub(super) fn commit(
        &mut self,
        name: &str,
        outcome: Outcome,
    ) -> Result<Vec<HeldRecord>, StoreError> {
        if !self.records.contains_key(name) {
            if self.may_lack {
                let (xid, transaction) = (name.to_owned(), outcome.to_string());
                return Err(StoreError::PreparedLost { xid, transaction });
            }
            warn!(xid = name, transaction = %outcome, "AN XA TRANSACTION WAS PREPARED BEFORE THIS CONNECTOR'S FIRST START: if it inserted outbox rows, they are not published");
        }
        Ok(self.end(name, outcome))
    }

    /// Forgets transactions whose outcome lies behind a stored checkpoint.
    pub(super) fn forget(&mut self, stored: &Offset, store: &Store) -> Result<(), StoreError> {
        let mut result = Ok(());
        self.ended.retain(|(name, outcome)| {
            if result.is_err() || !outcome.is_behind(stored) || self.records.contains_key(name) {
                return true;
            }
            result = store.strike(&format!("{PREPARED}{name}"));
            result.is_err()
        });
        result
    }

    /// Whether any outcome waits for a checkpoint.
    pub(super) fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }
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
        let held = HeldRecord::new(&record);
        let bytes = postcard::to_stdvec(&vec![&held]).unwrap();
        let read: Vec<HeldRecord> = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read, [held]);
        read[0].lend(|lent| {
            assert_eq!(lent.headers, record.headers);
            assert_eq!((lent.topic, lent.key, lent.value), ("orders", None, record.value));
        });
    }
}
