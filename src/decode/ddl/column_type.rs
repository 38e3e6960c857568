use sqlparser::tokenizer::Token;

use super::server::Charset;
use super::tokens::Tokens;

/// A column's type as `information_schema` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnType {
    /// `DATA_TYPE`.
    pub(super) data_type: String,
    /// `COLUMN_TYPE`.
    pub(super) text: String,
    pub(super) kind: Kind,
    /// What stands behind a character type.
    pub(super) charset: Charset,
}

/// What the type's literals are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Bit,
    Decimal {
        scale: usize,
        zerofill: bool,
    },
    Floating {
        plain: bool,
    },
    Date,
    Time {
        fsp: usize,
    },
    DateTime {
        fsp: usize,
    },
    Timestamp {
        fsp: usize,
    },
    Year,
    /// CHAR and VARCHAR with their length.
    Characters {
        length: u32,
        padded: bool,
    },
    /// TEXT of any size.
    Text,
    /// ENUM and SET with their options.
    Words(Vec<String>),
    Binary,
    Other,
}

impl Kind {
    /// Whether its values are text of a character set.
    pub(super) fn has_charset(&self) -> bool {
        matches!(self, Self::Characters { .. } | Self::Text | Self::Words(_))
    }
}

/// The longest CHAR.
const CHAR_MAX: u32 = 255;
/// Options of a SET.
const SET_MAX: usize = 64;

impl ColumnType {
    /// Reads `COLUMN_TYPE`.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let mut tokens = Tokens::of(text)?;
        Self::read(&mut tokens).filter(|_| tokens.is_empty())
    }

    /// Reads the type at the front of `tokens`.
    pub(super) fn read(tokens: &mut Tokens) -> Option<Self> {
        let word = tokens.take_word()?;
        match &*word {
            "TINYINT" | "INT1" => integer(tokens, "tinyint", 3),
            "SMALLINT" | "INT2" => integer(tokens, "smallint", 5),
            "MEDIUMINT" | "INT3" | "MIDDLEINT" => integer(tokens, "mediumint", 8),
            "INT" | "INTEGER" | "INT4" => integer(tokens, "int", 10),
            "BIGINT" | "INT8" => integer(tokens, "bigint", 20),
            "BOOL" | "BOOLEAN" => Some(plain("tinyint", "tinyint(1)".into(), Kind::Integer)),
            "BIT" => {
                let bits = length(tokens)?.unwrap_or(1);
                (1..=64).contains(&bits).then(|| plain("bit", format!("bit({bits})"), Kind::Bit))
            }
            "DECIMAL" | "NUMERIC" | "DEC" | "FIXED" => decimal(tokens),
            "FLOAT" => floating(tokens, "float"),
            "DOUBLE" => {
                tokens.words("PRECISION");
                floating(tokens, "double")
            }
            "DATE" => Some(named("date", Kind::Date)),
            "YEAR" => {
                let width = length(tokens)?.unwrap_or(4);
                (width == 4).then(|| named("year", Kind::Year))
            }
            "TIME" => temporal(tokens, "time", |fsp| Kind::Time { fsp }),
            "DATETIME" => temporal(tokens, "datetime", |fsp| Kind::DateTime { fsp }),
            "TIMESTAMP" => temporal(tokens, "timestamp", |fsp| Kind::Timestamp { fsp }),
            "CHAR" | "CHARACTER" => {
                let varying = tokens.words("VARYING");
                characters(tokens, varying)
            }
            "VARCHAR" => characters(tokens, true),
            "TINYTEXT" | "MEDIUMTEXT" | "LONGTEXT" | "TEXT" => {
                with_charset(tokens, named(&word.to_ascii_lowercase(), Kind::Text))
            }
            "BINARY" => {
                let length = length(tokens)?.unwrap_or(1);
                (length <= CHAR_MAX)
                    .then(|| plain("binary", format!("binary({length})"), Kind::Binary))
            }
            "VARBINARY" => {
                let length = length(tokens)??;
                (length <= u32::from(u16::MAX))
                    .then(|| plain("varbinary", format!("varbinary({length})"), Kind::Binary))
            }
            "ENUM" => words(tokens, "enum"),
            "SET" => words(tokens, "set"),
            "VECTOR" => {
                let length = length(tokens)?.unwrap_or(2048);
                Some(plain("vector", format!("vector({length})"), Kind::Other))
            }
            "GEOMETRYCOLLECTION" => Some(named("geomcollection", Kind::Other)),
            "TINYBLOB" | "MEDIUMBLOB" | "LONGBLOB" | "BLOB" | "JSON" | "GEOMETRY" | "POINT"
            | "LINESTRING" | "POLYGON" | "MULTIPOINT" | "MULTILINESTRING" | "MULTIPOLYGON"
            | "GEOMCOLLECTION" => {
                let is_long = tokens.peek() == Some(&Token::LParen);
                (!is_long).then(|| named(&word.to_ascii_lowercase(), Kind::Other))
            }
            _ => None,
        }
    }
}

