use std::collections::BTreeMap;
use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use proptest::prelude::*;

use super::TransformChain;
use crate::config::{PredicateConfig, PredicateStep, TransformConfig, TransformStep};
use crate::connect::{
    DefaultValue, Field, Header, Schema, SchemaAndValue, SchemaRef, SchemaType, SourceRecord,
    Value, logical,
};
use crate::route::RouteError;

const NOW: i64 = 1_709_210_096_789;

fn options(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn step(class: &str, pairs: &[(&str, &str)]) -> TransformStep {
    let transform = TransformConfig::parse(class, &options(pairs)).unwrap();
    TransformStep { alias: "t".into(), transform, predicate: None }
}

/// A struct with an integer that is null and has a default, a text, an instant, bytes and a decimal.
fn schema() -> Schema {
    let of = |schema_type| Schema::new(schema_type).optional(true);
    let fields = [
        ("a", Schema { default: Some(DefaultValue::Int32(5)), ..of(SchemaType::Int32) }),
        ("b", Schema::new(SchemaType::String)),
        ("ts", of(SchemaType::Int64).named(logical::CONNECT_TIMESTAMP)),
        ("by", of(SchemaType::Bytes)),
        ("d", of(SchemaType::Bytes).named(logical::DECIMAL).parameter("scale", "2")),
    ];
    let field = |(name, schema): (&str, Schema)| Field { name: name.into(), schema: schema.into() };
    Schema {
        fields: fields.into_iter().map(field).collect(),
        name: Some("n".into()),
        version: Some(2),
        ..of(SchemaType::Struct)
    }
}

const VALUES: [Value<'static>; 5] = [
    Value::Null,
    Value::String("x"),
    Value::Int64(1_709_210_096_000),
    Value::Bytes(&[1, 2]),
    Value::Decimal("12.34"),
];

fn text(value: &'static str) -> SchemaAndValue<'static> {
    let schema = Schema::new(SchemaType::String);
    SchemaAndValue {
        schema: Some(SchemaRef::Shared(Arc::new(schema))),
        value: Value::String(value),
    }
}

fn structure() -> SchemaAndValue<'static> {
    SchemaAndValue {
        schema: Some(SchemaRef::Shared(Arc::new(schema()))),
        value: Value::Struct(&VALUES),
    }
}

/// Passes a record with this value through the steps and looks at what comes out.
fn passed<T>(
    steps: Vec<TransformStep>,
    value: SchemaAndValue<'static>,
    look: impl FnOnce(Option<&SourceRecord<'_>>) -> T,
) -> Result<T, RouteError> {
    let arena = Bump::new();
    let chain = TransformChain::new(steps).unwrap();
    let mut headers = ArenaVec::new_in(&arena);
    headers.push(Header { key: "id", value: text("1") });
    let record = SourceRecord {
        topic: "outbox.event.Order",
        partition: Some(3),
        key: text("k"),
        value,
        headers,
        timestamp: Some(NOW),
    };
    Ok(look(chain.apply(record, &arena)?.as_ref()))
}

/// The fields' names, types and values.
fn fields(input: &SchemaAndValue<'_>) -> Vec<String> {
    let Value::Struct(values) = input.value else { panic!("{:?}", input.value) };
    let schema = input.schema.as_ref().unwrap();
    let field = |(field, value): (&Field, &Value<'_>)| {
        format!("{} {:?} {value:?}", field.name, field.schema.schema_type)
    };
    schema.fields.iter().zip(values).map(field).collect()
}

fn value_after(class: &str, pairs: &[(&str, &str)]) -> Vec<String> {
    passed(vec![step(class, pairs)], structure(), |record| fields(&record.unwrap().value)).unwrap()
}

#[test]
fn topics_are_renamed_one_after_the_other() {
    let steps = vec![
        step(
            "org.apache.kafka.connect.transforms.RegexRouter",
            &[("regex", r"outbox\.event\.(.*)"), ("replacement", "prod.$1")],
        ),
        step("RegexRouter", &[("regex", "nothing"), ("replacement", "x")]),
        step("TimestampRouter", &[]),
        step("TimestampRouter", &[("topic.format", "${topic}_"), ("timestamp.format", "yyyy")]),
    ];
    let topic = passed(steps, text("v"), |record| record.unwrap().topic.to_owned());
    assert_eq!(topic.unwrap(), "prod.Order-20240229_");
}

#[test]
fn headers_are_added_dropped_and_taken_from_fields() {
    let keys = |steps, value| {
        let keys = |record: Option<&SourceRecord<'_>>| -> Vec<String> {
            record.unwrap().headers.iter().map(|header| header.key.to_owned()).collect()
        };
        passed(steps, value, keys).unwrap()
    };
    let insert = step("InsertHeader", &[("header", "origin"), ("value.literal", "mysql-1")]);
    assert_eq!(keys(vec![insert.clone()], text("v")), ["id", "origin"]);
    let drop = step("DropHeaders", &[("headers", "id , other")]);
    assert_eq!(keys(vec![insert, drop], text("v")), ["origin"]);
    let moved = [("fields", "a,b"), ("headers", "ha,hb"), ("operation", "move")];
    passed(vec![step("HeaderFrom$Value", &moved)], structure(), |record| {
        let record = record.unwrap();
        assert_eq!(record.headers[1].value.value, Value::Int32(5));
        assert_eq!(record.headers[2].value.value, Value::String("x"));
        let left: Vec<_> = fields(&record.value);
        assert_eq!(left.len(), 3);
        let schema = record.value.schema.as_ref().unwrap();
        assert_eq!((schema.name.as_deref(), schema.optional), (Some("n"), false));
    })
    .unwrap();
}

#[test]
fn structs_are_reshaped() {
    assert_eq!(
        value_after("ReplaceField$Value", &[("include", "a,b"), ("renames", "a:z,b:y")]),
        ["z Int32 Int32(5)", "y String String(\"x\")"]
    );
    let keep = [("include", "a"), ("replace.null.with.default", "false")];
    assert_eq!(value_after("ReplaceField$Value", &keep), ["a Int32 Null"]);
    assert_eq!(value_after("ReplaceField$Value", &[("exclude", "a,b,ts,by")]).len(), 1);
    let inserted = [
        ("topic.field", "t!"),
        ("partition.field", "p"),
        ("timestamp.field", "w"),
        ("static.field", "s?"),
        ("static.value", "5"),
    ];
    assert_eq!(
        value_after("InsertField$Value", &inserted)[5..],
        [
            "t String String(\"outbox.event.Order\")",
            "p Int32 Int32(3)",
            "w Int64 Int64(1709210096789)",
            "s String String(\"5\")",
        ]
    );
    passed(vec![step("ValueToKey", &[("fields", "b,a")])], structure(), |record| {
        let key = &record.unwrap().key;
        assert_eq!(fields(key), ["b String String(\"x\")", "a Int32 Int32(5)"]);
        assert_eq!(key.schema.as_ref().unwrap().name, None);
    })
    .unwrap();
    let named = [("schema.name", "q"), ("schema.version", "9")];
    passed(vec![step("SetSchemaMetadata$Value", &named)], structure(), |record| {
        let schema = record.unwrap().value.schema.clone().unwrap();
        assert_eq!((schema.name.as_deref(), schema.version), (Some("q"), Some(9)));
        assert!(schema.optional);
    })
    .unwrap();
}

#[test]
fn casts_follow_javas_narrowing_and_text() {
    assert_eq!(
        value_after("Cast$Value", &[("spec", "a:string,ts:string,by:string,d:string")]),
        [
            "a String String(\"5\")",
            "b String String(\"x\")",
            "ts String String(\"2024-02-29T12:34:56.000Z\")",
            "by String String(\"AQI=\")",
            "d String String(\"12.34\")",
        ]
    );
    assert_eq!(
        value_after("Cast$Value", &[("spec", "a:boolean,ts:int8,d:float64")]),
        [
            "a Boolean Boolean(true)",
            "b String String(\"x\")",
            "ts Int8 Int8(-128)",
            "by Bytes Bytes([1, 2])",
            "d Float64 Float64(12.34)",
        ]
    );
    let whole = |value, spec| {
        let look = |record: Option<&SourceRecord<'_>>| format!("{:?}", record.unwrap().value.value);
        passed(vec![step("Cast$Value", &[("spec", spec)])], value, look)
    };
    assert_eq!(whole(text("-7"), "int16").unwrap(), "Int16(-7)");
    assert_eq!(whole(text(" 1.5f "), "float32").unwrap(), "Float32(1.5)");
    assert_eq!(whole(text("TRUE"), "boolean").unwrap(), "Boolean(true)");
    assert!(whole(text("300"), "int8").is_err());
    assert!(whole(structure(), "string").is_err());
}

#[test]
fn nulls_pass_and_other_values_fail_where_structs_are_needed() {
    for (class, pairs, null_passes) in [
        ("ReplaceField$Value", &[("exclude", "a")][..], true),
        ("InsertField$Value", &[("topic.field", "t")], true),
        ("Cast$Value", &[("spec", "a:int8")], true),
        ("SetSchemaMetadata$Value", &[("schema.name", "q")], true),
        ("ValueToKey", &[("fields", "a")], false),
        ("HeaderFrom$Value", &[("fields", "a"), ("headers", "h"), ("operation", "copy")], false),
    ] {
        let null = passed(vec![step(class, pairs)], SchemaAndValue::NULL, |_| ());
        assert_eq!(null.is_ok(), null_passes, "{class}");
        let other = passed(vec![step(class, pairs)], text("v"), |_| ());
        assert!(matches!(other, Err(RouteError::Transform { .. })), "{class}");
    }
}

#[test]
fn predicates_decide_whether_a_transform_runs() {
    for (class, pairs, tombstone, holds) in [
        ("TopicNameMatches", &[("pattern", "outbox.*")][..], false, true),
        ("TopicNameMatches", &[("pattern", "outbox")], false, false),
        ("HasHeaderKey", &[("name", "id")], false, true),
        ("HasHeaderKey", &[("name", "nosuch")], false, false),
        ("RecordIsTombstone", &[], false, false),
        ("RecordIsTombstone", &[], true, true),
    ] {
        for negate in [false, true] {
            let class = format!("org.apache.kafka.connect.transforms.predicates.{class}");
            let predicate = PredicateConfig::parse(&class, &options(pairs)).unwrap();
            let filter = TransformStep {
                predicate: Some(PredicateStep { predicate, negate }),
                ..step("org.apache.kafka.connect.transforms.Filter", &[])
            };
            let value = if tombstone { SchemaAndValue::NULL } else { text("v") };
            let dropped = passed(vec![filter], value, |record| record.is_none()).unwrap();
            assert_eq!(dropped, holds != negate, "{class} {pairs:?} negated: {negate}");
        }
    }
}

#[test]
fn what_connect_refuses_is_refused_by_property() {
    for (class, pairs, part) in [
        ("io.debezium.transforms.ByLogicalTableRouter", &[][..], "not supported"),
        ("ReplaceField", &[], "not supported"),
        ("Filter$Value", &[], "not supported"),
        ("RegexRouter", &[("regex", "a")], "replacement"),
        ("RegexRouter", &[("regex", "("), ("replacement", "x")], "regex"),
        ("RegexRouter", &[("regex", "a"), ("replacement", "$1")], "replacement"),
        ("InsertHeader", &[("header", "a")], "value.literal"),
        ("DropHeaders", &[("headers", "")], "headers"),
        (
            "HeaderFrom$Key",
            &[("fields", "a"), ("headers", "b,c"), ("operation", "move")],
            "headers",
        ),
        ("HeaderFrom$Key", &[("fields", "a"), ("headers", "b"), ("operation", "x")], "operation"),
        ("ReplaceField$Key", &[("renames", "a:b:c")], "renames"),
        ("ReplaceField$Key", &[("replace.null.with.default", "yes")], "replace.null.with.default"),
        ("ValueToKey", &[], "fields"),
        ("InsertField$Key", &[], "static.field"),
        ("InsertField$Key", &[("static.field", "a")], "static.value"),
        ("InsertField$Key", &[("offset.field", "a")], "offset.field"),
        ("Cast$Key", &[("spec", "")], "spec"),
        ("Cast$Key", &[("spec", "a:bytes")], "spec"),
        ("Cast$Key", &[("spec", "a:int8,int8")], "spec"),
        ("SetSchemaMetadata$Key", &[], "schema.name"),
        ("SetSchemaMetadata$Key", &[("schema.version", "x")], "schema.version"),
    ] {
        let error = TransformConfig::parse(class, &options(pairs)).unwrap_err().to_string();
        assert!(error.contains(part), "{class} {pairs:?}: {error}");
    }
    let errors = TransformChain::new(vec![
        step("TimestampRouter", &[("timestamp.format", "b")]),
        step("InsertHeader", &[("header", "h"), ("value.literal", "{1:2}")]),
    ])
    .unwrap_err();
    assert_eq!(errors.len(), 2);
}

proptest! {
    #[test]
    fn no_literal_panics(literal in "[-+0-9.eE:, TZ\"{}a\\[\\]]{0,24}") {
        let insert = step("InsertHeader", &[("header", "h"), ("value.literal", &literal)]);
        let _chain: Result<TransformChain, _> = TransformChain::new(vec![insert]);
    }

    #[test]
    fn no_date_format_panics(format in "[yMdHhkKmsSaED' -]{0,12}", text in "[-0-9.]{0,30}") {
        let router = step("TimestampRouter", &[("timestamp.format", &format)]);
        if TransformChain::new(vec![router.clone()]).is_ok() {
            passed(vec![router], self::text("v"), |_| ()).unwrap();
        }
        let cast = step("Cast$Value", &[("spec", "float64")]);
        let value = SchemaAndValue { value: Value::String(text.leak()), ..self::text("v") };
        let _cast: Result<(), _> = passed(vec![cast], value, |_| ());
    }
}
