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
