use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::connect::{Field, Schema, SchemaType, TableSchema};

/// How many schemas a table's envelope keeps: one a route value and version, and both are few.
const CACHED_MAX: usize = 1024;

/// The struct around a payload, where some column is placed as `envelope`.
#[derive(Debug)]
pub(super) struct Envelope {
    /// The columns beside the payload, under their aliases.
    pub(super) fields: Vec<(usize, String)>,
    /// The column of the schema's version.
    pub(super) version: Option<usize>,
    /// The schema without the name and version that depend on the event.
    shape: Schema,
    /// The row schema's name, parted where the route value goes.
    name: (String, String),
    known: RefCell<HashMap<String, Vec<Versioned>>>,
}

/// A schema with its version.
type Versioned = (Option<i32>, Arc<Schema>);

impl Envelope {
    pub(super) fn new(
        table: &TableSchema,
        payload: usize,
        fields: Vec<(usize, String)>,
        version: Option<usize>,
    ) -> Self {
        let field = |name: &str, index: usize| {
            let schema = table.fields.get(index).map(|field| Arc::clone(&field.schema));
            schema.map(|schema| Field { name: name.to_owned(), schema })
        };
        let others = fields.iter().filter_map(|(index, alias)| field(alias, *index));
        let shape = Schema {
            fields: field("payload", payload).into_iter().chain(others).collect(),
            ..Schema::new(SchemaType::Struct)
        };
        let (before, last) = table.value_name.rsplit_once('.').unwrap_or(("", &table.value_name));
        let name = (before.to_owned(), last.to_owned());
        Self { fields, version, shape, name, known: RefCell::default() }
    }

    /// The schema, but for its name and version.
    pub(super) fn shape(&self) -> &Schema {
        &self.shape
    }

    /// The schema for an event of this route value and version; `payload` replaces the column's schema.
    pub(super) fn schema(
        &self,
        route: Option<&str>,
        version: Option<i32>,
        payload: Option<Arc<Schema>>,
    ) -> Arc<Schema> {
        if let Some(payload) = payload {
            let mut schema = self.named(route, version);
            if let Some(field) = schema.fields.first_mut() {
                field.schema = payload;
            }
            return Arc::new(schema);
        }
        let route_key = route.unwrap_or_default();
        let mut known = self.known.borrow_mut();
        let found = known.get(route_key).and_then(|schemas| {
            schemas.iter().find(|(known, _)| *known == version).map(|(_, schema)| schema)
        });
        if let Some(schema) = found {
            return Arc::clone(schema);
        }
        if known.values().map(Vec::len).sum::<usize>() >= CACHED_MAX {
            known.clear();
        }
        let schema = Arc::new(self.named(route, version));
        known.entry(route_key.to_owned()).or_default().push((version, Arc::clone(&schema)));
        schema
    }

    fn named(&self, route: Option<&str>, version: Option<i32>) -> Schema {
        let (before, last) = &self.name;
        let name = match route {
            Some(route) => format!("{before}.{route}.{last}"),
            None => format!("{before}.{last}"),
        };
        Schema { name: Some(name), version, ..self.shape.clone() }
    }
}
