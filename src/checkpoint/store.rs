use std::fs::{File, OpenOptions, TryLockError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tracing::{error, warn};

use super::{SlotFiles, SpillFolder};
use crate::error::Remedy;
use crate::fault_point::fault_point;
use crate::offset::{BinlogPosition, Offset, OffsetError};

/// How long a start waits for a killed process to let go of the folder.
const LOCK_WAIT: Duration = Duration::from_secs(3);
/// The fact under which our own UUID is remembered.
pub(crate) const REPLICA_UUID: &str = "replica-uuid";
/// What the rows of prepared XA transactions are remembered under.
pub(crate) const PREPARED: &str = "xa-prepared:";
/// Set when somebody has said where to go on.
const GIVEN: &str = "position-given";
/// The fact that facts of earlier runs may be lost, because sled was damaged or gone.
const FACTS_LOST: &str = "facts-lost";
/// sled's cache; the state is a few kilobytes.
const CACHE_BYTES: u64 = 1 << 20;

/// Why state cannot be read or stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be made or written.
    #[error("data folder {path:?} cannot be used; give a writable one with --data-dir")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process has it.
    #[error(
        "data folder {0:?} is in use by another outflow; stop that one or give another --data-dir"
    )]
    Locked(PathBuf),
    /// A connector's copies and sled are all unreadable.
    #[error(
        "the stored offset of connector {connector:?} is damaged in sled and in both copies beside it; restore the \
         data folder, or remove its folder sled and give an offset with `outflow offsets import`"
    )]
    Damaged {
        /// The connector.
        connector: String,
    },
    /// What is stored does not parse.
    #[error("the stored offset of connector {connector:?} is malformed")]
    Malformed {
        /// The connector.
        connector: String,
        /// What is wrong with it.
        source: OffsetError,
    },
    /// A remembered fact does not parse.
    #[error("what is stored as {0:?} is malformed; restore the data folder or reset the offset")]
    MalformedFact(String),
    /// The file of a prepared transaction's rows is not there, or not as it was.
    #[error(
        "the rows of a prepared XA transaction are gone from {0:?} in the data folder; restore it, or \
         `outflow offsets import` a position before the XA PREPARE"
    )]
    LostRows(String),
    /// Something must be stored that the plain copies do not hold.
    #[error(
        "sled does not open, and prepared XA rows cannot be stored without it; restore or remove the data folder's sled"
    )]
    NoSled,
    /// A transaction's outcome has come whose rows sled may have held before it was damaged.
    #[error(
        "XA transaction {xid} is committed in {transaction}, but the rows that it prepared may have been lost with the \
         data folder's sled; `outflow offsets import` a position before its XA PREPARE to publish them, or the present \
         one to pass over them"
    )]
    PreparedLost {
        /// The name.
        xid: String,
        /// Where its XA COMMIT is.
        transaction: String,
    },
    /// A write did not reach the disk.
    #[error("the checkpoint could not be written")]
    Write(#[source] std::io::Error),
    /// sled refused.
    #[error("the checkpoint store failed")]
    Sled(#[from] sled::Error),
}

impl StoreError {
    /// Whether waiting can cure it.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Write(_) | Self::Sled(_) => Remedy::Retry, // The disk may be full for a while.
            Self::Folder { .. }
            | Self::Locked(_)
            | Self::Damaged { .. }
            | Self::Malformed { .. }
            | Self::MalformedFact(_)
            | Self::LostRows(_)
            | Self::PreparedLost { .. }
            | Self::NoSled => Remedy::Stop,
        }
    }
}

/// The folder of all connectors' state, held by this process alone.
pub struct DataDir {
    path: PathBuf,
    db: Option<sled::Db>,
    _lock: File,
}

impl DataDir {
    /// Opens the folder, making it where it is missing.
    ///
    /// # Errors
    /// When it cannot be written or another process has it. A damaged sled is no error here: the copies
    /// beside it are used instead, and the log says so.
    pub fn open(path: &Path) -> Result<Arc<Self>, StoreError> {
        let folder = |source| StoreError::Folder { path: path.to_owned(), source };
        std::fs::create_dir_all(path).map_err(folder)?;
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join("lock"))
            .map_err(folder)?;
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::Locked(path.to_owned())),
                Err(TryLockError::Error(source)) => return Err(folder(source)),
            }
        }
        Ok(Arc::new(Self { path: path.to_owned(), db: open_sled(&path.join("sled")), _lock: lock }))
    }
}

/// sled 0.34 panics on some kinds of damage at open; a panic there is a failure like any other.
fn open_sled(path: &Path) -> Option<sled::Db> {
    let open =
        || sled::Config::new().path(path).flush_every_ms(None).cache_capacity(CACHE_BYTES).open();
    match catch_unwind(AssertUnwindSafe(open)) {
        Ok(Ok(db)) => Some(db),
        Ok(Err(err)) => {
            error!(error = %err, path = %path.display(), "sled does not open; the plain copies of the offsets are used");
            None
        }
        Err(_) => {
            error!(path = %path.display(), "sled is damaged and does not open; the plain copies of the offsets are used");
            None
        }
    }
}

