//! Which layout a captured table had at the reader's place in the log. Needed where table maps do not carry it
//! (`binlog_row_metadata=MINIMAL`): a layout that fits a table map may still have its columns in another order.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tracing::info;

use super::Failure;
use super::alteration::Alteration;
use super::queries::Queries;
use super::sender::Sender;
use crate::checkpoint::{Store, StoreError};
use crate::decode::TableLayout;
use crate::offset::BinlogPosition;

/// What layouts are stored under, with the table's name behind.
const LAYOUT: &str = "layout:";
/// Versions kept of one table; a start that goes back further proves the layout again.
const VERSIONS_MAX: usize = 8;
/// How much of a statement a message shows.
const SHOWN: usize = 200;

/// A layout from a place on; none where the table was altered and no row has come since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Version {
    file: String,
    pos: u64,
    layout: Option<TableLayout>,
}

/// The layouts of captured tables by name, each version stored before the checkpoint can pass its place.
pub(super) struct Layouts {
    store: Arc<Mutex<Store>>,
    versions: HashMap<String, Vec<Version>>,
}

impl Layouts {
    /// What is stored for a reader that goes on at `place`.
    pub(super) fn load(
        store: Arc<Mutex<Store>>,
        place: &BinlogPosition,
    ) -> Result<Self, StoreError> {
        let mut versions = HashMap::new();
        if lock(&store).facts_are_old() {
            Self::forget(&lock(&store))?;
        }
        for (name, bytes) in lock(&store).facts(LAYOUT)? {
            // What cannot be read is proved again.
            let of_table: Vec<Version> = postcard::from_bytes(&bytes).unwrap_or_default();
            versions.insert(name, of_table);
        }
        let mut layouts = Self { store, versions };
        layouts.go_back(place);
        Ok(layouts)
    }

    /// Forgets what lies behind `place`.
    pub(super) fn go_back(&mut self, place: &BinlogPosition) {
        for versions in self.versions.values_mut() {
            let kept = versions.iter().take_while(|version| version.place().is_behind(place));
            versions.truncate(kept.count());
        }
    }

    /// The table's layout at the reader's place, where it is known.
    pub(super) fn known(&self, name: &str) -> Option<&TableLayout> {
        self.versions.get(name)?.last()?.layout.as_ref()
    }

    /// Takes note of a statement that ends at `place`; the names of the tables that it may have altered.
    pub(super) fn on_statement(
        &mut self,
        (default, statement): (&[u8], &[u8]),
        place: &BinlogPosition,
    ) -> Result<Vec<String>, StoreError> {
        let Some(alteration) = Alteration::read(default, statement) else { return Ok(Vec::new()) };
        let mut altered = Vec::new();
        for (name, versions) in &self.versions {
            let layout = versions.last().and_then(|version| version.layout.as_ref());
            if layout.is_some_and(|layout| alteration.touches(&layout.database, &layout.table)) {
                altered.push(name.clone());
            }
        }
        for name in &altered {
            self.add(name, place, None)?;
        }
        Ok(altered)
    }

    /// The table's present layout, once the log between the reader's place and its end shows that it is the one
    /// at that place too.
    pub(super) fn prove(
        &mut self,
        (database, table): (&str, &str),
        place: &BinlogPosition,
        transaction: &str,
        queries: &Queries,
        sender: &Sender,
    ) -> Result<TableLayout, Failure> {
        let layout = queries.layout(database, table)?;
        let found = alteration_behind(place, &[(database, table)], queries, || sender.waits())?;
        if let Some((at, statement)) = found {
            return Err(Failure::UnprovenLayout {
                transaction: transaction.to_owned(),
                table: format!("{database}.{table}"),
                place: format!("{}:{}", at.file, at.pos),
                statement,
            });
        }
        self.add(&format!("{database}.{table}"), place, Some(layout.clone()))?;
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
        let layouts = queries.layouts()?;
        let names: Vec<(&str, &str)> =
            layouts.iter().map(|layout| (&*layout.database, &*layout.table)).collect();
        if alteration_behind(place, &names, queries, || Ok(()))?.is_some() {
            return Ok(()); // Proved with the first row.
        }
        for layout in layouts {
            let name = format!("{}.{}", layout.database, layout.table);
            let version =
                Version { file: place.file.clone(), pos: place.pos, layout: Some(layout) };
            remember(store, &name, &[version])?;
        }
        Ok(())
    }

    /// Forgets everything that is stored: another server's places are not comparable.
    pub(super) fn forget(store: &Store) -> Result<(), StoreError> {
        for (name, _) in store.facts(LAYOUT)? {
            store.forget(&format!("{LAYOUT}{name}"))?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        name: &str,
        place: &BinlogPosition,
        layout: Option<TableLayout>,
    ) -> Result<(), StoreError> {
        let versions = self.versions.entry(name.to_owned()).or_default();
        versions.push(Version { file: place.file.clone(), pos: place.pos, layout });
        versions.drain(..versions.len().saturating_sub(VERSIONS_MAX));
        let store = lock(&self.store);
        if store.can_remember() { remember(&store, name, versions) } else { Ok(()) }
    }
}

impl Version {
    fn place(&self) -> BinlogPosition {
        BinlogPosition { file: self.file.clone(), pos: self.pos }
    }
}

fn lock(store: &Mutex<Store>) -> std::sync::MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remember(store: &Store, name: &str, versions: &[Version]) -> Result<(), StoreError> {
    let bytes = postcard::to_stdvec(versions)
        .map_err(|_| StoreError::MalformedFact(format!("{LAYOUT}{name}")))?;
    store.remember(&format!("{LAYOUT}{name}"), &bytes)
}

/// The first statement from `place` to the end of the log that may alter one of these tables.
fn alteration_behind(
    place: &BinlogPosition,
    tables: &[(&str, &str)],
    queries: &Queries,
    wait: impl Fn() -> Result<(), Failure>,
) -> Result<Option<(BinlogPosition, String)>, Failure> {
    let end = queries.end_of_log()?;
    let mut next = Some(place.clone());
    while let Some(from) = next {
        wait()?;
        let page = queries.statements(&from, &end)?;
        for (at, statement) in page.statements {
            let Some(alteration) = Alteration::read_shown(&statement) else { continue };
            if tables.iter().any(|(database, table)| alteration.touches(database, table)) {
                let text = String::from_utf8_lossy(&statement);
                return Ok(Some((at, text.chars().take(SHOWN).collect())));
            }
        }
        next = page.next;
    }
    info!(file = %end.file, pos = end.pos, "table layout proved up to the end of the log");
    Ok(None)
}
