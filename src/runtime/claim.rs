use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::runtime::Handle;
use tracing::{error, info, warn};
use uuid::Uuid;

use super::layouts::Layouts;
use super::{ConnectorStatus, Failure, Stop};
use crate::checkpoint::{InFlight, OffsetsTopic, Store, StoreError, StoredOffset};
use crate::config::{ConnectorConfig, ExactlyOnce};
use crate::metrics::ConnectorMetrics;
use crate::offset::Offset;
use crate::sink::{SinkError, TransactionalSink};

/// The fact under which the last owner of this folder is remembered.
const OWNER_FACT: &str = "offsets-owner";
/// A stored position that is behind the topic's by more than this, in the log's own time, is no crash's.
const CRASH_SECONDS: u64 = 10;

/// What makes this process the only one that publishes for a connector, and tells it where to go on: the transactional
/// id, which fences every other producer, and the position in the offsets topic, which carries its writer's name.
pub(super) struct Claim {
    config: Arc<ConnectorConfig>,
    exactly_once: ExactlyOnce,
    place: OffsetsTopic,
    owner: String,
    /// Whether a position of ours is in the topic.
    marked: AtomicBool,
}

/// What a claim needs of its connector.
pub(super) struct Claimant<'a> {
    pub(super) store: &'a Mutex<Store>,
    pub(super) in_flight: &'a Arc<InFlight>,
    pub(super) metrics: &'a ConnectorMetrics,
    pub(super) status: &'a ConnectorStatus,
    pub(super) stop: &'a Stop,
    pub(super) handle: &'a Handle,
    pub(super) alone: bool,
}

impl Claim {
    /// None for delivery at least once.
    pub(super) fn new(config: &Arc<ConnectorConfig>) -> Option<Self> {
        let exactly_once = config.exactly_once.clone()?;
        Some(Self {
            place: OffsetsTopic::named(exactly_once.offsets_topic.clone(), config),
            config: Arc::clone(config),
            exactly_once,
            owner: Uuid::now_v7().to_string(),
            marked: AtomicBool::new(false),
        })
    }

    /// How Kafka transactions are to be.
    pub(super) fn exactly_once(&self) -> &ExactlyOnce {
        &self.exactly_once
    }

    /// Fences every other process, and only then reads where to go on, which is stored.
    pub(super) fn take(&self, claimant: &Claimant<'_>) -> Result<TransactionalSink, Failure> {
        self.check(claimant.status, claimant.stop)?;
        self.place.ensure(claimant.handle)?;
        let sink = TransactionalSink::connect(
            &self.config.sink,
            &self.exactly_once,
            self.place.clone(),
            &self.owner,
            claimant.alone,
            Arc::clone(claimant.in_flight),
            claimant.metrics.clone(),
            claimant.handle,
        )?;
        let found = self.read(claimant.status, claimant.stop)?;
        let mut store = Store::lock(claimant.store);
        self.reconcile(found, &mut store)?;
        Ok(sink)
    }

    /// Our position is in the topic.
    pub(super) fn mark(&self, store: &Mutex<Store>) -> Result<(), StoreError> {
        self.marked.store(true, Ordering::Relaxed);
        Store::lock(store).forget_given()
    }

    /// Whether the topic's last position is still ours: otherwise another process has taken over since, and stays.
    pub(super) fn check(&self, status: &ConnectorStatus, stop: &Stop) -> Result<(), Failure> {
        if !self.marked.load(Ordering::Relaxed) {
            return Ok(());
        }
        let found = self.read(status, stop)?;
        if found.is_none_or(|found| found.owner.as_ref() == Some(&self.owner)) {
            return Ok(());
        }
        Err(Failure::Sink(SinkError::TakenOver {
            transactional_id: self.exactly_once.transactional_id.clone(),
            topic: self.exactly_once.offsets_topic.clone(),
        }))
    }

    fn read(&self, status: &ConnectorStatus, stop: &Stop) -> Result<Option<StoredOffset>, Failure> {
        let found = self.place.read_settled(|| {
            status.tick();
            !stop.requested()
        });
        match found {
            Err(_) if stop.requested() => Err(Failure::StopRequested),
            found => Ok(found?),
        }
    }

