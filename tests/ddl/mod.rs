//! Layouts derived from statements, against what a real server makes of the same statements.
//!
//! `OUTFLOW_TEST_SEED` is the first table's seed, `OUTFLOW_TEST_CASE_COUNT` how many tables there are.

mod clauses;

use std::collections::HashMap;

use clauses::Table;
use outflow::decode::ddl::{Becomes, Collation, Known, Server, Session, Statement, TableName};
use outflow::decode::{ColumnLayout, TableLayout};

use crate::support::{MySql, Random, mysql};

/// As many tables as a run of all tests takes, and statements for each.
const TABLES: u64 = 12;
const STATEMENTS: usize = 20;
/// Of a hundred statements, those that may give an unknown layout.
const UNKNOWN_PERCENT_MAX: usize = 10;

/// The first table's seed, where none is given: what a run of all tests finds, the next one finds as well.
const FIRST: u64 = 1;

#[test]
fn a_derived_layout_is_what_the_server_says() {
    let first = Random::seed_or(FIRST);
    let tables = std::env::var("OUTFLOW_TEST_CASE_COUNT").ok();
    let tables = tables.map_or(TABLES, |count| count.parse().expect("a number"));
    let database = format!("t_ddl_{first}");
    let mut sql = mysql().connect();
    sql.run(&format!("CREATE DATABASE {database} COLLATE latin1_bin; USE {database}"));
    let mut compared = Compared::new(&mut sql, &database);
    for seed in first..first + tables {
        compared.one_table(&mut sql, seed);
    }
    sql.run(&format!("DROP DATABASE {database}"));
    let Compared { derived, unknown, refused, differences, .. } = compared;
    eprintln!("{derived} layouts derived, {unknown} unknown, {refused} statements refused");
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    assert!(derived > 0, "nothing was derived");
    assert!(unknown * 100 <= (derived + unknown) * UNKNOWN_PERCENT_MAX, "{unknown} are unknown");
}

struct Compared {
    database: String,
    server: Server,
    tables: HashMap<TableName, TableLayout>,
    derived: usize,
    unknown: usize,
    refused: usize,
    differences: Vec<String>,
}

impl Compared {
    fn new(sql: &mut MySql, database: &str) -> Self {
        let defaults = TableLayout {
            database: database.to_owned(),
            table: String::new(),
            columns: Vec::new(),
            primary_key: Vec::new(),
            collation: Some("latin1_bin".to_owned()),
        };
        Self {
            database: database.to_owned(),
            server: server(sql),
            tables: HashMap::from([(TableName::of_database(database), defaults)]),
            derived: 0,
            unknown: 0,
            refused: 0,
            differences: Vec::new(),
        }
    }

    fn one_table(&mut self, sql: &mut MySql, seed: u64) {
        let mut random = Random::seeded(seed);
        let name = format!("t{seed}");
        let mut create = clauses::create(&name, &mut random);
        while sql.try_run(&create).is_err() {
            self.refused += 1;
            create = clauses::create(&name, &mut random);
        }
        self.compare(sql, &create, seed);
        let mut done = 0;
        while done < STATEMENTS {
            let layout = read(sql, &self.database, &name).expect("the table is there");
            let columns = layout.columns.iter().map(|c| (c.name.clone(), c.column_type.clone()));
            let key = layout.primary_key.iter().map(|&at| layout.columns[at].name.clone());
            let table = Table { name: &name, columns: columns.collect(), key: key.collect() };
            let statement = table.statement(&mut random);
            if sql.try_run(&statement).is_err() {
                self.refused += 1;
                continue;
            }
            done += 1;
            self.compare(sql, &statement, seed);
        }
        sql.run(&format!("DROP TABLE {name}"));
    }

