//! Which layout a captured table had at the reader's place in the log. Needed where table maps do not carry it
//! (`binlog_row_metadata=MINIMAL`): a layout that fits a table map may still have its columns in another order.
//!
//! Statements in the log are followed: the layout behind one is derived from that before it. Tables that are not
//! captured are followed too where they may get a captured table's name, as those of an online schema change do.
//! Where a statement is not understood, the present layout is looked up with the table's next row, and holds once the
//! rest of the log shows no later alteration.

mod history;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use history::{History, Version, remember};
use tracing::{info, warn};

use super::Failure;
use super::alteration::Alteration;
use super::queries::Queries;
use super::sender::Sender;
use crate::checkpoint::{Store, StoreError};
use crate::config::TableFilter;
use crate::decode::TableLayout;
use crate::decode::ddl::{Becomes, Known, Server, Statement, TableName};
use crate::offset::BinlogPosition;
use crate::source::event::Query;

/// How much of a statement a message shows.
const SHOWN: usize = 200;

/// The layouts of captured tables and of those that may become one.
pub(super) struct Layouts {
    history: History,
    /// What statements rely on; asked for with the first of them.
    server: Option<Server>,
}

impl Layouts {
    /// What is stored.
    pub(super) fn load(store: Arc<Mutex<Store>>) -> Result<Self, StoreError> {
        Ok(Self { history: History::load(store)?, server: None })
    }

    /// The table's layout at the reader's place, where it is known.
    pub(super) fn known(&self, table: &TableName, place: &BinlogPosition) -> Option<&TableLayout> {
        match self.history.at(table, place) {
            Known::Table(layout) => Some(layout),
            Known::Absent | Known::Unknown => None,
        }
    }

    /// Takes note of a statement that ends at `place`; the tables that it has or may have altered.
    pub(super) fn on_statement(
        &mut self,
        query: &Query<'_>,
        place: &BinlogPosition,
        filter: &TableFilter,
        queries: &Queries,
    ) -> Result<Vec<TableName>, Failure> {
        let Some(alteration) = Alteration::read(query.database, query.statement) else {
            return Ok(Vec::new());
        };
        let captures = |table: &TableName| filter.captures(&table.database, &table.table);
        let changes = match self.understood(query, queries)? {
            Some((statement, server)) => self.changes(&statement, &server, place, captures),
            None => self.unknown(&alteration),
        };
        let mut altered = Vec::new();
        for (table, becomes) in changes {
            self.history.add(&table, place, becomes)?;
            altered.push(table);
        }
        self.history.limit(captures)?;
        Ok(altered)
    }

    /// The statement, if it ran to its end and each of its words is understood.
    fn understood(
        &mut self,
        query: &Query<'_>,
        queries: &Queries,
    ) -> Result<Option<(Statement, Server)>, Failure> {
        let Ok(Some(session)) = query.session() else { return Ok(None) };
        if query.error_code != 0 {
            return Ok(None);
        }
        let server = match self.server.take() {
            Some(server) => server,
            None => queries.ddl_server()?,
        };
        let statement = Statement::read(query.statement, session, &server);
        let statement = statement.map(|statement| (statement, server.clone()));
        self.server = Some(server);
        Ok(statement)
    }

    /// What a statement does to tables that matter.
    fn changes(
        &self,
        statement: &Statement,
        server: &Server,
        place: &BinlogPosition,
        captures: impl Fn(&TableName) -> bool,
    ) -> Vec<(TableName, Becomes)> {
        let mut changes = statement.apply(server, |table| self.history.before(table, place));
        if let Some(database) = statement.dropped_database() {
            let dropped = self.history.tables().filter(|table| table.database == database);
            changes.extend(dropped.map(|table| (table.clone(), Becomes::Absent)));
        }
        let makes = match statement.creates() {
            Some((table, Some(like))) => Some(table).filter(|_| self.history.follows(like)),
            Some((table, None)) => {
                Some(table).filter(|table| self.history.follows_database(&table.database))
            }
            None => None,
        };
        let names: HashSet<TableName> = changes.iter().map(|(table, _)| table.clone()).collect();
        let moves = names.iter().any(|table| self.history.follows(table));
        changes.retain(|(table, becomes)| {
            let known = matches!(becomes, Becomes::Table(_));
            let new = moves || makes == Some(table) || captures(table) || table.table.is_empty();
            self.history.follows(table) || known && new
        });
        changes
    }

