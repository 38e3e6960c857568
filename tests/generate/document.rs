use serde_json::{Map, Value, json};

use super::literal::text;
use crate::support::Random;

/// A JSON document as a literal, or built from SQL values of every type that it can hold. Unsigned numbers of
/// 2^31 to 2^32 and negative times, which Debezium's reader gets wrong, are left out.
pub(super) fn any(random: &mut Random) -> String {
    if random.chance(60) { literal(&value(random, 3, false)) } else { built(random) }
}

/// A document that expands to what a converter can write, or that is refused before its schema is used.
pub(super) fn expandable(random: &mut Random) -> String {
    match random.below(8) {
        0 => built_object(random),
        1 => literal(&value(random, 0, true)),
        _ => literal(&object(random, 3, true)),
    }
}

/// A text that is JSON, nearly JSON, or none.
pub(super) fn nearly(random: &mut Random) -> String {
    let strange = [
        "",
        " ",
        "{}",
        "{\"a\":1} trailing",
        " {\"a\":1}",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":1,}",
        "{\"a\":NaN}",
        "{\"a\":1,\"a\":\"two\"}",
        "not json",
        "1",
        "null",
        "\"text\"",
        "{\"\":1}",
        "{\"a\":{\"\":2}}",
        "{\"a\"",
        "{\"a\":1.0,\"b\":1e2,\"c\":-0.0}",
        "{ \"sp ace\" : [ 1 , 2 ] }",
        "{\"a\":\"\\u00e9\\ud83d\\ude00\\n\"}",
        "{\"n\":null,\"o\":{},\"l\":[]}",
        "{\"a\":[null,null]}",
        "{\"a\":[1,\"x\"]}",
        "{\"a\":[1,2.5]}",
    ];
    if random.chance(50) {
        let &sample = random.pick(&strange);
        text(sample)
    } else {
        text(&object(random, 3, true).to_string())
    }
}

fn literal(document: &Value) -> String {
    text(&document.to_string())
}

const KEYS: [&str; 14] = [
    "a",
    "b",
    "aa",
    "name",
    "Name",
    "key with space",
    "d.ot",
    "dash-ed",
    "1st",
    "é",
    "_",
    "$x",
    "nested",
    "😀",
];

/// With `even`, the elements of an array have one type and objects in it one shape.
fn value(random: &mut Random, depth: u64, even: bool) -> Value {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => random.chance(50).into(),
        2 => integer(random, even),
        3 => double(random, even),
        4 => string(random),
        5 => array(random, depth - 1, even),
        _ => object(random, depth - 1, even),
    }
}

fn object(random: &mut Random, depth: u64, even: bool) -> Value {
    let mut members = Map::new();
    for _ in 0..random.below(6) {
        let key = (*random.pick(&KEYS)).to_owned();
        members.insert(key, value(random, depth, even));
    }
    Value::Object(members)
}

fn array(random: &mut Random, depth: u64, even: bool) -> Value {
    let length = random.below(4);
    if !even {
        return (0..length).map(|_| value(random, depth, even)).collect();
    }
    let element: fn(&mut Random) -> Value = match random.below(5) {
        0 => |random| random.below(1000).into(),
        1 => |random| (*random.pick(&[0.5, -0.0, 1.0, 0.001, 123.456])).into(),
        2 => |random| random.chance(50).into(),
        3 => |random| json!({ "p": random.below(9), "q": { "r": string(random) } }),
        _ => string,
    };
    (0..length).map(|_| if random.chance(15) { Value::Null } else { element(random) }).collect()
}

fn integer(random: &mut Random, even: bool) -> Value {
    let edges = [
        0,
        1,
        -1,
        127,
        -128,
        32767,
        32768,
        -32769,
        2_147_483_647,
        -2_147_483_648,
        2_147_483_648,
        i64::MAX,
        i64::MIN,
    ];
    if !even && random.chance(10) { u64::MAX.into() } else { (*random.pick(&edges)).into() }
}

/// A double of more than 2^63 becomes a number that expands to nothing.
fn double(random: &mut Random, even: bool) -> Value {
    if !even && random.chance(20) {
        return (*random.pick(&[1e22, -1e300])).into();
    }
    (*random.pick(&[
        0.5,
        -0.0,
        1.0,
        1e7,
        12_345_678.9,
        0.001,
        0.0005,
        -2.5e-7,
        9_999_999.0,
        123.456,
    ]))
    .into()
}

fn string(random: &mut Random) -> Value {
    let texts = [
        "",
        "text",
        "x\"y/é",
        "back\\slash",
        "line\nbreak",
        "\u{1}\u{1f}\u{7f}",
        "\u{2028}",
        "😀",
        "null",
        "2024-02-29",
    ];
    (*random.pick(&texts)).into()
}

const SCALARS: [&str; 17] = [
    "1.50",
    "CAST(0 AS DECIMAL(20,10))",
    "CAST(-123456789012345678901234567890.5 AS DECIMAL(40,5))",
    "TRUE",
    "NULL",
    "'text'",
    "''",
    "CAST('2024-02-29' AS DATE)",
    "CAST('12:34:56.5' AS TIME(6))",
    "CAST('838:59:59' AS TIME)",
    "CAST('2024-02-29 01:02:03.000012' AS DATETIME(6))",
    "CAST('2024-02-29 01:02:03' AS DATETIME)",
    "CAST(1234 AS UNSIGNED)",
    "CAST(2024 AS YEAR)",
    "CAST(X'00FF10' AS BINARY)",
    "1e3",
    "-7",
];

fn built(random: &mut Random) -> String {
    match random.below(6) {
        // A bare NULL would be no document and a bare text would be parsed.
        0 => match *random.pick(&SCALARS) {
            "NULL" => "CAST('null' AS JSON)".to_owned(),
            quoted if quoted.starts_with('\'') => "CAST('\"text\"' AS JSON)".to_owned(),
            scalar => format!("CAST({scalar} AS JSON)"),
        },
        1 => format!(
            "JSON_ARRAY({}, JSON_ARRAY(), {})",
            random.pick(&SCALARS),
            random.pick(&SCALARS)
        ),
        2 if random.chance(40) => {
            "JSON_OBJECT('long', REPEAT('x', 70000), 'n', 1, 's', 'after', 'b', TRUE)".to_owned()
        }
        3 => "CAST(CAST(18446744073709551615 AS UNSIGNED) AS JSON)".to_owned(),
        _ => built_object(random),
    }
}

fn built_object(random: &mut Random) -> String {
    let members: Vec<String> =
        (0..1 + random.below(5)).map(|at| format!("'m{at}', {}", random.pick(&SCALARS))).collect();
    format!("JSON_OBJECT({})", members.join(", "))
}
