use serde_json::{Value as Json, json};

use super::{OffsetsTopic, OffsetsTopicError};
use crate::offset::{Offset, OffsetError};

/// The header of a position record that says which process wrote it. Connect passes over headers there.
pub const OWNER: &str = "outflow.owner";

/// What Connect stored for a connector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredOffset {
    /// Where to go on.
    pub offset: Offset,
    /// A snapshot that a signal asked for was under way, which outflow does not go on with.
    pub ad_hoc_snapshot: bool,
    /// The process that wrote it, where that was an outflow: what its header [`OWNER`] says.
    pub owner: Option<String>,
}

/// The key of a connector's record, as Connect's schemaless JSON converter writes it.
pub(super) fn key(connector: &str, topic_prefix: &str) -> Vec<u8> {
    json!([connector, { "server": topic_prefix }]).to_string().into_bytes()
}

impl OffsetsTopic {
    /// The value of the record that says to go on at `offset`.
    #[must_use]
    pub fn value(offset: &Offset) -> Vec<u8> {
        offset.to_json().to_string().into_bytes()
    }

    /// What a record's value says; `None` for a tombstone, and for JSON's `null`: no offset.
    ///
    /// # Errors
    /// When it is no offset of the MySQL connector.
    pub fn parse(&self, value: Option<&[u8]>) -> Result<Option<StoredOffset>, OffsetsTopicError> {
        let Some(value) = value else { return Ok(None) };
        stored(value).map_err(|source| OffsetsTopicError::Malformed {
            topic: self.topic.clone(),
            key: String::from_utf8_lossy(&self.key).into_owned(),
            source,
        })
    }
}

fn stored(value: &[u8]) -> Result<Option<StoredOffset>, OffsetError> {
    let json: Json = serde_json::from_slice(value).map_err(|_| OffsetError::NotAnObject)?;
    // A worker of 1.x may have had `internal.value.converter.schemas.enable=true`.
    let json = match json {
        Json::Object(mut object) if object.len() == 2 && object.contains_key("schema") => {
            object.remove("payload").unwrap_or(Json::Object(object))
        }
        json => json,
    };
    if json.is_null() {
        return Ok(None);
    }
    let mut offset = Offset::from_json(&json)?;
    let is_initial = |kind: &mut String| INITIAL.iter().any(|word| word.eq_ignore_ascii_case(kind));
    let other_snapshot = offset.snapshot.take_if(|kind| !is_initial(kind)).is_some();
    let collections = json.get("incremental_snapshot_collections");
    let incremental = collections.is_some_and(|collections| !collections.is_null());
    let ad_hoc_snapshot = other_snapshot || incremental;
    Ok(Some(StoredOffset { offset, ad_hoc_snapshot, owner: None }))
}

/// Debezium's words for the snapshot at a first start; the others are asked for while it streams, and a
/// restart does not begin them again.
const INITIAL: [&str; 2] = ["INITIAL", "true"];

#[cfg(test)]
mod tests {
    use super::*;

    /// As Connect 4.3.1 and Debezium 3.6.1 write them, to the partition of three that they choose.
    const KEY: &str = r#"["mig-one",{"server":"mig_srv"}]"#;
    const PARTITION: i32 = 2;

    #[test]
    fn keys_are_byte_for_byte_connects() {
        assert_eq!(key("mig-one", "mig_srv"), KEY.as_bytes());
        assert_eq!(super::super::partition_of(KEY.as_bytes(), 3), PARTITION);
        assert_eq!(
            key("a\"\\/é\u{1F600}", "p"),
            "[\"a\\\"\\\\/é\u{1F600}\",{\"server\":\"p\"}]".as_bytes()
        );
    }

    #[test]
    fn values_of_all_versions_are_read() {
        let read = |text: &str| stored(text.as_bytes()).unwrap().unwrap();
        let found = read(
            r#"{"transaction_id":"150b2dea-ec69-11f1-8016-02fc00000001:6","transaction_data_collection_order_mig.outbox":2,"ts_sec":1796007413,"file":"binlog.000001","pos":1663,"gtids":"150b2dea-ec69-11f1-8016-02fc00000001:1-5","server_id":1,"event":3}"#,
        );
        let offset = &found.offset;
        assert_eq!((offset.position.file.as_str(), offset.position.pos), ("binlog.000001", 1663));
        assert_eq!(
            offset.gtids.as_ref().unwrap().to_string(),
            "150b2dea-ec69-11f1-8016-02fc00000001:1-5"
        );
        assert_eq!((offset.event, offset.row, offset.server_id), (3, 0, 1));
        assert_eq!((offset.ts_sec, &offset.snapshot), (1_796_007_413, &None));
        assert!(!found.ad_hoc_snapshot);

        for (text, snapshot) in [
            (r#"{"snapshot":"INITIAL","file":"b.1","pos":4,"snapshot_completed":false}"#, true),
            (r#"{"snapshot":true,"file":"b.1","pos":"4"}"#, true), // 1.x; a number as text from the REST API.
            (r#"{"snapshot":true,"snapshot_completed":true,"file":"b.1","pos":4}"#, false),
            (r#"{"snapshot":false,"file":"b.1","pos":4,"gtids":null}"#, false),
            (r#"{"schema":null,"payload":{"file":"b.1","pos":4}}"#, false), // Schemas enabled.
        ] {
            let Offset { position, gtids, snapshot: found, .. } = read(text).offset;
            assert_eq!((position.pos, gtids, found.is_some()), (4, None, snapshot), "{text}");
        }
        for text in [
            r#"{"file":"b.1","pos":4,"incremental_snapshot_collections":"[]"}"#,
            r#"{"file":"b.1","pos":4,"snapshot":"BLOCKING"}"#,
        ] {
            let found = read(text);
            assert!(found.ad_hoc_snapshot && found.offset.snapshot.is_none(), "{text}");
        }
        for text in ["", "[]", "{}", r#"{"file":"b.1","pos":-4}"#, r#"{"pos":4}"#] {
            assert!(stored(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(stored(b"null").unwrap(), None);
    }

    #[test]
    fn an_offset_survives_the_way_there_and_back() {
        let offset = Offset {
            gtids: Some("150b2dea-ec69-11f1-8016-02fc00000001:1-5:tag:7".parse().unwrap()),
            event: 3,
            row: 2,
            ts_sec: 7,
            server_id: 9,
            ..read_place()
        };
        for offset in [offset, read_place()] {
            assert_eq!(stored(&OffsetsTopic::value(&offset)).unwrap().unwrap().offset, offset);
        }
    }

    fn read_place() -> Offset {
        stored(br#"{"file":"b.000001","pos":157}"#).unwrap().unwrap().offset
    }
}
