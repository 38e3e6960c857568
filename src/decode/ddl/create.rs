use sqlparser::tokenizer::Token;

use super::alter::{key, partitions};
use super::column::Definition;
use super::options::option;
use super::server::{Charset, Server, Session};
use super::statement::TableName;
use super::tokens::Tokens;
use crate::decode::TableLayout;

/// A CREATE TABLE behind the table's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Definitions {
    columns: Vec<Definition>,
    key: Vec<String>,
    charset: Charset,
}

impl Definitions {
    /// Reads all that is left of `tokens`.
    pub(super) fn read(tokens: &mut Tokens) -> Option<Self> {
        let mut inner = tokens.parentheses()?;
        let mut definitions = Self::default();
        loop {
            if let Some(of_key) = key(&mut inner)? {
                definitions.key.extend(of_key.unwrap_or_default());
            } else {
                let name = inner.name()?;
                let definition = Definition::read(name, &mut inner)?;
                if definition.primary {
                    definitions.key.push(definition.name.clone());
                }
                definitions.columns.push(definition);
            }
            if !inner.token(&Token::Comma) {
                break;
            }
        }
        inner.is_empty().then_some(())?;
        while !tokens.is_empty() {
            if option(tokens, &mut definitions.charset)? {
                let _blank = tokens.token(&Token::Comma);
            } else if tokens.words("PARTITION BY") {
                partitions(tokens)?;
            } else {
                // How the log has CREATE TABLE … SELECT, whose rows follow.
                tokens.words("START TRANSACTION").then_some(())?;
            }
        }
        Some(definitions)
    }

    /// The table in a database of this default collation.
    pub(super) fn layout(
        &self,
        name: &TableName,
        database_collation: Option<&str>,
        session: &Session,
        server: &Server,
    ) -> Option<TableLayout> {
        let collation = if self.charset.is_empty() {
            database_collation.map(str::to_owned)
        } else {
            Some(server.chosen(&self.charset, session)?.name.clone())
        };
        let columns = self
            .columns
            .iter()
            .map(|column| column.layout(collation.as_deref(), session, server))
            .collect::<Option<Vec<_>>>()?;
        let mut layout = TableLayout {
            database: name.database.clone(),
            table: name.table.clone(),
            columns,
            primary_key: Vec::new(),
            collation,
        };
        if !self.key.is_empty() {
            layout.set_primary_key(&self.key)?;
        }
        Some(layout)
    }
}
