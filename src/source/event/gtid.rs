use super::super::bytes::Reader;
use super::EventError;
use crate::offset::{Gtid, GtidSource, Tag};

/// GTID_LOG_EVENT, ANONYMOUS_GTID_LOG_EVENT and GTID_TAGGED_LOG_EVENT: a transaction begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GtidEvent {
    /// Whether statements may stand among the rows (flag MAY_HAVE_SBR).
    pub may_have_statements: bool,
    /// The transaction's identifier; in an anonymous event its number is 0.
    pub gtid: Gtid,
    /// When the server it was committed on first committed it, in microseconds since the epoch (8.0 on).
    pub original_commit_timestamp: Option<u64>,
    /// When the server we read from committed it, likewise.
    pub immediate_commit_timestamp: Option<u64>,
}

/// In the flags: statements may stand among the rows.
const MAY_HAVE_STATEMENTS: u8 = 1;
/// In the first timestamp: a second one follows.
const TWO_TIMESTAMPS: u64 = 1 << 55;
/// The kind of logical timestamps that all servers from 5.7.6 on write.
const LOGICAL_TIMESTAMPS: u8 = 2;

/// Fields of the tagged event that are read here; the others are passed over.
mod field {
    pub(super) const UUID: u64 = 1;
    pub(super) const NUMBER: u64 = 2;
    pub(super) const TAG: u64 = 3;
    pub(super) const IMMEDIATE_COMMIT_TIMESTAMP: u64 = 6;
    pub(super) const ORIGINAL_COMMIT_TIMESTAMP: u64 = 7;
    pub(super) const LAST_KNOWN: u64 = 11;
}

impl GtidEvent {
    /// Reads an untagged or anonymous event's body.
    ///
    /// # Errors
    /// When the body is malformed.
    pub fn parse(body: &[u8]) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        let flags = rest.u8()?;
        let uuid = rest.array()?;
        let number = rest.u64()?;
        let mut event = Self {
            may_have_statements: flags & MAY_HAVE_STATEMENTS != 0,
            gtid: Gtid { source: GtidSource { uuid, tag: Tag::default() }, number },
            original_commit_timestamp: None,
            immediate_commit_timestamp: None,
        };
        // Servers of 5.6 end here, those of 5.7 after the logical timestamps.
        if rest.u8() != Ok(LOGICAL_TIMESTAMPS) || rest.take(16).is_err() || rest.0.is_empty() {
            return Ok(event);
        }
        let immediate = rest.u56()?;
        let original = if immediate & TWO_TIMESTAMPS == 0 { immediate } else { rest.u56()? };
        event.immediate_commit_timestamp = Some(immediate & !TWO_TIMESTAMPS);
        event.original_commit_timestamp = Some(original);
        Ok(event)
    }

    /// Reads a tagged event's body, written by MySQL's serialization library: a version, the length, the
    /// last field that must be understood, then each field's number before its value.
    ///
    /// # Errors
    /// When the body is malformed or holds an unknown field that must be understood.
    pub fn parse_tagged(body: &[u8]) -> Result<Self, EventError> {
        let mut rest = Reader(body);
        let _version = rest.variable_length()?;
        // A cut that falls between two fields must not lose the tag.
        if usize::try_from(rest.variable_length()?) != Ok(body.len()) {
            return Err(EventError::Malformed("the length"));
        }
        if rest.variable_length()? > field::LAST_KNOWN + 1 {
            return Err(EventError::Malformed("a field that must be understood"));
        }
        let (mut uuid, mut number, mut tag) = (None, None, None);
        let (mut original, mut immediate) = (None, None);
        while !rest.0.is_empty() {
            match rest.variable_length()? {
                field::UUID => uuid = Some(uuid_of(&mut rest)?),
                field::NUMBER => number = Some(number_of(&mut rest)?),
                field::TAG => tag = Some(tag_of(&mut rest)?),
                field::IMMEDIATE_COMMIT_TIMESTAMP => immediate = Some(rest.variable_length()?),
                field::ORIGINAL_COMMIT_TIMESTAMP => original = Some(rest.variable_length()?),
                // Newer fields come last and need not be understood.
                newer if newer > field::LAST_KNOWN => break,
                _ => drop(rest.variable_length()?),
            }
        }
        let uuid = uuid.ok_or(EventError::Malformed("the missing UUID"))?;
        let number = number.ok_or(EventError::Malformed("the missing transaction number"))?;
        Ok(Self {
            may_have_statements: true,
            gtid: Gtid { source: GtidSource { uuid, tag: tag.unwrap_or_default() }, number },
            // The server leaves the original time out where it is the same.
            original_commit_timestamp: original.or(immediate),
            immediate_commit_timestamp: immediate,
        })
    }
}

