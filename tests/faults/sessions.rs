//! What sessions of others may do to the log and the connection: statements in place of rows, tables made from
//! tables, columns that are hidden, statements in other character sets, a clash of server ids.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use outflow::config::{Environment, Inputs, check};
use outflow::error::Remedy;
use outflow::offset::BinlogPosition;
use outflow::source::{DumpStart, Replica};
use uuid::Uuid;

use crate::support::{MySqlServer, Outbox, Outflow, Proxy, Way, broker, mysql, until, until_some};

/// Until rows are on the topic, or the program has ended.
const SEEN_MAX: Duration = Duration::from_secs(60);

/// Ends outflow, which names the outbox or its database.
#[track_caller]
fn ends_with_words(outflow: &mut Outflow, named: &str) {
    assert_eq!(outflow.ended(SEEN_MAX), 1);
    let log = outflow.log();
    assert!(log.contains("in statement format") && log.contains(named), "{log}");
}

#[test]
fn a_statement_in_place_of_rows_stops_it_before_it() {
    let outbox = Outbox::new("statement");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let other = Elsewhere::of(&outbox);
    let mut outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..11, 3));
    sql.run("SET SESSION binlog_format = 'STATEMENT'");
    sql.run(&format!("INSERT INTO {}.noise VALUES (1)", other.0));
    // What a tool does that compares a table with its replica's.
    sql.run(&format!(
        "REPLACE INTO {}.noise SELECT COUNT(*) FROM {}.outbox",
        other.0, outbox.schema
    ));
    sql.run(&format!("UPDATE {0}.noise SET id = id + 1; DELETE FROM {0}.noise", other.0));
    sql.run("SET SESSION binlog_format = 'ROW'");
    sql.run(&Outbox::insert(11..21, 3));
    followed.until(20, SEEN_MAX);
    sql.run("SET SESSION binlog_format = 'STATEMENT'");
    sql.run(&Outbox::insert(21..22, 3));
    ends_with_words(&mut outflow, &format!("{}.outbox", outbox.schema));
    // It stands before the statement, so it says the same again.
    ends_with_words(&mut outbox.start(), &format!("{}.outbox", outbox.schema));
    sql.run("DELETE FROM outbox WHERE id > 20");
    followed.compare_once(&mut sql);
}

/// A database without captured tables, and in it a table, `noise`.
struct Elsewhere(String);

impl Elsewhere {
    fn of(outbox: &Outbox) -> Self {
        let name = format!("{}_else", outbox.schema);
        outbox.sql().run(&format!("CREATE DATABASE {name}; CREATE TABLE {name}.noise (id INT)"));
        Self(name)
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        mysql().connect().run(&format!("DROP DATABASE {}", self.0));
    }
}

#[test]
fn a_statement_that_may_write_by_what_it_sets_off_stops_it_too() {
    let outbox = Outbox::new("statement-by-way");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let other = Elsewhere::of(&outbox);
    let (schema, elsewhere) = (&outbox.schema, &other.0);
    let insert =
        |id: &str| format!("INSERT INTO {schema}.outbox VALUES ({id}, 'Order', 'k', 'T', '{{}}')");
    sql.run(&format!(
        "CREATE TRIGGER {elsewhere}.t AFTER INSERT ON {elsewhere}.noise FOR EACH ROW {};
         CREATE VIEW {elsewhere}.v AS SELECT * FROM {schema}.outbox;
         CREATE FUNCTION {elsewhere}.f(x INT) RETURNS INT DETERMINISTIC BEGIN {}; RETURN x; END;
         CREATE FUNCTION g(x INT) RETURNS INT DETERMINISTIC BEGIN {}; RETURN x; END;
         CREATE TABLE {elsewhere}.calm (id INT);
         CREATE TABLE orders (id INT); SET SESSION binlog_format = 'STATEMENT'",
        insert("NEW.id"),
        insert("x"),
        insert("x"),
    ));
    for (number, statement) in [
        format!("INSERT INTO {elsewhere}.noise VALUES (101)"),
        format!("INSERT INTO {elsewhere}.v VALUES (102, 'Order', 'k', 'T', '{{}}')"),
        format!("/*!80000 {} */", insert("103")),
        format!("DO {elsewhere}.f(104)"),
        format!("INSERT INTO {elsewhere}.calm SELECT {schema}.g(105)"),
        "INSERT INTO orders VALUES (1)".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let mut outflow = outbox.start().ready();
        sql.run(statement);
        ends_with_words(&mut outflow, schema);
        // Passed over and counted where the file says so.
        let passing = outbox.start_with(&[
            "--bootstrap-servers",
            &outbox.broker.bootstrap_servers,
            "--set",
            "event.processing.failure.handling.mode=warn",
        ]);
        let passing = passing.ready();
        let id = u64::try_from(number).unwrap() + 1;
        sql.run("SET SESSION binlog_format = 'ROW'");
        sql.run(&Outbox::insert(id..id + 1, 3));
        sql.run("SET SESSION binlog_format = 'STATEMENT'");
        followed.until(number + 1, SEEN_MAX);
        let failed = format!("outbox_events_failed_total{{connector=\"{schema}\"}}");
        assert!(passing.metric(&failed) >= 1.0);
        assert_eq!(passing.stop(), 0);
    }
    sql.run("SET SESSION binlog_format = 'ROW'; DELETE FROM outbox WHERE id > 100");
    followed.compare_once(&mut sql);
}

