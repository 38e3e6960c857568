use std::collections::BTreeMap;

use super::RegexList;

/// Which tables and columns are captured.
#[derive(Clone, Debug)]
pub struct CaptureConfig {
    /// Databases and tables.
    pub tables: TableFilter,
    /// Columns.
    pub columns: ColumnFilter,
    /// `snapshot.include.collection.list`: the tables whose rows already there are read; `None` is all.
    pub snapshot_tables: Option<RegexList>,
    /// `snapshot.select.statement.overrides`: by `database.table`, the query whose rows are read.
    pub snapshot_selects: BTreeMap<String, String>,
}

/// Databases and tables by Debezium's include and exclude lists.
#[derive(Clone, Debug, Default)]
pub struct TableFilter {
    /// `database.include.list` (`true`) or `database.exclude.list` (`false`).
    pub databases: Option<(bool, RegexList)>,
    /// `table.include.list` (`true`) or `table.exclude.list` (`false`), on `database.table`.
    pub tables: Option<(bool, RegexList)>,
    /// `table.ignore.builtin` off: system schemas count too.
    pub with_builtin: bool,
}

impl TableFilter {
    /// Whether this table is captured.
    #[must_use]
    pub fn captures(&self, database: &str, table: &str) -> bool {
        let builtin = ["mysql", "performance_schema", "sys", "information_schema"];
        (self.with_builtin || !builtin.iter().any(|name| name.eq_ignore_ascii_case(database)))
            && admits(self.databases.as_ref(), database)
            && (self.tables.is_none()
                || admits(self.tables.as_ref(), &format!("{database}.{table}")))
    }
}

/// `column.include.list` (`true`) or `column.exclude.list` (`false`), on `database.table.column`.
#[derive(Clone, Debug, Default)]
pub struct ColumnFilter(pub Option<(bool, RegexList)>);

impl ColumnFilter {
    /// Whether this column exists for the router.
    #[must_use]
    pub fn captures(&self, database: &str, table: &str, column: &str) -> bool {
        self.0.is_none() || admits(self.0.as_ref(), &format!("{database}.{table}.{column}"))
    }
}

fn admits(list: Option<&(bool, RegexList)>, name: &str) -> bool {
    list.is_none_or(|(include, patterns)| patterns.matches(name) == *include)
}
