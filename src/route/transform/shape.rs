use std::sync::Arc;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::chain::half_of;
use crate::config::RecordHalf;
use crate::connect::{
    DefaultValue, Field, Header, Schema, SchemaAndValue, SchemaRef, SchemaType, SourceRecord, Value,
};

/// A struct's schema and values, or why the input is none.
pub(super) fn require_struct<'a>(
    input: &SchemaAndValue<'a>,
) -> Result<(SchemaRef<'a>, &'a [Value<'a>]), String> {
    match (&input.schema, input.value) {
        (Some(schema), Value::Struct(values)) => Ok((schema.clone(), values)),
        (Some(schema), Value::Null) => {
            Err(format!("it works on structs only, but got null of type {:?}", schema.schema_type))
        }
        (Some(schema), _) => Err(format!(
            "it works on structs only, but got a value of type {:?}",
            schema.schema_type
        )),
        (None, _) => Err("it works on structs only, but got a value without a schema".to_owned()),
    }
}

/// Whether there is nothing to work on: a null passes most transforms as it is.
pub(super) fn is_null(input: &SchemaAndValue<'_>) -> bool {
    input.value.is_null()
}

/// A field's value as `Struct.get` has it, or as it is.
pub(super) fn field_value<'a>(
    schema: &Schema,
    value: Value<'a>,
    null_as_default: bool,
    arena: &'a Bump,
) -> Value<'a> {
    match &schema.default {
        Some(default) if null_as_default && value.is_null() => owned_default(default, arena),
        _ => value,
    }
}

/// A default that outlives its schema.
pub(super) fn owned_default<'a>(default: &DefaultValue, arena: &'a Bump) -> Value<'a> {
    match default.value() {
        Value::String(text) => Value::String(arena.alloc_str(text)),
        Value::Decimal(text) => Value::Decimal(arena.alloc_str(text)),
        Value::Bytes(bytes) => Value::Bytes(arena.alloc_slice_copy(bytes)),
        Value::Boolean(v) => Value::Boolean(v),
        Value::Int8(v) => Value::Int8(v),
        Value::Int16(v) => Value::Int16(v),
        Value::Int32(v) => Value::Int32(v),
        Value::Int64(v) => Value::Int64(v),
        Value::Float32(v) => Value::Float32(v),
        Value::Float64(v) => Value::Float64(v),
        Value::Null | Value::Struct(_) | Value::Array(_) | Value::Map(_) => Value::Null,
    }
}

/// A required struct with the name, version, doc and parameters of another, as Connect copies them.
pub(super) fn rebuilt(schema: &Schema, fields: Vec<Field>) -> Schema {
    Schema {
        name: schema.name.clone(),
        version: schema.version,
        doc: schema.doc.clone(),
        parameters: schema.parameters.clone(),
        fields,
        ..Schema::new(SchemaType::Struct)
    }
}

pub(super) fn struct_of<'a>(schema: Schema, values: ArenaVec<'a, Value<'a>>) -> SchemaAndValue<'a> {
    SchemaAndValue {
        schema: Some(SchemaRef::Shared(Arc::new(schema))),
        value: Value::Struct(values.into_bump_slice()),
    }
}

/// `ReplaceField`.
pub(super) fn replace_field<'a>(
    input: &mut SchemaAndValue<'a>,
    kept: impl Fn(&str) -> bool,
    renames: &[(String, String)],
    null_as_default: bool,
    arena: &'a Bump,
) -> Result<(), String> {
    if is_null(input) {
        return Ok(());
    }
    let (schema, values) = require_struct(input)?;
    let mut fields = Vec::new();
    let mut kept_values = ArenaVec::with_capacity_in(values.len(), arena);
    for (field, value) in schema.fields.iter().zip(values).filter(|(field, _)| kept(&field.name)) {
        let renamed = renames.iter().find(|(from, _)| *from == field.name);
        let name = renamed.map_or(&field.name, |(_, to)| to).clone();
        fields.push(Field { name, schema: Arc::clone(&field.schema) });
        kept_values.push(field_value(&field.schema, *value, null_as_default, arena));
    }
    *input = struct_of(rebuilt(&schema, fields), kept_values);
    Ok(())
}

/// `ValueToKey`.
pub(super) fn value_to_key<'a>(
    input: &SchemaAndValue<'a>,
    names: &[String],
    null_as_default: bool,
    arena: &'a Bump,
) -> Result<SchemaAndValue<'a>, String> {
    let (schema, values) = require_struct(input)?;
    let mut fields = Vec::new();
    let mut key = ArenaVec::with_capacity_in(names.len(), arena);
    for name in names {
        let (field, value) = named(&schema, values, name)?;
        fields.push(field.clone());
        key.push(field_value(&field.schema, value, null_as_default, arena));
    }
    Ok(struct_of(Schema { fields, ..Schema::new(SchemaType::Struct) }, key))
}

/// `HeaderFrom`.
pub(super) fn header_from<'a>(
    record: &mut SourceRecord<'a>,
    half: RecordHalf,
    pairs: &'a [(String, String)],
    remove: bool,
    arena: &'a Bump,
) -> Result<(), String> {
    let input = half_of(record, half);
    let (schema, values) = require_struct(input)?;
    let mut headers = Vec::with_capacity(pairs.len());
    for (name, header) in pairs {
        let (field, value) = named(&schema, values, name)?;
        let value = SchemaAndValue {
            schema: Some(SchemaRef::Shared(Arc::clone(&field.schema))),
            value: field_value(&field.schema, value, true, arena),
        };
        headers.push(Header { key: header, value });
    }
    if remove {
        let kept = |name: &str| !pairs.iter().any(|(moved, _)| moved == name);
        replace_field(input, kept, &[], true, arena)?;
    }
    record.headers.extend(headers);
    Ok(())
}

fn named<'s, 'a>(
    schema: &'s Schema,
    values: &[Value<'a>],
    name: &str,
) -> Result<(&'s Field, Value<'a>), String> {
    let found = schema.fields.iter().zip(values).find(|(field, _)| field.name == name);
    found
        .map(|(field, value)| (field, *value))
        .ok_or_else(|| format!("the value has no field {name:?}"))
}
