use super::document;
use super::literal::{hex, text};
use crate::support::Random;

/// What decides where a column may stand: in a key, under a converter, in a struct's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A type with a text of its own everywhere.
    Plain,
    /// BYTES under the binary mode `bytes`.
    Bytes,
    /// What Java prints by its address when it is within a struct, or as a whole under StringConverter.
    Address,
}

/// A column of a random table.
pub(super) struct Column {
    pub(super) name: String,
    /// Type and charset.
    pub(super) definition: String,
    pub(super) kind: Kind,
    pub(super) nullable: bool,
    /// A literal, or `CURRENT_TIMESTAMP`.
    pub(super) default: Option<String>,
    /// An expression of other columns, and whether it is stored.
    pub(super) generated: Option<String>,
    pub(super) invisible: bool,
    /// SQL that rows choose from.
    pub(super) values: Vec<String>,
}

impl Column {
    /// A column that is always there.
    pub(super) fn new(name: &str, definition: &str, values: Vec<String>) -> Self {
        Self {
            name: name.to_owned(),
            definition: definition.to_owned(),
            kind: Kind::Plain,
            nullable: false,
            default: None,
            generated: None,
            invisible: false,
            values,
        }
    }

    /// A column of any type, with or without NULL and default.
    pub(super) fn any(random: &mut Random, name: &str) -> Self {
        let (definition, kind, values) = any_type(random);
        let mut column = Self::new(name, &definition, values);
        column.kind = kind;
        column.nullable = random.chance(60);
        column.invisible = random.chance(5);
        let without_default =
            ["JSON", "BLOB", "TEXT", "GEOM", "POINT", "LINE", "POLY", "MULTI", "VECTOR"];
        if !without_default.iter().any(|part| definition.contains(part)) && random.chance(40) {
            // A zero byte in a default is a documented difference.
            let may_be = |value: &&String| !value.starts_with('_') && *value != "X'00'";
            let literals: Vec<&String> = column.values.iter().filter(may_be).collect();
            column.default = Some((*random.pick(&literals)).clone());
            let (base, precision) = definition.split_once('(').unwrap_or((&definition, ""));
            if matches!(base, "DATETIME" | "TIMESTAMP") && random.chance(50) {
                let argument = if precision.is_empty() { "" } else { "(" };
                column.default = Some(format!("CURRENT_TIMESTAMP{argument}{precision}"));
            }
        }
        column
    }

    /// Whether some time mode has no form for some of its values.
    pub(super) fn is_temporal(&self) -> bool {
        self.definition.starts_with("DATE") || self.definition.starts_with("TIME")
    }

    /// Whether every time mode has a form for its default.
    pub(super) fn default_has_a_form(&self) -> bool {
        const HAVE: [&str; 3] = ["'12:34", "'2024", "CURRENT"];
        self.default
            .as_ref()
            .is_some_and(|default| HAVE.iter().any(|have| default.starts_with(have)))
    }

    /// Its line of CREATE TABLE.
    pub(super) fn ddl(&self) -> String {
        let null = if self.nullable { "NULL" } else { "NOT NULL" };
        let rest = match (&self.generated, &self.default) {
            (Some(expression), _) => format!("GENERATED ALWAYS AS {expression}"),
            (None, Some(default)) => format!("{null} DEFAULT {default}"),
            (None, None) => null.to_owned(),
        };
        let invisible = if self.invisible { " INVISIBLE" } else { "" };
        format!("`{}` {} {rest}{invisible}", self.name, self.definition)
    }

    /// A value of a row.
    pub(super) fn value(&self, random: &mut Random) -> String {
        if self.nullable && random.chance(20) {
            return "NULL".to_owned();
        }
        if self.default.is_some() && random.chance(15) {
            return "DEFAULT".to_owned();
        }
        random.pick(&self.values).clone()
    }
}

fn any_type(random: &mut Random) -> (String, Kind, Vec<String>) {
    match random.below(8) {
        0 | 1 => integer(random),
        2 => fraction(random),
        3 => characters(random),
        4 => binary(random),
        5 => temporal(random),
        6 => listed(random),
        _ => structured(random),
    }
}

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|&value| value.to_owned()).collect()
}

