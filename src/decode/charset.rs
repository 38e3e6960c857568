use bumpalo::Bump;
use bumpalo::collections::{String as ArenaString, Vec as ArenaVec};
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS, UTF_16BE, UTF_16LE};

use super::multi_byte::{self, Patches};
use super::reader::big_endian;
use super::single_byte;

/// How a character set's bytes become text, as Java does it: never an error, U+FFFD for what is malformed.
#[derive(Clone, Debug)]
pub(super) enum Charset {
    Utf8,
    /// One byte a character, ASCII below 0x80 and these 128 above.
    SingleByte(Box<[char; 128]>),
    /// ASCII bytes stand for themselves; some codes are not what the encoding has.
    MultiByte(&'static Encoding, Patches),
    /// Most significant byte first unless a byte order mark says otherwise.
    Utf16,
    Utf16Le,
    Utf32,
}

impl Charset {
    /// The decoder that Debezium's reader takes for MySQL's character set; UTF-8 where it knows none.
    pub(super) fn named(character_set: &str) -> Self {
        match character_set {
            "ascii" => Self::single_byte(""),
            "latin1" | "dec8" | "hp8" | "swe7" | "armscii8" | "geostd8" => {
                Self::single_byte(single_byte::WINDOWS_1252)
            }
            "cp1250" => Self::single_byte(single_byte::WINDOWS_1250),
            "cp1251" => Self::single_byte(single_byte::WINDOWS_1251),
            "cp1256" => Self::single_byte(single_byte::WINDOWS_1256),
            "cp1257" => Self::single_byte(single_byte::WINDOWS_1257),
            "cp850" => Self::single_byte(single_byte::IBM850),
            "cp852" | "keybcs2" => Self::single_byte(single_byte::IBM852),
            "cp866" => Self::single_byte(single_byte::IBM866),
            "koi8r" | "koi8u" => Self::single_byte(single_byte::KOI8_R),
            "latin2" => Self::single_byte(single_byte::ISO_8859_2),
            "greek" => Self::single_byte(single_byte::ISO_8859_7),
            "hebrew" => Self::single_byte(single_byte::ISO_8859_8),
            "latin5" => Self::single_byte(single_byte::ISO_8859_9),
            "latin7" => Self::single_byte(single_byte::ISO_8859_13),
            "macroman" => Self::single_byte(single_byte::MAC_ROMAN),
            "macce" => Self::single_byte(single_byte::MAC_CENTRAL_EUROPE),
            "tis620" => Self::single_byte(single_byte::TIS_620),
            "binary" => Self::SingleByte(Box::new(std::array::from_fn(|index| {
                u8::try_from(index + 128).map_or(char::REPLACEMENT_CHARACTER, char::from)
            }))),
            "big5" => Self::MultiByte(BIG5, multi_byte::BIG5),
            "gb2312" => Self::MultiByte(GBK, multi_byte::GB2312),
            "gbk" => Self::MultiByte(GBK, multi_byte::GBK),
            "gb18030" => Self::MultiByte(GB18030, multi_byte::GB18030),
            "sjis" => Self::MultiByte(SHIFT_JIS, multi_byte::SHIFT_JIS),
            "cp932" => Self::MultiByte(SHIFT_JIS, &[]),
            "ujis" => Self::MultiByte(EUC_JP, multi_byte::EUC_JP),
            "eucjpms" => Self::MultiByte(EUC_JP, multi_byte::EUC_JP_OPEN),
            "euckr" => Self::MultiByte(EUC_KR, multi_byte::EUC_KR),
            "ucs2" | "utf16" => Self::Utf16,
            "utf16le" => Self::Utf16Le,
            "utf32" => Self::Utf32,
            "utf8" | "utf8mb3" | "utf8mb4" => Self::Utf8,
            unknown => {
                tracing::warn!(character_set = unknown, "no decoder: taken for UTF-8");
                Self::Utf8
            }
        }
    }

    /// From a table of [`single_byte`], or from none for a set that ends at 0x7F.
    fn single_byte(upper: &str) -> Self {
        let mut table = [char::REPLACEMENT_CHARACTER; 128];
        let count = upper.chars().count();
        if count == 96 {
            for (slot, code) in table.iter_mut().zip('\u{80}'..='\u{9F}') {
                *slot = code;
            }
        }
        let start = 128 - count.min(128);
        for (slot, code) in table.iter_mut().skip(start).zip(upper.chars()) {
            *slot = code;
        }
        Self::SingleByte(Box::new(table))
    }

