use std::collections::BTreeMap;

use super::{JavaRegex, Replacement};
use crate::connect::SchemaType;

/// What stands around the EventRouter in the chain.
#[derive(Clone, Debug, Default)]
pub struct TransformsConfig {
    /// `Filter`s before the router, by what each of them drops.
    pub before: Vec<PredicateStep>,
    /// Which records the router takes; all of them, without one.
    pub router: Option<PredicateStep>,
    /// What follows, in order.
    pub behind: Vec<TransformStep>,
}

/// A transform of the chain behind the EventRouter.
#[derive(Clone, Debug)]
pub struct TransformStep {
    /// Its name in `transforms`.
    pub alias: String,
    /// What it does.
    pub transform: TransformConfig,
    /// When it does it; always, without one.
    pub predicate: Option<PredicateStep>,
}

/// `predicate` and `negate` of a transform.
#[derive(Clone, Debug)]
pub struct PredicateStep {
    /// The condition.
    pub predicate: PredicateConfig,
    /// Whether the transform runs where the condition does not hold.
    pub negate: bool,
}

/// Connect's predicates.
#[derive(Clone, Debug)]
pub enum PredicateConfig {
    /// `TopicNameMatches`: the pattern matches the whole topic.
    TopicNameMatches(JavaRegex),
    /// `HasHeaderKey`: there is a header of this name.
    HasHeaderKey(String),
    /// `RecordIsTombstone`: the value is null.
    RecordIsTombstone,
}

/// Which half of a record a transform works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordHalf {
    /// The class's `$Key` form.
    Key,
    /// The class's `$Value` form.
    Value,
}

/// Connect's stock transforms.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are the transforms' properties, by their names")]
pub enum TransformConfig {
    /// `RegexRouter`.
    RegexRouter { regex: JavaRegex, replacement: Replacement },
    /// `TimestampRouter`.
    TimestampRouter { topic_format: String, timestamp_format: String },
    /// `InsertHeader`.
    InsertHeader { header: String, literal: String },
    /// `DropHeaders`.
    DropHeaders { headers: Vec<String> },
    /// `HeaderFrom`: pairs of a field and the header that it becomes.
    HeaderFrom { half: RecordHalf, fields: Vec<(String, String)>, remove: bool },
    /// `ReplaceField`.
    ReplaceField {
        half: RecordHalf,
        exclude: Vec<String>,
        include: Vec<String>,
        renames: Vec<(String, String)>,
        null_as_default: bool,
    },
    /// `ValueToKey`.
    ValueToKey { fields: Vec<String>, null_as_default: bool },
    /// `InsertField`.
    InsertField { half: RecordHalf, fields: Vec<InsertedField>, null_as_default: bool },
    /// `Cast` of a struct's fields.
    CastFields { half: RecordHalf, fields: Vec<(String, SchemaType)>, null_as_default: bool },
    /// `Cast` of the whole value.
    CastWhole { half: RecordHalf, to: SchemaType },
    /// `SetSchemaMetadata`.
    SetSchemaMetadata {
        half: RecordHalf,
        name: Option<String>,
        version: Option<i32>,
        null_as_default: bool,
    },
    /// `Filter`.
    Filter,
}

/// A field that `InsertField` adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertedField {
    /// Its name, without the mark behind it.
    pub name: String,
    /// Not marked with `!`.
    pub optional: bool,
    /// What it holds.
    pub content: InsertedContent,
}

/// What an inserted field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertedContent {
    /// The record's topic.
    Topic,
    /// The partition that was asked for.
    Partition,
    /// The record's timestamp.
    Timestamp,
    /// A fixed text.
    Text(String),
}

/// Why a transform or predicate cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// No class of this name is supported.
    #[error("type: {0} is not supported")]
    Class(String),
    /// A property is missing or has an impossible value.
    #[error("{property}: {reason}")]
    Property {
        /// The property, without the prefix of its transform.
        property: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// A transform's properties, their prefix stripped.
struct Options<'o>(&'o BTreeMap<String, String>);

impl TransformConfig {
    /// The classes, for messages.
    pub const SUPPORTED: &str = "RegexRouter, TimestampRouter, InsertHeader, DropHeaders, HeaderFrom, \
        ReplaceField, ValueToKey, InsertField, Cast, SetSchemaMetadata and Filter";

