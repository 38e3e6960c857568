//! Two servers: what outflow does when the one that it reads is gone.

mod pair;

use std::time::Duration;

use pair::Pair;

use crate::support::{MySql, MySqlServer, Outbox, Proxy, Way};

/// Until rows that were committed are on the topic, on a busy machine.
const PUBLISHED_MAX: Duration = Duration::from_secs(60);
/// Until outflow has said what it found.
const SAID_MAX: Duration = Duration::from_secs(60);
/// Rows of the transaction during which the source dies.
const LARGE: u64 = 20_000;

#[test]
fn it_goes_on_by_gtid_at_a_promoted_replica() {
    let pair = Pair::new(&[]).replicating();
    let mut outbox = pair.outbox("promoted");
    let mut followed = outbox.follow();
    let mut sql = outbox.sql();
    let outflow = outbox.start().ready();
    for first in (1..2_001).step_by(20) {
        sql.run(&Outbox::insert(first..first + 20, 7));
    }
    // The source dies while outflow reads, with nothing that the replica lacks.
    sql.run("START TRANSACTION");
    for first in (2_001..2_001 + LARGE).step_by(1_000) {
        sql.run(&Outbox::insert(first..first + 1_000, 7));
    }
    sql.run("COMMIT");
    pair.replica.until_replicated(&pair.source);
    pair.source.kill();
    drop(sql);
    let mut sql = pair.promote(&mut outbox);
    let mut next = 2_001 + LARGE;
    sql.run(&Outbox::insert(next..next + 500, 7));
    next += 500;
    followed.until(usize::try_from(next - 1).unwrap(), PUBLISHED_MAX);

    // The old source comes back with what it had: it lacks what was read since.
    pair.source.start();
    assert_eq!(outflow.stop(), 0);
    let mut outflow = outbox.start().ready();
    outflow.logs("the server lacks transactions that were read before", SAID_MAX);
    sql.run(&Outbox::insert(next..next + 500, 7));
    next += 500;
    followed.until(usize::try_from(next - 1).unwrap(), PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    // Another server may log a transaction in other events, so the one in progress began anew.
    let repeats = followed.compare(&mut outbox.sql());
    eprintln!("{} events repeated", repeats.len());
    assert!(repeats.iter().all(|repeat| (2_001..2_001 + LARGE).contains(&repeat.id)));
}

#[test]
fn an_address_that_leads_to_another_server_is_noticed() {
    let (pair, way) = (Pair::new(&[]).replicating(), Proxy::open());
    let outbox = pair.outbox_behind("led-elsewhere", &way);
    let mut followed = outbox.follow();
    let mut outflow = outbox.start().ready();
    // More than what is on the way fits into: it is left inside the transaction.
    outbox.sql().run(&format!(
        "SET SESSION cte_max_recursion_depth = {LARGE};
         INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload)
         WITH RECURSIVE ids AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM ids WHERE id < {LARGE})
         SELECT id, 'Order', CONCAT('key-', id % 7), 'T', JSON_OBJECT('filler', REPEAT('f', 2000)) FROM ids"
    ));
    followed.until(1, PUBLISHED_MAX);
    way.set(Way::Hung);
    pair.replica.until_replicated(&pair.source);
    pair.source.kill();
    pair.replica.promote();
    pair.lead_to_replica(&way);
    way.set(Way::Open);
    let mut sql = outbox.sql();
    sql.run(&Outbox::insert(LARGE + 1..LARGE + 501, 7));
    followed.until(usize::try_from(LARGE + 500).unwrap(), PUBLISHED_MAX);
    outflow.logs("it may log a transaction in other events", SAID_MAX);
    assert_eq!(outflow.stop(), 0);
    let repeats = followed.compare(&mut sql);
    eprintln!("{} events repeated", repeats.len());
    assert!(repeats.iter().all(|repeat| repeat.id <= LARGE));
}

