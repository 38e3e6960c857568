use fancy_regex::{Captures, Regex, RegexBuilder};

use super::translate::{Translation, translate};
use crate::config::Replacement;

/// How many steps one search may take back before it is given up: a second or so of work.
const BACKTRACK_LIMIT: usize = 5_000_000;

/// A regular expression with Java's meaning.
#[derive(Clone, Debug)]
pub struct JavaRegex {
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

#[derive(Clone, Debug)]
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
        Ok(Self {
            pattern: pattern.to_owned(),
            find,
            whole,
            names,
            groups,
            literal: literal.map(|text| Literal { text, ignore_case }),
        })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// How many capturing groups the pattern has.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The number of the group with this name.
    #[must_use]
    pub fn group_named(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    /// Whether the whole text matches (`Matcher.matches`).
    ///
    /// # Errors
    /// When matching would take too long.
    pub fn matches(&self, text: &str) -> Result<bool, JavaRegexError> {
        match &self.literal {
            Some(literal) if literal.ignore_case => Ok(literal.text.eq_ignore_ascii_case(text)),
            Some(literal) => Ok(literal.text == text),
            None => self.whole.is_match(text).map_err(|err| self.failed(&err)),
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
        let found = self.find.captures(text).map_err(|err| self.failed(&err))?;
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
        JavaRegexError(format!("matching the pattern {:?} was given up: {err}", self.pattern))
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
