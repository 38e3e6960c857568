//! Rows that MySQL 9.7 wrote, read back: `tests/fixtures/decode.sql` holds the statements.

use std::collections::HashMap;
use std::fmt::Write;

use bumpalo::Bump;

use super::metadata::Metadata;
use super::*;
use crate::config::{
    BigintUnsignedHandling, BinaryHandling, ColumnFilter, DecimalHandling, DecodeConfig,
    FailureHandling, TimePrecision,
};
use crate::connect::{Cell, Field, Operation, RowChange, Schema, Value};

const BINLOG: &[u8] = include_bytes!("../../tests/fixtures/decode.binlog");
/// Every field and row as they must come out. Rows of the parity cases were compared with Debezium's own.
const EXPECTED: &str = include_str!("../../tests/fixtures/decode.expected");
const LAYOUTS: &str = include_str!("../../tests/fixtures/decode.layouts.json");

/// Debezium's defaults.
pub(super) fn defaults() -> DecodeConfig {
    DecodeConfig {
        time_adjuster: true,
        converting_failure: FailureHandling::Warn,
        ..DecodeConfig::default()
    }
}

/// Type and body of each event.
pub(super) fn events() -> impl Iterator<Item = (u8, &'static [u8])> {
    let mut rest = &BINLOG[4..];
    std::iter::from_fn(move || {
        let length = usize::try_from(u32::from_le_bytes(*rest.get(9..)?.first_chunk()?)).unwrap();
        let (event, tail) = rest.split_at(length);
        rest = tail;
        Some((event[4], &event[19..length - 4]))
    })
}

pub(super) fn layouts() -> HashMap<String, TableLayout> {
    let layouts: Vec<TableLayout> = serde_json::from_str(LAYOUTS).unwrap();
    layouts.into_iter().map(|layout| (layout.table.clone(), layout)).collect()
}

/// Every row of a table, read with a configuration and, if wanted, as if the log had little metadata.
fn rows(table: &str, config: &DecodeConfig, full: bool) -> Vec<String> {
    let layouts = layouts();
    let mut plan = None;
    let mut shown = Vec::new();
    for (kind, body) in events() {
        if kind == 19 {
            let mut map = TableMap::parse(body).unwrap();
            if !full {
                forget_full_metadata(&mut map.metadata);
            }
            plan = (map.table == table).then(|| {
                let layout = &layouts[table];
                TablePlan::new(layout, Some(&map), "p", &ColumnFilter::default(), config).unwrap()
            });
        } else if let Some(plan) = &plan
            && let Ok(mut event) = RowsEvent::parse(kind, body)
        {
            let mut arena = Bump::new();
            while let Some(row) = event.next_row(plan, &arena, 0).unwrap() {
                shown.push(show(&row));
                arena.reset();
            }
        }
    }
    shown
}

/// What is left is what `binlog_row_metadata=MINIMAL` writes.
fn forget_full_metadata(metadata: &mut Metadata<'_>) {
    metadata.full = false;
    metadata.primary_key = None;
    for column in &mut metadata.columns {
        column.name = None;
        column.words = None;
    }
}

fn show(row: &RowChange<'_>) -> String {
    let mut text = match row.operation {
        Operation::Create => "c".to_owned(),
        Operation::Read => "r".to_owned(),
        Operation::Update => "u".to_owned(),
        Operation::Delete => "d".to_owned(),
    };
    if let Some(key) = row.old_key {
        write!(text, " was {}", key.iter().map(value).collect::<Vec<_>>().join(",")).unwrap();
    }
    for (cell, field) in row.cells.iter().zip(&row.schema.fields) {
        let cell = match cell {
            Cell::Skipped => continue,
            Cell::Absent => "ABSENT".to_owned(),
            Cell::Value(cell) => value(cell),
        };
        write!(text, "|{}={cell}", field.name).unwrap();
    }
    text
}

