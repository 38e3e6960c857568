use std::borrow::Cow;
use std::ops::Range;
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::SourceError;
use super::connection::{Connection, EOF, ERR, OK, server_error};
use super::dump::{self, DumpStart};
use super::event::{
    Event, EventError, EventHeader, FORMAT_DESCRIPTION_EVENT, FormatDescription, HEADER_LENGTH,
    PREVIOUS_GTIDS_LOG_EVENT, ROTATE_EVENT, Rotate, is_rows_event,
};
use super::login;
use super::packet::{Frame, HEAD};
use super::stream::ShutdownHandle;
use crate::config::SourceConfig;

const DOING: &str = "reading the binlog";
/// How long a read waits, so that the caller can look at its stop flag.
const IDLE: Duration = Duration::from_millis(200);
/// How long one waits while something is due as soon as nothing more comes.
const HURRIED: Duration = Duration::from_millis(20);
/// Heartbeats missed in a row that make a connection dead.
const PERIODS: u32 = 3;
/// How long a server may look for the place of the first event in its logs.
const FIRST_EVENT_TIMEOUT: Duration = Duration::from_secs(600);
/// Length of a CRC32.
const CHECKSUM: usize = 4;

/// What [`Replica::next`] found.
#[derive(Debug)]
pub enum Packet<'a> {
    /// An event.
    Event(Event<'a>),
    /// Nothing came for a moment.
    Idle,
}

/// A connection that MySQL sends its binary log to, read by blocking calls from one thread.
#[derive(Debug)]
pub struct Replica {
    connection: Connection,
    heartbeat_period: Duration,
    /// Whether events end in a checksum; unknown until a format description has come.
    checksums: Option<bool>,
    /// The log file that the server is in.
    file: String,
    /// Whether an event of the log or a heartbeat has come.
    streaming: bool,
    /// Since when nothing has come.
    quiet_since: Option<Instant>,
    hurried: bool,
}

impl Replica {
    /// Logs in at `host` and asks for the events from `start` on, which is a place of the server with that
    /// `server_uuid`, where one is given. The server ends an older stream of the same `uuid`, so a connector should
    /// keep one for life: then none of its dead streams lingers.
    ///
    /// # Errors
    /// When the server cannot be reached, is another one, refuses us or cannot begin there.
    pub fn connect(
        config: &SourceConfig,
        host: &str,
        server_uuid: Option<&str>,
        uuid: Uuid,
        start: &DumpStart,
    ) -> Result<Self, SourceError> {
        let mut connection = login::open(config, host)?;
        if let Some(expected) = server_uuid {
            let found = connection.value("SELECT @@server_uuid", "asking which server it is")?;
            if found != expected {
                return Err(SourceError::OtherServer(found));
            }
        }
        dump::begin(&mut connection, config, uuid, start)?;
        connection
            .stream
            .set_timeouts(IDLE, Some(config.connect_timeout))
            .map_err(|error| SourceError::Disconnected { doing: DOING, source: Some(error) })?;
        Ok(Self {
            connection,
            heartbeat_period: config.heartbeat_period,
            checksums: None,
            file: String::new(),
            streaming: false,
            quiet_since: None,
            hurried: false,
        })
    }

    /// Whether [`Packet::Idle`] is to come sooner than usual.
    ///
    /// # Errors
    /// When the connection is lost.
    pub fn hurry(&mut self, hurried: bool) -> Result<(), SourceError> {
        if self.hurried != hurried {
            self.hurried = hurried;
            let wait = if hurried { HURRIED } else { IDLE };
            self.connection
                .stream
                .set_read_timeout(wait)
                .map_err(|error| SourceError::Disconnected { doing: DOING, source: Some(error) })?;
        }
        Ok(())
    }

    /// A handle by which another thread can end the connection.
    ///
    /// # Errors
    /// When the operating system has no more of them.
    pub fn shutdown_handle(&self) -> Result<ShutdownHandle, SourceError> {
        let handle = self.connection.stream.shutdown_handle();
        handle.map_err(|error| SourceError::Disconnected { doing: DOING, source: Some(error) })
    }