/// One connector's state.
pub struct Store {
    connector: String,
    tree: Option<sled::Tree>,
    slots: SlotFiles,
    /// Of the newest offset in either store.
    counter: u64,
    facts_are_old: bool,
    place: Option<BinlogPosition>,
    data_dir: Arc<DataDir>,
}

impl Store {
    /// A store that threads share; what it holds is on the disk, so a panic elsewhere makes it no worse.
    pub fn lock(shared: &Mutex<Self>) -> MutexGuard<'_, Self> {
        shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a connector's state.
    ///
    /// # Errors
    /// When the files cannot be made.
    pub fn open(data_dir: &Arc<DataDir>, connector: &str) -> Result<Self, StoreError> {
        let folder = |source| StoreError::Folder { path: data_dir.path.clone(), source };
        let slots = SlotFiles::open(&data_dir.path, &file_name(connector)).map_err(folder)?;
        let tree = match &data_dir.db {
            Some(db) => Some(db.open_tree(format!("connector:{connector}"))?),
            None => None,
        };
        let mut store = Self {
            connector: connector.to_owned(),
            tree,
            counter: slots.counter(),
            slots,
            facts_are_old: false,
            place: None,
            data_dir: Arc::clone(data_dir),
        };
        let in_sled = store.offset_in_sled().map_or(0, |(counter, _)| counter);
        store.counter = store.counter.max(in_sled);
        Ok(store)
    }

    fn offset_in_sled(&mut self) -> Option<(u64, String)> {
        match self.tree.as_ref()?.get("offset") {
            Ok(bytes) => parse_counted(&bytes?),
            Err(err) => {
                self.do_without_sled(&err);
                None
            }
        }
    }

    /// The newest whole offset of the two stores; `None` for a connector that has never started.
    ///
    /// # Errors
    /// When something was stored and none of it is whole.
    pub fn load(&mut self) -> Result<Option<Offset>, StoreError> {
        let from_sled = self.offset_in_sled();
        let written = !self.slots.is_empty();
        let from_slots = self.slots.newest();
        let newest = match (from_sled, from_slots) {
            (Some(sled), Some(slots)) => {
                if slots.0 > sled.0 {
                    self.facts_are_old = true;
                    warn!(connector = %self.connector, "the plain copy of the offset is newer than sled's and is used");
                }
                Some(if slots.0 > sled.0 { slots } else { sled })
            }
            (None, Some(slots)) => {
                self.facts_are_old = true;
                warn!(connector = %self.connector, "sled holds no offset; the plain copy is used");
                Some(slots)
            }
            (sled, None) => sled,
        };
        if written && self.slots.is_damaged() {
            warn!(connector = %self.connector, "a plain copy of the offset is damaged; the newest whole one is used");
        }
        let Some((_, json)) = newest else {
            if written || self.tree.is_none() {
                return Err(StoreError::Damaged { connector: self.connector.clone() });
            }
            return Ok(None);
        };
        let json: Json = serde_json::from_str(&json).unwrap_or(Json::Null);
        let offset = Offset::from_json(&json).map_err(|source| StoreError::Malformed {
            connector: self.connector.clone(),
            source,
        })?;
        self.place = Some(offset.position.clone());
        Ok(Some(offset))
    }

    /// Where transactions are kept that are too large for memory.
    #[must_use]
    pub fn spills(&self) -> SpillFolder {
        SpillFolder::new(&self.data_dir.path, file_name(&self.connector))
    }

    /// The place in the log of the offset that was loaded or saved last.
    #[must_use]
    pub fn place(&self) -> Option<&BinlogPosition> {
        self.place.as_ref()
    }

    /// Stores an offset in both places; it counts once this returns.
    ///
    /// # Errors
    /// When a write did not reach the disk.
    pub fn save(&mut self, offset: &Offset) -> Result<(), StoreError> {
        let json = offset.to_json().to_string();
        let counter = self.counter + 1;
        if let Some(tree) = &self.tree {
            let stored = tree.insert("offset", format!("{counter}\n{json}").as_bytes());
            fault_point("offset in sled");
            if let Err(err) = stored.and_then(|_| tree.flush()) {
                self.do_without_sled(&err);
            }
        }
        fault_point("offset flushed by sled");
        self.slots.write(counter, &json).map_err(StoreError::Write)?;
        self.counter = counter;
        self.place = Some(offset.position.clone());
        Ok(())
    }

    /// Stores an offset that came from elsewhere: what is remembered here besides belongs to an older one.
    ///
    /// # Errors
    /// When a write did not reach the disk.
    pub fn adopt(&mut self, offset: &Offset) -> Result<(), StoreError> {
        self.facts_are_old = true;
        self.save(offset)
    }

    /// Forgets the offset and what goes with it, so that the next start is a first start. What servers know
    /// this replica by stays: they would take another one for a clash.
    ///
    /// # Errors
    /// When a write did not reach the disk.
    pub fn reset(&mut self) -> Result<(), StoreError> {
        self.forget_but(&[REPLICA_UUID])?;
        self.give()?;
        self.slots.clear().map_err(StoreError::Write)
    }

