use std::sync::Arc;

use bumpalo::Bump;
use tracing::warn;
use uuid::Uuid;

use super::Failure;
use super::errors::Tolerance;
use super::sender::Sender;
use crate::config::ConnectorConfig;
use crate::connect::{SourceRecord, TableSchema};
use crate::convert::Converters;
use crate::route::{
    ChangeRecords, EventRouter, Fate, Gate, RawKind, RecordPart, RouterPlan, TransformChain,
    raw_topic,
};

/// What a row passes on its way to bytes: router, transforms and converters.
pub(super) struct Routing {
    config: Arc<ConnectorConfig>,
    pub(super) router: EventRouter,
    pub(super) chain: TransformChain,
    pub(super) converters: Converters,
    pub(super) tolerance: Tolerance,
}

impl Routing {
    /// The topic of a table's records before the router.
    pub(super) fn raw_topic(&self, database: &str, table: &str) -> String {
        raw_topic(&self.config.topic_prefix, &self.config.topic_delimiter, database, table)
    }

    /// Prepares all of it; what cannot work is said here.
    pub(super) fn new(config: &Arc<ConnectorConfig>) -> Result<Self, Failure> {
        let chain = TransformChain::new(config.transforms.behind.clone()).map_err(|problems| {
            Failure::Transforms(problems.iter().map(ToString::to_string).collect())
        })?;
        let run_id = Uuid::now_v7().to_string();
        Ok(Self {
            router: EventRouter::new(config.router.clone(), &config.topic_prefix, &run_id),
            chain,
            converters: Converters::new(&config.converters)
                .map_err(|err| Failure::Converters(Box::new(err)))?,
            tolerance: Tolerance::new(config).map_err(|err| Failure::Converters(Box::new(err)))?,
            config: Arc::clone(config),
        })
    }

    /// Whether a `Filter` before the router drops records of outflow's own for this topic, and whether the
    /// converters can write them.
    pub(super) fn check_own<'p>(
        &self,
        topic: &str,
        parts: impl IntoIterator<Item = RecordPart<'p>>,
    ) -> Result<OwnRecords, Vec<String>> {
        let gate = Gate::new(&self.config.transforms, topic, std::iter::empty());
        if gate.map_err(|err| vec![err.to_string()])?.fate(RawKind::Change) == Fate::Dropped {
            return Ok(OwnRecords::Dropped);
        }
        if self.chain.keeps_parts() {
            self.converters.check(parts).map_err(texts)?;
        }
        Ok(OwnRecords::Published)
    }

    /// Sends a record of outflow's own, which passes the router unchanged.
    pub(super) fn publish_own<'a>(
        &'a self,
        record: SourceRecord<'a>,
        arena: &'a Bump,
        commit_us: u64,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let record = self.chain.apply(record, arena);
        let record = record.map_err(|err| Failure::Transforms(vec![err.to_string()]))?;
        let Some(record) = record else { return Ok(()) };
        let record = self.converters.convert(&record, arena);
        sender.send(&record.map_err(|err| Failure::Converters(Box::new(err)))?, commit_us)
    }

    /// Whether the converters can write these parts of a table's records.
    fn check<'p>(
        &self,
        table: &str,
        parts: impl IntoIterator<Item = RecordPart<'p>>,
    ) -> Result<(), Vec<String>> {
        if !self.chain.keeps_parts() {
            return Ok(()); // What the converters will see is known only when a record is there.
        }
        let warnings = self.converters.check(parts).map_err(texts)?;
        for warning in warnings {
            warn!(table, "{warning}");
        }
        Ok(())
    }
}

/// What becomes of records of outflow's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnRecords {
    /// They are sent.
    Published,
    /// A filter before the router drops them.
    Dropped,
}

/// Where the rows of a table go.
pub(super) enum Course {
    /// All of them to the router.
    Routed(Box<RouterPlan>),
    /// Nowhere: a filter before the router drops them.
    Dropped,
    /// Each record by its kind to the router, past it or nowhere.
    Gated(Box<Gated>),
}

/// A table of which not every record goes to the router.
pub(super) struct Gated {
    pub(super) gate: Gate,
    /// Where any of its records does.
    pub(super) router: Option<RouterPlan>,
    pub(super) records: ChangeRecords,
}

impl Course {
    /// Finds a table's course, and everything that keeps its rows from it.
    pub(super) fn new(routing: &Routing, schema: &TableSchema) -> Result<Self, Vec<String>> {
        let config = &routing.config;
        let table = format!("{}.{}", schema.database, schema.table);
        let topic = routing.raw_topic(&schema.database, &schema.table);
        let context = routing.router.context_headers();
        let gate = Gate::new(&config.transforms, &topic, context.iter().map(|(key, _)| *key))
            .map_err(|err| vec![err.to_string()])?;
        if !gate.has(Fate::Routed) && !gate.has(Fate::Raw) {
            return Ok(Self::Dropped);
        }
        let router = if gate.has(Fate::Routed) {
            let plan = routing.router.plan(schema).map_err(texts)?;
            routing.check(&table, plan.parts(schema))?;
            Some(plan)
        } else {
            None
        };
        match router {
            Some(plan) if gate.routes_all() => Ok(Self::Routed(Box::new(plan))),
            router => {
                let records = ChangeRecords::new(&config.topic_prefix, topic, schema, context);
                if gate.has(Fate::Raw) {
                    whole_key(schema)?;
                    routing.check(&table, records.parts())?;
                }
                Ok(Self::Gated(Box::new(Gated { gate, router, records })))
            }
        }
    }
}

/// The key of a change record has every column of the primary key, and a snapshot reads none that is hidden.
fn whole_key(schema: &TableSchema) -> Result<(), Vec<String>> {
    let columns = schema.key_schema.as_ref().map_or(0, |key| key.fields.len());
    if columns == schema.primary_key.len() {
        return Ok(());
    }
    Err(vec![
        "a column filter hides a part of the primary key, and records that pass the router need it in their key"
            .to_owned(),
    ])
}

fn texts(problems: Vec<impl ToString>) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}
