use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::infer::{Inference, adjusted};
use super::json::{Node, parse};
use crate::config::{FieldNameAdjustment, RouterConfig};
use crate::connect::{Schema, SchemaType, Value};

/// What is odd about a payload that `table.expand.json.payload` was to expand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpandWarning {
    /// The payload is not text: published as it is.
    NotText,
    /// The text does not begin with `{` or `[`: published as it is.
    NotDocument,
    /// The text is not JSON: published as it is.
    Malformed,
    /// No schema fits the document, such as an array of mixed types: published as text.
    NoSchema,
    /// The document does not fit the schema that it gets, such as an array at the top: published as text.
    Unwritable,
    /// `field.name.adjustment.mode` renamed keys, whose values come out null.
    KeysRenamed,
}

/// What became of a payload.
pub(super) enum Expansion<'a> {
    Struct {
        schema: Arc<Schema>,
        value: Value<'a>,
        warning: Option<ExpandWarning>,
    },
    /// `[]`: text without a schema.
    EmptyArray,
    /// The payload as it was.
    Text(ExpandWarning),
}

/// Turns JSON text into structs.
#[derive(Debug)]
pub(super) struct Expander {
    inference: Inference,
    /// The payload column: the struct's name.
    name: String,
}

impl Expander {
    pub(super) fn new(config: &RouterConfig) -> Self {
        let inference = Inference {
            null: config.json_null,
            empty_array_as_strings: config.json_empty_array_as_strings,
            field_names: config.field_names,
        };
        Self { inference, name: config.payload.clone() }
    }

    pub(super) fn expand<'a>(&self, payload: &Value<'a>, arena: &'a Bump) -> Expansion<'a> {
        let Value::String(text) = *payload else { return Expansion::Text(ExpandWarning::NotText) };
        if !text.starts_with(['{', '[']) {
            return Expansion::Text(ExpandWarning::NotDocument);
        }
        let Some(document) = parse(text, arena) else {
            return Expansion::Text(ExpandWarning::Malformed);
        };
        match (self.inference.infer(&document, Some(&self.name)), &document) {
            (Err(_), _) => Expansion::Text(ExpandWarning::NoSchema),
            (Ok(None), _) => Expansion::EmptyArray,
            (Ok(Some(schema)), Node::Object(_)) => match build(&schema, &document, arena) {
                Some(value) => {
                    let renamed = self.inference.field_names != FieldNameAdjustment::None
                        && renames(&document, self.inference.field_names);
                    let warning = renamed.then_some(ExpandWarning::KeysRenamed);
                    Expansion::Struct { schema, value, warning }
                }
                None => Expansion::Text(ExpandWarning::Unwritable),
            },
            (Ok(Some(_)), _) => Expansion::Text(ExpandWarning::Unwritable),
        }
    }
}

/// The node as a value of this schema; `None` when it is not one.
fn build<'a>(schema: &Schema, node: &Node<'a>, arena: &'a Bump) -> Option<Value<'a>> {
    Some(match (schema.schema_type, *node) {
        (_, Node::Null) if schema.optional => Value::Null,
        (SchemaType::Boolean, Node::Boolean(v)) => Value::Boolean(v),
        (SchemaType::String, Node::String(v)) => Value::String(v),
        (SchemaType::Float64, Node::Double(v)) => Value::Float64(v),
        (SchemaType::Int32, Node::Integer(v)) => Value::Int32(i32::try_from(v).ok()?),
        // A small number is an Integer in Java, which a field of type INT64 does not take.
        (SchemaType::Int64, Node::Integer(v)) if i32::try_from(v).is_err() => Value::Int64(v),
        (SchemaType::Array, Node::Array(elements)) => {
            let element = schema.value_schema.as_deref()?;
            let mut values = ArenaVec::with_capacity_in(elements.len(), arena);
            for node in elements {
                values.push(build(element, node, arena)?);
            }
            Value::Array(values.into_bump_slice())
        }
        (SchemaType::Struct, Node::Object(members)) => {
            let mut values = ArenaVec::with_capacity_in(schema.fields.len(), arena);
            let mut hint = 0;
            for field in &schema.fields {
                let node = member(members, &field.name, &mut hint).unwrap_or(&Node::Null);
                values.push(build(&field.schema, node, arena)?);
            }
            Value::Struct(values.into_bump_slice())
        }
        _ => return None,
    })
}

/// The member of this name, looked for first behind the one found before: fields mostly come in order.
fn member<'n, 'a>(
    members: &'n [(&'a str, Node<'a>)],
    name: &str,
    hint: &mut usize,
) -> Option<&'n Node<'a>> {
    let named = |place: usize| members.get(place).is_some_and(|(key, _)| *key == name);
    let place =
        if named(*hint) { *hint } else { members.iter().position(|(key, _)| *key == name)? };
    *hint = place + 1;
    members.get(place).map(|(_, node)| node)
}

fn renames(node: &Node<'_>, mode: FieldNameAdjustment) -> bool {
    match node {
        Node::Array(elements) => elements.iter().any(|node| renames(node, mode)),
        Node::Object(members) => {
            members.iter().any(|(key, node)| adjusted(key, mode) != *key || renames(node, mode))
        }
        _ => false,
    }
}
