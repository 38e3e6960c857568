//! Tables, and rows in them, made inside the server: the log is written as fast as it can.

use std::fmt::Write;

use mysql_async::Value;

use crate::sql::Sql;

/// Bytes of the payload without its note.
const FRAME: u64 = 130;
/// Length of the text that notes are cut out of: far more than a compressor of a batch remembers.
const PROSE: usize = 512 << 10;

/// How rows are grouped into transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One half in transactions of one row, the other in transactions of 100.
    Mixed,
    /// One transaction a row.
    Singles,
    /// 100 rows a transaction, each by a statement of its own.
    Hundreds,
    /// Each outbox row beside 99 rows of another table, in one transaction.
    Busy,
}

/// What is in the log.
#[derive(Clone, Debug)]
pub(crate) struct Backlog {
    pub(crate) shape: Shape,
    pub(crate) rows: u64,
    /// Bytes of a payload as JSON text.
    pub(crate) payload: u64,
    /// Outbox tables, written in turn.
    pub(crate) tables: u64,
    pub(crate) keys: u64,
    /// Values of the column that may decide on the topic.
    pub(crate) topics: u64,
}

impl Backlog {
    pub(crate) fn new(shape: Shape, rows: u64, payload: u64) -> Self {
        Self { shape, rows, payload, tables: 1, keys: 1000, topics: 1 }
    }

    pub(crate) fn title(&self) -> String {
        let shape = match self.shape {
            Shape::Mixed => "half in transactions of 1 row, half of 100",
            Shape::Singles => "transactions of 1 row",
            Shape::Hundreds => "transactions of 100 rows",
            Shape::Busy => "transactions of 1 outbox row and 99 others",
        };
        format!("{} rows, {shape}, payloads of {} bytes", self.rows, self.payload)
    }

    /// The regular expression of the captured tables.
    pub(crate) fn tables_pattern(&self) -> &'static str {
        if self.tables == 1 { "bench.outbox_0" } else { "bench.outbox_.*" }
    }
}

/// Drops everything, the log included, and makes the tables.
pub(crate) fn make_tables(sql: &mut Sql, backlog: &Backlog) -> anyhow::Result<()> {
    sql.run("DROP DATABASE IF EXISTS bench")?;
    sql.run("RESET BINARY LOGS AND GTIDS")?;
    sql.run("CREATE DATABASE bench")?;
    sql.run("USE bench")?;
    for table in 0..backlog.tables {
        sql.run(&format!(
            "CREATE TABLE outbox_{table} (id BIGINT AUTO_INCREMENT PRIMARY KEY, aggregatetype VARCHAR(64) NOT NULL,
             aggregateid VARCHAR(64) NOT NULL, type VARCHAR(64) NOT NULL, payload JSON NOT NULL)"
        ))?;
    }
    sql.run(
        "CREATE TABLE orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, customer BIGINT NOT NULL,
         state VARCHAR(20) NOT NULL, note VARCHAR(255) NOT NULL)",
    )?;
    sql.run("CREATE TABLE numbers (n BIGINT PRIMARY KEY)")?;
    sql.run("INSERT INTO numbers VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9),(10)")?;
    sql.run("CREATE FUNCTION prose(i BIGINT, length INT) RETURNS TEXT NOT DETERMINISTIC NO SQL RETURN SUBSTRING(@prose, 1 + (i * 7919) MOD 450000, length)")?;
    sql.run(
        "CREATE FUNCTION payload(i BIGINT, note INT) RETURNS JSON NOT DETERMINISTIC NO SQL
         RETURN JSON_OBJECT('order_id', CONCAT('order-', i), 'user_id', CONCAT('user-', i MOD 1000), 'amount', 19.99,
         'currency', 'EUR', 'items', JSON_ARRAY(i, i + 1, i + 2), 'note', prose(i, note), 'paid', TRUE)",
    )?;
    sql.run(&filler(backlog))
}

/// A procedure that makes rows from `i` to before `last`, `per` of them a transaction.
fn filler(backlog: &Backlog) -> String {
    let note = backlog.payload.saturating_sub(FRAME);
    let insert = |table: u64| {
        format!(
            "INSERT INTO outbox_{table} (aggregatetype, aggregateid, type, payload) VALUES
             (CONCAT('t', i MOD {}), CONCAT('order-', i MOD {}), 'OrderCreated', payload(i, {note}));",
            backlog.topics, backlog.keys
        )
    };
    let mut work = String::new();
    if backlog.tables == 1 {
        work += &insert(0);
    } else {
        let _infallible = write!(work, "CASE i MOD {} ", backlog.tables);
        for table in 0..backlog.tables {
            let _infallible = write!(work, "WHEN {table} THEN {} ", insert(table));
        }
        work += "END CASE;";
    }
    if backlog.shape == Shape::Busy {
        let others = "INSERT INTO orders (customer, state, note) SELECT i + n, 'open', prose(i + n, 100) FROM numbers;";
        work = format!("START TRANSACTION; {work} {} COMMIT;", others.repeat(9));
    }
    format!(
        "CREATE PROCEDURE fill(i BIGINT, last BIGINT, per BIGINT) BEGIN WHILE i < last DO
         IF per > 1 AND i MOD per = 0 THEN START TRANSACTION; END IF;
         {work}
         SET i = i + 1;
         IF per > 1 AND i MOD per = 0 THEN COMMIT; END IF;
         END WHILE; COMMIT; END"
    )
}

/// Makes all rows.
pub(crate) fn fill(sql: &mut Sql, backlog: &Backlog) -> anyhow::Result<()> {
    fill_from(sql, backlog, 0)
}

/// Makes the rows behind the first so many, which are there.
pub(crate) fn fill_from(sql: &mut Sql, backlog: &Backlog, first: u64) -> anyhow::Result<()> {
    sql.execute("SET @prose = ?", vec![Value::Bytes(prose().into_bytes())])?;
    let rows = backlog.rows;
    match backlog.shape {
        Shape::Mixed => {
            sql.run(&format!("CALL fill(0, {}, 1)", rows / 2))?;
            sql.run(&format!("CALL fill({}, {rows}, 100)", rows / 2))
        }
        Shape::Hundreds => sql.run(&format!("CALL fill({first}, {rows}, 100)")),
        Shape::Singles | Shape::Busy => sql.run(&format!("CALL fill({first}, {rows}, 1)")),
    }
}

/// Words in no order, the same each time: text that compresses about as well as real text.
fn prose() -> String {
    const WORDS: [&str; 32] = [
        "order",
        "parcel",
        "the",
        "customer",
        "asks",
        "for",
        "delivery",
        "before",
        "noon",
        "with",
        "a",
        "gift",
        "card",
        "and",
        "no",
        "invoice",
        "please",
        "ring",
        "twice",
        "leave",
        "at",
        "door",
        "neighbour",
        "second",
        "floor",
        "express",
        "return",
        "label",
        "inside",
        "paid",
        "by",
        "voucher",
    ];
    let (mut text, mut state) = (String::with_capacity(PROSE + 32), 1_u64);
    while text.len() < PROSE {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = usize::try_from(state >> 59).ok().and_then(|index| WORDS.get(index));
        text += word.copied().unwrap_or_default();
        let _infallible = write!(text, " {} ", (state >> 40) % 1000);
    }
    text
}
