//! Rows on their whole way: decoded by a layout, routed, transformed and converted as a random file asks for.

use bumpalo::Bump;
use outflow::config::{ColumnFilter, ConnectorConfig, Environment, Inputs, check};
use outflow::convert::Converters;
use outflow::decode::{RowsEvent, TableMap, TablePlan};
use outflow::route::{EventRouter, Routed, TransformChain};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::files::BASE;
use super::fuzz;
use super::table::Table;
use crate::support::Random;

/// Options and values that a file may have together.
const OPTIONS: &[(&str, &[&str])] = &[
    ("decimal.handling.mode", &["precise", "double", "string"]),
    ("bigint.unsigned.handling.mode", &["long", "precise"]),
    (
        "time.precision.mode",
        &["adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"],
    ),
    ("binary.handling.mode", &["bytes", "base64", "base64-url-safe", "hex"]),
    ("enable.time.adjuster", &["true", "false"]),
    ("event.converting.failure.handling.mode", &["warn", "skip", "fail"]),
    ("event.processing.failure.handling.mode", &["fail", "skip"]),
    ("field.name.adjustment.mode", &["none", "avro", "avro_unicode"]),
    ("extended.headers.enabled", &["true", "false"]),
    ("column.truncate.to.3.chars", &[".*\\.(a|payload)"]),
    ("column.mask.with.2.chars", &[".*\\.b"]),
    ("column.mask.hash.MD5.with.salt.s", &[".*\\.p"]),
    (
        "transforms.outbox.route.topic.regex",
        &["(?<routedByValue>.*)", "(?<routedByValue>O)(.*)?|x"],
    ),
    ("transforms.outbox.route.topic.replacement", &["$0", "t", "\\$x"]),
    (
        "transforms.outbox.table.fields.additional.placement",
        &[
            "a:header,b:header:é",
            "a:envelope,b:header,p:envelope",
            "type:envelope:t,version:header",
        ],
    ),
    ("transforms.outbox.table.field.additional.missing", &["ignore"]),
    ("transforms.outbox.table.expand.json.payload", &["true"]),
    ("transforms.outbox.table.json.payload.null.behavior", &["optional_bytes", "ignore"]),
    ("transforms.outbox.table.json.payload.empty.array.behavior", &["optional_string"]),
    ("transforms.outbox.field.name.adjustment.mode", &["avro", "avro_unicode"]),
    ("transforms.outbox.route.tombstone.on.empty.payload", &["true"]),
    ("transforms.outbox.table.field.event.timestamp", &["at"]),
    ("transforms.outbox.table.field.event.key", &["a", "b"]),
    ("key.converter", CONVERTERS),
    ("value.converter", CONVERTERS),
    ("header.converter", CONVERTERS),
    ("value.converter.schemas.enable", &["true", "false"]),
    ("key.converter.decimal.format", &["NUMERIC"]),
    ("value.converter.delegate.converter.type", &["org.apache.kafka.connect.json.JsonConverter"]),
    (
        "key.converter.delegate.converter.type",
        &["org.apache.kafka.connect.storage.StringConverter"],
    ),
];

const CONVERTERS: &[&str] = &[
    "org.apache.kafka.connect.json.JsonConverter",
    "org.apache.kafka.connect.json.JsonConverter",
    "org.apache.kafka.connect.storage.StringConverter",
    "org.apache.kafka.connect.storage.SimpleHeaderConverter",
    "org.apache.kafka.connect.converters.ByteArrayConverter",
    "org.apache.kafka.connect.converters.LongConverter",
    "org.apache.kafka.connect.converters.ShortConverter",
    "org.apache.kafka.connect.converters.BooleanConverter",
    "org.apache.kafka.connect.converters.DoubleConverter",
    "io.debezium.converters.BinaryDataConverter",
];

/// Behind the router.
const TRANSFORMS: &[(&str, &[(&str, &str)])] = &[
    ("InsertHeader", &[("header", "h"), ("value.literal", "{\"a\":[1,2.5]}")]),
    ("HeaderFrom$Value", &[("fields", "payload"), ("headers", "h"), ("operation", "move")]),
    ("ReplaceField$Value", &[("exclude", "payload"), ("renames", "b:c")]),
    ("ValueToKey", &[("fields", "payload")]),
    ("InsertField$Value", &[("topic.field", "t!"), ("timestamp.field", "at")]),
    ("Cast$Value", &[("spec", "string")]),
    ("Cast$Value", &[("spec", "payload:int8")]),
    ("Cast$Key", &[("spec", "float64")]),
    ("SetSchemaMetadata$Value", &[("schema.name", "n"), ("schema.version", "2")]),
    ("TimestampRouter", &[("topic.format", "${topic}-${timestamp}")]),
    ("RegexRouter", &[("regex", "(.*)"), ("replacement", "x.$1")]),
];

