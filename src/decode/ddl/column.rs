use super::column_type::{ColumnType, Kind};
use super::extra::{Extra, Generated};
use super::literal::{Default, now};
use super::server::{Server, Session};
use super::tokens::Tokens;
use crate::decode::ColumnLayout;

/// A column as a statement defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) name: String,
    column_type: ColumnType,
    nullable: bool,
    default: Option<Default>,
    extra: Extra,
    /// Whether `PRIMARY KEY` stands behind it.
    pub(super) primary: bool,
}

impl Definition {
    /// Reads the definition of `name`, up to FIRST, AFTER, a comma or the end.
    pub(super) fn read(name: String, tokens: &mut Tokens) -> Option<Self> {
        let column_type = ColumnType::read(tokens)?;
        let mut definition = Self {
            name,
            column_type,
            nullable: true,
            default: None,
            extra: Extra::default(),
            primary: false,
        };
        while definition.option(tokens)? {}
        let no_charset = definition.column_type.charset.is_empty();
        (no_charset || definition.column_type.kind.has_charset()).then_some(definition)
    }

    /// Reads one of its options; whether there was one.
    fn option(&mut self, tokens: &mut Tokens) -> Option<bool> {
        if tokens.words("NOT NULL") {
            self.nullable = false;
        } else if tokens.words("NULL") {
            self.nullable = true;
        } else if tokens.words("DEFAULT") {
            self.default = Some(Default::read(tokens)?);
        } else if tokens.words("ON UPDATE") {
            self.extra.on_update = Some(now(tokens)??);
        } else if tokens.words("AUTO_INCREMENT") {
            self.extra.auto_increment = true;
            self.nullable = false;
        } else if tokens.words("PRIMARY KEY") || tokens.words("KEY") {
            self.primary = true;
            self.nullable = false;
        } else if tokens.words("UNIQUE") {
            tokens.words("KEY");
        } else if tokens.words("COLLATE") {
            self.column_type.charset.collation = Some(tokens.charset()?);
        } else if tokens.words("GENERATED ALWAYS AS") || tokens.words("AS") {
            tokens.parentheses()?;
            let stored = tokens.one_of(&["STORED", "VIRTUAL"]).is_some_and(|word| word == "STORED");
            self.extra.generated =
                Some(if stored { Generated::Stored } else { Generated::Virtual });
        } else if let Some(word) = tokens.one_of(&["INVISIBLE", "VISIBLE"]) {
            self.extra.invisible = word == "INVISIBLE";
        } else if tokens.words("COMMENT") {
            tokens.take()?;
        } else if tokens.one_of(&["COLUMN_FORMAT", "STORAGE"]).is_some() {
            tokens.take_word()?;
        } else if tokens.words("SRID") {
            tokens.number::<u32>()?;
        } else if tokens.words("CONSTRAINT") {
            if tokens.peek_word().as_deref() != Some("CHECK") {
                tokens.name()?;
            }
            return (tokens.peek_word().as_deref() == Some("CHECK")).then_some(true);
        } else if tokens.words("CHECK") {
            tokens.parentheses()?;
            let _enforced = tokens.words("NOT ENFORCED") || tokens.words("ENFORCED");
        } else {
            return Some(false);
        }
        Some(true)
    }

    /// What `information_schema.columns` tells of it in a table of this default collation.
    pub(super) fn layout(
        &self,
        table_collation: Option<&str>,
        session: &Session,
        server: &Server,
    ) -> Option<ColumnLayout> {
        let ColumnType { data_type, text, kind, charset } = &self.column_type;
        let collation = match kind.has_charset() {
            false => None,
            true if charset.is_empty() => Some(server.named(table_collation?)?),
            true => Some(server.chosen(charset, session)?),
        };
        let collation = collation.map(|c| (c.character_set.clone(), c.name.clone()));
        let character_set = collation.as_ref().map(|(set, _)| &**set);
        if !fits(kind, character_set) {
            return None;
        }
        // Without this setting a TIMESTAMP gets what the statement does not say.
        if matches!(kind, Kind::Timestamp { .. }) && !session.explicit_timestamps {
            return None;
        }
        let default = match &self.default {
            None => None,
            Some(default) => default.text(&self.column_type, is_unicode(character_set))?,
        };
        let of_expression = matches!(self.default, Some(Default::Now(_) | Default::Expression(_)));
        let extra = Extra { default_generated: of_expression, ..self.extra.clone() };
        let (character_set, collation) = collation.unzip();
        Some(ColumnLayout {
            name: self.name.clone(),
            data_type: data_type.clone(),
            column_type: text.clone(),
            character_set,
            collation,
            nullable: self.nullable,
            default,
            extra: extra.to_string(),
        })
    }
}

/// Another default for a column that is there already.
pub(super) fn set_default(column: &mut ColumnLayout, default: Option<&Default>) -> Option<()> {
    let column_type = ColumnType::of_text(&column.column_type)?;
    let unicode = is_unicode(column.character_set.as_deref());
    let of_literal = match default {
        None => None,
        Some(default) => default.text(&column_type, unicode)?,
    };
    let mut extra = Extra::read(&column.extra)?;
    if extra.auto_increment {
        return Some(()); // The server takes the clause and goes on counting.
    }
    if extra.default_generated || extra.on_update.is_some() {
        return None; // It keeps a part of the expression.
    }
    column.default = of_literal;
    extra.default_generated = matches!(default, Some(Default::Now(_) | Default::Expression(_)));
    column.extra = extra.to_string();
    Some(())
}

/// `SET VISIBLE` and `SET INVISIBLE`.
pub(super) fn set_invisible(column: &mut ColumnLayout, invisible: bool) -> Option<()> {
    let mut extra = Extra::read(&column.extra)?;
    extra.invisible = invisible;
    column.extra = extra.to_string();
    Some(())
}

/// `CONVERT TO CHARACTER SET` on a column of text.
pub(super) fn convert(column: &mut ColumnLayout, to: (&str, &str)) -> Option<()> {
    let Some(before) = column.character_set.as_deref() else { return Some(()) };
    let kind = ColumnType::of_text(&column.column_type)?.kind;
    // A TEXT grows to one that holds as many characters.
    let grows = kind == Kind::Text && bytes_max(to.0) > bytes_max(before);
    if grows || !fits(&kind, Some(to.0)) {
        return None;
    }
    column.character_set = Some(to.0.to_owned());
    column.collation = Some(to.1.to_owned());
    Some(())
}

fn is_unicode(character_set: Option<&str>) -> bool {
    matches!(character_set, Some("utf8mb4"))
}

fn bytes_max(character_set: &str) -> u32 {
    u32::from(crate::decode::collation::character_bytes_max(character_set))
}

/// Whether a column of text stays of its type: too long a VARCHAR becomes a TEXT, one of bytes a VARBINARY.
fn fits(kind: &Kind, character_set: Option<&str>) -> bool {
    match (kind, character_set) {
        (_, Some("binary")) => false,
        (Kind::Characters { length, .. }, Some(set)) => {
            u64::from(*length) * u64::from(bytes_max(set)) <= u64::from(u16::MAX)
        }
        _ => true,
    }
}
