/// A replacement with Java's syntax (EVENT_ROUTER.md 2.1), resolved against its pattern's groups.
#[derive(Clone, Debug)]
pub struct Replacement {
    text: String,
}

/// Why a replacement cannot be used with its pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReplacementError(pub String);

impl Replacement {
    /// Reads `text` against the groups of `regex`.
    ///
    /// # Errors
    /// When it refers to a group that `regex` has not.
    pub fn parse(text: &str, regex: &super::JavaRegex) -> Result<Self, ReplacementError> {
        for part in text.split("${").skip(1) {
            let name = part.split('}').next().unwrap_or_default();
            if !regex.pattern().contains(&format!("?<{name}>")) {
                return Err(ReplacementError(format!("no group {name:?}")));
            }
        }
        Ok(Self { text: text.to_owned() })
    }

    /// The replacement as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it refers to no group, so that every match gives the same text.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        !self.text.contains('$')
    }
}
