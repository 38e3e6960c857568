use bumpalo::collections::Vec as ArenaVec;

use super::ConvertError;
use super::json::{JsonConverter, write_string};
use super::string::separate;
use crate::connect::java_number::write_integer;
use crate::connect::{Schema, SchemaType};

/// Appends a schema as `JsonConverter` describes it, with the name of the struct's member that it belongs
/// to.
pub(super) fn write_schema(
    converter: &JsonConverter,
    schema: &Schema,
    field: Option<&str>,
    out: &mut ArenaVec<'_, u8>,
) -> Result<(), ConvertError> {
    out.extend_from_slice_copy(b"{\"type\":\"");
    out.extend_from_slice_copy(type_name(schema.schema_type).as_bytes());
    out.push(b'"');
    write_children(converter, schema, out)?;
    out.extend_from_slice_copy(b",\"optional\":");
    out.extend_from_slice_copy(if schema.optional { b"true" } else { b"false" });
    write_member("name", schema.name.as_deref(), out);
    if let Some(version) = schema.version {
        out.extend_from_slice_copy(b",\"version\":");
        write_integer(i64::from(version), out);
    }
    write_member("doc", schema.doc.as_deref(), out);
    if !schema.parameters.is_empty() {
        out.extend_from_slice_copy(b",\"parameters\":{");
        for (index, (name, value)) in schema.parameters.iter().enumerate() {
            separate(index, b",", out);
            write_string(name, out);
            out.push(b':');
            write_string(value, out);
        }
        out.push(b'}');
    }
    if let Some(default) = &schema.default {
        out.extend_from_slice_copy(b",\"default\":");
        converter.write(Some(schema), &default.value(), out)?;
    }
    write_member("field", field, out);
    out.push(b'}');
    Ok(())
}

fn write_children(
    converter: &JsonConverter,
    schema: &Schema,
    out: &mut ArenaVec<'_, u8>,
) -> Result<(), ConvertError> {
    match schema.schema_type {
        SchemaType::Struct => {
            out.extend_from_slice_copy(b",\"fields\":[");
            for (index, field) in schema.fields.iter().enumerate() {
                separate(index, b",", out);
                write_schema(converter, &field.schema, Some(&field.name), out)?;
            }
            out.push(b']');
        }
        SchemaType::Array => {
            out.extend_from_slice_copy(b",\"items\":");
            write_child(converter, schema.value_schema.as_deref(), out)?;
        }
        SchemaType::Map => {
            for (name, child) in [("keys", &schema.key_schema), ("values", &schema.value_schema)] {
                out.push(b',');
                write_string(name, out);
                out.push(b':');
                write_child(converter, child.as_deref(), out)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Where values have no type in common there is none.
fn write_child(
    converter: &JsonConverter,
    child: Option<&Schema>,
    out: &mut ArenaVec<'_, u8>,
) -> Result<(), ConvertError> {
    match child {
        Some(child) => write_schema(converter, child, None, out),
        None => {
            out.extend_from_slice_copy(b"null");
            Ok(())
        }
    }
}

fn write_member(name: &str, text: Option<&str>, out: &mut ArenaVec<'_, u8>) {
    if let Some(text) = text {
        out.push(b',');
        write_string(name, out);
        out.push(b':');
        write_string(text, out);
    }
}

fn type_name(schema_type: SchemaType) -> &'static str {
    match schema_type {
        SchemaType::Int8 => "int8",
        SchemaType::Int16 => "int16",
        SchemaType::Int32 => "int32",
        SchemaType::Int64 => "int64",
        SchemaType::Float32 => "float",
        SchemaType::Float64 => "double",
        SchemaType::Boolean => "boolean",
        SchemaType::String => "string",
        SchemaType::Bytes => "bytes",
        SchemaType::Array => "array",
        SchemaType::Map => "map",
        SchemaType::Struct => "struct",
    }
}
