use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::{GtidError, GtidSet, SnapshotProgress};

/// The member that Debezium does not know, and passes over.
const PROGRESS: &str = "outflow_snapshot";

/// A place in the binary log: a file's name and a byte position in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BinlogPosition {
    /// The log file's name, such as `binlog.000042`.
    pub file: String,
    /// The byte position of an event's start. Files may exceed 4 GiB.
    pub pos: u64,
}

impl BinlogPosition {
    /// Whether this place is at or before `other` in the log of one server, whose files are numbered upwards.
    #[must_use]
    pub fn is_behind(&self, other: &Self) -> bool {
        let key = |position: &Self| (position.file.len(), position.file.clone(), position.pos);
        key(self) <= key(other)
    }
}

/// Where a connector goes on: what Debezium stores under the same names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offset {
    /// Inside a transaction the start of its BEGIN event, otherwise the end of the last event.
    pub position: BinlogPosition,
    /// The transactions completed before this place; `None` on a server without GTIDs.
    pub gtids: Option<GtidSet>,
    /// Events of the transaction in progress that are fully handled, its BEGIN included.
    pub event: u64,
    /// Rows already acknowledged of the event after those.
    pub row: u64,
    /// When the last event was made, in seconds since the epoch.
    pub ts_sec: u64,
    /// The server that wrote it; 0 for unknown.
    pub server_id: u32,
    /// Debezium's word for a snapshot that has not ended (`INITIAL`).
    pub snapshot: Option<String>,
    /// How far that snapshot has come, where it is one of ours.
    pub progress: Option<Arc<SnapshotProgress>>,
}

/// Why a stored offset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OffsetError {
    /// Not a JSON object.
    #[error("the offset is not a JSON object")]
    NotAnObject,
    /// A member is missing or of another kind.
    #[error("the offset's member {0:?} is missing or malformed")]
    Member(&'static str),
    /// The GTID set does not parse.
    #[error("the offset's member \"gtids\" is malformed")]
    Gtids(#[from] GtidError),
}

impl Offset {
    /// Reads Debezium's JSON form; members it does not know are passed over.
    ///
    /// # Errors
    /// When a member is missing or malformed.
    pub fn from_json(json: &Json) -> Result<Self, OffsetError> {
        let object = json.as_object().ok_or(OffsetError::NotAnObject)?;
        let number = |name: &'static str| match object.get(name) {
            None | Some(Json::Null) => Ok(0),
            // Debezium takes a number's text too, which may come from Connect's REST API.
            Some(Json::String(text)) => text.trim().parse().map_err(|_| OffsetError::Member(name)),
            Some(value) => value.as_u64().ok_or(OffsetError::Member(name)),
        };
        let file = object.get("file").and_then(Json::as_str).ok_or(OffsetError::Member("file"))?;
        let gtids = match object.get("gtids") {
            None | Some(Json::Null) => None,
            Some(value) => Some(value.as_str().ok_or(OffsetError::Member("gtids"))?.parse()?),
        };
        let snapshot_completed = object.get("snapshot_completed") == Some(&Json::Bool(true));
        let snapshot = match object.get("snapshot") {
            Some(Json::String(kind)) if !snapshot_completed => Some(kind.clone()),
            Some(Json::Bool(true)) if !snapshot_completed => Some("INITIAL".to_owned()),
            _ => None,
        };
        let progress = match object.get(PROGRESS) {
            Some(Json::String(text)) if snapshot.is_some() => {
                let progress = serde_json::from_str(text);
                Some(Arc::new(progress.map_err(|_| OffsetError::Member(PROGRESS))?))
            }
            _ => None,
        };
        Ok(Self {
            position: BinlogPosition { file: file.to_owned(), pos: number("pos")? },
            gtids,
            event: number("event")?,
            row: number("row")?,
            ts_sec: number("ts_sec")?,
            server_id: u32::try_from(number("server_id")?)
                .map_err(|_| OffsetError::Member("server_id"))?,
            snapshot,
            progress,
        })
    }

    /// Debezium's JSON form.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Map::new();
        if self.ts_sec > 0 {
            object.insert("ts_sec".into(), self.ts_sec.into());
        }
        object.insert("file".into(), self.position.file.clone().into());
        object.insert("pos".into(), self.position.pos.into());
        if let Some(gtids) = &self.gtids {
            object.insert("gtids".into(), gtids.to_string().into());
        }
        if let Some(snapshot) = &self.snapshot {
            object.insert("snapshot".into(), snapshot.clone().into());
        }
        // As text, since Connect takes no structures in an offset.
        if let Some(text) =
            self.progress.as_deref().and_then(|progress| serde_json::to_string(progress).ok())
        {
            object.insert(PROGRESS.into(), text.into());
        }
        for (name, value) in
            [("row", self.row), ("server_id", u64::from(self.server_id)), ("event", self.event)]
        {
            if value > 0 {
                object.insert(name.into(), value.into());
            }
        }
        Json::Object(object)
    }
}