fn value(value: &Value<'_>) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Boolean(v) => v.to_string(),
        Value::Int8(v) => v.to_string(),
        Value::Int16(v) => v.to_string(),
        Value::Int32(v) => v.to_string(),
        Value::Int64(v) => v.to_string(),
        Value::Float32(v) => format!("{v:?}f"),
        Value::Float64(v) => format!("{v:?}"),
        Value::String(v) => (*v).to_owned(),
        Value::Bytes(v) => v.iter().map(|byte| format!("{byte:02x}")).collect(),
        Value::Decimal(v) => (*v).to_owned(),
        Value::Struct(v) | Value::Array(v) => {
            format!("[{}]", v.iter().map(self::value).collect::<Vec<_>>().join(" "))
        }
        Value::Map(_) => unreachable!("MySQL has no maps"),
    }
}

/// Every field of a table's schema.
fn schema(table: &str, config: &DecodeConfig) -> Vec<String> {
    let plan = TablePlan::new(&layouts()[table], None, "p", &ColumnFilter::default(), config);
    plan.unwrap()
        .schema
        .fields
        .iter()
        .map(|field| show_schema(&field.name, &field.schema))
        .collect()
}

fn show_schema(name: &str, schema: &Schema) -> String {
    let optional = if schema.optional { "?" } else { "" };
    let mut text = format!("{name}:{:?}{optional}", schema.schema_type);
    if let (Some(name), Some(version)) = (&schema.name, schema.version) {
        write!(text, " {name} v{version}").unwrap();
    }
    for (name, parameter) in &schema.parameters {
        write!(text, " {name}={parameter}").unwrap();
    }
    if let Some(default) = &schema.default {
        write!(text, " default {}", value(&default.value())).unwrap();
    }
    for field in &schema.fields {
        write!(text, " ({})", show_schema(&field.name, &field.schema)).unwrap();
    }
    text
}

/// All that the recording holds, in the order of `decode.expected`.
fn everything(full: bool) -> Vec<String> {
    let mut tables: Vec<String> = layouts().into_keys().collect();
    tables.sort_unstable();
    let mut lines = Vec::new();
    for table in tables {
        lines.extend(schema(&table, &defaults()).iter().map(|field| format!("{table} {field}")));
        lines.extend(rows(&table, &defaults(), full).iter().map(|row| format!("{table} {row}")));
    }
    lines
}

#[test]
fn recorded_rows_are_debeziums() {
    for full in [true, false] {
        for (actual, expected) in everything(full).iter().zip(EXPECTED.lines()) {
            assert_eq!(actual, expected, "full metadata: {full}");
        }
        assert_eq!(everything(full).len(), EXPECTED.lines().count());
    }
}

/// Some columns of a row, by name.
fn columns(row: &str, names: &[&str]) -> String {
    let wanted = |part: &&str| part.split_once('=').is_some_and(|(name, _)| names.contains(&name));
    row.split('|').filter(wanted).collect::<Vec<_>>().join("|")
}

#[test]
fn modes_change_the_form_of_values() {
    let names = ["bu", "de", "bl", "d", "t0", "t3", "t6", "dt", "dt3", "dt6", "ts3"];
    let connect = DecodeConfig {
        decimal: DecimalHandling::String,
        bigint_unsigned: BigintUnsignedHandling::Precise,
        time_precision: TimePrecision::Connect,
        binary: BinaryHandling::Base64,
        ..defaults()
    };
    let iso = DecodeConfig {
        decimal: DecimalHandling::Double,
        time_precision: TimePrecision::IsoString,
        binary: BinaryHandling::Hex,
        ..defaults()
    };
    let micros = DecodeConfig {
        time_precision: TimePrecision::Microseconds,
        binary: BinaryHandling::Base64UrlSafe,
        ..defaults()
    };
    let nanos = DecodeConfig { time_precision: TimePrecision::Nanoseconds, ..defaults() };
    for (config, row, expected) in [
        (
            &connect,
            0,
            "bu=18446744073709551615|de=19.90|d=19782|t0=NULL|t3=40953444|t6=NULL|dt=1704164645000|\
             dt3=1704164645600|dt6=1704164645678|ts3=2024-01-01T21:34:05.600Z|bl=/wA=",
        ),
        (
            &connect,
            2,
            "bu=0|de=-0.05|d=-354285|t0=0|t3=0|t6=86399999|dt=-30610224000000|dt3=253402300799999|\
             dt6=0|ts3=2038-01-18T21:44:07.999Z|bl=",
        ),
        (
            &iso,
            0,
            "bu=-1|de=19.9|d=2024-02-29Z|t0=NULL|t3=11:22:33.444Z|t6=NULL|dt=2024-01-02T03:04:05Z|\
             dt3=2024-01-02T03:04:05.6Z|dt6=2024-01-02T03:04:05.678912Z|ts3=2024-01-01T21:34:05.600Z|\
             bl=ff00",
        ),
        (
            &micros,
            0,
            "bu=-1|de=19.90|d=19782|t0=-3723000000|t3=40953444000|t6=3020399000000|\
             dt=1704164645000000|dt3=1704164645600000|dt6=1704164645678912|\
             ts3=2024-01-01T21:34:05.600Z|bl=_wA=",
        ),
        (
            &nanos,
            2,
            "bu=0|de=-0.05|d=-354285|t0=0|t3=0|t6=86399999999000|dt=NULL|dt3=NULL|dt6=1000|\
             ts3=2038-01-18T21:44:07.999Z|bl=",
        ),
    ] {
        assert_eq!(columns(&rows("types_default", config, true)[row], &names), expected);
    }
}

