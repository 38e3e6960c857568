use super::column::{Column, Kind};
use super::document;
use super::literal::text;
use crate::support::Random;

/// What the payload column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Payload {
    /// JSON documents, or texts of such.
    Document,
    /// BLOB or BINARY.
    Bytes,
    /// A number, by the name of the converter for it.
    Number(&'static str),
    /// Any other text.
    Text,
}

/// What the key column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Text,
    Number(&'static str),
    Decimal,
    Bytes,
}

/// A random outbox table.
pub(super) struct Table {
    pub(super) id: Column,
    /// Makes the id of a row's number.
    pub(super) id_sql: fn(u64) -> String,
    pub(super) route: Column,
    pub(super) key: Column,
    pub(super) key_kind: Key,
    pub(super) payload: Column,
    pub(super) payload_kind: Payload,
    /// A DATETIME for the record's timestamp, which is never NULL or never before 1971.
    pub(super) timestamp: Column,
    /// Numbers of partitions.
    pub(super) partition: Column,
    /// An INT for the envelope's version.
    pub(super) version: Column,
    pub(super) extras: Vec<Column>,
    pub(super) clustered_last: bool,
    /// Whether the other outbox table has rows.
    pub(super) has_second: bool,
}

/// Values of the route column: what a topic's name may hold.
const ROUTES: [&str; 7] = ["Order", "User", "order-1", "a.b", "x_y", "Customer", "U"];

impl Table {
    /// With `expands` the documents are such that a struct can be made of them.
    pub(super) fn any(random: &mut Random, expands: bool, converts_all: bool) -> Self {
        let (id, id_sql) = id(random);
        let route_values: Vec<String> = ROUTES.iter().map(|route| text(route)).collect();
        let route_name = *random.pick(&["aggregatetype", "aggregatetype", "topic", "kind"]);
        let (key, key_kind) = key(random);
        let (payload, payload_kind) = payload(random, expands);
        let digits = random.below(7);
        let mut timestamp = Column::new(
            "occurredat",
            &format!("DATETIME({digits})"),
            owned(&[
                "'2024-02-29 12:34:56.789654'",
                "'1971-01-01 00:00:00'",
                "'2025-12-31 23:59:59.999999'",
            ]),
        );
        timestamp.nullable = random.chance(40);
        let mut partition = Column::new("part", "INT", owned(&["0", "1", "2"]));
        // Without key and partition any partition is right.
        partition.nullable = random.chance(30) && !key.nullable;
        let mut version = Column::new("version", "INT", owned(&["1", "2", "7"]));
        version.nullable = random.chance(50);
        let mut extras = extras(random);
        for column in &mut extras {
            // A value without a form in a NOT NULL column, whose default has none either, ends Debezium's task.
            column.nullable |=
                column.is_temporal() && !converts_all && !column.default_has_a_form();
        }
        Self {
            id,
            id_sql,
            route: Column::new(route_name, "VARCHAR(80)", route_values),
            key,
            key_kind,
            payload,
            payload_kind,
            timestamp,
            partition,
            version,
            extras,
            clustered_last: random.chance(20),
            has_second: true,
        }
    }

    /// All columns in the table's order.
    pub(super) fn columns(&self) -> Vec<&Column> {
        let mut columns = vec![
            &self.route,
            &self.key,
            &self.payload,
            &self.timestamp,
            &self.partition,
            &self.version,
        ];
        let at = if self.clustered_last { columns.len() } else { 0 };
        columns.insert(at, &self.id);
        columns.extend(&self.extras);
        columns
    }

    /// CREATE TABLE.
    pub(super) fn ddl(&self) -> String {
        let mut lines: Vec<String> = self.columns().iter().map(|column| column.ddl()).collect();
        lines.push(format!("PRIMARY KEY (`{}`)", self.id.name));
        format!("CREATE TABLE outbox (\n  {}\n);\n", lines.join(",\n  "))
    }

    /// A row, in the order of the names.
    pub(super) fn row(&self, random: &mut Random, number: u64) -> String {
        let values: Vec<String> = self
            .written()
            .iter()
            .map(|column| {
                let is_id = column.name == self.id.name;
                if is_id { (self.id_sql)(number) } else { column.value(random) }
            })
            .collect();
        format!("({})", values.join(", "))
    }

    /// The names of the columns that a row gives.
    pub(super) fn names(&self) -> String {
        let names: Vec<String> =
            self.written().iter().map(|column| format!("`{}`", column.name)).collect();
        names.join(", ")
    }

    fn written(&self) -> Vec<&Column> {
        self.columns().into_iter().filter(|column| column.generated.is_none()).collect()
    }
}

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|&value| value.to_owned()).collect()
}

