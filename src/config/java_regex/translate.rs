use super::JavaRegexError;
use super::class::{LINE_TERMINATORS, Set, predefined, property, write_char};

/// A pattern in the engine's syntax, without flags: what they mean is written out.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) text: String,
    pub(super) names: Vec<(String, usize)>,
    pub(super) groups: usize,
    /// The only text that matches, where the pattern is made of nothing but plain characters.
    pub(super) literal: Option<String>,
}

/// Deeper groups are refused before the engine's own limit, so that translating cannot exhaust the stack.
const DEPTH_MAX: usize = 60;

pub(super) fn translate(pattern: &str, ignore_case: bool) -> Result<Translation, JavaRegexError> {
    let mut translator = Translator {
        pattern,
        tokens: unquote(pattern),
        next: 0,
        flags: Flags { ignore_case, ..Flags::default() },
        text: String::with_capacity(pattern.len() * 2),
        names: Vec::new(),
        groups: 0,
        literal: Some(String::new()),
        depth: 0,
    };
    translator.alternatives()?;
    if translator.peek().is_some() {
        return Err(translator.error("unmatched closing parenthesis"));
    }
    let Translator { text, names, groups, literal, .. } = translator;
    Ok(Translation { text, names, groups, literal })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token {
    char: char,
    /// Between `\Q` and `\E`: a plain character, whatever it is.
    quoted: bool,
}

/// Resolves `\Q…\E`, which Java does before everything else, inside classes too.
fn unquote(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(char) = rest.chars().next() {
        let mut tail = rest.strip_prefix(char).unwrap_or_default();
        if let Some(quote) = rest.strip_prefix(r"\Q") {
            let (quoted, after) = quote.split_once(r"\E").unwrap_or((quote, ""));
            tokens.extend(quoted.chars().map(|char| Token { char, quoted: true }));
            tail = after;
        } else {
            tokens.push(Token { char, quoted: false });
            if char == '\\'
                && let Some(escaped) = tail.chars().next()
            {
                tokens.push(Token { char: escaped, quoted: false });
                tail = tail.strip_prefix(escaped).unwrap_or_default();
            }
        }
        rest = tail;
    }
    tokens
}

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    ignore_case: bool,
    unicode_case: bool,
    multiline: bool,
    dot_all: bool,
    unix_lines: bool,
    comments: bool,
}

struct Translator<'p> {
    pattern: &'p str,
    tokens: Vec<Token>,
    next: usize,
    flags: Flags,
    text: String,
    names: Vec<(String, usize)>,
    groups: usize,
    literal: Option<String>,
    depth: usize,
}

/// What a backslash stands for.
enum Escape {
    Char(char),
    Set(Set),
    /// An assertion or reference, already in the engine's syntax.
    Text(String),
}

