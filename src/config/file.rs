//! The text of a connector's file to keys and values: Connect's JSON, wrapped or flat, or Java properties.

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::{Problem, Shown, debezium_server, java_properties};

/// A connector's file as it was written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ConnectorFile {
    /// Keys with Connect's names, and their values, in order; a key may stand twice.
    pub(super) pairs: Vec<Pair>,
}

/// One key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// Connect's name of the property.
    pub(super) key: String,
    /// The name that the file has, which differs in Debezium Server's form.
    pub(super) written: String,
    pub(super) value: String,
}

impl Pair {
    pub(super) fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        let key = key.into();
        Self { written: key.clone(), key, value: value.into() }
    }
}

impl ConnectorFile {
    /// Reads `text`, whose form its first character tells.
    ///
    /// # Errors
    /// When the text has neither form, or a value is a list or an object.
    pub(super) fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with(['{', '[', '"']) {
            return parse_json(text);
        }
        let pairs = java_properties::parse(text).map_err(|problem| vec![problem])?;
        if pairs.iter().any(|(key, _)| key.starts_with("debezium.")) {
            return debezium_server::translate(pairs).map(|pairs| Self { pairs });
        }
        let pairs = pairs.into_iter().map(|(key, value)| Pair::new(key, value)).collect();
        Ok(Self { pairs })
    }
}

fn parse_json(text: &str) -> Result<ConnectorFile, Vec<Problem>> {
    let Object(members) = serde_json::from_str(text).map_err(|err| vec![syntax(&err)])?;
    let is_wrapped = members.iter().any(|(key, value)| key == "config" && value.is_object());
    if !is_wrapped {
        return flatten(members);
    }
    let (mut config, mut outer) = (Vec::new(), Vec::new());
    for (key, value) in members {
        match value {
            Json::Object(inner) if key == "config" => config.extend(inner),
            // What Connect's own answers carry beside the configuration.
            _ if ["tasks", "type", "initial_state"].contains(&key.as_str()) => {}
            value => outer.push((key, value)),
        }
    }
    let mut outer = flatten(outer)?;
    let inner = flatten(config)?;
    check_names(&outer, &inner)?;
    outer.pairs.retain(|pair| !(pair.key == "name" && inner.value("name").is_some()));
    outer.pairs.extend(inner.pairs);
    Ok(outer)
}

impl ConnectorFile {
    fn value(&self, key: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|pair| pair.key == key).map(|pair| pair.value.as_str())
    }
}

fn check_names(outer: &ConnectorFile, inner: &ConnectorFile) -> Result<(), Vec<Problem>> {
    match (outer.value("name"), inner.value("name")) {
        (Some(outside), Some(inside)) if outside.trim() != inside.trim() => {
            Err(vec![Problem::Invalid {
                property: "name".to_owned(),
                value: Shown::open(inside),
                reason: format!("differs from the name {outside:?} beside `config`"),
                cure: "give the connector one name".to_owned(),
            }])
        }
        _ => Ok(()),
    }
}

fn flatten(members: Vec<(String, Json)>) -> Result<ConnectorFile, Vec<Problem>> {
    let mut file = ConnectorFile::default();
    let mut problems = Vec::new();
    for (key, value) in members {
        match value {
            Json::Scalar(text) => file.pairs.push(Pair::new(key, text)),
            // As in Connect: a property without a value is not set.
            Json::Null => {}
            Json::Array | Json::Object(_) => problems.push(Problem::Invalid {
                property: key,
                value: Shown::hidden(),
                reason: "has a list or an object for its value".to_owned(),
                cure: "write one string; lists are separated by commas".to_owned(),
            }),
        }
    }
    if problems.is_empty() { Ok(file) } else { Err(problems) }
}

fn syntax(err: &serde_json::Error) -> Problem {
    let mut reason = err.to_string();
    // The place stands in fields of its own.
    if let Some(at) = reason.rfind(" at line ") {
        reason.truncate(at);
    }
    Problem::Syntax {
        line: err.line(),
        column: err.column(),
        reason: format!("bad JSON: {reason}"),
    }
}

/// An object whose members keep their order and their repetitions.
struct Object(Vec<(String, Json)>);

/// As much of JSON as a configuration holds.
enum Json {
    Null,
    Scalar(String),
    Array,
    Object(Vec<(String, Json)>),
}

impl Json {
    fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::Object(members) => Ok(Self(members)),
            _ => Err(D::Error::custom("a connector's file is an object")),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Scalar(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Scalar(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Scalar(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Scalar(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Scalar(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        while items.next_element::<Json>()?.is_some() {}
        Ok(Json::Array)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let file = ConnectorFile::parse(text).unwrap();
        file.pairs.into_iter().map(|pair| (pair.key, pair.value)).collect()
    }

    #[test]
    fn the_three_forms_say_the_same() {
        let expected =
            [("name", "n"), ("a", "1"), ("b", "true")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        for text in [
            r#"{"name":"n","config":{"a":"1","b":true}}"#,
            r#"{"name":"n","config":{"a":1,"b":"true"},"tasks":[],"type":"source"}"#,
            r#"{"config":{"name":"n","a":"1","b":true},"name":" n "}"#,
            r#" {"name":"n","a":1,"b":true,"c":null}"#,
            "\u{feff}{\"name\":\"n\",\"a\":1,\"b\":true}",
            "name=n\na=1\nb=true\n",
        ] {
            assert_eq!(pairs(text), expected, "{text}");
        }
    }

    #[test]
    fn bad_json_is_named_with_its_place() {
        for (text, place) in [
            ("{\n  \"a\": \"1\"\n  \"b\": 2\n}", (3, 3)),
            ("{\"a\":1,}", (1, 8)),
            ("{\"a\":1} x", (1, 9)),
        ] {
            let problems = ConnectorFile::parse(text).unwrap_err();
            let [Problem::Syntax { line, column, reason }] = problems.as_slice() else { panic!() };
            assert_eq!((*line, *column), place, "{text}");
            assert!(!reason.contains("line"), "{reason}");
        }
        assert!(matches!(
            ConnectorFile::parse("[1]").unwrap_err().as_slice(),
            [Problem::Syntax { .. }]
        ));
    }

    #[test]
    fn every_list_and_object_is_named() {
        let problems = ConnectorFile::parse(r#"{"a":[1],"b":{"c":1},"d":1}"#).unwrap_err();
        let names: Vec<_> = problems.iter().filter_map(Problem::property).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn two_different_names_are_refused() {
        let problems = ConnectorFile::parse(r#"{"name":"a","config":{"name":"b"}}"#).unwrap_err();
        assert_eq!(problems[0].property(), Some("name"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(?s).{0,80}") {
            let _outcome = ConnectorFile::parse(&text);
        }

        #[test]
        fn any_mix_of_json_is_read_or_refused(text in r#"[{}\[\]":,a1.e\\ null]{0,40}"#) {
            let _outcome = ConnectorFile::parse(&text);
        }
    }
}