fn id(random: &mut Random) -> (Column, fn(u64) -> String) {
    let name = *random.pick(&["id", "id", "eventid"]);
    let (definition, sql): (&str, fn(u64) -> String) = match random.below(6) {
        0 => ("BINARY(16)", |number| format!("UNHEX(LPAD(HEX({number}), 32, 'A1'))")),
        1 => ("BIGINT", |number| format!("{}", number * 1_000_000_007)),
        2 => ("INT UNSIGNED", |number| format!("{}", 4_294_967_295 - number)),
        3 => ("VARCHAR(64) CHARACTER SET latin1", |number| format!("'é-{number}'")),
        4 => ("DECIMAL(20,0)", |number| format!("{}", 10_000_000_000_000_000_000 + number)),
        _ => ("CHAR(36)", |number| format!("'00000000-0000-4000-8000-{number:012}'")),
    };
    (Column::new(name, definition, Vec::new()), sql)
}

fn key(random: &mut Random) -> (Column, Key) {
    let name = *random.pick(&["aggregateid", "aggregateid", "akey"]);
    if random.chance(15) {
        return (plain(random, name), Key::Text);
    }
    let (definition, kind, values): (&str, Key, &[&str]) = match random.below(8) {
        0 => ("INT", Key::Number("Integer"), &["1", "-1", "2147483647", "0"]),
        1 => ("BIGINT", Key::Number("Long"), &["1", "-9223372036854775808", "0", "77"]),
        2 => ("SMALLINT", Key::Number("Short"), &["1", "-32768", "0"]),
        3 => ("DECIMAL(20,4)", Key::Decimal, &["1.5", "-9999999999999999.9999", "0", "12.3400"]),
        4 => ("BINARY(8)", Key::Bytes, &["'ab'", "X'FF00FF'", "''"]),
        5 => ("VARBINARY(20)", Key::Bytes, &["'ab'", "X'FF00FF'", "''"]),
        6 => ("CHAR(20) CHARACTER SET latin1", Key::Text, &["'é'", "'k1'", "'pad  '", "''"]),
        _ => ("VARCHAR(100)", Key::Text, &["'k1'", "'😀'", "'with \"quotes\"'", "''", "'k2'"]),
    };
    let mut column = Column::new(name, definition, owned(values));
    column.nullable = random.chance(30);
    column.default = random.chance(20).then(|| column.values[0].clone());
    (column, kind)
}

/// A column of any type with a text of its own under every converter.
fn plain(random: &mut Random, name: &str) -> Column {
    loop {
        let mut column = Column::any(random, name);
        if column.kind == Kind::Plain {
            column.nullable |= column.is_temporal();
            return column;
        }
    }
}

/// Types of numbers and the converters for them.
const NUMBERS: [(&str, &str); 6] = [
    ("INT", "Integer"),
    ("BIGINT", "Long"),
    ("TINYINT", "Short"),
    ("DOUBLE", "Double"),
    ("FLOAT", "Float"),
    ("BIT(1)", "Boolean"),
];

fn payload(random: &mut Random, expands: bool) -> (Column, Payload) {
    let name = *random.pick(&["payload", "payload", "body"]);
    if random.chance(15) {
        return (plain(random, name), Payload::Text);
    }
    let documents = |random: &mut Random| -> Vec<String> {
        (0..8)
            .map(|_| if expands { document::expandable(random) } else { document::any(random) })
            .collect()
    };
    let (definition, kind, values) = match random.below(10) {
        0 => (
            *random.pick(&["TEXT", "LONGTEXT", "VARCHAR(2000)"]),
            Payload::Document,
            (0..8).map(|_| document::nearly(random)).collect(),
        ),
        1 => ("TEXT CHARACTER SET utf16", Payload::Text, owned(&["'plain'", "'😀'", "' '", "''"])),
        2 => (
            *random.pick(&["BLOB", "LONGBLOB", "BINARY(4)", "VARBINARY(60)"]),
            Payload::Bytes,
            owned(&["''", "'ab'", "X'00FF'"]),
        ),
        3 => {
            let &(number, converter) = random.pick(&NUMBERS);
            (number, Payload::Number(converter), owned(&["0", "1", "-128", "100"]))
        }
        _ => ("JSON", Payload::Document, documents(random)),
    };
    let mut column = Column::new(name, definition, values);
    column.nullable = random.chance(60);
    (column, kind)
}

fn extras(random: &mut Random) -> Vec<Column> {
    let mut extras: Vec<Column> = (0..2 + random.below(7))
        .map(|at| {
            let name = *random.pick(&["c", "c", "col_", "my-col", "Größe", "x.y"]);
            Column::any(random, &format!("{name}{at}"))
        })
        .collect();
    if random.chance(30) {
        let (definition, expression) = *random.pick(&[
            ("INT", "(1 + 2)"),
            ("VARCHAR(60)", "(CONCAT('v', version))"),
            ("BIGINT", "(part * 1000)"),
            ("DOUBLE", "(part / 8)"),
        ]);
        let mut column = Column::new("made", definition, Vec::new());
        let stored = if random.chance(50) { "STORED" } else { "VIRTUAL" };
        column.generated = Some(format!("{expression} {stored}"));
        column.nullable = true;
        column.kind = Kind::Plain;
        extras.push(column);
    }
    extras
}
