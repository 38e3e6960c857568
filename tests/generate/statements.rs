use std::fmt::Write;

use super::table::Table;
use crate::support::Random;

/// Texts as the table's literals have them, defaults and zero dates as they are, and a clock that stands still.
const SESSION: &str = "SET NAMES utf8mb4;\nSET SESSION sql_mode = '', time_zone = '+00:00', timestamp = 1700000000.123456;\n";

/// What runs before the connector starts, with rows for a snapshot.
pub(super) fn before(random: &mut Random, table: &Table, database: &str, rows: u64) -> String {
    let mut sql = format!("{SESSION}CREATE DATABASE {database};\nUSE {database};\n{}", table.ddl());
    sql.push_str("CREATE TABLE outbox_two LIKE outbox;\n");
    sql.push_str("CREATE TABLE noise (id INT PRIMARY KEY AUTO_INCREMENT, note TEXT);\n");
    for number in 0..rows {
        insert(&mut sql, random, table, &[1_000_000 + number]);
    }
    sql
}

/// Statements of a session and the numbers of the rows that are there.
struct Session<'a> {
    sql: String,
    table: &'a Table,
    next: u64,
    live: Vec<u64>,
}

/// What runs while the connector streams.
pub(super) fn input(random: &mut Random, table: &Table, database: &str, truncates: bool) -> String {
    let sql = format!("{SESSION}USE {database};\n");
    let mut session = Session { sql, table, next: 1, live: Vec::new() };
    session.insert(random, 3);
    for _ in 0..6 + random.below(10) {
        session.step(random);
    }
    if truncates {
        session.sql.push_str("TRUNCATE TABLE outbox;\n");
    }
    session.insert(random, 1);
    session.sql
}

fn insert(sql: &mut String, random: &mut Random, table: &Table, numbers: &[u64]) {
    let rows: Vec<String> = numbers.iter().map(|&number| table.row(random, number)).collect();
    writeln!(sql, "INSERT INTO outbox ({}) VALUES\n  {};", table.names(), rows.join(",\n  "))
        .unwrap();
}

impl Session<'_> {
    fn numbers(&mut self, count: u64) -> Vec<u64> {
        let numbers: Vec<u64> = (self.next..self.next + count).collect();
        self.next += count;
        numbers
    }

    fn insert(&mut self, random: &mut Random, count: u64) {
        let numbers = self.numbers(count);
        insert(&mut self.sql, random, self.table, &numbers);
        self.live.extend(numbers);
    }

    fn line(&mut self, statement: &str) {
        self.sql.push_str(statement);
        self.sql.push_str(";\n");
    }

    fn step(&mut self, random: &mut Random) {
        match random.below(14) {
            0..=2 => self.insert(random, 1),
            3 => {
                let count = 2 + random.below(4);
                self.insert(random, count);
            }
            4 => self.transaction(random),
            5 => self.rolled_back(random),
            6 => self.line("INSERT INTO noise (note) VALUES ('a'), ('b')"),
            7 => self.change(random),
            8 => self.rename(random),
            9 => self.session_option(random),
            10 => self.replace(random),
            11 if self.table.has_second => self.second(random),
            12 if random.chance(30) => self.alter(random),
            _ => self.delete(random),
        }
    }

    fn transaction(&mut self, random: &mut Random) {
        self.line("START TRANSACTION");
        self.insert(random, 1);
        self.line("INSERT INTO noise (note) VALUES ('c')");
        if random.chance(50) {
            self.line("SAVEPOINT s");
            let numbers = self.numbers(2);
            insert(&mut self.sql, random, self.table, &numbers);
            self.line("ROLLBACK TO SAVEPOINT s");
        }
        self.insert(random, 2);
        self.line("COMMIT");
    }

    fn rolled_back(&mut self, random: &mut Random) {
        self.line("START TRANSACTION");
        let numbers = self.numbers(2);
        insert(&mut self.sql, random, self.table, &numbers);
        self.line("ROLLBACK");
    }

    fn id(&self, number: u64) -> String {
        (self.table.id_sql)(number)
    }

    fn change(&mut self, random: &mut Random) {
        let id = self.id(*random.pick(&self.live));
        let name = self.table.id.name.clone();
        self.line(&format!("UPDATE outbox SET version = version + 1 WHERE `{name}` = {id}"));
    }

    /// An update of the primary key is an event of its own.
    fn rename(&mut self, random: &mut Random) {
        let at = usize::try_from(random.below(u64::try_from(self.live.len()).unwrap())).unwrap();
        let new = self.numbers(1)[0];
        let (old_id, new_id) = (self.id(self.live[at]), self.id(new));
        self.live[at] = new;
        let name = self.table.id.name.clone();
        self.line(&format!("UPDATE outbox SET `{name}` = {new_id} WHERE `{name}` = {old_id}"));
    }

    fn session_option(&mut self, random: &mut Random) {
        let options = [
            "SET SESSION binlog_transaction_compression = ON",
            "SET SESSION binlog_transaction_compression = OFF",
            "SET SESSION gtid_next = 'AUTOMATIC:tagged'",
            "SET SESSION gtid_next = 'AUTOMATIC'",
            "SET SESSION binlog_rows_query_log_events = ON",
            "SET SESSION time_zone = '+05:30'",
        ];
        let &option = random.pick(&options);
        self.line(option);
    }

    /// A row of the other outbox table.
    fn second(&mut self, random: &mut Random) {
        let number = self.numbers(1)[0];
        let (names, row) = (self.table.names(), self.table.row(random, number));
        self.line(&format!("INSERT INTO outbox_two ({names}) VALUES {row}"));
    }

    /// Another layout from here on.
    fn alter(&mut self, random: &mut Random) {
        self.next += 1;
        let column = format!("late{}", self.next);
        let place = if random.chance(50) { " FIRST" } else { "" };
        self.line(&format!("ALTER TABLE outbox ADD COLUMN {column} VARCHAR(9) DEFAULT 'x'{place}"));
    }

    fn replace(&mut self, random: &mut Random) {
        let number = *random.pick(&self.live);
        let row = self.table.row(random, number);
        let names = self.table.names();
        if random.chance(50) {
            self.line(&format!("REPLACE INTO outbox ({names}) VALUES {row}"));
        } else {
            let update = "ON DUPLICATE KEY UPDATE version = 9";
            self.line(&format!("INSERT INTO outbox ({names}) VALUES {row} {update}"));
        }
    }

    fn delete(&mut self, random: &mut Random) {
        if self.live.len() > 2 {
            let at =
                usize::try_from(random.below(u64::try_from(self.live.len()).unwrap())).unwrap();
            let number = self.live.remove(at);
            let id = self.id(number);
            let name = self.table.id.name.clone();
            self.line(&format!("DELETE FROM outbox WHERE `{name}` = {id}"));
        }
    }
}