fn plain(data_type: &str, text: String, kind: Kind) -> ColumnType {
    ColumnType { data_type: data_type.to_owned(), text, kind, charset: Charset::default() }
}

fn named(data_type: &str, kind: Kind) -> ColumnType {
    plain(data_type, data_type.to_owned(), kind)
}

/// `(n)`, if there is one; none where parentheses hold anything else.
fn length(tokens: &mut Tokens) -> Option<Option<u32>> {
    if tokens.peek() != Some(&Token::LParen) {
        return Some(None);
    }
    let mut inner = tokens.parentheses()?;
    let length = inner.number()?;
    inner.is_empty().then_some(Some(length))
}

/// `(p)` or `(p,s)`, if there is one.
fn precision(tokens: &mut Tokens) -> Option<Option<(u32, Option<u32>)>> {
    if tokens.peek() != Some(&Token::LParen) {
        return Some(None);
    }
    let mut inner = tokens.parentheses()?;
    let precision = inner.number()?;
    let scale = if inner.token(&Token::Comma) { Some(inner.number()?) } else { None };
    inner.is_empty().then_some(Some((precision, scale)))
}

/// Takes UNSIGNED and ZEROFILL; what a type's text has behind it, and whether there was ZEROFILL.
fn sign(tokens: &mut Tokens) -> (&'static str, bool) {
    let (mut unsigned, mut zerofill) = (false, false);
    while let Some(word) = tokens.one_of(&["UNSIGNED", "SIGNED", "ZEROFILL"]) {
        unsigned |= word == "UNSIGNED";
        zerofill |= word == "ZEROFILL";
    }
    match (unsigned, zerofill) {
        (_, true) => (" unsigned zerofill", true),
        (true, false) => (" unsigned", false),
        (false, false) => ("", false),
    }
}

fn integer(tokens: &mut Tokens, name: &str, digits: u32) -> Option<ColumnType> {
    let width = length(tokens)?;
    let (sign, zerofill) = sign(tokens);
    // Widths are kept with ZEROFILL and, as booleans look so, for TINYINT(1).
    let text = match width {
        width if zerofill => format!("{name}({}){sign}", width.unwrap_or(digits)),
        Some(1) if name == "tinyint" && sign.is_empty() => "tinyint(1)".to_owned(),
        _ => format!("{name}{sign}"),
    };
    // Defaults of one with ZEROFILL have zeros in front.
    Some(plain(name, text, if zerofill { Kind::Other } else { Kind::Integer }))
}

fn decimal(tokens: &mut Tokens) -> Option<ColumnType> {
    let (precision, scale) = match precision(tokens)? {
        None | Some((0, None)) => (10, 0),
        Some((precision, scale)) => (precision, scale.unwrap_or(0)),
    };
    let (sign, zerofill) = sign(tokens);
    let text = format!("decimal({precision},{scale}){sign}");
    let kind = Kind::Decimal { scale: usize::try_from(scale).ok()?, zerofill };
    ((1..=65).contains(&precision) && scale <= precision).then(|| plain("decimal", text, kind))
}

