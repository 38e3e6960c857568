use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::json::{JsonConverter, kind};
use super::primitive::Primitive;
use super::string::Charset;
use super::{ConvertError, header, string};
use crate::config::{ConverterClass, ConverterConfig, ConvertersConfig};
use crate::connect::{Schema, SchemaAndValue, SchemaType, SourceRecord, Value};
use crate::route::Place;

/// A record as it goes to Kafka.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProducerRecord<'a> {
    /// The topic.
    pub topic: &'a str,
    /// The partition, where one was asked for.
    pub partition: Option<i32>,
    /// The key's bytes.
    pub key: Option<&'a [u8]>,
    /// The value's bytes; `None` is a tombstone.
    pub value: Option<&'a [u8]>,
    /// The headers, in order.
    pub headers: &'a [(&'a str, Option<&'a [u8]>)],
    /// Milliseconds since the epoch; `None` leaves it to the producer's clock.
    pub timestamp: Option<i64>,
}

/// The connector's three converters.
#[derive(Debug)]
pub struct Converters {
    pub(super) key: Converter,
    pub(super) value: Converter,
    pub(super) header: Converter,
}

/// One converter at its place.
#[derive(Debug)]
pub(super) struct Converter {
    pub(super) place: Place,
    pub(super) format: Format,
}

/// How a converter writes.
#[derive(Debug)]
pub(super) enum Format {
    String(Charset),
    Json(JsonConverter),
    ByteArray,
    BinaryData(Option<Box<Converter>>),
    SimpleHeader,
    Primitive(Primitive),
}

impl Converters {
    /// Makes the converters that the configuration names.
    ///
    /// # Errors
    /// When one of them cannot work where it stands, whatever the table is like.
    pub fn new(config: &ConvertersConfig) -> Result<Self, ConvertError> {
        Ok(Self {
            key: Converter::new(Place::Key, &config.key)?,
            value: Converter::new(Place::Value, &config.value)?,
            header: Converter::new(Place::Header, &config.header)?,
        })
    }

    /// Writes a record: headers, key, value.
    ///
    /// # Errors
    /// When a converter does not write what the record holds.
    pub fn convert<'a>(
        &'a self,
        record: &SourceRecord<'a>,
        arena: &'a Bump,
    ) -> Result<ProducerRecord<'a>, ConvertError> {
        let mut headers = ArenaVec::with_capacity_in(record.headers.len(), arena);
        for header in &record.headers {
            headers.push((header.key, self.header.convert(&header.value, arena)?));
        }
        Ok(ProducerRecord {
            topic: record.topic,
            partition: record.partition,
            key: self.key.convert(&record.key, arena)?,
            value: self.value.convert(&record.value, arena)?,
            headers: headers.into_bump_slice(),
            timestamp: record.timestamp,
        })
    }

    /// As [`Self::convert`], but borrows nothing of the record, which may then go.
    ///
    /// # Errors
    /// As [`Self::convert`].
    pub fn convert_apart<'o>(
        &self,
        record: &SourceRecord<'_>,
        out: &'o Bump,
    ) -> Result<ProducerRecord<'o>, ConvertError> {
        let arena = Bump::new();
        let copied = |bytes: Option<&[u8]>| bytes.map(|bytes| &*out.alloc_slice_copy(bytes));
        let mut headers = ArenaVec::with_capacity_in(record.headers.len(), out);
        for header in &record.headers {
            let value = self.header.convert(&header.value, &arena)?;
            headers.push((&*out.alloc_str(header.key), copied(value)));
        }
        let key = copied(self.key.convert(&record.key, &arena)?);
        let SchemaAndValue { schema, value } = &record.value;
        let value = match &self.value.format {
            Format::Json(json) => json.convert(schema.as_deref(), *value, out)?,
            _ => copied(self.value.convert(&record.value, &arena)?),
        };
        Ok(ProducerRecord {
            topic: out.alloc_str(record.topic),
            partition: record.partition,
            key,
            value,
            headers: headers.into_bump_slice(),
            timestamp: record.timestamp,
        })
    }
}

