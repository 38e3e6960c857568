use std::collections::HashMap;
use std::rc::Rc;

use tracing::{info, warn};

use super::Failure;
use super::layouts::Layouts;
use super::queries::Queries;
use super::routing::{Course, Routing};
use super::sender::Sender;
use super::transaction::Transaction;
use crate::config::{CaptureConfig, ColumnFilter, ConnectorConfig, DecodeConfig, TimePrecision};
use crate::decode::ddl::TableName;
use crate::decode::{
    DecodeError, TableLayout, TableMap, TablePlan, rows_table_id, table_map_names,
};
use crate::offset::BinlogPosition;
use crate::source::SourceError;
use crate::source::event::Query;

/// The table id's bytes at the start of a table map.
const TABLE_ID_BYTES: usize = 6;

/// What the reader knows of the tables in the log: which are captured, and how to read their rows.
pub(super) struct Tables {
    capture: CaptureConfig,
    decode: DecodeConfig,
    layouts: Layouts,
    by_id: HashMap<u64, Entry>,
    captured: Vec<Captured>,
    /// The databases that have captured tables; looked up where a statement may write to one.
    databases: Option<Vec<String>>,
    /// The last table map's table: rows of one statement follow each other.
    last: (u64, Entry),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    Foreign,
    Captured(usize),
}

/// A captured table and how its rows are read and routed.
pub(super) struct Captured {
    /// `database.table`.
    pub(super) name: Rc<str>,
    /// The table map that the plans were made for, after its table id.
    raw: Vec<u8>,
    pub(super) plan: TablePlan,
    /// Reads nothing but primary keys, whatever the file makes of values, in forms that lose nothing.
    pub(super) keys: TablePlan,
    pub(super) course: Course,
}

impl Captured {
    /// Makes the plans for a table, all problems at once.
    pub(super) fn new(
        layout: &TableLayout,
        map: Option<(&TableMap<'_>, &[u8])>,
        config: (&CaptureConfig, &DecodeConfig),
        routing: &Routing,
    ) -> Result<Self, CaptureError> {
        let (capture, decode) = config;
        let name = format!("{}.{}", layout.database, layout.table);
        let mut plan = TablePlan::new(
            layout,
            map.map(|(map, _)| map),
            &routing.raw_topic(&layout.database, &layout.table),
            &capture.columns,
            decode,
        )?;
        let course = Course::new(routing, &plan.schema).map_err(|problems| {
            CaptureError::Table(
                problems.iter().map(|problem| format!("{name}: {problem}")).collect(),
            )
        })?;
        match &course {
            // A row that fails shows every column.
            Course::Routed(_) if routing.tolerance.keeps_rows() => {}
            Course::Routed(router) => {
                let mut wanted = router.wanted.clone();
                for &index in &plan.schema.primary_key {
                    if let Some(wanted) = wanted.get_mut(index) {
                        *wanted = true; // To name a row in errors.
                    }
                }
                plan.want(&wanted);
            }
            Course::Dropped => plan.want(&[]),
            Course::Gated(_) => {} // Their records show every column.
        }
        let forms =
            DecodeConfig { time_precision: TimePrecision::Microseconds, ..DecodeConfig::default() };
        let map_alone = map.map(|(map, _)| map);
        let mut keys = TablePlan::new(layout, map_alone, "", &ColumnFilter::default(), &forms)?;
        keys.want(&[]);
        let raw = map.map(|(_, raw)| raw.to_vec()).unwrap_or_default();
        Ok(Self { name: name.into(), raw, plan, keys, course })
    }
}

/// Why a captured table cannot be read.
pub(super) enum CaptureError {
    Decode(DecodeError),
    Table(Vec<String>),
}

impl From<DecodeError> for CaptureError {
    fn from(err: DecodeError) -> Self {
        Self::Decode(err)
    }
}

impl Tables {
    pub(super) fn new(config: &ConnectorConfig, layouts: Layouts) -> Self {
        Self {
            layouts,
            capture: config.capture.clone(),
            decode: config.decode.clone(),
            by_id: HashMap::new(),
            captured: Vec::new(),
            databases: None,
            last: (u64::MAX, Entry::Foreign),
        }
    }

