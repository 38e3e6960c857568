use super::layout::quoted;
use super::snapshot::KeyValue;
use crate::decode::{ColumnLayout, TableLayout};

/// The order of a table's primary key, in which a snapshot reads its rows and can go on behind one of them. It is
/// always the server that compares, by the column's own rules.
#[derive(Clone, Debug)]
pub struct KeyOrder {
    columns: Vec<KeyColumn>,
}

#[derive(Clone, Debug)]
struct KeyColumn {
    name: String,
    form: Form,
    /// What the order rests on: type and collation.
    definition: String,
}

/// How a value is asked for and given back.
#[derive(Clone, Debug)]
enum Form {
    /// Digits.
    Number,
    /// The bytes that the column holds, in its own character set, as hexadecimal digits.
    Text { character_set: String, collation: String },
    /// Bytes as hexadecimal digits.
    Bytes,
    /// A date or time, as the type says that it is read with.
    Moment(String),
}

impl KeyOrder {
    /// None for a table without a primary key, or with one whose values do not come back as they went.
    #[must_use]
    pub fn of(table: &TableLayout) -> Option<Self> {
        let columns =
            table.primary_key.iter().map(|index| KeyColumn::of(table.columns.get(*index)?));
        let columns: Option<Vec<KeyColumn>> = columns.collect();
        columns.filter(|columns| !columns.is_empty()).map(|columns| Self { columns })
    }

    /// What it is made of; a key that was read in another order says nothing in this one.
    #[must_use]
    pub fn definition(&self) -> String {
        let columns: Vec<String> = self
            .columns
            .iter()
            .map(|column| format!("{} {}", quoted(&column.name), column.definition))
            .collect();
        columns.join(", ")
    }

    /// What to select for the key.
    pub(super) fn selected(&self) -> impl Iterator<Item = String> {
        self.columns.iter().map(|column| {
            let name = quoted(&column.name);
            match column.form {
                Form::Text { .. } | Form::Bytes => format!("HEX({name})"),
                Form::Number | Form::Moment(_) => name,
            }
        })
    }

    /// The columns of a row with this key.
    pub(super) fn row(&self, key: &[KeyValue<'_>]) -> Vec<String> {
        let columns = self.columns.iter().zip(key);
        let columns = columns.map(|(column, value)| {
            let (name, value) = (quoted(&column.name), value.literal());
            match &column.form {
                Form::Text { character_set, collation } => {
                    format!("CONVERT({value} USING {character_set}) COLLATE {collation} AS {name}")
                }
                Form::Number | Form::Bytes | Form::Moment(_) => format!("{value} AS {name}"),
            }
        });
        columns.collect()
    }

    /// The condition of rows behind that with this key; none where it is no key of this table.
    #[must_use]
    pub fn behind(&self, key: &[String]) -> Option<String> {
        if self.columns.len() != key.len() {
            return None;
        }
        let mut condition = None;
        for (column, value) in self.columns.iter().zip(key).rev() {
            let (name, value) = (quoted(&column.name), column.form.literal(value)?);
            condition = Some(match condition {
                None => format!("{name} > {value}"),
                // The first term lets the server begin at the place in its index.
                Some(rest) => {
                    format!("{name} >= {value} AND ({name} > {value} OR ({rest}))")
                }
            });
        }
        condition
    }
}

impl KeyColumn {
    fn of(column: &ColumnLayout) -> Option<Self> {
        let form = match column.data_type.as_str() {
            "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "decimal" | "year" => {
                Form::Number
            }
            "char" | "varchar" => Form::Text {
                character_set: column.character_set.clone().filter(|name| is_word(name))?,
                collation: column.collation.clone().filter(|name| is_word(name))?,
            },
            "binary" | "varbinary" => Form::Bytes,
            "date" => Form::Moment("DATE".to_owned()),
            "time" => Form::Moment("TIME(6)".to_owned()),
            "datetime" | "timestamp" => Form::Moment("DATETIME(6)".to_owned()),
            _ => return None,
        };
        let collation = column.collation.as_deref().unwrap_or("-");
        let definition = format!("{} {collation}", column.column_type);
        Some(Self { name: column.name.clone(), form, definition })
    }
}

impl Form {
    /// A value as the server reads it; none for what is no value of this form.
    fn literal(&self, value: &str) -> Option<String> {
        let consists_of =
            |others: &str| value.chars().all(|c| c.is_ascii_digit() || others.contains(c));
        let is_hex = value.len().is_multiple_of(2) && value.chars().all(|c| c.is_ascii_hexdigit());
        match self {
            Self::Number => (!value.is_empty() && consists_of("-.")).then(|| value.to_owned()),
            Self::Text { character_set, collation } => {
                is_hex.then(|| format!("_{character_set} x'{value}' COLLATE {collation}"))
            }
            Self::Bytes => is_hex.then(|| format!("_binary x'{value}'")),
            Self::Moment(of) => consists_of("-:. ").then(|| format!("CAST('{value}' AS {of})")),
        }
    }
}

fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, &str)]) -> TableLayout {
        let column = |(data_type, column_type): &(&str, &str)| ColumnLayout {
            name: format!("k{data_type}"),
            data_type: (*data_type).to_owned(),
            column_type: (*column_type).to_owned(),
            character_set: data_type.ends_with("char").then(|| "latin1".to_owned()),
            collation: data_type.ends_with("char").then(|| "latin1_german2_ci".to_owned()),
            nullable: false,
            default: None,
            extra: String::new(),
        };
        TableLayout {
            database: "d".into(),
            table: "t".into(),
            columns: columns.iter().map(column).collect(),
            primary_key: (0..columns.len()).collect(),
            collation: None,
        }
    }

    fn behind(columns: &[(&str, &str)], key: &[&str]) -> Option<String> {
        let key: Vec<String> = key.iter().map(|text| (*text).to_owned()).collect();
        KeyOrder::of(&table(columns))?.behind(&key)
    }

    #[test]
    fn the_server_compares_by_the_columns_own_rules() {
        let number = ("bigint", "bigint unsigned");
        let text = ("varchar", "varchar(20)");
        for (columns, key, expected) in [
            (&[number][..], &["7"][..], Some("`kbigint` > 7")),
            (
                &[text, number],
                &["E4", "7"],
                Some(
                    "`kvarchar` >= _latin1 x'E4' COLLATE latin1_german2_ci AND (`kvarchar` > _latin1 x'E4' COLLATE \
                     latin1_german2_ci OR (`kbigint` > 7))",
                ),
            ),
            (&[("binary", "binary(2)")], &["00FF"], Some("`kbinary` > _binary x'00FF'")),
            (
                &[("datetime", "datetime(6)")],
                &["2026-01-02 03:04:05.000006"],
                Some("`kdatetime` > CAST('2026-01-02 03:04:05.000006' AS DATETIME(6))"),
            ),
            (&[number], &["7", "8"], None),
            (&[number], &["7 OR 1=1"], None),
            (&[text], &["4"], None),
            (&[("float", "float")], &["1.5"], None),
            (&[number, ("enum", "enum('a')")], &["1", "a"], None),
            (&[], &[], None),
        ] {
            assert_eq!(behind(columns, key).as_deref(), expected, "{columns:?} {key:?}");
        }
    }

    #[test]
    fn another_collation_is_another_order() {
        let mut layout = table(&[("char", "char(36)")]);
        let before = KeyOrder::of(&layout).unwrap().definition();
        layout.columns[0].collation = Some("latin1_bin".into());
        assert_ne!(KeyOrder::of(&layout).unwrap().definition(), before);
    }
}
