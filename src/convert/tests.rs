use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use proptest::prelude::*;

use super::{ConvertError, Converters};
use crate::config::{ConverterClass, ConverterConfig, ConvertersConfig};
use crate::connect::{
    DefaultValue, Field, Header, Schema, SchemaAndValue, SchemaRef, SchemaType, SourceRecord,
    Value, logical,
};
use crate::route::{Heartbeat, Place, RecordPart};

fn of(class: ConverterClass) -> ConverterConfig {
    ConverterConfig {
        class,
        schemas_enable: false,
        decimal_numeric: false,
        replace_null_with_default: true,
        encoding: None,
        delegate: None,
    }
}

fn converters(value: ConverterConfig, header: ConverterConfig) -> Result<Converters, ConvertError> {
    Converters::new(&ConvertersConfig { key: of(ConverterClass::String), value, header })
}

/// What a converter makes of a record's value.
fn written(
    config: &ConverterConfig,
    schema: Option<&Schema>,
    value: Value<'_>,
) -> Result<Option<Vec<u8>>, ConvertError> {
    let arena = Bump::new();
    let input = SchemaAndValue { schema: schema.map(SchemaRef::Plan), value };
    let as_header = config.class == ConverterClass::SimpleHeader;
    let (value_config, header_config) = if as_header {
        (of(ConverterClass::String), config.clone())
    } else {
        (config.clone(), of(ConverterClass::SimpleHeader))
    };
    let converters = converters(value_config, header_config)?;
    let mut headers = ArenaVec::new_in(&arena);
    if as_header {
        headers.push(Header { key: "h", value: input.clone() });
    }
    let record = SourceRecord {
        topic: "t",
        partition: None,
        key: SchemaAndValue::NULL,
        value: if as_header { SchemaAndValue::NULL } else { input },
        headers,
        timestamp: None,
    };
    let out = Bump::new();
    let apart = converters.convert_apart(&record, &out);
    let record = converters.convert(&record, &arena)?;
    assert_eq!(apart.unwrap(), record, "apart from the row");
    let bytes = if as_header { record.headers[0].1 } else { record.value };
    Ok(bytes.map(<[u8]>::to_vec))
}

fn text(config: &ConverterConfig, schema: &Schema, value: Value<'_>) -> String {
    match written(config, Some(schema), value) {
        Ok(Some(bytes)) => String::from_utf8(bytes).unwrap(),
        Ok(None) => "<null>".into(),
        Err(error) => format!("<{error}>"),
    }
}

fn schema(schema_type: SchemaType) -> Schema {
    Schema::new(schema_type).optional(true)
}

fn structure(fields: Vec<(&str, Schema)>) -> Schema {
    let field = |(name, schema): (&str, Schema)| Field { name: name.into(), schema: schema.into() };
    Schema { fields: fields.into_iter().map(field).collect(), ..schema(SchemaType::Struct) }
}

fn array(element: Schema) -> Schema {
    Schema { value_schema: Some(Arc::new(element)), ..schema(SchemaType::Array) }
}

fn map(value: Schema) -> Schema {
    let key = Some(Arc::new(Schema::new(SchemaType::String)));
    Schema { key_schema: key, value_schema: Some(Arc::new(value)), ..schema(SchemaType::Map) }
}

