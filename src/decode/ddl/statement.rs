use sqlparser::tokenizer::Token;

use super::alter::Clauses;
use super::create::Definitions;
use super::server::{Charset, Server, Session};
use super::tokens::Tokens;
use crate::decode::TableLayout;

/// A table's name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableName {
    /// The database.
    pub database: String,
    /// The table.
    pub table: String,
}

/// A statement that may alter tables, understood to its last word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    action: Action,
    session: Session,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    Create { table: TableName, if_missing: bool, definitions: Definitions },
    Like { table: TableName, if_missing: bool, like: TableName },
    Alter { table: TableName, clauses: Clauses },
    Rename(Vec<(TableName, TableName)>),
    Drop(Vec<TableName>),
    DropDatabase(String),
    Database { name: String, charset: Charset, created: bool, if_missing: bool },
}

/// A table as far as it is known. A database's defaults stand as a table without a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known<'a> {
    /// This is its layout.
    Table(&'a TableLayout),
    /// There is none of that name.
    Absent,
    /// Nothing is known.
    Unknown,
}

/// What a statement makes of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// It has this layout.
    Table(TableLayout),
    /// It is no more.
    Absent,
    /// Nobody knows.
    Unknown,
}

impl From<Option<TableLayout>> for Becomes {
    fn from(layout: Option<TableLayout>) -> Self {
        layout.map_or(Self::Unknown, Self::Table)
    }
}

impl TableName {
    /// Reads it at the front of `tokens`.
    pub(super) fn read(tokens: &mut Tokens, session: &Session) -> Option<Self> {
        let first = tokens.name()?;
        if !tokens.token(&Token::Period) {
            let database = session.database.clone();
            return (!database.is_empty()).then_some(Self { database, table: first });
        }
        Some(Self { database: first, table: tokens.name()? })
    }

    /// The name under which a database's defaults are kept.
    #[must_use]
    pub fn of_database(database: &str) -> Self {
        Self { database: database.to_owned(), table: String::new() }
    }
}

impl Statement {
    /// Reads a statement of this session; none where it is not understood, or not one that alters tables.
    #[must_use]
    pub fn read(text: &[u8], session: Session, server: &Server) -> Option<Self> {
        if !server.is_followed() {
            return None;
        }
        let mut tokens = Tokens::of_statement(text, &session, server)?;
        let action = Action::read(&mut tokens, &session)?;
        let action = if server.lower_case { action.in_lower_case() } else { action };
        tokens.is_empty().then_some(Self { action, session })
    }

    /// The tables that are others behind the statement, given what `known` tells of those before it.
    pub fn apply<'a>(
        &self,
        server: &Server,
        known: impl Fn(&TableName) -> Known<'a>,
    ) -> Vec<(TableName, Becomes)> {
        match &self.action {
            Action::Create { table, if_missing, definitions } => {
                let of_database = known(&TableName::of_database(&table.database));
                let collation = match of_database {
                    Known::Table(database) => database.collation.as_deref(),
                    _ => None,
                };
                let layout = definitions.layout(table, collation, &self.session, server);
                created(table, *if_missing, &known(table), layout)
            }
            Action::Like { table, if_missing, like } => {
                let layout = match known(like) {
                    Known::Table(layout) => Some(named(layout, table)),
                    _ => None,
                };
                created(table, *if_missing, &known(table), layout)
            }
            Action::Alter { table, clauses } => {
                let layout = match known(table) {
                    Known::Table(layout) => clauses.applied(layout, &self.session, server),
                    _ => None,
                };
                match &clauses.renamed {
                    Some(new) if new != table => {
                        let layout = layout.map(|layout| named(&layout, new));
                        vec![(table.clone(), Becomes::Absent), (new.clone(), layout.into())]
                    }
                    _ => vec![(table.clone(), layout.into())],
                }
            }
            Action::Rename(pairs) => renamed(pairs, known),
            Action::Drop(tables) => {
                tables.iter().map(|table| (table.clone(), Becomes::Absent)).collect()
            }
            // Its tables are found by whoever knows them.
            Action::DropDatabase(name) => vec![(TableName::of_database(name), Becomes::Absent)],
            Action::Database { name, charset, created, if_missing } => {
                self.database(name, charset, (*created, *if_missing), server, known)
            }
        }
    }

    /// The database that it drops with all tables.
    #[must_use]
    pub fn dropped_database(&self) -> Option<&str> {
        match &self.action {
            Action::DropDatabase(name) => Some(name),
            _ => None,
        }
    }

    /// The table that it makes, and the one whose likeness that has.
    #[must_use]
    pub fn creates(&self) -> Option<(&TableName, Option<&TableName>)> {
        match &self.action {
            Action::Create { table, .. } => Some((table, None)),
            Action::Like { table, like, .. } => Some((table, Some(like))),
            _ => None,
        }
    }

    fn database<'a>(
        &self,
        name: &str,
        charset: &Charset,
        (created, if_missing): (bool, bool),
        server: &Server,
        known: impl Fn(&TableName) -> Known<'a>,
    ) -> Vec<(TableName, Becomes)> {
        let name = TableName::of_database(name);
        let there = matches!(known(&name), Known::Table(_));
        if charset.is_empty() && !created || if_missing && there {
            return Vec::new();
        }
        let chosen = if charset.is_empty() {
            self.session.server_collation.and_then(|id| server.collation(id))
        } else {
            server.chosen(charset, &self.session)
        };
        let layout = chosen.map(|collation| TableLayout {
            database: name.database.clone(),
            table: String::new(),
            columns: Vec::new(),
            primary_key: Vec::new(),
            collation: Some(collation.name.clone()),
        });
        vec![(name, layout.into())]
    }
}

