use std::slice::ChunksExact;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::json_number::write_double;
use super::reader::Reader;
use super::short_text::{Fraction, ShortText};
use super::temporal::{DateTime, json_time};
use super::{ValueError, charset, decimal};

/// MySQL stores no document deeper than this (`JSON_MAX_DEPTH`).
const DEPTH_MAX: u32 = 100;

/// A document from MySQL's binary form as the text that Debezium's binlog reader makes of it: no spaces, keys
/// in stored order.
///
/// Linear in the document's length, whatever its offsets say: every value and every byte of text is paid
/// for from a budget of that length.
pub(super) fn text<'a>(document: &[u8], arena: &'a Bump) -> Result<&'a str, ValueError> {
    let (&kind, body) = document.split_first().ok_or(ValueError::Truncated)?;
    let capacity = document.len() + document.len() / 4 + 16;
    let out = ArenaVec::with_capacity_in(capacity, arena);
    let mut writer = Writer { out, budget: document.len() };
    writer.value(kind, body, 0)?;
    let bytes = writer.out.into_bump_slice();
    Ok(std::str::from_utf8(bytes).unwrap_or_else(|_| charset::lossy_utf8(bytes, arena)))
}

struct Writer<'a> {
    out: ArenaVec<'a, u8>,
    /// What a sound document of this length can still hold.
    budget: usize,
}

/// The two widths of counts, sizes and offsets inside a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Small,
    Large,
}

impl Format {
    fn width(self) -> usize {
        match self {
            Self::Small => 2,
            Self::Large => 4,
        }
    }

    #[inline]
    fn number(self, bytes: &[u8], at: usize) -> Result<usize, ValueError> {
        let bytes = bytes.get(at..).ok_or(ValueError::Truncated)?;
        match self {
            Self::Small => Ok(usize::from(u16::from_le_bytes(fixed(bytes)?))),
            Self::Large => usize::try_from(u32::from_le_bytes(fixed(bytes)?))
                .map_err(|_| ValueError::Malformed("JSON offset")),
        }
    }

    /// Whether a value of this kind stands in its entry in place of an offset.
    fn inlines(self, kind: u8) -> bool {
        match kind {
            0x04..=0x06 => true,
            0x07 | 0x08 => self == Self::Large,
            _ => false,
        }
    }
}