    /// The log file that the last event came from.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Whether the connection is encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.connection.stream.is_tls()
    }

    /// Whether the next event is already here: if not, we have caught up with the socket.
    #[must_use]
    pub fn has_buffered(&self) -> bool {
        self.connection.framer.has_buffered()
    }

    /// Whether more has arrived that is not here yet: asks the operating system.
    ///
    /// # Errors
    /// When the connection is lost.
    pub fn has_arrived(&self) -> Result<bool, SourceError> {
        let arrived = self.connection.stream.has_arrived();
        arrived.map_err(|error| SourceError::Disconnected { doing: DOING, source: Some(error) })
    }

    /// Reads the next event. `captured` tells by a table's id whether its rows are wanted; rows of others
    /// that are not here as a whole are skipped while reading, and come with an empty body.
    ///
    /// # Errors
    /// When the connection is lost or silent, the server reports an error, or an event is damaged.
    pub fn next<F: FnMut(u64) -> bool>(&mut self, captured: F) -> Result<Packet<'_>, SourceError> {
        let Some(frame) = self.connection.poll(is_foreign(captured))? else {
            self.still_alive()?;
            return Ok(Packet::Idle);
        };
        self.quiet_since = None;
        if let Frame::Skipped { head, length } = frame {
            let header = header_of(head.get(1..).unwrap_or_default())?;
            if u64::from(header.event_size) + 1 != length {
                return Err(damaged(&self.file, header, EventError::Malformed("the length")));
            }
            self.streaming = true;
            return Ok(Packet::Event(Event { header, body: Cow::Borrowed(&[]) }));
        }
        let (header, body) = self.read(&frame)?;
        let body = match frame {
            Frame::Joined => Cow::Owned(self.connection.framer.give(body)),
            _ => {
                let payload = self.connection.framer.payload(&frame);
                Cow::Borrowed(payload.get(body).unwrap_or_default())
            }
        };
        Ok(Packet::Event(Event { header, body }))
    }

    /// Checks a payload and what it tells about the stream; where in it the event's body is.
    fn read(&mut self, frame: &Frame) -> Result<(EventHeader, Range<usize>), SourceError> {
        let payload = self.connection.framer.payload(frame);
        let event = match payload.split_first() {
            Some((&OK, event)) => event,
            Some((&ERR, _)) => return Err(server_error(payload, &self.connection.user, DOING)),
            Some((&EOF, _)) => {
                return Err(SourceError::Disconnected { doing: DOING, source: None });
            }
            _ => return Err(SourceError::Protocol(DOING)),
        };
        let header = header_of(event)?;
        let body = body_of(event, header, &mut self.checksums, &self.file)?;
        match header.event_type {
            ROTATE_EVENT => {
                let rotate =
                    Rotate::parse(body).map_err(|error| damaged(&self.file, header, error))?;
                rotate.file.clone_into(&mut self.file);
            }
            FORMAT_DESCRIPTION_EVENT | PREVIOUS_GTIDS_LOG_EVENT => {}
            _ => self.streaming = true,
        }
        let start = 1 + HEADER_LENGTH;
        Ok((header, start..start + body.len()))
    }

    /// Nothing came: whether that has lasted too long.
    fn still_alive(&mut self) -> Result<(), SourceError> {
        let since = *self.quiet_since.get_or_insert_with(Instant::now);
        let mut limit = (self.heartbeat_period * PERIODS).max(IDLE * PERIODS);
        if !self.streaming {
            limit = limit.max(FIRST_EVENT_TIMEOUT);
        }
        if since.elapsed() > limit { Err(SourceError::Silent(limit)) } else { Ok(()) }
    }
}

/// Whether a payload's first bytes are those of rows that nobody wants.
fn is_foreign(mut captured: impl FnMut(u64) -> bool) -> impl FnMut(&[u8; HEAD]) -> bool {
    move |head: &[u8; HEAD]| {
        let &[status, _, _, _, _, event_type, .., a, b, c, d, e, f] = head;
        status == OK
            && is_rows_event(event_type)
            && !captured(u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
    }
}

fn header_of(event: &[u8]) -> Result<EventHeader, SourceError> {
    EventHeader::parse(event).map_err(|_| SourceError::Protocol(DOING))
}

fn damaged(file: &str, header: EventHeader, source: EventError) -> SourceError {
    SourceError::Event {
        event: header.type_name(),
        file: file.to_owned(),
        pos: header.log_pos,
        source,
    }
}

/// Checks length and checksum, and cuts off header and checksum.
fn body_of<'a>(
    event: &'a [u8],
    header: EventHeader,
    checksums: &mut Option<bool>,
    file: &str,
) -> Result<&'a [u8], SourceError> {
    if usize::try_from(header.event_size) != Ok(event.len()) {
        return Err(damaged(file, header, EventError::Malformed("the length")));
    }
    let body = event.get(HEADER_LENGTH..).unwrap_or_default();
    let whole = body.len().checked_sub(CHECKSUM);
    if header.event_type == FORMAT_DESCRIPTION_EVENT {
        // It always has room for a checksum and says itself whether there is one.
        let body = body.get(..whole.unwrap_or_default()).unwrap_or_default();
        let description =
            FormatDescription::parse(body).map_err(|error| damaged(file, header, error))?;
        *checksums = Some(description.checksums);
        return if !description.checksums || has_checksum(event) {
            Ok(body)
        } else {
            Err(mismatch(file, header))
        };
    }
    match *checksums {
        Some(false) => Ok(body),
        // The rotation before the first description: servers differ.
        None if !has_checksum(event) => Ok(body),
        Some(true) if !has_checksum(event) => Err(mismatch(file, header)),
        _ => Ok(body.get(..whole.unwrap_or_default()).unwrap_or_default()),
    }
}

