use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::chain::half_of;
use super::shape::{field_value, is_null, rebuilt, require_struct, struct_of};
use crate::config::{InsertedContent, InsertedField, RecordHalf};
use crate::connect::{
    Field, Schema, SchemaAndValue, SchemaRef, SchemaType, SourceRecord, Value, logical,
};

/// `InsertField`: facts about the record or a fixed text as further fields.
pub(super) fn insert_field<'a>(
    record: &mut SourceRecord<'a>,
    half: RecordHalf,
    inserted: &'a [InsertedField],
    null_as_default: bool,
    arena: &'a Bump,
) -> Result<(), String> {
    let (topic, partition, timestamp) = (record.topic, record.partition, record.timestamp);
    let input = half_of(record, half);
    if is_null(input) {
        return Ok(());
    }
    let (schema, values) = require_struct(input)?;
    let mut fields = schema.fields.clone();
    let mut out = ArenaVec::with_capacity_in(values.len() + inserted.len(), arena);
    for (field, value) in schema.fields.iter().zip(values) {
        out.push(field_value(&field.schema, *value, null_as_default, arena));
    }
    for InsertedField { name, optional, content } in inserted {
        let (inserted, value) = match content {
            InsertedContent::Topic => (Schema::new(SchemaType::String), Value::String(topic)),
            InsertedContent::Partition => {
                (Schema::new(SchemaType::Int32), partition.map_or(Value::Null, Value::Int32))
            }
            InsertedContent::Timestamp => (
                Schema::new(SchemaType::Int64).named(logical::CONNECT_TIMESTAMP),
                timestamp.map_or(Value::Null, Value::Int64),
            ),
            InsertedContent::Text(text) => (Schema::new(SchemaType::String), Value::String(text)),
        };
        if fields.iter().any(|field| field.name == *name) {
            return Err(format!("the value already has a field {name:?}"));
        }
        fields.push(Field { name: name.clone(), schema: inserted.optional(*optional).into() });
        out.push(value);
    }
    *input = struct_of(rebuilt(&schema, fields), out);
    Ok(())
}

/// `SetSchemaMetadata`: another name or version for a struct's schema.
pub(super) fn set_schema<'a>(
    input: &mut SchemaAndValue<'a>,
    name: Option<&str>,
    version: Option<i32>,
    null_as_default: bool,
    arena: &'a Bump,
) -> Result<(), String> {
    let Some(schema) = &input.schema else {
        return if is_null(input) { Ok(()) } else { Err("the value has no schema".to_owned()) };
    };
    if schema.schema_type != SchemaType::Struct {
        return Err(format!(
            "it works on structs only, but got a value of type {:?}",
            schema.schema_type
        ));
    }
    let updated = Schema {
        name: name.map(str::to_owned).or_else(|| schema.name.clone()),
        version: version.or(schema.version),
        ..Schema::clone(schema)
    };
    if let Value::Struct(values) = input.value {
        let mut out = ArenaVec::with_capacity_in(values.len(), arena);
        for (field, value) in schema.fields.iter().zip(values) {
            out.push(field_value(&field.schema, *value, null_as_default, arena));
        }
        input.value = Value::Struct(out.into_bump_slice());
    }
    input.schema = Some(SchemaRef::Shared(Arc::new(updated)));
    Ok(())
}