#[test]
fn rows_loaded_from_a_file_as_a_statement_are_none() {
    let outbox = Outbox::new("load-data");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let file = outbox.scratch.write("rows.txt", "21\tOrder\tkey-1\tT\t{}\n");
    let readable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(outbox.scratch.path(""), readable).unwrap();
    let load = |table: &str| {
        let file = file.to_str().unwrap();
        format!(
            "SET SESSION binlog_format = 'STATEMENT'; LOAD DATA INFILE '{file}' INTO TABLE {table}"
        )
    };
    let mut outflow = outbox.start().ready();
    let other = Elsewhere::of(&outbox);
    sql.run(&format!("CREATE TABLE {}.loaded LIKE outbox", other.0));
    sql.run(&load(&format!("{}.loaded", other.0)));
    sql.run("SET SESSION binlog_format = 'ROW'");
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, SEEN_MAX);
    sql.run(&load("outbox"));
    ends_with_words(&mut outflow, &format!("{}.outbox", outbox.schema));
    sql.run("DELETE FROM outbox WHERE id > 20");
    followed.compare_once(&mut sql);
}

#[test]
fn a_captured_table_made_from_another_publishes_its_rows_once() {
    let outbox = Outbox::new("made-from");
    let tables = format!("{0}.outbox,{0}.made", outbox.schema);
    let outbox = outbox.with("table.include.list", &tables);
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    sql.run(&Outbox::insert(1..11, 3));
    let outflow = outbox.start().ready();
    sql.run("CREATE TABLE made AS SELECT * FROM outbox");
    followed.until(10, SEEN_MAX);
    sql.run(
        "INSERT INTO made SELECT id + 10, aggregatetype, aggregateid, type, payload FROM outbox",
    );
    followed.until(20, SEEN_MAX);
    assert_eq!(outflow.stop(), 0);
    outbox.catch_up();
    sql.run("TRUNCATE outbox; INSERT INTO outbox SELECT * FROM made; DROP TABLE made");
    sql.run("DELETE FROM outbox WHERE id > 20");
    followed.compare_once(&mut sql);
}

