//! Events and positions.

use outflow::offset::{GtidSet, Offset};
use outflow::source::Unpacker;
use outflow::source::event;
use proptest::collection::vec;
use proptest::prelude::*;

use super::fuzz;

/// Reads a body as every kind of event.
fn read(body: &[u8]) {
    let _header = event::EventHeader::parse(body).map(|header| header.type_name());
    let _all = (
        event::FormatDescription::parse(body).is_ok(),
        event::Rotate::parse(body).is_ok(),
        event::Query::parse(body).is_ok(),
        event::Xid::parse(body).is_ok(),
        event::XaPrepare::parse(body).map(|prepare| prepare.name()).is_ok(),
        event::Heartbeat::parse(body).is_ok(),
        event::Heartbeat::parse_v2(body).is_ok(),
        event::RowsQuery::parse(body).is_ok(),
        event::Incident::parse(body).is_ok(),
        event::GtidEvent::parse(body).is_ok(),
        event::GtidEvent::parse_tagged(body).is_ok(),
    );
    let mut unpacker = Unpacker::default();
    if let Ok(payload) = event::Payload::parse(body)
        && let Ok(mut inner) = unpacker.read(&payload)
    {
        while let Ok(Some(_)) = inner.next(|table_id| table_id % 2 == 0) {}
    }
}

/// Few different bytes make more sense than any: lengths stay small, flags and codes are met.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![4 => 0_u8..8, 2 => Just(0xff), 1 => 0x20_u8..0x7f, 2 => any::<u8>()];
    vec(byte, 0..160)
}

#[test]
fn every_event_returns() {
    fuzz("events", &bytes(), |body| read(&body));
}

#[test]
fn every_compressed_transaction_returns() {
    let events = vec(bytes(), 0..6);
    fuzz("compressed transactions", &(events, any::<bool>(), any::<u16>()), |(events, cut, at)| {
        let mut plain = Vec::new();
        for body in events {
            let length = u32::try_from(19 + body.len()).unwrap();
            plain.extend([0, 0, 0, 0, body.first().copied().unwrap_or(2) % 45, 1, 0, 0, 0]);
            plain.extend(length.to_le_bytes());
            plain.extend([0, 0, 0, 0, 0, 0]);
            plain.extend(body);
        }
        let packed = zstd::encode_all(plain.as_slice(), 1).unwrap();
        let mut body = vec![2, 1, 0, 1, 4, 0xfd];
        body.extend(&u32::try_from(packed.len()).unwrap().to_le_bytes()[..3]);
        body.push(0);
        body.extend(packed);
        if cut {
            body.truncate(usize::from(at) % (body.len() + 1));
        }
        read(&body);
    });
}

#[test]
fn every_position_returns() {
    let text = prop_oneof![
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(:[a-z_]{1,3})?(:[0-9]{1,20}(-[0-9]{1,20})?){0,3}",
        "[0-9a-f:,\\- \n]{0,80}",
        any::<String>(),
    ];
    let sets = vec(text, 0..3);
    fuzz("GTID sets", &(sets, bytes()), |(texts, bytes)| {
        let parsed: Vec<GtidSet> = texts.iter().filter_map(|text| text.parse().ok()).collect();
        let read = GtidSet::from_bytes(&bytes);
        for set in parsed.iter().chain(&read) {
            let again: GtidSet = set.to_string().parse().unwrap();
            assert_eq!(again, *set);
            assert_eq!(GtidSet::from_bytes(&set.to_bytes()).unwrap(), *set);
            let mut rest = set.clone();
            for other in &parsed {
                let both = set.intersect(other);
                assert!(both.is_subset_of(set) && both.is_subset_of(other));
                rest.subtract(other);
                assert!(rest.intersect(other).is_empty());
                rest.union(&both);
            }
            let _count = set.count();
        }
    });
}

#[test]
fn every_stored_offset_returns() {
    let member = prop_oneof![
        Just("file"),
        Just("pos"),
        Just("gtids"),
        Just("row"),
        Just("event"),
        Just("ts_sec"),
        Just("server_id"),
        Just("snapshot"),
        Just("snapshot_completed"),
    ];
    let value = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("\"binlog.000001\"".to_owned()),
        any::<u64>().prop_map(|number| number.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_filter("JSON", |n| n.is_finite()).prop_map(|number| number.to_string()),
        "\"[0-9a-f:-]{0,40}\"",
        Just("[1,{}]".to_owned()),
    ];
    fuzz("offsets", &vec((member, value), 0..9), |members| {
        let members: Vec<String> =
            members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let json = serde_json::from_str(&format!("{{{}}}", members.join(","))).unwrap();
        if let Ok(offset) = Offset::from_json(&json) {
            let again = Offset::from_json(&offset.to_json()).unwrap();
            assert_eq!(again, offset);
        }
    });
}
