use std::sync::Arc;

use fancy_regex::{Captures, Regex, RegexBuilder};

use super::translate::{Translation, translate};
use crate::config::Replacement;

/// How many steps one search may take back before it is given up: a second or so of work.
const BACKTRACK_LIMIT: usize = 5_000_000;

/// A regular expression with Java's meaning. Clones share it.
#[derive(Clone, Debug)]
pub struct JavaRegex(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    pattern: String,
    /// The pattern wherever it is found first.
    find: Regex,
    /// The pattern over the whole text: with alternations and lazy quantifiers not what `find` gives.
    whole: Regex,
    /// The groups' names and numbers.
    names: Vec<(String, usize)>,
    /// How many capturing groups there are.
    groups: usize,
    /// The text that alone matches, where the pattern is nothing but literal characters.
    literal: Option<Literal>,
}

#[derive(Debug)]
struct Literal {
    text: String,
    ignore_case: bool,
}

/// Why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JavaRegexError(pub String);

impl JavaRegex {
    /// Compiles `pattern`; `ignore_case` folds ASCII letters only, as Java's flag does.
    ///
    /// # Errors
    /// When Java would refuse the pattern, or it cannot be carried out here.
    pub fn compile(pattern: &str, ignore_case: bool) -> Result<Self, JavaRegexError> {
        let Translation { text, names, groups, literal } = translate(pattern, ignore_case)?;
        let find = build(&text, pattern)?;
        let whole = build(&format!(r"\A(?:{text})\z"), pattern)?;
        Ok(Self(Arc::new(Compiled {
            pattern: pattern.to_owned(),
            find,
            whole,
            names,
            groups,
            literal: literal.map(|text| Literal { text, ignore_case }),
        })))
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.0.pattern
    }

    /// How many capturing groups the pattern has.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.0.groups
    }

    /// The number of the group with this name.
    #[must_use]
    pub fn group_named(&self, name: &str) -> Option<usize> {
        self.0.names.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    /// Whether the whole text matches (`Matcher.matches`).
    ///
    /// # Errors
    /// When matching would take too long.
    pub fn matches(&self, text: &str) -> Result<bool, JavaRegexError> {
        match &self.0.literal {
            Some(literal) if literal.ignore_case => Ok(literal.text.eq_ignore_ascii_case(text)),
            Some(literal) => Ok(literal.text == text),
            None => self.0.whole.is_match(text).map_err(|err| self.failed(&err)),
        }
    }

    /// `Matcher.replaceFirst`: the first match found anywhere is replaced, appended to `out`.
    ///
    /// # Errors
    /// When matching would take too long.
    pub fn replace_first(
        &self,
        text: &str,
        replacement: &Replacement,
        out: &mut String,
    ) -> Result<(), JavaRegexError> {
        let found = self.0.find.captures(text).map_err(|err| self.failed(&err))?;
        let whole = found.as_ref().and_then(|captures| Some((captures, captures.get(0)?)));
        let Some((captures, whole)) = whole else {
            out.push_str(text);
            return Ok(());
        };
        out.push_str(text.get(..whole.start()).unwrap_or_default());
        replacement.append(|group| group_text(captures, group), out);
        out.push_str(text.get(whole.end()..).unwrap_or_default());
        Ok(())
    }

    fn failed(&self, err: &fancy_regex::Error) -> JavaRegexError {
        JavaRegexError(format!("matching the pattern {:?} was given up: {err}", self.0.pattern))
    }
}

/// A group's text; one that took no part in the match is empty.
fn group_text<'t>(captures: &Captures<'t, str>, group: usize) -> &'t str {
    captures.get(group).map_or("", |found| found.as_str())
}

