use std::collections::HashMap;

use bumpalo::Bump;
use criterion::Throughput;
use outflow::config::{ConnectorConfig, Environment, Inputs, load};
use outflow::connect::{RowChange, SourceRecord};
use outflow::convert::Converters;
use outflow::decode::{RowsEvent, TableLayout, TableMap, TablePlan};
use outflow::route::{EventRouter, Routed, RouterPlan};
use outflow::source::event::{HEADER_LENGTH, TABLE_MAP_EVENT, is_rows_event};

const OUTBOX: &[u8] = include_bytes!("outbox.binlog");
const EVERY_TYPE: &[u8] = include_bytes!("../../tests/fixtures/decode.binlog");
const EVERY_TYPE_LAYOUTS: &str = include_str!("../../tests/fixtures/decode.layouts.json");
const CONNECTOR: &str = r#"{"name": "bench", "config": {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "database.hostname": "localhost", "database.user": "u", "database.password": "p", "database.server.id": "1",
    "topic.prefix": "bench", "table.include.list": "shop.outbox.*",
    "transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
    "transforms.outbox.table.fields.additional.placement": "type:header:eventType"}}"#;
/// A log file's first bytes, before the first event.
const MAGIC: usize = 4;
const CHECKSUM: usize = 4;

/// A table's events and what it takes to read them.
pub(crate) struct Table {
    pub(crate) name: String,
    /// The last table map.
    pub(crate) map: &'static [u8],
    pub(crate) layout: TableLayout,
    pub(crate) plan: TablePlan,
    /// Type and body of the rows events.
    pub(crate) events: Vec<(u8, &'static [u8])>,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
}

/// The configuration of every bench, with some properties replaced.
pub(crate) fn config(set: &[(&str, &str)]) -> ConnectorConfig {
    let set: Vec<_> = set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let inputs = Inputs { file: CONNECTOR, set: &set, ..Inputs::default() };
    load(&inputs, &Environment::of_process()).expect("the bench's own configuration is right").0
}

/// Type and body of each event.
fn events(mut log: &'static [u8]) -> impl Iterator<Item = (u8, &'static [u8])> {
    log = log.get(MAGIC..).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = log.get(9..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))?;
        let (event, rest) = log.split_at_checked(usize::try_from(length).ok()?)?;
        log = rest;
        Some((*event.get(4)?, event.get(HEADER_LENGTH..event.len() - CHECKSUM)?))
    })
}

fn tables(log: &'static [u8], layouts: &[TableLayout], config: &ConnectorConfig) -> Vec<Table> {
    let mut tables: HashMap<String, Table> = HashMap::new();
    let mut present = String::new();
    for (kind, body) in events(log) {
        if kind == TABLE_MAP_EVENT {
            let map = TableMap::parse(body).expect("a table map that MySQL wrote");
            present = map.table.to_owned();
            tables.entry(present.clone()).or_insert_with(|| table(&map, body, layouts, config));
        } else if is_rows_event(kind)
            && let Some(table) = tables.get_mut(&present)
        {
            table.add(kind, body);
        }
    }
    let mut tables: Vec<_> = tables.into_values().collect();
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    tables
}

fn table(
    map: &TableMap<'_>,
    body: &'static [u8],
    layouts: &[TableLayout],
    config: &ConnectorConfig,
) -> Table {
    let known = layouts.iter().find(|layout| layout.table == map.table);
    // The map says all but defaults, which the tables of the recording do without.
    let layout = known.cloned().unwrap_or_else(|| TableLayout {
        database: map.database.to_owned(),
        table: map.table.to_owned(),
        columns: Vec::new(),
        collation: None,
        primary_key: Vec::new(),
    });
    let columns = &config.capture.columns;
    let plan = TablePlan::new(&layout, Some(map), "bench", columns, &config.decode);
    Table {
        name: map.table.to_owned(),
        map: body,
        plan: plan.expect("the layout fits"),
        layout,
        events: Vec::new(),
        rows: 0,
        bytes: 0,
    }
}

