use std::sync::Arc;

use bumpalo::Bump;

use super::column::{ColumnType, IntegerSize};
use super::column_source::{Source, fitting_sources, full_sources, layout_sources};
use super::default::{Absent, ColumnDefault};
use super::field_name::{adjusted_full_name, adjusted_name};
use super::layout::TableLayout;
use super::mask::Mask;
use super::raw::Raw;
use super::table_map::TableMap;
use super::target::Target;
use super::temporal_form::Rules;
use super::wire::Wire;
use super::{DecodeError, ValueError, geometry};
use crate::config::{ColumnFilter, DecodeConfig, FailureHandling};
use crate::connect::{Cell, DefaultValue, Field, Schema, SchemaType, TableSchema, Value};

/// How the rows of one table layout are read: made once, used for every row.
#[derive(Clone, Debug)]
pub struct TablePlan {
    /// The Connect schema of the rows.
    pub schema: TableSchema,
    /// Every column of the table, in its order.
    pub(super) columns: Vec<ColumnPlan>,
    /// For each field of `schema` its index in `columns`.
    fields: Vec<usize>,
    /// The primary key's columns, in key order; columns that a filter hides are among them.
    pub(super) key: Vec<usize>,
    /// The cells of a row of which none is read.
    pub(super) skipped: Vec<Cell<'static>>,
    /// Whether there was a table map, without which only a snapshot's rows can be read.
    pub(super) has_map: bool,
    pub(super) row_rules: Rules,
    pub(super) snapshot_rules: Rules,
    converting_failure: FailureHandling,
    processing_failure: FailureHandling,
}

/// How one column is read.
#[derive(Clone, Debug)]
pub(super) struct ColumnPlan {
    pub(super) name: String,
    pub(super) wire: Wire,
    pub(super) column_type: ColumnType,
    target: Target,
    nullable: bool,
    has_default: bool,
    /// What stands for NULL.
    null: NullValue,
    /// What stands for a column that is not in an insert's row image.
    pub(super) absent: Absent,
    /// The column's place in the schema, if no filter hides it.
    pub(super) field: Option<usize>,
    /// Whether anyone asked for it.
    pub(super) wanted: bool,
    /// What is done to its values before they are shown.
    mask: Option<Mask>,
}

#[derive(Clone, Debug)]
enum NullValue {
    Null,
    Value(DefaultValue),
    EmptyGeometry,
}

impl TablePlan {
    /// A plan for the rows that follow `map`; without a map, for the rows of a snapshot.
    ///
    /// A map with full metadata says all about its columns but their defaults, `TINYINT(1)` and `FLOAT(m,d)`,
    /// which are taken from the layout's columns of the same names. Without full metadata the layout is used
    /// once everything that the map does tell agrees with it. The schemas are named after `topic`, the one that
    /// the table's records have before the router.
    ///
    /// # Errors
    /// [`DecodeError::LayoutMismatch`] when the layout is not the one that the map's rows were written with.
    pub fn new(
        layout: &TableLayout,
        map: Option<&TableMap<'_>>,
        topic: &str,
        columns: &ColumnFilter,
        config: &DecodeConfig,
    ) -> Result<Self, DecodeError> {
        let mismatch = |reason| DecodeError::LayoutMismatch {
            database: layout.database.clone(),
            table: layout.table.clone(),
            reason,
        };
        let sources = match map {
            Some(map) if map.metadata.full => full_sources(layout, map),
            Some(map) => fitting_sources(layout, map).map_err(mismatch)?,
            None => layout_sources(layout).map_err(mismatch)?,
        };
        let key = match map.filter(|map| map.metadata.full) {
            Some(map) => map.metadata.primary_key.clone().unwrap_or_default(),
            None => layout.primary_key.clone(),
        };
        if key.iter().any(|&column| column >= sources.len()) {
            return Err(mismatch("its primary key has a column that the table has not".to_owned()));
        }
        let rules = Rules::of_rows(config);
        let topic = &adjusted_full_name(topic, config.schema_names);
        let mut plan = Self {
            schema: TableSchema {
                database: layout.database.clone(),
                table: layout.table.clone(),
                fields: Vec::new(),
                primary_key: Vec::new(),
                value_name: format!("{topic}.Value"),
                key_schema: None,
            },
            columns: Vec::with_capacity(sources.len()),
            fields: Vec::new(),
            key,
            skipped: Vec::new(),
            has_map: map.is_some(),
            row_rules: rules,
            snapshot_rules: Rules { of_snapshot: true, ..rules },
            converting_failure: config.converting_failure,
            processing_failure: config.processing_failure,
        };
        let mut schemas = Vec::with_capacity(sources.len());
        for source in sources {
            schemas.push(plan.add(source, columns, config));
        }
        plan.add_key(&schemas, topic);
        plan.skipped = vec![Cell::Skipped; plan.fields.len()];
        Ok(plan)
    }

