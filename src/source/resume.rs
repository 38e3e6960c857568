//! From a stored offset to where the stream begins, and whether the server still has it.

use super::dump::DumpStart;
use super::preflight::PreflightProblem;
use super::server::Server;
use crate::config::SourceConfig;
use crate::offset::{GtidSet, GtidSource, Offset};

/// Where to go on from `offset` on this server. After its GTIDs where both have them, else at its place in
/// the log. Transactions of sources that `gtid.source.*` leaves out count as read.
///
/// # Errors
/// When the server has purged what is needed next, or is not the server that was read.
pub fn check_offset(
    server: &Server,
    offset: &Offset,
    config: &SourceConfig,
) -> Result<DumpStart, PreflightProblem> {
    match &offset.gtids {
        Some(stored) if server.has_gtids() && !config.gtid_ignore_on_recovery => {
            let start = start_after(server, stored, config);
            let mut foreign = start.clone();
            foreign.subtract(&server.gtid_executed);
            let mut missing = server.gtid_purged.clone();
            missing.subtract(&start);
            match (foreign.is_empty(), missing.is_empty()) {
                (false, _) => Err(PreflightProblem::ForeignServer(foreign)),
                (true, false) => Err(PreflightProblem::Purged(missing)),
                (true, true) => Ok(DumpStart::Gtids(start)),
            }
        }
        _ => {
            let place = &offset.position;
            match server.logs.iter().find(|(file, _)| *file == place.file) {
                None => Err(PreflightProblem::MissingLog(place.file.clone())),
                Some((file, size)) if place.pos > *size => Err(PreflightProblem::ShortLog {
                    file: file.clone(),
                    size: *size,
                    pos: place.pos,
                }),
                Some(_) => Ok(DumpStart::Position(place.clone())),
            }
        }
    }
}

fn start_after(server: &Server, stored: &GtidSet, config: &SourceConfig) -> GtidSet {
    let Some((include, patterns)) = &config.gtid_sources else { return stored.clone() };
    let admitted = |source: &GtidSource| patterns.matches(&source.uuid_text()) == *include;
    let mut start = stored.clone();
    start.retain(admitted);
    let mut others = server.gtid_executed.clone();
    others.retain(|source| !admitted(source));
    start.union(&others);
    start
}