#[test]
fn every_value_has_debeziums_text_under_each_converter() {
    let string = schema(SchemaType::String);
    let bytes = schema(SchemaType::Bytes);
    let decimal = bytes.clone().named(logical::DECIMAL).parameter("scale", "2");
    let pair = structure(vec![("a", string.clone()), ("b", schema(SchemaType::Int32))]);
    let nested = structure(vec![("p", pair.clone()), ("l", array(schema(SchemaType::Int32)))]);
    let ints = [Value::Int32(1), Value::Null];
    let both = [Value::String("x\"\\\n"), Value::Int32(1)];
    let half = [Value::Null, Value::Int32(1)];
    let deep = [Value::Struct(&both), Value::Array(&ints)];
    let timestamp = schema(SchemaType::Int64).named(logical::CONNECT_TIMESTAMP);
    let date = schema(SchemaType::Int32).named(logical::CONNECT_DATE);
    let time = schema(SchemaType::Int32).named(logical::CONNECT_TIME);
    let (fifth, entry) = ([1u8, 2, 3, 4, 5], [("a", Value::Int32(1))]);
    for (schema, value, as_string, as_json, as_header) in [
        (&string, Value::Null, "<null>", "null", "<null>"),
        (&string, Value::String("a\"b"), "a\"b", "\"a\\\"b\"", "a\"b"),
        (&schema(SchemaType::Int16), Value::Int16(-5), "-5", "-5", "-5"),
        (
            &schema(SchemaType::Int64),
            Value::Int64(i64::MIN),
            "-9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775808",
        ),
        (&schema(SchemaType::Boolean), Value::Boolean(true), "true", "true", "true"),
        (&schema(SchemaType::Float64), Value::Float64(1e7), "1.0E7", "1.0E7", "1.0E7"),
        (&schema(SchemaType::Float64), Value::Float64(f64::NAN), "NaN", "\"NaN\"", "NaN"),
        (&schema(SchemaType::Float32), Value::Float32(1.1), "1.1", "1.1", "1.1"),
        (&decimal, Value::Decimal("12345678.90"), "12345678.90", "\"SZYC0g==\"", "12345678.90"),
        (&decimal, Value::Decimal("0.0000000000"), "0E-10", "\"AA==\"", "0E-10"),
        (
            &bytes,
            Value::Bytes(&fifth),
            "java.nio.HeapByteBuffer[pos=0 lim=5 cap=5]",
            "\"AQIDBAU=\"",
            "AQIDBAU=",
        ),
        (&bytes, Value::Bytes(b""), "java.nio.HeapByteBuffer[pos=0 lim=0 cap=0]", "\"\"", ""),
        (
            &timestamp,
            Value::Int64(1_709_210_096_000),
            "Thu Feb 29 12:34:56 UTC 2024",
            "1709210096000",
            "2024-02-29T12:34:56.000Z",
        ),
        (&date, Value::Int32(19_782), "Thu Feb 29 00:00:00 UTC 2024", "19782", "2024-02-29"),
        (&time, Value::Int32(1), "Thu Jan 01 00:00:00 UTC 1970", "1", "00:00:00.001Z"),
        (
            &pair,
            Value::Struct(&half),
            "Struct{b=1}",
            "{\"a\":null,\"b\":1}",
            "{\"a\":null,\"b\":1}",
        ),
        (
            &nested,
            Value::Struct(&deep),
            "Struct{p=Struct{a=x\"\\\n,b=1},l=[1, null]}",
            "{\"p\":{\"a\":\"x\\\"\\\\\\n\",\"b\":1},\"l\":[1,null]}",
            "{\"p\":{\"a\":\"x\\\"\\\\\n\",\"b\":1},\"l\":[1,null]}",
        ),
        (&map(schema(SchemaType::Int32)), Value::Map(&entry), "{a=1}", "{\"a\":1}", "{\"a\":1}"),
    ] {
        assert_eq!(text(&of(ConverterClass::String), schema, value), as_string, "{value:?}");
        assert_eq!(text(&of(ConverterClass::Json), schema, value), as_json, "{value:?}");
        assert_eq!(text(&of(ConverterClass::SimpleHeader), schema, value), as_header, "{value:?}");
    }
}

#[test]
fn bits_have_a_stable_text_in_place_of_javas_unstable_one() {
    let bits = schema(SchemaType::Bytes).named(logical::BITS).parameter("length", "5");
    let found = text(&of(ConverterClass::String), &bits, Value::Bytes(&[21]));
    assert!(found.starts_with("[B@") && found.len() == 11, "{found}");
    assert_eq!(text(&of(ConverterClass::String), &bits, Value::Bytes(&[21])), found);
    assert_eq!(text(&of(ConverterClass::Json), &bits, Value::Bytes(&[21])), "\"FQ==\"");
    assert_eq!(text(&of(ConverterClass::SimpleHeader), &bits, Value::Bytes(&[21])), "FQ==");
}

#[test]
fn a_tombstone_is_null_under_every_converter() {
    for class in [
        ConverterClass::String,
        ConverterClass::Json,
        ConverterClass::ByteArray,
        ConverterClass::BinaryData,
        ConverterClass::SimpleHeader,
        ConverterClass::Boolean,
        ConverterClass::Long,
    ] {
        assert_eq!(written(&of(class), None, Value::Null), Ok(None), "{class:?}");
    }
}

