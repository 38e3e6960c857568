//! Which tables are captured, and what their columns are.

use super::SourceError;
use super::sql::{Sql, column};
use crate::config::TableFilter;
use crate::decode::{ColumnLayout, TableLayout, ddl};

const DOING: &str = "reading information_schema";
/// How many similar names a hint shows.
const NEAR_MAX: usize = 5;
/// Error of a variable that an older server does not have.
const UNKNOWN_VARIABLE: u16 = 1193;

/// An identifier in backticks.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

async fn all_tables(sql: &mut Sql) -> Result<Vec<(String, String)>, SourceError> {
    let query = "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES \
                 WHERE TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_SCHEMA, TABLE_NAME";
    let rows = sql.rows(query, DOING).await?;
    Ok(rows.iter().filter_map(|row| Some((column(row, 0)?, column(row, 1)?))).collect())
}

/// The tables that the lists capture and the account can see, by database and name.
///
/// # Errors
/// When the query fails.
pub async fn captured_tables(
    sql: &mut Sql,
    filter: &TableFilter,
) -> Result<Vec<(String, String)>, SourceError> {
    let mut tables = all_tables(sql).await?;
    tables.retain(|(database, table)| filter.captures(database, table));
    Ok(tables)
}

/// How many different values of a column are read.
const VALUES_MAX: usize = 100;

/// Different values of a text column in a table's first rows.
///
/// # Errors
/// When the query fails.
pub async fn some_values(
    sql: &mut Sql,
    (database, table): (&str, &str),
    name: &str,
) -> Result<Vec<String>, SourceError> {
    let (database, table, name) = (quoted(database), quoted(table), quoted(name));
    let query = format!(
        "SELECT DISTINCT v FROM (SELECT {name} v FROM {database}.{table} LIMIT {ROWS_MAX}) some \
         WHERE v IS NOT NULL LIMIT {VALUES_MAX}"
    );
    let rows = sql.rows(&query, "reading values of the route column").await?;
    Ok(rows.iter().filter_map(|row| column(row, 0)).collect())
}

/// How many rows are looked at for that.
const ROWS_MAX: usize = 10_000;

/// Tables whose names are like those in the include list.
pub(super) async fn near_names(
    sql: &mut Sql,
    filter: &TableFilter,
) -> Result<Vec<String>, SourceError> {
    let Some((true, patterns)) = &filter.tables else { return Ok(Vec::new()) };
    let patterns: Vec<String> = patterns.patterns().map(|text| text.replace('\\', "")).collect();
    let everything = TableFilter { with_builtin: filter.with_builtin, ..TableFilter::default() };
    let tables = all_tables(sql).await?.into_iter();
    let mut near: Vec<(usize, String)> = tables
        .filter(|(database, table)| everything.captures(database, table))
        .filter_map(|(database, table)| {
            let name = format!("{database}.{table}");
            let distances = patterns.iter().map(|pattern| distance(pattern, &name));
            // Beyond half of its length a name is another one.
            distances
                .min()
                .filter(|distance| distance * 2 <= name.len())
                .map(|distance| (distance, name))
        })
        .collect();
    near.sort();
    near.truncate(NEAR_MAX);
    Ok(near.into_iter().map(|(_, name)| name).collect())
}

