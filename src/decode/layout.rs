use serde::{Deserialize, Serialize};

/// A table as `information_schema` describes it, columns in their ordinal order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableLayout {
    /// The database.
    pub database: String,
    /// The table.
    pub table: String,
    /// Every column, invisible and generated ones included.
    pub columns: Vec<ColumnLayout>,
    /// Indices into `columns` of the primary key's columns, in key order.
    pub primary_key: Vec<usize>,
    /// `TABLE_COLLATION`, which new columns take.
    pub collation: Option<String>,
}

/// A column as `information_schema.columns` describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnLayout {
    /// `COLUMN_NAME`.
    pub name: String,
    /// `DATA_TYPE` in lower case.
    pub data_type: String,
    /// `COLUMN_TYPE`, as `enum('a','b')` or `tinyint(1) unsigned`.
    pub column_type: String,
    /// `CHARACTER_SET_NAME`.
    pub character_set: Option<String>,
    /// `COLLATION_NAME`.
    pub collation: Option<String>,
    /// Whether `IS_NULLABLE` is `YES`.
    pub nullable: bool,
    /// `COLUMN_DEFAULT`.
    pub default: Option<String>,
    /// `EXTRA`.
    pub extra: String,
}

impl ColumnLayout {
    /// Whether the default is an expression, or the server computes the column.
    pub(super) fn is_generated(&self) -> bool {
        let extra = self.extra.to_ascii_uppercase();
        extra.contains("GENERATED") || extra.contains("AUTO_INCREMENT")
    }

    pub(super) fn is_unsigned(&self) -> bool {
        // The words of an ENUM or SET may hold anything; neither has a sign.
        !matches!(self.data_type.as_str(), "enum" | "set")
            && self.column_type.to_ascii_lowercase().contains("unsigned")
    }

    /// The numbers in parentheses: `decimal(10,2)` has 10 and 2.
    pub(super) fn arguments(&self) -> (Option<u16>, Option<u16>) {
        let inside = self
            .column_type
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(')'))
            .map_or("", |(inside, _)| inside);
        let mut numbers = inside.split(',').map(|number| number.trim().parse().ok());
        (numbers.next().flatten(), numbers.next().flatten())
    }

    /// The options of an ENUM or SET.
    pub(super) fn words(&self) -> Vec<String> {
        let Some((_, list)) = self.column_type.split_once('(') else { return Vec::new() };
        let mut words = Vec::new();
        let mut chars = list.chars().peekable();
        while let Some(start) = chars.next() {
            if start != '\'' {
                continue;
            }
            let mut word = String::new();
            while let Some(c) = chars.next() {
                match c {
                    '\'' if chars.peek() == Some(&'\'') => word.extend(chars.next()),
                    '\'' => break,
                    '\\' => word.extend(chars.next().map(unescaped)),
                    other => word.push(other),
                }
            }
            words.push(word);
        }
        words
    }
}

/// The character behind a backslash, as MySQL writes options in `COLUMN_TYPE`.
fn unescaped(c: char) -> char {
    match c {
        'n' => '\n',
        'r' => '\r',
        '0' => '\0',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::ColumnLayout;

    fn column(column_type: &str) -> ColumnLayout {
        ColumnLayout {
            name: "c".into(),
            data_type: "enum".into(),
            column_type: column_type.into(),
            character_set: None,
            collation: None,
            nullable: true,
            default: None,
            extra: String::new(),
        }
    }

    #[test]
    fn options_are_read_from_the_column_type() {
        let words = column(r"enum('a','b,c','it''s','x)y','back\\slash','')").words();
        assert_eq!(words, ["a", "b,c", "it's", "x)y", r"back\slash", ""]);
    }

    #[test]
    fn arguments_are_the_numbers_in_parentheses() {
        assert_eq!(column("decimal(10,2) unsigned").arguments(), (Some(10), Some(2)));
        assert_eq!(column("datetime(6)").arguments(), (Some(6), None));
        assert_eq!(column("int").arguments(), (None, None));
    }
}