impl Writer<'_> {
    fn spend(&mut self, cost: usize) -> Result<(), ValueError> {
        self.budget = self.budget.checked_sub(cost).ok_or(ValueError::Malformed("JSON offset"))?;
        Ok(())
    }

    fn push(&mut self, text: &[u8]) {
        self.out.extend_from_slice_copy(text);
    }

    fn value(&mut self, kind: u8, body: &[u8], depth: u32) -> Result<(), ValueError> {
        self.spend(1)?;
        match kind {
            0x00 => self.object(body, Format::Small, depth),
            0x01 => self.object(body, Format::Large, depth),
            0x02 => self.array(body, Format::Small, depth),
            0x03 => self.array(body, Format::Large, depth),
            0x0C => {
                let mut reader = Reader::new(body);
                let text = length_prefixed(&mut reader)?;
                self.string(text)
            }
            0x0F => self.opaque(body),
            _ => self.scalar(kind, body),
        }
    }

    fn scalar(&mut self, kind: u8, body: &[u8]) -> Result<(), ValueError> {
        match kind {
            0x04 => self.literal(body),
            0x05 => self.signed(i64::from(i16::from_le_bytes(fixed(body)?))),
            0x06 => self.unsigned(u64::from(u16::from_le_bytes(fixed(body)?))),
            0x07 => self.signed(i64::from(i32::from_le_bytes(fixed(body)?))),
            0x08 => self.unsigned(u64::from(u32::from_le_bytes(fixed(body)?))),
            0x09 => self.signed(i64::from_le_bytes(fixed(body)?)),
            0x0A => self.unsigned(u64::from_le_bytes(fixed(body)?)),
            0x0B => {
                let value = f64::from_le_bytes(fixed(body)?);
                if !value.is_finite() {
                    return Err(ValueError::Malformed("JSON number"));
                }
                write_double(value, &mut self.out);
                Ok(())
            }
            _ => Err(ValueError::Malformed("JSON type")),
        }
    }

    fn literal(&mut self, body: &[u8]) -> Result<(), ValueError> {
        match body.first() {
            Some(0) => self.push(b"null"),
            Some(1) => self.push(b"true"),
            Some(2) => self.push(b"false"),
            Some(_) => return Err(ValueError::Malformed("JSON literal")),
            None => return Err(ValueError::Truncated),
        }
        Ok(())
    }

    fn signed(&mut self, value: i64) -> Result<(), ValueError> {
        if value < 0 {
            self.out.push(b'-');
        }
        self.unsigned(value.unsigned_abs())
    }

    fn unsigned(&mut self, value: u64) -> Result<(), ValueError> {
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = value;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
            start -= 1;
            if rest == 0 {
                break;
            }
        }
        self.push(digits.get(start..).unwrap_or_default());
        Ok(())
    }

    fn object(&mut self, body: &[u8], format: Format, depth: u32) -> Result<(), ValueError> {
        let container = Container::read(body, format, format.width() + 2)?;
        check_depth(depth)?;
        self.out.push(b'{');
        let mut comma = false;
        for (key, value) in container.keys().zip(container.values()) {
            if std::mem::replace(&mut comma, true) {
                self.out.push(b',');
            }
            self.string(container.key(key)?)?;
            self.out.push(b':');
            self.element(&container, value, depth)?;
        }
        self.out.push(b'}');
        Ok(())
    }

    fn array(&mut self, body: &[u8], format: Format, depth: u32) -> Result<(), ValueError> {
        let container = Container::read(body, format, 0)?;
        check_depth(depth)?;
        self.out.push(b'[');
        let mut comma = false;
        for value in container.values() {
            if std::mem::replace(&mut comma, true) {
                self.out.push(b',');
            }
            self.element(&container, value, depth)?;
        }
        self.out.push(b']');
        Ok(())
    }

    fn element<'d>(
        &mut self,
        container: &Container<'d>,
        entry: &'d [u8],
        depth: u32,
    ) -> Result<(), ValueError> {
        let (kind, body) = container.element(entry)?;
        self.value(kind, body, depth + 1)
    }

    /// A quoted string. Invalid UTF-8 passes through and is mended over the whole text.
    fn string(&mut self, text: &[u8]) -> Result<(), ValueError> {
        self.spend(text.len())?;
        self.out.push(b'"');
        let mut rest = text;
        loop {
            let plain = plain_length(rest);
            let (run, tail) = rest.split_at_checked(plain).unwrap_or((rest, &[]));
            self.push(run);
            let Some((&special, after)) = tail.split_first() else { break };
            self.escape(special);
            rest = after;
        }
        self.out.push(b'"');
        Ok(())
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.push(b"\\\""),
            b'\\' => self.push(b"\\\\"),
            0x08 => self.push(b"\\b"),
            b'\t' => self.push(b"\\t"),
            b'\n' => self.push(b"\\n"),
            0x0C => self.push(b"\\f"),
            b'\r' => self.push(b"\\r"),
            _ => {
                let hex = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 };
                self.push(&[b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte & 0xF)]);
            }
        }
    }

    /// A value that JSON itself does not have: a column type's code and its bytes.
    fn opaque(&mut self, body: &[u8]) -> Result<(), ValueError> {
        let mut reader = Reader::new(body);
        let kind = reader.u8()?;
        let bytes = length_prefixed(&mut reader)?;
        self.spend(bytes.len())?;
        match kind {
            246 => {
                let (&[precision, scale], digits) =
                    bytes.split_first_chunk().ok_or(ValueError::Truncated)?;
                decimal::write(digits, precision, scale, &mut self.out)
            }
            7 | 10 | 11 | 12 => {
                let packed = i64::from_le_bytes(fixed(bytes)?);
                let mut text = ShortText::new();
                text.push(b'"');
                match kind {
                    10 => text.date(DateTime::of_json(packed).date),
                    11 => text.time(json_time(packed), Fraction::Trimmed),
                    _ => text.datetime(DateTime::of_json(packed), b' ', Fraction::Trimmed),
                };
                self.push(text.push(b'"').as_bytes());
                Ok(())
            }
            _ => self.base64(bytes),
        }
    }

    fn base64(&mut self, bytes: &[u8]) -> Result<(), ValueError> {
        self.out.push(b'"');
        let start = self.out.len();
        self.out.resize(start + bytes.len().div_ceil(3) * 4, 0);
        let space = self.out.get_mut(start..).unwrap_or_default();
        STANDARD.encode_slice(bytes, space).map_err(|_| ValueError::Malformed("opaque JSON"))?;
        self.out.push(b'"');
        Ok(())
    }
}