impl Action {
    fn read(tokens: &mut Tokens, session: &Session) -> Option<Self> {
        if tokens.words("CREATE TABLE") {
            let if_missing = tokens.words("IF NOT EXISTS");
            let table = TableName::read(tokens, session)?;
            if tokens.words("LIKE") {
                let like = TableName::read(tokens, session)?;
                return Some(Self::Like { table, if_missing, like });
            }
            let definitions = Definitions::read(tokens)?;
            return Some(Self::Create { table, if_missing, definitions });
        }
        if tokens.words("ALTER TABLE") {
            let table = TableName::read(tokens, session)?;
            let clauses = Clauses::read(tokens, session)?;
            return Some(Self::Alter { table, clauses });
        }
        if tokens.words("RENAME TABLE") || tokens.words("RENAME TABLES") {
            let pair = |tokens: &mut Tokens| {
                let old = TableName::read(tokens, session)?;
                tokens.words("TO").then_some(())?;
                Some((old, TableName::read(tokens, session)?))
            };
            return list(tokens, pair).map(Self::Rename);
        }
        if tokens.words("DROP TABLE") || tokens.words("DROP TABLES") {
            tokens.words("IF EXISTS");
            let tables = list(tokens, |tokens| TableName::read(tokens, session))?;
            let _how = tokens.one_of(&["RESTRICT", "CASCADE"]);
            return Some(Self::Drop(tables));
        }
        Self::of_database(tokens, session)
    }

    fn of_database(tokens: &mut Tokens, session: &Session) -> Option<Self> {
        let verb = tokens.one_of(&["CREATE", "ALTER", "DROP"])?;
        tokens.one_of(&["DATABASE", "SCHEMA"])?;
        if verb == "DROP" {
            tokens.words("IF EXISTS");
            return tokens.name().map(Self::DropDatabase);
        }
        let if_missing = tokens.words("IF NOT EXISTS");
        let options = ["DEFAULT", "CHARACTER", "CHARSET", "COLLATE", "ENCRYPTION", "READ"];
        let unnamed =
            tokens.is_empty() || tokens.peek_word().is_some_and(|word| options.contains(&&*word));
        let name = if unnamed { session.database.clone() } else { tokens.name()? };
        let mut charset = Charset::default();
        while super::options::option(tokens, &mut charset)? {}
        Some(Self::Database { name, charset, created: verb == "CREATE", if_missing })
    }

    fn in_lower_case(self) -> Self {
        let lower = |name: TableName| TableName {
            database: name.database.to_lowercase(),
            table: name.table.to_lowercase(),
        };
        match self {
            Self::Create { table, if_missing, definitions } => {
                Self::Create { table: lower(table), if_missing, definitions }
            }
            Self::Like { table, if_missing, like } => {
                Self::Like { table: lower(table), if_missing, like: lower(like) }
            }
            Self::Alter { table, mut clauses } => {
                clauses.renamed = clauses.renamed.map(lower);
                Self::Alter { table: lower(table), clauses }
            }
            Self::Rename(pairs) => {
                Self::Rename(pairs.into_iter().map(|(old, new)| (lower(old), lower(new))).collect())
            }
            Self::Drop(tables) => Self::Drop(tables.into_iter().map(lower).collect()),
            Self::DropDatabase(name) => Self::DropDatabase(name.to_lowercase()),
            Self::Database { name, charset, created, if_missing } => {
                Self::Database { name: name.to_lowercase(), charset, created, if_missing }
            }
        }
    }
}

