//! What is large: rows of other tables, payloads, transactions. Memory stays small and nothing is lost.

use std::time::Duration;

use crate::support::{Kafka, MySqlServer, Outbox, broker};

/// Until everything is on the topic, on a busy machine.
const PUBLISHED_MAX: Duration = Duration::from_secs(900);
/// What the program may take besides what it makes of the largest captured row: the row, its record, and the record
/// that the producer holds. 64 MiB, of which a release's own file is 14.
const RESIDENT_MAX: u64 = 50 << 20;

/// On a server of its own: others would read all of it.
fn outbox(name: &str) -> Outbox {
    Outbox::on(name, MySqlServer::started("mysql:large"), broker().clone())
}

#[test]
fn a_row_of_another_table_larger_than_any_packet_is_passed_over() {
    let outbox = outbox("large-foreign");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start().ready();
    sql.run("CREATE TABLE large (a LONGBLOB, b LONGBLOB)");
    sql.run(&Outbox::insert(1..11, 3));
    sql.run("INSERT INTO large VALUES (REPEAT('x', 40 << 20), REPEAT('y', 40 << 20))");
    sql.run(&Outbox::insert(11..21, 3));
    followed.until(20, PUBLISHED_MAX);
    let peak = outflow.resident_peak();
    assert!(peak < RESIDENT_MAX, "{peak} bytes for a row that nobody asked for");
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

/// A payload of 60 MiB arrives between small ones, in memory for two of it.
#[track_caller]
fn is_published_in_little_memory(outbox: Outbox, session: &str) {
    const PAYLOAD: u64 = 60 << 20;
    let outbox = outbox.with("producer.override.max.request.size", "100000000");
    Kafka::connect(&outbox.broker.bootstrap_servers).set(
        &outbox.topic,
        "max.message.bytes",
        "100000000",
    );
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start().ready();
    sql.run(session);
    sql.run(&Outbox::insert(1..11, 3));
    // Jackson takes no longer string than twenty million characters.
    let members =
        ["a", "b", "c", "d"].map(|name| format!("'{name}', REPEAT('{name}', {})", PAYLOAD / 4));
    let payload = members.join(", ");
    sql.run(&format!(
        "INSERT INTO outbox VALUES (11, 'Order', 'key-1', 'T', JSON_OBJECT({payload}))"
    ));
    sql.run(&Outbox::insert(12..21, 3));
    followed.until(20, PUBLISHED_MAX);
    let peak = outflow.resident_peak();
    eprintln!("{}: {} MiB resident for a payload of 60 MiB", outbox.schema, peak >> 20);
    assert!(peak < RESIDENT_MAX + 2 * PAYLOAD, "{peak} bytes for a payload of 60 MiB");
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

#[test]
fn a_payload_of_sixty_mebibytes_is_published() {
    is_published_in_little_memory(outbox("large-payload"), "DO 0");
}

#[test]
fn a_payload_of_sixty_mebibytes_in_a_compressed_transaction_is_published() {
    let outbox = outbox("large-compressed").with("producer.override.compression.type", "zstd");
    is_published_in_little_memory(outbox, "SET SESSION binlog_transaction_compression = ON");
}

#[test]
fn a_payload_of_sixty_mebibytes_is_expanded() {
    let outbox = outbox("large-expanded")
        .with("transforms.outbox.table.expand.json.payload", "true")
        .with("value.converter", "org.apache.kafka.connect.json.JsonConverter")
        .with("value.converter.schemas.enable", "false");
    is_published_in_little_memory(outbox, "DO 0");
}

#[test]
fn two_million_rows_in_one_transaction_take_little_memory() {
    const ROWS: u64 = 2_000_000;
    let outbox = outbox("large-transaction");
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start().ready();
    sql.run(&format!(
        "SET SESSION cte_max_recursion_depth = {ROWS};
         INSERT INTO outbox WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < {ROWS})
           SELECT id, 'Order', CONCAT('key-', id % 100), 'T', JSON_OBJECT('n', id) FROM n"
    ));
    followed.until(usize::try_from(ROWS).unwrap(), PUBLISHED_MAX);
    let peak = outflow.resident_peak();
    assert!(peak < RESIDENT_MAX, "{peak} bytes for rows of a hundred bytes each");
    assert_eq!(outflow.stop(), 0);
    outbox.catch_up();
    let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
    let ends = kafka.ends(|name| name == outbox.topic);
    let records: i64 = ends.values().sum();
    assert_eq!(u64::try_from(records).unwrap(), ROWS, "as many records as rows");
    eprintln!("{} MiB resident for {ROWS} rows in one transaction", peak >> 20);
}