    /// Sets which fields are decoded; the cells of the others will be [`Cell::Skipped`]. All are at first.
    pub fn want(&mut self, wanted: &[bool]) {
        for column in &mut self.columns {
            column.wanted =
                column.field.is_some_and(|field| wanted.get(field).copied().unwrap_or(false));
        }
    }

    /// Whether `event.processing.failure.handling.mode` lets a row with this error be passed over.
    #[must_use]
    pub fn may_skip_row(&self, error: &DecodeError) -> bool {
        self.processing_failure != FailureHandling::Fail
            && self.converting_failure != FailureHandling::Fail
            && matches!(error, DecodeError::Unconvertible { .. })
    }

    /// The columns behind the schema's fields, in their order.
    pub(super) fn field_columns(&self) -> impl Iterator<Item = &ColumnPlan> {
        self.fields.iter().filter_map(|&index| self.columns.get(index))
    }

    /// A column's value in its Connect form.
    #[inline]
    pub(super) fn value<'a>(
        &'a self,
        column: &'a ColumnPlan,
        raw: Result<Raw<'a>, ValueError>,
        rules: Rules,
        arena: &'a Bump,
    ) -> Result<Value<'a>, DecodeError> {
        match raw.and_then(|raw| column.target.value(raw, rules, arena)) {
            Ok(Value::Null) => Ok(column.null(arena)),
            Ok(value) => Ok(value),
            Err(error) => self.failed(column, error, arena),
        }
    }

    /// `event.converting.failure.handling.mode`: NULL, or a required column's default, stands for the value.
    #[cold]
    fn failed<'a>(
        &self,
        column: &'a ColumnPlan,
        error: ValueError,
        arena: &'a Bump,
    ) -> Result<Value<'a>, DecodeError> {
        if !error.is_conversion() {
            return Err(self.unreadable(column, error));
        }
        let (database, table, name) = (&self.schema.database, &self.schema.table, &column.name);
        let fails = self.converting_failure == FailureHandling::Fail
            || error == ValueError::InvalidDate
            || !(column.nullable || column.has_default);
        if fails {
            return Err(DecodeError::Unconvertible {
                database: database.clone(),
                table: table.clone(),
                column: name.clone(),
                source: error,
            });
        }
        if self.converting_failure == FailureHandling::Warn {
            tracing::warn!(%database, %table, column = %name, %error, "value became null");
        } else {
            tracing::debug!(%database, %table, column = %name, %error, "value became null");
        }
        Ok(column.null(arena))
    }

    #[cold]
    pub(super) fn unreadable(&self, column: &ColumnPlan, source: ValueError) -> DecodeError {
        DecodeError::Value {
            database: self.schema.database.clone(),
            table: self.schema.table.clone(),
            column: column.name.clone(),
            source,
        }
    }

    #[cold]
    pub(super) fn wrong_width(&self, expected: usize, actual: usize) -> DecodeError {
        DecodeError::WrongWidth {
            database: self.schema.database.clone(),
            table: self.schema.table.clone(),
            expected,
            actual,
        }
    }

    /// Adds a column, and its field unless a filter hides it; gives its schema.
    fn add(
        &mut self,
        source: Source<'_>,
        columns: &ColumnFilter,
        config: &DecodeConfig,
    ) -> Arc<Schema> {
        let (database, table) = (&self.schema.database, &self.schema.table);
        let boolean = is_boolean(&source, config, || format!("{database}.{table}.{}", source.name));
        let target = Target::new(&source.column_type, config, boolean);
        let default = source.layout.map_or_else(ColumnDefault::default, |layout| {
            ColumnDefault::new(
                layout,
                &source.column_type,
                &target,
                source.nullable,
                self.row_rules,
            )
        });
        let mut schema = target.schema();
        schema.optional |= source.nullable;
        schema.default.clone_from(&default.of_schema);
        let schema = Arc::new(schema);
        let mask = match &*config.masks {
            [] => None,
            masks => Mask::new(masks, &source, &format!("{database}.{table}.{}", source.name)),
        };
        let captured = columns.captures(database, table, source.name);
        let field = captured.then_some(self.fields.len());
        if captured {
            self.fields.push(self.columns.len());
            let name = adjusted_name(source.name, config.field_names);
            let schema = match &mask {
                None => Arc::clone(&schema),
                Some(mask) => {
                    let (name, value) = mask.parameter();
                    Arc::new(Schema::clone(&schema).parameter(name, &value))
                }
            };
            self.schema.fields.push(Field { name, schema });
        }
        let zero = target.zero();
        self.columns.push(ColumnPlan {
            name: source.name.to_owned(),
            wire: source.wire,
            has_default: default.of_schema.is_some(),
            null: match default.of_schema.or(zero) {
                _ if source.nullable => NullValue::Null,
                Some(value) => NullValue::Value(value),
                None if matches!(target, Target::Geometry) => NullValue::EmptyGeometry,
                None => NullValue::Null,
            },
            column_type: source.column_type,
            target,
            nullable: source.nullable,
            absent: default.of_absent,
            field,
            wanted: captured,
            mask,
        });
        schema
    }

    fn add_key(&mut self, schemas: &[Arc<Schema>], topic: &str) {
        if self.key.is_empty() {
            return;
        }
        let mut key_schema = Schema::new(SchemaType::Struct);
        key_schema.name = Some(format!("{topic}.Key"));
        for &index in &self.key {
            let (Some(column), Some(schema)) = (self.columns.get(index), schemas.get(index)) else {
                continue;
            };
            let name = column
                .field
                .and_then(|field| self.schema.fields.get(field))
                .map_or_else(|| column.name.clone(), |field| field.name.clone());
            key_schema.fields.push(Field { name, schema: Arc::clone(schema) });
            self.schema.primary_key.extend(column.field);
        }
        self.schema.key_schema = Some(Arc::new(key_schema));
    }
}

