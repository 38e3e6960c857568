//! Compressed transactions, unpacked as a stream: neither the whole transaction nor rows of tables that are
//! not captured are ever held at once. Inner events carry no checksum; the outer one's covers them.

use std::borrow::Cow;
use std::io::Read;

use zstd::stream::read::Decoder;
use zstd::zstd_safe::{DCtx, ResetDirective};

use super::SourceError;
use super::event::{
    Event, EventHeader, HEADER_LENGTH, Payload, TRANSACTION_PAYLOAD_EVENT, is_rows_event,
};
use super::packet::FULL;

/// First size of the buffer for unpacked bytes, and the size it is cut back to after a large event.
const BUFFER: usize = 128 * 1024;
/// A buffer that grew beyond this is given back with the transaction.
const BUFFER_KEPT_MAX: usize = 1024 * 1024;
/// Header and the table id that a rows event begins with.
const HEAD: usize = HEADER_LENGTH + 6;

/// What unpacking needs again for each transaction.
pub struct Unpacker {
    context: DCtx<'static>,
    buffer: Vec<u8>,
}

impl std::fmt::Debug for Unpacker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unpacker").field("buffer", &self.buffer.len()).finish_non_exhaustive()
    }
}

impl Default for Unpacker {
    fn default() -> Self {
        Self { context: DCtx::create(), buffer: vec![0; BUFFER] }
    }
}

impl Unpacker {
    /// Begins to unpack.
    ///
    /// # Errors
    /// When the compression is unknown.
    pub fn read<'a>(&'a mut self, payload: &Payload<'a>) -> Result<PayloadReader<'a>, SourceError> {
        if self.buffer.len() > BUFFER_KEPT_MAX {
            self.buffer = vec![0; BUFFER];
        }
        let source = match payload.compression {
            Payload::ZSTD => {
                self.context.reset(ResetDirective::SessionOnly).map_err(|_| corrupt("zstd"))?;
                Source::Zstd(Box::new(Decoder::with_context(payload.data, &mut self.context)))
            }
            Payload::NONE => Source::Plain(payload.data),
            other => return Err(corrupt(&format!("compression type {other} is unknown"))),
        };
        Ok(PayloadReader {
            source,
            buffer: &mut self.buffer,
            start: 0,
            end: 0,
            left: payload.uncompressed_size,
            empty: true,
        })
    }
}

enum Source<'a> {
    Zstd(Box<Decoder<'a, &'a [u8]>>),
    Plain(&'a [u8]),
}

/// The events of one compressed transaction.
pub struct PayloadReader<'a> {
    source: Source<'a>,
    buffer: &'a mut Vec<u8>,
    start: usize,
    end: usize,
    /// Unpacked bytes to come, by the event's own count.
    left: Option<u64>,
    /// Whether no event has come yet.
    empty: bool,
}

impl std::fmt::Debug for PayloadReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PayloadReader").field("left", &self.left).finish_non_exhaustive()
    }
}

impl PayloadReader<'_> {
    /// The next event; `None` after the last one. `captured` is asked as in [`super::Replica::next`].
    ///
    /// # Errors
    /// When the payload cannot be unpacked, ends early, or holds no event.
    pub fn next<F: FnMut(u64) -> bool>(
        &mut self,
        mut captured: F,
    ) -> Result<Option<Event<'_>>, SourceError> {
        let header = loop {
            if let Ok(header) = EventHeader::parse(self.unread()) {
                break header;
            }
            if self.fill(HEADER_LENGTH)? == 0 {
                return self.at_end().map(|()| None);
            }
        };
        let size = usize::try_from(header.event_size).unwrap_or_default();
        if size < HEADER_LENGTH || header.event_type == TRANSACTION_PAYLOAD_EVENT {
            return Err(corrupt("an inner event is malformed"));
        }
        self.empty = false;
        if is_rows_event(header.event_type) && size >= HEAD {
            self.require(HEAD)?;
            if self.end - self.start < size && !captured(self.table_id()) {
                self.discard(size)?;
                return Ok(Some(Event { header, body: Cow::Borrowed(&[]) }));
            }
        }
        self.require(size)?;
        if size > FULL {
            return Ok(Some(Event { header, body: Cow::Owned(self.give(size)) }));
        }
        let body = self.start + HEADER_LENGTH..self.start + size;
        self.start += size;
        let body = self.buffer.get(body).unwrap_or_default();
        Ok(Some(Event { header, body: Cow::Borrowed(body) }))
    }

    /// Gives the body of a large event away, and with it the memory.
    fn give(&mut self, size: usize) -> Vec<u8> {
        let end = self.start + size;
        let mut rest = self.buffer.get(end..self.end).unwrap_or_default().to_vec();
        let there = rest.len();
        rest.resize(there.max(BUFFER), 0);
        let mut body = std::mem::replace(self.buffer, rest);
        body.truncate(end);
        body.drain(..(self.start + HEADER_LENGTH).min(end));
        (self.start, self.end) = (0, there);
        body
    }

    fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    fn table_id(&self) -> u64 {
        let id = self.unread().get(HEADER_LENGTH..).and_then(<[u8]>::first_chunk);
        id.map_or(0, |&[a, b, c, d, e, f]| u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
    }

    /// Unpacks until `count` bytes are there.
    fn require(&mut self, count: usize) -> Result<(), SourceError> {
        while self.end - self.start < count {
            if self.fill(count)? == 0 {
                return Err(corrupt("it ends within an event"));
            }
        }
        Ok(())
    }

    /// Unpacks `count` bytes without keeping them.
    fn discard(&mut self, count: usize) -> Result<(), SourceError> {
        let mut left = count;
        loop {
            let there = left.min(self.end - self.start);
            self.start += there;
            left -= there;
            if left == 0 {
                return Ok(());
            }
            self.require(1)?;
        }
    }

    /// Unpacks once; 0 at the end. The buffer grows by what really comes, not by what an event claims, and to no more
    /// than `need`.
    fn fill(&mut self, need: usize) -> Result<usize, SourceError> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if self.end == self.buffer.len() {
                self.buffer.resize((self.end * 2).min(need), 0);
            }
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let count = match &mut self.source {
            Source::Zstd(decoder) => decoder.read(room),
            Source::Plain(bytes) => bytes.read(room),
        };
        let count = count.map_err(|error| corrupt(&error.to_string()))?;
        self.end += count;
        if let Some(left) = &mut self.left {
            let taken = u64::try_from(count).unwrap_or(u64::MAX);
            *left = left.checked_sub(taken).ok_or_else(|| corrupt("it is longer than it says"))?;
        }
        Ok(count)
    }

    fn at_end(&self) -> Result<(), SourceError> {
        if self.start != self.end {
            return Err(corrupt("it ends within an event"));
        }
        if self.empty || self.left.is_some_and(|left| left > 0) {
            return Err(corrupt("it is shorter than it says"));
        }
        Ok(())
    }
}

