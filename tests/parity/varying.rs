//! The few things that change from run to run, all in this place. (The time of processing is told apart from an
//! event's time where events are read.)

use fancy_regex::Regex;

use super::case::Case;
use super::event::Event;

/// An id that each start makes anew.
const RUN_ID: &str = "__debezium.context.runId";

/// Replaces what changes from run to run.
pub(super) fn settle(case: &Case, events: &[Event]) -> Vec<Event> {
    let events = events.iter().map(|event| mask(case, event.clone())).collect();
    number_transactions(one_heartbeat(events))
}

fn mask(case: &Case, mut event: Event) -> Event {
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

/// How many heartbeats there are depends on how long a run takes: one stands for all of a topic.
fn one_heartbeat(events: Vec<Event>) -> Vec<Event> {
    let time = Regex::new(r#"^(\{.*"payload":)?(Struct)?\{"?ts_ms"?[:=][0-9]+\}+$"#).unwrap();
    let mut settled: Vec<Event> = Vec::new();
    for mut event in events {
        let is_heartbeat =
            text(event.value.as_deref()).is_some_and(|text| time.is_match(text).unwrap());
        if is_heartbeat {
            let digits = Regex::new("ts_ms(\"?)[:=][0-9]+").unwrap();
            let value = text(event.value.as_deref()).unwrap();
            event.value = Some(digits.replace_all(value, "ts_ms").into_owned().into_bytes());
            if settled.contains(&event) {
                continue;
            }
        }
        settled.push(event);
    }
    settled
}

/// Transactions have other ids on every server, so records of theirs come to other partitions; and the log holds
/// those of others too. Those in which the case has rows are numbered by their order in the log, the rest goes.
fn number_transactions(events: Vec<Event>) -> Vec<Event> {
    let id = Regex::new(r#"[0-9a-f-]{36}:([0-9]+)"#).unwrap();
    let number = |bytes: Option<&[u8]>| -> Option<u64> {
        let text = text(bytes)?;
        let group = id.captures(text).unwrap()?.get(1)?;
        group.as_str().parse().ok()
    };
    let is_status = |event: &Event, status: &str| {
        let wanted = [format!(r#""status":"{status}""#), format!("Struct{{status={status},")];
        text(event.value.as_deref())
            .is_some_and(|text| wanted.iter().any(|part| text.contains(part)))
    };
    let is_empty = Regex::new(r#"event_count"?[:=]0\b"#).unwrap();
    let ended = events.iter().filter(|event| is_status(event, "END"));
    let with_rows =
        ended.filter(|end| !is_empty.is_match(text(end.value.as_deref()).unwrap()).unwrap());
    let mut known: Vec<u64> = with_rows.filter_map(|end| number(end.key.as_deref())).collect();
    known.sort_unstable();
    let named = |text: &str| {
        let time = Regex::new(r#"(ts_ms"?[:=])[0-9]+"#).unwrap();
        let place = |captures: &fancy_regex::Captures<'_, str>| {
            let number: u64 = captures[1].parse().unwrap();
            format!("transaction {:?}", known.iter().position(|known| *known == number))
        };
        let text = id.replace_all(text, place);
        time.replace_all(&text, "${1}0").into_owned().into_bytes()
    };
    let mut settled = Vec::new();
    for mut event in events {
        if is_status(&event, "BEGIN") || is_status(&event, "END") {
            if !number(event.key.as_deref()).is_some_and(|number| known.contains(&number)) {
                continue;
            }
            event.partition = None;
            event.key = event.key.as_deref().map(|key| named(text(Some(key)).unwrap()));
            event.value = event.value.as_deref().map(|value| named(text(Some(value)).unwrap()));
        } else if text(event.value.as_deref()).is_some_and(|text| text.contains("total_order")) {
            event.value = event.value.as_deref().map(|value| named(text(Some(value)).unwrap()));
        }
        settled.push(event);
    }
    settled
}

fn text(bytes: Option<&[u8]>) -> Option<&str> {
    std::str::from_utf8(bytes?).ok()
}
