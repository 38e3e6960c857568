use sqlparser::tokenizer::Token;

use super::column::Definition;
use super::literal::Default;
use super::options::option;
use super::server::{Charset, Session};
use super::statement::TableName;
use super::tokens::Tokens;

/// What one clause of ALTER TABLE does to columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Add(Definition, Place),
    /// MODIFY or CHANGE of the column of this name.
    Modify(String, Definition, Place),
    Drop(String),
    Rename(String, String),
    SetDefault(String, Option<Default>),
    SetInvisible(String, bool),
    /// The primary key's columns.
    AddKey(Vec<String>),
    DropKey,
    Convert(Charset),
}

/// Where a column goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Where it was; a new one to the end.
    Unsaid,
    First,
    After(String),
}

/// An ALTER TABLE behind the table's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clauses {
    pub(super) changes: Vec<Change>,
    /// The table's new default.
    pub(super) charset: Charset,
    pub(super) renamed: Option<TableName>,
}

impl Clauses {
    /// Reads all that is left of `tokens`.
    pub(super) fn read(tokens: &mut Tokens, session: &Session) -> Option<Self> {
        let mut clauses = Self::default();
        while !tokens.is_empty() {
            clauses.clause(tokens, session)?;
            // Options and partitions may follow without a comma.
            if tokens.token(&Token::Comma) && tokens.is_empty() {
                return None;
            }
        }
        Some(clauses)
    }

    fn clause(&mut self, tokens: &mut Tokens, session: &Session) -> Option<()> {
        if option(tokens, &mut self.charset)? {
            return Some(());
        }
        match &*tokens.take_word()? {
            "ADD" => self.add(tokens),
            "DROP" => self.drop(tokens),
            "MODIFY" => {
                tokens.words("COLUMN");
                let name = tokens.name()?;
                self.modify(name.clone(), name, tokens)
            }
            "CHANGE" => {
                tokens.words("COLUMN");
                let (old, new) = (tokens.name()?, tokens.name()?);
                self.modify(old, new, tokens)
            }
            "ALTER" => self.alter(tokens),
            "RENAME" => self.rename(tokens, session),
            "CONVERT" => self.convert(tokens),
            "FORCE" => Some(()),
            "ENABLE" | "DISABLE" => tokens.words("KEYS").then_some(()),
            "WITH" | "WITHOUT" => tokens.words("VALIDATION").then_some(()),
            "ORDER" => {
                tokens.words("BY").then_some(())?;
                tokens.skip_all();
                Some(())
            }
            "PARTITION" if tokens.words("BY") => partitions(tokens),
            "REMOVE" => tokens.words("PARTITIONING").then_some(()),
            "TRUNCATE" | "COALESCE" | "REORGANIZE" | "EXCHANGE" | "ANALYZE" | "CHECK"
            | "OPTIMIZE" | "REBUILD" | "REPAIR" | "DISCARD" | "IMPORT"
                if tokens.words("PARTITION") =>
            {
                tokens.skip_all();
                Some(())
            }
            _ => None,
        }
    }

    fn add(&mut self, tokens: &mut Tokens) -> Option<()> {
        if tokens.words("PARTITION") {
            tokens.skip_all();
            return Some(());
        }
        if let Some(of_key) = key(tokens)? {
            self.changes.extend(of_key.map(Change::AddKey));
            return Some(());
        }
        tokens.words("COLUMN");
        if tokens.peek() != Some(&Token::LParen) {
            let name = tokens.name()?;
            return self.column(name, tokens);
        }
        let mut inner = tokens.parentheses()?;
        loop {
            if let Some(of_key) = key(&mut inner)? {
                self.changes.extend(of_key.map(Change::AddKey));
            } else {
                let name = inner.name()?;
                self.column(name, &mut inner)?;
            }
            if !inner.token(&Token::Comma) {
                return inner.is_empty().then_some(());
            }
        }
    }

    fn column(&mut self, name: String, tokens: &mut Tokens) -> Option<()> {
        let definition = Definition::read(name, tokens)?;
        let key = definition.primary.then(|| Change::AddKey(vec![definition.name.clone()]));
        self.changes.push(Change::Add(definition, place(tokens)?));
        self.changes.extend(key);
        ends(tokens)
    }

    fn modify(&mut self, old: String, new: String, tokens: &mut Tokens) -> Option<()> {
        let definition = Definition::read(new, tokens)?;
        let key = definition.primary.then(|| Change::AddKey(vec![definition.name.clone()]));
        self.changes.push(Change::Modify(old, definition, place(tokens)?));
        self.changes.extend(key);
        ends(tokens)
    }