    /// Stores the place to go on from: the topic's, unless delivery at least once went on alone since.
    fn reconcile(&self, found: Option<StoredOffset>, store: &mut Store) -> Result<(), StoreError> {
        let connector = &self.config.name;
        let topic = &self.exactly_once.offsets_topic;
        let stored = store.load()?;
        let ad_hoc_snapshot = found.as_ref().is_some_and(|found| found.ad_hoc_snapshot);
        if ad_hoc_snapshot {
            warn!(
                connector,
                "an ad hoc snapshot was under way in Connect: what it did not reach is not published"
            );
        }
        let last_owner =
            store.fact(OWNER_FACT)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let was_exactly_once = last_owner.is_some();
        match (&found, &stored) {
            _ if store.is_given()? => {
                info!(
                    connector,
                    topic,
                    "the position that was imported or reset is used in place of the offsets topic's"
                );
            }
            (None, Some(_)) if was_exactly_once => {
                error!(
                    connector,
                    topic,
                    "THE OFFSETS TOPIC HOLDS NO POSITION, ALTHOUGH ONE WAS WRITTEN: the stored one is used; what was published behind it is published again"
                );
            }
            (None, _) => {}
            (Some(found), Some(stored)) if is_ahead(stored, &found.offset) => {
                if was_exactly_once {
                    error!(connector, topic, stored = %stored.to_json(), found = %found.offset.to_json(), "THE STORED POSITION IS AHEAD OF THE OFFSETS TOPIC'S, which must never be: the topic's is used; look whether the topic was restored or written by others");
                    store.adopt(&found.offset)?;
                } else {
                    info!(
                        connector,
                        topic,
                        "the stored position of delivery at least once is ahead of the offsets topic's, and is used"
                    );
                }
            }
            (Some(found), Some(stored)) if found.offset == *stored => {}
            (Some(found), stored) => {
                let (ours, position) =
                    (was_exactly_once && found.owner == last_owner, found.offset.to_json());
                if ours {
                    info!(connector, topic, %position, "going on where the offsets topic says");
                } else {
                    warn!(connector, topic, %position, "going on where another process stopped, as the offsets topic says");
                }
                let is_young =
                    |stored: &Offset| found.offset.ts_sec <= stored.ts_sec + CRASH_SECONDS;
                match &found.owner {
                    Some(_) if !ours => store.adopt(&found.offset)?,
                    _ => {
                        // A folder that was copied or put back may lack later alterations; Connect knows none of ours.
                        if !ours || !stored.as_ref().is_some_and(is_young) {
                            Layouts::forget(store)?;
                        }
                        store.save(&found.offset)?;
                    }
                }
            }
        }
        if store.can_remember() && last_owner.as_ref() != Some(&self.owner) {
            store.remember(OWNER_FACT, self.owner.as_bytes())?;
        }
        Ok(())
    }
}

/// Delivery at least once moves the stored position without the topic: from here on the topic's is no longer the younger one.
pub(super) fn give_up(store: &Store) -> Result<(), StoreError> {
    if store.fact(OWNER_FACT)?.is_some() { store.forget(OWNER_FACT) } else { Ok(()) }
}

/// Whether `one` lies behind `other` in the log.
fn is_ahead(one: &Offset, other: &Offset) -> bool {
    let inside = |offset: &Offset| (offset.event, offset.row);
    match (&one.gtids, &other.gtids) {
        (Some(gtids), Some(others)) if gtids == others => inside(one) > inside(other),
        (Some(gtids), Some(others)) => others.is_subset_of(gtids),
        _ if one.position == other.position => inside(one) > inside(other),
        _ => other.position.is_behind(&one.position),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offset::BinlogPosition;

    #[test]
    fn what_is_ahead_is_told_by_gtids_then_by_position() {
        let uuid = "150b2dea-ec69-11f1-8016-02fc00000001";
        let offset = |gtids: &str, pos: u64, row: u64| Offset {
            position: BinlogPosition { file: "b.000001".into(), pos },
            gtids: (!gtids.is_empty()).then(|| format!("{uuid}:{gtids}").parse().unwrap()),
            row,
            ..Offset::default()
        };
        for (one, other, ahead) in [
            (offset("1-5", 1, 0), offset("1-4", 9, 0), true),
            (offset("1-4", 9, 0), offset("1-5", 1, 0), false),
            (offset("1-4:7", 1, 0), offset("1-5", 1, 0), false),
            (offset("1-5", 1, 2), offset("1-5", 1, 0), true),
            (offset("1-5", 9, 0), offset("1-5", 1, 0), false), // Other tables' statements without GTIDs.
            (offset("", 9, 0), offset("", 1, 0), true),
            (offset("", 9, 0), offset("1-5", 1, 0), true),
            (offset("", 1, 0), offset("", 1, 0), false),
        ] {
            assert_eq!(is_ahead(&one, &other), ahead, "{one:?} {other:?}");
        }
    }
}
