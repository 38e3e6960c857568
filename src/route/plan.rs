use super::RouteError;
use super::envelope::Envelope;
use super::timestamp::TimestampKind;
use crate::config::{MissingField, Placement, PlacementKind, RouterConfig};
use crate::connect::{Schema, SchemaType, TableSchema};

/// A table's columns under the router's options: indices into its schema.
#[derive(Debug)]
pub struct RouterPlan {
    /// Which columns the router reads, one a field of the table's schema.
    pub wanted: Vec<bool>,
    /// `database.table`.
    pub(super) table: String,
    pub(super) id: usize,
    pub(super) key: usize,
    pub(super) payload: usize,
    /// `None` where every record goes to one topic and the route column does not exist.
    pub(super) route: Option<usize>,
    pub(super) timestamp: Option<(usize, TimestampKind)>,
    pub(super) partition: Option<usize>,
    pub(super) headers: Vec<(usize, String)>,
    pub(super) envelope: Option<Envelope>,
    /// The schema of the context headers, where there are any.
    context: Option<Schema>,
}

/// Which of a record's parts a converter writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The key.
    Key,
    /// The value.
    Value,
    /// A header.
    Header,
}

impl Place {
    /// The property that names the converter.
    #[must_use]
    pub fn property(self) -> &'static str {
        match self {
            Self::Key => "key.converter",
            Self::Value => "value.converter",
            Self::Header => "header.converter",
        }
    }
}

/// A part of a table's records, told before the first row.
#[derive(Clone, Copy, Debug)]
pub struct RecordPart<'p> {
    /// Where it goes.
    pub place: Place,
    /// The column that it is made of, or the name that it has.
    pub column: &'p str,
    /// The schema that it has.
    pub schema: &'p Schema,
}

impl RouterPlan {
    /// Every part of this table's records, so that converters can be checked against them. `schema` is the
    /// one that the plan was made for.
    #[must_use]
    pub fn parts<'p>(&'p self, schema: &'p TableSchema) -> Vec<RecordPart<'p>> {
        let headers = self.headers.iter().map(|(index, _)| (Place::Header, *index));
        let mut parts: Vec<RecordPart<'p>> = [(Place::Key, self.key), (Place::Header, self.id)]
            .into_iter()
            .chain(headers)
            .filter_map(|(place, index)| Self::part(schema, place, index))
            .collect();
        let value = Self::part(schema, Place::Value, self.payload).map(|part| RecordPart {
            schema: self.envelope.as_ref().map_or(part.schema, Envelope::shape),
            ..part
        });
        parts.extend(value);
        parts.extend(self.context.iter().map(|schema| RecordPart {
            place: Place::Header,
            column: "__debezium.context.*",
            schema,
        }));
        parts
    }

    fn part(schema: &TableSchema, place: Place, index: usize) -> Option<RecordPart<'_>> {
        let field = schema.fields.get(index)?;
        Some(RecordPart { place, column: &field.name, schema: &field.schema })
    }
}

/// Gathers a plan and everything that is wrong with its table.
pub(super) struct Planner<'t> {
    schema: &'t TableSchema,
    table: String,
    wanted: Vec<bool>,
    errors: Vec<RouteError>,
}

const PLACEMENT: &str = "table.fields.additional.placement";

pub(super) fn plan(
    config: &RouterConfig,
    schema: &TableSchema,
) -> Result<RouterPlan, Vec<RouteError>> {
    let mut planner = Planner {
        schema,
        table: format!("{}.{}", schema.database, schema.table),
        wanted: vec![false; schema.fields.len()],
        errors: Vec::new(),
    };
    let id = planner.column("table.field.event.id", &config.event_id);
    let key = planner.column("table.field.event.key", &config.event_key);
    let payload = planner.column("table.field.event.payload", &config.payload);
    let route = planner.route(config);
    let timestamp = planner.timestamp(config.timestamp.as_deref());
    let placed = planner.placements(config);
    let partition = planner.partition(&placed);
    let mut headers = Planner::placed(&placed, PlacementKind::Header);
    headers.extend(planner.event_type(config));
    let envelope = planner.envelope(config, &placed, payload.unwrap_or_default());
    match (id, key, payload) {
        (Some(id), Some(key), Some(payload)) if planner.errors.is_empty() => Ok(RouterPlan {
            wanted: planner.wanted,
            table: planner.table,
            id,
            key,
            payload,
            route,
            timestamp,
            partition,
            headers,
            envelope,
            context: config.context_headers.then(|| Schema::new(SchemaType::String)),
        }),
        _ => Err(planner.errors),
    }
}

impl<'t> Planner<'t> {
    /// The index of a column that must be there, and from now on is read.
    fn column(&mut self, property: &'static str, column: &str) -> Option<usize> {
        let index = self.schema.index_of(column);
        match index {
            Some(index) => self.want(index),
            None => self.errors.push(RouteError::MissingColumn {
                property,
                column: column.to_owned(),
                table: self.table.clone(),
                columns: self.schema.fields.iter().map(|field| field.name.clone()).collect(),
            }),
        }
        index
    }