impl Translator<'_> {
    fn error(&self, what: &str) -> JavaRegexError {
        JavaRegexError(format!("{what} near index {} of the pattern {:?}", self.next, self.pattern))
    }

    /// The next token that counts: under the flag `x`, blanks and comments do not.
    fn peek_token(&mut self) -> Option<Token> {
        while self.flags.comments {
            match self.tokens.get(self.next) {
                Some(Token { char: '\t'..='\r' | ' ', quoted: false }) => self.next += 1,
                Some(Token { char: '#', quoted: false }) => {
                    while self.tokens.get(self.next).is_some_and(|token| !ends_line(token.char)) {
                        self.next += 1;
                    }
                }
                _ => break,
            }
        }
        self.tokens.get(self.next).copied()
    }

    /// The next character if it is not quoted.
    fn peek(&mut self) -> Option<char> {
        self.peek_token().filter(|token| !token.quoted).map(|token| token.char)
    }

    fn take(&mut self) -> Option<Token> {
        let token = self.peek_token()?;
        self.next += 1;
        Some(token)
    }

    /// The next token as it stands, blanks included.
    fn take_raw(&mut self) -> Option<char> {
        let token = self.tokens.get(self.next)?;
        self.next += 1;
        Some(token.char)
    }

    fn eat(&mut self, char: char) -> bool {
        let found = self.peek() == Some(char);
        self.next += usize::from(found);
        found
    }

    fn alternatives(&mut self) -> Result<(), JavaRegexError> {
        while let Some(token) = self.peek_token() {
            match token {
                Token { char: ')', quoted: false } => break,
                Token { char: '|', quoted: false } => {
                    self.next += 1;
                    self.literal = None;
                    self.text.push('|');
                }
                _ => self.piece()?,
            }
        }
        Ok(())
    }

    /// One atom with its quantifier.
    fn piece(&mut self) -> Result<(), JavaRegexError> {
        let start = self.text.len();
        let Some(token) = self.take() else { return Ok(()) };
        if token.quoted {
            self.literal(token.char);
            return self.quantifier(start);
        }
        match token.char {
            '(' => {
                if !self.group()? {
                    return Ok(());
                }
            }
            '[' => {
                let set = self.class(true)?;
                self.set(&set);
            }
            '.' => self.dot(),
            '^' => self.assertion(self.line_start()),
            '$' => self.assertion(self.line_end()),
            '\\' => match self.escape(false)? {
                Escape::Char(c) => self.literal(c),
                Escape::Set(set) => self.set(&set),
                Escape::Text(text) => self.assertion(&text),
            },
            '*' | '+' | '?' => return Err(self.error("dangling quantifier")),
            '{' => return Err(self.error("illegal repetition")),
            c => self.literal(c),
        }
        self.quantifier(start)
    }

    fn literal(&mut self, c: char) {
        if let Some(literal) = &mut self.literal {
            literal.push(c);
        }
        if self.flags.ignore_case && c.is_ascii_alphabetic() && !self.flags.unicode_case {
            self.text.extend(['[', c.to_ascii_lowercase(), c.to_ascii_uppercase(), ']']);
        } else if self.flags.ignore_case && self.flags.unicode_case {
            self.text.push_str("(?i:");
            write_char(c, &mut self.text);
            self.text.push(')');
        } else {
            write_char(c, &mut self.text);
        }
    }

    fn set(&mut self, set: &Set) {
        self.literal = None;
        let folded = self.flags.ignore_case && self.flags.unicode_case;
        if folded {
            self.text.push_str("(?i:");
        }
        set.write(&mut self.text);
        if folded {
            self.text.push(')');
        }
    }

    fn assertion(&mut self, text: &str) {
        self.literal = None;
        self.text.push_str(text);
    }

    fn dot(&mut self) {
        let terminators = if self.flags.unix_lines { &[('\n', '\n')] } else { LINE_TERMINATORS };
        let excluded = if self.flags.dot_all { &[] } else { terminators };
        self.set(&Set::ranges(excluded).negated());
    }

    fn line_start(&self) -> &'static str {
        match (self.flags.multiline, self.flags.unix_lines) {
            (false, _) => r"(?:\A)",
            (true, true) => r"(?:(?!\z)(?:\A|(?<=\n)))",
            (true, false) => r"(?:(?!\z)(?:\A|(?<=[\n\r\x{85}\x{2028}\x{2029}])(?!(?<=\r)\n)))",
        }
    }

    fn line_end(&self) -> &'static str {
        match (self.flags.multiline, self.flags.unix_lines) {
            (false, true) => r"(?=\n?\z)",
            (true, true) => r"(?=\n|\z)",
            (false, false) => r"(?:(?!(?<=\r)\n)(?=(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z))",
            (true, false) => r"(?:(?!(?<=\r)\n)(?=[\n\r\x{85}\x{2028}\x{2029}]|\z))",
        }
    }

    /// Appends the quantifier after the atom that begins at `start`.
    fn quantifier(&mut self, start: usize) -> Result<(), JavaRegexError> {
        let quantifier = match self.peek() {
            Some(c @ ('*' | '+' | '?')) => {
                self.next += 1;
                c.to_string()
            }
            Some('{') => {
                self.next += 1;
                self.repetition()?
            }
            _ => return Ok(()),
        };
        self.literal = None;
        self.text.push_str(&quantifier);
        match self.peek() {
            Some('?') => {
                self.next += 1;
                self.text.push('?');
            }
            Some('+') => {
                self.next += 1;
                self.text.insert_str(start, "(?>");
                self.text.push(')');
            }
            _ => {}
        }
        Ok(())
    }

    /// `n}`, `n,}` or `n,m}`.
    fn repetition(&mut self) -> Result<String, JavaRegexError> {
        let least = self.number()?.ok_or_else(|| self.error("illegal repetition"))?;
        let range = if self.eat(',') {
            let most = self.number()?;
            if most.is_some_and(|most| most < least) {
                return Err(self.error("illegal repetition range"));
            }
            most.map_or(format!("{{{least},}}"), |most| format!("{{{least},{most}}}"))
        } else {
            format!("{{{least}}}")
        };
        if self.eat('}') { Ok(range) } else { Err(self.error("unclosed counted closure")) }
    }

    fn number(&mut self) -> Result<Option<u32>, JavaRegexError> {
        let mut number: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.next += 1;
            number = number.unwrap_or(0).checked_mul(10).and_then(|n| n.checked_add(digit));
            if number.is_none() {
                return Err(self.error("repetition out of range"));
            }
        }
        Ok(number)
    }

    /// A group after its parenthesis; `false` for flags that hold until the surrounding group ends.
    fn group(&mut self) -> Result<bool, JavaRegexError> {
        self.literal = None;
        let flags = self.flags;
        let mut close = ")";
        if self.eat('?') {
            match self.take_raw() {
                Some(':') => self.text.push_str("(?:"),
                Some('=') => close = self.look_around("(?:(?="),
                Some('!') => close = self.look_around("(?:(?!"),
                Some('>') => self.text.push_str("(?>"),
                Some('<') => close = self.named_group_or_look_behind()?,
                _ => {
                    self.next -= usize::from(self.next <= self.tokens.len());
                    if !self.inline_flags()? {
                        return Ok(false);
                    }
                    self.text.push_str("(?:");
                }
            }
        } else {
            self.groups += 1;
            self.text.push('(');
        }
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error("groups nested too deeply"));
        }
        self.alternatives()?;
        self.depth -= 1;
        self.flags = flags;
        if !self.eat(')') {
            return Err(self.error("unclosed group"));
        }
        self.text.push_str(close);
        Ok(true)
    }

    /// Opens an assertion in a group of its own, so that a quantifier may follow, and tells how it is closed.
    fn look_around(&mut self, open: &str) -> &'static str {
        self.text.push_str(open);
        "))"
    }

    fn named_group_or_look_behind(&mut self) -> Result<&'static str, JavaRegexError> {
        match self.take_raw() {
            Some('=') => return Ok(self.look_around("(?:(?<=")),
            Some('!') => return Ok(self.look_around("(?:(?<!")),
            Some(first) if first.is_ascii_alphabetic() => {
                let name = self.group_name(first)?;
                if self.names.iter().any(|(known, _)| *known == name) {
                    return Err(self.error(&format!("the group <{name}> is already defined")));
                }
                self.groups += 1;
                self.names.push((name, self.groups));
                self.text.push('(');
            }
            _ => return Err(self.error("unknown look-behind or group name")),
        }
        Ok(")")
    }

    fn group_name(&mut self, first: char) -> Result<String, JavaRegexError> {
        let mut name = first.to_string();
        loop {
            match self.take_raw() {
                Some('>') => return Ok(name),
                Some(c) if c.is_ascii_alphanumeric() => name.push(c),
                _ => return Err(self.error("a group name is letters and digits, then '>'")),
            }
        }
    }

    /// Flags after `(?`; `true` when a group follows in which alone they hold.
    fn inline_flags(&mut self) -> Result<bool, JavaRegexError> {
        let mut on = true;
        loop {
            match self.take_raw() {
                Some('i') => self.flags.ignore_case = on,
                Some('u') => self.flags.unicode_case = on,
                Some('m') => self.flags.multiline = on,
                Some('s') => self.flags.dot_all = on,
                Some('d') => self.flags.unix_lines = on,
                Some('x') => self.flags.comments = on,
                Some('-') if on => on = false,
                Some(')') => return Ok(false),
                Some(':') => return Ok(true),
                Some(c @ ('U' | 'c')) => {
                    return Err(self.error(&format!("the flag (?{c}) is not supported")));
                }
                _ => return Err(self.error("unknown inline flag")),
            }
        }
    }

    /// A class after its bracket. Without `consume` it is the right side of `&&` and its end stays unread.
    fn class(&mut self, consume: bool) -> Result<Set, JavaRegexError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error("classes nested too deeply"));
        }
        let negate = consume && self.eat('^');
        let mut set: Option<Set> = None;
        loop {
            let Some(token) = self.peek_token() else {
                return Err(self.error("unclosed character class"));
            };
            let next = if token.quoted { None } else { Some(token.char) };
            match next {
                Some('[') => {
                    self.next += 1;
                    let nested = self.class(true)?;
                    set = Some(union(set, nested));
                }
                Some('&') if self.doubled_ampersand() => {
                    set = self.intersection(set)?;
                }
                Some(']') if set.is_some() => {
                    self.next += usize::from(consume);
                    break;
                }
                _ => {
                    let range = self.class_range()?;
                    set = Some(union(set, range));
                }
            }
        }
        self.depth -= 1;
        Ok(set.unwrap_or(Set::Ranges(Vec::new())).negated_if(negate))
    }

    /// Steps over `&&`.
    fn doubled_ampersand(&mut self) -> bool {
        let mark = self.next;
        self.next += 1;
        if self.eat('&') {
            return true;
        }
        self.next = mark;
        false
    }

    fn intersection(&mut self, left: Option<Set>) -> Result<Option<Set>, JavaRegexError> {
        let mut right: Option<Set> = None;
        while let Some(token) = self.peek_token() {
            match token {
                Token { char: ']' | '&', quoted: false } => break,
                Token { char: '[', quoted: false } => {
                    self.next += 1;
                    let nested = self.class(true)?;
                    right = Some(union(right, nested));
                }
                // Everything up to the bracket belongs to the right side, which replaces what came before.
                _ => right = Some(self.class(false)?),
            }
        }
        match (left, right) {
            (None, None) => Err(self.error("bad class syntax")),
            (Some(left), Some(right)) => Ok(Some(left.and(right))),
            (left, right) => Ok(left.or(right)),
        }
    }

    /// A character, a range or a predefined class inside brackets.
    fn class_range(&mut self) -> Result<Set, JavaRegexError> {
        let first = match self.class_char()? {
            Escape::Char(c) => c,
            Escape::Set(set) => return Ok(set),
            Escape::Text(_) => return Err(self.error("an assertion inside a character class")),
        };
        let mark = self.next;
        if self.eat('-') {
            match self.peek_token() {
                None => return Err(self.error("illegal character range")),
                Some(Token { char: '[' | ']', quoted: false }) => self.next = mark,
                Some(_) => match self.class_char()? {
                    Escape::Char(last) if last >= first => {
                        return Ok(self.folded(Set::ranges(&[(first, last)])));
                    }
                    _ => return Err(self.error("illegal character range")),
                },
            }
        }
        Ok(self.folded(Set::ranges(&[(first, first)])))
    }

    fn class_char(&mut self) -> Result<Escape, JavaRegexError> {
        match self.take() {
            Some(Token { char: '\\', quoted: false }) => self.escape(true),
            Some(token) => Ok(Escape::Char(token.char)),
            None => Err(self.error("unclosed character class")),
        }
    }

    fn folded(&self, set: Set) -> Set {
        if self.flags.ignore_case { set.fold_ascii() } else { set }
    }

    /// What follows a backslash.
    fn escape(&mut self, in_class: bool) -> Result<Escape, JavaRegexError> {
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

fn ends_line(c: char) -> bool {
    LINE_TERMINATORS.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

fn union(left: Option<Set>, right: Set) -> Set {
    match left {
        Some(Set::Ranges(mut ranges)) => match right {
            Set::Ranges(more) => {
                ranges.extend(more);
                Set::Ranges(ranges)
            }
            right => Set::Ranges(ranges).or(right),
        },
        Some(left) => left.or(right),
        None => right,
    }
}
