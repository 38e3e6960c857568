use sqlparser::dialect::MySqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::server::{Server, Session};

/// Statements beyond this are not read: far more than any table needs.
const STATEMENT_MAX: usize = 1 << 20;
/// `sql_mode` ANSI_QUOTES: double quotes are around names.
const ANSI_QUOTES: u64 = 4;
/// `sql_mode` NO_BACKSLASH_ESCAPES.
const NO_BACKSLASH_ESCAPES: u64 = 1 << 20;
/// The collation of bytes, which no session's text is in.
const BINARY: u16 = 63;

/// The tokens of a statement, one after another, without blanks and comments. What every method takes from the
/// front is gone; one that gives `None` or `false` took nothing.
pub(super) struct Tokens {
    tokens: Vec<Token>,
    next: usize,
}

impl Tokens {
    /// Reads a statement's text as the server did; none where that is not certain.
    pub(super) fn of_statement(text: &[u8], session: &Session, server: &Server) -> Option<Self> {
        let text = std::str::from_utf8(text).ok().filter(|text| text.len() <= STATEMENT_MAX)?;
        let unicode = || {
            let set = server.collation(session.client_collation).map(|c| &*c.character_set);
            matches!(set, Some("utf8mb4" | "utf8mb3"))
        };
        if session.client_collation == BINARY || !(text.is_ascii() || unicode()) {
            return None;
        }
        if session.sql_mode & NO_BACKSLASH_ESCAPES != 0 && text.contains('\\') {
            return None;
        }
        if !has_run(text, server.version) {
            return None;
        }
        let tokens = Self::of(text)?;
        let quoted = |token: &Token| matches!(token, Token::DoubleQuotedString(_));
        let ansi = session.sql_mode & ANSI_QUOTES != 0;
        (!ansi || !tokens.tokens.iter().any(quoted)).then_some(tokens)
    }

    /// Reads a piece of a statement.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut tokenizer = Tokenizer::new(&MySqlDialect {}, text).with_unescape(false);
        let mut tokens = Vec::new();
        for token in tokenizer.tokenize().ok()? {
            match token {
                Token::Whitespace(_) => {}
                token => tokens.push(token),
            }
        }
        if tokens.last() == Some(&Token::SemiColon) {
            tokens.pop();
        }
        Some(Self { tokens, next: 0 })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.next >= self.tokens.len()
    }

    /// The token after so many others.
    fn ahead(&self, count: usize) -> Option<&Token> {
        self.tokens.get(self.next + count)
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.ahead(0)
    }

    pub(super) fn take(&mut self) -> Option<Token> {
        let token = self.peek()?.clone();
        self.next += 1;
        Some(token)
    }

    /// Takes this token.
    pub(super) fn token(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.next += usize::from(found);
        found
    }

    /// The next token, if it is a word without quotes, in upper case.
    pub(super) fn peek_word(&self) -> Option<String> {
        self.word_ahead(0)
    }

    pub(super) fn word_ahead(&self, count: usize) -> Option<String> {
        match self.ahead(count)? {
            Token::Word(word) if word.quote_style.is_none() => {
                Some(word.value.to_ascii_uppercase())
            }
            _ => None,
        }
    }

    /// Takes a word without quotes, in upper case.
    pub(super) fn take_word(&mut self) -> Option<String> {
        let word = self.peek_word()?;
        self.next += 1;
        Some(word)
    }

    /// Takes these words, if all are there.
    pub(super) fn words(&mut self, words: &str) -> bool {
        let mut count = 0;
        for word in words.split(' ') {
            if self.word_ahead(count).as_deref() != Some(word) {
                return false;
            }
            count += 1;
        }
        self.next += count;
        true
    }

    /// Takes one of these words.
    pub(super) fn one_of(&mut self, words: &[&str]) -> Option<String> {
        let word = self.peek_word().filter(|word| words.contains(&&**word))?;
        self.next += 1;
        Some(word)
    }

    /// Takes a name, quoted or not.
    pub(super) fn name(&mut self) -> Option<String> {
        let Token::Word(word) = self.peek()? else { return None };
        let name = match word.quote_style {
            None if word.value.starts_with('@') => return None,
            None => word.value.clone(),
            Some('`') => word.value.replace("``", "`"),
            Some(_) => return None,
        };
        self.next += 1;
        Some(name)
    }

    /// Takes a number without a point.
    pub(super) fn number<N: std::str::FromStr>(&mut self) -> Option<N> {
        let Token::Number(digits, false) = self.peek()? else { return None };
        let number = digits.parse().ok()?;
        self.next += 1;
        Some(number)
    }

    /// Takes a string; none where it has escapes.
    pub(super) fn string(&mut self) -> Option<String> {
        let text = match self.peek()? {
            Token::SingleQuotedString(text) => text.replace("''", "'"),
            Token::DoubleQuotedString(text) => text.replace("\"\"", "\""),
            _ => return None,
        };
        if text.contains('\\') || text.chars().any(char::is_control) {
            return None;
        }
        self.next += 1;
        Some(text)
    }

    /// Takes the name of a character set or collation, which may stand in quotes.
    pub(super) fn charset(&mut self) -> Option<String> {
        self.string().or_else(|| self.take_word())
    }

    /// Takes parentheses with all that is in them, and gives that.
    pub(super) fn parentheses(&mut self) -> Option<Self> {
        if self.peek() != Some(&Token::LParen) {
            return None;
        }
        let mut depth = 0_u32;
        for (at, token) in self.tokens.iter().enumerate().skip(self.next) {
            match token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let inner = self.tokens.get(self.next + 1..at)?.to_vec();
                self.next = at + 1;
                return Some(Self { tokens: inner, next: 0 });
            }
        }
        None
    }

    /// Takes what comes before the next comma outside of parentheses; false where parentheses are not closed.
    pub(super) fn skip_clause(&mut self) -> bool {
        loop {
            match self.peek() {
                None | Some(Token::Comma) => return true,
                Some(Token::LParen) => {
                    if self.parentheses().is_none() {
                        return false;
                    }
                }
                Some(_) => self.next += 1,
            }
        }
    }

    /// Takes the rest.
    pub(super) fn skip_all(&mut self) {
        self.next = self.tokens.len();
    }

    /// Whether any of the rest is one of these words.
    pub(super) fn has_any(&self, words: &[&str]) -> bool {
        let rest = self.tokens.get(self.next..).unwrap_or_default();
        rest.iter().any(|token| match token {
            Token::Word(word) if word.quote_style.is_none() => {
                words.iter().any(|other| word.value.eq_ignore_ascii_case(other))
            }
            _ => false,
        })
    }

    /// The rest as text.
    pub(super) fn text(&self) -> String {
        let rest = self.tokens.get(self.next..).unwrap_or_default();
        rest.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// Whether the server has run what stands in all of its own comments, such as `/*!80013 … */`.
fn has_run(text: &str, version: (u16, u16, u16)) -> bool {
    let version = u64::from(version.0) * 10_000 + u64::from(version.1) * 100 + u64::from(version.2);
    text.split("/*!").skip(1).all(|comment| {
        let digits: String = comment.chars().take_while(char::is_ascii_digit).collect();
        let run = digits.parse().is_ok_and(|asked: u64| asked <= version);
        digits.is_empty() || matches!(digits.len(), 5 | 6) && run
    })
}