    /// Whether somebody has said where to go on, whatever is written elsewhere.
    ///
    /// # Errors
    /// When sled refuses.
    pub fn is_given(&self) -> Result<bool, StoreError> {
        Ok(self.fact(GIVEN)?.is_some())
    }

    /// It is carried out.
    ///
    /// # Errors
    /// When the write did not reach the disk.
    pub fn forget_given(&self) -> Result<(), StoreError> {
        if self.is_given()? { self.forget(GIVEN) } else { Ok(()) }
    }

    fn give(&self) -> Result<(), StoreError> {
        if self.can_remember() { self.remember(GIVEN, b"") } else { Ok(()) }
    }

    /// Stores an offset that a person gives. Rows of prepared XA transactions stay; what else is remembered belongs
    /// to the place before.
    ///
    /// # Errors
    /// When a write did not reach the disk.
    pub fn import(&mut self, offset: &Offset) -> Result<(), StoreError> {
        self.forget_but(&[REPLICA_UUID, PREPARED])?;
        self.give()?;
        self.save(offset)
    }

    fn forget_but(&self, kept: &[&str]) -> Result<(), StoreError> {
        let Some(tree) = &self.tree else { return Ok(()) };
        for name in tree.iter().keys() {
            let name = name?;
            if !kept.iter().any(|kept| name.starts_with(kept.as_bytes())) {
                tree.remove(name)?;
            }
        }
        tree.flush()?;
        Ok(())
    }

    /// sled takes nothing more once a write has failed, as on a full disk; the copies beside it do as soon as there
    /// is room again. The next start finds them newer than sled.
    fn do_without_sled(&mut self, err: &sled::Error) {
        error!(connector = %self.connector, error = %err, "sled failed; the plain copies of the offset are used until the next start");
        self.tree = None;
    }

    /// Whether what [`Self::load`] found in sled is older than the copies beside it, and so are the facts.
    #[must_use]
    pub fn facts_are_old(&self) -> bool {
        self.facts_are_old
    }

    /// Whether facts that an earlier run has remembered may be lost. Once seen it stays so until an offset is imported
    /// or reset.
    ///
    /// # Errors
    /// When sled refuses.
    pub fn may_lack_facts(&self) -> Result<bool, StoreError> {
        if self.tree.is_some() && self.facts_are_old {
            self.remember(FACTS_LOST, b"")?;
        }
        Ok(self.tree.is_none() || self.fact(FACTS_LOST)?.is_some())
    }

    /// Whether facts can be remembered, which the plain copies do not hold.
    #[must_use]
    pub fn can_remember(&self) -> bool {
        self.tree.is_some()
    }

    /// A remembered fact, such as the server's UUID.
    ///
    /// # Errors
    /// When sled refuses.
    pub fn fact(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(tree) = &self.tree else { return Ok(None) };
        Ok(tree.get(name)?.map(|bytes| bytes.to_vec()))
    }

    /// All remembered facts whose names begin with `prefix`, under the rest of their names.
    ///
    /// # Errors
    /// When sled refuses.
    pub fn facts(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let Some(tree) = &self.tree else { return Ok(Vec::new()) };
        let found = tree.scan_prefix(prefix).map(|entry| {
            let (name, bytes) = entry?;
            let name = name.get(prefix.len()..).unwrap_or_default();
            Ok((String::from_utf8_lossy(name).into_owned(), bytes.to_vec()))
        });
        found.collect()
    }

    /// Remembers a fact; durable once this returns.
    ///
    /// # Errors
    /// When the write did not reach the disk.
    pub fn remember(&self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        let Some(tree) = &self.tree else { return Err(StoreError::NoSled) };
        tree.insert(name, value)?;
        fault_point("fact in sled");
        tree.flush()?;
        fault_point("fact flushed by sled");
        Ok(())
    }

    /// Remembers a fact of less weight; durable with the next [`Self::save`]. Without sled it is not kept.
    ///
    /// # Errors
    /// When sled refuses.
    pub fn note(&self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        if let Some(tree) = &self.tree {
            tree.insert(name, value)?;
        }
        Ok(())
    }

    /// Forgets a fact at the latest with the next [`Self::save`].
    ///
    /// # Errors
    /// When sled refuses.
    pub fn strike(&self, name: &str) -> Result<(), StoreError> {
        if let Some(tree) = &self.tree {
            tree.remove(name)?;
        }
        fault_point("fact struck");
        Ok(())
    }

    /// Forgets a fact.
    ///
    /// # Errors
    /// When the write did not reach the disk.
    pub fn forget(&self, name: &str) -> Result<(), StoreError> {
        let Some(tree) = &self.tree else { return Err(StoreError::NoSled) };
        tree.remove(name)?;
        tree.flush()?;
        Ok(())
    }
}

fn parse_counted(bytes: &[u8]) -> Option<(u64, String)> {
    let (counter, json) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
    Some((counter.parse().ok()?, json.to_owned()))
}

/// A file name for any connector name: other bytes than letters, digits, `-`, `_` and `.` as `%XX`.
fn file_name(connector: &str) -> String {
    let mut name = String::with_capacity(connector.len());
    for byte in connector.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    name
}
