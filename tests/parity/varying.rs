//! The few things that change from run to run, all in this place. (The time of processing is told apart from an
//! event's time where events are read.)

use fancy_regex::Regex;

use super::case::Case;
use super::event::Event;

/// An id that each start makes anew.
const RUN_ID: &str = "__debezium.context.runId";

/// Replaces what changes from run to run.
pub(super) fn mask(case: &Case, mut event: Event) -> Event {
    // Any partition is right for a record that has neither key nor placed partition.
    if event.key.is_none() && !case.has_placed_partition {
        event.partition = None;
    }
    for (name, value) in &mut event.headers {
        if name == RUN_ID && value.as_ref().is_some_and(|value| value.len() == 36) {
            *value = Some(b"run".to_vec());
        }
        *value = value.take().map(mask_address);
    }
    event.value = event.value.map(mask_address).map(mask_source);
    event
}

/// Java's text of a byte array is its address.
fn mask_address(bytes: Vec<u8>) -> Vec<u8> {
    let is_address = bytes.strip_prefix(b"[B@").is_some_and(|hash| {
        !hash.is_empty()
            && hash.len() <= 8
            && hash.iter().all(|byte| b"0123456789abcdef".contains(byte))
    });
    if is_address { b"[B@".to_vec() } else { bytes }
}

/// Times and places of the log in Debezium's own envelope.
fn mask_source(bytes: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) if text.contains(r#""source":{"version""#) => {
            let numbers =
                Regex::new(r#""(ts_ms|ts_us|ts_ns|pos|thread|server_id)":[0-9]+"#).unwrap();
            let texts = Regex::new(r#""(gtid|file)":"[^"]*""#).unwrap();
            let text = numbers.replace_all(&text, r#""$1":0"#);
            texts.replace_all(&text, r#""$1":"""#).into_owned().into_bytes()
        }
        Ok(text) if text.contains("source=Struct{version=") => {
            let numbers = Regex::new(r"\b(ts_ms|ts_us|ts_ns|pos|thread|server_id)=[0-9]+").unwrap();
            let texts = Regex::new(r"\b(gtid|file)=[^,}]*").unwrap();
            let text = numbers.replace_all(&text, "$1=0");
            texts.replace_all(&text, "$1=").into_owned().into_bytes()
        }
        Ok(text) => text.into_bytes(),
        Err(err) => err.into_bytes(),
    }
}
