use std::collections::HashMap;
use std::sync::Arc;

use super::json::Node;
use crate::config::{FieldNameAdjustment, NullInJson};
use crate::connect::{Field, Schema, SchemaType};

/// How schemas are inferred from JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inference {
    pub(super) null: NullInJson,
    /// An empty array is an array of strings instead of nothing.
    pub(super) empty_array_as_strings: bool,
    pub(super) field_names: FieldNameAdjustment,
}

/// No schema fits the document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoSchema;

type Inferred = Result<Option<Arc<Schema>>, NoSchema>;

impl Inference {
    /// The schema of a node; `None` for one that is left out. `path` names structs: the keys that lead to
    /// them, counted anew inside an array of arrays.
    pub(super) fn infer(&self, node: &Node<'_>, path: Option<&str>) -> Inferred {
        let schema_type = match node {
            Node::Null => {
                return Ok(
                    (self.null == NullInJson::OptionalBytes).then(|| optional(SchemaType::Bytes))
                );
            }
            Node::Array(elements) => return self.array(elements, path),
            Node::Object(members) => return self.object(members, path).map(Some),
            Node::Boolean(_) => SchemaType::Boolean,
            Node::String(_) => SchemaType::String,
            Node::Integer(value) if i32::try_from(*value).is_ok() => SchemaType::Int32,
            Node::Integer(_) => SchemaType::Int64,
            Node::BigInteger | Node::Double(_) => SchemaType::Float64,
        };
        Ok(Some(optional(schema_type)))
    }

    fn object(
        &self,
        members: &[(&str, Node<'_>)],
        path: Option<&str>,
    ) -> Result<Arc<Schema>, NoSchema> {
        let mut fields = Fields::default();
        for (key, node) in members {
            let name = adjusted(key, self.field_names);
            if fields.place(&name).is_some() {
                continue;
            }
            let inner = path.map(|path| format!("{path}.{name}"));
            if let Some(schema) = self.infer(node, inner.as_deref().or(Some(&name)))? {
                if name.is_empty() {
                    return Err(NoSchema);
                }
                fields.push(name, schema);
            }
        }
        Ok(Arc::new(fields.into_struct(path, true)))
    }

    fn array(&self, elements: &[Node<'_>], path: Option<&str>) -> Inferred {
        if elements.is_empty() {
            let strings = || array_of(optional(SchemaType::String));
            return Ok(self.empty_array_as_strings.then(strings));
        }
        let Some(sample) = elements.iter().find(|node| **node != Node::Null) else {
            return match self.null {
                NullInJson::Ignore => Err(NoSchema),
                NullInJson::OptionalBytes => Ok(Some(array_of(optional(SchemaType::Bytes)))),
            };
        };
        let present = || elements.iter().filter(|node| **node != Node::Null);
        if present().any(|node| kind(node) != kind(sample)) {
            return Err(NoSchema);
        }
        let element = match sample {
            Node::Object(_) => self.objects(present(), path)?,
            Node::Array(_) => self.infer(sample, None)?.ok_or(NoSchema)?,
            _ => {
                let schema = self.infer(sample, path)?.ok_or(NoSchema)?;
                for node in present() {
                    if self.infer(node, path)?.as_ref() != Some(&schema) {
                        return Err(NoSchema);
                    }
                }
                schema
            }
        };
        Ok(Some(array_of(element)))
    }

    /// One schema for all objects of an array: the one that they share, or all their fields together.
    fn objects<'n>(
        &self,
        nodes: impl Iterator<Item = &'n Node<'n>>,
        path: Option<&str>,
    ) -> Result<Arc<Schema>, NoSchema> {
        let mut shapes: Vec<Arc<Schema>> = Vec::new();
        for node in nodes {
            if let Some(shape) = self.infer(node, path)?
                && !shapes.contains(&shape)
            {
                shapes.push(shape);
            }
        }
        if let [only] = shapes.as_slice() {
            return Ok(Arc::clone(only));
        }
        let mut merged = Fields::default();
        for field in shapes.iter().flat_map(|shape| &shape.fields) {
            merged.merge(field);
        }
        Ok(Arc::new(merged.into_struct(path, false)))
    }
}

/// From this many fields on they are looked up by hash.
const HASHED_FIELDS_MIN: usize = 16;

/// A struct's fields in order, found by name.
#[derive(Default)]
struct Fields {
    list: Vec<Field>,
    places: HashMap<String, usize>,
}

impl Fields {
    fn place(&self, name: &str) -> Option<usize> {
        if self.list.len() < HASHED_FIELDS_MIN {
            return self.list.iter().position(|field| field.name == name);
        }
        self.places.get(name).copied()
    }

    fn push(&mut self, name: String, schema: Arc<Schema>) {
        self.list.push(Field { name, schema });
        if self.list.len() >= HASHED_FIELDS_MIN {
            for (place, field) in self.list.iter().enumerate().skip(self.places.len()) {
                self.places.insert(field.name.clone(), place);
            }
        }
    }

    /// The first type of a field counts, unless it only stands for a null.
    fn merge(&mut self, field: &Field) {
        let known = self.place(&field.name).and_then(|place| self.list.get_mut(place));
        match known {
            Some(known) if known.schema.schema_type == SchemaType::Bytes => {
                known.schema = Arc::clone(&field.schema);
            }
            Some(_) => {}
            None => self.push(field.name.clone(), Arc::clone(&field.schema)),
        }
    }

    fn into_struct(self, path: Option<&str>, optional: bool) -> Schema {
        Schema {
            name: path.map(str::to_owned),
            fields: self.list,
            ..Schema::new(SchemaType::Struct).optional(optional)
        }
    }
}

fn optional(schema_type: SchemaType) -> Arc<Schema> {
    Arc::new(Schema::new(schema_type).optional(true))
}

fn array_of(element: Arc<Schema>) -> Arc<Schema> {
    Arc::new(Schema {
        value_schema: Some(element),
        ..Schema::new(SchemaType::Array).optional(true)
    })
}

#[derive(PartialEq, Eq)]
enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

fn kind(node: &Node<'_>) -> Kind {
    match node {
        Node::Null => Kind::Null,
        Node::Boolean(_) => Kind::Boolean,
        Node::Integer(_) | Node::BigInteger | Node::Double(_) => Kind::Number,
        Node::String(_) => Kind::String,
        Node::Array(_) => Kind::Array,
        Node::Object(_) => Kind::Object,
    }
}

/// A key as `field.name.adjustment.mode` has it.
pub(super) fn adjusted(key: &str, mode: FieldNameAdjustment) -> String {
    let mut name = String::with_capacity(key.len());
    for (index, unit) in key.encode_utf16().enumerate() {
        let c = char::from_u32(u32::from(unit)).filter(char::is_ascii);
        match mode {
            FieldNameAdjustment::None => return key.to_owned(),
            FieldNameAdjustment::Avro => match c {
                Some(c) if c.is_ascii_alphabetic() || c == '_' => name.push(c),
                Some(c) if c.is_ascii_digit() => {
                    if index == 0 {
                        name.push('_');
                    }
                    name.push(c);
                }
                _ => name.push('_'),
            },
            FieldNameAdjustment::AvroUnicode => match c {
                Some(c) if c.is_ascii_alphabetic() || (index > 0 && c.is_ascii_digit()) => {
                    name.push(c);
                }
                _ if unit < 0x100 => name.push_str(&format!("_u00{unit:x}")),
                _ => name.push_str(&format!("_u{unit:x}")),
            },
        }
    }
    name
}
