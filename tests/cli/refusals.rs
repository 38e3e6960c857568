use std::net::TcpListener;
use std::process::{Command, Stdio};

use super::{ENDED_MAX, run};
use crate::support::{MySqlServer, Outbox, Outflow, broker};

/// It has ended with this code and one message that has all these words, and nothing else went wrong.
#[track_caller]
fn assert_refused(code: i32, log: &str, expected: i32, words: &[&str]) {
    assert_eq!(code, expected, "exit code; log:\n{log}");
    for words in words {
        assert!(log.contains(words), "{words:?} is not in:\n{log}");
    }
    for words in ["panic", "backtrace", "Backtrace", "RUST_"] {
        assert!(!log.contains(words), "{words:?} is in:\n{log}");
    }
    let errors = log.lines().filter(|line| line.contains(" ERROR ") || line.starts_with("error:"));
    assert!(errors.count() <= 1, "more than one message:\n{log}");
}

/// A start on the outbox is refused.
#[track_caller]
fn refused(outbox: &Outbox, options: &[&str], expected: i32, words: &[&str]) {
    let mut all = vec!["--bootstrap-servers", &broker().bootstrap_servers];
    all.extend(options);
    let mut outflow = outbox.start_with(&all);
    let code = outflow.ended(ENDED_MAX);
    assert_refused(code, &outflow.log(), expected, words);
}

#[test]
fn a_wrong_configuration_is_refused_before_anything_is_opened() {
    let outbox = Outbox::new("config");
    let broken = outbox.scratch.write("broken.json", "{ \"name\": \"x\",\n  \"config\": {,} }");
    let (code, _, log) =
        run(&["run", broken.to_str().unwrap(), "--bootstrap-servers", "localhost:9092"]);
    assert_refused(code, &log, 2, &["broken.json", "line 2"]);
    let (code, _, log) = run(&["run", "/nonexistent/connector.json"]);
    assert_refused(code, &log, 2, &["/nonexistent/connector.json"]);
    let file = outbox.file();
    let (code, _, log) = run(&["run", file.to_str().unwrap()]);
    assert_refused(code, &log, 2, &["--bootstrap-servers", "OUTFLOW_BOOTSTRAP_SERVERS"]);
    // All problems at once.
    let wrong = [
        "--set",
        "database.port=many",
        "--set",
        "snapshot.mode=sometimes",
        "--set",
        "database.server.id=0",
    ];
    refused(
        &outbox,
        &wrong,
        2,
        &["3 problems", "database.port", "snapshot.mode", "database.server.id"],
    );
    let transform = ["--set", "transforms.outbox.type=org.example.Mystery"];
    refused(
        &outbox,
        &transform,
        2,
        &["org.example.Mystery", "io.debezium.transforms.outbox.EventRouter"],
    );
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let outbox = Outbox::new("options");
    refused(&outbox, &["--log", "nonsense"], 2, &["--log", "nonsense", "debug"]);
    for (lines, words) in [("admin=\n", "lacks"), ("=x\n", "lacks"), ("a=b\na=c\n", "twice")] {
        let users = outbox.scratch.write("users.properties", lines);
        refused(&outbox, &["--admin-users", users.to_str().unwrap()], 2, &["user=password", words]);
    }
    let certificate = outbox.scratch.write("certificate.pem", "none");
    refused(&outbox, &["--admin-certificate", certificate.to_str().unwrap()], 2, &["PEM"]);
    let worker = outbox.scratch.write("worker.json", "{\"a\": \"b\"}");
    refused(&outbox, &["--worker", worker.to_str().unwrap()], 2, &["worker", "JSON", "key=value"]);
    let login = [
        "--set",
        "producer.override.sasl.mechanism=PLAIN",
        "--set",
        "producer.override.security.protocol=SASL_SSL",
    ];
    refused(&outbox, &login, 2, &["producer.override.sasl.jaas.config", "missing"]);
}

#[test]
fn each_file_is_looked_at_and_what_nobody_reads_does_not_matter() {
    let outbox = Outbox::new("each-file");
    let file = outbox.file();
    let wrong = outbox.scratch.write("wrong.json", "{\"tasks.max\": [1]}");
    let files = ["/nonexistent/a.json", wrong.to_str().unwrap(), file.to_str().unwrap()];
    let (code, output, errors) = run(&[&["validate"], &files[..], &files[2..]].concat());
    assert_eq!(code, 2, "{errors}");
    assert!(output.contains("no problem found"), "{output}");
    for words in ["/nonexistent/a.json", "tasks.max", "already there"] {
        assert!(errors.contains(words), "{words:?} is not in:\n{errors}");
    }
    let (code, _, errors) = run(&["offsets", "show", files[1]]);
    assert_eq!(code, 2, "{errors}");
    let mut unread = Command::new(env!("CARGO_BIN_EXE_outflow"))
        .args(["validate", files[2]])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(unread.stdout.take());
    assert_eq!(unread.wait().unwrap().code(), Some(0));
}