impl ColumnPlan {
    /// A cell as it may be shown.
    #[inline]
    pub(super) fn shown<'a>(&'a self, cell: Cell<'a>, arena: &'a Bump) -> Cell<'a> {
        match (&self.mask, cell) {
            (Some(mask), Cell::Value(value)) => Cell::Value(mask.apply(value, arena)),
            (_, cell) => cell,
        }
    }

    fn null<'a>(&'a self, arena: &'a Bump) -> Value<'a> {
        match &self.null {
            NullValue::Null => Value::Null,
            NullValue::Value(value) => value.value(),
            NullValue::EmptyGeometry => {
                Value::Struct(arena.alloc_slice_copy(&[Value::Bytes(geometry::EMPTY), Value::Null]))
            }
        }
    }

    /// The cell of a column that an insert's row image leaves out.
    pub(super) fn absent_cell(&self) -> Cell<'_> {
        match &self.absent {
            Absent::Unknown => Cell::Absent,
            Absent::Null => Cell::Value(Value::Null),
            Absent::Value(value) => Cell::Value(value.value()),
        }
    }
}

/// Whether a `TinyIntOneToBooleanConverter` takes the column.
fn is_boolean(source: &Source<'_>, config: &DecodeConfig, name: impl Fn() -> String) -> bool {
    let ColumnType::Integer { size, .. } = source.column_type else { return false };
    let one = size == IntegerSize::TinyOne;
    // Its name is another to the converter.
    let zerofill = source.layout.is_some_and(|layout| layout.column_type.contains("zerofill"));
    (one || size == IntegerSize::Tiny)
        && !zerofill
        && config.tiny_int_one.iter().any(|converter| {
            (one || !converter.length_checker)
                && converter.selector.as_ref().is_none_or(|selector| selector.matches(&name()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TinyIntOne;
    use crate::decode::ColumnLayout;

    fn tiny(column_type: &str, default: Option<&str>) -> ColumnLayout {
        ColumnLayout {
            name: "b".into(),
            data_type: "tinyint".into(),
            column_type: column_type.into(),
            character_set: None,
            collation: None,
            nullable: true,
            default: default.map(str::to_owned),
            extra: String::new(),
        }
    }

    #[test]
    fn tinyint_of_length_one_becomes_boolean_where_asked() {
        let config = |length_checker| DecodeConfig {
            tiny_int_one: vec![TinyIntOne { selector: None, length_checker }],
            ..DecodeConfig::default()
        };
        let layout = TableLayout {
            database: "d".into(),
            table: "t".into(),
            columns: vec![tiny("tinyint(1)", Some("1")), tiny("tinyint", None)],
            primary_key: Vec::new(),
            collation: None,
        };
        for (config, expected) in [
            (DecodeConfig::default(), [SchemaType::Int16, SchemaType::Int16]),
            (config(true), [SchemaType::Boolean, SchemaType::Int16]),
            (config(false), [SchemaType::Boolean, SchemaType::Boolean]),
        ] {
            let plan = TablePlan::new(&layout, None, "p", &ColumnFilter::default(), &config);
            let schema = plan.unwrap().schema;
            let types = schema.fields.iter().map(|field| field.schema.schema_type);
            assert_eq!(types.collect::<Vec<_>>(), expected);
        }
        let plan =
            TablePlan::new(&layout, None, "p", &ColumnFilter::default(), &config(true)).unwrap();
        assert_eq!(plan.schema.fields[0].schema.default, Some(DefaultValue::Boolean(true)));
        let arena = Bump::new();
        let row = plan.snapshot_row(&[Some(b"-1"), Some(b"-1")], &arena, 0).unwrap();
        let expected = [Cell::Value(Value::Boolean(false)), Cell::Value(Value::Int16(-1))];
        assert_eq!(row.cells, expected);
    }
}
