//! Any file of the data folder is cut, emptied, overwritten or gone: the next start is right or stops with words, and
//! says so where what it goes on from may be older.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{Kafka, Offsets, Outbox};

use super::PUBLISHED_MAX;

/// Until a start has caught up or given up.
const ENDED_MAX: Duration = Duration::from_secs(60);

/// Something that happens to a file, and its name.
type Damage = (&'static str, fn(&Path));

const DAMAGES: [Damage; 5] = [
    ("emptied", |path| fs::write(path, b"").unwrap()),
    ("cut", |path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }),
    ("zeroed", |path| fs::write(path, vec![0; fs::read(path).unwrap().len()]).unwrap()),
    ("scratched", |path| {
        let mut bytes = fs::read(path).unwrap();
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0);
        for byte in bytes.iter_mut().take(used).skip(used / 2) {
            *byte ^= 0x5a;
        }
        fs::write(path, bytes).unwrap();
    }),
    ("gone", |path| fs::remove_file(path).unwrap()),
];

/// All files below a folder, by their paths in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    if to.exists() {
        fs::remove_dir_all(to).unwrap();
    }
    for file in files(from) {
        let copy = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(&file, copy).unwrap();
    }
}

/// A folder that knows of fifty published rows; ten more were committed since.
fn used_folder(name: &str) -> (Outbox, PathBuf) {
    let outbox = Outbox::new(name);
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start().ready();
    for first in (1..51).step_by(10) {
        sql.run(&Outbox::insert(first..first + 10, 5));
        followed.until(usize::try_from(first).unwrap() + 9, PUBLISHED_MAX);
    }
    assert_eq!(outflow.stop(), 0);
    sql.run(&Outbox::insert(51..61, 5));
    // Another table's, which may pass without sled.
    let name = format!("'{}-noise'", outbox.schema);
    sql.run("CREATE TABLE noise (id INT PRIMARY KEY)");
    sql.run(&format!(
        "XA START {name}; INSERT INTO noise VALUES (1); XA END {name}; XA PREPARE {name}"
    ));
    sql.run(&format!("XA COMMIT {name}"));
    let kept = outbox.scratch.path("kept");
    copy(&outbox.scratch.path("data"), &kept);
    (outbox, kept)
}

/// Starts on the damaged folder; what it did, in words, when that is right.
fn start(outbox: &Outbox, what: &str) -> &'static str {
    let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
    let ends = |kafka: &Kafka| -> Offsets { kafka.ends(|name| name == outbox.topic) };
    let before = ends(&kafka);
    let servers = &outbox.broker.bootstrap_servers;
    let mut outflow = outbox.start_with(&["--bootstrap-servers", servers, "--until-caught-up"]);
    let code = outflow.ended(ENDED_MAX);
    let log = outflow.log();
    let records = kafka.read(&before, &ends(&kafka));
    let ids: BTreeSet<u64> =
        records.iter().map(|record| record.header("id").unwrap().parse().unwrap()).collect();
    if code != 0 {
        assert_eq!(code, 1, "{what}:\n{log}");
        assert!(ids.is_empty(), "{what}: it stopped, but published {ids:?}");
        assert!(log.contains("damaged") && log.contains("offsets import"), "{what}:\n{log}");
        return "stops";
    }
    assert_eq!(records.len(), ids.len(), "{what}: an event came twice");
    let missing: Vec<u64> = (51..61).filter(|id| !ids.contains(id)).collect();
    assert!(missing.is_empty(), "{what}: {missing:?} are lost:\n{log}");
    let told = log.contains("plain cop");
    if ids.len() > 10 {
        assert!(told, "{what}: it goes on from an older place and does not say so:\n{log}");
        return "goes on from an older place and says so";
    }
    if told { "goes on and says so" } else { "goes on" }
}