    fn drop(&mut self, tokens: &mut Tokens) -> Option<()> {
        if tokens.words("PARTITION") {
            tokens.skip_all();
        } else if tokens.words("PRIMARY KEY") {
            self.changes.push(Change::DropKey);
        } else if tokens.words("FOREIGN KEY")
            || tokens.one_of(&["INDEX", "KEY", "CHECK", "CONSTRAINT"]).is_some()
        {
            // As a constraint the primary key has this name.
            let name = tokens.name()?;
            if name.eq_ignore_ascii_case("PRIMARY") {
                self.changes.push(Change::DropKey);
            }
        } else {
            tokens.words("COLUMN");
            self.changes.push(Change::Drop(tokens.name()?));
            let _how = tokens.one_of(&["RESTRICT", "CASCADE"]);
        }
        ends(tokens)
    }

    fn alter(&mut self, tokens: &mut Tokens) -> Option<()> {
        if tokens.one_of(&["INDEX", "CHECK", "CONSTRAINT"]).is_some() {
            return tokens.skip_clause().then_some(());
        }
        tokens.words("COLUMN");
        let name = tokens.name()?;
        let change = if tokens.words("DROP DEFAULT") {
            Change::SetDefault(name, None)
        } else if tokens.words("SET DEFAULT") {
            Change::SetDefault(name, Some(Default::read_set(tokens)?))
        } else if tokens.words("SET INVISIBLE") {
            Change::SetInvisible(name, true)
        } else if tokens.words("SET VISIBLE") {
            Change::SetInvisible(name, false)
        } else {
            return None;
        };
        self.changes.push(change);
        ends(tokens)
    }

    fn rename(&mut self, tokens: &mut Tokens, session: &Session) -> Option<()> {
        if tokens.words("COLUMN") {
            let old = tokens.name()?;
            tokens.words("TO").then_some(())?;
            self.changes.push(Change::Rename(old, tokens.name()?));
        } else if tokens.one_of(&["INDEX", "KEY"]).is_some() {
            tokens.name()?;
            tokens.words("TO").then_some(())?;
            tokens.name()?;
        } else {
            if tokens.one_of(&["TO", "AS"]).is_none() {
                tokens.token(&Token::Eq);
            }
            self.renamed = Some(TableName::read(tokens, session)?);
        }
        ends(tokens)
    }

    fn convert(&mut self, tokens: &mut Tokens) -> Option<()> {
        (tokens.words("TO CHARACTER SET") || tokens.words("TO CHARSET")).then_some(())?;
        let mut charset = Charset { character_set: Some(tokens.charset()?), collation: None };
        if tokens.words("COLLATE") {
            charset.collation = Some(tokens.charset()?);
        }
        self.changes.push(Change::Convert(charset));
        Some(())
    }
}

/// Whether a clause may end here: options need no comma.
fn ends(tokens: &Tokens) -> Option<()> {
    match tokens.peek() {
        None | Some(Token::Comma) => Some(()),
        Some(_) => (tokens.peek_word().as_deref() == Some("PARTITION")).then_some(()),
    }
}

fn place(tokens: &mut Tokens) -> Option<Place> {
    if tokens.words("FIRST") {
        return Some(Place::First);
    }
    Some(if tokens.words("AFTER") { Place::After(tokens.name()?) } else { Place::Unsaid })
}

/// Takes the definition of a key or a constraint, if it is one: the columns of a primary key.
pub(super) fn key(tokens: &mut Tokens) -> Option<Option<Option<Vec<String>>>> {
    const OTHERS: [&str; 7] = ["INDEX", "KEY", "UNIQUE", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK"];
    if tokens.words("CONSTRAINT") {
        let kind = tokens.peek_word();
        let named = !matches!(kind.as_deref(), Some("PRIMARY" | "UNIQUE" | "FOREIGN" | "CHECK"));
        if named {
            tokens.name()?;
        }
        let kind = tokens.peek_word()?;
        matches!(&*kind, "PRIMARY" | "UNIQUE" | "FOREIGN" | "CHECK").then_some(())?;
    }
    if tokens.one_of(&OTHERS).is_some() {
        return tokens.skip_clause().then_some(Some(None));
    }
    if !tokens.words("PRIMARY KEY") {
        return Some(None);
    }
    while tokens.peek() != Some(&Token::LParen) {
        tokens.name()?; // Its name, `USING BTREE`.
    }
    let mut parts = tokens.parentheses()?;
    let mut columns = Vec::new();
    loop {
        columns.push(parts.name()?);
        parts.skip_clause().then_some(())?; // A length, ASC or DESC.
        if !parts.token(&Token::Comma) {
            break;
        }
    }
    tokens.skip_clause().then_some(Some(Some(columns)))
}

/// Takes the partitions of a table, at its statement's end.
pub(super) fn partitions(tokens: &mut Tokens) -> Option<()> {
    if tokens.has_any(&["SELECT", "TABLE", "WITH", "IGNORE", "REPLACE", "AS"]) {
        return None;
    }
    tokens.skip_all();
    Some(())
}