    fn want(&mut self, index: usize) {
        if let Some(wanted) = self.wanted.get_mut(index) {
            *wanted = true;
        }
    }

    fn schema_of(&self, index: usize) -> Option<&'t Schema> {
        self.schema.fields.get(index).map(|field| &*field.schema)
    }

    fn wrong_type(&mut self, property: &'static str, index: usize, needed: &'static str) {
        let Some(field) = self.schema.fields.get(index) else { return };
        let schema_type = format!("{:?}", field.schema.schema_type).to_uppercase();
        self.errors.push(RouteError::WrongType {
            property,
            column: field.name.clone(),
            table: self.table.clone(),
            found: match &field.schema.name {
                Some(name) => format!("{schema_type} ({name})"),
                None => schema_type,
            },
            needed,
        });
    }

    fn route(&mut self, config: &RouterConfig) -> Option<usize> {
        let absent = self.schema.index_of(&config.route_by).is_none();
        if absent && config.topic_replacement.is_constant() {
            return None; // One topic for all: what the column would say does not matter.
        }
        let index = self.column("route.by.field", &config.route_by)?;
        if self.schema_of(index).is_some_and(|schema| schema.schema_type != SchemaType::String) {
            self.wrong_type("route.by.field", index, "a text column (CHAR, VARCHAR, TEXT, ENUM)");
        }
        Some(index)
    }

    fn timestamp(&mut self, column: Option<&str>) -> Option<(usize, TimestampKind)> {
        let property = "table.field.event.timestamp";
        let index = self.column(property, column?)?;
        let kind = self.schema_of(index).and_then(TimestampKind::of);
        if kind.is_none() {
            self.wrong_type(property, index, "a DATETIME or TIMESTAMP column");
        }
        Some((index, kind?))
    }

    /// The placements whose columns exist; those that do not are errors unless they are to be ignored.
    fn placements<'c>(&mut self, config: &'c RouterConfig) -> Vec<(usize, &'c Placement)> {
        let mut placed = Vec::new();
        for placement in &config.placements {
            let ignored = config.missing == MissingField::Ignore
                && self.schema.index_of(&placement.column).is_none();
            if !ignored && let Some(index) = self.column(PLACEMENT, &placement.column) {
                placed.push((index, placement));
            }
        }
        placed
    }

    fn placed(placed: &[(usize, &Placement)], kind: PlacementKind) -> Vec<(usize, String)> {
        let of_kind = placed.iter().filter(|(_, placement)| placement.kind == kind);
        of_kind.map(|(index, placement)| (*index, placement.alias.clone())).collect()
    }

    /// The last placement as partition wins.
    fn partition(&mut self, placed: &[(usize, &Placement)]) -> Option<usize> {
        let (index, _) =
            *placed.iter().rfind(|(_, placed)| placed.kind == PlacementKind::Partition)?;
        let integer = matches!(
            self.schema_of(index)?.schema_type,
            SchemaType::Int8 | SchemaType::Int16 | SchemaType::Int32 | SchemaType::Int64
        );
        if !integer {
            self.wrong_type(PLACEMENT, index, "an integer column to be placed as partition");
        }
        Some(index)
    }

    /// The header for `table.field.event.type`, where the column exists and is not placed anyway.
    fn event_type(&mut self, config: &RouterConfig) -> Option<(usize, String)> {
        let column = config.event_type.as_ref()?;
        let carried = config
            .placements
            .iter()
            .any(|placed| placed.column == *column && placed.kind != PlacementKind::Partition);
        let index = self.schema.index_of(column).filter(|_| !carried)?;
        self.want(index);
        Some((index, column.clone()))
    }

    fn envelope(
        &mut self,
        config: &RouterConfig,
        placed: &[(usize, &Placement)],
        payload: usize,
    ) -> Option<Envelope> {
        if !config.placements.iter().any(|placed| placed.kind == PlacementKind::Envelope) {
            return None;
        }
        let fields = Self::placed(placed, PlacementKind::Envelope);
        let mut names = vec!["payload"];
        for (_, alias) in &fields {
            if names.contains(&alias.as_str()) {
                self.errors.push(RouteError::DuplicateField {
                    table: self.table.clone(),
                    field: alias.clone(),
                });
            }
            names.push(alias);
        }
        let property = "table.field.event.schema.version";
        let version =
            config.schema_version.as_ref().and_then(|column| self.column(property, column));
        if let Some(index) = version
            && self.schema_of(index).is_some_and(|s| s.schema_type != SchemaType::Int32)
        {
            self.wrong_type(property, index, "INT32 (INT, MEDIUMINT or SMALLINT UNSIGNED)");
        }
        Some(Envelope::new(self.schema, payload, fields, version))
    }
}
