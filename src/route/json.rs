use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bumpalo::Bump;
use bumpalo::collections::{String as ArenaString, Vec as ArenaVec};

/// A JSON document as Jackson reads it into a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Node<'a> {
    Null,
    Boolean(bool),
    Integer(i64),
    /// An integer beyond 64 bits.
    BigInteger,
    Double(f64),
    String(&'a str),
    Array(&'a [Node<'a>]),
    Object(&'a [(&'a str, Node<'a>)]),
}

/// Jackson's default limits.
const DEPTH_MAX: usize = 1000;
const NUMBER_DIGITS_MAX: usize = 1000;
const STRING_UNITS_MAX: usize = 20_000_000;

/// From this many members on, an object's keys are looked up by hash.
const HASHED_KEYS_MIN: usize = 16;

/// Reads the first complete value of `text`; what follows it is not looked at. `None` when there is none.
pub(super) fn parse<'a>(text: &'a str, arena: &'a Bump) -> Option<Node<'a>> {
    Reader { text, pos: 0, depth: 0, arena }.value()
}

struct Reader<'a> {
    text: &'a str,
    pos: usize,
    depth: usize,
    arena: &'a Bump,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.pos += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    fn word(&mut self, word: &str, node: Node<'a>) -> Option<Node<'a>> {
        self.text.get(self.pos..)?.strip_prefix(word)?;
        self.pos += word.len();
        Some(node)
    }

    fn value(&mut self) -> Option<Node<'a>> {
        self.skip_blanks();
        match self.peek()? {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'"' => self.string().map(Node::String),
            b't' => self.word("true", Node::Boolean(true)),
            b'f' => self.word("false", Node::Boolean(false)),
            b'n' => self.word("null", Node::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => None,
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Node<'a>>) -> Option<Node<'a>> {
        self.pos += 1;
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let node = read(self);
        self.depth -= 1;
        node
    }

    fn array(&mut self) -> Option<Node<'a>> {
        let mut elements = ArenaVec::new_in(self.arena);
        self.skip_blanks();
        if self.eat(b']') {
            return Some(Node::Array(&[]));
        }
        loop {
            elements.push(self.value()?);
            self.skip_blanks();
            if self.eat(b']') {
                return Some(Node::Array(elements.into_bump_slice()));
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }

    /// Of equal keys the last value counts, at the first one's place.
    fn object(&mut self) -> Option<Node<'a>> {
        let mut members = Members::new(self.arena);
        self.skip_blanks();
        if self.eat(b'}') {
            return Some(Node::Object(&[]));
        }
        loop {
            self.skip_blanks();
            let key = if self.peek()? == b'"' { self.string()? } else { return None };
            self.skip_blanks();
            if !self.eat(b':') {
                return None;
            }
            members.put(key, self.value()?);
            self.skip_blanks();
            if self.eat(b'}') {
                return Some(Node::Object(members.list.into_bump_slice()));
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<&'a str> {
        self.pos += 1;
        let start = self.pos;
        let plain = self.plain_run();
        if self.eat(b'"') {
            return within_limit(self.text.get(start..start + plain)?);
        }
        let mut out = ArenaString::from_str_in(self.text.get(start..start + plain)?, self.arena);
        loop {
            match self.peek()? {
                b'"' => {
                    self.pos += 1;
                    return within_limit(out.into_bump_str());
                }
                b'\\' => {
                    self.pos += 1;
                    out.push(self.escape()?);
                }
                _ => return None, // A control character.
            }
            let start = self.pos;
            let plain = self.plain_run();
            out.push_str(self.text.get(start..start + plain)?);
        }
    }

    /// Steps over characters that stand for themselves and tells how many bytes they are.
    fn plain_run(&mut self) -> usize {
        let rest = self.text.as_bytes().get(self.pos..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))
            .unwrap_or(rest.len());
        self.pos += length;
        length
    }

    fn escape(&mut self) -> Option<char> {
        let escaped = self.peek()?;
        self.pos += 1;
        Some(match escaped {
            b'"' | b'\\' | b'/' => char::from(escaped),
            b'b' => '\x08',
            b'f' => '\x0c',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                match char::from_u32(high) {
                    Some(c) => c,
                    // Half a surrogate pair is no character: such text cannot be written as UTF-8.
                    None if high < 0xDC00 && self.eat(b'\\') && self.eat(b'u') => {
                        let low = self.hex().filter(|low| (0xDC00..0xE000).contains(low))?;
                        char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))?
                    }
                    None => return None,
                }
            }
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.pos..self.pos + 4)?;
        self.pos += 4;
        digits.chars().try_fold(0, |code, c| Some(code * 16 + c.to_digit(16)?))
    }

    fn number(&mut self) -> Option<Node<'a>> {
        let start = self.pos;
        self.eat(b'-');
        let leading_zero = self.peek()? == b'0';
        let mut digits = self.digits()?;
        if leading_zero && digits > 1 {
            return None;
        }
        let mut integer = true;
        if self.eat(b'.') {
            integer = false;
            digits += self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            integer = false;
            let signed = self.eat(b'-') || self.eat(b'+');
            digits += self.digits()? + usize::from(signed);
        }
        if digits > NUMBER_DIGITS_MAX {
            return None;
        }
        let text = self.text.get(start..self.pos)?;
        if integer {
            Some(text.parse().map_or(Node::BigInteger, Node::Integer))
        } else {
            text.parse().ok().map(Node::Double)
        }
    }

    fn digits(&mut self) -> Option<usize> {
        let start = self.pos;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.pos += 1;
        }
        (self.pos > start).then(|| self.pos - start)
    }
}

