use super::{JavaRegex, JavaRegexError};

/// Debezium's list of patterns: split on commas not behind a backslash, trimmed, matched whole and without
/// regard to ASCII case.
#[derive(Clone, Debug, Default)]
pub struct RegexList {
    patterns: Vec<JavaRegex>,
}

impl RegexList {
    /// Splits and compiles `text`.
    ///
    /// # Errors
    /// When a pattern does not compile or the text ends in a lone backslash.
    pub fn parse(text: &str) -> Result<Self, JavaRegexError> {
        let patterns = split(text)?
            .iter()
            .map(|item| item.trim_matches(|c| c <= ' '))
            .filter(|item| !item.is_empty())
            .map(|item| JavaRegex::compile(item, true))
            .collect::<Result<_, _>>()?;
        Ok(Self { patterns })
    }

    /// The patterns as they were written.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(JavaRegex::pattern)
    }

    /// Whether any pattern matches the whole name. A pattern that gives up on a name does not match it.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// The place of the first pattern that matches the whole name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.patterns.iter().position(|pattern| pattern.matches(name).unwrap_or(false))
    }
}

fn split(text: &str) -> Result<Vec<String>, JavaRegexError> {
    let mut items = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let item = items.last_mut().expect("there is always an item");
        match c {
            ',' => items.push(String::new()),
            '\\' => match chars.next() {
                Some(',') => item.push(','),
                Some(escaped) => item.extend(['\\', escaped]),
                None => return Err(JavaRegexError(format!("{text:?} ends in a lone backslash"))),
            },
            _ => item.push(c),
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_on_commas_not_behind_a_backslash() {
        for (text, expected) in [
            (r"a\,b, c\\,d,,e", &["a,b", r"c\\", "d", "e"][..]),
            (" db.outbox ,\tdb.other\n", &["db.outbox", "db.other"]),
            ("", &[]),
            (" , ", &[]),
        ] {
            let list = RegexList::parse(text).unwrap();
            assert_eq!(list.patterns().collect::<Vec<_>>(), expected, "{text:?}");
        }
        assert!(RegexList::parse(r"a\").is_err());
        assert!(RegexList::parse("a,(").is_err());
    }

    #[test]
    fn names_match_whole_and_in_any_ascii_case() {
        let list = RegexList::parse(r"Orders\.Outbox_.*,plain").unwrap();
        assert!(list.matches("orders.outbox_1"));
        assert!(list.matches("PLAIN"));
        assert!(!list.matches("plain2"));
        assert!(!list.matches("xorders.outbox_1"));
    }
}
