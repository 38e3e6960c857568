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
        let mask_value = if name == RUN_ID { mask_uuid } else { mask_address };
        *value = value.take().map(mask_value);
    }
    event.value = event.value.map(mask_address).map(mask_source);
    event
}

/// A header's converter may have put quotes and a schema around it.
fn mask_uuid(bytes: Vec<u8>) -> Vec<u8> {
    let uuid = Regex::new(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b").unwrap();
    let text = String::from_utf8(bytes).unwrap();
    uuid.replace_all(&text, "run").into_owned().into_bytes()
}

/// Java's text of a byte array is its address, within a struct's text as well.
fn mask_address(bytes: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) if text.contains("[B@") => {
            let address = Regex::new(r"\[B@[0-9a-f]{1,8}\b").unwrap();
            address.replace_all(&text, "[B@").into_owned().into_bytes()
        }
        Ok(text) => text.into_bytes(),
        Err(err) => err.into_bytes(),
    }
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
