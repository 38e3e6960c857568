//! A data folder on a disk of its own that is full or cannot be written.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::support::{Outbox, until};

/// Until rows are on the topic, or words in the log.
const SEEN_MAX: Duration = Duration::from_secs(60);

/// A small file system in memory.
struct Disk(PathBuf);

impl Disk {
    fn mount(folder: &Path) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        let disk = Self(folder.to_owned());
        disk.as_root("mount", &["-t", "tmpfs", "-o", "size=4m,mode=0777", "tmpfs"]);
        disk
    }

    /// Ends with the folder's path; by sudo where the tests do not run as root.
    fn as_root(&self, program: &str, arguments: &[&str]) {
        let user = Command::new("id").arg("-u").output().unwrap();
        let mut command = Command::new("sudo");
        if user.stdout == b"0\n" {
            command = Command::new(program);
        } else {
            command.arg(program);
        }
        let status = command.args(arguments).arg(&self.0).status();
        assert!(status.is_ok_and(|status| status.success()), "{program} {arguments:?} needs root");
    }

    /// Takes all that is left.
    fn fill(&self) -> PathBuf {
        use std::io::Write;
        let path = self.0.join("filler");
        let mut file = std::fs::File::create(&path).unwrap();
        for size in [1 << 16, 1 << 10, 1] {
            while file.write_all(&vec![7; size]).is_ok() {}
        }
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.as_root("umount", &["--lazy"]);
    }
}

#[test]
fn a_full_disk_holds_the_checkpoint_back_and_loses_nothing() {
    let outbox = Outbox::new("disk-full");
    let disk = Disk::mount(&outbox.scratch.path("data"));
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let mut outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..101, 7));
    followed.until(100, SEEN_MAX);
    let filler = disk.fill();
    for first in (101..2_001).step_by(100) {
        sql.run(&Outbox::insert(first..first + 100, 7));
    }
    until("words on the disk, or all rows", SEEN_MAX, || {
        let log = outflow.log();
        log.contains("could not be written") || log.contains("sled failed")
    });
    std::fs::remove_file(filler).unwrap();
    sql.run(&Outbox::insert(2_001..2_101, 7));
    followed.until(2_100, SEEN_MAX);
    assert_eq!(outflow.exit_code(), None, "a full disk may be emptied");
    assert_eq!(outflow.stop(), 0);
    outbox.catch_up();
    let repeats = followed.compare(&mut sql);
    eprintln!("{} rows repeated, that the disk had no room for", repeats.len());
}

#[test]
fn a_disk_that_cannot_be_written_stops_the_start_with_words() {
    let outbox = Outbox::new("disk-read-only");
    let disk = Disk::mount(&outbox.scratch.path("data"));
    let (mut sql, followed) = (outbox.sql(), outbox.follow());
    outbox.catch_up();
    sql.run(&Outbox::insert(1..101, 7));
    disk.as_root("mount", &["-o", "remount,ro"]);
    let mut outflow = outbox.start();
    assert_eq!(outflow.ended(SEEN_MAX), 1);
    let log = outflow.log();
    assert!(log.contains("--data-dir") && log.contains("Read-only"), "no cure in:\n{log}");
    disk.as_root("mount", &["-o", "remount,rw"]);
    outbox.catch_up();
    followed.compare_once(&mut sql);
}