fn list<T>(tokens: &mut Tokens, read: impl Fn(&mut Tokens) -> Option<T>) -> Option<Vec<T>> {
    let mut items = vec![read(tokens)?];
    while tokens.token(&Token::Comma) {
        items.push(read(tokens)?);
    }
    Some(items)
}

fn named(layout: &TableLayout, name: &TableName) -> TableLayout {
    let (database, table) = (name.database.clone(), name.table.clone());
    TableLayout { database, table, ..layout.clone() }
}

/// `IF NOT EXISTS` stands in the log whether or not the table was there.
fn created(
    table: &TableName,
    if_missing: bool,
    before: &Known<'_>,
    layout: Option<TableLayout>,
) -> Vec<(TableName, Becomes)> {
    match before {
        Known::Table(_) if if_missing => Vec::new(),
        Known::Unknown if if_missing => vec![(table.clone(), Becomes::Unknown)],
        _ => vec![(table.clone(), layout.into())],
    }
}

/// Renames follow one another, so that two tables can change places.
fn renamed<'a>(
    pairs: &[(TableName, TableName)],
    known: impl Fn(&TableName) -> Known<'a>,
) -> Vec<(TableName, Becomes)> {
    let mut tables: Vec<(TableName, Becomes)> = Vec::new();
    for (old, new) in pairs {
        let moved = match tables.iter().find(|(name, _)| name == old) {
            Some((_, becomes)) => becomes.clone(),
            None => match known(old) {
                Known::Table(layout) => Becomes::Table(layout.clone()),
                Known::Absent | Known::Unknown => Becomes::Unknown,
            },
        };
        let moved = match moved {
            Becomes::Table(layout) => Becomes::Table(named(&layout, new)),
            Becomes::Absent | Becomes::Unknown => Becomes::Unknown,
        };
        tables.retain(|(name, _)| name != old && name != new);
        tables.push((old.clone(), Becomes::Absent));
        tables.push((new.clone(), moved));
    }
    tables
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decode::ddl::Collation;

    fn server() -> Server {
        let collation = |(id, set, name, default): (u16, &str, &str, bool)| Collation {
            id,
            name: name.to_owned(),
            character_set: set.to_owned(),
            default,
        };
        let known = [
            (255, "utf8mb4", "utf8mb4_0900_ai_ci", true),
            (45, "utf8mb4", "utf8mb4_general_ci", false),
            (8, "latin1", "latin1_swedish_ci", true),
            (28, "gbk", "gbk_chinese_ci", true),
        ];
        let collations = known.map(collation).to_vec();
        Server { version: (9, 7, 4), lower_case: false, collations }
    }

    fn session() -> Session {
        Session { database: "ob".into(), client_collation: 255, ..Session::default() }
    }

    fn read(text: &str) -> Option<Statement> {
        Statement::read(text.as_bytes(), session(), &server())
    }

    /// What the statements make of tables, one after another.
    fn columns(statements: &[&str], table: &str) -> Vec<String> {
        let mut tables: Vec<(TableName, Becomes)> = Vec::new();
        for text in statements {
            let statement = read(text).unwrap_or_else(|| panic!("not understood: {text}"));
            let changes = statement.apply(&server(), |name| {
                match tables.iter().find(|(other, _)| other == name) {
                    Some((_, Becomes::Table(layout))) => Known::Table(layout),
                    Some((_, Becomes::Absent)) | None => Known::Absent,
                    Some((_, Becomes::Unknown)) => Known::Unknown,
                }
            });
            for (name, becomes) in changes {
                tables.retain(|(other, _)| *other != name);
                tables.push((name, becomes));
            }
        }
        match tables.iter().find(|(name, _)| name.table == table) {
            Some((_, Becomes::Table(layout))) => {
                layout.columns.iter().map(|column| column.name.clone()).collect()
            }
            Some((_, becomes)) => vec![format!("{becomes:?}")],
            None => Vec::new(),
        }
    }

    const CREATE: &str = "CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT)";

    #[test]
    fn columns_are_where_the_statements_put_them() {
        for (statements, expected) in [
            (vec![CREATE, "ALTER TABLE t MODIFY b INT FIRST"], "b a c"),
            (vec![CREATE, "ALTER TABLE t ADD d INT AFTER a, CHANGE c e INT AFTER d"], "a d e b"),
            (vec![CREATE, "ALTER TABLE t RENAME COLUMN b TO c, RENAME COLUMN c TO b"], "a c b"),
            (vec![CREATE, "ALTER TABLE t DROP b, ADD (b INT, d INT)"], "a c b d"),
            (
                vec![
                    CREATE,
                    "CREATE TABLE g LIKE t",
                    "ALTER TABLE g DROP b",
                    "RENAME TABLE t TO x, ob.g TO `t`",
                ],
                "a c",
            ),
            (vec![CREATE, "RENAME TABLE t TO x", "RENAME TABLE x TO t"], "a b c"),
            (vec![CREATE, "ALTER TABLE t DROP c, RENAME TO t2"], "Absent"),
            (vec![CREATE, "DROP TABLE IF EXISTS x, t /* generated by server */"], "Absent"),
            (vec![CREATE, "CREATE TABLE IF NOT EXISTS t (x INT)"], "a b c"),
            (vec![CREATE, "ALTER TABLE t ADD d INT AFTER nowhere"], "Unknown"),
            (vec!["ALTER TABLE t ADD d INT"], "Unknown"),
        ] {
            assert_eq!(columns(&statements, "t").join(" "), expected, "{statements:?}");
        }
    }

    #[test]
    fn what_is_not_certain_is_not_read() {
        for text in [
            "CREATE TABLE t AS SELECT 1",
            "CREATE TABLE t (a INT) SELECT 1 AS b",
            "CREATE TEMPORARY TABLE t (a INT)",
            "ALTER TABLE t ADD a SERIAL",
            "ALTER TABLE t ADD a INT, ",
            "ALTER TABLE t ADD a INT b",
            "ALTER TABLE t /*!99999 ADD a INT */",
            "ALTER TABLE t DISCARD TABLESPACE",
            "GRANT SELECT ON t TO u",
            "CREATE VIEW v AS SELECT 1",
            "TRUNCATE t",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        let with = |session: Session, text: &[u8]| Statement::read(text, session, &server());
        let in_gbk = Session { client_collation: 28, ..session() };
        assert!(with(in_gbk.clone(), b"ALTER TABLE t ADD a INT").is_some());
        assert_eq!(with(in_gbk, "ALTER TABLE t ADD ä INT".as_bytes()), None);
        let ansi = Session { sql_mode: 4, ..session() };
        assert_eq!(with(ansi, b"ALTER TABLE \"t\" ADD a INT"), None);
        let old = Server { version: (5, 7, 40), ..server() };
        assert_eq!(Statement::read(b"ALTER TABLE t ADD a INT", session(), &old), None);
    }

    #[test]
    fn a_character_set_means_the_collation_that_the_session_says() {
        let text = b"CREATE TABLE t (a CHAR(1)) DEFAULT CHARSET utf8mb4";
        for (of_session, expected) in
            [(None, "utf8mb4_0900_ai_ci"), (Some(45), "utf8mb4_general_ci")]
        {
            let session = Session { utf8mb4_collation: of_session, ..session() };
            let statement = Statement::read(text, session, &server()).unwrap();
            let changes = statement.apply(&server(), |_| Known::Absent);
            let Becomes::Table(layout) = &changes[0].1 else { panic!("{changes:?}") };
            assert_eq!(layout.columns[0].collation.as_deref(), Some(expected));
        }
    }

    proptest! {
        #[test]
        fn any_words_are_read(words in prop::collection::vec(word(), 0..30)) {
            let text = words.join(" ");
            if let Some(statement) = read(&text) {
                statement.apply(&server(), |_| Known::Unknown);
            }
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let read = Statement::read(&bytes, session(), &server());
            prop_assert!(read.is_none() || bytes.is_ascii());
        }
    }

    fn word() -> impl Strategy<Value = String> {
        const WORDS: [&str; 40] = [
            "ALTER TABLE",
            "CREATE TABLE",
            "t",
            "(",
            ")",
            ",",
            "ADD",
            "DROP",
            "MODIFY",
            "CHANGE",
            "COLUMN",
            "INT",
            "VARCHAR(3)",
            "ENUM('a')",
            "DEFAULT",
            "'x'",
            "1",
            "-",
            "NULL",
            "NOT",
            "AFTER",
            "FIRST",
            "PRIMARY KEY",
            "CHARACTER SET",
            "utf8mb4",
            "=",
            "ENGINE",
            "RENAME",
            "TO",
            "LIKE",
            ".",
            "`",
            "/*!",
            "*/",
            "PARTITION BY",
            "AS",
            "CHECK",
            "CONSTRAINT",
            "SET",
            "\"",
        ];
        prop_oneof![4 => prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned), 1 => ".{0,3}"]
    }
}