#[test]
fn a_layout_of_another_time_is_refused() {
    let (_, body) = events().find(|(kind, _)| *kind == 19).unwrap();
    let mut map = TableMap::parse(body).unwrap();
    forget_full_metadata(&mut map.metadata);
    let layout = &layouts()["types_default"];
    let plan = |layout: &TableLayout| {
        TablePlan::new(layout, Some(&map), "p", &ColumnFilter::default(), &defaults())
    };
    assert!(plan(layout).is_ok());
    type Change = fn(&mut TableLayout);
    let changes: [(&str, Change); 8] = [
        ("column gone", |layout| drop(layout.columns.pop())),
        ("columns swapped", |layout| layout.columns.swap(8, 9)),
        ("sign", |layout| layout.columns[5].column_type = "tinyint unsigned".into()),
        ("nullability", |layout| layout.columns[5].nullable = false),
        ("length", |layout| layout.columns[1].column_type = "varchar(254)".into()),
        ("scale", |layout| layout.columns[19].column_type = "decimal(10,3)".into()),
        ("fraction", |layout| layout.columns[28].column_type = "time(6)".into()),
        ("binary", |layout| layout.columns[36].character_set = None),
    ];
    for (what, change) in changes {
        let mut changed = layout.clone();
        change(&mut changed);
        let refused = plan(&changed);
        assert!(matches!(refused, Err(DecodeError::LayoutMismatch { .. })), "{what}");
    }
}

#[test]
fn full_metadata_wins_over_a_layout_of_another_time() {
    let (_, body) = events().find(|(kind, _)| *kind == 19).unwrap();
    let map = TableMap::parse(body).unwrap();
    let mut layout = layouts().remove("types_default").unwrap();
    layout.columns.reverse();
    layout.columns.retain(|column| column.name != "ti" && column.name != "en");
    let plan = TablePlan::new(&layout, Some(&map), "p", &ColumnFilter::default(), &defaults());
    assert_eq!(
        plan.unwrap().schema.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(),
        map.column_names().collect::<Vec<_>>()
    );
}

#[test]
fn only_wanted_fields_are_decoded() {
    let mut plan = None;
    for (kind, body) in events() {
        if kind == 19 {
            let map = TableMap::parse(body).unwrap();
            plan = (map.table == "texts").then(|| {
                let layout = &layouts()["texts"];
                let filter = ColumnFilter::default();
                TablePlan::new(layout, Some(&map), "p", &filter, &defaults()).unwrap()
            });
        } else if let Some(plan) = &mut plan {
            let wanted: Vec<bool> = (0..plan.schema.fields.len()).map(|i| i == 3).collect();
            plan.want(&wanted);
            let arena = Bump::new();
            let mut event = RowsEvent::parse(kind, body).unwrap();
            assert_eq!(rows_table_id(body), Some(event.table_id));
            let row = event.next_row(plan, &arena, 5).unwrap().unwrap();
            assert_eq!(show(&row), "c|sj=あア");
            assert_eq!(row.source_ts_ms, 5);
            assert!(event.ends_statement);
            return;
        }
    }
    panic!("the recording has no rows of texts");
}