    /// A statement that is not understood may have altered each table that its words name.
    fn unknown(&self, alteration: &Alteration) -> Vec<(TableName, Becomes)> {
        let tables = self.history.tables();
        let touched = tables.filter(|table| alteration.touches(&table.database, &table.table));
        touched.map(|table| (table.clone(), Becomes::Unknown)).collect()
    }

    /// The layout at the reader's place that is known at a later one, or else the present one, once the log between
    /// shows that the table was not altered.
    pub(super) fn prove(
        &mut self,
        table: &TableName,
        place: &BinlogPosition,
        transaction: &str,
        queries: &Queries,
        sender: &Sender,
    ) -> Result<TableLayout, Failure> {
        let later = self.history.next(table, place);
        let later = later.and_then(|version| Some((version.layout()?.clone(), version.place())));
        let (layout, end) = match later {
            Some(known) => known,
            None => (queries.layout(&table.database, &table.table)?, queries.end_of_log()?),
        };
        let found = alteration_behind(place, &end, &[table], queries, || sender.waits())?;
        if let Some((at, statement)) = found {
            return Err(Failure::UnprovenLayout {
                transaction: transaction.to_owned(),
                table: format!("{}.{}", table.database, table.table),
                place: format!("{}:{}", at.file, at.pos),
                statement,
            });
        }
        self.history.add(table, place, Becomes::Table(layout.clone()))?;
        Ok(layout)
    }

    /// At a first start: the layouts as they are at `place`, unless a table is just being altered.
    pub(super) fn begin(
        store: &Store,
        place: &BinlogPosition,
        queries: &Queries,
    ) -> Result<(), Failure> {
        if !store.can_remember() {
            return Ok(());
        }
        Self::forget(store)?;
        let mut layouts = queries.layouts()?;
        let mut databases: Vec<String> =
            layouts.iter().map(|layout| layout.database.clone()).collect();
        databases.sort_unstable();
        databases.dedup();
        for database in databases {
            layouts.push(queries.database(&database)?);
        }
        let name = |layout: &TableLayout| TableName {
            database: layout.database.clone(),
            table: layout.table.clone(),
        };
        let names: Vec<TableName> = layouts.iter().map(name).collect();
        let names: Vec<&TableName> = names.iter().collect();
        let end = queries.end_of_log()?;
        if alteration_behind(place, &end, &names, queries, || Ok(()))?.is_some() {
            return Ok(()); // Proved with the first row.
        }
        for layout in layouts {
            let table = name(&layout);
            remember(store, &table, &[Version::new(place, Becomes::Table(layout))])?;
        }
        Ok(())
    }

    /// Forgets everything that is stored: another server's places are not comparable.
    pub(super) fn forget(store: &Store) -> Result<(), StoreError> {
        history::forget(store)
    }
}

/// The first statement from `place` to `end` that may alter one of these tables.
fn alteration_behind(
    place: &BinlogPosition,
    end: &BinlogPosition,
    tables: &[&TableName],
    queries: &Queries,
    wait: impl Fn() -> Result<(), Failure>,
) -> Result<Option<(BinlogPosition, String)>, Failure> {
    let mut next = Some(place.clone()).filter(|place| place != end);
    if next.is_some() {
        warn!(file = %place.file, pos = place.pos, "looking through the log for alterations of tables");
    }
    while let Some(from) = next {
        wait()?;
        let page = queries.statements(&from, end)?;
        for (at, statement) in page.statements {
            let Some(alteration) = Alteration::read_shown(&statement) else { continue };
            if tables.iter().any(|table| alteration.touches(&table.database, &table.table)) {
                let text = String::from_utf8_lossy(&statement);
                return Ok(Some((at, text.chars().take(SHOWN).collect())));
            }
        }
        next = page.next;
    }
    info!(file = %end.file, pos = end.pos, "table layout proved up to here");
    Ok(None)
}