#[test]
fn hidden_columns_and_keys_shift_no_value() {
    let outbox = Outbox::on("hidden", MySqlServer::started("mysql:layouts"), broker().clone());
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    sql.run("SET GLOBAL show_gipk_in_create_table_and_information_schema = OFF");
    sql.run(
        "SET SESSION sql_generate_invisible_primary_key = ON; DROP TABLE outbox;
         CREATE TABLE outbox (secret VARCHAR(255) DEFAULT 's' INVISIBLE, id BIGINT UNSIGNED NOT NULL,
           aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON)",
    );
    let outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, SEEN_MAX);
    sql.run("ALTER TABLE outbox ADD COLUMN hidden VARCHAR(255) DEFAULT 'h' INVISIBLE AFTER id");
    sql.run(&Outbox::insert(11..21, 3));
    followed.until(20, SEEN_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

#[test]
fn what_other_tables_and_statements_hold_is_no_matter() {
    let outbox = Outbox::new("others");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start().ready();
    sql.run(
        "CREATE TABLE shapes (v VECTOR(3), g GEOMETRY, j JSON);
         INSERT INTO shapes VALUES (TO_VECTOR('[1,2,3]'), ST_GeomFromText('POINT(1 2)'), '{}');
         CREATE TABLE parent (id VARCHAR(255) PRIMARY KEY);
         INSERT INTO parent VALUES ('key-0'), ('key-1'), ('key-2'), ('key-9');
         ALTER TABLE outbox ADD FOREIGN KEY (aggregateid) REFERENCES parent (id) ON UPDATE CASCADE ON DELETE CASCADE",
    );
    sql.run(&Outbox::insert(1..11, 3));
    // The bytes of this comment are not UTF-8.
    sql.run("SET NAMES gbk");
    sql.run("CREATE TABLE told (a INT COMMENT '\u{c4}\u{e3}')");
    sql.run("SET NAMES utf8mb4");
    sql.run("UPDATE parent SET id = 'key-8' WHERE id = 'key-9'");
    sql.run("GRANT SELECT ON *.* TO debezium@'%'; FLUSH TABLES; ANALYZE TABLE outbox");
    sql.run(
        "CREATE PROCEDURE one() SELECT * FROM outbox FOR UPDATE SKIP LOCKED; DROP PROCEDURE one",
    );
    sql.run(&Outbox::insert(11..21, 3));
    followed.until(20, SEEN_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
    // A changed parent changes rows, and a change is no event.
    sql.run("INSERT INTO outbox VALUES (21, 'Order', 'key-8', 'T', '{}')");
    sql.run("UPDATE parent SET id = 'key-7' WHERE id = 'key-8'");
    outbox.catch_up();
    sql.run("UPDATE parent SET id = 'key-8' WHERE id = 'key-7'");
    outbox.catch_up();
    followed.compare_once(&mut sql);
}

#[test]
fn a_clash_of_server_ids_ends_the_one_that_is_thrown_out() {
    let first = Outbox::new("clash-first");
    let id = first.config["database.server.id"].as_str().unwrap().to_owned();
    let second = Outbox::new("clash-second").with("database.server.id", &id);
    let mut one = first.start().ready();
    let mut two = second.start();
    until("the end of one of them", SEEN_MAX, || {
        one.exit_code().is_some() || two.exit_code().is_some()
    });
    let ended = if one.exit_code().is_some() { &one } else { &two };
    assert!(ended.log().contains("database.server.id"), "no cure in:\n{}", ended.log());
}

#[test]
fn a_stop_while_a_server_id_is_waited_for_ends_well() {
    let first = Outbox::new("taken-first");
    let id = first.config["database.server.id"].as_str().unwrap().to_owned();
    let second = Outbox::new("taken-second").with("database.server.id", &id);
    let one = first.start().ready();
    let mut two = second.start();
    two.logs("admin port open", SEEN_MAX);
    assert!(two.get("/readyz").is_none_or(|(status, _)| status != 200));
    two.terminate();
    assert_eq!(two.ended(SEEN_MAX), 0);
    assert_eq!(one.stop(), 0);
}

#[test]
fn a_server_that_gives_up_before_the_login_is_tried_again() {
    for ssl_mode in ["required", "disabled"] {
        gives_up(ssl_mode);
    }
}

/// A server that was frozen greets and gives up in one breath; here both are held back until it has.
fn gives_up(ssl_mode: &str) {
    let way = Proxy::open();
    way.lead_to(mysql().port);
    let seen = MySqlServer { port: way.port, ..mysql().clone() };
    let outbox = Outbox::on("gives-up", seen, broker().clone()).with("database.ssl.mode", ssl_mode);
    let mut followed = outbox.follow();
    let file = std::fs::read_to_string(outbox.file()).unwrap();
    let bootstrap = Some(broker().bootstrap_servers.as_str());
    let inputs = Inputs { file: &file, bootstrap_servers: bootstrap, ..Inputs::default() };
    let config = check(&inputs, &Environment::from_iter([])).0.unwrap();

    way.set(Way::Hung);
    let mut outflow = outbox.start();
    let place = DumpStart::Position(BinlogPosition::default());
    let reader = std::thread::spawn(move || {
        Replica::connect(&config.source, "127.0.0.1", None, Uuid::now_v7(), &place)
    });
    let mut server = mysql().connect();
    let mut waiting = || {
        let query =
            "SELECT id FROM performance_schema.processlist WHERE user = 'unauthenticated user'";
        server.rows(query)
    };
    let held = until_some("two sessions that do not log in", SEEN_MAX, || {
        let mut sessions = waiting();
        std::thread::sleep(Duration::from_secs(1)); // Those of other tests log in.
        let later = waiting();
        sessions.retain(|session| later.contains(session));
        Some(sessions).filter(|sessions| sessions.len() >= 2)
    });
    until("their end", SEEN_MAX, || !waiting().iter().any(|session| held.contains(session)));
    way.set(Way::Open);
    let error = reader.join().unwrap().expect_err("the server gave up");
    assert!(error.to_string().contains("MySQL error 1159"), "{error}");
    assert_eq!(error.remedy(), Remedy::Retry);

    outflow.logs("trying again", SEEN_MAX);
    let outflow = outflow.ready();
    let mut sql = outbox.sql();
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, SEEN_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}
