use std::fmt;

/// What `EXTRA` of `information_schema.columns` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Extra {
    pub(super) auto_increment: bool,
    /// The default is an expression.
    pub(super) default_generated: bool,
    /// `CURRENT_TIMESTAMP` or `CURRENT_TIMESTAMP(6)`.
    pub(super) on_update: Option<String>,
    pub(super) generated: Option<Generated>,
    pub(super) invisible: bool,
}

/// Where a generated column's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generated {
    Virtual,
    Stored,
}

impl Extra {
    /// Reads it; none where it says anything else.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut extra = Self::default();
        let mut words = text.split_ascii_whitespace();
        while let Some(word) = words.next() {
            match word {
                "auto_increment" => extra.auto_increment = true,
                "DEFAULT_GENERATED" => extra.default_generated = true,
                "on" if words.next() == Some("update") => {
                    extra.on_update = Some(words.next()?.to_owned());
                }
                "VIRTUAL" if words.next() == Some("GENERATED") => {
                    extra.generated = Some(Generated::Virtual);
                }
                "STORED" if words.next() == Some("GENERATED") => {
                    extra.generated = Some(Generated::Stored);
                }
                "INVISIBLE" => extra.invisible = true,
                _ => return None,
            }
        }
        (extra.to_string() == text).then_some(extra)
    }
}

impl fmt::Display for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on_update = self.on_update.as_ref().map(|now| format!("on update {now}"));
        let generated = match self.generated {
            Some(Generated::Virtual) => "VIRTUAL GENERATED",
            Some(Generated::Stored) => "STORED GENERATED",
            None => "",
        };
        let words = [
            if self.default_generated { "DEFAULT_GENERATED" } else { "" },
            if self.auto_increment { "auto_increment" } else { "" },
            on_update.as_deref().unwrap_or_default(),
            generated,
            if self.invisible { "INVISIBLE" } else { "" },
        ];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        f.write_str(&words.join(" "))
    }
}