    /// The text of some bytes: borrowed where it is UTF-8 already, else made in the arena.
    #[inline]
    pub(super) fn decode<'a>(&self, bytes: &'a [u8], arena: &'a Bump) -> &'a str {
        match self {
            Self::Utf8 => std::str::from_utf8(bytes).unwrap_or_else(|_| lossy_utf8(bytes, arena)),
            Self::SingleByte(upper) => match ascii(bytes) {
                Some(text) => text,
                None => single_byte_text(bytes, upper, arena),
            },
            Self::MultiByte(encoding, patches) => match ascii(bytes) {
                Some(text) => text,
                None => patched(bytes, encoding, patches, arena),
            },
            Self::Utf16 => match bytes {
                [0xFE, 0xFF, rest @ ..] => encoded(rest, UTF_16BE, arena),
                [0xFF, 0xFE, rest @ ..] => encoded(rest, UTF_16LE, arena),
                _ => encoded(bytes, UTF_16BE, arena),
            },
            Self::Utf16Le => encoded(bytes, UTF_16LE, arena),
            Self::Utf32 => utf32(bytes, arena),
        }
    }
}

fn ascii(bytes: &[u8]) -> Option<&str> {
    if bytes.is_ascii() { std::str::from_utf8(bytes).ok() } else { None }
}

fn single_byte_text<'a>(bytes: &[u8], upper: &[char; 128], arena: &'a Bump) -> &'a str {
    let mut text = ArenaString::with_capacity_in(bytes.len() * 2, arena);
    text.extend(bytes.iter().map(|&byte| match usize::from(byte).checked_sub(128) {
        Some(index) => upper.get(index).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
        None => char::from(byte),
    }));
    text.into_bump_str()
}

fn encoded<'a>(bytes: &[u8], encoding: &'static Encoding, arena: &'a Bump) -> &'a str {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let Some(capacity) = decoder.max_utf8_buffer_length(bytes.len()) else { return "" };
    let mut text = ArenaVec::with_capacity_in(capacity, arena);
    text.resize(capacity, 0);
    let (_, _, written, _) = decoder.decode_to_utf8(bytes, &mut text, true);
    text.truncate(written);
    std::str::from_utf8(text.into_bump_slice()).unwrap_or_default()
}

/// As `encoded`, but for the codes of `patches`.
fn patched<'a>(
    bytes: &[u8],
    encoding: &'static Encoding,
    patches: Patches,
    arena: &'a Bump,
) -> &'a str {
    let mut text = ArenaString::with_capacity_in(bytes.len() * 2, arena);
    let (mut start, mut at) = (0, 0);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let unit = rest.get(..unit_length(rest, encoding)).unwrap_or(rest);
        if let Some(patch) = patch(patches, unit) {
            text.push_str(encoded(bytes.get(start..at).unwrap_or_default(), encoding, arena));
            text.push(patch);
            start = at + unit.len();
        }
        at += unit.len();
    }
    text.push_str(encoded(bytes.get(start..).unwrap_or_default(), encoding, arena));
    text.into_bump_str()
}

/// How many bytes the first character takes.
fn unit_length(bytes: &[u8], encoding: &'static Encoding) -> usize {
    match bytes {
        [0..=0x7F, ..] => 1,
        [0xA1..=0xDF, ..] if encoding == SHIFT_JIS => 1,
        [0x8F, ..] if encoding == EUC_JP => 3,
        [_, b'0'..=b'9', ..] if encoding == GB18030 => 4,
        _ => 2,
    }
}

fn patch(patches: Patches, unit: &[u8]) -> Option<char> {
    let code = u32::try_from(big_endian(unit)).ok()?;
    let run = patches.partition_point(|(first, _)| *first <= code).checked_sub(1)?;
    let (first, characters) = patches.get(run)?;
    characters.chars().nth(usize::try_from(code - first).ok()?)
}