/// Rows as MySQL's text protocol gives them.
fn snapshot(table: &str, config: &DecodeConfig, texts: &[(&str, &str)]) -> String {
    let plan = TablePlan::new(&layouts()[table], None, "p", &ColumnFilter::default(), config);
    let mut plan = plan.unwrap();
    let given = |field: &Field| texts.iter().find(|(name, _)| *name == field.name);
    let wanted: Vec<bool> = plan.schema.fields.iter().map(|field| given(field).is_some()).collect();
    plan.want(&wanted);
    let texts: Vec<Option<&[u8]>> = plan
        .schema
        .fields
        .iter()
        .map(|field| given(field).map(|(_, text)| text.as_bytes()))
        .collect();
    let arena = Bump::new();
    show(&plan.snapshot_row(&texts, &arena, 0).unwrap())
}

#[test]
fn snapshot_rows_are_debeziums() {
    let texts = [
        ("ti", "-128"),
        ("bu", "18446744073709551615"),
        ("fl", "1.1"),
        ("db", "1e20"),
        ("de", "19.90"),
        ("b1", "\u{1}"),
        ("b5", "\u{15}"),
        ("y", "2024"),
        ("d", "2024-02-29"),
        ("t0", "-01:02:03"),
        ("t3", "11:22:33.444"),
        ("dt", "2024-01-02 03:04:05"),
        ("dt6", "2024-01-02 03:04:05.678912"),
        ("ts3", "2024-01-01 21:34:05.600"),
        ("ts6", "2024-01-01 21:34:05.000000"),
        ("bn", "\n\u{b}\0\0"),
        ("en", "x,large"),
        ("se", "a,c"),
        ("js", r#"{"a": [1.5], "b": 1e15}"#),
    ];
    assert_eq!(
        snapshot("types_default", &defaults(), &texts),
        "r|ti=-128|bu=-1|fl=1.1f|db=1e20|de=19.90|b1=true|b5=15|y=2024|d=19782|t0=-3723000000|\
         t3=40953444000|dt=1704164645000|dt6=1704164645678912|ts3=2024-01-01T21:34:05.6Z|\
         ts6=2024-01-01T21:34:05Z|bn=0a0b0000|en=x,large|se=a,c|js={\"a\": [1.5], \"b\": 1e15}"
    );
    let zeros = [
        ("d", "0000-00-00"),
        ("dt", "0000-00-00 00:00:00"),
        ("dn", "0000-00-00"),
        ("dtn", "0000-00-00 00:00:00.000"),
        ("half", "2023-00-15"),
        ("y", "0000"),
        ("tsn", "0000-00-00 00:00:00"),
    ];
    assert_eq!(
        snapshot("zero_dates", &defaults(), &zeros),
        "r|d=NULL|dt=NULL|dn=0|dtn=0|half=NULL|y=2000|tsn=1970-01-01T00:00:00Z"
    );
    assert_eq!(
        snapshot("rest", &defaults(), &[("fmd", "1.100"), ("d0", "1.0")]),
        "r|fmd=1.100000023841858|d0=1.000000000000000000000000000000"
    );
}

#[test]
fn the_fields_alone_are_selected() {
    let layout = &layouts()["changes"];
    let plan = TablePlan::new(layout, None, "p", &ColumnFilter::default(), &defaults()).unwrap();
    assert!(plan.selected().eq(["id", "a", "payload", "b"]));
    let arena = Bump::new();
    let row = plan.snapshot_row(&[None], &arena, 0);
    assert!(matches!(row, Err(DecodeError::WrongWidth { expected: 4, actual: 1, .. })));
}

#[test]
fn key_schema_has_the_keys_columns() {
    let layout = &layouts()["changes"];
    let plan = TablePlan::new(layout, None, "p", &ColumnFilter::default(), &defaults()).unwrap();
    let key = plan.schema.key_schema.unwrap();
    assert_eq!(key.name.as_deref(), Some("p.Key"));
    assert_eq!(show_schema("key", &key), "key:Struct (id:String)");
    assert_eq!(plan.schema.primary_key, [0]);
    assert_eq!(plan.schema.value_name, "p.Value");
}
