use super::words::{Words, is_of_name};

/// A statement that alters tables, as far as its words tell. It need not be UTF-8, nor is it parsed: a table that it
/// names anywhere counts as altered, since all that follows is that the layout is looked up again.
pub(super) struct Alteration {
    /// The session's database, in lower case.
    default: String,
    text: String,
    of_database: bool,
}

impl Alteration {
    /// Reads a statement of a session whose database is `default`.
    pub(super) fn read(default: &[u8], statement: &[u8]) -> Option<Self> {
        let lower = |bytes| String::from_utf8_lossy(bytes).to_lowercase();
        Self::of(lower(default), lower(statement))
    }

    /// Reads a statement as `SHOW BINLOG EVENTS` shows it, behind a word on the session's database.
    pub(super) fn read_shown(info: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(info).to_lowercase();
        match text.strip_prefix("use `").and_then(|rest| rest.split_once("`; ")) {
            Some((default, rest)) => Self::of(default.replace("``", "`"), rest.to_owned()),
            None => Self::of(String::new(), text),
        }
    }

    fn of(default: String, text: String) -> Option<Self> {
        let mut words = Words::of(&text).filter(|word| word.starts_with(is_of_name));
        let alters = matches!(&*words.next()?, "alter" | "create" | "drop" | "rename");
        let mut kinds = words.take(KIND_WORDS);
        let kind = kinds.find(|word| {
            matches!(&**word, "table" | "tables" | "database" | "schema")
                || OTHER_KINDS.contains(&&**word)
        });
        match kind.as_deref() {
            _ if !alters => None,
            Some("database" | "schema") => Some(Self { default, text, of_database: true }),
            Some(word) if OTHER_KINDS.contains(&word) => None,
            _ => Some(Self { default, text, of_database: false }),
        }
    }

    /// Whether the table's columns may be others behind it.
    pub(super) fn touches(&self, database: &str, table: &str) -> bool {
        let (database, table) = (database.to_lowercase(), table.to_lowercase());
        if self.of_database {
            return self.names(&database);
        }
        self.names(&table) && (self.default == database || self.names(&database))
    }

    fn names(&self, name: &str) -> bool {
        // In a statement of another character set such a name has other bytes.
        let plain = name.chars().all(|c| c.is_ascii() && is_of_name(c));
        !plain || names(&self.text).any(|word| word == name)
    }
}

/// How far behind the verb the kind of thing stands: `CREATE OR REPLACE … VIEW`.
const KIND_WORDS: usize = 12;
/// Things whose creation or end changes no columns of a table that the log has rows of.
const OTHER_KINDS: [&str; 15] = [
    "event",
    "function",
    "index",
    "instance",
    "logfile",
    "procedure",
    "role",
    "server",
    "spatial",
    "tablespace",
    "temporary",
    "trigger",
    "user",
    "view",
    "resource",
];

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_of_name(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn touches(statement: &str, table: &str) -> bool {
        Alteration::read(b"OB", statement.as_bytes()).is_some_and(|a| a.touches("ob", table))
    }

    #[test]
    fn statements_that_may_alter_a_table_are_found() {
        for statement in [
            "ALTER TABLE outbox ADD c INT",
            "alter table `ob`.`Outbox` modify a int after b",
            "ALTER TABLE outbox RENAME COLUMN a TO b",
            "/* job 7 */ ALTER TABLE ob.outbox DROP c",
            "ALTER TABLE /*!50000 outbox */ ADD c INT",
            "/*!50000 ALTER TABLE outbox ADD c INT */",
            "ALTER /* of a view, by a user */ TABLE outbox ADD c INT",
            "ALTER -- the index\n TABLE outbox ADD c INT",
            "ALTER # an event\n TABLE outbox ADD c INT",
            "RENAME TABLE outbox TO _outbox_del, _outbox_gho TO outbox",
            "ALTER TABLE x RENAME TO outbox",
            "DROP TABLE IF EXISTS a, outbox",
            "CREATE TABLE outbox (id INT COMMENT '/*')",
            "DROP DATABASE ob",
            "DROP SCHEMA `OB`",
        ] {
            assert!(touches(statement, "outbox"), "{statement}");
        }
        let elsewhere = Alteration::read(b"x", b"RENAME TABLE x.t TO ob.outbox").unwrap();
        assert!(elsewhere.touches("ob", "outbox"));
        let shown = Alteration::read_shown(b"use `ob`; ALTER TABLE outbox ADD c INT").unwrap();
        assert!(shown.touches("ob", "outbox"));
        assert!(touches("ALTER TABLE \u{fffd} ADD c INT", "größe"));
        assert!(touches("ALTER TABLE `a``b` ADD c INT", "a`b"));
    }

    #[test]
    fn others_are_left_alone() {
        for statement in [
            "BEGIN",
            "ALTER TABLE outbox_old ADD c INT",
            "ALTER TABLE _outbox_gho ADD c INT",
            "CREATE INDEX i ON outbox (a)",
            "CREATE /* a table */ INDEX i ON outbox (a)",
            "CREATE TEMPORARY TABLE outbox (a INT)",
            "DROP /*!40005 TEMPORARY */ TABLE IF EXISTS `outbox`",
            "CREATE DEFINER=`r`@`%` TRIGGER t BEFORE INSERT ON outbox FOR EACH ROW SET @a = 1",
            "CREATE OR REPLACE VIEW v AS SELECT * FROM outbox",
            "TRUNCATE TABLE outbox",
            "ANALYZE TABLE outbox",
            "GRANT SELECT ON ob.outbox TO u",
            "DELETE FROM outbox",
            "DROP DATABASE outbox",
            "",
        ] {
            assert!(!touches(statement, "outbox"), "{statement}");
        }
        let elsewhere = Alteration::read(b"x", b"ALTER TABLE outbox ADD c INT").unwrap();
        assert!(!elsewhere.touches("ob", "outbox"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(alteration) = Alteration::read(b"a", &bytes) {
                alteration.touches("a", "b");
            }
        }
    }
}
