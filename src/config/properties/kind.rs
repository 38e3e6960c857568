use crate::config::{JavaRegex, RegexList};

/// What a property's value is.
#[derive(Clone, Copy, Debug)]
pub(in crate::config) enum Kind {
    /// Any text, taken as it is.
    Text,
    /// Text that is never shown.
    Secret,
    /// `true` or `false`.
    Boolean,
    /// From the first to the second.
    Integer(i64, i64),
    /// One word of a set, whatever its case.
    Word(fn() -> Vec<&'static str>),
    /// One of these, letter for letter.
    OneOf(&'static [&'static str]),
    /// A Java regular expression.
    Regex,
    /// Debezium's list of them.
    RegexList,
    /// Items between commas.
    List,
}

/// A type whose values are words of a property.
pub(in crate::config) trait Words: Copy + 'static {
    /// Each word in lower case with its value; today's word comes before older ones.
    const WORDS: &'static [(&'static str, Self)];

    /// The value of `text`.
    fn of(text: &str) -> Option<Self> {
        let text = java_trim(text);
        let is_it = |(word, _): &&(&str, Self)| word.eq_ignore_ascii_case(text);
        Self::WORDS.iter().find(is_it).map(|(_, value)| *value)
    }

    /// All words.
    fn words() -> Vec<&'static str> {
        Self::WORDS.iter().map(|(word, _)| *word).collect()
    }
}

impl Kind {
    /// Whether `value` is of this kind; otherwise what is wrong and what to write, of the supported words.
    pub(in crate::config) fn check(
        self,
        value: &str,
        supported: impl Fn(&str) -> bool,
    ) -> Result<(), (String, String)> {
        let fault = |reason: &str, cure: String| Err((reason.to_owned(), cure));
        match self {
            Self::Text | Self::Secret | Self::List => Ok(()),
            Self::Boolean if boolean(value).is_some() => Ok(()),
            Self::Boolean => fault("is not a boolean", "write true or false".to_owned()),
            Self::Integer(min, max) => match java_trim(value).parse::<i64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(()),
                Ok(_) => fault("is out of range", format!("write an integer from {min} to {max}")),
                Err(_) => {
                    fault("is not an integer", format!("write an integer from {min} to {max}"))
                }
            },
            Self::Word(words) => {
                let mut words = words();
                words.retain(|word| supported(word));
                if words.iter().any(|word| word.eq_ignore_ascii_case(java_trim(value))) {
                    return Ok(());
                }
                fault(
                    "is not a value of this property",
                    format!("write one of {}", words.join(", ")),
                )
            }
            Self::OneOf(allowed) if allowed.contains(&java_trim(value)) => Ok(()),
            Self::OneOf(allowed) => {
                fault("is not a value of this property", format!("write {}", allowed.join(" or ")))
            }
            Self::Regex => JavaRegex::compile(value, false).map(drop).or_else(|err| {
                fault(
                    &format!("is not a usable regular expression: {err}"),
                    "correct the pattern".to_owned(),
                )
            }),
            Self::RegexList => RegexList::parse(value).map(drop).or_else(|err| {
                fault(
                    &format!("is not a list of regular expressions: {err}"),
                    "correct the pattern; a comma inside one is written `\\,`".to_owned(),
                )
            }),
        }
    }
}

/// `true` or `false`, trimmed, any case.
pub(in crate::config) fn boolean(text: &str) -> Option<bool> {
    let text = java_trim(text);
    [("true", true), ("false", false)]
        .iter()
        .find(|(word, _)| word.eq_ignore_ascii_case(text))
        .map(|(_, value)| *value)
}

/// `String.trim` of Java: everything up to U+0020 at both ends.
pub(in crate::config) fn java_trim(text: &str) -> &str {
    text.trim_matches(|character| character <= ' ')
}