fn within_limit(text: &str) -> Option<&str> {
    let fits = text.len() <= STRING_UNITS_MAX || text.encode_utf16().count() <= STRING_UNITS_MAX;
    fits.then_some(text)
}

struct Members<'a> {
    list: ArenaVec<'a, (&'a str, Node<'a>)>,
    places: HashMap<&'a str, usize>,
}

impl<'a> Members<'a> {
    fn new(arena: &'a Bump) -> Self {
        Self { list: ArenaVec::new_in(arena), places: HashMap::new() }
    }

    fn put(&mut self, key: &'a str, node: Node<'a>) {
        let place = if self.list.len() < HASHED_KEYS_MIN {
            self.list.iter().position(|(known, _)| *known == key)
        } else {
            if self.places.is_empty() {
                self.places.extend(self.list.iter().enumerate().map(|(at, (key, _))| (*key, at)));
            }
            match self.places.entry(key) {
                Entry::Occupied(entry) => Some(*entry.get()),
                Entry::Vacant(entry) => {
                    entry.insert(self.list.len());
                    None
                }
            }
        };
        match place.and_then(|place| self.list.get_mut(place)) {
            Some((_, value)) => *value = node,
            None => self.list.push((key, node)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_as_jackson_reads_it() {
        let arena = Bump::new();
        for text in [
            "{\"a\":1,}",
            "{'a':1}",
            "{a:1}",
            "[01]",
            "[1.]",
            "[.5]",
            "[+1]",
            "[1e]",
            "[NaN]",
            "[1,]",
            "{\"a\":1",
            "[\"a\nb\"]",
            "[\"\\x\"]",
            "[\"\\ud800\"]",
            "[tru]",
            "/**/{}",
            "[-]",
        ] {
            assert_eq!(parse(text, &arena), None, "{text}");
        }
        for (text, expected) in [
            ("{\"a\":1} trailing", Node::Object(&[("a", Node::Integer(1))])),
            (
                "{\"a\":1,\"b\":2,\"a\":3}",
                Node::Object(&[("a", Node::Integer(3)), ("b", Node::Integer(2))]),
            ),
            ("[-0]", Node::Array(&[Node::Integer(0)])),
            ("[1.0]", Node::Array(&[Node::Double(1.0)])),
            ("[1e400]", Node::Array(&[Node::Double(f64::INFINITY)])),
            ("[9223372036854775808]", Node::Array(&[Node::BigInteger])),
            ("[\"\\ud83d\\ude00\\/\"]", Node::Array(&[Node::String("\u{1F600}/")])),
        ] {
            assert_eq!(parse(text, &arena), Some(expected), "{text}");
        }
    }

    #[test]
    fn depth_and_number_length_are_limited() {
        let arena = Bump::new();
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nested(1000), &arena).is_some());
        assert!(parse(&nested(1001), &arena).is_none());
        assert!(parse(&format!("[{}]", "1".repeat(1000)), &arena).is_some());
        assert!(parse(&format!("[{}]", "1".repeat(1001)), &arena).is_none());
    }
}
