use sqlparser::tokenizer::Token;

use super::column_type::{ColumnType, Kind};
use super::tokens::Tokens;

/// What stands behind DEFAULT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Default {
    Null,
    /// Digits with a sign and a point, as written.
    Number(String),
    Text(String),
    Bits(String),
    /// `CURRENT_TIMESTAMP` or `CURRENT_TIMESTAMP(6)`.
    Now(String),
    /// An expression in parentheses.
    Expression(String),
}

impl Default {
    /// Reads it at the front of `tokens`.
    pub(super) fn read(tokens: &mut Tokens) -> Option<Self> {
        if let Some(now) = now(tokens)? {
            return Some(Self::Now(now));
        }
        if tokens.words("NULL") {
            return Some(Self::Null);
        }
        if let Some(word) = tokens.one_of(&["TRUE", "FALSE"]) {
            return Some(Self::Number(if word == "TRUE" { "1" } else { "0" }.to_owned()));
        }
        if tokens.peek() == Some(&Token::LParen) {
            return Some(Self::Expression(tokens.parentheses()?.text()));
        }
        if let Some(text) = tokens.string() {
            return Some(Self::Text(text));
        }
        match tokens.take()? {
            Token::Number(digits, false) => Some(Self::Number(digits)),
            Token::SingleQuotedByteStringLiteral(bits) => Some(Self::Bits(bits)),
            sign @ (Token::Minus | Token::Plus) => match tokens.take()? {
                Token::Number(digits, false) if sign == Token::Minus => {
                    Some(Self::Number(format!("-{digits}")))
                }
                Token::Number(digits, false) => Some(Self::Number(digits)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Reads the one of ALTER COLUMN … SET DEFAULT: there a literal stays one in parentheses, and elsewhere it does not
    /// (MySQL 9.7, as `information_schema` shows it).
    pub(super) fn read_set(tokens: &mut Tokens) -> Option<Self> {
        let Some(mut inner) = tokens.parentheses() else { return Self::read(tokens) };
        let expression = Some(Self::Expression(inner.text()));
        while let Some(nested) = inner.parentheses() {
            if !inner.is_empty() {
                return expression; // (1) + (2)
            }
            inner = nested;
        }
        if inner.peek() == Some(&Token::Minus) {
            return expression;
        }
        match Self::read(&mut inner) {
            Some(Self::Now(_)) => expression,
            Some(literal) if inner.is_empty() => Some(literal),
            Some(Self::Text(_)) => None, // One of several parts, perhaps.
            Some(_) => expression,
            None if inner.peek() == Some(&Token::LParen) => expression, // A function's arguments.
            None => None,
        }
    }

    /// The text that `COLUMN_DEFAULT` has of it, where that is certain.
    pub(super) fn text(&self, column: &ColumnType, unicode: bool) -> Option<Option<String>> {
        let of_literal = match self {
            Self::Null => return Some(None),
            Self::Now(text) | Self::Expression(text) => return Some(Some(text.clone())),
            Self::Bits(bits) => match column.kind {
                Kind::Bit => binary(u64::from_str_radix(bits, 2).ok()?),
                _ => None,
            },
            Self::Number(digits) => number(digits, &column.kind),
            Self::Text(text) => self.of_text(text, &column.kind, unicode),
        };
        of_literal.map(Some)
    }

    fn of_text(&self, text: &str, kind: &Kind, unicode: bool) -> Option<String> {
        match kind {
            Kind::Characters { length, padded } => {
                let letters = u32::try_from(text.chars().count()).ok()?;
                let blank = *padded && text.ends_with(' ');
                let known = unicode || text.is_ascii();
                (letters <= *length && !blank && known).then(|| text.to_owned())
            }
            // A SET's may be several, and letters of another case are the option's.
            Kind::Words(options) => options.iter().find(|option| *option == text).cloned(),
            Kind::Integer | Kind::Decimal { .. } => number(text, kind),
            Kind::Date => has_form(text, "0000-00-00").then(|| text.to_owned()),
            Kind::Time { fsp } => {
                has_form(text, &with_fsp("00:00:00", *fsp)).then(|| text.to_owned())
            }
            Kind::DateTime { fsp } => {
                has_form(text, &with_fsp("0000-00-00 00:00:00", *fsp)).then(|| text.to_owned())
            }
            _ => None,
        }
    }
}

/// `CURRENT_TIMESTAMP` in one of its forms at the front of `tokens`, if there is one.
pub(super) fn now(tokens: &mut Tokens) -> Option<Option<String>> {
    const NOW: [&str; 4] = ["CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP"];
    if tokens.one_of(&NOW).is_none() {
        return Some(None);
    }
    let fsp = match tokens.peek() {
        Some(Token::LParen) => {
            let mut inner = tokens.parentheses()?;
            let fsp: u32 = if inner.is_empty() { 0 } else { inner.number()? };
            inner.is_empty().then_some(fsp)?
        }
        _ => 0,
    };
    Some(Some(match fsp {
        0 => "CURRENT_TIMESTAMP".to_owned(),
        fsp => format!("CURRENT_TIMESTAMP({fsp})"),
    }))
}

fn binary(bits: u64) -> Option<String> {
    Some(format!("b'{bits:b}'"))
}

/// A number as a column of this kind shows it.
fn number(text: &str, kind: &Kind) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_plain = |part: &str| part.len() <= 15 && part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_plain(whole) || !is_plain(fraction) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let is_zero = whole == 0 && fraction.bytes().all(|digit| digit == b'0');
    let sign = if is_zero { "" } else { sign };
    let significant = fraction.trim_end_matches('0');
    match kind {
        Kind::Integer if fraction.is_empty() => Some(format!("{sign}{whole}")),
        Kind::Bit if fraction.is_empty() && sign.is_empty() => binary(whole),
        Kind::Decimal { scale: 0, zerofill: false } if fraction.is_empty() => {
            Some(format!("{sign}{whole}"))
        }
        Kind::Decimal { scale, zerofill: false } if fraction.len() <= *scale && *scale > 0 => {
            Some(format!("{sign}{whole}.{fraction:0<scale$}"))
        }
        Kind::Floating { plain: true } if whole < 100_000 && significant.len() <= 1 => {
            let point = if significant.is_empty() { "" } else { "." };
            Some(format!("{sign}{whole}{point}{significant}"))
        }
        Kind::Characters { .. } if text == format!("{sign}{whole}") => Some(text.to_owned()),
        _ => None,
    }
}

fn with_fsp(form: &str, fsp: usize) -> String {
    if fsp == 0 { form.to_owned() } else { format!("{form}.{:0<fsp$}", "") }
}

/// Whether the text has digits where the form has them, and all else as it stands there.
fn has_form(text: &str, form: &str) -> bool {
    let fits = |(a, b): (char, char)| if b == '0' { a.is_ascii_digit() } else { a == b };
    text.len() == form.len() && text.chars().zip(form.chars()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(column: &str, literal: &str) -> Option<Option<String>> {
        let mut tokens = Tokens::of(literal).unwrap();
        let default = Default::read(&mut tokens).filter(|_| tokens.is_empty())?;
        default.text(&ColumnType::of_text(column).unwrap(), true)
    }

    #[test]
    fn literals_are_shown_as_the_column_keeps_them() {
        for (column, literal, expected) in [
            ("int", "'5'", "5"),
            ("int", "-05", "-5"),
            ("tinyint(1)", "TRUE", "1"),
            ("decimal(10,2)", "1", "1.00"),
            ("decimal(10,0)", "7", "7"),
            ("double", "1.50", "1.5"),
            ("bit(3)", "5", "b'101'"),
            ("bit(3)", "b'011'", "b'11'"),
            ("varchar(3)", "'it''s'", ""),
            ("varchar(4)", "'it''s'", "it's"),
            ("enum('a','b')", "'b'", "b"),
            ("enum('a','b')", "'B'", ""),
            ("datetime", "'2020-01-02 03:04:05'", "2020-01-02 03:04:05"),
            ("datetime(3)", "'2020-01-02 03:04:05'", ""),
            ("datetime(6)", "now(6)", "CURRENT_TIMESTAMP(6)"),
            ("int", "1.5", ""),
            ("timestamp", "'2020-01-02 03:04:05'", ""),
            ("char(3)", "'a '", ""),
            ("binary(3)", "'a'", ""),
        ] {
            let expected = Some(expected).filter(|text| !text.is_empty());
            assert_eq!(shown(column, literal).flatten().as_deref(), expected, "{column} {literal}");
        }
        assert_eq!(shown("int", "NULL"), Some(None));
        assert_eq!(shown("varchar(3)", "''"), Some(Some(String::new())));
        assert_eq!(shown("varchar(9)", r"'a\tb'"), None);
    }

    /// What MySQL 9.7 showed for each behind ALTER COLUMN c SET DEFAULT.
    #[test]
    fn only_what_is_set_keeps_a_literal_in_parentheses() {
        for (column, set, expected) in [
            ("char(20)", "('t')", Some("t")),
            ("char(20)", "(('t'))", Some("t")),
            ("char(20)", "('')", Some("")),
            ("int", "(1)", Some("1")),
            ("int", "(+1)", Some("1")),
            ("int", "(TRUE)", Some("1")),
            ("decimal(5,2)", "(1.5)", Some("1.50")),
            ("bit(3)", "(b'1')", Some("b'1'")),
            ("enum('a','b')", "('a')", Some("a")),
            ("char(20)", "('t' 'u')", None),
            ("char(20)", "(_utf8mb4'x')", None),
            ("char(20)", "(x'41')", None),
        ] {
            let default = Default::read_set(&mut Tokens::of(set).unwrap());
            let shown = default
                .and_then(|default| default.text(&ColumnType::of_text(column).unwrap(), true));
            assert_eq!(shown, expected.map(|text| Some(text.to_owned())), "{column} {set}");
        }
        for set in ["(-1)", "(1 + 1)", "((1) + (2))", "(concat('a', 'b'))", "(NOW())", "(uuid())"] {
            let default = Default::read_set(&mut Tokens::of(set).unwrap());
            assert!(matches!(default, Some(Default::Expression(_))), "{set}");
        }
        let null = Default::read_set(&mut Tokens::of("(NULL)").unwrap());
        assert!(matches!(null, Some(Default::Null)));
    }
}