fn integer(random: &mut Random) -> (String, Kind, Vec<String>) {
    let widths = [
        ("TINYINT", 8),
        ("SMALLINT", 16),
        ("MEDIUMINT", 24),
        ("INT", 32),
        ("BIGINT", 64),
        ("BIT", 0),
        ("YEAR", 0),
        ("BOOLEAN", 0),
        ("TINYINT(1)", 8),
    ];
    let &(name, bits) = random.pick(&widths);
    match name {
        "BIT" => {
            let length = 1 + random.below(64);
            let kind = if length == 1 { Kind::Plain } else { Kind::Address };
            let largest = format!("b'{}'", "1".repeat(usize::try_from(length).unwrap()));
            (format!("BIT({length})"), kind, vec![largest, "b'0'".to_owned(), "b'1'".to_owned()])
        }
        "YEAR" => (name.to_owned(), Kind::Plain, owned(&["1901", "2155", "2024", "1970"])),
        "BOOLEAN" => (name.to_owned(), Kind::Plain, owned(&["TRUE", "FALSE", "-1", "2"])),
        _ if random.chance(40) => {
            let largest = u64::MAX >> (64 - bits);
            let zerofill = if random.chance(20) && name != "TINYINT(1)" { " ZEROFILL" } else { "" };
            let any = random.below(largest).to_string();
            (
                format!("{name} UNSIGNED{zerofill}"),
                Kind::Plain,
                vec![largest.to_string(), "0".to_owned(), any],
            )
        }
        _ => {
            let largest = i64::MAX >> (64 - bits);
            let any = random.below(largest.unsigned_abs()).to_string();
            (
                name.to_owned(),
                Kind::Plain,
                vec![largest.to_string(), (-largest - 1).to_string(), "-1".to_owned(), any],
            )
        }
    }
}

fn fraction(random: &mut Random) -> (String, Kind, Vec<String>) {
    let reals = ["0", "-0.0", "1.5", "1e7", "0.001", "0.00025", "-12345.678", "100"];
    match random.below(6) {
        0 => ("FLOAT".to_owned(), Kind::Plain, owned(&reals)),
        1 => ("FLOAT(8,3)".to_owned(), Kind::Plain, owned(&["1.1", "-99999.999", "0", "3.125"])),
        2 => ("DOUBLE(12,4)".to_owned(), Kind::Plain, owned(&["1.1", "-99999999.9999", "0"])),
        3 => (
            "DOUBLE".to_owned(),
            Kind::Plain,
            [owned(&reals), owned(&["1e15", "1.7976931348623157e308", "1e-300", "123456789.125"])]
                .concat(),
        ),
        _ => {
            let precision = 1 + random.below(65);
            let scale = random.below(precision.min(30) + 1);
            let (whole, part) = (precision - scale, scale);
            let digits = |count: u64, digit: &str| digit.repeat(usize::try_from(count).unwrap());
            let largest = format!(
                "{}.{}",
                if whole == 0 { "0".to_owned() } else { digits(whole, "9") },
                if part == 0 { "0".to_owned() } else { digits(part, "9") }
            );
            let smallest =
                if part == 0 { "1".to_owned() } else { format!("0.{}1", digits(part - 1, "0")) };
            let unsigned = if random.chance(20) { " UNSIGNED" } else { "" };
            let mut values = vec!["0".to_owned(), smallest, largest.clone()];
            if unsigned.is_empty() {
                values.push(format!("-{largest}"));
            }
            (format!("DECIMAL({precision},{scale}){unsigned}"), Kind::Plain, values)
        }
    }
}

/// Charsets of one byte a character.
const SINGLE: [&str; 25] = [
    "latin1", "dec8", "hp8", "swe7", "armscii8", "geostd8", "cp1250", "cp1251", "cp1256", "cp1257",
    "cp850", "cp852", "cp866", "keybcs2", "koi8r", "koi8u", "latin2", "greek", "hebrew", "latin5",
    "latin7", "macroman", "macce", "tis620", "ascii",
];
/// Charsets of more, with a text that they have.
const WIDE: [(&str, &str); 16] = [
    ("utf8mb4", "日本語 😀 é"),
    ("utf8mb3", "日本語 é"),
    ("big5", "中文字"),
    ("gb2312", "中文字"),
    ("gbk", "中文字體"),
    ("gb18030", "中文 😀"),
    ("sjis", "日本語 ｶﾅ"),
    ("cp932", "日本語 ①"),
    ("ujis", "日本語 ｶﾅ"),
    ("eucjpms", "日本語 ①"),
    ("euckr", "한국어"),
    ("ucs2", "日本語 é"),
    ("utf16", "日本 😀"),
    ("utf16le", "日本 😀"),
    ("utf32", "日本 😀"),
    ("utf8mb4", "Ω≈ç√"),
];
/// Texts that every charset has.
const TEXTS: [&str; 12] = [
    "",
    " ",
    "plain",
    "two  spaces ",
    "quote\"d 'text'",
    "back\\slash",
    "line\nbreak\ttab",
    "null",
    "{\"a\": 1}",
    "[1,2]",
    "a,b;c",
    "<&>",
];

