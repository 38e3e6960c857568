use std::sync::{Arc, Mutex};

use ring::digest::{SHA256, digest};
use tracing::{info, warn};
use uuid::Uuid;

use super::layouts::Layouts;
use super::overlap::Overlap;
use super::queries::Queries;
use super::routing::Routing;
use super::snapshot::InitialSnapshot;
use super::tables::{CaptureError, Captured};
use super::takeover::take_over;
use super::{Failure, Stop};
use crate::checkpoint::{OffsetsTopic, REPLICA_UUID, Store};
use crate::config::{ConnectorConfig, ExactlyOnce, SnapshotMode, SourceConfig};
use crate::decode::TableLayout;
use crate::offset::{BinlogPosition, Offset, SnapshotProgress};
use crate::source::{
    DumpStart, PreflightProblem, Server, SourceError, check_offset, goes_on_by_gtids,
};

/// The fact under which the server's UUID is remembered.
const SERVER_UUID: &str = "server-uuid";

/// The first event of a log file stands behind its magic number.
const LOG_START: u64 = 4;

/// Where a session starts.
pub(super) struct Start {
    /// The place, stored already.
    pub(super) offset: Offset,
    /// The end of the server's log at this moment.
    pub(super) end: Offset,
    /// What servers know this replica by.
    pub(super) uuid: Uuid,
    /// Rows to be published first, and what tells them from the stream's.
    pub(super) snapshot: Option<(InitialSnapshot, Overlap)>,
}

/// What a connector carries from one session to the next.
pub(super) struct Carried {
    /// What servers know this replica by, where the store knows none yet and perhaps cannot keep one.
    fresh_uuid: Uuid,
    /// The next session is no new start but one more try after a failure.
    pub(super) started: bool,
    /// The log is read on from a place in it, since it has transactions without GTIDs.
    pub(super) by_position: bool,
}

impl Default for Carried {
    fn default() -> Self {
        Self { fresh_uuid: Uuid::now_v7(), started: false, by_position: false }
    }
}

/// Checks the server and every captured table, then finds the place to start from and stores it. Without a place of
/// its own the connector goes on where Connect stopped, as `offsets_topic` says.
pub(super) fn start(
    config: &ConnectorConfig,
    queries: &Queries,
    store: &Mutex<Store>,
    routing: &Routing,
    offsets_topic: Option<&OffsetsTopic>,
    carried: &Carried,
    stop: &Stop,
) -> Result<Start, Failure> {
    let mut store = Store::lock(store);
    let uuid = match &config.exactly_once {
        Some(exactly_once) => shared_uuid(exactly_once, &config.source),
        None => replica_uuid(&store, carried.fresh_uuid)?,
    };
    let server = queries.preflight_until(stop, uuid)?;
    let tables = capture(config, queries.layouts()?, routing)?;
    let end = end_of(&server);
    let given = store.is_given()?;
    let (stored, taken) = match (store.load()?, offsets_topic) {
        (None, Some(topic)) if given => {
            let topic = topic.topic();
            info!(connector = %config.name, topic, "the position was reset: the offsets topic's is not taken over");
            (None, false)
        }
        (None, Some(topic)) => (take_over(config, topic)?, true),
        (stored, _) => (stored, false),
    };
    let mut plan = Plan::new(config.snapshot_mode, stored, carried.started)?;
    if let Plan::Resume(mut offset) = plan {
        offset.gtids = offset.gtids.filter(|_| !carried.by_position);
        match resume(config, &server, queries, offset, &store) {
            Ok(offset) => {
                if taken {
                    begin_at(&mut store, &offset, &server)?;
                }
                let snapshot = match &offset.progress {
                    Some(progress) => {
                        info!(connector = %config.name, tables_done = progress.done.len(), "going on with the snapshot that was interrupted");
                        Some(open_snapshot(config, queries, &server, tables, progress)?.1)
                    }
                    None => None,
                };
                return Ok(Start { offset, end, uuid, snapshot });
            }
            Err(failure)
                if config.snapshot_mode == SnapshotMode::WhenNeeded
                    && failure.is_lost_position()
                    && !(config.source.hosts.len() > 1 && failure.is_of_other_server()) =>
            {
                let error = failure.chain();
                warn!(connector = %config.name, error, "THE STORED POSITION IS LOST: all rows in the tables are published again, and rows that were inserted and deleted since are missed");
                plan = Plan::Snapshot;
            }
            Err(failure) => return Err(failure),
        }
    }
    let from_now = matches!(plan, Plan::End | Plan::Snapshot);
    let (offset, snapshot) = match plan {
        Plan::Resume(offset) => (offset, None),
        Plan::Beginning => {
            info!(connector = %config.name, "first start: from the oldest log that the server has");
            (beginning_of(&server), None)
        }
        Plan::End => {
            info!(connector = %config.name, "first start: from the end of the log");
            (end.clone(), None)
        }
        Plan::Snapshot => {
            info!(connector = %config.name, tables = tables.len(), "from the rows in the tables");
            let (offset, snapshot) =
                open_snapshot(config, queries, &server, tables, &Arc::default())?;
            (offset, Some(snapshot))
        }
    };
    begin_at(&mut store, &offset, &server)?;
    if from_now {
        Layouts::begin(&store, &offset.position, queries)?;
    }
    Ok(Start { offset, end, uuid, snapshot })
}

