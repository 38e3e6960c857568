//! Lists and maps of `InsertHeader`, read as Connect's `Values` reads them.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::literal::{date, parse_number};
use crate::connect::{DefaultValue, Schema, SchemaType, Value};

/// A parsed value with its schema.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Null,
    Scalar(Schema, DefaultValue),
    List(Schema, Vec<Node>),
    Map(Schema, Vec<(String, Node)>),
}

/// Why a text is no list or map.
pub(super) enum Fault {
    /// Connect takes it for a plain string.
    Text,
    /// Connect reads something that outflow does not.
    Unsupported(String),
}

/// Containers in one another, at the most; Java's stack has its end too.
const DEPTH_MAX: usize = 100;

/// Reads a text that begins with a bracket.
pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let tokens = Tokens::split(text);
    Parser { tokens, depth: 0 }.container().map(|node| node.unwrap_or(Node::Null))
}

impl Node {
    pub(super) fn schema(&self) -> Option<&Schema> {
        match self {
            Self::Null => None,
            Self::Scalar(schema, _) | Self::List(schema, _) | Self::Map(schema, _) => Some(schema),
        }
    }

    /// The value, its containers in the arena.
    pub(super) fn value<'a>(&'a self, arena: &'a Bump) -> Value<'a> {
        match self {
            Self::Null => Value::Null,
            Self::Scalar(_, value) => value.value(),
            Self::List(_, nodes) => {
                let values = nodes.iter().map(|node| node.value(arena));
                Value::Array(ArenaVec::from_iter_in(values, arena).into_bump_slice())
            }
            Self::Map(_, entries) => {
                let entries = entries.iter().map(|(key, node)| (key.as_str(), node.value(arena)));
                Value::Map(ArenaVec::from_iter_in(entries, arena).into_bump_slice())
            }
        }
    }

    /// The same value as another schema has it.
    fn aligned(self, to: &Schema) -> Result<Self, Fault> {
        let Some(own) = self.schema() else { return Err(Fault::Text) };
        if own == to {
            return Ok(self);
        }
        let widened = match &self {
            Self::Scalar(own, value) if own.name.is_none() => widen(value, to.schema_type),
            _ => None,
        };
        let unsupported = || {
            let reason =
                "value.literal: lists and maps of values of several types are not supported";
            Fault::Unsupported(reason.to_owned())
        };
        widened.map(|value| Self::Scalar(to.clone(), value)).ok_or_else(unsupported)
    }
}

/// Where a numeric type stands: a narrower one becomes a wider one.
fn rank(schema: &Schema) -> Option<usize> {
    use SchemaType::{Float32, Float64, Int8, Int16, Int32, Int64};
    let widths = [Int8, Int16, Int32, Int64, Float32, Float64];
    widths.iter().position(|width| *width == schema.schema_type)
}

#[expect(clippy::cast_possible_truncation, reason = "Java narrows a double likewise")]
fn widen(value: &DefaultValue, to: SchemaType) -> Option<DefaultValue> {
    let (whole, real) = match value {
        DefaultValue::Int8(v) => (Some(i64::from(*v)), f64::from(*v)),
        DefaultValue::Int16(v) => (Some(i64::from(*v)), f64::from(*v)),
        DefaultValue::Int32(v) => (Some(i64::from(*v)), f64::from(*v)),
        #[expect(clippy::cast_precision_loss, reason = "Java rounds likewise")]
        DefaultValue::Int64(v) => (Some(*v), *v as f64),
        DefaultValue::Float32(v) => (None, f64::from(*v)),
        _ => return None,
    };
    match to {
        SchemaType::Int16 => Some(DefaultValue::Int16(whole?.try_into().ok()?)),
        SchemaType::Int32 => Some(DefaultValue::Int32(whole?.try_into().ok()?)),
        SchemaType::Int64 => Some(DefaultValue::Int64(whole?)),
        SchemaType::Float32 => Some(DefaultValue::Float32(real as f32)),
        SchemaType::Float64 => Some(DefaultValue::Float64(real)),
        _ => None,
    }
}

/// The schema of both; none where they have nothing in common.
fn common(previous: Option<Schema>, latest: &Node) -> Option<Schema> {
    let Some(latest) = latest.schema() else { return previous };
    let Some(previous) = previous else { return Some(latest.clone()) };
    if previous.schema_type == latest.schema_type {
        return Some(latest.clone());
    }
    let (Some(a), Some(b)) = (rank(&previous), rank(latest)) else { return None };
    Some(if a > b { previous } else { latest.clone() })
}