fn floating(tokens: &mut Tokens, name: &str) -> Option<ColumnType> {
    let (name, digits) = match precision(tokens)? {
        None => (name, String::new()),
        Some((digits, Some(scale))) => (name, format!("({digits},{scale})")),
        Some((0..=24, None)) if name == "float" => ("float", String::new()),
        Some((25..=53, None)) if name == "float" => ("double", String::new()),
        Some(_) => return None,
    };
    let (sign, zerofill) = sign(tokens);
    let kind = Kind::Floating { plain: digits.is_empty() && !zerofill };
    Some(plain(name, format!("{name}{digits}{sign}"), kind))
}

fn temporal(tokens: &mut Tokens, name: &str, kind: impl Fn(usize) -> Kind) -> Option<ColumnType> {
    let fsp = length(tokens)?.unwrap_or(0);
    let text = if fsp == 0 { name.to_owned() } else { format!("{name}({fsp})") };
    (fsp <= 6).then(|| Some(plain(name, text, kind(usize::try_from(fsp).ok()?))))?
}

fn characters(tokens: &mut Tokens, varying: bool) -> Option<ColumnType> {
    let name = if varying { "varchar" } else { "char" };
    let length = match length(tokens)? {
        Some(length) => length,
        None if varying => return None,
        None => 1,
    };
    let kind = Kind::Characters { length, padded: !varying };
    let fits = varying || length <= CHAR_MAX;
    let of_length = plain(name, format!("{name}({length})"), kind);
    with_charset(tokens, of_length).filter(|_| fits)
}

fn words(tokens: &mut Tokens, name: &str) -> Option<ColumnType> {
    let mut inner = tokens.parentheses()?;
    let mut options = Vec::new();
    loop {
        options.push(inner.string()?.trim_end_matches(' ').to_owned());
        if !inner.token(&Token::Comma) {
            break;
        }
    }
    let quoted: Vec<String> =
        options.iter().map(|word| format!("'{}'", word.replace('\'', "''"))).collect();
    let text = format!("{name}({})", quoted.join(","));
    let fits = inner.is_empty() && (name == "enum" || options.len() <= SET_MAX);
    with_charset(tokens, plain(name, text, Kind::Words(options))).filter(|_| fits)
}

/// Takes what may stand directly behind a character type.
fn with_charset(tokens: &mut Tokens, mut column_type: ColumnType) -> Option<ColumnType> {
    if tokens.words("CHARACTER SET") || tokens.words("CHARSET") {
        column_type.charset.character_set = Some(tokens.charset()?);
    }
    match tokens.peek_word().as_deref() {
        Some("BINARY" | "ASCII" | "UNICODE" | "BYTE") => None,
        _ => Some(column_type),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_the_server_names_them() {
        for (text, expected) in [
            ("INT(11)", "int"),
            ("integer(5) unsigned zerofill", "int(5) unsigned zerofill"),
            ("BIGINT ZEROFILL", "bigint(20) unsigned zerofill"),
            ("TINYINT(1)", "tinyint(1)"),
            ("TINYINT(1) UNSIGNED", "tinyint unsigned"),
            ("BOOL", "tinyint(1)"),
            ("DECIMAL", "decimal(10,0)"),
            ("NUMERIC(7) UNSIGNED", "decimal(7,0) unsigned"),
            ("FLOAT(30)", "double"),
            ("DOUBLE PRECISION (7,3)", "double(7,3)"),
            ("DATETIME(0)", "datetime"),
            ("TIMESTAMP(6)", "timestamp(6)"),
            ("CHARACTER VARYING(3)", "varchar(3)"),
            ("CHAR", "char(1)"),
            ("ENUM('a ','it''s', \"b\")", "enum('a','it''s','b')"),
            ("YEAR(4)", "year"),
            ("VECTOR", "vector(2048)"),
            ("GEOMETRYCOLLECTION", "geomcollection"),
            ("BIT", "bit(1)"),
        ] {
            let read = ColumnType::of_text(text).map(|column_type| column_type.text);
            assert_eq!(read.as_deref(), Some(expected), "{text}");
            assert!(ColumnType::of_text(expected).is_some(), "{expected}");
        }
        for text in
            ["TEXT(300)", "BLOB(3)", "CHAR(300)", r"ENUM('a\n')", "NCHAR(3)", "REAL", "SERIAL"]
        {
            assert_eq!(ColumnType::of_text(text), None, "{text}");
        }
    }
}
