//! What is known of each table at which places of the log.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Store, StoreError};
use crate::decode::TableLayout;
use crate::decode::ddl::{Becomes, Known, TableName};
use crate::offset::BinlogPosition;

/// What layouts are stored under, with the table's name behind.
const LAYOUT: &str = "table-layout:";
/// Versions kept of one table, besides those that no start can need any more.
const VERSIONS_MAX: usize = 100;
/// Tables kept that are not captured and may yet get a captured table's name.
const FOREIGN_MAX: usize = 64;

/// What holds of a table from a place on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Version {
    file: String,
    pos: u64,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    Table(TableLayout),
    Absent,
    Unknown,
}

impl Version {
    pub(super) fn new(place: &BinlogPosition, becomes: Becomes) -> Self {
        let state = match becomes {
            Becomes::Table(layout) => State::Table(layout),
            Becomes::Absent => State::Absent,
            Becomes::Unknown => State::Unknown,
        };
        Self { file: place.file.clone(), pos: place.pos, state }
    }

    pub(super) fn place(&self) -> BinlogPosition {
        BinlogPosition { file: self.file.clone(), pos: self.pos }
    }

    pub(super) fn layout(&self) -> Option<&TableLayout> {
        match &self.state {
            State::Table(layout) => Some(layout),
            State::Absent | State::Unknown => None,
        }
    }

    fn is_behind(&self, place: &BinlogPosition) -> bool {
        self.place().is_behind(place)
    }
}

/// Versions of tables in the order of their places, each stored before the checkpoint can pass it. The log of one
/// server never changes, so those that lie before the reader stay right when it goes back.
pub(super) struct History {
    store: Arc<Mutex<Store>>,
    tables: HashMap<TableName, Vec<Version>>,
}

impl History {
    /// What is stored.
    pub(super) fn load(store: Arc<Mutex<Store>>) -> Result<Self, StoreError> {
        let mut tables = HashMap::new();
        if Store::lock(&store).facts_are_old() {
            forget(&Store::lock(&store))?;
        }
        for (name, bytes) in Store::lock(&store).facts(LAYOUT)? {
            // What cannot be read is proved again.
            let versions: Vec<Version> = postcard::from_bytes(&bytes).unwrap_or_default();
            let of_any = versions.iter().find_map(Version::layout);
            let table = of_any.map(|layout| TableName {
                database: layout.database.clone(),
                table: layout.table.clone(),
            });
            let table = table.filter(|table| fact(table) == format!("{LAYOUT}{name}"));
            tables.extend(table.map(|table| (table, versions)));
        }
        Ok(Self { store, tables })
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = &TableName> {
        self.tables.keys()
    }

    pub(super) fn follows(&self, table: &TableName) -> bool {
        self.tables.contains_key(table)
    }

    /// Whether any table of this database is followed.
    pub(super) fn follows_database(&self, database: &str) -> bool {
        self.tables.keys().any(|table| table.database == database)
    }

    /// What is known at a place, behind a statement that ends there.
    pub(super) fn at(&self, table: &TableName, place: &BinlogPosition) -> Known<'_> {
        self.latest(table, |version| version.is_behind(place))
    }

    /// What is known before a statement that ends at this place.
    pub(super) fn before(&self, table: &TableName, place: &BinlogPosition) -> Known<'_> {
        self.latest(table, |version| version.is_behind(place) && version.place() != *place)
    }

    fn latest(&self, table: &TableName, holds: impl Fn(&Version) -> bool) -> Known<'_> {
        let versions = self.tables.get(table).map(Vec::as_slice).unwrap_or_default();
        match versions.iter().rev().find(|version| holds(version)).map(|version| &version.state) {
            Some(State::Table(layout)) => Known::Table(layout),
            Some(State::Absent) => Known::Absent,
            Some(State::Unknown) | None => Known::Unknown,
        }
    }

    /// The first version that is known behind a place.
    pub(super) fn next(&self, table: &TableName, place: &BinlogPosition) -> Option<&Version> {
        self.tables.get(table)?.iter().find(|version| !version.is_behind(place))
    }

    /// Adds a version and stores it; one of the same place is the same statement's.
    pub(super) fn add(
        &mut self,
        table: &TableName,
        place: &BinlogPosition,
        becomes: Becomes,
    ) -> Result<(), StoreError> {
        let version = Version::new(place, becomes);
        let versions = self.tables.entry(table.clone()).or_default();
        versions.retain(|other| other.place() != *place);
        let at = versions.iter().take_while(|other| other.is_behind(place)).count();
        versions.insert(at, version);
        let store = Store::lock(&self.store);
        let needless = store.place().map_or(0, |stored| {
            versions.iter().take_while(|version| version.is_behind(stored)).count()
        });
        let surplus = versions.len().saturating_sub(VERSIONS_MAX);
        versions.drain(..needless.saturating_sub(1).max(surplus));
        if store.can_remember() { remember(&store, table, versions) } else { Ok(()) }
    }

    /// Forgets the tables that were last heard of longest ago, where there are too many that are not captured.
    pub(super) fn limit(
        &mut self,
        captures: impl Fn(&TableName) -> bool,
    ) -> Result<(), StoreError> {
        loop {
            let foreign = self.tables.iter().filter(|(table, _)| !captures(table));
            let mut foreign: Vec<(BinlogPosition, &TableName)> = foreign
                .filter_map(|(table, versions)| Some((versions.last()?.place(), table)))
                .collect();
            if foreign.len() <= FOREIGN_MAX {
                return Ok(());
            }
            let mut oldest = foreign.swap_remove(0);
            for other in foreign {
                if other.0.is_behind(&oldest.0) {
                    oldest = other;
                }
            }
            let table = oldest.1.clone();
            self.tables.remove(&table);
            Store::lock(&self.store).strike(&fact(&table))?;
        }
    }
}

/// Forgets everything that is stored: another server's places are not comparable.
pub(super) fn forget(store: &Store) -> Result<(), StoreError> {
    for (name, _) in store.facts(LAYOUT)? {
        store.forget(&format!("{LAYOUT}{name}"))?;
    }
    Ok(())
}

/// Stores the versions of a table.
pub(super) fn remember(
    store: &Store,
    table: &TableName,
    versions: &[Version],
) -> Result<(), StoreError> {
    let bytes =
        postcard::to_stdvec(versions).map_err(|_| StoreError::MalformedFact(fact(table)))?;
    store.remember(&fact(table), &bytes)
}

fn fact(table: &TableName) -> String {
    format!("{LAYOUT}{}.{}", table.database, table.table)
}
