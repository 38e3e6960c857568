//! Statements: where transactions begin and end, XA and savepoints among them, and what alters tables.

use std::rc::Rc;

use super::{Stream, reset};
use crate::checkpoint::Store;
use crate::config::FailureHandling;
use crate::runtime::Failure;
use crate::runtime::sender::Sender;
use crate::runtime::statement::{Statement, Target, classify};
use crate::runtime::transaction_metadata::{TransactionMetadata, Way};
use crate::runtime::words::Words;
use crate::source::event::{self, Databases, Event, Query};

impl Stream {
    pub(super) fn on_query(
        &mut self,
        event: &Event<'_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let query = match event.header.event_type {
            event::EXECUTE_LOAD_QUERY_EVENT => event::Query::parse_load(&event.body),
            _ => event::Query::parse(&event.body),
        };
        let query = query.map_err(|err| self.malformed(event, err))?;
        match classify(query.statement) {
            Statement::Begin => self.on_begin(query.thread_id, sender)?,
            Statement::XaStart => {
                self.transaction.begin(None);
                sender.hold(self.prepared.folder());
            }
            Statement::XaCommit(name) => {
                let outcome = self.transaction.place();
                let store = Store::lock(&self.store);
                let kept = self.prepared.commit(&name, outcome, &store)?;
                drop(store);
                if let Some(kept) = kept {
                    let folder = self.prepared.folder();
                    sender.send_kept(&kept, folder, self.transaction.commit_us)?;
                }
                return self.on_commit(sender);
            }
            Statement::XaRollback(name) => {
                let outcome = self.transaction.place();
                let store = Store::lock(&self.store);
                self.prepared.end(&name, outcome, &store)?;
                drop(store);
                return self.on_commit(sender);
            }
            Statement::Commit => return self.on_commit(sender),
            Statement::Rollback => return self.on_rollback(sender),
            Statement::InTransaction => self.transaction.event_done(),
            Statement::Savepoint(name) => {
                sender.held().into_iter().for_each(|held| held.set_savepoint(&name));
                self.metadata.iter_mut().for_each(|metadata| metadata.set_savepoint(&name));
                self.transaction.event_done();
            }
            Statement::RollbackTo(name) => {
                if let Some(held) = sender.held() {
                    held.roll_back_to(&name)?;
                    self.metadata.iter_mut().for_each(|metadata| metadata.roll_back_to(&name));
                }
                self.transaction.event_done();
            }
            Statement::Writes { target } => {
                if let Some(failure) = self.unlogged(event, &query, target.as_ref())? {
                    if self.config.decode.processing_failure == FailureHandling::Fail {
                        return Err(failure);
                    }
                    self.dropped.unlogged(&failure);
                }
                self.end_statement(sender)?;
            }
            Statement::Other => {
                self.tables.on_statement(&query, &self.transaction.position(), &self.queries)?;
                self.end_statement(sender)?;
            }
        }
        Ok(())
    }

    /// Rows of a captured table that a statement writes, or may write by what it calls or sets off: they stand nowhere.
    fn unlogged(
        &mut self,
        event: &Event<'_>,
        query: &Query<'_>,
        target: Option<&Target>,
    ) -> Result<Option<Failure>, Failure> {
        if self.of_filtered_source {
            return Ok(None);
        }
        let session = String::from_utf8_lossy(query.database);
        let place = target.map(|target| target.database.as_deref().unwrap_or(&session));
        let does = if let (Some(database), Some(Target { table, .. })) = (place, target)
            && self.tables.captures(database, table)
        {
            format!("writes to {database}.{table}")
        } else {
            let used = match query.databases().map_err(|err| self.malformed(event, err))? {
                Databases::Named(names) => names,
                Databases::TooMany => {
                    place.into_iter().chain([&*session]).map(str::to_owned).collect()
                }
                Databases::Unsaid => Vec::new(),
            };
            let used = used.iter().map(String::as_str);
            let Some(database) = self.tables.captured_database(used, &self.queries)? else {
                return Ok(None);
            };
            if place.is_some_and(|place| place != database)
                && reads(&String::from_utf8_lossy(query.statement), database)
            {
                return Ok(None);
            }
            format!("may write to captured tables of {database}, by a trigger, function or view,")
        };
        Ok(Some(Failure::StatementFormat { transaction: self.transaction_name(), does }))
    }

    /// Where statements stand among the rows, as tables without transactions make them, the end may be a ROLLBACK.
    fn on_begin(&mut self, thread: u32, sender: &mut Sender) -> Result<(), Failure> {
        self.transaction.begin(Some(thread));
        if self.transaction.may_be_rolled_back() {
            sender.hold(self.prepared.folder());
        }
        let Some(metadata) = &mut self.metadata else { return Ok(()) };
        reset(&mut self.arena);
        let transaction = &self.transaction;
        let (id, ts_ms) = (transaction.id(), transaction.original_ms());
        let way =
            Way { routing: &self.routing, arena: &self.arena, commit_us: transaction.commit_us };
        self.sent_from.note(sender.sequence() + 1, &Rc::from("(BEGIN)"));
        metadata.begin(id, ts_ms, transaction.is_resumed(), way, sender)
    }

    /// A statement inside a transaction is one of its events; alone it is a transaction of its own.
    fn end_statement(&mut self, sender: &mut Sender) -> Result<(), Failure> {
        if self.transaction.is_open() {
            self.transaction.event_done();
            return Ok(());
        }
        sender.place(self.transaction.finish(sender.sequence()))
    }

    pub(super) fn on_commit(&mut self, sender: &mut Sender) -> Result<(), Failure> {
        if let Some(held) = sender.release() {
            sender.send_held(&held, self.transaction.commit_us)?;
        }
        self.end_metadata(sender)?;
        self.transactions += 1;
        sender.place(self.transaction.finish(sender.sequence()))
    }

    /// Sends the record of the transaction's end, where its beginning was sent.
    fn end_metadata(&mut self, sender: &mut Sender) -> Result<(), Failure> {
        let Some(metadata) = &mut self.metadata else { return Ok(()) };
        reset(&mut self.arena);
        let way = Way {
            routing: &self.routing,
            arena: &self.arena,
            commit_us: self.transaction.commit_us,
        };
        self.sent_from.note(sender.sequence() + 1, &Rc::from("(END)"));
        metadata.end(way, sender)
    }

    /// A transaction that changed tables without transactions ends so; what it held back never happened.
    fn on_rollback(&mut self, sender: &mut Sender) -> Result<(), Failure> {
        if sender.release().is_some() {
            self.metadata.iter_mut().for_each(TransactionMetadata::abandon);
        }
        self.on_commit(sender)
    }

    pub(super) fn on_xa_prepare(
        &mut self,
        event: &Event<'_>,
        sender: &mut Sender,
    ) -> Result<(), Failure> {
        let prepare =
            event::XaPrepare::parse(&event.body).map_err(|err| self.malformed(event, err))?;
        if prepare.one_phase {
            return self.on_commit(sender);
        }
        let (held, place) = (sender.release(), self.transaction.place());
        let store = Store::lock(&self.store);
        self.prepared.prepare(prepare.name(), place, held, &store)?;
        drop(store);
        self.on_commit(sender)
    }
}

/// Whether a statement that puts rows elsewhere reads from this database: it names it, and none of its functions.
fn reads(statement: &str, database: &str) -> bool {
    let mut words = Words::of(statement);
    let mut is_named = false;
    while let Some(word) = words.next() {
        if word == database {
            is_named = true;
            let mut ahead = words;
            let is_dot = ahead.next().is_some_and(|word| word == ".");
            if is_dot && ahead.next().is_some() && ahead.next().is_some_and(|word| word == "(") {
                return false;
            }
        }
    }
    is_named
}
