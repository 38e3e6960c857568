use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::StoreError;

/// The folder of a data folder in which transactions are kept that are too large for memory.
const FOLDER: &str = "held";

/// Where a connector's large transactions are kept until their outcome is known.
#[derive(Clone, Debug)]
pub struct SpillFolder {
    folder: PathBuf,
    /// The connector, as file names have it.
    connector: String,
}

impl SpillFolder {
    pub(super) fn new(data_dir: &Path, connector: String) -> Self {
        Self { folder: data_dir.join(FOLDER), connector }
    }

    /// Makes a new file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(&self) -> Result<Spill, StoreError> {
        std::fs::create_dir_all(&self.folder).map_err(StoreError::Write)?;
        let name = format!("{}.{}", self.connector, Uuid::now_v7().simple());
        let path = self.folder.join(&name);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(StoreError::Write)?;
        Ok(Spill { file, path, name, bytes: 0, kept: false })
    }

    /// Opens a file that was kept, from its start.
    ///
    /// # Errors
    /// When it is not there any more or shorter than it was.
    pub fn open(&self, name: &str, bytes: u64) -> Result<File, StoreError> {
        let lost = || StoreError::LostRows(format!("{FOLDER}/{name}"));
        let file = File::open(self.folder.join(name)).map_err(|_| lost())?;
        let whole = file.metadata().is_ok_and(|found| found.len() == bytes);
        if whole { Ok(file) } else { Err(lost()) }
    }

    /// Removes a file; one that cannot be removed now is with the next start.
    pub fn remove(&self, name: &str) {
        drop(std::fs::remove_file(self.folder.join(name)));
    }

    /// Removes all of the connector's files but these: what a killed process has left behind.
    pub fn remove_all_but(&self, kept: &[String]) {
        let Ok(files) = std::fs::read_dir(&self.folder) else { return };
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let id = name.strip_prefix(&self.connector).and_then(|rest| rest.strip_prefix('.'));
            let ours = id.is_some_and(|id| Uuid::try_parse(id).is_ok());
            if ours && !kept.contains(&name) {
                self.remove(&name);
            }
        }
    }
}

/// Bytes of one transaction, written one behind another. Removed when dropped, unless they are kept.
#[derive(Debug)]
pub struct Spill {
    file: File,
    path: PathBuf,
    name: String,
    bytes: u64,
    kept: bool,
}

impl Spill {
    /// How many there are.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes bytes behind the others.
    ///
    /// # Errors
    /// When the disk is full or refuses.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.file.write_all(bytes).map_err(StoreError::Write)?;
        self.bytes += u64::try_from(bytes.len()).unwrap_or_default();
        Ok(())
    }

    /// Drops what is behind the first `bytes`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn truncate(&mut self, bytes: u64) -> Result<(), StoreError> {
        let cut = self.file.set_len(bytes).and_then(|()| self.file.seek(SeekFrom::Start(bytes)));
        cut.map_err(StoreError::Write)?;
        self.bytes = bytes;
        Ok(())
    }

    /// The file, from its start.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn reread(&self) -> Result<File, StoreError> {
        let mut file = self.file.try_clone().map_err(StoreError::Write)?;
        file.seek(SeekFrom::Start(0)).map_err(StoreError::Write)?;
        Ok(file)
    }

    /// Makes it outlive the process; its name and how many bytes it has.
    ///
    /// # Errors
    /// When it did not reach the disk.
    pub fn keep(mut self) -> Result<(String, u64), StoreError> {
        self.file.sync_all().map_err(StoreError::Write)?;
        for folder in self.path.ancestors().skip(1).take(2) {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::Write)?;
        }
        self.kept = true;
        Ok((self.name.clone(), self.bytes))
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed now is with the next start.
            drop(std::fs::remove_file(&self.path));
        }
    }
}
