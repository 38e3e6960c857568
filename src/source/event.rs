//! Events of the binary log: their types, the common header, and a body each for those that outflow reads.
//! Sources: MySQL 9.7 developer documentation, "Binary Log Event"; `mysql/binlog/event` headers.

use std::borrow::Cow;

use super::bytes::Reader;

mod body;
mod gtid;
mod session;

pub use body::{
    FormatDescription, Heartbeat, Incident, Payload, Query, Rotate, RowsQuery, XaPrepare, Xid,
};
pub use gtid::GtidEvent;
pub use session::Databases;

macro_rules! event_types {
    ($($name:ident = $number:literal,)*) => {
        $(#[doc = concat!("Event type ", $number, ".")] pub const $name: u8 = $number;)*

        /// MySQL's name of an event type, where it has one.
        #[must_use]
        pub fn event_type_name(event_type: u8) -> Option<&'static str> {
            match event_type {
                $($name => Some(stringify!($name)),)*
                _ => None,
            }
        }
    };
}

event_types! {
    UNKNOWN_EVENT = 0,
    START_EVENT_V3 = 1,
    QUERY_EVENT = 2,
    STOP_EVENT = 3,
    ROTATE_EVENT = 4,
    INTVAR_EVENT = 5,
    SLAVE_EVENT = 7,
    APPEND_BLOCK_EVENT = 9,
    DELETE_FILE_EVENT = 11,
    RAND_EVENT = 13,
    USER_VAR_EVENT = 14,
    FORMAT_DESCRIPTION_EVENT = 15,
    XID_EVENT = 16,
    BEGIN_LOAD_QUERY_EVENT = 17,
    EXECUTE_LOAD_QUERY_EVENT = 18,
    TABLE_MAP_EVENT = 19,
    WRITE_ROWS_EVENT_V1 = 23,
    UPDATE_ROWS_EVENT_V1 = 24,
    DELETE_ROWS_EVENT_V1 = 25,
    INCIDENT_EVENT = 26,
    HEARTBEAT_LOG_EVENT = 27,
    IGNORABLE_LOG_EVENT = 28,
    ROWS_QUERY_LOG_EVENT = 29,
    WRITE_ROWS_EVENT = 30,
    UPDATE_ROWS_EVENT = 31,
    DELETE_ROWS_EVENT = 32,
    GTID_LOG_EVENT = 33,
    ANONYMOUS_GTID_LOG_EVENT = 34,
    PREVIOUS_GTIDS_LOG_EVENT = 35,
    TRANSACTION_CONTEXT_EVENT = 36,
    VIEW_CHANGE_EVENT = 37,
    XA_PREPARE_LOG_EVENT = 38,
    PARTIAL_UPDATE_ROWS_EVENT = 39,
    TRANSACTION_PAYLOAD_EVENT = 40,
    HEARTBEAT_LOG_EVENT_V2 = 41,
    GTID_TAGGED_LOG_EVENT = 42,
}

/// Flag of an event that the server made up for this stream: it is in no log file.
pub const LOG_EVENT_ARTIFICIAL_F: u16 = 0x20;
/// Flag of an event that a reader which does not know its type may skip.
pub const LOG_EVENT_IGNORABLE_F: u16 = 0x80;
/// Length of the header common to all events.
pub const HEADER_LENGTH: usize = 19;

/// Whether events of this type carry rows: a table's id comes first in their body.
#[must_use]
pub fn is_rows_event(event_type: u8) -> bool {
    matches!(
        event_type,
        WRITE_ROWS_EVENT_V1..=DELETE_ROWS_EVENT_V1
            | WRITE_ROWS_EVENT..=DELETE_ROWS_EVENT
            | PARTIAL_UPDATE_ROWS_EVENT
    )
}

/// Why bytes are not the event they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// The bytes end early.
    #[error("the event ends early")]
    TooShort,
    /// A member has an impossible value.
    #[error("{0} in the event is malformed")]
    Malformed(&'static str),
}

/// The header common to all events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventHeader {
    /// When the statement began, in seconds since the epoch; 0 for an artificial event.
    pub timestamp: u32,
    /// One of the event types.
    pub event_type: u8,
    /// The server that wrote it first.
    pub server_id: u32,
    /// Length with header and checksum.
    pub event_size: u32,
    /// Where it ends in the log file, modulo 2^32; 0 for an artificial event.
    pub log_pos: u32,
    /// The `LOG_EVENT_…_F` flags.
    pub flags: u16,
}

impl EventHeader {
    /// Reads the first 19 bytes of an event.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn parse(event: &[u8]) -> Result<Self, EventError> {
        let mut rest = Reader(event);
        Ok(Self {
            timestamp: rest.u32()?,
            event_type: rest.u8()?,
            server_id: rest.u32()?,
            event_size: rest.u32()?,
            log_pos: rest.u32()?,
            flags: rest.u16()?,
        })
    }

    /// Whether the server made the event up for this stream.
    #[must_use]
    pub fn is_artificial(&self) -> bool {
        self.flags & LOG_EVENT_ARTIFICIAL_F != 0
    }

    /// Whether a reader that does not know the type may skip the event.
    #[must_use]
    pub fn is_ignorable(&self) -> bool {
        self.flags & LOG_EVENT_IGNORABLE_F != 0
    }

    /// The type's name, or its number.
    #[must_use]
    pub fn type_name(&self) -> String {
        event_type_name(self.event_type)
            .map_or_else(|| format!("event type {}", self.event_type), str::to_owned)
    }
}

/// An event, checked and without its checksum.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// The common header.
    pub header: EventHeader,
    /// What follows the header; empty for rows of a table that is not captured and was skipped while reading. That of
    /// a large event is its reader's own, to be given back as soon as it is decoded.
    pub body: Cow<'a, [u8]>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_events_are_known() {
        let all: Vec<u8> = (0..=255).filter(|&event_type| is_rows_event(event_type)).collect();
        assert_eq!(all, [23, 24, 25, 30, 31, 32, 39]);
        assert_eq!(event_type_name(42), Some("GTID_TAGGED_LOG_EVENT"));
        assert_eq!(event_type_name(99), None);
    }

    proptest! {
        #[test]
        fn every_body_returns_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
            let _returned = EventHeader::parse(&bytes);
            let _returned = FormatDescription::parse(&bytes);
            let _returned = Rotate::parse(&bytes);
            let _returned = GtidEvent::parse(&bytes);
            let _returned = GtidEvent::parse_tagged(&bytes);
            let _returned = Query::parse(&bytes);
            let _returned = Query::parse_load(&bytes);
            let _returned = Xid::parse(&bytes);
            let _returned = XaPrepare::parse(&bytes);
            let _returned = Heartbeat::parse(&bytes);
            let _returned = Heartbeat::parse_v2(&bytes);
            let _returned = RowsQuery::parse(&bytes);
            let _returned = Incident::parse(&bytes);
            let _returned = Payload::parse(&bytes);
        }
    }
}
