use std::io::{BufReader, Read};

use serde::{Deserialize, Serialize};

use super::held::HeldRecord;
use crate::checkpoint::{Spill, SpillFolder, StoreError};
use crate::convert::ProducerRecord;

/// What is kept in memory; the rest goes into a file. Most transactions are smaller by far.
const MEMORY_BYTES: usize = 1 << 20;
/// A buffer that grew beyond this for one large record is given back.
const BUFFER_KEEP_BYTES: usize = 4 << 20;
/// Length and checksum before each record.
const HEAD_BYTES: usize = 8;
/// What a message calls records that cannot be read back.
const WHAT: &str = "records of a transaction that were kept back";

/// Records that are kept back until the outcome of their transaction is known, in memory that is bounded.
pub(super) struct Hold {
    folder: SpillFolder,
    /// What comes behind the file.
    buffer: Vec<u8>,
    file: Option<Spill>,
    /// Names, and how many bytes were before them.
    savepoints: Vec<(String, u64)>,
}

/// Where the records of a prepared transaction are.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Kept {
    Memory(Vec<u8>),
    /// In a file of this name, with so many bytes.
    File(String, u64),
}

impl Kept {
    /// Whether there is no record.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Memory(records) if records.is_empty())
    }
}

impl Hold {
    /// What does not fit into memory goes into a file of `folder`.
    pub(super) fn new(folder: SpillFolder) -> Self {
        Self { folder, buffer: Vec::new(), file: None, savepoints: Vec::new() }
    }

