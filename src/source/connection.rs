//! One connection of the client protocol, before it turns into a stream of events.

use std::io;
use std::time::{Duration, Instant};

use super::SourceError;
use super::packet::{Frame, Framer, HEAD, write};
use super::stream::Stream;

/// COM_QUERY.
const QUERY: u8 = 3;
/// First bytes of answers.
pub(super) const OK: u8 = 0;
pub(super) const ERR: u8 = 0xff;
pub(super) const EOF: u8 = 0xfe;

/// A socket with its framing.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: Stream,
    pub(super) framer: Framer,
    /// For error messages.
    pub(super) user: String,
    /// How long an answer may take.
    answer_timeout: Duration,
}

impl Connection {
    /// Wraps a fresh socket, which from now on gives up a read or write after `answer_timeout`.
    pub(super) fn new(stream: Stream, user: &str, answer_timeout: Duration) -> io::Result<Self> {
        stream.set_timeouts(answer_timeout, Some(answer_timeout))?;
        Ok(Self { stream, framer: Framer::new(), user: user.to_owned(), answer_timeout })
    }

    /// Waits for the next payload.
    pub(super) fn receive(&mut self, doing: &'static str) -> Result<&[u8], SourceError> {
        let deadline = Instant::now() + self.answer_timeout;
        let frame = loop {
            match self.framer.next(&mut self.stream, |_| false) {
                Err(error) if is_timeout(&error) && Instant::now() < deadline => {}
                result => break result.map_err(|error| disconnected(error, doing))?,
            }
        };
        Ok(self.framer.payload(&frame))
    }

    /// As [`Self::receive`], with an error packet as an error.
    pub(super) fn receive_no_error(&mut self, doing: &'static str) -> Result<&[u8], SourceError> {
        let user = self.user.clone();
        let payload = self.receive(doing)?;
        if payload.first() == Some(&ERR) {
            return Err(server_error(payload, &user, doing));
        }
        Ok(payload)
    }

    /// Answers the last packet received.
    pub(super) fn reply(&mut self, payload: &[u8], doing: &'static str) -> Result<(), SourceError> {
        let next = self.framer.sequence.wrapping_add(1);
        let written = write(&mut self.stream, payload, next);
        // Another answer may go out before the server says anything: after the request for TLS.
        self.framer.sequence = written.map_err(|error| disconnected(error, doing))?;
        Ok(())
    }

    /// Begins a command.
    pub(super) fn command(
        &mut self,
        payload: &[u8],
        doing: &'static str,
    ) -> Result<(), SourceError> {
        write(&mut self.stream, payload, 0).map_err(|error| disconnected(error, doing))?;
        Ok(())
    }

    /// Sends a command that is answered by OK alone.
    pub(super) fn execute(
        &mut self,
        payload: &[u8],
        doing: &'static str,
    ) -> Result<(), SourceError> {
        self.command(payload, doing)?;
        match self.receive_no_error(doing)?.first() {
            Some(&OK) => Ok(()),
            _ => Err(SourceError::Protocol(doing)),
        }
    }

    /// Runs a statement that returns no rows.
    pub(super) fn statement(&mut self, sql: &str, doing: &'static str) -> Result<(), SourceError> {
        self.execute(&[&[QUERY], sql.as_bytes()].concat(), doing)
    }

    /// The value of a query that gives one, which is short.
    pub(super) fn value(&mut self, sql: &str, doing: &'static str) -> Result<String, SourceError> {
        self.command(&[&[QUERY], sql.as_bytes()].concat(), doing)?;
        // The number of columns, the column, and the end of their list.
        for _ in 0..3 {
            self.receive_no_error(doing)?;
        }
        let row = self.receive_no_error(doing)?;
        let value = row.split_first().and_then(|(&length, row)| row.get(..usize::from(length)));
        let value = value.map(|value| String::from_utf8_lossy(value).into_owned());
        self.receive_no_error(doing)?;
        value.ok_or(SourceError::Protocol(doing))
    }

    /// The next frame of an event stream; `None` when nothing came in the socket's read time-out.
    pub(super) fn poll(
        &mut self,
        skip: impl FnMut(&[u8; HEAD]) -> bool,
    ) -> Result<Option<Frame>, SourceError> {
        match self.framer.next(&mut self.stream, skip) {
            Ok(frame) => Ok(Some(frame)),
            Err(error) if is_timeout(&error) => Ok(None),
            Err(error) => Err(disconnected(error, "reading the binlog")),
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn disconnected(error: io::Error, doing: &'static str) -> SourceError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => SourceError::Disconnected { doing, source: None },
        _ => SourceError::Disconnected { doing, source: Some(error) },
    }
}

/// An error packet: its number, a state from `#` on unless the session has not begun, and a text.
pub(super) fn server_error(payload: &[u8], user: &str, doing: &'static str) -> SourceError {
    const STATE: usize = 6;
    let Some((&[_err, low, high], rest)) = payload.split_first_chunk() else {
        return SourceError::Protocol(doing);
    };
    let text = if rest.first() == Some(&b'#') { rest.get(STATE..) } else { Some(rest) };
    let message = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
    SourceError::server(u16::from_le_bytes([low, high]), message, user, doing)
}
