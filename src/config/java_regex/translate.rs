use super::JavaRegexError;
use super::class::{LINE_TERMINATORS, Set, write_char};
use super::escape::Escape;

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
pub(super) const DEPTH_MAX: usize = 60;

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
pub(super) struct Token {
    pub(super) char: char,
    /// Between `\Q` and `\E`: a plain character, whatever it is.
    pub(super) quoted: bool,
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
pub(super) struct Flags {
    pub(super) ignore_case: bool,
    pub(super) unicode_case: bool,
    pub(super) multiline: bool,
    pub(super) dot_all: bool,
    pub(super) unix_lines: bool,
    pub(super) comments: bool,
}

pub(super) struct Translator<'p> {
    pub(super) pattern: &'p str,
    pub(super) tokens: Vec<Token>,
    pub(super) next: usize,
    pub(super) flags: Flags,
    pub(super) text: String,
    pub(super) names: Vec<(String, usize)>,
    pub(super) groups: usize,
    pub(super) literal: Option<String>,
    pub(super) depth: usize,
}

impl Translator<'_> {
    pub(super) fn error(&self, what: &str) -> JavaRegexError {
        JavaRegexError(format!("{what} near index {} of the pattern {:?}", self.next, self.pattern))
    }

    /// The next token that counts: under the flag `x`, blanks and comments do not.
    pub(super) fn peek_token(&mut self) -> Option<Token> {
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
    pub(super) fn peek(&mut self) -> Option<char> {
        self.peek_token().filter(|token| !token.quoted).map(|token| token.char)
    }

    pub(super) fn take(&mut self) -> Option<Token> {
        let token = self.peek_token()?;
        self.next += 1;
        Some(token)
    }

    /// The next token as it stands, blanks included.
    pub(super) fn take_raw(&mut self) -> Option<char> {
        let token = self.tokens.get(self.next)?;
        self.next += 1;
        Some(token.char)
    }

    pub(super) fn eat(&mut self, char: char) -> bool {
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

    pub(super) fn line_end(&self) -> &'static str {
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
        self.make_repeatable(start);
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

    /// The engine repeats neither assertions nor nothing, but it does repeat a choice of one of them.
    fn make_repeatable(&mut self, start: usize) {
        let mut atom = self.text.get(start..).unwrap_or_default();
        while let Some(inner) = atom.strip_prefix("(?:") {
            atom = inner;
        }
        let assertion = ["(?=", "(?!", "(?<", ")"].iter().any(|open| atom.starts_with(open));
        if assertion {
            self.text.insert_str(start, "(?:");
            self.text.push_str("|(?!))");
        }
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
        if self.eat('?') {
            match self.take_raw() {
                Some(':') => self.text.push_str("(?:"),
                Some('=') => self.text.push_str("(?="),
                Some('!') => self.text.push_str("(?!"),
                Some('>') => self.text.push_str("(?>"),
                Some('<') => self.named_group_or_look_behind()?,
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
        self.text.push(')');
        Ok(true)
    }

    fn named_group_or_look_behind(&mut self) -> Result<(), JavaRegexError> {
        match self.take_raw() {
            Some('=') => self.text.push_str("(?<="),
            Some('!') => self.text.push_str("(?<!"),
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
        Ok(())
    }

    pub(super) fn group_name(&mut self, first: char) -> Result<String, JavaRegexError> {
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
}

fn ends_line(c: char) -> bool {
    LINE_TERMINATORS.iter().any(|(first, last)| (*first..=*last).contains(&c))
}