#[test]
fn json_strings_are_escaped_as_jackson_does() {
    let string = schema(SchemaType::String);
    for (value, expected) in [
        ("\u{8}\t\n\u{c}\r\"\\/", "\"\\b\\t\\n\\f\\r\\\"\\\\/\""),
        ("\u{1}\u{1f}\u{7f}", "\"\\u0001\\u001F\u{7f}\""),
        ("é\u{2028}€", "\"é\u{2028}€\""),
        ("a\u{1F600}b", "\"a\\uD83D\\uDE00b\""),
    ] {
        assert_eq!(text(&of(ConverterClass::Json), &string, Value::String(value)), expected);
    }
}

#[test]
fn defaults_stand_for_nulls_unless_switched_off() {
    let with_default =
        Schema { default: Some(DefaultValue::Int32(3)), ..schema(SchemaType::Int32) };
    let keep = ConverterConfig { replace_null_with_default: false, ..of(ConverterClass::Json) };
    assert_eq!(text(&of(ConverterClass::Json), &with_default, Value::Null), "3");
    assert_eq!(text(&keep, &with_default, Value::Null), "null");
    assert_eq!(text(&of(ConverterClass::String), &with_default, Value::Null), "<null>");
    let outer = structure(vec![("n", with_default)]);
    let inner = [Value::Null];
    assert_eq!(text(&of(ConverterClass::Json), &outer, Value::Struct(&inner)), "{\"n\":3}");
    assert_eq!(text(&of(ConverterClass::SimpleHeader), &outer, Value::Struct(&inner)), "{\"n\":3}");
    let required = Schema::new(SchemaType::Int32);
    let error = written(&of(ConverterClass::Json), Some(&required), Value::Null).unwrap_err();
    assert_eq!(error, ConvertError::Null { place: Place::Value });
}

#[test]
fn decimals_are_bare_numbers_when_asked_for() {
    let numeric = ConverterConfig { decimal_numeric: true, ..of(ConverterClass::Json) };
    let decimal = schema(SchemaType::Bytes).named(logical::DECIMAL).parameter("scale", "10");
    for (value, expected) in [("0.0000000000", "0E-10"), ("0.0000001000", "1.000E-7")] {
        assert_eq!(text(&numeric, &decimal, Value::Decimal(value)), expected);
    }
}

#[test]
fn schemas_are_described_in_kafkas_order() {
    let with_schemas = ConverterConfig { schemas_enable: true, ..of(ConverterClass::Json) };
    let decimal = Schema {
        default: Some(DefaultValue::Decimal("0.05".into())),
        doc: Some("d".into()),
        ..schema(SchemaType::Bytes).named(logical::DECIMAL).parameter("scale", "2")
    };
    let outer = Schema {
        name: Some("srv.db.outbox.User.Value".into()),
        optional: false,
        ..structure(vec![("d", decimal), ("l", array(map(schema(SchemaType::Float64))))])
    };
    let value = [Value::Null, Value::Array(&[])];
    assert_eq!(
        text(&with_schemas, &outer, Value::Struct(&value)),
        "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"type\":\"bytes\",\"optional\":true,\
         \"name\":\"org.apache.kafka.connect.data.Decimal\",\"version\":1,\"doc\":\"d\",\
         \"parameters\":{\"scale\":\"2\"},\"default\":\"BQ==\",\"field\":\"d\"},{\"type\":\"array\",\
         \"items\":{\"type\":\"map\",\"keys\":{\"type\":\"string\",\"optional\":false},\
         \"values\":{\"type\":\"double\",\"optional\":true},\"optional\":true},\"optional\":true,\
         \"field\":\"l\"}],\"optional\":false,\"name\":\"srv.db.outbox.User.Value\"},\
         \"payload\":{\"d\":\"BQ==\",\"l\":[]}}"
    );
    assert_eq!(
        written(&with_schemas, None, Value::String("[]")).unwrap().unwrap(),
        b"{\"schema\":null,\"payload\":\"[]\"}"
    );
    let null = text(&with_schemas, &schema(SchemaType::String), Value::Null);
    assert_eq!(null, "{\"schema\":{\"type\":\"string\",\"optional\":true},\"payload\":null}");
}

#[test]
fn a_value_that_is_not_what_its_schema_says_is_an_error() {
    let error = written(&of(ConverterClass::Json), Some(&structure(vec![])), Value::String("{}"))
        .unwrap_err();
    let expected = ConvertError::Mismatch {
        place: Place::Value,
        expected: SchemaType::Struct,
        found: "STRING",
    };
    assert_eq!(error, expected);
}

