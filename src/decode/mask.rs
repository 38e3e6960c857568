//! `column.truncate.to.N.chars`, `column.mask.with.N.chars` and `column.mask.hash.*`: values that change before
//! anyone sees them. Keys of change records are left as they are, as Debezium leaves them.

use bumpalo::Bump;
use bumpalo::collections::String as ArenaString;
use md5::{Digest, Md5};
use ring::digest;

use super::column::ColumnType;
use super::column_source::Source;
use crate::config::{ColumnMask, HashAlgorithm, MaskRule};
use crate::connect::Value;

/// What is done to a column's values.
#[derive(Clone, Debug)]
pub(super) enum Mask {
    /// Only the schema says that there is a rule: it does not work on values of this type.
    Nothing(Parameter),
    Truncate(usize),
    Text(Box<str>),
    Hash {
        algorithm: HashAlgorithm,
        salt: Box<[u8]>,
        serialized: bool,
        limit: usize,
    },
}

/// The parameter that a rule leaves in the column's schema.
type Parameter = (&'static str, String);

impl Mask {
    /// The rule for a column: of several the first that works on it.
    pub(super) fn new(rules: &[ColumnMask], source: &Source<'_>, name: &str) -> Option<Self> {
        let length = declared_length(source);
        let rule = rules.iter().find(|rule| {
            let cuts = match rule.rule {
                MaskRule::Truncate(chars) => length.is_none_or(|length| length > chars),
                MaskRule::Chars(_) | MaskRule::Hash { .. } => true,
            };
            cuts && rule.columns.matches(name)
        })?;
        let is_text = matches!(
            source.column_type,
            ColumnType::Text(_) | ColumnType::Enum(_) | ColumnType::Set(_)
        );
        Some(match &rule.rule {
            // A byte array, where other binary values are buffers.
            MaskRule::Truncate(chars) if matches!(source.column_type, ColumnType::Bit { .. }) => {
                Self::Nothing(("truncateLength", chars.to_string()))
            }
            MaskRule::Truncate(chars) => Self::Truncate(*chars),
            _ if !is_text => Self::Nothing(("masked", "true".to_owned())),
            MaskRule::Chars(chars) => Self::Text("*".repeat(*chars).into()),
            MaskRule::Hash { algorithm, salt, serialized } => Self::Hash {
                algorithm: *algorithm,
                salt: salt.as_bytes().into(),
                serialized: *serialized,
                limit: length.unwrap_or(usize::MAX),
            },
        })
    }

    pub(super) fn parameter(&self) -> Parameter {
        match self {
            Self::Nothing(parameter) => parameter.clone(),
            Self::Truncate(chars) => ("truncateLength", chars.to_string()),
            Self::Text(_) | Self::Hash { .. } => ("masked", "true".to_owned()),
        }
    }

    /// The value that is published.
    pub(super) fn apply<'a>(&'a self, value: Value<'a>, arena: &'a Bump) -> Value<'a> {
        match (self, value) {
            (Self::Truncate(chars), Value::String(text)) => Value::String(cut(text, *chars)),
            (Self::Truncate(bytes), Value::Bytes(value)) => {
                Value::Bytes(value.get(..*bytes).unwrap_or(value))
            }
            // A null is hidden too.
            (Self::Text(text), _) => Value::String(text),
            (Self::Hash { algorithm, salt, serialized, limit }, Value::String(text)) => {
                let mut hex = if *serialized {
                    hash(*algorithm, salt, &java_serialized(text), arena)
                } else {
                    hash(*algorithm, salt, text.as_bytes(), arena)
                };
                hex.truncate(hex.len().min(*limit));
                Value::String(hex.into_bump_str())
            }
            (_, value) => value,
        }
    }
}