impl Converter {
    fn new(place: Place, config: &ConverterConfig) -> Result<Self, ConvertError> {
        let format = match config.class {
            ConverterClass::String => Format::String(charset(place, config)?),
            ConverterClass::Json => Format::Json(JsonConverter {
                place,
                schemas: config.schemas_enable,
                decimal_numeric: config.decimal_numeric,
                null_as_default: config.replace_null_with_default,
            }),
            ConverterClass::ByteArray => Format::ByteArray,
            ConverterClass::BinaryData => Format::BinaryData(match &config.delegate {
                // As a header converter it is never told of its delegate.
                Some(delegate) if place != Place::Header => {
                    Some(Box::new(Self::new(place, delegate)?))
                }
                _ => None,
            }),
            ConverterClass::SimpleHeader if place != Place::Header => {
                return Err(ConvertError::Misplaced {
                    place,
                    converter: "SimpleHeaderConverter",
                    reason: "writes headers only; use StringConverter",
                });
            }
            ConverterClass::SimpleHeader => Format::SimpleHeader,
            ConverterClass::Boolean => Format::Primitive(Primitive::Boolean),
            ConverterClass::Short => Format::Primitive(Primitive::Short),
            ConverterClass::Integer => Format::Primitive(Primitive::Integer),
            ConverterClass::Long => Format::Primitive(Primitive::Long),
            ConverterClass::Float => Format::Primitive(Primitive::Float),
            ConverterClass::Double => Format::Primitive(Primitive::Double),
        };
        Ok(Self { place, format })
    }

    /// The converter's name, without its package.
    pub(super) fn class(&self) -> &'static str {
        match &self.format {
            Format::String(_) => "StringConverter",
            Format::Json(_) => "JsonConverter",
            Format::ByteArray => "ByteArrayConverter",
            Format::BinaryData(_) => "BinaryDataConverter",
            Format::SimpleHeader => "SimpleHeaderConverter",
            Format::Primitive(primitive) => primitive.class(),
        }
    }

    fn convert<'a>(
        &self,
        input: &SchemaAndValue<'a>,
        arena: &'a Bump,
    ) -> Result<Option<&'a [u8]>, ConvertError> {
        self.write(input.schema.as_deref(), input.value, arena)
    }

    fn write<'a>(
        &self,
        schema: Option<&Schema>,
        value: Value<'a>,
        arena: &'a Bump,
    ) -> Result<Option<&'a [u8]>, ConvertError> {
        match &self.format {
            Format::String(charset) => Ok(string::convert(*charset, schema, value, arena)),
            Format::Json(json) => json.convert(schema, value, arena),
            Format::SimpleHeader => Ok(header::convert(schema, value, arena)),
            Format::ByteArray if schema.is_some_and(|s| s.schema_type != SchemaType::Bytes) => {
                Err(self.refuse(&value))
            }
            Format::ByteArray => self.bytes(value),
            Format::BinaryData(delegate) => {
                let is_bytes = schema.is_none_or(|s| s.schema_type == SchemaType::Bytes);
                match (value, delegate) {
                    (Value::Null, _) if is_bytes => Ok(None),
                    (Value::Bytes(bytes), _) if is_bytes => Ok(Some(bytes)),
                    (value, Some(delegate)) => delegate.write(schema, value, arena),
                    (value, None) => Err(self.refuse(&value)),
                }
            }
            // The only one of them that looks at the schema of a null.
            Format::Primitive(Primitive::Boolean)
                if schema.is_some_and(|s| s.schema_type != SchemaType::Boolean) =>
            {
                Err(self.refuse(&value))
            }
            Format::Primitive(_) if value.is_null() => Ok(None),
            Format::Primitive(primitive) => match primitive.convert(schema, value, arena) {
                Some(bytes) => Ok(Some(bytes)),
                None => Err(self.refuse(&value)),
            },
        }
    }

    fn bytes<'a>(&self, value: Value<'a>) -> Result<Option<&'a [u8]>, ConvertError> {
        match value {
            Value::Null => Ok(None),
            Value::Bytes(bytes) => Ok(Some(bytes)),
            value => Err(self.refuse(&value)),
        }
    }

    fn refuse(&self, value: &Value<'_>) -> ConvertError {
        ConvertError::Type { place: self.place, converter: self.class(), found: kind(value) }
    }
}

fn charset(place: Place, config: &ConverterConfig) -> Result<Charset, ConvertError> {
    let Some(encoding) = &config.encoding else { return Ok(Charset::Utf8) };
    Charset::named(encoding)
        .ok_or_else(|| ConvertError::Encoding { place, encoding: encoding.clone() })
}