#[test]
fn byte_converters_pass_bytes_and_nothing_else() {
    let bytes = schema(SchemaType::Bytes);
    let string = schema(SchemaType::String);
    let delegating = ConverterConfig {
        delegate: Some(Box::new(of(ConverterClass::Json))),
        ..of(ConverterClass::BinaryData)
    };
    let array = of(ConverterClass::ByteArray);
    let binary = of(ConverterClass::BinaryData);
    for config in [&array, &binary, &delegating] {
        assert_eq!(text(config, &bytes, Value::Bytes(b"ab")), "ab");
        assert_eq!(text(config, &bytes, Value::Bytes(b"")), "");
        assert_eq!(text(config, &bytes, Value::Null), "<null>");
    }
    for config in [&array, &binary] {
        assert!(written(config, Some(&string), Value::String("a")).is_err());
        assert!(written(config, Some(&string), Value::Null).is_err());
    }
    assert_eq!(text(&delegating, &string, Value::String("a")), "\"a\"");
    let decimal = bytes.named(logical::DECIMAL);
    assert_eq!(text(&delegating, &decimal, Value::Decimal("1")), "\"AQ==\"");
}

#[test]
fn primitive_converters_write_big_endian_bytes_of_one_type() {
    for (class, value, schema_type, expected) in [
        (ConverterClass::Boolean, Value::Boolean(true), SchemaType::Boolean, &[1u8][..]),
        (ConverterClass::Short, Value::Int16(-2), SchemaType::Int16, &[0xff, 0xfe]),
        (ConverterClass::Integer, Value::Int32(1), SchemaType::Int32, &[0, 0, 0, 1]),
        (ConverterClass::Long, Value::Int64(256), SchemaType::Int64, &[0, 0, 0, 0, 0, 0, 1, 0]),
        (ConverterClass::Float, Value::Float32(1.0), SchemaType::Float32, &[0x3f, 0x80, 0, 0]),
        (
            ConverterClass::Double,
            Value::Float64(-2.0),
            SchemaType::Float64,
            &[0xc0, 0, 0, 0, 0, 0, 0, 0],
        ),
    ] {
        let found = written(&of(class), Some(&schema(schema_type)), value);
        assert_eq!(found.unwrap().as_deref(), Some(expected), "{class:?}");
        let other = written(&of(class), Some(&schema(SchemaType::String)), Value::String("1"));
        assert!(matches!(other, Err(ConvertError::Type { .. })), "{class:?}");
    }
    let date = schema(SchemaType::Int64).named(logical::CONNECT_TIMESTAMP);
    assert!(written(&of(ConverterClass::Long), Some(&date), Value::Int64(1)).is_err());
}

#[test]
fn text_is_written_in_the_charset_asked_for() {
    let string = schema(SchemaType::String);
    for (encoding, value, expected) in [
        ("UTF-8", "é", "é".as_bytes()),
        ("ISO-8859-1", "é€", &[0xe9, b'?'][..]),
        ("US-ASCII", "aé", b"a?"),
        ("UTF-16", "a", &[0xfe, 0xff, 0, b'a']),
        ("UTF-16", "", b""),
        ("UTF-16LE", "a", &[b'a', 0]),
        ("Shift_JIS", "あ", &[0x82, 0xa0]),
        ("windows-1252", "€", &[0x80]),
    ] {
        let config =
            ConverterConfig { encoding: Some(encoding.into()), ..of(ConverterClass::String) };
        let found = written(&config, Some(&string), Value::String(value)).unwrap();
        assert_eq!(found.as_deref(), Some(expected), "{encoding}");
    }
    let unknown = ConverterConfig { encoding: Some("nope".into()), ..of(ConverterClass::String) };
    let error = converters(unknown, of(ConverterClass::SimpleHeader)).unwrap_err();
    assert!(matches!(error, ConvertError::Encoding { .. }));
}

