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
        Some(stored) if goes_on_by_gtids(server, offset, config) => {
            let start = start_after(server, stored, config);
            let mut foreign = start.clone();
            foreign.subtract(&server.gtid_executed);
            let mut missing = server.gtid_purged.clone();
            missing.subtract(&start);
            match (foreign.is_empty(), missing.is_empty()) {
                (false, _) if server.replicates => Err(PreflightProblem::LaggingReplica(foreign)),
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

/// Whether the place to go on is after a set of transactions, whichever server has it.
#[must_use]
pub fn goes_on_by_gtids(server: &Server, offset: &Offset, config: &SourceConfig) -> bool {
    offset.gtids.is_some() && server.has_gtids() && !config.gtid_ignore_on_recovery
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Secret, TlsConfig};
    use crate::offset::BinlogPosition;

    const A: &str = "906a9a13-ec3a-11f1-bf62-02fc00000001";
    const B: &str = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

    fn server(gtid_mode: &str, executed: &str, purged: &str) -> Server {
        Server {
            version: "9.7.4".into(),
            server_uuid: A.into(),
            server_id: 1,
            gtid_mode: gtid_mode.into(),
            gtid_executed: executed.parse().unwrap(),
            gtid_purged: purged.parse().unwrap(),
            log_bin: true,
            binlog_format: "ROW".into(),
            binlog_row_image: "FULL".into(),
            binlog_row_metadata: "MINIMAL".into(),
            log_replica_updates: true,
            replicates: false,
            binlog_retention_s: 0,
            position: BinlogPosition::default(),
            logs: vec![("binlog.000002".into(), 500)],
        }
    }

    fn config() -> SourceConfig {
        SourceConfig {
            hosts: vec!["localhost".into()],
            port: 3306,
            user: "u".into(),
            password: Secret::default(),
            server_id: 5.try_into().unwrap(),
            tls: TlsConfig::default(),
            connect_timeout: std::time::Duration::from_secs(1),
            heartbeat_period: std::time::Duration::from_secs(1),
            net_write_timeout_s: 0,
            initial_statements: Vec::new(),
            gtid_sources: None,
            gtid_filter_rows: true,
            gtid_ignore_on_recovery: false,
            retries_max: None,
            retry_wait_max: std::time::Duration::ZERO,
            snapshot_delay: std::time::Duration::ZERO,
            streaming_delay: std::time::Duration::ZERO,
        }
    }

    fn offset(gtids: Option<String>, file: &str, pos: u64) -> Offset {
        let gtids = gtids.map(|text| text.parse().unwrap());
        Offset { gtids, position: BinlogPosition { file: file.into(), pos }, ..Offset::default() }
    }

    #[test]
    fn gtids_must_be_the_servers_own_and_not_purged() {
        let server = server("ON", &format!("{A}:1-100:tag:1-5,{B}:1-3"), &format!("{A}:1-10"));
        let check = |text: String| check_offset(&server, &offset(Some(text), "gone", 4), &config());
        let start = check(format!("{A}:1-50")).unwrap();
        assert!(matches!(start, DumpStart::Gtids(set) if set.to_string() == format!("{A}:1-50")));
        assert!(matches!(
            check(format!("{A}:1-101")),
            Err(PreflightProblem::ForeignServer(set)) if set.to_string() == format!("{A}:101")
        ));
        assert!(matches!(
            check(format!("{A}:1-8:tag:1")),
            Err(PreflightProblem::Purged(set)) if set.to_string() == format!("{A}:9-10")
        ));
    }

    #[test]
    fn a_replica_may_yet_apply_what_it_lacks() {
        let server = Server { replicates: true, ..server("ON", &format!("{A}:1-9"), "") };
        let check = |text: String| check_offset(&server, &offset(Some(text), "gone", 4), &config());
        let Err(problem) = check(format!("{A}:1-11")) else { panic!("it is behind") };
        assert!(
            matches!(&problem, PreflightProblem::LaggingReplica(set) if set.to_string() == format!("{A}:10-11"))
        );
        assert!(problem.may_pass() && !problem.is_lost_position());
        assert!(check(format!("{A}:1-9")).is_ok());
    }

    #[test]
    fn without_gtids_on_either_side_the_place_in_the_log_counts() {
        for (mode, gtids) in [("ON", None), ("OFF", Some(format!("{A}:1-50")))] {
            let server = server(mode, "", "");
            let check =
                |file, pos| check_offset(&server, &offset(gtids.clone(), file, pos), &config());
            assert!(matches!(check("binlog.000002", 500), Ok(DumpStart::Position(_))));
            assert!(matches!(
                check("binlog.000002", 501),
                Err(PreflightProblem::ShortLog { size: 500, .. })
            ));
            assert!(matches!(check("binlog.000001", 4), Err(PreflightProblem::MissingLog(_))));
        }
    }

    #[test]
    fn gtids_are_ignored_where_the_file_says_so() {
        let config = SourceConfig { gtid_ignore_on_recovery: true, ..config() };
        let server = server("ON", "", "");
        let start =
            check_offset(&server, &offset(Some(format!("{A}:1")), "binlog.000002", 4), &config);
        assert!(matches!(start, Ok(DumpStart::Position(_))));
    }
}