fn mismatch(file: &str, header: EventHeader) -> SourceError {
    SourceError::Checksum { event: header.type_name(), file: file.to_owned(), pos: header.log_pos }
}

/// Whether the event ends in its own CRC32.
fn has_checksum(event: &[u8]) -> bool {
    event.split_last_chunk::<CHECKSUM>().is_some_and(|(rest, checksum)| {
        rest.len() >= HEADER_LENGTH && crc32fast::hash(rest) == u32::from_le_bytes(*checksum)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(event_type: u8, body: &[u8], checksum: Option<u32>) -> Vec<u8> {
        let tail = if checksum.is_some() { CHECKSUM } else { 0 };
        let size = u32::try_from(HEADER_LENGTH + body.len() + tail).unwrap().to_le_bytes();
        let mut event = vec![1, 0, 0, 0, event_type, 1, 0, 0, 0];
        event.extend_from_slice(&size);
        event.extend_from_slice(&[0; 6]);
        event.extend_from_slice(body);
        if let Some(change) = checksum {
            event.extend_from_slice(&(crc32fast::hash(&event) ^ change).to_le_bytes());
        }
        event
    }

    fn description(algorithm: u8) -> Vec<u8> {
        let mut body = vec![4, 0];
        body.extend_from_slice(&[0; 54]);
        body.extend_from_slice(&[19, 56, 13, algorithm]);
        body
    }

    fn body(event: &[u8], checksums: &mut Option<bool>) -> Result<Vec<u8>, SourceError> {
        body_of(event, header_of(event)?, checksums, "binlog.000001").map(<[u8]>::to_vec)
    }

    #[test]
    fn the_format_description_decides_on_checksums() {
        for (algorithm, checksums) in [(0, false), (1, true)] {
            let mut known = None;
            let described = event(FORMAT_DESCRIPTION_EVENT, &description(algorithm), Some(0));
            assert_eq!(body(&described, &mut known).unwrap(), description(algorithm));
            assert_eq!(known, Some(checksums));
            let plain = event(2, b"body", None);
            let checked = event(2, b"body", Some(0));
            let (good, bad) = if checksums { (checked, plain) } else { (plain, checked) };
            assert_eq!(body(&good, &mut known).unwrap(), b"body");
            assert_ne!(body(&bad, &mut known).ok().as_deref(), Some(&b"body"[..]));
        }
        let unknown = event(FORMAT_DESCRIPTION_EVENT, &description(2), Some(0));
        assert!(matches!(body(&unknown, &mut None), Err(SourceError::Event { .. })));
    }

    #[test]
    fn the_first_rotation_may_or_may_not_have_a_checksum() {
        for checksum in [None, Some(0)] {
            let rotation = event(ROTATE_EVENT, b"\x04\0\0\0\0\0\0\0binlog.000001", checksum);
            let body = body(&rotation, &mut None).unwrap();
            assert_eq!(Rotate::parse(&body).unwrap().file, "binlog.000001");
        }
    }

    #[test]
    fn damage_is_an_error() {
        let wrong = event(2, b"body", Some(1));
        assert!(matches!(body(&wrong, &mut Some(true)), Err(SourceError::Checksum { .. })));
        let wrong = event(FORMAT_DESCRIPTION_EVENT, &description(1), Some(1));
        assert!(matches!(body(&wrong, &mut None), Err(SourceError::Checksum { .. })));
        let mut long = event(2, b"body", Some(0));
        long.push(0);
        assert!(matches!(body(&long, &mut Some(true)), Err(SourceError::Event { .. })));
        assert!(matches!(body(&[0; 18], &mut None), Err(SourceError::Protocol(_))));
    }

    #[test]
    fn only_rows_of_tables_that_are_not_captured_are_foreign() {
        let mut head = [0; HEAD];
        head[5] = 30;
        head[20..26].copy_from_slice(&[0x39, 0x30, 0, 0, 0, 0x80]);
        let id = 0x8000_0000_3039;
        assert!(!is_foreign(|table| table == id)(&head));
        assert!(is_foreign(|table| table != id)(&head));
        head[5] = 2;
        assert!(!is_foreign(|_| false)(&head));
        (head[5], head[0]) = (30, ERR);
        assert!(!is_foreign(|_| false)(&head));
    }

    proptest! {
        #[test]
        fn any_event_returns(mut bytes in prop::collection::vec(any::<u8>(), 0..120), checksums: Option<bool>) {
            if let Ok(size) = u8::try_from(bytes.len())
                && let Some(length) = bytes.get_mut(9..13)
            {
                length.copy_from_slice(&[size, 0, 0, 0]);
            }
            let _returned = body(&bytes, &mut checksums.clone());
        }
    }
}