fn corrupt(problem: &str) -> SourceError {
    SourceError::Payload(problem.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::event::{QUERY_EVENT, WRITE_ROWS_EVENT, XID_EVENT};
    use super::*;

    fn event(event_type: u8, body: &[u8]) -> Vec<u8> {
        let size = u32::try_from(HEADER_LENGTH + body.len()).unwrap().to_le_bytes();
        let mut event = vec![0, 0, 0, 0, event_type, 1, 0, 0, 0];
        event.extend_from_slice(&size);
        event.extend_from_slice(&[0; 6]);
        event.extend_from_slice(body);
        event
    }

    fn transaction(rows: usize) -> Vec<u8> {
        let table = [&[9, 0, 0, 0, 0, 0][..], &vec![7; rows]].concat();
        [event(QUERY_EVENT, b"BEGIN"), event(WRITE_ROWS_EVENT, &table), event(XID_EVENT, &[1; 8])]
            .concat()
    }

    fn payload(data: &[u8], compression: u64, uncompressed: usize) -> Payload<'_> {
        Payload { compression, uncompressed_size: Some(u64::try_from(uncompressed).unwrap()), data }
    }

    fn read(
        payload: &Payload<'_>,
        captured: bool,
    ) -> Result<(Vec<(u8, usize)>, usize), SourceError> {
        let mut unpacker = Unpacker::default();
        let mut reader = unpacker.read(payload)?;
        let mut events = Vec::new();
        while let Some(event) = reader.next(|table| captured || table != 9)? {
            events.push((event.header.event_type, event.body.len()));
        }
        assert!(reader.next(|_| true)?.is_none());
        Ok((events, reader.buffer.len()))
    }

    #[test]
    fn both_compressions_give_the_inner_events() {
        for rows in [0, 1000, 3 << 20, FULL] {
            let plain = transaction(rows);
            let packed = zstd::encode_all(plain.as_slice(), 3).unwrap();
            let expected = [(QUERY_EVENT, 5), (WRITE_ROWS_EVENT, 6 + rows), (XID_EVENT, 8)];
            for payload in [
                payload(&packed, Payload::ZSTD, plain.len()),
                payload(&plain, Payload::NONE, plain.len()),
            ] {
                assert_eq!(read(&payload, true).unwrap().0, expected);
            }
        }
    }

    #[test]
    fn rows_of_other_tables_take_no_memory() {
        let plain = transaction(3 << 20);
        let packed = zstd::encode_all(plain.as_slice(), 3).unwrap();
        let (events, buffer) = read(&payload(&packed, Payload::ZSTD, plain.len()), false).unwrap();
        assert_eq!(events, [(QUERY_EVENT, 5), (WRITE_ROWS_EVENT, 0), (XID_EVENT, 8)]);
        assert_eq!(buffer, BUFFER);
    }

    #[test]
    fn what_is_damaged_is_an_error() {
        let plain = transaction(100);
        let packed = zstd::encode_all(plain.as_slice(), 3).unwrap();
        let cut = &packed[..packed.len() - 1];
        let short = &plain[..plain.len() - 1];
        let short_packed = zstd::encode_all(short, 3).unwrap();
        let nested = event(TRANSACTION_PAYLOAD_EVENT, b"x");
        for damaged in [
            payload(cut, Payload::ZSTD, plain.len()),
            payload(b"no zstd", Payload::ZSTD, plain.len()),
            payload(&packed, 7, plain.len()),
            payload(&packed, Payload::ZSTD, plain.len() - 1),
            payload(&packed, Payload::ZSTD, plain.len() + 1),
            payload(&short_packed, Payload::ZSTD, short.len()),
            payload(short, Payload::NONE, short.len()),
            payload(b"", Payload::NONE, 0),
            payload(b"", Payload::ZSTD, 0),
            payload(&nested, Payload::NONE, nested.len()),
        ] {
            assert!(matches!(read(&damaged, true), Err(SourceError::Payload(_))), "{damaged:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_return(bytes in prop::collection::vec(any::<u8>(), 0..200), captured: bool) {
            let _returned = read(&payload(&bytes, Payload::NONE, bytes.len()), captured);
            let _returned = read(&payload(&bytes, Payload::ZSTD, bytes.len()), captured);
            let packed = zstd::encode_all(bytes.as_slice(), 1).unwrap();
            let _returned = read(&payload(&packed, Payload::ZSTD, bytes.len()), captured);
        }
    }
}
