use super::JavaRegex;

/// A replacement with Java's syntax, resolved against its pattern's groups.
#[derive(Clone, Debug)]
pub struct Replacement {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Group(usize),
}

/// Why a replacement cannot be used with its pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReplacementError(pub String);

impl Replacement {
    /// Reads `text` for use with the matches of `regex`.
    ///
    /// # Errors
    /// When it names a group that the pattern does not have, or ends in a lone `$` or `\`.
    pub fn parse(text: &str, regex: &JavaRegex) -> Result<Self, ReplacementError> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match c {
                '\\' => plain.push(rest.next().ok_or_else(|| {
                    ReplacementError(format!("the replacement {text:?} ends in a lone backslash"))
                })?),
                '$' => {
                    let group;
                    (group, rest) = group_reference(text, rest, regex)?;
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    parts.push(Part::Group(group));
                }
                _ => plain.push(c),
            }
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    /// The replacement as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it refers to no group, so that every match gives the same text.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.constant().is_some()
    }

    /// The text that every match gives, where it refers to no group.
    #[must_use]
    pub fn constant(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Appends the replacement of a match whose groups `group` tells.
    pub(super) fn append<'t>(&self, group: impl Fn(usize) -> &'t str, out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Group(number) => out.push_str(group(*number)),
            }
        }
    }
}

/// Reads what follows a `$`: digits as long as they name a group, or a name in braces.
fn group_reference<'t>(
    text: &str,
    mut rest: std::str::Chars<'t>,
    regex: &JavaRegex,
) -> Result<(usize, std::str::Chars<'t>), ReplacementError> {
    let refused = |what: &str| {
        ReplacementError(format!(
            "the replacement {text:?} does not fit the pattern {:?}: {what}",
            regex.pattern()
        ))
    };
    match rest.next() {
        Some('{') => {
            let (name, after) = rest
                .as_str()
                .split_once('}')
                .ok_or_else(|| refused("a group's name lacks its closing brace"))?;
            let valid = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric());
            if !valid {
                return Err(refused("a group's name is a letter, then letters and digits"));
            }
            let group = regex.group_named(name);
            let group = group.ok_or_else(|| refused(&format!("it has no group named {name:?}")))?;
            Ok((group, after.chars()))
        }
        Some(first) if first.is_ascii_digit() => {
            let digit = |c: char| c.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
            let mut group = digit(first).unwrap_or(0);
            if group > regex.groups() {
                return Err(refused(&format!("it has no group {group}")));
            }
            while let Some(next) = rest.clone().next().and_then(digit) {
                let longer = group * 10 + next;
                if longer > regex.groups() {
                    break;
                }
                rest.next();
                group = longer;
            }
            Ok((group, rest))
        }
        _ => Err(refused("a '$' must name a group; a literal one is written \\$")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn groups_are_resolved_once() {
        let regex = JavaRegex::compile("(?<a>x)(y)", false).unwrap();
        for (text, expected) in [
            ("orders", Some("orders")),
            ("", Some("")),
            (r"a\$b", Some("a$b")),
            ("$0", None),
            ("p.${a}", None),
            ("$2$10", None),
        ] {
            let replacement = Replacement::parse(text, &regex).unwrap();
            assert_eq!(replacement.constant(), expected, "{text}");
            assert_eq!(replacement.is_constant(), expected.is_some());
        }
    }

    #[test]
    fn what_java_refuses_is_refused() {
        let regex = JavaRegex::compile("(?<a>x)", false).unwrap();
        for text in ["$", r"\", "$2", "${b}", "${1}", "${}", "${a", "$x", "a$"] {
            assert!(Replacement::parse(text, &regex).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_replacement_panics(text in "[$\\\\{}a-c0-9é]{0,12}") {
            let regex = JavaRegex::compile("(?<a>x)(y)?", false).unwrap();
            if let Ok(replacement) = Replacement::parse(&text, &regex) {
                let mut out = String::new();
                regex.replace_first("-x-", &replacement, &mut out).unwrap();
            }
        }
    }
}
