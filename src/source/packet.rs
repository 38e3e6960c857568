//! Packets of the client protocol, framed in one growing buffer.
//!
//! A packet is three bytes of length, a sequence number and the payload; a payload of 2^24-1 bytes or more
//! goes on in the next packet. Source: MySQL developer documentation, "MySQL Packets".

use std::io::{self, Read, Write};
use std::ops::Range;

use super::event::HEADER_LENGTH;

/// Length of a packet that another follows.
pub(super) const FULL: usize = 0xff_ffff;
/// Length of a packet's header.
const PREFIX: usize = 4;
/// First size of the buffer: the server writes 16 KiB at a time, and more than this gains nothing.
const BUFFER: usize = 256 * 1024;
/// A buffer that grew beyond this for one event is given back after it.
const BUFFER_KEPT_MAX: usize = 1024 * 1024;
/// No event is longer: its header counts in 32 bits.
const PAYLOAD_MAX: u64 = u32::MAX as u64 + 1;
/// Status byte, event header and the table id that a rows event begins with.
pub(super) const HEAD: usize = 1 + HEADER_LENGTH + 6;

/// A payload, complete.
#[derive(Debug)]
pub(super) enum Frame {
    /// In the buffer.
    Buffered(Range<usize>),
    /// Of several packets, joined.
    Joined,
    /// Only its beginning was kept.
    Skipped {
        /// The beginning.
        head: [u8; HEAD],
        /// Length of the whole.
        length: u64,
    },
}

/// A payload of several packets, or one that is skipped, part of which has been seen.
#[derive(Debug)]
struct Partial {
    /// Bytes to come of the packet that was begun.
    left: usize,
    /// Whether another packet follows that one.
    more: bool,
    /// Bytes of all packets begun so far.
    length: u64,
    /// The beginning, where the rest is skipped.
    head: Option<[u8; HEAD]>,
}

/// Cuts a stream of bytes into payloads. What was read so far survives a time-out at any place.
#[derive(Debug)]
pub(super) struct Framer {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    joined: Vec<u8>,
    partial: Option<Partial>,
    /// The sequence number of the last packet.
    pub(super) sequence: u8,
}

impl Framer {
    pub(super) fn new() -> Self {
        Self {
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            joined: Vec::new(),
            partial: None,
            sequence: 0,
        }
    }

    /// The payload of a frame that was returned last.
    pub(super) fn payload(&self, frame: &Frame) -> &[u8] {
        match frame {
            Frame::Buffered(range) => self.buffer.get(range.clone()).unwrap_or_default(),
            Frame::Joined => &self.joined,
            Frame::Skipped { .. } => &[],
        }
    }

    /// Gives a part of the joined payload away, and with it the memory.
    pub(super) fn give(&mut self, part: Range<usize>) -> Vec<u8> {
        let mut payload = std::mem::take(&mut self.joined);
        payload.truncate(part.end);
        payload.drain(..part.start.min(payload.len()));
        payload
    }

    /// Whether nothing has been read beyond the last frame.
    pub(super) fn is_drained(&self) -> bool {
        self.start == self.end && self.partial.is_none()
    }

    /// Whether the next payload is already there.
    pub(super) fn has_buffered(&self) -> bool {
        self.partial.is_none()
            && self
                .packet_length()
                .is_some_and(|length| length < FULL && self.available() >= PREFIX + length)
    }