/// The text in tokens: what stands between delimiters, and the delimiters themselves.
struct Tokens<'t> {
    tokens: Vec<&'t str>,
    next: usize,
}

impl<'t> Tokens<'t> {
    fn split(text: &'t str) -> Self {
        let mut tokens = Vec::new();
        let (mut start, mut escaped) = (0, false);
        for (index, c) in text.char_indices() {
            let delimits = matches!(c, ':' | ',' | '{' | '}' | '[' | ']' | '"') && !escaped;
            escaped = c == '\\' && !escaped;
            if delimits {
                tokens.extend(text.get(start..index).filter(|token| !token.is_empty()));
                start = index + c.len_utf8();
                tokens.extend(text.get(index..start));
            }
        }
        tokens.extend(text.get(start..).filter(|token| !token.is_empty()));
        Self { tokens, next: 0 }
    }

    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.next).copied()
    }

    fn take(&mut self) -> Option<&'t str> {
        let token = self.peek()?;
        self.next += 1;
        Some(token)
    }

    /// Passes over a token, and over blanks before it, which are lost even if another one follows.
    fn consume(&mut self, expected: &str) -> bool {
        while self.peek().is_some_and(|token| trim(token).is_empty())
            && self.next + 1 < self.tokens.len()
        {
            self.next += 1;
        }
        let found = self.peek().is_some_and(|token| trim(token) == expected);
        self.next += usize::from(found);
        found
    }
}

fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

struct Parser<'t> {
    tokens: Tokens<'t>,
    depth: usize,
}

impl Parser<'_> {
    /// A list or a map, if one begins here.
    fn container(&mut self) -> Result<Option<Node>, Fault> {
        let is_list = self.tokens.consume("[");
        if !is_list && !self.tokens.consume("{") {
            return Ok(None);
        }
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Fault::Unsupported("value.literal: too many brackets".to_owned()));
        }
        let node = if is_list { self.list() } else { self.map() };
        self.depth -= 1;
        node.map(Some)
    }

    fn list(&mut self) -> Result<Node, Fault> {
        let (mut nodes, mut schema) = (Vec::new(), None);
        while self.tokens.peek().is_some() {
            if self.tokens.consume("]") {
                if let Some(schema) = &schema {
                    nodes = align(nodes, schema)?;
                }
                let value_schema = schema.map(Into::into);
                let schema = Schema { value_schema, ..Schema::new(SchemaType::Array) };
                return Ok(Node::List(schema, nodes));
            }
            if self.tokens.consume(",") {
                return Err(Fault::Text);
            }
            let node = self.embedded()?;
            schema = common(schema, &node);
            nodes.push(node);
            let end = self.tokens.next;
            if self.tokens.consume("]") {
                self.tokens.next = end;
            } else if !self.tokens.consume(",") {
                return Err(Fault::Text);
            }
        }
        Err(Fault::Text)
    }

    fn map(&mut self) -> Result<Node, Fault> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        let (mut key_schema, mut value_schema) = (None, None);
        while self.tokens.peek().is_some() {
            if self.tokens.consume("}") {
                return map_of(entries, key_schema, value_schema);
            }
            if self.tokens.consume(",") {
                return Err(Fault::Text);
            }
            let key = self.embedded()?;
            let name = match &key {
                Node::Null => return Err(Fault::Text),
                Node::Scalar(_, DefaultValue::String(name)) => name.to_string(),
                _ => {
                    let reason = "value.literal: maps whose keys are not strings are not supported";
                    return Err(Fault::Unsupported(reason.to_owned()));
                }
            };
            if !self.tokens.consume(":") {
                return Err(Fault::Text);
            }
            let node = self.embedded()?;
            key_schema = common(key_schema, &key);
            value_schema = common(value_schema, &node);
            match entries.iter_mut().find(|(known, _)| *known == name) {
                Some((_, value)) => *value = node,
                None => entries.push((name, node)),
            }
            self.tokens.consume(",");
        }
        Err(Fault::Text)
    }

    /// A value inside a list or map.
    fn embedded(&mut self) -> Result<Node, Fault> {
        if self.tokens.peek().is_none() {
            return Ok(Node::Null);
        }
        if self.tokens.consume("\"") {
            return self.quoted();
        }
        if self.tokens.consume("null") {
            return Ok(Node::Null);
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.tokens.consume(word) {
                let schema = Schema::new(SchemaType::Boolean);
                return Ok(Node::Scalar(schema, DefaultValue::Boolean(value)));
            }
        }
        let start = self.tokens.next;
        match self.container() {
            Ok(Some(node)) => return Ok(node),
            Ok(None) => {}
            Err(Fault::Text) => self.tokens.next = start,
            Err(unsupported) => return Err(unsupported),
        }
        let token = self.tokens.take().ok_or(Fault::Text)?;
        if trim(token).is_empty() {
            return Ok(text(token));
        }
        self.scalar(trim(token))
    }

    /// Text in quotes; dates and times among it are ones.
    fn quoted(&mut self) -> Result<Node, Fault> {
        let mut content = String::new();
        while self.tokens.peek().is_some() && !self.tokens.consume("\"") {
            content.push_str(self.tokens.take().unwrap_or_default());
        }
        Ok(match date(&content.replace("\\:", ":")).map_err(Fault::Unsupported)? {
            Some((schema, value)) => Node::Scalar(schema, value),
            None => text(&content),
        })
    }

    /// A number, a date or a time, which lies in five tokens for its colons.
    fn scalar(&mut self, token: &str) -> Result<Node, Fault> {
        let start = self.tokens.next;
        let rest: String = self.tokens.tokens.iter().skip(start).take(4).copied().collect();
        for (text, after) in [(format!("{token}{rest}"), start + 4), (token.to_owned(), start)] {
            let temporal = date(&text.replace("\\:", ":")).map_err(Fault::Unsupported)?;
            if let Some((schema, value)) = temporal {
                self.tokens.next = after;
                return Ok(Node::Scalar(schema, value));
            }
        }
        let (schema, value) = parse_number(token).ok_or(Fault::Text)?;
        Ok(Node::Scalar(schema, value))
    }
}