/// The digest of both in hexadecimal digits.
fn hash<'a>(
    algorithm: HashAlgorithm,
    salt: &[u8],
    text: &[u8],
    arena: &'a Bump,
) -> ArenaString<'a> {
    let digits = |digest: &[u8]| {
        let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = digits.filter_map(|digit| char::from_digit(u32::from(digit), 16));
        ArenaString::from_iter_in(digits, arena)
    };
    let algorithm = match algorithm {
        HashAlgorithm::Md5 => {
            return digits(&Md5::new().chain_update(salt).chain_update(text).finalize());
        }
        HashAlgorithm::Sha1 => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        HashAlgorithm::Sha256 => &digest::SHA256,
        HashAlgorithm::Sha384 => &digest::SHA384,
        HashAlgorithm::Sha512 => &digest::SHA512,
    };
    let mut context = digest::Context::new(algorithm);
    context.update(salt);
    context.update(text);
    digits(context.finish().as_ref())
}

/// The text's first so many UTF-16 units. Java would keep half a character at the cut, which no UTF-8 can hold:
/// it goes too.
fn cut(text: &str, units: usize) -> &str {
    let mut left = units;
    let end = text.char_indices().find(|(_, c)| match left.checked_sub(c.len_utf16()) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// A column's length as Debezium reads it from its declaration.
fn declared_length(source: &Source<'_>) -> Option<usize> {
    match &source.column_type {
        ColumnType::Enum(_) => Some(1),
        ColumnType::Set(options) => Some((options.count() * 2).saturating_sub(1)),
        _ => source.layout?.arguments().0.map(usize::from),
    }
}

/// A `String` as `java.io.ObjectOutputStream` writes it.
fn java_serialized(text: &str) -> Vec<u8> {
    let mut modified = Vec::with_capacity(text.len());
    for c in text.chars() {
        if c == '\0' {
            modified.extend([0xc0, 0x80]);
        } else if c.len_utf16() == 1 {
            modified.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let [high, low] = unit.to_be_bytes();
                modified.extend([
                    0xe0 | (high >> 4),
                    0x80 | ((high & 15) << 2) | (low >> 6),
                    0x80 | (low & 63),
                ]);
            }
        }
    }
    // The stream's magic number and version, then the kind of string and its length.
    let mut out = vec![0xac, 0xed, 0, 5];
    match u16::try_from(modified.len()) {
        Ok(length) => {
            out.push(0x74);
            out.extend(length.to_be_bytes());
        }
        Err(_) => {
            out.push(0x7c);
            out.extend(u64::try_from(modified.len()).unwrap_or(u64::MAX).to_be_bytes());
        }
    }
    out.extend(modified);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_utf16_units() {
        for (text, units, expected) in [
            ("abc", 2, "ab"),
            ("abc", 3, "abc"),
            ("a\u{1f600}b", 2, "a"),
            ("a\u{1f600}b", 3, "a\u{1f600}"),
            ("ä", 0, ""),
        ] {
            assert_eq!(cut(text, units), expected, "{text}");
        }
    }

    #[test]
    fn hashes_are_those_of_debezium() {
        // Recorded: column.mask.hash.SHA-256.with.salt.CzQMA0cB5K on VARCHAR(50).
        let mask = |serialized| Mask::Hash {
            algorithm: HashAlgorithm::Sha256,
            salt: b"CzQMA0cB5K".as_slice().into(),
            serialized,
            limit: 50,
        };
        let arena = Bump::new();
        for (text, expected) in [
            ("hush", "33686847015fcfb7c2d7199932590e31bbef3b02d9564bfe15"),
            ("\u{e9}", "cd5f88b87ac569e0aa433807ddea27f08e0ab60eea4f58251b"),
        ] {
            assert_eq!(mask(true).apply(Value::String(text), &arena), Value::String(expected));
        }
        assert_eq!(mask(true).apply(Value::Null, &arena), Value::Null);
        assert_eq!(java_serialized("\0")[4..], [0x74, 0, 2, 0xc0, 0x80]);
        assert_eq!(java_serialized("\u{1f600}")[7..], [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
        assert_eq!(
            java_serialized(&"x".repeat(70_000))[4..13],
            [0x7c, 0, 0, 0, 0, 0, 1, 0x11, 0x70]
        );
    }
}