fn utf32<'a>(bytes: &[u8], arena: &'a Bump) -> &'a str {
    let (units, rest) = bytes.as_chunks::<4>();
    let (swapped, units) = match units.split_first() {
        Some(([0, 0, 0xFE, 0xFF], units)) => (false, units),
        Some(([0xFF, 0xFE, 0, 0], units)) => (true, units),
        _ => (false, units),
    };
    let mut text = ArenaString::with_capacity_in(bytes.len(), arena);
    for unit in units {
        let code = if swapped { u32::from_le_bytes(*unit) } else { u32::from_be_bytes(*unit) };
        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.into_bump_str()
}

/// UTF-8 with U+FFFD for each malformed sequence; Java takes a surrogate's three bytes for one.
pub(super) fn lossy_utf8<'a>(bytes: &[u8], arena: &'a Bump) -> &'a str {
    let mut text = ArenaString::with_capacity_in(bytes.len() * 3, arena);
    let mut rest = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return text.into_bump_str();
            }
            Err(error) => {
                let (valid, tail) = rest.split_at_checked(error.valid_up_to()).unwrap_or_default();
                text.push_str(std::str::from_utf8(valid).unwrap_or_default());
                text.push(char::REPLACEMENT_CHARACTER);
                let length = match tail {
                    [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => 3,
                    _ => error.error_len().unwrap_or(tail.len()),
                };
                rest = tail.get(length..).unwrap_or_default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_sets_give_javas_text() {
        let arena = Bump::new();
        for (charset, bytes, expected) in [
            ("utf8mb4", "é😀".as_bytes(), "é😀"),
            (
                "utf8mb4",
                &[b'a', 0xFF, b'b', 0xED, 0xA0, 0x80, 0xE2, 0x82],
                "a\u{FFFD}b\u{FFFD}\u{FFFD}",
            ),
            ("latin1", &[0x80, 0x81, 0xE9], "€\u{FFFD}é"),
            ("ascii", &[b'a', 0xE9], "a\u{FFFD}"),
            ("binary", &[0x81, 0xE9], "\u{81}é"),
            ("latin5", &[0x80, 0xD0, 0xFD], "\u{80}Ğı"),
            ("latin7", &[0xA1, 0xFF], "”’"),
            ("greek", &[0xE1, 0xA4], "α€"),
            ("cp850", &[0x9B, 0xD5], "øı"),
            ("cp852", &[0x85], "ů"),
            ("macce", &[0x81], "Ā"),
            ("macroman", &[0xDB, 0xFF], "€ˇ"),
            ("tis620", &[0xA1, 0xFF], "ก\u{FFFD}"),
            ("koi8u", &[0xC1], "а"),
            ("gbk", &[0xC4, 0xE3], "你"),
            ("sjis", &[0x82, 0xA0, 0xB1, 0x81, 0x60, 0x81, 0x5C, b'z'], "あｱ〜—z"),
            ("cp932", &[0x81, 0x60], "～"),
            ("ujis", &[0xA4, 0xA2, 0x8F, 0xB0, 0xA1, 0xA1, 0xC1], "あ丂〜"),
            ("eucjpms", &[0x8F, 0xF4, 0xAB], "㈱"),
            ("gb2312", &[0xA1, 0xA4], "・"),
            ("gb18030", &[0x81, 0x30, 0x81, 0x30, 0xC4, 0xE3, 0xFF], "\u{80}你\u{FFFD}"),
            ("euckr", &[0xB0, 0xA1], "가"),
            ("big5", &[0xA7, 0x41, 0xA1, 0x45], "你•"),
            ("ucs2", &[0x00, 0xE9, 0xFE], "é\u{FFFD}"),
            ("utf16", &[0xFF, 0xFE, 0xE9, 0x00], "é"),
            ("utf16le", &[0x3D, 0xD8, 0x00, 0xDE], "😀"),
            ("utf32", &[0, 1, 0xF6, 0, 0, 0x11, 0, 0], "😀\u{FFFD}"),
            ("unheard-of", "é".as_bytes(), "é"),
        ] {
            assert_eq!(Charset::named(charset).decode(bytes, &arena), expected, "{charset}");
        }
    }

    #[test]
    fn text_that_is_utf8_already_is_borrowed() {
        let arena = Bump::new();
        for charset in ["utf8mb4", "latin1", "sjis"] {
            let bytes = b"plain".as_slice();
            let text = Charset::named(charset).decode(bytes, &arena);
            assert_eq!(text.as_ptr(), bytes.as_ptr(), "{charset}");
        }
    }
}