    /// Follows a statement that the server has run, and looks at each table that it names.
    fn compare(&mut self, sql: &mut MySql, text: &str, seed: u64) {
        let session = Session {
            database: self.database.clone(),
            client_collation: 255,
            explicit_timestamps: true,
            ..Session::default()
        };
        let statement = Statement::read(text.as_bytes(), session, &self.server);
        let statement = statement.unwrap_or_else(|| panic!("seed {seed}: not understood: {text}"));
        let known = |name: &TableName| match self.tables.get(name) {
            Some(layout) => Known::Table(layout),
            None => Known::Absent,
        };
        for (name, becomes) in statement.apply(&self.server, known) {
            let actual = read(sql, &name.database, &name.table);
            match becomes {
                Becomes::Unknown => {
                    self.unknown += 1;
                    eprintln!("seed {seed}: unknown: {text}");
                }
                Becomes::Absent => assert_eq!(actual, None, "seed {seed}: {text}"),
                Becomes::Table(derived) => {
                    self.derived += 1;
                    let there = actual.as_ref().expect("the table is there");
                    let found = difference(&shown(&derived), &shown(there));
                    let found = found.map(|found| format!("seed {seed}: {text}\n{found}"));
                    self.differences.extend(found);
                }
            }
            match actual {
                Some(layout) => self.tables.insert(name, layout),
                None => self.tables.remove(&name),
            };
        }
    }
}

/// A layout as text, line by line; of a default that is an expression only that it is one.
fn shown(layout: &TableLayout) -> Vec<String> {
    let mut lines = vec![format!("key {:?}, {:?}", layout.primary_key, layout.collation)];
    for column in &layout.columns {
        let mut column = column.clone();
        let now = column.default.as_ref().is_some_and(|text| text.starts_with("CURRENT"));
        if column.extra.contains("DEFAULT_GENERATED") && !now {
            column.default = Some("an expression".to_owned());
        }
        lines.push(format!("{column:?}"));
    }
    lines
}

/// The first lines that differ.
fn difference(derived: &[String], actual: &[String]) -> Option<String> {
    let lines = derived.len().max(actual.len());
    let line = |lines: &[String], at: usize| lines.get(at).cloned().unwrap_or_default();
    (0..lines)
        .map(|at| (line(derived, at), line(actual, at)))
        .find(|(derived, actual)| derived != actual)
        .map(|(derived, actual)| format!("derived: {derived}\nactual:  {actual}"))
}

fn server(sql: &mut MySql) -> Server {
    let version = sql.rows("SELECT VERSION()")[0][0].clone();
    let mut parts = version.split(['.', '-']).map(|part| part.parse().unwrap());
    let mut part = || parts.next().unwrap();
    let rows = sql.rows(
        "SELECT id, collation_name, character_set_name, is_default FROM information_schema.collations",
    );
    let collation = |row: &Vec<String>| Collation {
        id: row[0].parse().unwrap(),
        name: row[1].clone(),
        character_set: row[2].clone(),
        default: row[3] == "Yes",
    };
    Server {
        version: (part(), part(), part()),
        lower_case: false,
        collations: rows.iter().map(collation).collect(),
    }
}

/// What the server says of a table.
fn read(sql: &mut MySql, database: &str, table: &str) -> Option<TableLayout> {
    let of_table = format!("table_schema = '{database}' AND table_name = '{table}'");
    let collation = sql
        .rows(&format!("SELECT table_collation FROM information_schema.tables WHERE {of_table}"));
    let rows = sql.rows(&format!(
        "SELECT column_name, data_type, column_type, CONCAT('=', character_set_name), \
         CONCAT('=', collation_name), is_nullable, CONCAT('=', column_default), extra \
         FROM information_schema.columns WHERE {of_table} ORDER BY ordinal_position"
    ));
    let some = |text: &String| text.strip_prefix('=').map(str::to_owned);
    let column = |row: &Vec<String>| ColumnLayout {
        name: row[0].clone(),
        data_type: row[1].clone(),
        column_type: row[2].clone(),
        character_set: some(&row[3]),
        collation: some(&row[4]),
        nullable: row[5] == "YES",
        default: some(&row[6]),
        extra: row[7].clone(),
    };
    let columns: Vec<ColumnLayout> = rows.iter().map(column).collect();
    let key = sql.rows(&format!(
        "SELECT column_name FROM information_schema.statistics WHERE {of_table} \
         AND index_name = 'PRIMARY' ORDER BY seq_in_index"
    ));
    let at = |row: &Vec<String>| columns.iter().position(|column| column.name == row[0]).unwrap();
    let primary_key = key.iter().map(at).collect();
    Some(TableLayout {
        database: database.to_owned(),
        table: table.to_owned(),
        primary_key,
        columns,
        collation: Some(collation.first()?[0].clone()),
    })
}
