//! Statements in a stretch of the log, read by an ordinary query.

use super::SourceError;
use super::server::position;
use super::sql::{Sql, named};
use crate::offset::BinlogPosition;

const DOING: &str = "looking through the binary log for alterations";
/// Events of a page: some megabytes at the most, read in far less than a second.
const PAGE: u32 = 20_000;

/// A page of the log: its statements with the places where they end, and where the next page begins.
#[derive(Debug)]
pub struct StatementPage {
    /// Statements outside of transactions and inside.
    pub statements: Vec<(BinlogPosition, Vec<u8>)>,
    /// `None` once the end of the stretch is reached.
    pub next: Option<BinlogPosition>,
}

/// The end of the log at this moment.
///
/// # Errors
/// When the query fails.
pub async fn end_of_log(sql: &mut Sql) -> Result<BinlogPosition, SourceError> {
    position(sql).await
}

/// The statements from `from`, an event's start or end, towards `end`.
///
/// # Errors
/// When the query fails, as for a file that is purged.
pub async fn statements(
    sql: &mut Sql,
    from: &BinlogPosition,
    end: &BinlogPosition,
) -> Result<StatementPage, SourceError> {
    let mut page = StatementPage { statements: Vec::new(), next: None };
    if from.file == end.file && from.pos >= end.pos {
        return Ok(page);
    }
    let file = from.file.replace('\\', "\\\\").replace('\'', "\\'");
    let query = format!("SHOW BINLOG EVENTS IN '{file}' FROM {} LIMIT {PAGE}", from.pos);
    let rows = sql.rows(&query, DOING).await?;
    let mut pos = from.pos;
    for row in &rows {
        let malformed = || SourceError::Answer("SHOW BINLOG EVENTS");
        let number = |name| named(row, name).and_then(|text| text.parse::<u64>().ok());
        let start = number("Pos").ok_or_else(malformed)?;
        let stop = number("End_log_pos").ok_or_else(malformed)?;
        // Ends of events have 32 bits; the rest of a larger file cannot be asked for.
        pos = if stop >= start { stop } else { return Err(malformed()) };
        if named(row, "Event_type").as_deref() == Some("Query") {
            let text = row.get_opt::<Vec<u8>, _>("Info").and_then(Result::ok);
            let place = BinlogPosition { file: from.file.clone(), pos };
            page.statements.push((place, text.unwrap_or_default()));
        }
        if from.file == end.file && pos >= end.pos {
            return Ok(page);
        }
    }
    let full = rows.len() >= usize::try_from(PAGE).unwrap_or(usize::MAX);
    page.next = if full && pos > from.pos {
        Some(BinlogPosition { file: from.file.clone(), pos })
    } else {
        next_file(sql, &from.file).await?
    };
    Ok(page)
}

/// The start of the file after this one; `None` for the last.
async fn next_file(sql: &mut Sql, file: &str) -> Result<Option<BinlogPosition>, SourceError> {
    let rows = sql.rows("SHOW BINARY LOGS", DOING).await?;
    let mut files = rows.iter().filter_map(|row| named(row, "Log_name"));
    let found = files.by_ref().any(|name| name == file);
    let next = files.next().filter(|_| found);
    Ok(next.map(|file| BinlogPosition { file, pos: LOG_START }))
}

/// The first event of a log file stands behind its magic number.
const LOG_START: u64 = 4;
