use super::super::bytes::Reader;
use super::{EventError, Query};
use crate::decode::ddl::Session;

/// More databases than the log names.
const TOO_MANY_DATABASES: u8 = 254;

/// The databases whose tables a statement used, read or written, by its functions and triggers too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Databases {
    /// These.
    Named(Vec<String>),
    /// Some; the log does not say which.
    TooMany,
    /// The log does not say.
    Unsaid,
}

impl Query<'_> {
    /// What the session had set that ran the statement; none where the log has variables that are not known here.
    ///
    /// # Errors
    /// When the variables are cut off.
    pub fn session(&self) -> Result<Option<Session>, EventError> {
        self.variables().map(|(session, _)| session)
    }

    /// The databases that the statement used.
    ///
    /// # Errors
    /// When the variables are cut off.
    pub fn databases(&self) -> Result<Databases, EventError> {
        self.variables().map(|(_, databases)| databases)
    }

    /// Source: `mysql/binlog/event/statement_events.h`, `Query_event_status_vars`.
    fn variables(&self) -> Result<(Option<Session>, Databases), EventError> {
        let mut used = Databases::Unsaid;
        let database = String::from_utf8_lossy(self.database).into_owned();
        let mut session = Session { database, ..Session::default() };
        let mut rest = Reader(self.variables);
        while !rest.0.is_empty() {
            match rest.u8()? {
                0 | 10 => pass_over(&mut rest, 4)?, // Flags; length of the statement.
                1 => session.sql_mode = rest.u64()?,
                2 => {
                    let length = usize::from(rest.u8()?);
                    pass_over(&mut rest, length + 1)?; // The catalog and a zero byte.
                }
                3 => pass_over(&mut rest, 4)?, // Increment and offset of AUTO_INCREMENT.
                4 => {
                    session.client_collation = rest.u16()?;
                    let _of_connection = rest.u16()?;
                    session.server_collation = Some(rest.u16()?);
                }
                5 | 6 => text(&mut rest)?,          // Time zone; catalog.
                7 | 8 => pass_over(&mut rest, 2)?,  // Names of months; the database's collation.
                9 | 17 => pass_over(&mut rest, 8)?, // Tables of an update; the number of a DDL.
                11 => {
                    text(&mut rest)?; // The invoker and where it came from.
                    text(&mut rest)?;
                }
                12 => used = databases(&mut rest)?,
                13 => pass_over(&mut rest, 3)?, // Microseconds.
                16 => session.explicit_timestamps = rest.u8()? != 0,
                18 => session.utf8mb4_collation = Some(rest.u16()?),
                19 | 20 => pass_over(&mut rest, 1)?, // Primary keys required; encryption.
                _ => return Ok((None, used)),
            }
        }
        Ok((Some(session), used))
    }
}

fn pass_over(rest: &mut Reader<'_>, count: usize) -> Result<(), EventError> {
    rest.take(count).map(|_| ())
}

/// A length of one byte and so many bytes.
fn text(rest: &mut Reader<'_>) -> Result<(), EventError> {
    let length = usize::from(rest.u8()?);
    pass_over(rest, length)
}

/// Names, each with a zero byte behind it.
fn databases(rest: &mut Reader<'_>) -> Result<Databases, EventError> {
    let count = rest.u8()?;
    if count == TOO_MANY_DATABASES {
        return Ok(Databases::TooMany);
    }
    let mut names = Vec::new();
    for _ in 0..count {
        let mut name = Vec::new();
        loop {
            match rest.u8()? {
                0 => break,
                byte => name.push(byte),
            }
        }
        names.push(String::from_utf8_lossy(&name).into_owned());
    }
    Ok(Databases::Named(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(variables: &[u8]) -> Query<'_> {
        let statement = b"CREATE TABLE t (a INT)";
        Query { thread_id: 1, error_code: 0, database: b"ob", variables, statement }
    }

    fn session(variables: &[u8]) -> Result<Option<Session>, EventError> {
        query(variables).session()
    }

    #[test]
    fn variables_are_read_behind_one_another() {
        let mut bytes = vec![0, 1, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0, 0, 6, 3, b's', b't', b'd'];
        bytes.extend([
            4, 255, 0, 255, 0, 8, 0, 12, 2, b'a', 0, b'b', 0, 13, 1, 2, 3, 16, 1, 18, 45, 0,
        ]);
        let read = session(&bytes).unwrap().unwrap();
        assert_eq!(read.database, "ob");
        assert_eq!((read.sql_mode, read.client_collation), (4, 255));
        assert_eq!((read.server_collation, read.utf8mb4_collation), (Some(8), Some(45)));
        assert!(read.explicit_timestamps);
        bytes.push(99);
        assert_eq!(session(&bytes).unwrap(), None);
        let used = Databases::Named(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(query(&bytes).databases().unwrap(), used);
        assert_eq!(query(&[12, 254]).databases().unwrap(), Databases::TooMany);
        assert_eq!(query(&[]).databases().unwrap(), Databases::Unsaid);
        assert!(session(&[1, 4]).is_err());
    }
}