fn characters(random: &mut Random) -> (String, Kind, Vec<String>) {
    let mut values: Vec<String> = (0..4)
        .map(|_| {
            let &sample = random.pick(&TEXTS);
            text(sample)
        })
        .collect();
    let charset = if random.chance(50) {
        let &name = random.pick(&SINGLE);
        let high = if name == "ascii" { 0x7F } else { 0x100 };
        let bytes: Vec<u8> =
            (0..6).map(|_| u8::try_from(0x20 + random.below(high - 0x20)).unwrap()).collect();
        values.push(format!("_{name} {}", hex(&bytes)));
        name
    } else {
        let &(name, sample) = random.pick(&WIDE);
        values.push(text(sample));
        if name == "utf8mb4" {
            values.push(text("\u{1}\u{7f}\u{2028}\u{feff}/"));
        }
        name
    };
    let collation = if random.chance(30) && charset != "utf8mb3" {
        format!(" COLLATE {charset}_bin")
    } else {
        String::new()
    };
    let ddl = match random.below(7) {
        0 => "CHAR(20)",
        1 => "VARCHAR(40)",
        2 => "VARCHAR(400)",
        3 => "TINYTEXT",
        4 => "TEXT",
        5 => "MEDIUMTEXT",
        _ => "LONGTEXT",
    };
    (format!("{ddl} CHARACTER SET {charset}{collation}"), Kind::Plain, values)
}

fn binary(random: &mut Random) -> (String, Kind, Vec<String>) {
    let ddl =
        ["BINARY(5)", "BINARY(16)", "VARBINARY(20)", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"];
    let bytes: Vec<u8> = (0..5).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
    let values = vec![
        "''".to_owned(),
        "X'00'".to_owned(),
        "'text'".to_owned(),
        "X'FBFF3E3F'".to_owned(),
        hex(&bytes),
    ];
    ((*random.pick(&ddl)).to_owned(), Kind::Bytes, values)
}

fn temporal(random: &mut Random) -> (String, Kind, Vec<String>) {
    let precision = random.below(7);
    let of =
        |name: &str| if precision == 0 { name.to_owned() } else { format!("{name}({precision})") };
    match random.below(4) {
        0 => (
            "DATE".to_owned(),
            Kind::Plain,
            owned(&[
                "'2024-02-29'",
                "'1969-12-31'",
                "'0000-00-00'",
                "'9999-12-31'",
                "'1000-01-01'",
                "'2000-00-00'",
                "'0050-06-07'",
            ]),
        ),
        1 => (
            of("TIME"),
            Kind::Plain,
            owned(&[
                "'12:34:56.789012'",
                "'00:00:00'",
                "'-01:02:03.5'",
                "'838:59:59'",
                "'23:59:59.999999'",
                "'-838:59:59'",
            ]),
        ),
        2 => (
            of("DATETIME"),
            Kind::Plain,
            owned(&[
                "'2024-02-29 12:34:56.789012'",
                "'1969-12-31 23:59:59.999999'",
                "'0000-00-00 00:00:00'",
                "'9999-12-31 23:59:59'",
                "'2024-01-01 00:00:00'",
                "'0069-01-02 03:04:05'",
            ]),
        ),
        _ => (
            of("TIMESTAMP"),
            Kind::Plain,
            owned(&[
                "'2024-02-29 12:34:56.789012'",
                "'1970-01-01 00:00:01'",
                "'0000-00-00 00:00:00'",
                "'2038-01-19 03:14:07'",
                "'2024-06-01 10:00:00.5'",
            ]),
        ),
    }
}

fn listed(random: &mut Random) -> (String, Kind, Vec<String>) {
    let charset = *random.pick(&[
        "",
        "",
        " CHARACTER SET latin1",
        " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    ]);
    if random.chance(50) {
        (
            format!("ENUM('a','b c','é','it''s','x\"y','p,q'){charset}"),
            Kind::Plain,
            owned(&["'a'", "'b c'", "'é'", "'it''s'", "'x\"y'", "'p,q'"]),
        )
    } else {
        (
            format!("SET('r','w','é','long name'){charset}"),
            Kind::Plain,
            owned(&["'r,w'", "''", "'é'", "'w,long name'", "'r'"]),
        )
    }
}

fn structured(random: &mut Random) -> (String, Kind, Vec<String>) {
    match random.below(6) {
        0 => (
            "POINT".to_owned(),
            Kind::Address,
            owned(&["ST_GeomFromText('POINT(1.5 -2)')", "ST_GeomFromText('POINT(0 0)')"]),
        ),
        1 => (
            "GEOMETRY".to_owned(),
            Kind::Address,
            owned(&[
                "ST_GeomFromText('LINESTRING(0 0,1 1)')",
                "ST_GeomFromText('POINT(10 20)', 4326)",
            ]),
        ),
        2 => (
            "POLYGON".to_owned(),
            Kind::Address,
            owned(&["ST_GeomFromText('POLYGON((0 0,1 0,1 1,0 0))')"]),
        ),
        3 => (
            "VECTOR(3)".to_owned(),
            Kind::Plain,
            owned(&["STRING_TO_VECTOR('[1,2.5,-3]')", "STRING_TO_VECTOR('[0,0,0.5]')"]),
        ),
        _ => ("JSON".to_owned(), Kind::Plain, (0..5).map(|_| document::any(random)).collect()),
    }
}