#[test]
fn impossible_pairs_are_found_before_the_first_record() {
    let (string, bytes) = (schema(SchemaType::String), schema(SchemaType::Bytes));
    let part = |place, column, schema| RecordPart { place, column, schema };
    let parts = || {
        [
            part(Place::Key, "aggregateid", &bytes),
            part(Place::Header, "id", &string),
            part(Place::Value, "payload", &string),
        ]
    };
    let byte_array =
        converters(of(ConverterClass::ByteArray), of(ConverterClass::BinaryData)).unwrap();
    let errors = byte_array.check(parts()).unwrap_err();
    let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2);
    assert!(
        texts[0].starts_with("header.converter: BinaryDataConverter cannot write column \"id\"")
    );
    assert!(texts[1].contains("value.converter") && texts[1].contains("STRING"), "{}", texts[1]);
    let plain = converters(of(ConverterClass::String), of(ConverterClass::SimpleHeader)).unwrap();
    let warnings = plain.check(parts()).unwrap();
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].column, "aggregateid");
    let heartbeat = Heartbeat::new("hb".into(), "srv");
    assert!(byte_array.check(heartbeat.parts()).is_err());
    assert!(plain.check(heartbeat.parts()).is_ok());
}

#[test]
fn heartbeats_are_written_as_debezium_writes_them() {
    let arena = Bump::new();
    let heartbeat = Heartbeat::new("__debezium-heartbeat.srv".into(), "srv");
    let converters = Converters::new(&ConvertersConfig {
        key: of(ConverterClass::Json),
        value: of(ConverterClass::Json),
        header: of(ConverterClass::SimpleHeader),
    })
    .unwrap();
    let record = heartbeat.record(1_795_988_762_913, &arena);
    let record = converters.convert(&record, &arena).unwrap();
    assert_eq!((record.topic, record.partition), ("__debezium-heartbeat.srv", Some(0)));
    assert_eq!(record.key, Some(&b"{\"serverName\":\"srv\"}"[..]));
    assert_eq!(record.value, Some(&b"{\"ts_ms\":1795988762913}"[..]));
    assert!(record.headers.is_empty());
}

#[test]
fn text_and_bytes_are_passed_on_without_a_copy() {
    let arena = Bump::new();
    let string = schema(SchemaType::String);
    let payload = String::from("payload");
    let converters = converters(of(ConverterClass::String), of(ConverterClass::SimpleHeader));
    let record = SourceRecord {
        topic: "t",
        partition: None,
        key: SchemaAndValue::NULL,
        value: SchemaAndValue {
            schema: Some(SchemaRef::Plan(&string)),
            value: Value::String(&payload),
        },
        headers: ArenaVec::new_in(&arena),
        timestamp: None,
    };
    let converters = converters.unwrap();
    let written = converters.convert(&record, &arena).unwrap().value.unwrap();
    assert_eq!(written.as_ptr(), payload.as_ptr());
}

proptest! {
    #[test]
    fn json_text_reads_back(value in any::<String>()) {
        let json = text(&of(ConverterClass::Json), &schema(SchemaType::String), Value::String(&value));
        prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), value);
    }

    #[test]
    fn numbers_read_back(double in any::<f64>(), float in any::<f32>(), integer in any::<i64>()) {
        let string = of(ConverterClass::String);
        let double_text = text(&string, &schema(SchemaType::Float64), Value::Float64(double));
        let float_text = text(&string, &schema(SchemaType::Float32), Value::Float32(float));
        let integer_text = text(&string, &schema(SchemaType::Int64), Value::Int64(integer));
        prop_assert_eq!(double_text.parse::<f64>().unwrap().to_bits(), double.to_bits());
        prop_assert_eq!(float_text.parse::<f32>().unwrap().to_bits(), float.to_bits());
        prop_assert_eq!(integer_text.parse::<i64>().unwrap(), integer);
    }

    #[test]
    fn no_date_panics(ms in any::<i64>(), days in any::<i32>()) {
        for class in [ConverterClass::String, ConverterClass::SimpleHeader, ConverterClass::Json] {
            let timestamp = schema(SchemaType::Int64).named(logical::CONNECT_TIMESTAMP);
            let date = schema(SchemaType::Int32).named(logical::CONNECT_DATE);
            text(&of(class), &timestamp, Value::Int64(ms));
            text(&of(class), &date, Value::Int32(days));
        }
    }

    #[test]
    fn no_decimal_panics(digits in "-?[0-9.x]{0,70}") {
        let decimal = schema(SchemaType::Bytes).named(logical::DECIMAL);
        for class in [ConverterClass::String, ConverterClass::SimpleHeader, ConverterClass::Json] {
            text(&of(class), &decimal, Value::Decimal(&digits));
        }
    }
}
