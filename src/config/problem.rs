use std::fmt;

use crate::error::Remedy;

/// One thing that is wrong with the configuration, with its cure. Never holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text is not what its form demands.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What was met.
        reason: String,
    },
    /// A property that must be there is not.
    #[error("`{property}` is missing; {cure}")]
    Missing {
        /// The property.
        property: String,
        /// What to write.
        cure: String,
    },
    /// A value that means nothing for its property.
    #[error("`{property}`{value} {reason}; {cure}")]
    Invalid {
        /// The property as the file has it.
        property: String,
        /// Its value.
        value: Shown,
        /// What is wrong with it.
        reason: String,
        /// What to write.
        cure: String,
    },
    /// A value that outflow understands and does not support: it would change what is published.
    #[error("`{property}`{value} is not supported: {reason}; {cure}")]
    Refused {
        /// The property as the file has it.
        property: String,
        /// Its value.
        value: Shown,
        /// Why it cannot simply be ignored.
        reason: String,
        /// What to do instead.
        cure: String,
    },
    /// Two properties that exclude each other.
    #[error("`{property}` and `{other}` {reason}; {cure}")]
    Conflict {
        /// One of them.
        property: String,
        /// The other.
        other: String,
        /// How they clash.
        reason: String,
        /// Which one to keep.
        cure: String,
    },
    /// A `${provider:path:key}` that leads nowhere.
    #[error("`{property}` refers to `{reference}`: {reason}")]
    Reference {
        /// The property as the file has it.
        property: String,
        /// The reference itself, never what it stands for.
        reference: String,
        /// Why it cannot be resolved.
        reason: String,
    },
    /// A property that nobody knows, where that is an error.
    #[error("`{property}` is not a known property{}; remove it or correct its name", did_you_mean(nearest.as_deref()))]
    Unknown {
        /// The property as the file has it.
        property: String,
        /// The known property whose name is nearest.
        nearest: Option<String>,
    },
}

impl Problem {
    /// Whether waiting can cure it: no, a person must change a file.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Syntax { .. }
            | Self::Missing { .. }
            | Self::Invalid { .. }
            | Self::Refused { .. }
            | Self::Conflict { .. }
            | Self::Reference { .. }
            | Self::Unknown { .. } => Remedy::Stop,
        }
    }

    /// The property it is about; `None` for a fault in the file's form.
    #[must_use]
    pub fn property(&self) -> Option<&str> {
        match self {
            Self::Syntax { .. } => None,
            Self::Missing { property, .. }
            | Self::Invalid { property, .. }
            | Self::Refused { property, .. }
            | Self::Conflict { property, .. }
            | Self::Reference { property, .. }
            | Self::Unknown { property, .. } => Some(property),
        }
    }
}

/// A value as a message may show it: ` = "text"`, shortened, or nothing where it is secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown(Option<String>);

/// Longer values are cut in messages.
const SHOWN_CHARS_MAX: usize = 120;

impl Shown {
    /// A value that anybody may see.
    #[must_use]
    pub fn open(value: &str) -> Self {
        let mut text: String = value.chars().take(SHOWN_CHARS_MAX).collect();
        if text.len() < value.len() {
            text.push('…');
        }
        Self(Some(text))
    }

    /// A value that nobody may see.
    #[must_use]
    pub fn hidden() -> Self {
        Self(None)
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(text) => write!(f, " = {text:?}"),
            None => Ok(()),
        }
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}
