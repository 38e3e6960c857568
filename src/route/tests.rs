use std::sync::Arc;

use bumpalo::Bump;
use proptest::prelude::*;

use super::{DropReason, EventRouter, ExpandWarning, Place, RouteError, Routed};
use crate::config::{
    FieldNameAdjustment, InvalidOperation, JavaRegex, MissingField, NullInJson, Placement,
    PlacementKind, Replacement, RouterConfig,
};
use crate::connect::{
    Cell, DefaultValue, Field, Operation, RowChange, Schema, SchemaType, SourceRecord, TableSchema,
    Value, logical,
};

fn config() -> RouterConfig {
    let topic_regex = JavaRegex::compile("(?<routedByValue>.*)", false).unwrap();
    RouterConfig {
        event_id: "id".into(),
        event_key: "aggregateid".into(),
        event_type: None,
        payload: "payload".into(),
        timestamp: None,
        schema_version: None,
        placements: Vec::new(),
        missing: MissingField::Error,
        expand_json: false,
        json_null: NullInJson::Ignore,
        json_empty_array_as_strings: false,
        field_names: FieldNameAdjustment::None,
        invalid_operation: InvalidOperation::Warn,
        route_by: "aggregatetype".into(),
        topic_replacement: Replacement::parse("outbox.event.${routedByValue}", &topic_regex)
            .unwrap(),
        topic_regex,
        tombstone_on_empty: false,
        context_headers: false,
    }
}

fn placed(column: &str, kind: PlacementKind, alias: &str) -> Placement {
    Placement { column: column.into(), kind, alias: alias.into() }
}

fn text() -> Schema {
    Schema::new(SchemaType::String)
}

fn null_text() -> Schema {
    text().optional(true)
}

/// `id`, `aggregatetype`, `aggregateid`, `type`, `payload` and what the case adds.
fn table(more: Vec<(&str, Schema)>) -> TableSchema {
    let mut fields = vec![
        ("id", text()),
        ("aggregatetype", null_text()),
        ("aggregateid", null_text()),
        ("type", text()),
        ("payload", null_text().named(logical::JSON)),
    ];
    fields.extend(more);
    let field = |(name, schema): (&str, Schema)| Field { name: name.into(), schema: schema.into() };
    let key = Schema {
        fields: vec![Field { name: "id".into(), schema: text().into() }],
        name: Some("srv.db.outbox.Key".into()),
        ..Schema::new(SchemaType::Struct)
    };
    TableSchema {
        database: "db".into(),
        table: "outbox".into(),
        fields: fields.into_iter().map(field).collect(),
        primary_key: vec![0],
        value_name: "srv.db.outbox.Value".into(),
        key_schema: Some(Arc::new(key)),
    }
}

const NOW: i64 = 1_000;