    /// Whether rows of this table are wanted; true for an id that no table map has named.
    pub(super) fn wants(&self, table_id: u64) -> bool {
        self.entry(table_id) != Some(Entry::Foreign)
    }

    /// Whether a table map has named this id.
    pub(super) fn has_map(&self, table_id: u64) -> bool {
        self.entry(table_id).is_some()
    }

    fn entry(&self, table_id: u64) -> Option<Entry> {
        if self.last.0 == table_id {
            return Some(self.last.1);
        }
        self.by_id.get(&table_id).copied()
    }

    /// The captured table with this id.
    pub(super) fn captured(&self, table_id: u64) -> Option<&Captured> {
        match self.entry(table_id)? {
            Entry::Foreign => None,
            Entry::Captured(index) => self.captured.get(index),
        }
    }

    /// Whether a captured table goes by this name.
    pub(super) fn captures(&self, database: &str, table: &str) -> bool {
        self.capture.tables.captures(database, table)
    }

    /// The first of these databases that has a captured table.
    pub(super) fn captured_database<'a>(
        &mut self,
        of: impl IntoIterator<Item = &'a str>,
        queries: &Queries,
    ) -> Result<Option<&'a str>, SourceError> {
        let captured = match self.databases.take() {
            Some(databases) => databases,
            None => queries.captured_databases()?,
        };
        let captured = self.databases.insert(captured);
        Ok(of.into_iter().find(|name| captured.iter().any(|known| known == name)))
    }

    /// Takes note of a statement that ends at `place` and may alter tables.
    pub(super) fn on_statement(
        &mut self,
        query: &Query<'_>,
        place: &BinlogPosition,
        queries: &Queries,
    ) -> Result<(), Failure> {
        self.databases = None;
        for table in self.layouts.on_statement(query, place, &self.capture.tables, queries)? {
            let name = format!("{}.{}", table.database, table.table);
            for captured in self.captured.iter_mut().filter(|captured| *captured.name == *name) {
                captured.raw.clear(); // Equal bytes do not mean equal columns.
                let known = self.layouts.known(&table, place).is_some();
                info!(table = %name, known, "the table was altered");
            }
        }
        Ok(())
    }

    /// Ids start anew when the server restarts.
    pub(super) fn forget_ids(&mut self) {
        self.by_id.clear();
        self.last = (u64::MAX, Entry::Foreign);
    }

    /// Takes note of a table map. Equal bytes cost one comparison.
    pub(super) fn map(&mut self, body: &[u8], reader: &Reader<'_>) -> Result<(), MapFailure> {
        let raw = body.get(TABLE_ID_BYTES..).unwrap_or_default();
        let noted = rows_table_id(body).and_then(|id| Some((id, self.entry(id)?)));
        let is_same = |&(_, entry): &(u64, Entry)| match entry {
            Entry::Foreign => true,
            Entry::Captured(index) => {
                self.captured.get(index).is_some_and(|known| known.raw == raw)
            }
        };
        if let Some(same) = noted.filter(is_same) {
            self.last = same;
            return Ok(());
        }
        let (table_id, database, table) = table_map_names(body).map_err(MapFailure::decode)?;
        let entry = if self.capture.tables.captures(database, table) {
            Entry::Captured(self.take_up(body, raw, (database, table), reader)?)
        } else {
            Entry::Foreign
        };
        self.last = (table_id, entry);
        self.by_id.insert(table_id, entry);
        Ok(())
    }

    /// The place of a captured table that another number or other bytes than before stand for.
    fn take_up(
        &mut self,
        body: &[u8],
        raw: &[u8],
        (database, table): (&str, &str),
        reader: &Reader<'_>,
    ) -> Result<usize, MapFailure> {
        let name = format!("{database}.{table}");
        let known = self.captured.iter().position(|captured| *captured.name == *name);
        if let Some(index) = known
            && self.captured.get(index).is_some_and(|captured| captured.raw == raw)
        {
            return Ok(index);
        }
        let captured = self.plan(body, raw, (database, table), reader)?;
        info!(table = %captured.name, "table layout taken up");
        match known.and_then(|index| self.captured.get_mut(index)) {
            Some(slot) => *slot = captured,
            None => self.captured.push(captured),
        }
        Ok(known.unwrap_or(self.captured.len() - 1))
    }

    /// Takes the rows behind a table map for another table's: its layout does not fit, and
    /// `inconsistent.schema.handling.mode` lets them pass.
    pub(super) fn pass_over(&mut self, body: &[u8]) {
        if let Ok((table_id, ..)) = table_map_names(body) {
            self.last = (table_id, Entry::Foreign);
            self.by_id.insert(table_id, Entry::Foreign);
        }
    }

    fn plan(
        &mut self,
        body: &[u8],
        raw: &[u8],
        (database, table): (&str, &str),
        reader: &Reader<'_>,
    ) -> Result<Captured, MapFailure> {
        let map = TableMap::parse(body).map_err(MapFailure::decode)?;
        let name = TableName { database: database.to_owned(), table: table.to_owned() };
        let known = self.layouts.known(&name, &reader.transaction.position()).cloned();
        let is_known = known.is_some();
        let layout = match known {
            Some(layout) => layout,
            None => self.looked_up(&map, &name, reader)?,
        };
        let planned = self.planned(&layout, (&map, raw), reader.routing);
        match planned {
            // Altered where the log does not tell (sql_log_bin=0): the present layout may be the one.
            Err(MapFailure::Decode(err)) if is_known => {
                warn!(database, table, error = %err, "the table was altered unseen by the log");
                let layout = self.looked_up(&map, &name, reader)?;
                self.planned(&layout, (&map, raw), reader.routing)
            }
            planned => planned,
        }
    }

    /// The present layout, which is the map's where the map tells so or the log proves it.
    fn looked_up(
        &mut self,
        map: &TableMap<'_>,
        name: &TableName,
        reader: &Reader<'_>,
    ) -> Result<TableLayout, Failure> {
        if map.has_full_metadata() {
            return reader.queries.layout(&name.database, &name.table);
        }
        let (place, transaction) = (reader.transaction.position(), reader.transaction.name());
        self.layouts.prove(name, &place, &transaction, reader.queries, reader.sender)
    }

    fn planned(
        &self,
        layout: &TableLayout,
        map: (&TableMap<'_>, &[u8]),
        routing: &Routing,
    ) -> Result<Captured, MapFailure> {
        let (database, table) = (&layout.database, &layout.table);
        let config = (&self.capture, &self.decode);
        match Captured::new(layout, Some(map), config, routing) {
            Ok(captured) => Ok(captured),
            Err(CaptureError::Decode(err)) => {
                warn!(%database, %table, error = %err, "the table's layout does not fit the log");
                Err(MapFailure::decode(err))
            }
            Err(CaptureError::Table(problems)) => {
                Err(MapFailure::Failure(Failure::Tables(problems)))
            }
        }
    }
}

/// What the reader has at hand when it meets a table map.
pub(super) struct Reader<'a> {
    pub(super) queries: &'a Queries,
    pub(super) routing: &'a Routing,
    pub(super) transaction: &'a Transaction,
    pub(super) sender: &'a Sender,
}

/// Why a table map cannot be followed.
pub(super) enum MapFailure {
    Decode(Box<DecodeError>),
    Failure(Failure),
}

impl From<Failure> for MapFailure {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl MapFailure {
    fn decode(err: DecodeError) -> Self {
        Self::Decode(Box::new(err))
    }
}