    /// Reads until a payload is complete. `skip` is asked with the first bytes of a payload that is not yet
    /// there as a whole; the rest of what it wants skipped takes no memory.
    pub(super) fn next(
        &mut self,
        stream: &mut impl Read,
        mut skip: impl FnMut(&[u8; HEAD]) -> bool,
    ) -> io::Result<Frame> {
        if self.partial.is_none() {
            self.release();
        }
        loop {
            if self.partial.is_some() {
                if let Some(frame) = self.go_on(stream)? {
                    return Ok(frame);
                }
                continue;
            }
            let Some(length) = self.packet_length() else {
                self.fill(stream, PREFIX)?;
                continue;
            };
            if length < FULL && self.available() >= PREFIX + length {
                let start = self.take_prefix();
                self.start = start + length;
                return Ok(Frame::Buffered(start..self.start));
            }
            let head = self.head(length);
            if length >= HEAD && head.is_none() {
                self.fill(stream, PREFIX + HEAD)?;
                continue;
            }
            let head = head.filter(&mut skip);
            if head.is_some() || length == FULL {
                self.take_prefix();
                let more = length == FULL;
                let length_so_far = u64::try_from(length).unwrap_or(u64::MAX);
                self.partial = Some(Partial { left: length, more, length: length_so_far, head });
            } else {
                self.fill(stream, PREFIX + length)?;
            }
        }
    }

    /// Takes what is there of a partial payload; a frame once it is complete.
    fn go_on(&mut self, stream: &mut impl Read) -> io::Result<Option<Frame>> {
        let Some(partial) = &mut self.partial else { return Ok(None) };
        if partial.left > 0 {
            let there = partial.left.min(self.end - self.start);
            if partial.head.is_none() {
                let bytes = self.buffer.get(self.start..self.start + there).unwrap_or_default();
                self.joined.extend_from_slice(bytes);
            }
            self.start += there;
            partial.left -= there;
            if partial.left > 0 {
                self.fill(stream, 1)?;
            }
            return Ok(None);
        }
        if partial.more {
            let Some(length) = self.packet_length() else {
                self.fill(stream, PREFIX)?;
                return Ok(None);
            };
            self.take_prefix();
            if let Some(partial) = &mut self.partial {
                partial.left = length;
                partial.more = length == FULL;
                partial.length += u64::try_from(length).unwrap_or(u64::MAX);
                if partial.length > PAYLOAD_MAX {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, "a payload over 4 GiB"));
                }
            }
            return Ok(None);
        }
        let frame = match partial.head {
            Some(head) => Frame::Skipped { head, length: partial.length },
            None => Frame::Joined,
        };
        self.partial = None;
        Ok(Some(frame))
    }

    fn available(&self) -> usize {
        self.end - self.start
    }

    fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// The length in the next packet's header, once that is there.
    fn packet_length(&self) -> Option<usize> {
        let [a, b, c, _sequence] = *self.unread().first_chunk::<PREFIX>()?;
        usize::try_from(u32::from_le_bytes([a, b, c, 0])).ok()
    }

    /// The next packet's first bytes, once they are there.
    fn head(&self, length: usize) -> Option<[u8; HEAD]> {
        let payload = self.unread().get(PREFIX..).filter(|_| length >= HEAD)?;
        payload.first_chunk().copied()
    }

    /// Steps over a packet's header; the payload's start.
    fn take_prefix(&mut self) -> usize {
        self.sequence = self.unread().get(PREFIX - 1).copied().unwrap_or_default();
        self.start += PREFIX;
        self.start
    }

    /// Gives back what one large event took.
    fn release(&mut self) {
        if self.joined.capacity() > BUFFER_KEPT_MAX {
            self.joined = Vec::new();
        }
        self.joined.clear();
        if self.buffer.len() > BUFFER_KEPT_MAX && self.available() <= BUFFER {
            let mut smaller = self.unread().to_vec();
            self.end = smaller.len();
            self.start = 0;
            smaller.resize(BUFFER, 0);
            self.buffer = smaller;
        }
    }

    /// Reads once, after making room for `need` bytes in all.
    fn fill(&mut self, stream: &mut impl Read, need: usize) -> io::Result<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.start + need > self.buffer.len() || self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if need > self.buffer.len() {
                self.buffer.resize(need, 0);
            }
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let count = loop {
            match stream.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.end += count;
        Ok(())
    }
}