fn uuid_of(rest: &mut Reader<'_>) -> Result<[u8; 16], EventError> {
    let mut uuid = [0; 16];
    for byte in &mut uuid {
        *byte =
            u8::try_from(rest.variable_length()?).map_err(|_| EventError::Malformed("the UUID"))?;
    }
    Ok(uuid)
}

/// Signed integers have their sign in the lowest bit; a transaction's number is positive.
fn number_of(rest: &mut Reader<'_>) -> Result<u64, EventError> {
    let number = rest.variable_length()?;
    if number & 1 == 1 {
        Err(EventError::Malformed("the transaction number"))
    } else {
        Ok(number >> 1)
    }
}

fn tag_of(rest: &mut Reader<'_>) -> Result<Tag, EventError> {
    let malformed = EventError::Malformed("the tag");
    let length = usize::try_from(rest.variable_length()?).map_err(|_| malformed)?;
    let text = std::str::from_utf8(rest.take(length)?).map_err(|_| malformed)?;
    text.parse().map_err(|_| malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "fcd7ebd1-ec4f-11f1-b491-02fc00000001";

    /// As MySQL 9.7.4 wrote it for `SET gtid_next = 'AUTOMATIC:tagx'`.
    const TAGGED: [u8; 59] = [
        0x02, 0x76, 0x00, 0x00, 0x00, 0x02, 0xf1, 0x03, 0x5d, 0x03, 0xad, 0x03, 0x45, 0x03, 0xb1,
        0x03, 0x9e, 0x22, 0xc5, 0x03, 0xd1, 0x02, 0x45, 0x02, 0x04, 0xf1, 0x03, 0x00, 0x00, 0x00,
        0x02, 0x04, 0x04, 0x06, 0x08, 0x74, 0x61, 0x67, 0x78, 0x08, 0x08, 0x0a, 0x14, 0x0c, 0x7f,
        0x9e, 0xbc, 0x11, 0x2b, 0x73, 0x61, 0x06, 0x10, 0x91, 0x04, 0x12, 0x83, 0x12, 0x0b,
    ];

    #[test]
    fn a_tagged_event_of_a_server_is_read() {
        let event = GtidEvent::parse_tagged(&TAGGED).unwrap();
        assert_eq!(event.gtid.to_string(), format!("{UUID}:tagx:1"));
        assert_eq!(event.immediate_commit_timestamp, Some(1_795_997_131_979_934));
        assert_eq!(event.original_commit_timestamp, event.immediate_commit_timestamp);
        for length in 0..TAGGED.len() {
            assert!(GtidEvent::parse_tagged(&TAGGED[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn timestamps_come_with_newer_servers() {
        let gtid: Gtid = format!("{UUID}:7").parse().unwrap();
        let mut body = vec![0];
        body.extend_from_slice(&gtid.source.uuid);
        body.extend_from_slice(&7_u64.to_le_bytes());
        let of = |body: &[u8]| {
            let event = GtidEvent::parse(body).unwrap();
            assert_eq!(event.gtid, gtid);
            (event.original_commit_timestamp, event.immediate_commit_timestamp)
        };
        assert_eq!(of(&body), (None, None));
        body.push(LOGICAL_TIMESTAMPS);
        body.extend_from_slice(&[0; 16]);
        assert_eq!(of(&body), (None, None));
        let once = [&body[..], &[9, 0, 0, 0, 0, 0, 0]].concat();
        assert_eq!(of(&once), (Some(9), Some(9)));
        let twice = [&body[..], &[9, 0, 0, 0, 0, 0, 0x80, 5, 0, 0, 0, 0, 0, 0]].concat();
        assert_eq!(of(&twice), (Some(5), Some(9)));
        assert_eq!(GtidEvent::parse(&twice[..50]), Err(EventError::TooShort));
    }
}
