/// What a query event's statement does to the transaction it is in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// `BEGIN`.
    Begin,
    /// `XA START`.
    XaStart,
    /// `XA COMMIT`, with the transaction's name as the server writes it.
    XaCommit(String),
    /// `XA ROLLBACK`, with the transaction's name.
    XaRollback(String),
    /// `COMMIT` of a transaction on tables without transactions.
    Commit,
    /// `ROLLBACK` of a transaction that changed tables without transactions.
    Rollback,
    /// `SAVEPOINT`, with its name.
    Savepoint(String),
    /// `ROLLBACK TO` a savepoint.
    RollbackTo(String),
    /// `XA END`, `RELEASE SAVEPOINT` and the like.
    InTransaction,
    /// Rows written as text (`binlog_format` STATEMENT or MIXED).
    Writes {
        /// The database, where the statement names one.
        database: Option<String>,
        /// The table.
        table: String,
    },
    /// Anything else, DDL above all.
    Other,
}

/// Longest part of a statement that is looked at: verbs and the table's name stand at its start.
const HEAD_BYTES: usize = 1024;

/// Reads a statement as far as needed. It need not be UTF-8.
pub(super) fn classify(statement: &[u8]) -> Statement {
    if statement == b"BEGIN" {
        return Statement::Begin;
    }
    let head = statement.get(..HEAD_BYTES).unwrap_or(statement);
    let text = String::from_utf8_lossy(head);
    let mut words = Words { rest: &text };
    let Some(verb) = words.next() else { return Statement::Other };
    match verb.to_ascii_uppercase().as_str() {
        "BEGIN" => Statement::Begin,
        "COMMIT" => Statement::Commit,
        "ROLLBACK" => match words.next() {
            None => Statement::Rollback,
            Some(word) if word.eq_ignore_ascii_case("TO") => {
                Statement::RollbackTo(words.rest.trim().to_owned())
            }
            Some(_) => Statement::InTransaction,
        },
        "SAVEPOINT" => Statement::Savepoint(words.rest.trim().to_owned()),
        "RELEASE" => Statement::InTransaction,
        "XA" => match words.next().map(|word| word.to_ascii_uppercase()).as_deref() {
            Some("START" | "BEGIN") => Statement::XaStart,
            Some("END") => Statement::InTransaction,
            Some("COMMIT") => Statement::XaCommit(words.rest.trim().to_owned()),
            Some("ROLLBACK") => Statement::XaRollback(words.rest.trim().to_owned()),
            _ => Statement::Other,
        },
        "INSERT" | "REPLACE" => {
            words.target(&["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE", "INTO"])
        }
        "LOAD" => {
            while let Some(word) = words.next() {
                if word.eq_ignore_ascii_case("TABLE") {
                    return words.target(&[]);
                }
            }
            Statement::Other
        }
        _ => Statement::Other,
    }
}

/// The words of a statement: names with or without backticks, single other characters, no comments.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.skip_blanks_and_comments();
        if let Some(quoted) = self.rest.strip_prefix('`') {
            let (name, rest) = quoted.split_once('`')?;
            self.rest = rest;
            return Some(name);
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(self.rest.len());
        let end = if end == 0 { self.rest.chars().next()?.len_utf8() } else { end };
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(word)
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
            } else if let Some(comment) =
                self.rest.strip_prefix("-- ").or_else(|| self.rest.strip_prefix('#'))
            {
                self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            } else {
                return;
            }
        }
    }

    /// The table that the statement writes to, after words of the grammar.
    fn target(&mut self, grammar: &[&str]) -> Statement {
        while let Some(first) = self.next() {
            if grammar.iter().any(|word| word.eq_ignore_ascii_case(first)) {
                continue;
            }
            let mut ahead = Words { rest: self.rest };
            if ahead.next() == Some(".")
                && let Some(table) = ahead.next()
            {
                return Statement::Writes {
                    database: Some(first.to_owned()),
                    table: table.to_owned(),
                };
            }
            return Statement::Writes { database: None, table: first.to_owned() };
        }
        Statement::Other
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn writes(database: Option<&str>, table: &str) -> Statement {
        Statement::Writes { database: database.map(str::to_owned), table: table.to_owned() }
    }

    #[test]
    fn statements_are_told_apart() {
        for (text, expected) in [
            ("BEGIN", Statement::Begin),
            ("XA START X'61',X'',1", Statement::XaStart),
            ("XA END X'61',X'',1", Statement::InTransaction),
            ("XA COMMIT X'61',X'',1", Statement::XaCommit("X'61',X'',1".into())),
            ("XA ROLLBACK X'61',X'',1", Statement::XaRollback("X'61',X'',1".into())),
            ("COMMIT", Statement::Commit),
            ("ROLLBACK", Statement::Rollback),
            ("ROLLBACK TO `a`", Statement::RollbackTo("`a`".into())),
            ("SAVEPOINT `a`", Statement::Savepoint("`a`".into())),
            ("INSERT INTO outbox VALUES (1)", writes(None, "outbox")),
            ("insert ignore into `ob`.`out box` values (1)", writes(Some("ob"), "out box")),
            ("/* app */ REPLACE ob . outbox SET a=1", writes(Some("ob"), "outbox")),
            ("LOAD DATA LOCAL INFILE 'x' INTO TABLE ob.outbox", writes(Some("ob"), "outbox")),
            ("ALTER TABLE outbox ADD c INT", Statement::Other),
            ("UPDATE outbox SET a=1", Statement::Other),
            ("", Statement::Other),
        ] {
            assert_eq!(classify(text.as_bytes()), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_classified(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            classify(&bytes);
        }
    }
}