fn text(content: &str) -> Node {
    Node::Scalar(Schema::new(SchemaType::String), DefaultValue::String(content.into()))
}

fn align(nodes: Vec<Node>, schema: &Schema) -> Result<Vec<Node>, Fault> {
    nodes.into_iter().map(|node| node.aligned(schema)).collect()
}

fn map_of(
    mut entries: Vec<(String, Node)>,
    key_schema: Option<Schema>,
    value_schema: Option<Schema>,
) -> Result<Node, Fault> {
    if let Some(schema) = &value_schema {
        let aligned = |(key, node): (String, Node)| Ok((key, node.aligned(schema)?));
        entries = entries.into_iter().map(aligned).collect::<Result<_, Fault>>()?;
    }
    let schema = Schema {
        key_schema: key_schema.map(Into::into),
        value_schema: value_schema.map(Into::into),
        ..Schema::new(SchemaType::Map)
    };
    Ok(Node::Map(schema, entries))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_maps_are_read_or_left_as_text() {
        let arena = Bump::new();
        for (text, shown) in [
            ("[1, 300]", Some("Array([Int16(1), Int16(300)])")),
            ("[1,2.5]", Some("Array([Float32(1.0), Float32(2.5)])")),
            ("{\"a\":[true]}", Some("Map([(\"a\", Array([Boolean(true)]))])")),
            ("[\"12:34:56.789Z\"]", Some("Array([Int32(45296789)])")),
            ("[12:34:56.789Z]", Some("Array([Int32(45296789)])")),
            ("[1] and more", Some("Array([Int8(1)])")),
            ("[\" \"]", Some("Array([String(\"\")])")),
            ("[1,]", Some("Array([Int8(1)])")),
            ("[,1]", None),
            ("[1", None),
            ("[1,null]", None),
            ("[a]", None),
            ("{\"a\"}", None),
        ] {
            let node = parse(text).ok();
            let found = node.as_ref().map(|node| format!("{:?}", node.value(&arena)));
            assert_eq!(found.as_deref(), shown, "{text}");
        }
        assert!(matches!(parse("{1:2}"), Err(Fault::Unsupported(_))));
        assert!(matches!(parse(&"[".repeat(5000)), Err(Fault::Unsupported(_))));
    }
}
