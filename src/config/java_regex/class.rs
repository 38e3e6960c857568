use super::JavaRegexError;

/// A set of characters, put together as Java's character classes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// Characters from the first to the last, both included.
    Ranges(Vec<(char, char)>),
    /// A Unicode property under the engine's name.
    Property(String),
    Not(Box<Set>),
    Union(Vec<Set>),
    Both(Box<Set>, Box<Set>),
}

pub(super) const LINE_TERMINATORS: &[(char, char)] =
    &[('\n', '\n'), ('\r', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')];

impl Set {
    pub(super) fn ranges(ranges: &[(char, char)]) -> Self {
        Self::Ranges(ranges.to_vec())
    }

    pub(super) fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    pub(super) fn negated_if(self, negate: bool) -> Self {
        if negate { self.negated() } else { self }
    }

    pub(super) fn or(self, other: Self) -> Self {
        match self {
            Self::Union(mut sets) => {
                sets.push(other);
                Self::Union(sets)
            }
            first => Self::Union(vec![first, other]),
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self::Both(Box::new(self), Box::new(other))
    }

    /// The same with the other case of every ASCII letter in it, as Java's case-insensitive flag has it.
    pub(super) fn fold_ascii(self) -> Self {
        let Self::Ranges(mut ranges) = self else { return self };
        let letters: Vec<char> = ('A'..='Z')
            .chain('a'..='z')
            .filter(|c| ranges.iter().any(|(first, last)| first <= c && c <= last))
            .collect();
        ranges.extend(letters.iter().map(|c| {
            let other = char::from_u32(u32::from(*c) ^ 0x20).unwrap_or(*c);
            (other, other)
        }));
        Self::Ranges(ranges)
    }

    /// Appends the set in the engine's syntax, in brackets of its own.
    pub(super) fn write(&self, out: &mut String) {
        out.push('[');
        match self {
            Self::Ranges(ranges) if ranges.is_empty() => out.push_str(r"^\x{0}-\x{10FFFF}"),
            Self::Ranges(ranges) => {
                for (first, last) in ranges {
                    write_char(*first, out);
                    if first != last {
                        out.push('-');
                        write_char(*last, out);
                    }
                }
            }
            Self::Property(name) => push_all(out, &[r"\p{", name, "}"]),
            Self::Not(set) => {
                out.push('^');
                set.write(out);
            }
            Self::Union(sets) => sets.iter().for_each(|set| set.write(out)),
            Self::Both(left, right) => {
                left.write(out);
                out.push_str("&&");
                right.write(out);
            }
        }
        out.push(']');
    }
}

fn push_all(out: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| out.push_str(part));
}

/// Appends one character so that the engine takes it for itself, inside brackets and outside.
pub(super) fn write_char(c: char, out: &mut String) {
    if c.is_ascii_alphanumeric() {
        out.push(c);
    } else {
        push_all(out, &[&format!(r"\x{{{:X}}}", u32::from(c))]);
    }
}

const DIGIT: &[(char, char)] = &[('0', '9')];
const WORD: &[(char, char)] = &[('a', 'z'), ('A', 'Z'), ('_', '_'), ('0', '9')];
const SPACE: &[(char, char)] = &[('\t', '\r'), (' ', ' ')];
const VERTICAL: &[(char, char)] = &[('\n', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')];
const HORIZONTAL: &[(char, char)] = &[
    (' ', ' '),
    ('\t', '\t'),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
];

/// `\d`, `\w`, `\s`, `\h`, `\v` and their opposites in upper case.
pub(super) fn predefined(letter: char) -> Option<Set> {
    let ranges = match letter.to_ascii_lowercase() {
        'd' => DIGIT,
        'w' => WORD,
        's' => SPACE,
        'h' => HORIZONTAL,
        'v' => VERTICAL,
        _ => return None,
    };
    Some(Set::ranges(ranges).negated_if(letter.is_ascii_uppercase()))
}

/// The set behind `\p{name}`.
pub(super) fn property(name: &str, ignore_case: bool) -> Result<Set, JavaRegexError> {
    if let Some((key, value)) = name.split_once('=') {
        return match key.to_ascii_lowercase().as_str() {
            "sc" | "script" => Ok(Set::Property(format!("sc={}", plain(value)?))),
            "gc" | "general_category" => category(value, ignore_case),
            _ => Err(unsupported(name)),
        };
    }
    if let Some(ranges) = posix(name, ignore_case) {
        return Ok(Set::ranges(ranges));
    }
    if let Some(rest) = name.strip_prefix("Is") {
        return binary_script_or_category(rest, ignore_case);
    }
    if name.starts_with("In") {
        return Err(unsupported(name)); // Unicode blocks: the engine has no tables for them.
    }
    let known = match name {
        "javaLowerCase" | "javaUpperCase" if ignore_case => return Ok(cased()),
        "javaLowerCase" => "Lowercase",
        "javaUpperCase" => "Uppercase",
        "javaTitleCase" => "Lt",
        "javaAlphabetic" => "Alphabetic",
        "javaIdeographic" => "Ideographic",
        "javaLetter" => "L",
        "javaDigit" => "Nd",
        "javaLetterOrDigit" => return Ok(all_of(&["L", "Nd"])),
        _ => return category(name, ignore_case),
    };
    Ok(Set::Property(known.to_owned()))
}

fn posix(name: &str, ignore_case: bool) -> Option<&'static [(char, char)]> {
    const ALPHA: &[(char, char)] = &[('a', 'z'), ('A', 'Z')];
    Some(match name {
        "Lower" | "Upper" if ignore_case => ALPHA,
        "Lower" => &[('a', 'z')],
        "Upper" => &[('A', 'Z')],
        "ASCII" => &[('\0', '\x7f')],
        "Alpha" => ALPHA,
        "Digit" => DIGIT,
        "Alnum" => &[('a', 'z'), ('A', 'Z'), ('0', '9')],
        "Punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "Graph" => &[('!', '~')],
        "Print" => &[(' ', '~')],
        "Blank" => &[(' ', ' '), ('\t', '\t')],
        "Cntrl" => &[('\0', '\x1f'), ('\x7f', '\x7f')],
        "XDigit" => &[('0', '9'), ('a', 'f'), ('A', 'F')],
        "Space" => SPACE,
        "L1" => &[('\0', '\u{ff}')],
        "all" => &[('\0', char::MAX)],
        _ => return None,
    })
}

/// A general category by its short name.
fn category(name: &str, ignore_case: bool) -> Result<Set, JavaRegexError> {
    match name {
        "LD" => Ok(all_of(&["L", "Nd"])),
        "LC" => Ok(cased()),
        "Lu" | "Ll" | "Lt" if ignore_case => Ok(cased()),
        _ if matches!(name.len(), 1 | 2)
            && name.starts_with(|c| "LMNZCPS".contains(c))
            && !matches!(name, "Cs") =>
        {
            Ok(Set::Property(plain(name)?.to_owned()))
        }
        _ => Err(unsupported(name)),
    }
}

/// What may follow `Is`: a binary property, a script or a general category.
fn binary_script_or_category(name: &str, ignore_case: bool) -> Result<Set, JavaRegexError> {
    let known = match name.to_ascii_uppercase().as_str() {
        "LOWERCASE" | "UPPERCASE" | "TITLECASE" if ignore_case => {
            return Ok(Set::Property("Lowercase".to_owned()).or(all_of(&["Uppercase", "Lt"])));
        }
        "TITLECASE" => "Lt",
        "LETTER" => "L",
        "DIGIT" => "Nd",
        "CONTROL" => "Cc",
        "PUNCTUATION" => "P",
        "ASSIGNED" => return Ok(Set::Property("Cn".to_owned()).negated()),
        "WORD" | "ALNUM" | "GRAPH" | "PRINT" | "BLANK" => return Err(unsupported(name)),
        _ if name.len() <= 2 => return category(name, ignore_case),
        _ => plain(name)?,
    };
    Ok(Set::Property(known.to_owned()))
}

fn cased() -> Set {
    all_of(&["Lu", "Ll", "Lt"])
}

fn all_of(names: &[&str]) -> Set {
    Set::Union(names.iter().map(|name| Set::Property((*name).to_owned())).collect())
}

fn plain(name: &str) -> Result<&str, JavaRegexError> {
    if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Ok(name)
    } else {
        Err(unsupported(name))
    }
}

fn unsupported(name: &str) -> JavaRegexError {
    JavaRegexError(format!("the character property {{{name}}} is unknown or not supported"))
}
