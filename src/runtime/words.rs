//! The words of a statement, without its grammar.

use std::borrow::Cow;

/// The words of a statement: names, quoted or not, and other characters one by one; of a text in single quotes, the
/// first one. Comments are none; what stands in a version comment (`/*!80000 … */`) is part of the statement.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blanks_and_comments();
        if let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '`' | '"')) {
            return self.quoted(quote);
        }
        if let Some(text) = self.rest.strip_prefix('\'') {
            self.rest = behind_text(text);
            return Some(Cow::Borrowed("'"));
        }
        let end = self.rest.find(|c| !is_of_name(c)).unwrap_or(self.rest.len());
        let end = if end == 0 { self.rest.chars().next()?.len_utf8() } else { end };
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(Cow::Borrowed(word))
    }
}

impl<'a> Words<'a> {
    pub(super) fn of(statement: &'a str) -> Self {
        Self { rest: statement }
    }

    /// A name in quotes, in which the quote itself is doubled.
    fn quoted(&mut self, quote: char) -> Option<Cow<'a, str>> {
        let (start, twice) = (self.rest.get(1..)?, format!("{quote}{quote}"));
        let mut end = 0;
        loop {
            end += start.get(end..)?.find(quote)?;
            let behind = start.get(end + 1..)?;
            if behind.starts_with(quote) {
                end += 2;
                continue;
            }
            self.rest = behind;
            let name = start.get(..end)?;
            return Some(if name.contains(&twice) {
                Cow::Owned(name.replace(&twice, &quote.to_string()))
            } else {
                Cow::Borrowed(name)
            });
        }
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            self.rest = if let Some(part) = self.rest.strip_prefix("/*!") {
                part.trim_start_matches(|c: char| c.is_ascii_digit())
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                comment.split_once("*/").map_or("", |(_, rest)| rest)
            } else if let Some(behind) = self.rest.strip_prefix("*/") {
                behind
            } else if is_line_comment(self.rest) {
                self.rest.split_once('\n').map_or("", |(_, rest)| rest)
            } else {
                return;
            }
        }
    }
}

/// What follows the end of a text in single quotes.
fn behind_text(text: &str) -> &str {
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => {
                characters.next();
            }
            '\'' => return text.get(at + 1..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

/// Two dashes begin a comment where a blank follows them.
fn is_line_comment(text: &str) -> bool {
    let behind = text.strip_prefix("--").map(|rest| rest.chars().next());
    text.starts_with('#')
        || behind.is_some_and(|c| c.is_none_or(|c| c.is_whitespace() || c.is_control()))
}

/// Whether it stands in names without quotes.
pub(super) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_words_and_quoted_names_are_one() {
        for (text, expected) in [
            ("a/* b */c", "a|c"),
            ("/*!80000 a*/ b", "a|b"),
            ("/*! a */ b", "a|b"),
            ("a -- b\nc", "a|c"),
            ("a --\nc", "a|c"),
            ("a--b", "a|-|-|b"),
            ("a # b\nc", "a|c"),
            ("`a#b``c` \"d\"\"e\" f", "a#b`c|d\"e|f"),
            ("a.b", "a|.|b"),
            ("a 'b\\'c' d 'e''f' g", "a|'|d|'|'|g"),
            ("a /* b", "a"),
            ("`a", ""),
            ("", ""),
        ] {
            let words: Vec<_> = Words::of(text).collect();
            assert_eq!(words.join("|"), expected, "{text}");
        }
    }
}
