use super::words::Words;

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
    /// Rows changed as text (`binlog_format` STATEMENT or MIXED): what was written stands nowhere in the log, least of
    /// all what triggers, functions and views wrote.
    Writes {
        /// Where the words put new rows; none where they change rows, or call what may.
        target: Option<Target>,
    },
    /// Anything else, DDL above all.
    Other,
}

/// The table that a statement names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The database, where the statement names one.
    pub(super) database: Option<String>,
    pub(super) table: String,
}

/// Longest part of a statement that is looked at: verbs and the table's name stand at its start.
const HEAD_BYTES: usize = 16 << 10;

/// Reads a statement as far as needed. It need not be UTF-8.
pub(super) fn classify(statement: &[u8]) -> Statement {
    if statement == b"BEGIN" {
        return Statement::Begin;
    }
    let head = statement.get(..HEAD_BYTES).unwrap_or(statement);
    let text = String::from_utf8_lossy(head);
    let mut words = Words::of(&text);
    let Some(verb) = words.next() else {
        // A comment as long as that hides what it does.
        let hidden = statement.len() > head.len();
        return if hidden { Statement::Writes { target: None } } else { Statement::Other };
    };
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
        "INSERT" | "REPLACE" => Statement::Writes {
            target: target(words, &["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE", "INTO"]),
        },
        "LOAD" => {
            let named = words.find(|word| word.eq_ignore_ascii_case("TABLE"));
            Statement::Writes { target: named.and_then(|_| target(words, &[])) }
        }
        "UPDATE" | "DELETE" | "WITH" | "SELECT" | "DO" | "CALL" | "(" => {
            Statement::Writes { target: None }
        }
        _ => Statement::Other,
    }
}

/// The table that stands next, after words of the grammar.
fn target(mut words: Words<'_>, grammar: &[&str]) -> Option<Target> {
    let first = words.find(|word| !grammar.iter().any(|known| known.eq_ignore_ascii_case(word)))?;
    if words.next().as_deref() == Some(".")
        && let Some(table) = words.next()
    {
        return Some(Target { database: Some(first.into_owned()), table: table.into_owned() });
    }
    Some(Target { database: None, table: first.into_owned() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn writes(database: Option<&str>, table: &str) -> Statement {
        let (database, table) = (database.map(str::to_owned), table.to_owned());
        Statement::Writes { target: Some(Target { database, table }) }
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
            (
                "LOAD DATA LOCAL INFILE 'a table b\\'s' INTO TABLE ob.outbox",
                writes(Some("ob"), "outbox"),
            ),
            ("ALTER TABLE outbox ADD c INT", Statement::Other),
            ("/*!80000 INSERT INTO outbox VALUES (1) */", writes(None, "outbox")),
            ("INSERT -- a job\n INTO `a``b` VALUES (1)", writes(None, "a`b")),
            ("INSERT INTO \"outbox\" VALUES (1)", writes(None, "outbox")),
            ("UPDATE outbox SET a=1", Statement::Writes { target: None }),
            ("SELECT `ob`.`f`(3)", Statement::Writes { target: None }),
            ("(SELECT 1)", Statement::Writes { target: None }),
            (
                &format!("/* {} */ INSERT INTO t", " ".repeat(HEAD_BYTES)),
                Statement::Writes { target: None },
            ),
            ("TRUNCATE TABLE outbox", Statement::Other),
            ("/* nothing */", Statement::Other),
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