/// Stores the place of a first start.
fn begin_at(store: &mut Store, offset: &Offset, server: &Server) -> Result<(), Failure> {
    store.save(offset)?;
    Layouts::forget(store)?;
    if store.can_remember() {
        store.remember(SERVER_UUID, server.server_uuid.as_bytes())?;
    }
    Ok(())
}

/// A snapshot for the rows that are not published yet, and the offset of one that begins with it.
fn open_snapshot(
    config: &ConnectorConfig,
    queries: &Queries,
    server: &Server,
    tables: Vec<(TableLayout, Captured)>,
    progress: &Arc<SnapshotProgress>,
) -> Result<(Offset, (InitialSnapshot, Overlap)), Failure> {
    let layouts: Vec<TableLayout> = tables.iter().map(|(layout, _)| layout.clone()).collect();
    let snapshot = queries.snapshot(server.has_gtids(), &layouts)?;
    let offset = Offset {
        position: snapshot.position.clone(),
        gtids: snapshot.gtids.clone(),
        snapshot: Some(SnapshotProgress::word()),
        progress: Some(Arc::clone(progress)),
        ..Offset::default()
    };
    let initial = InitialSnapshot::new(config, tables, progress);
    let overlap = initial.overlap(config, snapshot, progress, queries);
    Ok((offset, (initial, overlap)))
}

/// Where to begin, by `snapshot.mode` and what is stored.
#[derive(Debug, PartialEq)]
enum Plan {
    /// At the stored place, with the rest of a snapshot that was interrupted there.
    Resume(Offset),
    /// At the end of the log.
    End,
    /// At the beginning of the oldest log.
    Beginning,
    /// With the rows in the tables.
    Snapshot,
}

impl Plan {
    fn new(mode: SnapshotMode, stored: Option<Offset>, again: bool) -> Result<Self, Failure> {
        let Some(mut offset) = stored else {
            return match mode {
                SnapshotMode::NoData => Ok(Self::End),
                SnapshotMode::Never => Ok(Self::Beginning),
                SnapshotMode::Recovery => Err(Failure::NothingToRecover),
                SnapshotMode::Initial
                | SnapshotMode::InitialOnly
                | SnapshotMode::WhenNeeded
                | SnapshotMode::Always => Ok(Self::Snapshot),
            };
        };
        if mode == SnapshotMode::Always && !again {
            return Ok(Self::Snapshot);
        }
        if offset.snapshot.is_none() {
            return Ok(Self::Resume(offset));
        }
        match mode {
            SnapshotMode::Initial
            | SnapshotMode::InitialOnly
            | SnapshotMode::WhenNeeded
            | SnapshotMode::Always => {
                if offset.progress.is_none() {
                    info!(
                        "a snapshot that was not one of outflow's was interrupted and starts over"
                    );
                    return Ok(Self::Snapshot);
                }
            }
            SnapshotMode::NoData | SnapshotMode::Never | SnapshotMode::Recovery => {
                warn!(
                    "a snapshot was interrupted: the rows that it did not reach are not published"
                );
                (offset.snapshot, offset.progress) = (None, None);
            }
        }
        Ok(Self::Resume(offset))
    }
}

/// The oldest place from which the server can send its log.
fn beginning_of(server: &Server) -> Offset {
    let file = server.logs.first().map_or(&server.position.file, |(file, _)| file).clone();
    Offset {
        position: BinlogPosition { file, pos: LOG_START },
        gtids: server.has_gtids().then(|| server.gtid_purged.clone()),
        ..Offset::default()
    }
}

/// The UUID under which servers know this replica. It stays the same, so that a server ends what is left of
/// an earlier connection of ours instead of taking it for another replica. It is not made of name and server id: a
/// second process that was given both by mistake would throw the first one out in place of being refused.
fn replica_uuid(store: &Store, fresh: Uuid) -> Result<Uuid, Failure> {
    let known = store.fact(REPLICA_UUID)?.and_then(|text| Uuid::try_parse_ascii(&text).ok());
    if let Some(uuid) = known {
        return Ok(uuid);
    }
    if store.can_remember() {
        store.remember(REPLICA_UUID, fresh.to_string().as_bytes())?;
    }
    Ok(fresh)
}