fn row<'a>(payload: Value<'a>, more: &[Value<'a>]) -> Vec<Cell<'a>> {
    let mut values = vec![
        Value::String("1"),
        Value::String("Order"),
        Value::String("k"),
        Value::String("T"),
        payload,
    ];
    values.extend(more);
    values.into_iter().map(Cell::Value).collect()
}

/// Routes one inserted row and looks at what comes out.
fn routed<T>(
    config: RouterConfig,
    table: &TableSchema,
    cells: &[Cell<'_>],
    look: impl FnOnce(&SourceRecord<'_>, Option<ExpandWarning>) -> T,
) -> Result<T, RouteError> {
    let arena = Bump::new();
    let router = EventRouter::new(config, "srv", "run-1");
    let plan = router.plan(table).unwrap();
    let change = RowChange {
        operation: Operation::Create,
        schema: table,
        cells,
        old_key: None,
        source_ts_ms: 0,
    };
    match router.route(&plan, &change, NOW, &arena)? {
        Routed::Record(record, warning) => Ok(look(&record, warning)),
        Routed::Dropped(reason) => panic!("dropped: {reason:?}"),
    }
}

fn header_keys(record: &SourceRecord<'_>) -> Vec<String> {
    record.headers.iter().map(|header| header.key.to_owned()).collect()
}

#[test]
fn an_insert_becomes_a_record_with_its_id_as_header() {
    let table = table(vec![]);
    routed(config(), &table, &row(Value::String("{}"), &[]), |record, warning| {
        assert_eq!(record.topic, "outbox.event.Order");
        assert_eq!(record.partition, None);
        assert_eq!(record.key.value, Value::String("k"));
        assert_eq!(record.value.value, Value::String("{}"));
        assert!(record.value.schema.as_ref().unwrap().is(logical::JSON));
        assert_eq!(header_keys(record), ["id"]);
        assert_eq!(record.timestamp, Some(NOW));
        assert_eq!(warning, None);
    })
    .unwrap();
}

#[test]
fn topics_follow_the_whole_match_and_then_the_first_find() {
    for (pattern, replacement, value, topic) in [
        ("(?<routedByValue>.*)", "outbox.event.${routedByValue}", "", "outbox.event."),
        ("(?<routedByValue>.*)", "outbox.event.${routedByValue}", "a\nb", "a\nb"),
        ("(?<routedByValue>.*)", "order-events", "Order", "order-events"),
        ("ord-(.*)", "x.$1", "Order", "Order"),
        ("(?i)(o|c)(.*)", "ev.$1_v2.$2", "customer", "ev.c_v2.ustomer"),
        ("U|User", "X", "User", "Xser"),
    ] {
        let mut config = config();
        config.topic_regex = JavaRegex::compile(pattern, false).unwrap();
        config.topic_replacement = Replacement::parse(replacement, &config.topic_regex).unwrap();
        let mut cells = row(Value::Null, &[]);
        cells[1] = Cell::Value(Value::String(value));
        let found = routed(config, &table(vec![]), &cells, |record, _| record.topic.to_owned());
        assert_eq!(found.unwrap(), topic, "{pattern} on {value:?}");
    }
}

#[test]
fn updates_and_deletes_are_dropped_unread() {
    let arena = Bump::new();
    let table = table(vec![]);
    let router = EventRouter::new(config(), "srv", "run-1");
    let plan = router.plan(&table).unwrap();
    let cells = [Cell::Skipped; 5];
    for (operation, reason) in
        [(Operation::Update, DropReason::Update), (Operation::Delete, DropReason::Delete)]
    {
        let change =
            RowChange { operation, schema: &table, cells: &cells, old_key: None, source_ts_ms: 0 };
        let routed = router.route(&plan, &change, NOW, &arena).unwrap();
        assert!(matches!(routed, Routed::Dropped(found) if found == reason));
    }
}

#[test]
fn headers_come_in_debeziums_order() {
    let arena = Bump::new();
    let table = table(vec![("note", null_text())]);
    let mut config = config();
    config.context_headers = true;
    config.event_type = Some("type".into());
    config.placements = vec![placed("note", PlacementKind::Header, "remark")];
    let router = EventRouter::new(config, "srv", "run-1");
    let plan = router.plan(&table).unwrap();
    let cells = row(Value::Null, &[Value::Null]);
    let old = [Value::String("0")];
    let change = RowChange {
        operation: Operation::Create,
        schema: &table,
        cells: &cells,
        old_key: Some(&old),
        source_ts_ms: 0,
    };
    let Routed::Record(record, _) = router.route(&plan, &change, NOW, &arena).unwrap() else {
        panic!("dropped");
    };
    let values: Vec<_> = record.headers.iter().map(|header| header.value.value).collect();
    assert_eq!(
        header_keys(&record),
        [
            "__debezium.oldkey",
            "__debezium.context.connectorLogicalName",
            "__debezium.context.taskId",
            "__debezium.context.connectorName",
            "__debezium.context.runId",
            "id",
            "remark",
            "type",
        ]
    );
    assert_eq!(values[0], Value::Struct(&old));
    assert_eq!(
        values[1..5],
        ["srv", "0", "mysql", "run-1"].map(Value::String),
        "the context headers are plain text"
    );
    assert_eq!(values[6], Value::Null);
}

#[test]
fn the_event_type_is_no_header_where_it_is_placed_or_missing() {
    for (event_type, placements, expected) in [
        (
            "type",
            vec![placed("type", PlacementKind::Header, "eventType")],
            &["id", "eventType"][..],
        ),
        ("type", vec![], &["id", "type"]),
        ("nosuch", vec![], &["id"]),
    ] {
        let config = RouterConfig { event_type: Some(event_type.into()), placements, ..config() };
        let cells = row(Value::Null, &[]);
        let keys = routed(config, &table(vec![]), &cells, |record, _| header_keys(record));
        assert_eq!(keys.unwrap(), expected);
    }
}

#[test]
fn a_null_is_read_as_the_columns_default_but_not_for_the_topic() {
    let with_default = |schema: Schema, text: &str| Schema {
        default: Some(DefaultValue::String(text.into())),
        ..schema
    };
    let mut table = table(vec![("n", Schema::new(SchemaType::Int32).optional(true))]);
    table.fields[1].schema = with_default(null_text(), "T0").into();
    table.fields[2].schema = with_default(null_text(), "dk").into();
    table.fields[5].schema = Schema {
        default: Some(DefaultValue::Int32(3)),
        ..Schema::new(SchemaType::Int32).optional(true)
    }
    .into();
    let config = RouterConfig {
        placements: vec![
            placed("n", PlacementKind::Header, "n"),
            placed("n", PlacementKind::Partition, "n"),
        ],
        ..config()
    };
    let mut cells = row(Value::Null, &[Value::Null]);
    cells[2] = Cell::Value(Value::Null);
    routed(config.clone(), &table, &cells, |record, _| {
        assert_eq!(record.key.value, Value::String("dk"));
        assert_eq!(record.headers[1].value.value, Value::Int32(3));
        assert_eq!(record.partition, None);
    })
    .unwrap();
    cells[1] = Cell::Value(Value::Null);
    let error = routed(config, &table, &cells, |_, _| ()).unwrap_err();
    let expected = RouteError::NullRoute {
        table: "db.outbox".into(),
        column: "aggregatetype".into(),
        event_id: "1".into(),
    };
    assert_eq!(error, expected);
}

#[test]
fn blank_payloads_become_tombstones_where_asked_for() {
    let bytes = Schema::new(SchemaType::Bytes).optional(true);
    for (payload, tombstone) in [
        (Value::Null, true),
        (Value::String(""), true),
        (Value::String(" \n\t\0"), true),
        (Value::String("\u{a0}"), false),
        (Value::String("{}"), false),
        (Value::Bytes(b""), false),
    ] {
        let mut table = table(vec![]);
        if matches!(payload, Value::Bytes(_)) {
            table.fields[4].schema = bytes.clone().into();
        }
        for envelope in [false, true] {
            let mut config = RouterConfig { tombstone_on_empty: true, ..config() };
            if envelope {
                config.placements = vec![placed("type", PlacementKind::Envelope, "type")];
            }
            let cells = row(payload, &[]);
            let found = routed(config, &table, &cells, |record, _| record.value.schema.is_none());
            assert_eq!(found.unwrap(), tombstone, "{payload:?}");
        }
    }
}

#[test]
fn an_envelope_is_named_after_the_event_and_keeps_the_columns_schemas() {
    let config = RouterConfig {
        placements: vec![
            placed("type", PlacementKind::Envelope, "type"),
            placed("n", PlacementKind::Envelope, "num"),
        ],
        schema_version: Some("v".into()),
        ..config()
    };
    let table = table(vec![
        ("n", Schema::new(SchemaType::Int32).optional(true)),
        ("v", Schema::new(SchemaType::Int32).optional(true)),
    ]);
    for version in [Value::Int32(7), Value::Null] {
        let cells = row(Value::String("{}"), &[Value::Int32(5), version]);
        routed(config.clone(), &table, &cells, |record, _| {
            let schema = record.value.schema.as_ref().unwrap();
            assert_eq!(schema.name.as_deref(), Some("srv.db.outbox.Order.Value"));
            assert_eq!(schema.version, (version == Value::Int32(7)).then_some(7));
            assert!(!schema.optional);
            let names: Vec<_> = schema.fields.iter().map(|field| field.name.as_str()).collect();
            assert_eq!(names, ["payload", "type", "num"]);
            assert!(schema.fields[0].schema.is(logical::JSON));
            let expected = [Value::String("{}"), Value::String("T"), Value::Int32(5)];
            assert_eq!(record.value.value, Value::Struct(&expected));
        })
        .unwrap();
    }
}

#[test]
fn timestamps_follow_the_logical_type() {
    let int64 = |name: &str| Schema::new(SchemaType::Int64).optional(true).named(name);
    let before = |timestamp_ms| RouteError::TimestampBeforeEpoch {
        table: "db.outbox".into(),
        column: "at".into(),
        timestamp_ms,
        event_id: "1".into(),
    };
    for (schema, value, expected) in [
        (int64(logical::TIMESTAMP), Value::Int64(1_704_164_645_678), Ok(Some(1_704_164_645_678))),
        (int64(logical::TIMESTAMP), Value::Int64(0), Ok(Some(0))),
        (int64(logical::TIMESTAMP), Value::Null, Ok(Some(NOW))),
        (int64(logical::TIMESTAMP), Value::Int64(-1), Ok(None)),
        (int64(logical::TIMESTAMP), Value::Int64(-1000), Err(before(-1000))),
        (int64(logical::MICRO_TIMESTAMP), Value::Int64(1_999), Ok(Some(1))),
        (int64(logical::MICRO_TIMESTAMP), Value::Int64(-999), Ok(Some(0))),
        (int64(logical::NANO_TIMESTAMP), Value::Int64(2_999_999), Ok(Some(2))),
        (int64(logical::CONNECT_TIMESTAMP), Value::Int64(5), Ok(Some(5))),
        (
            null_text().named(logical::ZONED_TIMESTAMP),
            Value::String("1970-01-01T00:00:01.5Z"),
            Ok(Some(1500)),
        ),
        (null_text().named(logical::ZONED_TIMESTAMP), Value::Null, Ok(Some(NOW))),
    ] {
        let config = RouterConfig { timestamp: Some("at".into()), ..config() };
        let cells = row(Value::Null, &[value]);
        let table = table(vec![("at", schema)]);
        assert_eq!(routed(config, &table, &cells, |record, _| record.timestamp), expected);
    }
}

#[test]
fn partitions_are_numbers_that_kafka_has() {
    let config =
        RouterConfig { placements: vec![placed("p", PlacementKind::Partition, "p")], ..config() };
    for (schema_type, value, expected) in [
        (SchemaType::Int32, Value::Int32(2), Some(Some(2))),
        (SchemaType::Int64, Value::Int64(2), Some(Some(2))),
        (SchemaType::Int16, Value::Int16(0), Some(Some(0))),
        (SchemaType::Int32, Value::Null, Some(None)),
        (SchemaType::Int32, Value::Int32(-1), None),
        (SchemaType::Int64, Value::Int64(1 << 31), None),
    ] {
        let table = table(vec![("p", Schema::new(schema_type).optional(true))]);
        let cells = row(Value::Null, &[value]);
        let found = routed(config.clone(), &table, &cells, |record, _| record.partition);
        match expected {
            Some(partition) => assert_eq!(found, Ok(partition)),
            None => assert!(matches!(found, Err(RouteError::Partition { .. }))),
        }
    }
}

#[test]
fn everything_wrong_with_a_table_is_told_at_once() {
    let config = RouterConfig {
        event_id: "nosuch".into(),
        event_key: String::new(),
        payload: "body".into(),
        route_by: "n".into(),
        timestamp: Some("n".into()),
        schema_version: Some("type".into()),
        placements: vec![
            placed("gone", PlacementKind::Header, "gone"),
            placed("type", PlacementKind::Envelope, "payload"),
            placed("type", PlacementKind::Partition, "type"),
        ],
        ..config()
    };
    let table = table(vec![("n", Schema::new(SchemaType::Int32))]);
    let errors = EventRouter::new(config, "srv", "run-1").plan(&table).unwrap_err();
    let properties: Vec<_> = errors
        .iter()
        .map(|error| match error {
            RouteError::MissingColumn { property, column, columns, .. } => {
                assert_eq!(columns.len(), 6);
                (*property, column.as_str())
            }
            RouteError::WrongType { property, column, .. } => (*property, column.as_str()),
            RouteError::DuplicateField { field, .. } => ("duplicate", field.as_str()),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(
        properties,
        [
            ("table.field.event.id", "nosuch"),
            ("table.field.event.key", ""),
            ("table.field.event.payload", "body"),
            ("route.by.field", "n"),
            ("table.field.event.timestamp", "n"),
            ("table.fields.additional.placement", "gone"),
            ("table.fields.additional.placement", "type"),
            ("duplicate", "payload"),
            ("table.field.event.schema.version", "type"),
        ]
    );
}

#[test]
fn missing_placements_are_skipped_where_allowed() {
    let config = RouterConfig {
        missing: MissingField::Ignore,
        placements: vec![
            placed("nosuch", PlacementKind::Header, "nosuch"),
            placed("type", PlacementKind::Header, "type"),
            placed("gone", PlacementKind::Envelope, "gone"),
        ],
        ..config()
    };
    routed(config, &table(vec![]), &row(Value::String("x"), &[]), |record, _| {
        assert_eq!(header_keys(record), ["id", "type"]);
        assert_eq!(record.value.value, Value::Struct(&[Value::String("x")]));
    })
    .unwrap();
}

#[test]
fn a_fixed_topic_needs_no_route_column() {
    let mut fixed = config();
    fixed.route_by = "nosuch".into();
    assert!(EventRouter::new(fixed.clone(), "srv", "r").plan(&table(vec![])).is_err());
    fixed.topic_replacement = Replacement::parse("order-evts", &fixed.topic_regex).unwrap();
    let cells = row(Value::Null, &[]);
    let topic = routed(fixed, &table(vec![]), &cells, |record, _| record.topic.to_owned());
    assert_eq!(topic.unwrap(), "order-evts");
}

#[test]
fn a_column_outside_the_row_image_stops_only_where_it_is_needed() {
    let config =
        RouterConfig { placements: vec![placed("n", PlacementKind::Header, "n")], ..config() };
    let table = table(vec![("n", Schema::new(SchemaType::Int32).optional(true))]);
    let mut cells = row(Value::String("x"), &[]);
    cells.push(Cell::Absent);
    let is_null = |record: &SourceRecord<'_>, _| record.headers[1].value.value.is_null();
    assert_eq!(routed(config.clone(), &table, &cells, is_null), Ok(true));
    cells[4] = Cell::Absent;
    let error = routed(config, &table, &cells, |_, _| ()).unwrap_err();
    assert!(matches!(error, RouteError::Absent { column, .. } if column == "payload"));
}

#[test]
fn a_plan_tells_which_columns_it_reads_and_what_it_makes_of_them() {
    let config = RouterConfig {
        placements: vec![placed("n", PlacementKind::Envelope, "n")],
        context_headers: true,
        ..config()
    };
    let table = table(vec![("n", Schema::new(SchemaType::Int32)), ("other", null_text())]);
    let router = EventRouter::new(config, "srv", "run-1");
    let plan = router.plan(&table).unwrap();
    assert_eq!(plan.wanted, [true, true, true, false, true, true, false]);
    let parts = plan.parts(&table);
    let places: Vec<_> = parts.iter().map(|part| (part.place, part.schema.schema_type)).collect();
    assert_eq!(
        places,
        [
            (Place::Key, SchemaType::String),
            (Place::Header, SchemaType::String),
            (Place::Value, SchemaType::Struct),
            (Place::Header, SchemaType::String),
        ]
    );
}

#[test]
fn payloads_that_do_not_expand_keep_their_text() {
    for (payload, warning) in [
        (Value::String(" {}"), ExpandWarning::NotDocument),
        (Value::String(""), ExpandWarning::NotDocument),
        (Value::String("1"), ExpandWarning::NotDocument),
        (Value::String("{'a':1}"), ExpandWarning::Malformed),
        (Value::String("{\"a\":[1,\"x\"]}"), ExpandWarning::NoSchema),
        (Value::String("{\"a\":[1,2.5]}"), ExpandWarning::NoSchema),
        (Value::String("{\"a\":[1,3000000000]}"), ExpandWarning::NoSchema),
        (Value::String("{\"a\":[null]}"), ExpandWarning::NoSchema),
        (Value::String("{\"a\":[[],[2]]}"), ExpandWarning::NoSchema),
        (Value::String("{\"\":3}"), ExpandWarning::NoSchema),
        (Value::String("[1,2]"), ExpandWarning::Unwritable),
        (Value::String("{\"a\":[[1],[\"x\"]]}"), ExpandWarning::Unwritable),
        (Value::String("{\"a\":18446744073709551615}"), ExpandWarning::Unwritable),
        (Value::String("{\"a\":[{\"x\":1},{\"x\":\"s\"}]}"), ExpandWarning::Unwritable),
        (Value::String("{\"a\":[{\"x\":1},{\"y\":1},null]}"), ExpandWarning::Unwritable),
        (
            Value::String("{\"a\":[{\"x\":3000000000},{\"x\":1,\"y\":1}]}"),
            ExpandWarning::Unwritable,
        ),
        (Value::Int32(5), ExpandWarning::NotText),
    ] {
        let mut table = table(vec![]);
        if matches!(payload, Value::Int32(_)) {
            table.fields[4].schema = Schema::new(SchemaType::Int32).into();
        }
        let config = RouterConfig { expand_json: true, ..config() };
        routed(config, &table, &row(payload, &[]), |record, found| {
            assert_eq!(record.value.value, payload);
            assert_eq!(**record.value.schema.as_ref().unwrap(), *table.fields[4].schema);
            assert_eq!(found, Some(warning), "{payload:?}");
        })
        .unwrap();
    }
}

#[test]
fn an_empty_array_loses_its_schema_unless_in_an_envelope() {
    for envelope in [false, true] {
        let mut config = RouterConfig { expand_json: true, ..config() };
        if envelope {
            config.placements = vec![placed("type", PlacementKind::Envelope, "type")];
        }
        let cells = row(Value::String("[]"), &[]);
        routed(config, &table(vec![]), &cells, |record, warning| {
            assert_eq!(record.value.schema.is_none(), !envelope);
            assert_eq!(warning, envelope.then_some(ExpandWarning::Unwritable));
        })
        .unwrap();
    }
}

proptest! {
    #[test]
    fn no_payload_panics(
        payload in "[\\[\\]{}:,\"ab01.e\\-+ nulltrfs\\\\]{0,40}",
        bytes in any::<bool>(),
    ) {
        let config = RouterConfig {
            expand_json: true,
            json_null: if bytes { NullInJson::OptionalBytes } else { NullInJson::Ignore },
            field_names: FieldNameAdjustment::AvroUnicode,
            ..config()
        };
        routed(config, &table(vec![]), &row(Value::String(&payload), &[]), |_, _| ()).unwrap();
    }

    #[test]
    fn nested_documents_expand_or_keep_their_text(
        payload in "\\{\"a\":(\\[|\\{\"b\":){0,3}(1|null|\"x\"|\\{\\}|\\[\\])(\\]|\\}){0,3}\\}",
    ) {
        let config = RouterConfig { expand_json: true, ..config() };
        routed(config, &table(vec![]), &row(Value::String(&payload), &[]), |record, warning| {
            let expanded = matches!(record.value.value, Value::Struct(_));
            assert_eq!(expanded, warning.is_none());
        })
        .unwrap();
    }

    #[test]
    fn no_route_value_panics(value in any::<String>()) {
        let mut cells = row(Value::Null, &[]);
        cells[1] = Cell::Value(Value::String(&value));
        routed(config(), &table(vec![]), &cells, |_, _| ()).unwrap();
    }
}