fn build(translated: &str, pattern: &str) -> Result<Regex, JavaRegexError> {
    RegexBuilder::new(translated)
        .backtrack_limit(BACKTRACK_LIMIT)
        .build()
        .map_err(|err| JavaRegexError(format!("the pattern {pattern:?} is not supported: {err}")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn replaced(pattern: &str, replacement: &str, text: &str) -> String {
        let regex = JavaRegex::compile(pattern, false).unwrap();
        let replacement = Replacement::parse(replacement, &regex).unwrap();
        let mut out = String::new();
        regex.replace_first(text, &replacement, &mut out).unwrap();
        out
    }

    #[test]
    fn the_whole_text_must_match_as_in_java() {
        for (pattern, text, expected) in [
            ("U|User", "User", true),
            (".*", "a\nb", false),
            (".*", "a\u{85}b", false),
            (".*", "a\u{2028}b", false),
            ("(?s).*", "a\r\nb", true),
            ("(?d).*", "a\rb", true),
            ("(?i)user", "USER", true),
            ("(?i)é", "É", false),
            ("(?iu)é", "É", true),
            (r"\d+", "٣", false),
            (r"\w", "é", false),
            (r"\s", "\u{a0}", false),
            (r"\h", "\u{a0}", true),
            ("a$", "a\n", false),
            (r"a$\n", "a\n", true),
            (r"a\Z\r\n", "a\r\n", true),
            ("[a-z&&[^b]]+", "abc", false),
            ("[a-z&&[^b]]+", "ac", true),
            ("[^a[b]]", "b", false),
            ("[]a]", "]", true),
            (r"\Qa.b\E", "a.b", true),
            (r"\Qa.b\E", "axb", false),
            (r"\x{1F600}", "\u{1F600}", true),
            (r"\uD83D\uDE00", "\u{1F600}", true),
            (r"\0101", "A", true),
            (r"\p{Alpha}\p{IsLatin}\p{Lu}", "aéÉ", true),
            (r"\R", "\r\n", true),
            ("a++a", "aa", false),
            ("(?>a|ab)c", "abc", false),
            (r"(a)(b)?\1", "aa", true),
            (r"(?<x>a)\k<x>", "aa", true),
            ("(?<=a)b|ab", "ab", true),
            ("(?x) a b # c", "ab", true),
            ("order_db.outbox", "order_dbXoutbox", true),
            (r"order_db\.outbox", "order_db.outbox", true),
            (r"order_db\.outbox", "order_dbXoutbox", false),
        ] {
            let regex = JavaRegex::compile(pattern, false).unwrap();
            assert_eq!(regex.matches(text), Ok(expected), "{pattern} on {text:?}");
        }
    }

    #[test]
    fn the_first_find_is_replaced() {
        for (pattern, replacement, text, expected) in [
            ("U|User", "X", "User", "Xser"),
            (".*?", "z", "User", "zUser"),
            (
                "(?<routedByValue>.*)",
                "outbox.event.${routedByValue}",
                "Order",
                "outbox.event.Order",
            ),
            ("(?i)(o|c)(.*)", "ev.$1_v2.$2", "Order", "ev.O_v2.rder"),
            ("(.*)", "$10", "a", "a0"),
            ("(a)|(b)", "[$1$2]", "b", "[b]"),
            ("a", r"\$\\", "a", r"$\"),
            ("x", "y", "abc", "abc"),
        ] {
            assert_eq!(replaced(pattern, replacement, text), expected, "{pattern}");
        }
    }

    #[test]
    fn what_cannot_be_carried_out_is_refused() {
        for pattern in [
            "(",
            ")",
            "[a",
            "*a",
            "a**",
            "a{2",
            "a{3,2}",
            r"\",
            r"\y",
            r"\G",
            r"\X",
            r"\p{InGreek}",
            r"\p{Nope}",
            "(?<1>a)",
            "(?<a>x)(?<a>y)",
            r"\k<a>",
            "[b-a]",
            "(?U)a",
            r"(?i)(a)\1",
            r"\uD83D",
        ] {
            let error = JavaRegex::compile(pattern, false).unwrap_err();
            assert!(!error.0.is_empty(), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_takes_forever_is_an_error() {
        let regex = JavaRegex::compile(r"(a|b|ab)*\1c", false).unwrap();
        assert!(regex.matches(&"ab".repeat(200)).is_err());
    }

    proptest! {
        #[test]
        fn no_pattern_panics(
            pattern in "[ab(){}\\[\\]|?*+^$.,:<>=!&#Qnpux0-9dsiLE\\\\-]{0,24}",
            text in "[ab\n\r1.]{0,8}",
        ) {
            if let Ok(regex) = JavaRegex::compile(&pattern, true) {
                let _matched: Result<bool, _> = regex.matches(&text);
            }
        }

        #[test]
        fn any_text_may_be_a_pattern(pattern in any::<String>(), text in any::<String>()) {
            if let Ok(regex) = JavaRegex::compile(&pattern, false) {
                let _matched: Result<bool, _> = regex.matches(&text);
            }
        }
    }
}