/// The same on every machine that may take over: by then the process before is fenced, and the server ends its stream.
fn shared_uuid(exactly_once: &ExactlyOnce, source: &SourceConfig) -> Uuid {
    let name = format!("outflow {} {}", exactly_once.transactional_id, source.server_id);
    let mut bytes = [0; 16];
    for (byte, digest) in bytes.iter_mut().zip(digest(&SHA256, name.as_bytes()).as_ref()) {
        *byte = *digest;
    }
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

fn end_of(server: &Server) -> Offset {
    Offset {
        position: server.position.clone(),
        gtids: server.has_gtids().then(|| server.gtid_executed.clone()),
        ..Offset::default()
    }
}

/// Checks that the server can go on at a stored offset.
fn resume(
    config: &ConnectorConfig,
    server: &Server,
    queries: &Queries,
    mut offset: Offset,
    store: &Store,
) -> Result<Offset, Failure> {
    let problem = |problem| Failure::from(SourceError::Preflight(vec![problem]));
    let known = store.fact(SERVER_UUID)?;
    let is_new = known.is_none();
    let same = known.is_none_or(|uuid| uuid == server.server_uuid.as_bytes());
    // Another server's log may hold anything at that place, or nothing.
    if !same && !goes_on_by_gtids(server, &offset, &config.source) {
        return Err(problem(PreflightProblem::OtherServer(server.server_uuid.clone())));
    }
    let checked = match check_offset(server, &offset, &config.source) {
        // What was read last is not executed yet when the process was killed a moment ago.
        Err(PreflightProblem::ForeignServer(missing)) if queries.wait_executed(&missing)? => {
            let mut server = server.clone();
            server.gtid_executed.union(&missing);
            check_offset(&server, &offset, &config.source)
        }
        checked => checked,
    };
    match checked.map_err(problem)? {
        DumpStart::Gtids(gtids) => offset.gtids = Some(gtids),
        DumpStart::Position(_) => offset.gtids = None,
    }
    if !same && (offset.event, offset.row) != (0, 0) {
        warn!(connector = %config.name, event = offset.event, row = offset.row, "another server than before: it may log a transaction in other events, so the one that was in progress is published from its beginning");
        (offset.event, offset.row) = (0, 0);
    }
    if !same && store.can_remember() {
        Layouts::forget(store)?; // Places in another server's log.
    }
    if (is_new || !same) && store.can_remember() {
        store.remember(SERVER_UUID, server.server_uuid.as_bytes())?;
    }
    Ok(offset)
}

/// Plans every captured table, so that what cannot work is said before the first row; all problems at once.
pub(super) fn capture(
    config: &ConnectorConfig,
    layouts: Vec<TableLayout>,
    routing: &Routing,
) -> Result<Vec<(TableLayout, Captured)>, Failure> {
    let settings = (&config.capture, &config.decode);
    let mut tables = Vec::new();
    let mut problems = Vec::new();
    for layout in layouts {
        match Captured::new(&layout, None, settings, routing) {
            Ok(captured) => tables.push((layout, captured)),
            Err(CaptureError::Table(mut found)) => problems.append(&mut found),
            Err(CaptureError::Decode(err)) => {
                problems.push(format!("{}.{}: {err}", layout.database, layout.table));
            }
        }
    }
    if problems.is_empty() { Ok(tables) } else { Err(Failure::Tables(problems)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_begins_where_it_should() {
        use SnapshotMode::{Always, Initial, InitialOnly, Never, NoData, Recovery, WhenNeeded};
        let done = || Offset { ts_sec: 7, ..Offset::default() };
        let of_debezium = || Offset { snapshot: Some("INITIAL".into()), ..done() };
        let interrupted = || Offset { progress: Some(Arc::default()), ..of_debezium() };
        let resume = || Some(Plan::Resume(done()));
        let go_on = || Some(Plan::Resume(interrupted()));
        let snapshot = || Some(Plan::Snapshot);
        for (mode, fresh, stored, half, others, retried) in [
            (Initial, snapshot(), resume(), go_on(), snapshot(), go_on()),
            (InitialOnly, snapshot(), resume(), go_on(), snapshot(), go_on()),
            (WhenNeeded, snapshot(), resume(), go_on(), snapshot(), go_on()),
            (Always, snapshot(), snapshot(), snapshot(), snapshot(), go_on()),
            (NoData, Some(Plan::End), resume(), resume(), resume(), resume()),
            (Never, Some(Plan::Beginning), resume(), resume(), resume(), resume()),
            (Recovery, None, resume(), resume(), resume(), resume()),
        ] {
            let of = |stored, again| Plan::new(mode, Some(stored), again).ok();
            assert_eq!(of(of_debezium(), false), others, "{mode:?}");
            assert_eq!(of(interrupted(), true), retried, "{mode:?}");
            assert_eq!(of(done(), true), resume(), "{mode:?}");
            assert_eq!(Plan::new(mode, None, false).ok(), fresh, "{mode:?}");
            assert_eq!(Plan::new(mode, Some(done()), false).ok(), stored, "{mode:?}");
            assert_eq!(Plan::new(mode, Some(interrupted()), false).ok(), half, "{mode:?}");
        }
    }
}
