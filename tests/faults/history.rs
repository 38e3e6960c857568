//! Servers that change their ways or lose their history.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::support::{MySql, MySqlServer, Outbox, broker};

/// Until rows are on the topic, or the program has ended.
const SEEN_MAX: Duration = Duration::from_secs(60);
/// One test at a time has the server.
static SERVER: Mutex<()> = Mutex::new(());

fn with_server(name: &str, test: impl FnOnce(&Outbox)) {
    let _alone = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    let server = MySqlServer::fresh("mysql:history", &[]);
    test(&Outbox::on(name, server, broker().clone()));
}

fn switch(sql: &mut MySql, modes: &[&str]) {
    for mode in modes {
        sql.run(&format!("SET GLOBAL gtid_mode = {mode}"));
    }
}

#[test]
fn gtids_may_be_switched_off_and_on() {
    with_server("gtids", |outbox| {
        let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
        let outflow = outbox.start().ready();
        sql.run(&Outbox::insert(1..11, 3));
        followed.until(10, SEEN_MAX);
        switch(&mut sql, &["ON_PERMISSIVE", "OFF_PERMISSIVE"]);
        sql.run(&Outbox::insert(11..21, 3));
        switch(&mut sql, &["OFF"]);
        sql.run(&Outbox::insert(21..31, 3));
        followed.until(30, SEEN_MAX);
        assert_eq!(outflow.stop(), 0);
        sql.run(&Outbox::insert(31..41, 3));
        let outflow = outbox.start().ready();
        followed.until(40, SEEN_MAX);
        switch(&mut sql, &["OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"]);
        sql.run(&Outbox::insert(41..51, 3));
        followed.until(50, SEEN_MAX);
        assert_eq!(outflow.stop(), 0);
        sql.run(&Outbox::insert(51..61, 3));
        outbox.catch_up();
        followed.compare_once(&mut sql);
    });
}

#[test]
fn a_server_that_lost_its_history_stops_it_and_the_position_stays() {
    with_server("rebuilt", |outbox| {
        let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
        let outflow = outbox.start().ready();
        sql.run(&Outbox::insert(1..11, 3));
        followed.until(10, SEEN_MAX);
        assert_eq!(outflow.stop(), 0);
        let stored = outbox.stored();
        sql.run("RESET BINARY LOGS AND GTIDS");
        sql.run(&Outbox::insert(11..21, 3));
        for _ in 0..2 {
            let mut outflow = outbox.start();
            assert_eq!(outflow.ended(SEEN_MAX), 1);
            let log = outflow.log();
            assert!(log.contains("lacks transactions that were read before"), "{log}");
        }
        assert_eq!(outbox.stored(), stored);
        sql.run("DELETE FROM outbox WHERE id > 10");
        followed.compare_once(&mut sql);
    });
}

#[test]
fn a_full_login_needs_no_tls_and_a_services_own_statements_are_none() {
    with_server("plain", |outbox| {
        let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
        sql.run(
            "CREATE TABLE mysql.rds_heartbeat2 (id INT PRIMARY KEY, value BIGINT);
             SET SESSION binlog_format = 'STATEMENT'",
        );
        let beat = "INSERT INTO mysql.rds_heartbeat2 (id, value) VALUES (1, 2) \
                    ON DUPLICATE KEY UPDATE value = 3";
        sql.run(&format!("{beat}; {beat}; SET SESSION binlog_format = 'ROW'"));
        // The server forgets who has logged in, so that a hash of the password does not do.
        sql.run("FLUSH PRIVILEGES");
        let outflow = outbox
            .start_with(&[
                "--bootstrap-servers",
                &outbox.broker.bootstrap_servers,
                "--set",
                "database.ssl.mode=disabled",
            ])
            .ready();
        sql.run(&format!("SET SESSION binlog_format = 'STATEMENT'; {beat}"));
        sql.run("SET SESSION binlog_format = 'ROW'");
        sql.run(&Outbox::insert(1..11, 3));
        followed.until(10, SEEN_MAX);
        assert_eq!(outflow.stop(), 0);
        followed.compare_once(&mut sql);
    });
}
