//! What exactly-once delivery asks of a connector. Without it nothing here does anything.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::Connector;
use crate::checkpoint::{InFlight, Store};
use crate::offset::{BinlogPosition, Offset};
use crate::runtime::Failure;
use crate::runtime::claim::{Claimant, give_up};
use crate::runtime::group::{Group, Moment};
use crate::runtime::sender::Sender;
use crate::sink::{SinkError, TransactionalSink};

/// Where a MySQL transaction begins that cannot be published.
#[derive(Default)]
pub(super) struct Border {
    at: Option<BinlogPosition>,
    /// It was found by the last session.
    found: bool,
}

impl Connector {
    /// In exactly-once delivery every other process is fenced before the place to start from is read.
    pub(super) fn claim(
        &self,
        store: &Mutex<Store>,
    ) -> Result<(Arc<InFlight>, Option<TransactionalSink>), Failure> {
        let Some(claim) = &self.claim else {
            give_up(&Store::lock(store))?;
            return Ok((Arc::new(InFlight::new(Offset::default())), None));
        };
        let in_flight = Arc::new(InFlight::in_transactions());
        let sink = claim.take(&Claimant {
            store,
            in_flight: &in_flight,
            metrics: &self.metrics,
            status: &self.status,
            stop: &self.shared.stop,
            handle: &self.shared.handle,
            alone: self.alone.load(Ordering::Relaxed),
        })?;
        Ok((in_flight, Some(sink)))
    }

    /// Before MySQL is connected to again, which would cut another process off that has taken over.
    pub(super) fn settle(&self, sender: &mut Sender) -> Result<(), Failure> {
        if sender.is_partial() {
            let reason = "the connection to MySQL was lost in the middle of a transaction";
            return Err(Failure::Sink(SinkError::Transaction(reason.to_owned())));
        }
        sender.settle(Moment::Idle, true)?;
        self.claim.as_ref().map_or(Ok(()), |claim| claim.check(&self.status, &self.shared.stop))
    }

    /// Notes where a MySQL transaction begins that cannot be published, where others share its Kafka transaction.
    pub(super) fn note_border(&self, failure: &Failure, sender: &mut Sender) {
        if self.claim.is_none() || !failure.is_of_transaction() {
            return;
        }
        let sequence = match failure {
            Failure::Sink(SinkError::Record { sequence, .. })
            | Failure::Refused(SinkError::Record { sequence, .. }) => Some(*sequence),
            _ => None,
        };
        let found = sender.border(sequence);
        let mut border = self.border.lock().unwrap_or_else(PoisonError::into_inner);
        // The same one again: what was before it is published by now.
        let at = found.filter(|found| border.at.as_ref() != Some(found));
        *border = Border { found: at.is_some(), at };
    }

    /// Whether the last session has found one.
    pub(super) fn takes_border(&self) -> bool {
        let mut border = self.border.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut border.found)
    }

    /// A sender that sends in Kafka transactions, where they are asked for.
    pub(super) fn in_transactions(&self, sender: Sender) -> Sender {
        let Some(claim) = &self.claim else { return sender };
        let border = self.border.lock().unwrap_or_else(PoisonError::into_inner).at.clone();
        sender.in_transactions(Group::new(claim.exactly_once(), border, self.metrics.clone()))
    }
}
