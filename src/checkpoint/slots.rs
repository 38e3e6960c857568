use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tracing::warn;

use crate::fault_point::fault_point;

const MAGIC: &str = "outflow-offset 1";

/// A plain, checksummed second copy of an offset: two files written in turn, so that a torn write leaves
/// the other whole. Each is a line `outflow-offset 1 <counter> <crc32>` and a line of JSON.
pub struct SlotFiles {
    paths: [PathBuf; 2],
    files: [File; 2],
    /// Which one is written next: the older or the damaged one.
    next: usize,
    counter: u64,
}

impl SlotFiles {
    /// Opens or makes both files beside each other.
    ///
    /// # Errors
    /// When a file can be neither opened nor made.
    pub fn open(folder: &Path, name: &str) -> std::io::Result<Self> {
        let paths = [0, 1].map(|slot| folder.join(format!("{name}.offset.{slot}")));
        let files = open_or_make(&paths)?;
        fault_point("slots made");
        File::open(folder)?.sync_all()?;
        let mut slots = Self { paths, files, next: 0, counter: 0 };
        let [first, second] = slots.files.each_mut().map(|file| read_slot(file).map(|slot| slot.0));
        slots.next = usize::from(first > second);
        slots.counter = first.max(second).unwrap_or(0);
        Ok(slots)
    }

    /// The newest whole copy with its counter.
    pub fn newest(&mut self) -> Option<(u64, String)> {
        let [first, second] = &mut self.files;
        let found = [first, second].into_iter().filter_map(read_slot);
        found.max_by_key(|(counter, _)| *counter)
    }

    /// Whether anything was ever written, whole or not.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.metadata().is_ok_and(|meta| meta.len() == 0))
    }

    /// Whether a copy is there that is not whole.
    pub fn is_damaged(&mut self) -> bool {
        let is_empty = |file: &File| file.metadata().is_ok_and(|meta| meta.len() == 0);
        self.files.iter_mut().any(|file| !is_empty(file) && read_slot(file).is_none())
    }

    /// Writes `json` over the older copy and waits for the disk. Files that were removed are made anew.
    ///
    /// # Errors
    /// When the disk is full or refuses.
    pub fn write(&mut self, counter: u64, json: &str) -> std::io::Result<()> {
        if self.are_removed() {
            self.make_anew()?;
        }
        let crc = crc32fast::hash(json.as_bytes());
        let text = format!("{MAGIC} {counter} {crc:08x}\n{json}\n");
        let [first, second] = &mut self.files;
        let file = if self.next == 0 { first } else { second };
        file.seek(SeekFrom::Start(0))?;
        fault_point("slot chosen");
        file.write_all(text.as_bytes())?;
        fault_point("slot written");
        file.set_len(u64::try_from(text.len()).unwrap_or(u64::MAX))?;
        file.sync_data()?;
        fault_point("slot on disk");
        self.counter = counter;
        self.next = 1 - self.next;
        Ok(())
    }

    /// Whether a path leads no longer to the file that is held: written to, it would be found by nobody.
    fn are_removed(&self) -> bool {
        let is_there = |(path, file): (&PathBuf, &File)| {
            let (found, held) = (std::fs::metadata(path).ok()?, file.metadata().ok()?);
            Some((found.dev(), found.ino()) == (held.dev(), held.ino()))
        };
        !self.paths.iter().zip(&self.files).all(|pair| is_there(pair) == Some(true))
    }

    fn make_anew(&mut self) -> std::io::Result<()> {
        let folder = self.paths[0].parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        self.files = open_or_make(&self.paths)?;
        File::open(folder)?.sync_all()?;
        warn!(
            folder = %folder.display(),
            "the state was removed or moved away while it was in use: the position is kept in new files, and whatever else \
             was there is lost with the next start"
        );
        Ok(())
    }

    /// Empties both copies.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn clear(&mut self) -> std::io::Result<()> {
        self.counter = 0;
        self.files.iter().try_for_each(|file| file.set_len(0).and_then(|()| file.sync_all()))
    }

    /// The counter of the newest copy.
    #[must_use]
    pub fn counter(&self) -> u64 {
        self.counter
    }

    /// Where the copies lie.
    #[must_use]
    pub fn paths(&self) -> &[PathBuf; 2] {
        &self.paths
    }
}

fn open_or_make([first, second]: &[PathBuf; 2]) -> std::io::Result<[File; 2]> {
    let open =
        |path| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    Ok([open(first)?, open(second)?])
}

fn read_slot(file: &mut File) -> Option<(u64, String)> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_to_string(&mut text).ok()?;
    let (head, json) = text.split_once('\n')?;
    let (counter, crc) = head.strip_prefix(MAGIC)?.trim_start().split_once(' ')?;
    let json = json.strip_suffix('\n')?;
    let whole = u32::from_str_radix(crc, 16).ok()? == crc32fast::hash(json.as_bytes());
    whole.then(|| Some((counter.parse().ok()?, json.to_owned())))?
}
