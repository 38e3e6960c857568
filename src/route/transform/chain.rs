use bumpalo::Bump;

use super::date_format::DateFormat;
use super::literal::Literal;
use super::{cast, metadata, shape};
use crate::config::{PredicateConfig, PredicateStep, RecordHalf, TransformConfig, TransformStep};
use crate::connect::{Header, SchemaAndValue, SourceRecord};
use crate::route::RouteError;
use crate::route::topic::TopicRoute;

/// The transforms that a routed record passes, in order.
#[derive(Debug)]
pub struct TransformChain {
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    alias: String,
    action: Action,
    predicate: Option<PredicateStep>,
}

#[derive(Debug)]
enum Action {
    Topic(TopicRoute),
    DatedTopic {
        topic: String,
        timestamp: DateFormat,
    },
    InsertHeader {
        header: String,
        literal: Literal,
    },
    /// Works on the record as its configuration says.
    Other(TransformConfig),
}

impl TransformChain {
    /// Prepares the transforms.
    ///
    /// # Errors
    /// All that cannot be carried out as configured.
    pub fn new(steps: Vec<TransformStep>) -> Result<Self, Vec<RouteError>> {
        let mut errors = Vec::new();
        let mut prepared = Vec::new();
        for TransformStep { alias, transform, predicate } in steps {
            match Action::new(transform) {
                Ok(action) => prepared.push(Step { alias, action, predicate }),
                Err(reason) => errors.push(RouteError::Transform { alias, reason }),
            }
        }
        if errors.is_empty() { Ok(Self { steps: prepared }) } else { Err(errors) }
    }

    /// Whether keys, values and headers of the router stay as they are: topics and further headers aside.
    #[must_use]
    pub fn keeps_parts(&self) -> bool {
        self.steps.iter().all(|step| {
            matches!(
                step.action,
                Action::Topic(_)
                    | Action::DatedTopic { .. }
                    | Action::InsertHeader { .. }
                    | Action::Other(TransformConfig::Filter)
            )
        })
    }

    /// Passes a record through; `None` when one of them drops it.
    ///
    /// # Errors
    /// When a transform meets a record that it does not work on.
    pub fn apply<'a>(
        &'a self,
        mut record: SourceRecord<'a>,
        arena: &'a Bump,
    ) -> Result<Option<SourceRecord<'a>>, RouteError> {
        for step in &self.steps {
            let failed = |reason| RouteError::Transform { alias: step.alias.clone(), reason };
            if !step.applies(&record).map_err(failed)? {
                continue;
            }
            if matches!(step.action, Action::Other(TransformConfig::Filter)) {
                return Ok(None);
            }
            step.action.apply(&mut record, arena).map_err(failed)?;
        }
        Ok(Some(record))
    }
}

impl Step {
    fn applies(&self, record: &SourceRecord<'_>) -> Result<bool, String> {
        let Some(PredicateStep { predicate, negate }) = &self.predicate else { return Ok(true) };
        let holds = match predicate {
            PredicateConfig::TopicNameMatches(pattern) => {
                pattern.matches(record.topic).map_err(|err| err.to_string())?
            }
            PredicateConfig::HasHeaderKey(name) => {
                record.headers.iter().any(|header| header.key == name)
            }
            PredicateConfig::RecordIsTombstone => record.value.value.is_null(),
        };
        Ok(holds != *negate)
    }
}

impl Action {
    fn new(transform: TransformConfig) -> Result<Self, String> {
        Ok(match transform {
            TransformConfig::RegexRouter { regex, replacement } => {
                Self::Topic(TopicRoute::new(regex, replacement))
            }
            TransformConfig::TimestampRouter { topic_format, timestamp_format } => {
                Self::DatedTopic {
                    topic: topic_format,
                    timestamp: DateFormat::parse(&timestamp_format)?,
                }
            }
            TransformConfig::InsertHeader { header, literal } => {
                Self::InsertHeader { header, literal: Literal::parse(&literal)? }
            }
            other => Self::Other(other),
        })
    }

    fn apply<'a>(&'a self, record: &mut SourceRecord<'a>, arena: &'a Bump) -> Result<(), String> {
        match self {
            Self::Topic(route) => {
                record.topic = route.topic(record.topic, arena).map_err(|err| err.to_string())?;
            }
            Self::DatedTopic { topic, timestamp } => {
                let ms = record.timestamp.ok_or("the record has no timestamp")?;
                let dated = topic
                    .replace("${topic}", record.topic)
                    .replace("${timestamp}", &timestamp.format(ms));
                record.topic = arena.alloc_str(&dated);
            }
            Self::InsertHeader { header, literal } => {
                record.headers.push(Header { key: header, value: literal.value(arena) });
            }
            Self::Other(config) => return apply_config(config, record, arena),
        }
        Ok(())
    }
}

fn apply_config<'a>(
    config: &'a TransformConfig,
    record: &mut SourceRecord<'a>,
    arena: &'a Bump,
) -> Result<(), String> {
    match config {
        TransformConfig::DropHeaders { headers } => {
            record.headers.retain(|header| !headers.iter().any(|dropped| dropped == header.key));
        }
        TransformConfig::HeaderFrom { half, fields, remove } => {
            shape::header_from(record, *half, fields, *remove, arena)?;
        }
        TransformConfig::ReplaceField { half, exclude, include, renames, null_as_default } => {
            let kept = |name: &str| {
                !exclude.iter().any(|excluded| excluded == name)
                    && (include.is_empty() || include.iter().any(|included| included == name))
            };
            let input = half_of(record, *half);
            shape::replace_field(input, kept, renames, *null_as_default, arena)?;
        }
        TransformConfig::ValueToKey { fields, null_as_default } => {
            record.key = shape::value_to_key(&record.value, fields, *null_as_default, arena)?;
        }
        TransformConfig::InsertField { half, fields, null_as_default } => {
            metadata::insert_field(record, *half, fields, *null_as_default, arena)?;
        }
        TransformConfig::CastFields { half, fields, null_as_default } => {
            cast::fields(half_of(record, *half), fields, *null_as_default, arena)?;
        }
        TransformConfig::CastWhole { half, to } => {
            cast::whole(half_of(record, *half), *to, arena)?;
        }
        TransformConfig::SetSchemaMetadata { half, name, version, null_as_default } => {
            let input = half_of(record, *half);
            metadata::set_schema(input, name.as_deref(), *version, *null_as_default, arena)?;
        }
        TransformConfig::RegexRouter { .. }
        | TransformConfig::TimestampRouter { .. }
        | TransformConfig::InsertHeader { .. }
        | TransformConfig::Filter => {}
    }
    Ok(())
}

/// The half of a record that a transform works on.
pub(super) fn half_of<'r, 'a>(
    record: &'r mut SourceRecord<'a>,
    half: RecordHalf,
) -> &'r mut SchemaAndValue<'a> {
    match half {
        RecordHalf::Key => &mut record.key,
        RecordHalf::Value => &mut record.value,
    }
}
