use super::JavaRegexError;
use super::class::{Set, predefined, property};
use super::translate::{Flags, Translator};

/// What a backslash stands for.
pub(super) enum Escape {
    Char(char),
    Set(Set),
    /// An assertion or reference, already in the engine's syntax.
    Text(String),
}

impl Translator<'_> {
    /// What follows a backslash.
    pub(super) fn escape(&mut self, in_class: bool) -> Result<Escape, JavaRegexError> {
        let Some(c) = self.take_raw() else {
            return Err(self.error("a lone backslash at the end"));
        };
        if let Some(set) = predefined(c) {
            return Ok(Escape::Set(set));
        }
        let char = match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\x0c',
            'a' => '\x07',
            'e' => '\x1b',
            'c' => self.control()?,
            '0' => self.octal()?,
            'x' => self.hex()?,
            'u' => self.utf16()?,
            'p' | 'P' => return self.property(c == 'P').map(Escape::Set),
            _ if in_class && c.is_ascii_alphanumeric() => {
                return Err(self.error("illegal escape in a character class"));
            }
            '1'..='9' => return self.back_reference(c).map(Escape::Text),
            'k' => return self.named_reference().map(Escape::Text),
            _ if c.is_ascii_alphabetic() => return self.assertion_escape(c).map(Escape::Text),
            _ => c,
        };
        Ok(Escape::Char(char))
    }

    fn assertion_escape(&mut self, c: char) -> Result<String, JavaRegexError> {
        const WORD: &str = "[0-9A-Za-z_]";
        let text = match c {
            'A' => r"(?:\A)".to_owned(),
            'z' => r"(?:\z)".to_owned(),
            'Z' => {
                let flags = Flags { multiline: false, ..self.flags };
                let before = std::mem::replace(&mut self.flags, flags);
                let text = self.line_end().to_owned();
                self.flags = before;
                text
            }
            'b' if self.peek() == Some('{') => return Err(self.error(r"\b{g} is not supported")),
            'b' => format!("(?:(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))"),
            'B' => format!("(?:(?<={WORD})(?={WORD})|(?<!{WORD})(?!{WORD}))"),
            'R' => r"(?:\r\n|[\n\x{B}\x{C}\r\x{85}\x{2028}\x{2029}])".to_owned(),
            _ => return Err(self.error(&format!(r"the escape \{c} is unknown or not supported"))),
        };
        Ok(text)
    }

    /// As many digits as still name a group that has begun; a group that has not never matches.
    fn back_reference(&mut self, first: char) -> Result<String, JavaRegexError> {
        let mut group = usize::try_from(first.to_digit(10).unwrap_or(0)).unwrap_or(0);
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let longer = group * 10 + usize::try_from(digit).unwrap_or(0);
            if longer > self.groups {
                break;
            }
            self.next += 1;
            group = longer;
        }
        self.reference(group)
    }

    fn named_reference(&mut self) -> Result<String, JavaRegexError> {
        if self.take_raw() != Some('<') {
            return Err(self.error(r"\k is not followed by '<'"));
        }
        let first = self.take_raw().filter(char::is_ascii_alphabetic);
        let name = match first {
            Some(first) => self.group_name(first)?,
            None => return Err(self.error("a group name begins with a letter")),
        };
        match self.names.iter().find(|(known, _)| *known == name).map(|(_, group)| *group) {
            Some(group) => self.reference(group),
            None => Err(self.error(&format!("the group <{name}> is not defined here"))),
        }
    }

    fn reference(&self, group: usize) -> Result<String, JavaRegexError> {
        if self.flags.ignore_case {
            return Err(self.error("a back-reference that ignores case is not supported"));
        }
        Ok(if group > self.groups { "(?:(?!))".to_owned() } else { format!(r"(?:\{group})") })
    }

    fn property(&mut self, negated: bool) -> Result<Set, JavaRegexError> {
        let name = match self.take_raw() {
            Some('{') => {
                let mut name = String::new();
                loop {
                    match self.take_raw() {
                        Some('}') => break name,
                        Some(c) => name.push(c),
                        None => return Err(self.error("unclosed character family")),
                    }
                }
            }
            Some(letter) => letter.to_string(),
            None => return Err(self.error("illegal escape")),
        };
        Ok(property(&name, self.flags.ignore_case)?.negated_if(negated))
    }

    fn control(&mut self) -> Result<char, JavaRegexError> {
        let code = self.take_raw().and_then(|c| char::from_u32(u32::from(c) ^ 64));
        code.ok_or_else(|| self.error("illegal control escape"))
    }

    /// One to three octal digits, at most `\0377`.
    fn octal(&mut self) -> Result<char, JavaRegexError> {
        let mut code = None;
        for _ in 0..3 {
            let digit = self.tokens.get(self.next).and_then(|token| token.char.to_digit(8));
            match (code, digit) {
                (None, Some(digit)) => code = Some(digit),
                (Some(high), Some(digit)) if high < 0o40 => code = Some(high * 8 + digit),
                _ => break,
            }
            self.next += 1;
        }
        code.and_then(char::from_u32).ok_or_else(|| self.error("illegal octal escape"))
    }

    /// `\xhh` or `\x{h…h}`.
    fn hex(&mut self) -> Result<char, JavaRegexError> {
        let code = if self.tokens.get(self.next).is_some_and(|token| token.char == '{') {
            self.next += 1;
            let mut code = None;
            loop {
                match self.take_raw() {
                    Some('}') => break code,
                    Some(c) => {
                        let digit = c.to_digit(16);
                        let high: Option<u32> = Some(code.unwrap_or(0));
                        code = high
                            .and_then(|high| high.checked_mul(16))
                            .and_then(|high| high.checked_add(digit?));
                        if code.is_none() {
                            break None;
                        }
                    }
                    None => break None,
                }
            }
        } else {
            self.hex_digits(2)
        };
        code.and_then(char::from_u32).ok_or_else(|| self.error("illegal hexadecimal escape"))
    }

    fn hex_digits(&mut self, count: usize) -> Option<u32> {
        (0..count).try_fold(0, |code, _| Some(code * 16 + self.take_raw()?.to_digit(16)?))
    }

    /// `\uXXXX`, a surrogate pair as two of them.
    fn utf16(&mut self) -> Result<char, JavaRegexError> {
        let high = self.hex_digits(4).ok_or_else(|| self.error("illegal Unicode escape"))?;
        if let Some(c) = char::from_u32(high) {
            return Ok(c);
        }
        let pair = self.take_raw() == Some('\\') && self.take_raw() == Some('u');
        let low = if pair { self.hex_digits(4) } else { None };
        low.filter(|low| (0xDC00..0xE000).contains(low) && high < 0xDC00)
            .and_then(|low| char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)))
            .ok_or_else(|| self.error("a lone surrogate is not supported"))
    }
}