#[test]
fn a_replica_that_is_behind_is_used_once_it_has_caught_up() {
    let pair = Pair::new(&[]).replicating();
    let mut outbox = pair.outbox("lagging");
    let mut followed = outbox.follow();
    let mut sql = outbox.sql();
    let mut outflow = outbox.start().ready();
    sql.run(&Outbox::insert(1..101, 7));
    pair.replica.until_replicated(&pair.source);
    pair.replica.connect().run("STOP REPLICA SQL_THREAD");
    sql.run(&Outbox::insert(101..201, 7));
    followed.until(200, PUBLISHED_MAX);
    pair.replica.until_received(&pair.source);
    pair.source.kill();
    drop(sql);
    outflow.logs("the server is a replica that is behind", SAID_MAX);
    assert_eq!(outflow.get("/readyz").map(|(status, _)| status), Some(503));
    pair.replica.connect().run("START REPLICA SQL_THREAD");
    let mut outflow = outflow.ready();
    assert_eq!(outflow.exit_code(), None);
    let mut sql = pair.promote(&mut outbox);
    sql.run(&Outbox::insert(201..301, 7));
    followed.until(300, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

#[test]
fn a_replica_whose_log_lacks_what_it_replicates_is_refused_with_the_cure() {
    let pair = Pair::new(&["--log-replica-updates=OFF"]).replicating();
    let mut outbox = pair.outbox("silent");
    pair.replica.until_replicated(&pair.source);
    outbox.server = pair.replica.clone();
    let outbox = outbox.with("database.hostname", &pair.replica.host);
    let mut outflow = outbox.start();
    assert_eq!(outflow.ended(SAID_MAX), 1);
    let log = outflow.log();
    assert!(log.contains("log_replica_updates off"), "{log}");
    assert!(log.contains("start mysqld with --log-replica-updates"), "{log}");
}

#[test]
fn without_gtids_another_server_is_never_read() {
    let pair = Pair::new(&["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"]);
    let outbox = pair.outbox("by-position");
    let (mut here, mut there) = (outbox.sql(), outbox_there(&outbox, &pair.replica));
    let mut followed = outbox.follow();
    let mut outflow = outbox.start().ready();
    here.run(&Outbox::insert(1..101, 7));
    followed.until(100, PUBLISHED_MAX);
    pair.source.kill();
    drop(here);
    there.run(&Outbox::insert(1_001..1_101, 7));
    outflow.logs("the server is another one", SAID_MAX);
    pair.source.start();
    let outflow = outflow.ready();
    let mut here = outbox.sql();
    here.run(&Outbox::insert(101..201, 7));
    followed.until(200, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut here);
}

#[test]
fn without_gtids_an_address_that_leads_to_another_server_stops_it() {
    let way = Proxy::open();
    let pair = Pair::new(&["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"]);
    let outbox = pair.outbox_behind("led-by-position", &way);
    outbox_there(&outbox, &pair.replica).run(&Outbox::insert(1_001..1_101, 7));
    let mut followed = outbox.follow();
    let mut outflow = outbox.start().ready();
    outbox.sql().run(&Outbox::insert(1..101, 7));
    followed.until(100, PUBLISHED_MAX);
    pair.lead_to_replica(&way);
    assert_eq!(outflow.ended(SAID_MAX), 1);
    assert!(outflow.log().contains("the server is another one"), "{}", outflow.log());
    way.lead_to(pair.source.port);
    let outflow = outbox.start().ready();
    let mut sql = outbox.sql();
    sql.run(&Outbox::insert(101..201, 7));
    followed.until(200, PUBLISHED_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

/// A session in the same database on another server, for rows that nobody asked for.
fn outbox_there(outbox: &Outbox, server: &MySqlServer) -> MySql {
    let (mut here, mut there) = (outbox.sql(), server.connect());
    let table = here.rows("SHOW CREATE TABLE outbox").remove(0).remove(1);
    there.run(&format!("CREATE DATABASE {0}; USE {0}; {table}", outbox.schema));
    there
}