/// An object or array: count and size, then entries of keys, entries of values, and what they point to.
struct Container<'a> {
    bytes: &'a [u8],
    format: Format,
    keys: &'a [u8],
    values: &'a [u8],
    /// Where the entries end; offsets point behind it.
    end: usize,
}

impl<'a> Container<'a> {
    fn read(body: &'a [u8], format: Format, key_entry: usize) -> Result<Self, ValueError> {
        let width = format.width();
        let count = format.number(body, 0)?;
        let size = format.number(body, width)?;
        let bytes = body.get(..size).ok_or(ValueError::Truncated)?;
        let keys_length = count.checked_mul(key_entry);
        let length = count.checked_mul(key_entry + 1 + width);
        let end = length.and_then(|length| length.checked_add(2 * width));
        let malformed = ValueError::Malformed("JSON size");
        let (Some(keys_length), Some(end)) = (keys_length, end) else { return Err(malformed) };
        let entries = bytes.get(2 * width..end).ok_or(malformed)?;
        let (keys, values) = entries.split_at_checked(keys_length).unwrap_or_default();
        Ok(Self { bytes, format, keys, values, end })
    }

    /// Each key's entry.
    fn keys(&self) -> ChunksExact<'a, u8> {
        self.keys.chunks_exact(self.format.width() + 2)
    }

    /// Each value's entry.
    fn values(&self) -> ChunksExact<'a, u8> {
        self.values.chunks_exact(1 + self.format.width())
    }

    fn key(&self, entry: &[u8]) -> Result<&'a [u8], ValueError> {
        let offset = self.format.number(entry, 0)?;
        let length = Format::Small.number(entry, self.format.width())?;
        self.behind_entries(offset)?.get(..length).ok_or(ValueError::Truncated)
    }

    /// The kind of a value and the bytes from its first on.
    fn element(&self, entry: &'a [u8]) -> Result<(u8, &'a [u8]), ValueError> {
        let (&kind, value) = entry.split_first().ok_or(ValueError::Truncated)?;
        if self.format.inlines(kind) {
            return Ok((kind, value));
        }
        Ok((kind, self.behind_entries(self.format.number(value, 0)?)?))
    }

    fn behind_entries(&self, offset: usize) -> Result<&'a [u8], ValueError> {
        if offset < self.end {
            return Err(ValueError::Malformed("JSON offset"));
        }
        self.bytes.get(offset..).ok_or(ValueError::Truncated)
    }
}

fn check_depth(depth: u32) -> Result<(), ValueError> {
    if depth < DEPTH_MAX { Ok(()) } else { Err(ValueError::Malformed("depth of JSON")) }
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], ValueError> {
    bytes.first_chunk().copied().ok_or(ValueError::Truncated)
}

/// A length of seven bits a byte, least significant first, in at most five bytes; then that many bytes.
fn length_prefixed<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], ValueError> {
    let mut length = 0_u64;
    for shift in [0, 7, 14, 21, 28] {
        let byte = reader.u8()?;
        length |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return reader.take(usize::try_from(length).map_err(|_| ValueError::Truncated)?);
        }
    }
    Err(ValueError::Malformed("JSON length"))
}