#[test]
fn a_damaged_file_loses_nothing_in_silence() {
    let (outbox, kept) = used_folder("damage");
    let data = outbox.scratch.path("data");
    let names: Vec<PathBuf> =
        files(&kept).iter().map(|path| path.strip_prefix(&kept).unwrap().to_owned()).collect();
    assert!(names.len() >= 5, "{names:?}");
    for name in names.iter().filter(|name| !name.ends_with("lock")) {
        for (kind, damage) in DAMAGES {
            copy(&kept, &data);
            damage(&data.join(name));
            let what = format!("{} {kind}", name.display());
            eprintln!("{what}: {}", start(&outbox, &what));
        }
    }
}

#[test]
fn without_either_copy_sled_is_enough_and_without_sled_one_copy() {
    let (outbox, kept) = used_folder("damage-more");
    let data = outbox.scratch.path("data");
    let remove = |part: &str| {
        for file in files(&data).iter().filter(|file| file.to_string_lossy().contains(part)) {
            fs::remove_file(file).unwrap();
        }
    };
    for parts in [[".offset.", "nothing"], [".offset.0", "sled/"], [".offset.1", "sled/"]] {
        copy(&kept, &data);
        parts.iter().for_each(|part| remove(part));
        eprintln!("without {parts:?}: {}", start(&outbox, &format!("without {parts:?}")));
    }
    // With nothing whole it must not take this for a first start.
    copy(&kept, &data);
    remove(".offset.");
    let files = files(&data.join("sled"));
    files.iter().for_each(|file| fs::write(file, vec![0xff; 4_000]).unwrap());
    assert_eq!(start(&outbox, "everything damaged"), "stops");
}

#[test]
fn rows_that_were_prepared_in_a_lost_sled_stop_it_and_can_be_read_again() {
    let outbox = Outbox::new("damage-xa");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    outbox.catch_up();
    let before = outbox.stored().to_string();
    let before = outbox.scratch.write("before.json", &before);
    let outflow = outbox.start().ready();
    let name = format!("'{}-lost'", outbox.schema);
    let insert = Outbox::insert(11..21, 3);
    sql.run(&format!("XA START {name}; {insert}; XA END {name}; XA PREPARE {name}"));
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    fs::remove_dir_all(outbox.scratch.path("data").join("sled")).unwrap();
    sql.run(&format!("XA COMMIT {name}"));
    for _ in 0..2 {
        let mut outflow = outbox.start();
        assert_eq!(outflow.ended(ENDED_MAX), 1);
        let log = outflow.log();
        assert!(log.contains("may have been lost") && log.contains("offsets import"), "{log}");
    }
    let (file, data) = (outbox.file(), outbox.scratch.path("data"));
    let mut import = crate::support::Outflow::start(
        &outbox.scratch.path(""),
        &[
            Path::new("offsets"),
            Path::new("import"),
            &file,
            Path::new("--data-dir"),
            &data,
            Path::new("--from"),
            &before,
        ],
    );
    assert_eq!(import.ended(ENDED_MAX), 0, "{}", import.log());
    outbox.catch_up();
    // What had been published came again with it.
    assert_eq!(followed.compare(&mut sql).len(), 10);
}

#[test]
fn a_folder_that_is_removed_or_moved_while_it_runs_loses_nothing() {
    type Away = fn(&Path);
    let ways: [(&str, Away); 2] = [
        ("removed", |path| fs::remove_dir_all(path).unwrap()),
        ("moved", |path| fs::rename(path, path.with_extension("moved")).unwrap()),
    ];
    for (name, away) in ways {
        let outbox = Outbox::new(&format!("folder-{name}"));
        let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
        let mut outflow = outbox.start().ready();
        sql.run(&Outbox::insert(1..11, 3));
        followed.until(10, PUBLISHED_MAX);
        away(&outbox.scratch.path("data"));
        sql.run(&Outbox::insert(11..21, 3));
        followed.until(20, PUBLISHED_MAX);
        outflow.logs("removed or moved away while it was in use", PUBLISHED_MAX);
        assert_eq!(outflow.stop(), 0);
        sql.run(&Outbox::insert(21..31, 3));
        outbox.catch_up();
        followed.compare_once(&mut sql);
    }
}
