use super::JavaRegexError;
use super::class::Set;
use super::escape::Escape;
use super::translate::{DEPTH_MAX, Token, Translator};

impl Translator<'_> {
    /// A class after its bracket. Without `consume` it is the right side of `&&` and its end stays unread.
    pub(super) fn class(&mut self, consume: bool) -> Result<Set, JavaRegexError> {
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
    pub(super) fn class_range(&mut self) -> Result<Set, JavaRegexError> {
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

    pub(super) fn folded(&self, set: Set) -> Set {
        if self.flags.ignore_case { set.fold_ascii() } else { set }
    }
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
