use std::sync::{Mutex, PoisonError};

use tracing::info;
use uuid::Uuid;

use super::Failure;
use super::queries::Queries;
use super::routing::Routing;
use super::snapshot::InitialSnapshot;
use super::tables::{CaptureError, Captured};
use crate::checkpoint::Store;
use crate::config::{ConnectorConfig, SnapshotMode};
use crate::decode::TableLayout;
use crate::offset::Offset;
use crate::source::{DumpStart, PreflightProblem, Server, SourceError, check_offset};

/// What the stored offset of a snapshot in progress says, as Debezium's does.
const SNAPSHOT_IN_PROGRESS: &str = "INITIAL";
/// The fact under which the server's UUID is remembered.
const SERVER_UUID: &str = "server-uuid";

/// The fact under which our own UUID is remembered.
const REPLICA_UUID: &str = "replica-uuid";

/// Where a session starts.
pub(super) struct Start {
    /// The place, stored already.
    pub(super) offset: Offset,
    /// The end of the server's log at this moment.
    pub(super) end: Offset,
    /// What servers know this replica by.
    pub(super) uuid: Uuid,
    /// Rows to be published first.
    pub(super) snapshot: Option<InitialSnapshot>,
}

/// Checks the server and every captured table, then finds the place to start from and stores it.
pub(super) fn start(
    config: &ConnectorConfig,
    queries: &Queries,
    store: &Mutex<Store>,
    routing: &Routing,
) -> Result<Start, Failure> {
    let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
    let uuid = replica_uuid(&store)?;
    let server = queries.preflight(uuid)?;
    let tables = capture(config, queries.layouts()?, routing)?;
    let end = end_of(&server);
    if let Some(offset) = store.load()?.filter(|offset| offset.snapshot.is_none()) {
        let offset = resume(config, &server, offset, &store)?;
        return Ok(Start { offset, end, uuid, snapshot: None });
    }
    let (offset, snapshot) = if config.snapshot_mode == SnapshotMode::NoData {
        info!(connector = %config.name, "first start: from the end of the log");
        (end.clone(), None)
    } else {
        info!(connector = %config.name, tables = tables.len(), "first start: from the rows in the tables");
        let layouts: Vec<TableLayout> = tables.iter().map(|(layout, _)| layout.clone()).collect();
        let snapshot = queries.snapshot(server.has_gtids(), &layouts)?;
        let offset = Offset {
            position: snapshot.position.clone(),
            gtids: snapshot.gtids.clone(),
            snapshot: Some(SNAPSHOT_IN_PROGRESS.to_owned()),
            ..Offset::default()
        };
        (offset, Some(InitialSnapshot { snapshot, tables }))
    };
    store.save(&offset)?;
    if store.can_remember() {
        store.remember(SERVER_UUID, server.server_uuid.as_bytes())?;
    }
    Ok(Start { offset, end, uuid, snapshot })
}

/// The UUID under which servers know this replica. It stays the same, so that a server ends what is left of
/// an earlier connection of ours instead of taking it for another replica.
fn replica_uuid(store: &Store) -> Result<Uuid, Failure> {
    let known = store.fact(REPLICA_UUID)?.and_then(|text| Uuid::try_parse_ascii(&text).ok());
    if let Some(uuid) = known {
        return Ok(uuid);
    }
    let uuid = Uuid::now_v7();
    if store.can_remember() {
        store.remember(REPLICA_UUID, uuid.to_string().as_bytes())?;
    }
    Ok(uuid)
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
    mut offset: Offset,
    store: &Store,
) -> Result<Offset, Failure> {
    let problem = |problem| Failure::from(SourceError::Preflight(vec![problem]));
    let known = store.fact(SERVER_UUID)?;
    let same = known.is_none_or(|uuid| uuid == server.server_uuid.as_bytes());
    match check_offset(server, &offset, &config.source).map_err(problem)? {
        DumpStart::Gtids(gtids) => offset.gtids = Some(gtids),
        DumpStart::Position(_) if !same => {
            return Err(problem(PreflightProblem::OtherServer(server.server_uuid.clone())));
        }
        DumpStart::Position(_) => offset.gtids = None,
    }
    if !same && store.can_remember() {
        store.remember(SERVER_UUID, server.server_uuid.as_bytes())?;
    }
    Ok(offset)
}

/// Plans every captured table, so that what cannot work is said before the first row; all problems at once.
fn capture(
    config: &ConnectorConfig,
    layouts: Vec<TableLayout>,
    routing: &Routing,
) -> Result<Vec<(TableLayout, Captured)>, Failure> {
    let settings = (config.topic_prefix.as_str(), &config.capture, &config.decode);
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
