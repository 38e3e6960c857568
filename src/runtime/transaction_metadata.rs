//! `provide.transaction.metadata`: BEGIN and END of each transaction in the log, and each row's place in it.

use bumpalo::Bump;

use super::Failure;
use super::routing::{OwnRecords, Routing};
use super::sender::Sender;
use crate::connect::{JavaHashOrder, RowChange};
use crate::decode::RowImages;
use crate::route::{TransactionOrder, TransactionRecords};

/// Counts the rows of captured tables as they pass, and sends the records around them.
pub(super) struct TransactionMetadata {
    /// None where a filter drops them.
    records: Option<TransactionRecords>,
    current: Option<Current>,
    order: JavaHashOrder,
    /// Without GTIDs a transaction may be rolled back to a savepoint; what was counted there, by name.
    savepoints: Vec<(String, Vec<(String, i64)>)>,
}

/// The transaction between its BEGIN and its END.
struct Current {
    id: String,
    ts_ms: i64,
    total: i64,
    /// Rows by table, in the order in which the tables came.
    tables: Vec<(String, i64)>,
}

impl Current {
    /// Counts one change; its number among those of its table.
    fn count(&mut self, table: &str) -> i64 {
        self.total += 1;
        if let Some((_, events)) = self.tables.iter_mut().find(|(known, _)| known == table) {
            *events += 1;
            return *events;
        }
        self.tables.push((table.to_owned(), 1));
        1
    }
}

impl TransactionMetadata {
    /// As the file asks for it. Converters that cannot write the records are a problem before the first one.
    pub(super) fn new(topic: Option<&String>, routing: &Routing) -> Result<Option<Self>, Failure> {
        let Some(topic) = topic else { return Ok(None) };
        let records = TransactionRecords::new(topic.clone());
        let own = routing.check_own(topic, records.parts()).map_err(Failure::TransactionRecords)?;
        Ok(Some(Self {
            records: (own == OwnRecords::Published).then_some(records),
            current: None,
            order: JavaHashOrder::default(),
            savepoints: Vec::new(),
        }))
    }

    /// A transaction begins; `resumed` says that its BEGIN was sent before a restart.
    pub(super) fn begin(
        &mut self,
        id: String,
        ts_ms: i64,
        resumed: bool,
        way: Way<'_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        self.savepoints.clear();
        self.current = None;
        if let Some(records) = self.records.as_ref().filter(|_| !resumed) {
            let record = records.begin(&id, ts_ms, way.arena);
            way.routing.publish_own(record, way.arena, way.commit_us, sender)?;
        }
        self.current = Some(Current { id, ts_ms, total: 0, tables: Vec::new() });
        Ok(())
    }

    /// One more change of a table's row; its place in the transaction.
    pub(super) fn count<'a>(
        &mut self,
        table: &str,
        arena: &'a Bump,
    ) -> Option<TransactionOrder<'a>> {
        let current = self.current.as_mut()?;
        let of_table = current.count(table);
        Some(TransactionOrder { id: arena.alloc_str(&current.id), total: current.total, of_table })
    }

    /// Counts a row for the router; one whose primary key was changed counts as deleted and inserted.
    pub(super) fn count_row(&mut self, table: &str, change: &RowChange<'_>) {
        let Some(current) = &mut self.current else { return };
        for _ in 0..1 + u8::from(change.old_key.is_some()) {
            current.count(table);
        }
    }

    /// Counts a row of a table of which not every record goes to the router.
    pub(super) fn count_images(&mut self, table: &str, images: &RowImages<'_>) {
        let Some(current) = &mut self.current else { return };
        for _ in 0..1 + u8::from(images.moves()) {
            current.count(table);
        }
    }

    /// The transaction in progress ends, if its BEGIN was seen.
    pub(super) fn end(&mut self, way: Way<'_>, sender: &mut Sender) -> Result<(), Failure> {
        let Some(current) = self.current.take() else { return Ok(()) };
        let Some(records) = &self.records else { return Ok(()) };
        let mut tables: Vec<(&str, i64)> =
            current.tables.iter().map(|(table, events)| (table.as_str(), *events)).collect();
        self.order.sort(&mut tables, |(table, _)| table);
        let record = records.end(&current.id, &tables, current.ts_ms, way.arena);
        way.routing.publish_own(record, way.arena, way.commit_us, sender)
    }

    /// The transaction in progress never happened, or goes on elsewhere.
    pub(super) fn abandon(&mut self) {
        self.current = None;
    }

    /// A savepoint is set; one of the same name is no more.
    pub(super) fn set_savepoint(&mut self, name: &str) {
        if let Some(current) = &self.current {
            self.savepoints.retain(|(other, _)| other != name);
            self.savepoints.push((name.to_owned(), current.tables.clone()));
        }
    }

    /// What came behind the savepoint never happened.
    pub(super) fn roll_back_to(&mut self, name: &str) {
        let index = self.savepoints.iter().position(|(other, _)| other == name);
        let (Some(current), Some(index)) = (&mut self.current, index) else { return };
        self.savepoints.truncate(index + 1);
        if let Some((_, tables)) = self.savepoints.last() {
            current.tables.clone_from(tables);
            current.total = tables.iter().map(|(_, events)| events).sum();
        }
    }
}

/// What a record of outflow's own needs on its way.
#[derive(Clone, Copy)]
pub(super) struct Way<'w> {
    pub(super) routing: &'w Routing,
    pub(super) arena: &'w Bump,
    pub(super) commit_us: u64,
}