const fn repeated(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// How many bytes from the front need no escape, looked at in blocks, then in words.
fn plain_length(text: &[u8]) -> usize {
    let special = |&byte: &u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    // Without an early end inside a block its bytes are looked at side by side.
    let is_plain = |block: &&[u8; 16]| !block.iter().fold(false, |any, byte| any | special(byte));
    let mut length = text.as_chunks().0.iter().take_while(is_plain).count() * 16;
    let (words, tail) = text.get(length..).unwrap_or_default().as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        // A byte's top bit is set where it equals the byte searched for, or is below the space; a borrow can
        // only mark a byte behind a true one.
        let quote = word ^ repeated(b'"');
        let backslash = word ^ repeated(b'\\');
        let found = (quote.wrapping_sub(repeated(1)) & !quote)
            | (backslash.wrapping_sub(repeated(1)) & !backslash)
            | (word.wrapping_sub(repeated(0x20)) & !word);
        let found = found & repeated(0x80);
        if found != 0 {
            return length + usize::try_from(found.trailing_zeros() / 8).unwrap_or_default();
        }
        length += 8;
    }
    length + tail.iter().position(special).unwrap_or(tail.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(document: &[u8]) -> Result<String, ValueError> {
        let arena = Bump::new();
        text(document, &arena).map(str::to_owned)
    }

    #[test]
    fn scalars_stand_alone() {
        for (document, expected) in [
            (&[4, 0][..], "null"),
            (&[4, 1], "true"),
            (&[4, 2], "false"),
            (&[5, 0xFF, 0xFF], "-1"),
            (&[6, 0xFF, 0xFF], "65535"),
            (&[7, 0, 0, 0, 0x80], "-2147483648"),
            (&[8, 0, 0x5E, 0xD0, 0xB2], "3000000000"),
            (&[9, 0, 0, 0, 0, 0, 0, 0, 0x80], "-9223372036854775808"),
            (&[10, 255, 255, 255, 255, 255, 255, 255, 255], "18446744073709551615"),
            (&[11, 0, 0, 0, 0, 0, 0, 4, 0x40], "2.5"),
            (&[12, 2, b'h', b'i'], "\"hi\""),
            (&[0, 0, 0, 4, 0], "{}"),
            (&[2, 0, 0, 4, 0], "[]"),
        ] {
            assert_eq!(read(document).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn containers_are_written_in_stored_order() {
        // {"b":[1],"aa":"x"}: two entries of keys, two of values, keys, then the array and the string.
        let document = [
            0, 2, 0, 36, 0, 18, 0, 1, 0, 19, 0, 2, 0, 2, 21, 0, 12, 29, 0, b'b', b'a', b'a', 1, 0,
            8, 0, 5, 1, 0, 0, 1, b'x', 0, 0, 0, 0, 0,
        ];
        let mut sized = document;
        // The array's own size is 7; what is left over behind it is padding of this test.
        sized[24] = 7;
        assert_eq!(read(&sized).as_deref(), Ok(r#"{"b":[1],"aa":"x"}"#));
    }

    #[test]
    fn a_large_array_holds_32_bits_inline() {
        let document = [3, 1, 0, 0, 0, 13, 0, 0, 0, 8, 0, 0x5E, 0xD0, 0xB2];
        assert_eq!(read(&document).as_deref(), Ok("[3000000000]"));
    }

    #[test]
    fn special_characters_are_escaped_wherever_they_stand() {
        for position in 0..20 {
            for (special, expected) in [
                (b'"', "\\\""),
                (b'\\', "\\\\"),
                (8, "\\b"),
                (9, "\\t"),
                (10, "\\n"),
                (12, "\\f"),
                (13, "\\r"),
                (0, "\\u0000"),
                (0x1F, "\\u001F"),
                (0x20, " "),
                (0x7F, "\u{7F}"),
                (b'!', "!"),
                (b'#', "#"),
                (b'[', "["),
            ] {
                let mut document = vec![12, 20];
                document.extend([b'a'; 20]);
                document[2 + position] = special;
                let (before, after) = ("a".repeat(position), "a".repeat(19 - position));
                let text = format!("\"{before}{expected}{after}\"");
                assert_eq!(read(&document), Ok(text), "{special} at {position}");
            }
        }
        assert_eq!(read("\u{c}\u{6}é😀".as_bytes()).as_deref(), Ok("\"é😀\""));
        assert_eq!(read(&[12, 2, b'a', 0xFF]).as_deref(), Ok("\"a\u{FFFD}\""));
    }

    #[test]
    fn offsets_point_forward_and_work_has_an_end() {
        // An array that is its own element.
        assert!(read(&[2, 1, 0, 7, 0, 2, 0, 0]).is_err());
        // A thousand elements that are all the same long string.
        let mut document = vec![2, 0xE8, 3, 0, 0];
        for _ in 0..1000 {
            document.extend([12, 0xBC, 0x0B]);
        }
        document.extend([100; 101]);
        let size = u16::try_from(document.len() - 1).unwrap();
        document[3..5].copy_from_slice(&size.to_le_bytes());
        assert_eq!(read(&document), Err(ValueError::Malformed("JSON offset")));
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: u16| {
            let mut document = vec![2, 0, 0, 4, 0];
            for _ in 1..depth {
                let size = u16::try_from(document.len() + 6).unwrap().to_le_bytes();
                let mut outer = vec![2, 1, 0, size[0], size[1], document[0], 7, 0];
                outer.extend(&document[1..]);
                document = outer;
            }
            document
        };
        assert_eq!(read(&nested(100)), Ok("[".repeat(100) + &"]".repeat(100)));
        assert_eq!(read(&nested(101)), Err(ValueError::Malformed("depth of JSON")));
    }
}
