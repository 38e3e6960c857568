//! Rows of tables of which not every record goes to the router.

use bumpalo::Bump;

use super::Failure;
use super::routing::Gated;
use super::row::{RowContext, finish, route};
use super::sender::Sender;
use super::tables::Captured;
use crate::config::SkippedOperations;
use crate::connect::{Cell, Operation, RowChange, Value};
use crate::decode::{RowImage, RowImages};
use crate::route::{Change, ChangeSource, Fate, RawKind};

/// A changed row on its way, with all that its records may tell.
pub(super) struct ChangedRow<'a> {
    pub(super) table: &'a Captured,
    pub(super) gated: &'a Gated,
    pub(super) images: RowImages<'a>,
    pub(super) source: ChangeSource<'a>,
    pub(super) now_ns: i64,
    /// `tombstones.on.delete`.
    pub(super) tombstones: bool,
}

/// A row that a snapshot has read, as the image of a new row.
pub(super) fn read_image<'a>(change: &RowChange<'a>, arena: &'a Bump) -> RowImage<'a> {
    let fields = &change.schema.primary_key;
    let key = arena.alloc_slice_fill_copy(fields.len(), Value::Null);
    for (value, field) in key.iter_mut().zip(fields) {
        if let Some(Cell::Value(read)) = change.cells.get(*field) {
            *value = *read;
        }
    }
    RowImage { cells: change.cells, key }
}

/// Whether `skipped.operations` drops this change; a new primary key is an update.
pub(super) fn skips(operations: SkippedOperations, images: &RowImages<'_>) -> bool {
    match (images.before, images.after) {
        (None, _) => operations.creates,
        (Some(_), Some(_)) => operations.updates,
        (Some(_), None) => operations.deletes,
    }
}

impl<'a> ChangedRow<'a> {
    /// Makes the records of this row and sends those that are to be sent.
    pub(super) fn send(
        &self,
        context: &mut RowContext<'a>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        use RawKind::{Change, MovedAway, MovedAwayTombstone, MovedIn, Tombstone};
        match (self.images.before, self.images.after) {
            (None, None) => Ok(()),
            (None, Some(after)) => {
                let op = if self.source.snapshot.is_some() { "r" } else { "c" };
                self.one(Change, op, None, Some(after), context, sender)
            }
            (Some(before), None) => {
                self.one(Change, "d", Some(before), None, context, sender)?;
                self.tombstone(Tombstone, before, None, context, sender)
            }
            (Some(before), Some(after)) if before.key == after.key => {
                self.one(Change, "u", Some(before), Some(after), context, sender)
            }
            (Some(before), Some(after)) => {
                self.one(MovedAway, "d", Some(before), Some(after), context, sender)?;
                self.tombstone(MovedAwayTombstone, before, Some(after), context, sender)?;
                self.one(MovedIn, "c", Some(before), Some(after), context, sender)
            }
        }
    }

    fn tombstone(
        &self,
        kind: RawKind,
        before: RowImage<'a>,
        after: Option<RowImage<'a>>,
        context: &mut RowContext<'a>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        if !self.tombstones {
            return Ok(());
        }
        self.one(kind, "d", Some(before), after, context, sender)
    }

    fn one(
        &self,
        kind: RawKind,
        op: &'static str,
        before: Option<RowImage<'a>>,
        after: Option<RowImage<'a>>,
        context: &mut RowContext<'a>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let order = match &mut context.metadata {
            Some(metadata) if !kind.is_tombstone() => {
                metadata.count(&self.table.name, context.arena)
            }
            _ => None,
        };
        match (self.gated.gate.fate(kind), &self.gated.router) {
            (Fate::Dropped, _) => {
                context.dropped.filtered();
                Ok(())
            }
            (Fate::Routed, Some(plan)) if !kind.is_tombstone() => {
                let change = self.row_change(kind, op, before, after);
                route(self.table, plan, &change, self.now_ns / 1_000_000, context, sender)
            }
            (Fate::Routed, _) => Ok(()), // The router drops tombstones.
            (Fate::Raw, _) => {
                let moved = kind != RawKind::Change && kind != RawKind::Tombstone;
                let this = if op == "d" { before } else { after };
                let other = if op == "d" { after } else { before };
                let change = Change {
                    kind,
                    op,
                    before: before.filter(|_| kind != RawKind::MovedIn).map(|image| image.cells),
                    after: after.filter(|_| kind != RawKind::MovedAway).map(|image| image.cells),
                    key: this.map_or(&[], |image| image.key),
                    other_key: other.filter(|_| moved).map_or(&[], |image| image.key),
                    source: self.source,
                    now_ns: self.now_ns,
                    transaction: order,
                };
                let record = self.gated.records.record(&change, context.arena);
                let result = match record {
                    Ok(record) => finish(self.table, record, context, sender),
                    Err(err) => Err(context.route_failure(&self.table.name, err)),
                };
                context.tolerate(result, self.table, this.map_or(&[], |image| image.cells), sender)
            }
        }
    }

    fn row_change(
        &self,
        kind: RawKind,
        op: &'static str,
        before: Option<RowImage<'a>>,
        after: Option<RowImage<'a>>,
    ) -> RowChange<'a> {
        let operation = match op {
            "c" => Operation::Create,
            "r" => Operation::Read,
            "u" => Operation::Update,
            _ => Operation::Delete,
        };
        RowChange {
            operation,
            schema: &self.table.plan.schema,
            cells: after.map_or(&[], |image| image.cells),
            old_key: before.filter(|_| kind == RawKind::MovedIn).map(|image| image.key),
            source_ts_ms: self.source.ts_us / 1000,
        }
    }
}
