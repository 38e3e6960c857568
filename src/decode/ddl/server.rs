/// What a server has set that statements rely on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// The version, such as `(9, 7, 4)`.
    pub version: (u16, u16, u16),
    /// Whether names of tables are kept in lower case (`lower_case_table_names=1`).
    pub lower_case: bool,
    /// All that it knows.
    pub collations: Vec<Collation>,
}

/// A row of `information_schema.collations`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collation {
    /// Its number.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// The character set that it sorts.
    pub character_set: String,
    /// Whether it is the character set's default.
    pub default: bool,
}

/// What the session had set that ran a statement, as the log tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The database of names without one.
    pub database: String,
    /// `sql_mode` by its bits.
    pub sql_mode: u64,
    /// The collation's number that the statement's text is in.
    pub client_collation: u16,
    /// The collation's number that a new database takes.
    pub server_collation: Option<u16>,
    /// `default_collation_for_utf8mb4`, where the log tells it.
    pub utf8mb4_collation: Option<u16>,
    /// `explicit_defaults_for_timestamp`.
    pub explicit_timestamps: bool,
}

/// Servers before 8.0.19 keep display widths of integers in types.
const VERSION_MIN: (u16, u16, u16) = (8, 0, 19);

impl Server {
    /// Whether its statements can be followed at all.
    pub(super) fn is_followed(&self) -> bool {
        self.version >= VERSION_MIN && !self.collations.is_empty()
    }

    /// The collation of this number.
    #[must_use]
    pub fn collation(&self, id: u16) -> Option<&Collation> {
        self.collations.iter().find(|collation| collation.id == id)
    }

    /// The collation of this name, which may be an old one.
    pub(super) fn named(&self, name: &str) -> Option<&Collation> {
        let name = name.to_ascii_lowercase();
        let name = match name.strip_prefix("utf8_") {
            Some(rest) => format!("utf8mb3_{rest}"),
            None => name,
        };
        self.collations.iter().find(|collation| collation.name == name)
    }

    /// The collation that a character set means by itself.
    fn default_of(&self, character_set: &str, session: &Session) -> Option<&Collation> {
        let name = match &*character_set.to_ascii_lowercase() {
            "utf8" => "utf8mb3".to_owned(),
            other => other.to_owned(),
        };
        if let (Some(id), "utf8mb4") = (session.utf8mb4_collation, &*name) {
            return self.collation(id);
        }
        self.collations
            .iter()
            .find(|collation| collation.character_set == name && collation.default)
    }

    /// What `CHARACTER SET … COLLATE …` means; none where the two contradict each other or are unknown.
    pub(super) fn chosen(&self, words: &Charset, session: &Session) -> Option<&Collation> {
        match (&words.character_set, &words.collation) {
            (None, None) => None,
            (Some(set), None) => self.default_of(set, session),
            (None, Some(collation)) => self.named(collation),
            (Some(set), Some(collation)) => {
                let collation = self.named(collation)?;
                let of_set = self.default_of(set, session)?;
                (of_set.character_set == collation.character_set).then_some(collation)
            }
        }
    }
}

/// `CHARACTER SET` and `COLLATE`, as far as a clause has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Charset {
    pub(super) character_set: Option<String>,
    pub(super) collation: Option<String>,
}

impl Charset {
    pub(super) fn is_empty(&self) -> bool {
        self.character_set.is_none() && self.collation.is_none()
    }
}