    /// Keeps a record back.
    pub(super) fn add(&mut self, record: &ProducerRecord<'_>) -> Result<(), StoreError> {
        let start = self.buffer.len();
        self.buffer.extend([0; HEAD_BYTES]);
        let malformed = || StoreError::MalformedFact(WHAT.to_owned());
        let buffer = std::mem::take(&mut self.buffer);
        self.buffer = HeldRecord::of(record).append_to(buffer).ok_or_else(malformed)?;
        let body = self.buffer.get(start + HEAD_BYTES..).unwrap_or_default();
        let (crc, length) = (crc32fast::hash(body), u32::try_from(body.len()));
        let head = [length.map_err(|_| malformed())?.to_le_bytes(), crc.to_le_bytes()].concat();
        self.buffer.splice(start..start + HEAD_BYTES, head);
        if self.buffer.len() > MEMORY_BYTES { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<(), StoreError> {
        let file = match self.file.take() {
            Some(file) => file,
            None => self.folder.create()?,
        };
        self.file.insert(file).append(&self.buffer)?;
        self.buffer.clear();
        if self.buffer.capacity() > BUFFER_KEEP_BYTES {
            self.buffer = Vec::new();
        }
        Ok(())
    }

    fn spilled(&self) -> u64 {
        self.file.as_ref().map_or(0, Spill::bytes)
    }

    /// A savepoint is set; one of the same name is no more.
    pub(super) fn set_savepoint(&mut self, name: &str) {
        self.savepoints.retain(|(other, _)| other != name);
        let bytes = self.spilled() + u64::try_from(self.buffer.len()).unwrap_or_default();
        self.savepoints.push((name.to_owned(), bytes));
    }

    /// What came behind the savepoint never happened.
    pub(super) fn roll_back_to(&mut self, name: &str) -> Result<(), StoreError> {
        let Some(index) = self.savepoints.iter().position(|(other, _)| other == name) else {
            return Ok(());
        };
        let kept = self.savepoints.get(index).map_or(0, |(_, bytes)| *bytes);
        self.savepoints.truncate(index + 1);
        match kept.checked_sub(self.spilled()) {
            Some(in_buffer) => self.buffer.truncate(usize::try_from(in_buffer).unwrap_or_default()),
            None => {
                self.buffer.clear();
                if let Some(file) = &mut self.file {
                    file.truncate(kept)?;
                }
            }
        }
        Ok(())
    }

    /// Gives each record to `send`.
    pub(super) fn each<E: From<StoreError>>(
        &self,
        mut send: impl FnMut(&ProducerRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(file) = &self.file {
            read(BufReader::new(file.reread()?), &mut send)?;
        }
        read(&*self.buffer, &mut send)
    }

    /// Makes the records outlive the process, once what this gives is stored as well.
    pub(super) fn keep(mut self) -> Result<Kept, StoreError> {
        if self.file.is_none() {
            return Ok(Kept::Memory(self.buffer));
        }
        self.spill()?;
        match self.file.take() {
            Some(file) => file.keep().map(|(name, bytes)| Kept::File(name, bytes)),
            None => Ok(Kept::Memory(self.buffer)),
        }
    }
}

impl Kept {
    /// Gives each record to `send`.
    pub(super) fn each<E: From<StoreError>>(
        &self,
        folder: &SpillFolder,
        mut send: impl FnMut(&ProducerRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Memory(bytes) => read(&**bytes, &mut send),
            Self::File(name, bytes) => read(BufReader::new(folder.open(name, *bytes)?), &mut send),
        }
    }
}

/// Reads records to the end.
fn read<E: From<StoreError>>(
    mut from: impl Read,
    send: &mut impl FnMut(&ProducerRecord<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let malformed = || StoreError::MalformedFact(WHAT.to_owned());
    let mut body = Vec::new();
    loop {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        let head_bytes = u64::try_from(HEAD_BYTES).unwrap_or_default();
        from.by_ref().take(head_bytes).read_to_end(&mut head).map_err(|_| malformed())?;
        if head.is_empty() {
            return Ok(());
        }
        let (length, crc) = head.split_at_checked(4).ok_or_else(malformed)?;
        let number = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes);
        let length = number(length).map_err(|_| malformed())?;
        let crc = number(crc).map_err(|_| malformed())?;
        if body.capacity() > BUFFER_KEEP_BYTES {
            body = Vec::new();
        }
        body.clear();
        from.by_ref().take(length.into()).read_to_end(&mut body).map_err(|_| malformed())?;
        if u32::try_from(body.len()) != Ok(length) || crc32fast::hash(&body) != crc {
            return Err(malformed().into());
        }
        HeldRecord::read(&body).ok_or_else(malformed)?.lend(&mut *send)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{DataDir, Store};

    fn record(topic: &str) -> ProducerRecord<'_> {
        let (key, value) = (None, Some(b"12345".as_slice()));
        ProducerRecord { topic, partition: None, key, value, headers: &[], timestamp: None }
    }

    fn hold() -> Hold {
        let path = std::env::temp_dir().join(format!("outflow-hold-{}", uuid::Uuid::now_v7()));
        let data_dir = DataDir::open(&path).unwrap();
        let folder = Store::open(&data_dir, "c").unwrap().spills();
        std::fs::remove_dir_all(path).unwrap();
        Hold::new(folder)
    }

    fn topics(hold: &Hold) -> Vec<String> {
        let mut topics = Vec::new();
        let result: Result<(), StoreError> = hold.each(|record| {
            topics.push(record.topic.to_owned());
            Ok(())
        });
        result.unwrap();
        topics
    }

    #[test]
    fn what_is_rolled_back_to_a_savepoint_is_gone() {
        let mut hold = hold();
        hold.add(&record("1")).unwrap();
        hold.set_savepoint("`a`");
        hold.add(&record("2")).unwrap();
        hold.set_savepoint("`b`");
        hold.add(&record("3")).unwrap();
        hold.roll_back_to("`a`").unwrap();
        hold.add(&record("4")).unwrap();
        hold.roll_back_to("`b`").unwrap(); // Went with what was behind `a`.
        hold.set_savepoint("`a`");
        hold.add(&record("5")).unwrap();
        hold.roll_back_to("`a`").unwrap();
        assert_eq!(topics(&hold), ["1", "4"]);
    }

    #[test]
    fn a_damaged_record_is_an_error() {
        let mut hold = hold();
        hold.add(&record("1")).unwrap();
        for at in 0..hold.buffer.len() {
            hold.buffer[at] ^= 1;
            let result: Result<(), StoreError> = hold.each(|_| Ok(()));
            assert!(result.is_err(), "byte {at}");
            hold.buffer[at] ^= 1;
        }
    }
}