/// A random file that outflow takes, or none.
fn config(random: &mut Random) -> Option<ConnectorConfig> {
    let mut set: Vec<(String, String)> =
        BASE.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    for (key, values) in OPTIONS {
        if random.chance(30) {
            set.push(((*key).to_owned(), (*random.pick(values)).to_owned()));
        }
    }
    if random.chance(40) {
        let (class, options) = random.pick(TRANSFORMS);
        set.push(("transforms".to_owned(), "outbox,t".to_owned()));
        let class = format!("org.apache.kafka.connect.transforms.{class}");
        set.push(("transforms.t.type".to_owned(), class));
        let options = options.iter();
        set.extend(
            options.map(|(key, value)| (format!("transforms.t.{key}"), (*value).to_owned())),
        );
    }
    let inputs = Inputs { file: "{\"name\":\"n\",\"config\":{}}", set: &set, ..Inputs::default() };
    check(&inputs, &Environment::from_iter([])).0.ok()
}

/// Bytes that are changed, each at a place.
type Changes = Vec<(Index, u8)>;

fn change(bytes: &mut [u8], changes: &Changes) {
    for (at, byte) in changes {
        bytes[at.index(bytes.len())] = *byte;
    }
}

/// Takes every row as far as it comes; how many records come out.
fn publish(
    table: &Table,
    map: &[u8],
    event_type: u8,
    rows: &[u8],
    config: &ConnectorConfig,
) -> u32 {
    let Ok(map) = TableMap::parse(map) else { return 0 };
    let filter = ColumnFilter::default();
    let plan = TablePlan::new(&table.layout, Some(&map), "p.d.t", &filter, &config.decode);
    let Ok(plan) = plan else { return 0 };
    let (Ok(chain), Ok(converters)) = (
        TransformChain::new(config.transforms.behind.clone()),
        Converters::new(&config.converters),
    ) else {
        return 0;
    };
    let router = EventRouter::new(config.router.clone(), "p", "run");
    let router_plan = router.plan(&plan.schema);
    if let Ok(router_plan) = &router_plan {
        let _checked = converters.check(router_plan.parts(&plan.schema));
    }
    let mut records = 0;
    if let Ok(mut images) = RowsEvent::parse(event_type, rows) {
        let arena = Bump::new();
        while let Ok(Some(_)) = images.next_images(&plan, &arena) {}
    }
    let Ok(mut event) = RowsEvent::parse(event_type, rows) else { return 0 };
    let arena = Bump::new();
    if let Some(lone) = event.lone_row(&plan, &arena, 0).transpose() {
        let mut again = event;
        let first = again.next_row(&plan, &arena, 0);
        assert_eq!(format!("{:?}", lone.map(Some)), format!("{first:?}"), "alone and in turn");
    }
    while let Ok(Some(change)) = event.next_row(&plan, &arena, 0) {
        let Ok(router_plan) = &router_plan else { continue };
        if let Ok(Routed::Record(record, _)) = router.route(router_plan, &change, 1, &arena)
            && let Ok(Some(record)) = chain.apply(record, &arena)
            && converters.convert(&record, &arena).is_ok()
        {
            records += 1;
        }
    }
    records
}

#[test]
fn every_row_returns() {
    let changes = vec((any::<Index>(), any::<u8>()), 0..4);
    let inputs = (any::<u64>(), changes.clone(), changes, any::<bool>());
    fuzz("rows", &inputs, |(seed, in_map, in_rows, cut)| {
        let mut random = Random::seeded(seed);
        let Some(config) = config(&mut random) else { return };
        let table = Table::any(&mut random);
        let event_type = *random.pick(&[30, 30, 30, 31, 32]);
        let (mut map, mut rows) = (table.map(), table.rows(event_type, &mut random));
        publish(&table, &map, event_type, &rows, &config);
        if random.chance(30) {
            change(&mut map, &in_map);
        }
        change(&mut rows, &in_rows);
        if cut {
            rows.truncate(usize::try_from(random.below(200)).unwrap());
        }
        publish(&table, &map, event_type, &rows, &config);
    });
}

#[test]
fn rows_of_the_fuzzer_are_published() {
    let mut random = Random::new();
    let mut records = 0;
    for _ in 0..400 {
        let Some(config) = config(&mut random) else { continue };
        let table = Table::any(&mut random);
        let (map, rows) = (table.map(), table.rows(30, &mut random));
        records += publish(&table, &map, 30, &rows, &config);
    }
    eprintln!("fuzz: {records} records");
    assert!(records > 40, "only {records} records: the rows are not what a server writes");
}

#[test]
fn every_snapshot_row_returns() {
    let text = prop_oneof![
        "[-0-9:. TZ]{0,30}",
        "[-+0-9.eE]{0,40}",
        any::<String>(),
        Just("POINT".to_owned()),
    ];
    fuzz("snapshot rows", &(any::<u64>(), vec(prop::option::of(text), 12)), |(seed, texts)| {
        let mut random = Random::seeded(seed);
        let Some(config) = config(&mut random) else { return };
        let table = Table::any(&mut random);
        let filter = ColumnFilter::default();
        let plan = TablePlan::new(&table.layout, None, "p.d.t", &filter, &config.decode);
        let Ok(plan) = plan else { return };
        let _columns = plan.selected().count();
        let arena = Bump::new();
        let texts: Vec<Option<&[u8]>> =
            texts.iter().map(|text| text.as_ref().map(String::as_bytes)).collect();
        let _row = plan.snapshot_row(&texts, &arena, 0).is_ok();
        let fitting = texts.get(..table.layout.columns.len()).unwrap();
        let _row = plan.snapshot_row(fitting, &arena, 0).is_ok();
    });
}