    /// The properties that a class knows.
    #[must_use]
    pub fn properties(class: &str) -> &'static [&'static str] {
        let name = class.rsplit('.').next().unwrap_or_default();
        match name.split('$').next().unwrap_or_default() {
            "RegexRouter" => &["regex", "replacement"],
            "TimestampRouter" => &["topic.format", "timestamp.format"],
            "InsertHeader" => &["header", "value.literal"],
            "DropHeaders" => &["headers"],
            "HeaderFrom" => &["fields", "headers", "operation"],
            "ReplaceField" => &["exclude", "include", "renames", "replace.null.with.default"],
            "ValueToKey" => &["fields", "replace.null.with.default"],
            "InsertField" => &[
                "topic.field",
                "partition.field",
                "offset.field",
                "timestamp.field",
                "static.field",
                "static.value",
                "replace.null.with.default",
            ],
            "Cast" => &["spec", "replace.null.with.default"],
            "SetSchemaMetadata" => &["schema.name", "schema.version", "replace.null.with.default"],
            _ => &[],
        }
    }

    /// Reads a transform of this class; `options` lack their prefix. Properties that the class does not know
    /// are passed over, as Connect does.
    ///
    /// # Errors
    /// When the class is not supported, or a property is missing or malformed.
    pub fn parse(class: &str, options: &BTreeMap<String, String>) -> Result<Self, TransformError> {
        let options = Options(options);
        let simple = class.strip_prefix("org.apache.kafka.connect.transforms.").unwrap_or(class);
        let (name, half) = match simple.rsplit_once('$') {
            Some((name, "Key")) => (name, Some(RecordHalf::Key)),
            Some((name, "Value")) => (name, Some(RecordHalf::Value)),
            Some(_) => return Err(TransformError::Class(class.to_owned())),
            None => (simple, None),
        };
        match (name, half) {
            ("RegexRouter", None) => options.regex_router(),
            ("TimestampRouter", None) => Ok(Self::TimestampRouter {
                topic_format: options.text_or("topic.format", "${topic}-${timestamp}"),
                timestamp_format: options.text_or("timestamp.format", "yyyyMMdd"),
            }),
            ("InsertHeader", None) => Ok(Self::InsertHeader {
                header: options.text("header")?.to_owned(),
                literal: options.text("value.literal")?.to_owned(),
            }),
            ("DropHeaders", None) => {
                Ok(Self::DropHeaders { headers: options.required_list("headers")? })
            }
            ("HeaderFrom", Some(half)) => options.header_from(half),
            ("ReplaceField", Some(half)) => Ok(Self::ReplaceField {
                half,
                exclude: options.list("exclude"),
                include: options.list("include"),
                renames: options.renames()?,
                null_as_default: options.null_as_default()?,
            }),
            ("ValueToKey", None) => Ok(Self::ValueToKey {
                fields: options.required_list("fields")?,
                null_as_default: options.null_as_default()?,
            }),
            ("InsertField", Some(half)) => options.insert_field(half),
            ("Cast", Some(half)) => options.cast(half),
            ("SetSchemaMetadata", Some(half)) => options.set_schema_metadata(half),
            ("Filter", None) => Ok(Self::Filter),
            _ => Err(TransformError::Class(class.to_owned())),
        }
    }
}

impl PredicateConfig {
    /// The classes, for messages.
    pub const SUPPORTED: &str = "TopicNameMatches, HasHeaderKey and RecordIsTombstone";

    /// The properties that the class knows.
    #[must_use]
    pub fn properties(&self) -> &'static [&'static str] {
        match self {
            Self::TopicNameMatches(_) => &["pattern"],
            Self::HasHeaderKey(_) => &["name"],
            Self::RecordIsTombstone => &[],
        }
    }

    /// Reads a predicate of this class; `options` lack their prefix.
    ///
    /// # Errors
    /// When the class is not supported, or a property is missing or malformed.
    pub fn parse(class: &str, options: &BTreeMap<String, String>) -> Result<Self, TransformError> {
        let options = Options(options);
        let package = "org.apache.kafka.connect.transforms.predicates.";
        match class.strip_prefix(package).unwrap_or(class) {
            "TopicNameMatches" => Ok(Self::TopicNameMatches(options.regex("pattern")?)),
            "HasHeaderKey" => Ok(Self::HasHeaderKey(options.not_empty("name")?.to_owned())),
            "RecordIsTombstone" => Ok(Self::RecordIsTombstone),
            _ => Err(TransformError::Class(class.to_owned())),
        }
    }
}

fn refused(property: &'static str, reason: impl Into<String>) -> TransformError {
    TransformError::Property { property, reason: reason.into() }
}

