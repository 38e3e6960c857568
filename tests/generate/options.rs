use serde_json::{Map, Value};

use super::column::{Column, Kind};
use super::table::{Key, Payload, Table};
use super::transforms;
use crate::support::Random;

/// What is decided before the table is made.
pub(super) struct Plan {
    pub(super) expands: bool,
    pub(super) snapshot_rows: u64,
    pub(super) truncates: bool,
    pub(super) envelope: bool,
    /// Some column is named as the record's timestamp.
    pub(super) timed: bool,
    pub(super) adjustment: &'static str,
    pub(super) binary_mode: &'static str,
    pub(super) time_mode: &'static str,
    /// `schemas.enable` of the value's JsonConverter.
    pub(super) schemas: bool,
}

impl Plan {
    pub(super) fn any(random: &mut Random) -> Self {
        let snapshot = random.chance(25);
        Self {
            expands: random.chance(35),
            snapshot_rows: if snapshot { 1 + random.below(6) } else { 0 },
            truncates: random.chance(10),
            envelope: random.chance(35),
            timed: random.chance(35),
            adjustment: *random.pick(&["none", "none", "none", "avro", "avro_unicode"]),
            binary_mode: *random.pick(&[
                "bytes",
                "bytes",
                "bytes",
                "base64",
                "base64-url-safe",
                "hex",
            ]),
            time_mode: *random.pick(&[
                "adaptive_time_microseconds",
                "adaptive_time_microseconds",
                "microseconds",
                "nanoseconds",
                "connect",
                "isostring",
            ]),
            schemas: random.chance(50),
        }
    }
}

/// The connector file's properties.
pub(super) struct Options<'a> {
    plan: &'a Plan,
    table: &'a Table,
    pub(super) properties: Map<String, Value>,
    value_prints_text: bool,
}

/// `connector.json` of a case.
pub(super) fn any(
    random: &mut Random,
    plan: &Plan,
    table: &Table,
    name: &str,
    database: &str,
) -> Value {
    let mut options = Options { plan, table, properties: Map::new(), value_prints_text: false };
    options.connection(name, database);
    options.modes(random);
    options.filters(random, database);
    options.converters(random);
    options.router(random);
    transforms::add(&mut options, random);
    serde_json::json!({ "name": name, "config": options.properties })
}