/// How many letters must be changed, added or removed, whatever their case (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let letters: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=letters.len()).collect();
    for (index, letter) in a.to_lowercase().chars().enumerate() {
        let mut next = vec![index + 1];
        for ((other, pair), left) in letters.iter().zip(row.windows(2)).zip(1..) {
            let &[diagonal, above] = pair else { continue };
            let change = diagonal + usize::from(*other != letter);
            let before = next.get(left - 1).copied().unwrap_or(usize::MAX - 1);
            next.push(change.min(above + 1).min(before + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// The table's columns, in the order of the binary log, with invisible and generated ones.
///
/// # Errors
/// When the query fails or there is no such table.
pub async fn read_layout(
    sql: &mut Sql,
    database: &str,
    table: &str,
) -> Result<TableLayout, SourceError> {
    // A generated invisible primary key is in every row of the log (8.0.30 on).
    let show = "SET SESSION show_gipk_in_create_table_and_information_schema = ON";
    match sql.run(show, DOING).await {
        Ok(()) | Err(SourceError::Server { code: UNKNOWN_VARIABLE, .. }) => {}
        Err(error) => return Err(error),
    }
    let query = "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME, \
                 IS_NULLABLE, COLUMN_DEFAULT, EXTRA FROM information_schema.COLUMNS \
                 WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION";
    let rows = sql.rows_with(query, (database, table), DOING).await?;
    if rows.is_empty() {
        return Err(SourceError::NoTable(format!("{database}.{table}")));
    }
    let columns = rows.iter().map(|row| {
        Some(ColumnLayout {
            name: column(row, 0)?,
            data_type: column(row, 1)?.to_ascii_lowercase(),
            column_type: column(row, 2)?,
            character_set: column(row, 3),
            collation: column(row, 4),
            nullable: column(row, 5)?.eq_ignore_ascii_case("YES"),
            default: column(row, 6),
            extra: column(row, 7).unwrap_or_default(),
        })
    });
    let columns: Option<Vec<ColumnLayout>> = columns.collect();
    let columns = columns.ok_or(SourceError::Answer("a query for columns"))?;
    let primary_key = primary_key(sql, database, table, &columns).await?;
    let query = "SELECT TABLE_COLLATION FROM information_schema.TABLES \
                 WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";
    let rows = sql.rows_with(query, (database, table), DOING).await?;
    let collation = rows.first().and_then(|row| column(row, 0));
    let (database, table) = (database.to_owned(), table.to_owned());
    Ok(TableLayout { database, table, columns, primary_key, collation })
}

/// A database's defaults, as a table without a name.
///
/// # Errors
/// When the query fails or there is no such database.
pub async fn read_database(sql: &mut Sql, database: &str) -> Result<TableLayout, SourceError> {
    let query = "SELECT DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA \
                 WHERE SCHEMA_NAME = ?";
    let rows = sql.rows_with(query, (database,), DOING).await?;
    let collation = rows.first().and_then(|row| column(row, 0));
    let (database, table) = (database.to_owned(), String::new());
    Ok(TableLayout { database, table, columns: Vec::new(), primary_key: Vec::new(), collation })
}

/// What statements that alter tables rely on.
///
/// # Errors
/// When a query fails.
pub async fn ddl_server(sql: &mut Sql) -> Result<ddl::Server, SourceError> {
    let query = "SELECT ID, COLLATION_NAME, CHARACTER_SET_NAME, IS_DEFAULT \
                 FROM information_schema.COLLATIONS";
    let rows = sql.rows(query, DOING).await?;
    let collation = |row| {
        Some(ddl::Collation {
            id: column(row, 0)?.parse().ok()?,
            name: column(row, 1)?.to_ascii_lowercase(),
            character_set: column(row, 2)?.to_ascii_lowercase(),
            default: column(row, 3).is_some_and(|word| word.eq_ignore_ascii_case("Yes")),
        })
    };
    let names = sql.text("SELECT @@GLOBAL.lower_case_table_names", DOING).await?;
    // Names that keep their case and are equal in any (2) cannot be followed.
    let collations = match names.as_deref() {
        Some("0" | "1") => rows.iter().filter_map(collation).collect(),
        _ => Vec::new(),
    };
    let lower_case = names.as_deref() == Some("1");
    Ok(ddl::Server { version: sql.version(), lower_case, collations })
}

async fn primary_key(
    sql: &mut Sql,
    database: &str,
    table: &str,
    columns: &[ColumnLayout],
) -> Result<Vec<usize>, SourceError> {
    let query = "SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? \
                 AND TABLE_NAME = ? AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX";
    let rows = sql.rows_with(query, (database, table), DOING).await?;
    let index = |row| {
        let name = column(row, 0)?;
        columns.iter().position(|column| column.name == name)
    };
    let key: Option<Vec<usize>> = rows.iter().map(index).collect();
    key.ok_or(SourceError::Answer("a query for the primary key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_by_letters() {
        for (a, b, expected) in [
            ("", "abc", 3),
            ("ob.outbox", "OB.Outbox", 0),
            ("ob.outbx", "ob.outbox", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn identifiers_are_quoted() {
        assert_eq!(quoted("a`b"), "`a``b`");
    }
}
