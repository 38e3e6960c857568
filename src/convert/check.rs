use super::ConvertError;
use super::converters::{Converter, Converters, Format};
use crate::connect::{Schema, SchemaType, logical};
use crate::route::{Place, RecordPart};

/// Something that a converter writes as the reference does, although no consumer can want it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertWarning {
    /// Which converter.
    pub place: Place,
    /// The column that it writes.
    pub column: String,
}

impl std::fmt::Display for ConvertWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: StringConverter writes the length of the binary column {:?} instead of its bytes; use \
             ByteArrayConverter, or set binary.handling.mode to base64 or hex",
            self.place.property(),
            self.column
        )
    }
}

impl Converters {
    /// Checks each part that a table's records have; what is written but of no use comes back as warnings.
    ///
    /// # Errors
    /// All parts that their converter would fail on at the first record.
    pub fn check<'p>(
        &self,
        parts: impl IntoIterator<Item = RecordPart<'p>>,
    ) -> Result<Vec<ConvertWarning>, Vec<ConvertError>> {
        let mut warnings = Vec::new();
        let mut errors = Vec::new();
        for part in parts {
            let converter = match part.place {
                Place::Key => &self.key,
                Place::Value => &self.value,
                Place::Header => &self.header,
            };
            if let Some(cure) = converter.cannot_write(part.schema) {
                errors.push(ConvertError::Impossible {
                    place: part.place,
                    converter: converter.class(),
                    column: part.column.to_owned(),
                    found: describe(part.schema),
                    cure,
                });
            } else if converter.hides_bytes(part.schema) {
                warnings.push(ConvertWarning { place: part.place, column: part.column.to_owned() });
            }
        }
        if errors.is_empty() { Ok(warnings) } else { Err(errors) }
    }
}

impl Converter {
    /// What to do, when values of this schema cannot be written.
    fn cannot_write(&self, schema: &Schema) -> Option<&'static str> {
        let is_bytes = schema.schema_type == SchemaType::Bytes && !schema.is(logical::DECIMAL);
        match &self.format {
            Format::String(_) | Format::Json(_) | Format::SimpleHeader => None,
            Format::ByteArray if is_bytes => None,
            Format::ByteArray => {
                Some("use StringConverter or JsonConverter, or a BLOB or BINARY column")
            }
            Format::BinaryData(_) if is_bytes => None,
            Format::BinaryData(Some(delegate)) => delegate.cannot_write(schema),
            Format::BinaryData(None) if self.place == Place::Header => {
                Some("as a header converter it has no delegate; use SimpleHeaderConverter")
            }
            Format::BinaryData(None) => {
                Some("name a converter for such values with delegate.converter.type")
            }
            Format::Primitive(primitive) => {
                let dates =
                    [logical::CONNECT_DATE, logical::CONNECT_TIME, logical::CONNECT_TIMESTAMP];
                let fits = schema.schema_type == primitive.schema_type()
                    && !dates.iter().any(|name| schema.is(name));
                (!fits).then_some("use StringConverter, or the converter of the column's type")
            }
        }
    }

    fn hides_bytes(&self, schema: &Schema) -> bool {
        let text = matches!(self.format, Format::String(_));
        text && schema.schema_type == SchemaType::Bytes && !schema.is(logical::DECIMAL)
    }
}

fn describe(schema: &Schema) -> String {
    let schema_type = format!("{:?}", schema.schema_type).to_uppercase();
    match &schema.name {
        Some(name) => format!("{schema_type} ({name})"),
        None => schema_type,
    }
}