impl Options<'_> {
    pub(super) fn set(&mut self, property: &str, value: &str) {
        self.properties.insert(property.to_owned(), value.into());
    }

    /// Sets it to one of these in so many of a hundred.
    fn perhaps(&mut self, random: &mut Random, percent: u64, property: &str, values: &[&str]) {
        if random.chance(percent) {
            let &value = random.pick(values);
            self.set(property, value);
        }
    }

    fn connection(&mut self, name: &str, database: &str) {
        self.set("connector.class", "io.debezium.connector.mysql.MySqlConnector");
        self.set("tasks.max", "1");
        self.set("database.hostname", "mysql");
        self.set("database.port", "3306");
        self.set("database.user", "debezium");
        self.set("database.password", "dbz_pass");
        self.set("database.server.id", "200900");
        self.set("topic.prefix", name);
        self.set("database.include.list", database);
        self.set("include.schema.changes", "false");
        self.set("schema.history.internal.kafka.bootstrap.servers", "kafka:9092");
        self.set("schema.history.internal.kafka.topic", &format!("schema-{name}"));
    }

    fn modes(&mut self, random: &mut Random) {
        let snapshot = ["no_data", "initial", "when_needed"];
        let modes = if self.plan.snapshot_rows > 0 { &snapshot[1..] } else { &snapshot[..1] };
        let &mode = random.pick(modes);
        self.set("snapshot.mode", mode);
        self.set("extended.headers.enabled", if random.chance(15) { "true" } else { "false" });
        self.set("time.precision.mode", self.plan.time_mode);
        self.set("binary.handling.mode", self.plan.binary_mode);
        if self.plan.adjustment != "none" {
            self.set("field.name.adjustment.mode", self.plan.adjustment);
        }
        self.perhaps(random, 50, "decimal.handling.mode", &["precise", "double", "string"]);
        self.perhaps(random, 40, "bigint.unsigned.handling.mode", &["precise", "long"]);
        self.perhaps(random, 30, "enable.time.adjuster", &["false", "true"]);
        self.perhaps(random, 20, "event.converting.failure.handling.mode", &["skip", "warn"]);
        self.perhaps(
            random,
            20,
            "event.processing.failure.handling.mode",
            &["skip", "warn", "ignore"],
        );
        self.perhaps(random, 20, "tombstones.on.delete", &["false"]);
        self.perhaps(random, 10, "topic.delimiter", &["_", "-"]);
        self.perhaps(random, 10, "max.batch.size", &["1", "7"]);
        self.perhaps(random, 10, "poll.interval.ms", &["50"]);
        self.perhaps(random, 10, "gtid.source.filter.dml.events", &["false"]);
        self.perhaps(random, 10, "message.key.columns", &["x.y:id"]);
        if !self.plan.truncates {
            self.perhaps(random, 20, "skipped.operations", &["none", "d", "u", "u,d", "t,d"]);
            if self.properties.get("skipped.operations").is_some_and(|list| list == "none") {
                self.set("skipped.operations", "t");
            }
        }
        if random.chance(30) {
            self.set("converters", "flag");
            let package = random.pick(&["mysql", "binlog"]);
            self.set(
                "flag.type",
                &format!("io.debezium.connector.{package}.converters.TinyIntOneToBooleanConverter"),
            );
            self.perhaps(random, 50, "flag.selector", &[".*", ".*\\.outbox\\.c.*", ".*nothing"]);
            self.perhaps(random, 30, "flag.length.checker", &["false", "true"]);
        }
    }

    fn filters(&mut self, random: &mut Random, database: &str) {
        if random.chance(25) {
            self.set("table.exclude.list", &format!("{database}.noise"));
        } else {
            let patterns = [
                format!("{database}.outbox"),
                format!("{database}.outbox,{database}.outbox_two"),
                format!("{database}\\.out.*"),
                format!(" {} , nosuch", database.to_uppercase() + ".OUTBOX"),
            ];
            self.set("table.include.list", random.pick(&patterns).as_str());
        }
        if random.chance(10) {
            let rules = [
                "truncate.to.3.chars",
                "mask.with.4.chars",
                "mask.hash.SHA-256.with.salt.s",
                "mask.hash.v2.SHA-512.with.salt.s",
            ];
            let rule = random.pick(&rules);
            self.set(&format!("column.{rule}"), ".*\\.(c[0-9]|my-col.*|col_.*)");
        }
        if self.plan.snapshot_rows > 0 && random.chance(30) {
            self.set("snapshot.select.statement.overrides", &format!("{database}.outbox"));
            let select = format!("SELECT * FROM {database}.outbox WHERE part > 0");
            self.set(&format!("snapshot.select.statement.overrides.{database}.outbox"), &select);
        }
        if random.chance(15) {
            let excluded = [".*\\.version", ".*\\.nosuch"];
            // The version may be the envelope's; then it is not excluded.
            let pattern = if self.plan.envelope { excluded[1] } else { random.pick(&excluded) };
            self.set("column.exclude.list", pattern);
        }
    }

    fn converter(&mut self, prefix: &str, class: &str, random: &mut Random, schemas: bool) {
        self.set(prefix, class);
        if class.ends_with("JsonConverter") {
            self.json_options(random, prefix, schemas);
        }
        if class.ends_with("BinaryDataConverter") {
            let delegate = *random.pick(&[JSON, STRING]);
            let prefix = format!("{prefix}.delegate.converter.type");
            self.set(&prefix, delegate);
            if delegate == JSON {
                self.json_options(random, &prefix, schemas);
            }
        }
    }

    fn json_options(&mut self, random: &mut Random, prefix: &str, schemas: bool) {
        if !schemas || random.chance(50) {
            self.set(&format!("{prefix}.schemas.enable"), if schemas { "true" } else { "false" });
        }
        self.perhaps(random, 30, &format!("{prefix}.decimal.format"), &["NUMERIC", "BASE64"]);
        self.perhaps(random, 20, &format!("{prefix}.replace.null.with.default"), &["false"]);
    }

    fn converters(&mut self, random: &mut Random) {
        let bytes = self.plan.binary_mode == "bytes";
        let mut keys = vec![STRING.to_owned(), JSON.to_owned(), BINARY_DATA.to_owned()];
        match self.table.key_kind {
            Key::Bytes if bytes => keys.extend([BYTE_ARRAY.to_owned(), BYTE_ARRAY.to_owned()]),
            Key::Number(number) => keys.push(format!("{PACKAGE}.converters.{number}Converter")),
            Key::Bytes | Key::Text | Key::Decimal => {}
        }
        let schemas = random.chance(50);
        let key = random.pick(&keys).clone();
        self.converter("key.converter", &key, random, schemas);
        let mut values =
            vec![STRING.to_owned(), JSON.to_owned(), JSON.to_owned(), BINARY_DATA.to_owned()];
        if !self.plan.envelope {
            match self.table.payload_kind {
                Payload::Bytes if bytes => {
                    values.extend([BYTE_ARRAY.to_owned(), BYTE_ARRAY.to_owned()])
                }
                Payload::Number(number) => {
                    values.push(format!("{PACKAGE}.converters.{number}Converter"))
                }
                Payload::Bytes | Payload::Document | Payload::Text => {}
            }
        }
        let value = random.pick(&values).clone();
        self.converter("value.converter", &value, random, self.plan.schemas);
        let writes_structs = |class: &String| [STRING, JSON, BINARY_DATA].contains(&class.as_str());
        if writes_structs(&key) && writes_structs(&value) {
            self.perhaps(random, 25, "provide.transaction.metadata", &["true"]);
        }
        self.value_prints_text = self.properties.values().any(|value| value == STRING);
        let header = *random.pick(&["", "", SIMPLE, STRING, JSON]);
        if !header.is_empty() {
            let schemas = random.chance(50);
            self.converter("header.converter", header, random, schemas);
        }
    }

    fn router(&mut self, random: &mut Random) {
        self.set("transforms", "outbox");
        self.set("transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter");
        for (option, name, default) in [
            ("table.field.event.id", &self.table.id.name, "id"),
            ("table.field.event.key", &self.table.key.name, "aggregateid"),
            ("table.field.event.payload", &self.table.payload.name, "payload"),
            ("route.by.field", &self.table.route.name, "aggregatetype"),
        ] {
            if name != default {
                self.properties.insert(format!("transforms.outbox.{option}"), name.as_str().into());
            }
        }
        self.routing(random);
        self.placements(random);
        if self.plan.timed && !matches!(self.plan.time_mode, "connect" | "isostring") {
            self.set("transforms.outbox.table.field.event.timestamp", "occurredat");
        }
        if self.plan.expands {
            self.set("transforms.outbox.table.expand.json.payload", "true");
            self.perhaps(
                random,
                50,
                "transforms.outbox.table.json.payload.null.behavior",
                &["optional_bytes", "ignore"],
            );
            self.perhaps(
                random,
                20,
                "transforms.outbox.field.name.adjustment.mode",
                &["avro", "avro_unicode"],
            );
        }
        self.perhaps(
            random,
            40,
            "transforms.outbox.route.tombstone.on.empty.payload",
            &["true", " TRUE "],
        );
        self.perhaps(random, 30, "transforms.outbox.table.op.invalid.behavior", &["error", "WARN"]);
        self.perhaps(random, 10, "transforms.outbox.tracing.operation.name", &["op"]);
    }

    fn routing(&mut self, random: &mut Random) {
        let rules = [
            ("(?<routedByValue>.*)", "ev.${routedByValue}"),
            ("(.)(.*)", "t.$1-$2"),
            ("(?i)order", "matched"),
            ("U|User", "X$0"),
            ("(?<a>[a-z]+)(-\\d)?", "${a}$2_"),
            (".*?", "z"),
            ("([A-Z])(?=.)(.*)", "$2.$1$10"),
            ("(a)\\.(b)", "$2\\.$1"),
            ("[^.]*+", "p.$0"),
            ("(?!Order).*", "not.$0"),
            ("(\\w)\\w*(er|\\d)", "$1$2"),
        ];
        if random.chance(50) {
            let (regex, replacement) = *random.pick(&rules);
            self.set("transforms.outbox.route.topic.regex", regex);
            self.set("transforms.outbox.route.topic.replacement", replacement);
        } else {
            self.perhaps(
                random,
                30,
                "transforms.outbox.route.topic.replacement",
                &["${routedByValue}", "x.${routedByValue}.y"],
            );
        }
    }

    fn placements(&mut self, random: &mut Random) {
        let mut items = Vec::new();
        for (at, column) in self.table.extras.iter().enumerate() {
            if random.chance(75) {
                items.push(self.placement(random, column, at));
            }
        }
        if random.chance(30) {
            let key = self.field(&self.table.key.name);
            items.push(format!(" {key} : HEADER : thekey "));
        }
        if random.chance(30) {
            items.push("part:partition".to_owned());
        }
        if random.chance(20) {
            items.push("nosuch:header".to_owned());
            self.set("transforms.outbox.table.field.additional.missing", "ignore");
        }
        if self.plan.envelope {
            let route = self.field(&self.table.route.name);
            items.push(format!("{route}:envelope"));
            if !self.plan.expands && random.chance(30) {
                self.set("transforms.outbox.table.field.event.schema.version", "version");
            }
        }
        if !items.is_empty() {
            self.set("transforms.outbox.table.fields.additional.placement", &items.join(","));
        }
    }

    fn placement(&self, random: &mut Random, column: &Column, at: usize) -> String {
        let in_struct =
            self.plan.envelope && !(column.kind == Kind::Address && self.value_prints_text);
        let place = if in_struct && random.chance(60) { "envelope" } else { "header" };
        let alias = match random.below(4) {
            0 => format!(":alias{at}"),
            1 => format!(":dotted.{at} é"),
            _ => String::new(),
        };
        format!("{}:{place}{alias}", self.field(&column.name))
    }

    /// A column's name as the router sees it.
    pub(super) fn field(&self, name: &str) -> String {
        adjusted(name, self.plan.adjustment)
    }

    pub(super) fn has_envelope(&self) -> bool {
        self.plan.envelope
    }
}

/// `field.name.adjustment.mode` on a column's name.
fn adjusted(name: &str, mode: &str) -> String {
    let mut adjusted = String::new();
    for character in name.chars() {
        let is_digit = character.is_ascii_digit() && !adjusted.is_empty();
        let stays = character.is_ascii_alphabetic() || is_digit;
        match mode {
            "avro" if !stays => adjusted.push('_'),
            "avro_unicode" if !stays => {
                adjusted.push_str(&format!("_u{:04x}", u32::from(character)));
            }
            _ => adjusted.push(character),
        }
    }
    adjusted
}

const PACKAGE: &str = "org.apache.kafka.connect";
const STRING: &str = "org.apache.kafka.connect.storage.StringConverter";
const SIMPLE: &str = "org.apache.kafka.connect.storage.SimpleHeaderConverter";
const JSON: &str = "org.apache.kafka.connect.json.JsonConverter";
const BYTE_ARRAY: &str = "org.apache.kafka.connect.converters.ByteArrayConverter";
const BINARY_DATA: &str = "io.debezium.converters.BinaryDataConverter";
