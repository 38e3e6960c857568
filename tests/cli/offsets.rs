use serde_json::Value;

use super::{ENDED_MAX, run};
use crate::support::Outbox;

/// `outflow offsets ACTION FILE` on the outbox's folder: its output, which must be one line.
fn offsets(outbox: &Outbox, action: &str, more: &[&str]) -> String {
    let (file, data_dir) = (outbox.file(), outbox.scratch.path("data"));
    let mut arguments = vec!["offsets", action, file.to_str().unwrap()];
    arguments.extend(["--data-dir", data_dir.to_str().unwrap()]);
    arguments.extend(more);
    let (code, output, errors) = run(&arguments);
    assert_eq!(code, 0, "{errors}");
    assert_eq!(output.lines().count(), 1, "{output}");
    output
}

fn published(outbox: &Outbox) -> usize {
    let mut outflow = outbox.start_with(&["--sink", "stdout", "--until-caught-up"]);
    assert_eq!(outflow.ended(ENDED_MAX), 0);
    outflow.output().lines().count()
}

#[test]
fn a_position_can_be_shown_exported_forgotten_and_brought_back() {
    let outbox = Outbox::new("offsets").with("snapshot.mode", "initial");
    outbox.sql().run(&Outbox::insert(1..6, 3));
    assert_eq!(published(&outbox), 5);

    let exported = offsets(&outbox, "export", &[]);
    let record: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(record["key"][0], outbox.schema.as_str());
    assert_eq!(record["key"][1]["server"], outbox.config["topic.prefix"]);
    let shown: Value = serde_json::from_str(&offsets(&outbox, "show", &[])).unwrap();
    assert_eq!(shown["offset"], record["value"]);
    assert!(shown["offset"]["gtids"].is_string() && shown["offset"]["file"].is_string());

    offsets(&outbox, "reset", &[]);
    let shown: Value = serde_json::from_str(&offsets(&outbox, "show", &[])).unwrap();
    assert!(shown["offset"].is_null());
    assert_eq!(published(&outbox), 5, "a first start publishes the rows that are there");

    offsets(&outbox, "reset", &[]);
    let saved = outbox.scratch.write("offset.json", &exported);
    outbox.sql().run(&Outbox::insert(6..8, 3));
    offsets(&outbox, "import", &["--from", saved.to_str().unwrap()]);
    assert_eq!(published(&outbox), 2, "it goes on where the exported position is");

    let mut record = record;
    record["key"][0] = "another".into();
    let saved = outbox.scratch.write("another.json", &record.to_string());
    let (file, data_dir) = (outbox.file(), outbox.scratch.path("data"));
    let arguments = ["offsets", "import", "--from", saved.to_str().unwrap(), "--data-dir"];
    let places = [data_dir.to_str().unwrap(), file.to_str().unwrap()];
    let (code, _, errors) = run(&[&arguments[..], &places].concat());
    assert_eq!(code, 0, "{errors}");
    assert!(errors.contains("that of connector \"another\""), "{errors}");
}