/// Writes a payload, in several packets where it is long; the sequence number of the last one.
pub(super) fn write(stream: &mut impl Write, payload: &[u8], mut sequence: u8) -> io::Result<u8> {
    let mut rest = payload;
    loop {
        let (now, later) = rest.split_at(rest.len().min(FULL));
        let length = u32::try_from(now.len()).unwrap_or(u32::MAX);
        let [a, b, c, _] = length.to_le_bytes();
        // One write a packet: the header does not travel alone.
        let mut packet = Vec::with_capacity(PREFIX + now.len());
        packet.extend_from_slice(&[a, b, c, sequence]);
        packet.extend_from_slice(now);
        stream.write_all(&packet)?;
        if now.len() < FULL {
            stream.flush()?;
            return Ok(sequence);
        }
        sequence = sequence.wrapping_add(1);
        rest = later;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives its bytes in pieces of a few sizes, with a time-out before each.
    struct Pieces<'a> {
        bytes: &'a [u8],
        sizes: Vec<usize>,
        next: usize,
        pause: bool,
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.pause = !self.pause;
            if self.pause {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let size =
                self.sizes[self.next % self.sizes.len()].min(self.bytes.len()).min(buffer.len());
            self.next += 1;
            buffer[..size].copy_from_slice(&self.bytes[..size]);
            self.bytes = &self.bytes[size..];
            Ok(size)
        }
    }

    fn payload(length: usize, seed: u8) -> Vec<u8> {
        (0..length).map(|index| u8::try_from(index % 251).unwrap().wrapping_mul(seed | 1)).collect()
    }

    fn drive(payloads: &[Vec<u8>], sizes: Vec<usize>, skipped: &[bool]) {
        let mut bytes = Vec::new();
        for payload in payloads {
            write(&mut bytes, payload, 0).unwrap();
        }
        let mut stream = Pieces { bytes: &bytes, sizes, next: 0, pause: false };
        let mut framer = Framer::new();
        for (payload, skip) in payloads.iter().zip(skipped) {
            let frame = loop {
                match framer.next(&mut stream, |_| *skip) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    frame => break frame.unwrap(),
                }
            };
            match frame {
                Frame::Skipped { head, length } => {
                    assert!(*skip);
                    assert_eq!(head[..], payload[..HEAD]);
                    assert_eq!(length, u64::try_from(payload.len()).unwrap());
                }
                frame => assert_eq!(framer.payload(&frame), payload),
            }
            assert!(framer.buffer.len() <= BUFFER.max(payload.len() + PREFIX));
        }
        assert!(framer.is_drained());
        assert!(!framer.has_buffered());
        stream.pause = true;
        let end = framer.next(&mut stream, |_| false).unwrap_err();
        assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn long_payloads_are_joined_or_skipped() {
        let payloads: Vec<_> = [FULL - 1, FULL, FULL + 1, 2 * FULL, 10, FULL + 5, 3]
            .map(|length| payload(length, 7))
            .into();
        for skip in [false, true] {
            drive(&payloads, vec![70_001, 1 << 20], &[skip; 7]);
        }
    }

    #[test]
    fn a_grown_buffer_is_given_back() {
        let mut bytes = Vec::new();
        write(&mut bytes, &payload(5 << 20, 3), 0).unwrap();
        write(&mut bytes, &payload(FULL + 9, 3), 0).unwrap();
        write(&mut bytes, b"end", 0).unwrap();
        let mut framer = Framer::new();
        let mut stream = bytes.as_slice();
        for _ in 0..3 {
            framer.next(&mut stream, |_| false).unwrap();
        }
        assert_eq!((framer.buffer.len(), framer.joined.capacity()), (BUFFER, 0));
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same_payloads(
            lengths in prop::collection::vec((0_usize..3000, any::<u8>(), any::<bool>()), 0..30),
            sizes in prop::collection::vec(1_usize..900, 1..8),
        ) {
            let payloads: Vec<_> = lengths.iter().map(|(length, seed, _)| payload(*length, *seed)).collect();
            let skipped: Vec<_> = lengths.iter().map(|(.., skip)| *skip).collect();
            drive(&payloads, sizes, &skipped);
        }
    }
}