impl Options<'_> {
    fn get(&self, property: &str) -> Option<&str> {
        self.0.get(property).map(String::as_str)
    }

    fn text(&self, property: &'static str) -> Result<&str, TransformError> {
        self.get(property).ok_or_else(|| refused(property, "it is required and has no default"))
    }

    fn not_empty(&self, property: &'static str) -> Result<&str, TransformError> {
        let text = self.text(property)?;
        if text.is_empty() { Err(refused(property, "it must not be empty")) } else { Ok(text) }
    }

    fn text_or(&self, property: &str, default: &str) -> String {
        self.get(property).unwrap_or(default).to_owned()
    }

    fn list(&self, property: &str) -> Vec<String> {
        let text = self.get(property).unwrap_or_default().trim();
        if text.is_empty() {
            return Vec::new();
        }
        text.split(',').map(|item| item.trim().to_owned()).collect()
    }

    fn required_list(&self, property: &'static str) -> Result<Vec<String>, TransformError> {
        self.text(property)?;
        let items = self.list(property);
        if items.is_empty() { Err(refused(property, "it must not be empty")) } else { Ok(items) }
    }

    fn null_as_default(&self) -> Result<bool, TransformError> {
        let property = "replace.null.with.default";
        match self.text_or(property, "true").trim().to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(refused(property, format!("{other:?} is neither true nor false"))),
        }
    }

    fn regex(&self, property: &'static str) -> Result<JavaRegex, TransformError> {
        let pattern = self.text(property)?;
        JavaRegex::compile(pattern, false).map_err(|err| refused(property, err.to_string()))
    }

    fn regex_router(&self) -> Result<TransformConfig, TransformError> {
        let regex = self.regex("regex")?;
        let replacement = Replacement::parse(self.text("replacement")?, &regex)
            .map_err(|err| refused("replacement", err.to_string()))?;
        Ok(TransformConfig::RegexRouter { regex, replacement })
    }

    fn header_from(&self, half: RecordHalf) -> Result<TransformConfig, TransformError> {
        let fields = self.required_list("fields")?;
        let headers = self.required_list("headers")?;
        if fields.len() != headers.len() {
            return Err(refused("headers", "it must have as many items as fields"));
        }
        let remove = match self.text("operation")? {
            "move" => true,
            "copy" => false,
            other => return Err(refused("operation", format!("{other:?} is not move or copy"))),
        };
        let fields = fields.into_iter().zip(headers).collect();
        Ok(TransformConfig::HeaderFrom { half, fields, remove })
    }

    fn renames(&self) -> Result<Vec<(String, String)>, TransformError> {
        let pair = |item: &String| match item.split(':').collect::<Vec<_>>().as_slice() {
            [from, to] if !from.is_empty() && !to.is_empty() => {
                Ok(((*from).to_owned(), (*to).to_owned()))
            }
            _ => Err(refused("renames", format!("{item:?} is not of the form old:new"))),
        };
        self.list("renames").iter().map(pair).collect()
    }

    fn insert_field(&self, half: RecordHalf) -> Result<TransformConfig, TransformError> {
        if self.get("offset.field").is_some() {
            return Err(refused("offset.field", "a record that is not yet written has no offset"));
        }
        let text = || {
            let text = self.get("static.value").map(str::to_owned);
            text.ok_or_else(|| refused("static.value", "static.field needs a value"))
        };
        let mut fields = Vec::new();
        for (property, content) in [
            ("topic.field", InsertedContent::Topic),
            ("partition.field", InsertedContent::Partition),
            ("timestamp.field", InsertedContent::Timestamp),
            ("static.field", InsertedContent::Text(String::new())),
        ] {
            let Some(field) = self.get(property) else { continue };
            let content = match content {
                InsertedContent::Text(_) => InsertedContent::Text(text()?),
                content => content,
            };
            let marked = field.strip_suffix('!');
            let name = marked.or(field.strip_suffix('?')).unwrap_or(field).to_owned();
            fields.push(InsertedField { name, optional: marked.is_none(), content });
        }
        if fields.is_empty() {
            return Err(refused("static.field", "no field to insert is configured"));
        }
        let null_as_default = self.null_as_default()?;
        Ok(TransformConfig::InsertField { half, fields, null_as_default })
    }

    fn cast(&self, half: RecordHalf) -> Result<TransformConfig, TransformError> {
        let mut fields = Vec::new();
        let mut whole = None;
        for item in self.required_list("spec")? {
            match item.split(':').map(str::trim).collect::<Vec<_>>().as_slice() {
                [to] => whole = Some(cast_type(to)?),
                [field, to] => fields.push(((*field).to_owned(), cast_type(to)?)),
                _ => {
                    return Err(refused("spec", format!("{item:?} is not of the form field:type")));
                }
            }
        }
        match whole {
            None => {
                let null_as_default = self.null_as_default()?;
                Ok(TransformConfig::CastFields { half, fields, null_as_default })
            }
            Some(to) if fields.is_empty() && self.list("spec").len() == 1 => {
                Ok(TransformConfig::CastWhole { half, to })
            }
            Some(_) => Err(refused("spec", "a type for the whole value must be the only item")),
        }
    }

    fn set_schema_metadata(&self, half: RecordHalf) -> Result<TransformConfig, TransformError> {
        let name = self.get("schema.name").map(str::to_owned);
        let version = self.get("schema.version").map(|text| text.trim().parse());
        let version =
            version.transpose().map_err(|_| refused("schema.version", "it is not a number"))?;
        if name.is_none() && version.is_none() {
            return Err(refused("schema.name", "neither name nor version is configured"));
        }
        let null_as_default = self.null_as_default()?;
        Ok(TransformConfig::SetSchemaMetadata { half, name, version, null_as_default })
    }
}

fn cast_type(name: &str) -> Result<SchemaType, TransformError> {
    Ok(match name.to_ascii_lowercase().as_str() {
        "int8" => SchemaType::Int8,
        "int16" => SchemaType::Int16,
        "int32" => SchemaType::Int32,
        "int64" => SchemaType::Int64,
        "float32" => SchemaType::Float32,
        "float64" => SchemaType::Float64,
        "boolean" => SchemaType::Boolean,
        "string" => SchemaType::String,
        _ => return Err(refused("spec", format!("{name:?} is not a type to cast to"))),
    })
}