impl Table {
    fn add(&mut self, kind: u8, body: &'static [u8]) {
        self.events.push((kind, body));
        self.bytes += u64::try_from(body.len()).unwrap_or_default();
        let (mut arena, mut rows) = (Bump::new(), 0);
        each_row(&self.plan, &[(kind, body)], &mut arena, |_, _| rows += 1);
        self.rows += rows;
    }

    /// As the router reads it: only the columns that it wants are decoded.
    pub(crate) fn routed(mut self, router: &EventRouter) -> (Self, RouterPlan) {
        let plan = router.plan(&self.plan.schema).expect("an outbox table");
        self.plan.want(&plan.wanted);
        (self, plan)
    }

    /// All rows, decoded into one arena.
    pub(crate) fn decoded<'a>(&'a self, arena: &'a Bump) -> Vec<RowChange<'a>> {
        let mut decoded = Vec::new();
        for &(kind, body) in &self.events {
            let mut rows = RowsEvent::parse(kind, body).expect("rows that MySQL wrote");
            while let Some(row) =
                rows.next_row(&self.plan, arena, 0).expect("a row that the plan fits")
            {
                decoded.push(row);
            }
        }
        decoded
    }

    /// Rows and bytes of all events.
    pub(crate) fn throughput(&self) -> Throughput {
        Throughput::ElementsAndBytes { elements: self.rows, bytes: self.bytes }
    }
}

/// The outbox tables.
pub(crate) fn outboxes(config: &ConnectorConfig) -> Vec<Table> {
    tables(OUTBOX, &[], config)
}

/// Tables with columns of every type.
pub(crate) fn every_type(config: &ConnectorConfig) -> Vec<Table> {
    let layouts: Vec<TableLayout> =
        serde_json::from_str(EVERY_TYPE_LAYOUTS).expect("layouts as the tests have them");
    tables(EVERY_TYPE, &layouts, config)
}

/// Decodes all rows, each in an empty arena.
pub(crate) fn each_row(
    plan: &TablePlan,
    events: &[(u8, &'static [u8])],
    arena: &mut Bump,
    mut take: impl FnMut(&RowChange<'_>, &Bump),
) {
    for &(kind, body) in events {
        let mut rows = RowsEvent::parse(kind, body).expect("rows that MySQL wrote");
        loop {
            arena.reset();
            let row = rows.next_row(plan, arena, 1_700_000_000_000);
            let Some(row) = row.expect("a row that the plan fits") else { break };
            take(&row, arena);
        }
    }
}

/// All rooms from decode to convert.
pub(crate) struct Pipeline {
    pub(crate) router: EventRouter,
    pub(crate) converters: Converters,
}

impl Pipeline {
    pub(crate) fn new(config: &ConnectorConfig) -> Self {
        let router = EventRouter::new(config.router.clone(), &config.topic_prefix, "run");
        let converters = Converters::new(&config.converters).expect("converters that exist");
        Self { router, converters }
    }

    /// What a row becomes.
    pub(crate) fn route<'a>(
        &'a self,
        plan: &'a RouterPlan,
        row: &RowChange<'a>,
        arena: &'a Bump,
    ) -> SourceRecord<'a> {
        match self.router.route(plan, row, 1_700_000_000_000, arena) {
            Ok(Routed::Record(record, _)) => record,
            other => panic!("an outbox row that gives no record: {other:?}"),
        }
    }

    /// Takes all rows of a table through all rooms; the bytes of their values.
    pub(crate) fn run(&self, table: &Table, plan: &RouterPlan, arena: &mut Bump) -> usize {
        let mut bytes = 0;
        for &(kind, body) in &table.events {
            let mut rows = RowsEvent::parse(kind, body).expect("rows that MySQL wrote");
            loop {
                arena.reset();
                let row = rows.next_row(&table.plan, arena, 1_700_000_000_000);
                let Some(row) = row.expect("a row that the plan fits") else { break };
                let record = self.route(plan, &row, arena);
                let record = self.converters.convert(&record, arena).expect("a record of text");
                bytes += record.value.map_or(0, <[u8]>::len);
            }
        }
        bytes
    }
}