#[test]
fn two_connectors_with_one_name_or_one_server_id_are_refused() {
    let one = Outbox::new("beside-one");
    let id = one.config["database.server.id"].as_str().unwrap().to_owned();
    let two = Outbox::new("beside-two").with("database.server.id", &id);
    let file = |outbox: &Outbox| outbox.file().to_str().unwrap().to_owned();
    refused(&one, &[&file(&two)], 2, &["database.server.id", &id, &one.schema]);
    refused(&one, &[&file(&one)], 2, &["already there", &one.schema]);
}

#[test]
fn an_account_that_may_not_is_told_what_it_needs() {
    let outbox = Outbox::new("account");
    refused(&outbox, &["--set", "database.password=wrong"], 1, &["debezium", "database.password"]);
    let mut sql = outbox.sql();
    let user = format!("u{}", outbox.unique());
    sql.run(&format!(
        "CREATE USER {user}@'%' IDENTIFIED BY 'pw'; GRANT SELECT ON {}.* TO {user}@'%'",
        outbox.schema
    ));
    let account = [format!("database.user={user}"), "database.password=pw".to_owned()];
    let account = ["--set", &account[0], "--set", &account[1]];
    let named = format!("'{user}'@'%'");
    refused(&outbox, &account, 1, &["GRANT", "REPLICATION SLAVE", "REPLICATION CLIENT", &named]);
    sql.run(&format!("GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO {user}@'%'"));
    sql.run(&format!("REVOKE SELECT ON {}.* FROM {user}@'%'", outbox.schema));
    refused(&outbox, &account, 1, &["GRANT SELECT", "table.include.list"]);
    sql.run(&format!("DROP USER {user}@'%'"));
}

#[test]
fn a_table_that_is_not_there_is_named_with_its_like() {
    let outbox = Outbox::new("table");
    let wrong = format!("table.include.list={}.outbux", outbox.schema);
    let like = format!("{}.outbox", outbox.schema);
    refused(&outbox, &["--set", &wrong], 1, &["table.include.list", &like]);
    let column = ["--set", "transforms.outbox.table.field.event.payload=body"];
    refused(&outbox, &column, 1, &["table.field.event.payload", "body", &like]);
}

#[test]
fn a_server_without_row_events_is_refused() {
    let server = MySqlServer::started("mysql:statements");
    let outbox = Outbox::on("statements", server, broker().clone());
    let mut sql = outbox.sql();
    sql.run("SET GLOBAL binlog_format = 'STATEMENT'");
    refused(&outbox, &[], 1, &["binlog_format", "STATEMENT", "SET PERSIST binlog_format = 'ROW'"]);
    sql.run("SET GLOBAL binlog_format = 'ROW'; SET GLOBAL binlog_row_image = 'MINIMAL'");
    refused(&outbox, &[], 1, &["binlog_row_image", "SET PERSIST binlog_row_image = 'FULL'"]);
    sql.run("SET GLOBAL binlog_row_image = 'FULL'");
    outbox.catch_up();
}

#[test]
fn a_port_in_use_and_a_folder_that_cannot_be_used_are_named() {
    let outbox = Outbox::new("places");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (file, data) = (outbox.file(), outbox.scratch.path("data"));
    let (file, data) = (file.to_str().unwrap(), data.to_str().unwrap());
    let servers = ["--bootstrap-servers", &broker().bootstrap_servers];
    let (code, _, log) =
        run(&["run", file, "--data-dir", data, "--listen", &address, servers[0], servers[1]]);
    assert_refused(code, &log, 1, &[&address, "--listen"]);
    // Below a file there is no folder, whoever asks.
    let below = format!("{file}/data");
    let (code, _, log) = run(&[
        "run",
        file,
        "--data-dir",
        &below,
        "--listen",
        "127.0.0.1:0",
        servers[0],
        servers[1],
    ]);
    assert_refused(code, &log, 1, &[&below, "--data-dir"]);
}

#[test]
fn a_second_process_on_one_folder_is_refused_and_the_first_goes_on() {
    let outbox = Outbox::new("second");
    let first = outbox.start().ready();
    let file = outbox.file();
    let data = outbox.scratch.path("data");
    let options = ["--data-dir", data.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let mut arguments = vec![
        "run",
        file.to_str().unwrap(),
        "--bootstrap-servers",
        &outbox.broker.bootstrap_servers,
    ];
    arguments.extend(options);
    let (code, _, log) = run(&arguments);
    assert_refused(code, &log, 1, &[data.to_str().unwrap(), "in use", "--data-dir"]);
    outbox.sql().run(&Outbox::insert(1..11, 2));
    outbox.follow().until(10, ENDED_MAX);
    assert_eq!(Outflow::stop(first), 0);
}
