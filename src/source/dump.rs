//! From a session to a stream of events: what the server is told about us, and where to begin.
//! Source: MySQL developer documentation, "COM_BINLOG_DUMP", "COM_BINLOG_DUMP_GTID", "COM_REGISTER_SLAVE".

use uuid::Uuid;

use super::SourceError;
use super::connection::Connection;
use crate::config::SourceConfig;
use crate::offset::{BinlogPosition, GtidSet};

const DOING: &str = "asking for the binlog";
const BINLOG_DUMP: u8 = 0x12;
const BINLOG_DUMP_GTID: u8 = 0x1e;
const REGISTER_REPLICA: u8 = 0x15;
/// Flag: the GTID set counts.
const BINLOG_THROUGH_GTID: u16 = 4;
/// Where a log file's first event is.
const FIRST_POSITION: u64 = 4;
/// Seconds for the server to wait for us while we wait for the sink, where the file sets none.
const NET_WRITE_TIMEOUT_S: u32 = 600;

/// Where the stream begins.
#[derive(Clone, Debug)]
pub enum DumpStart {
    /// After these transactions. No file is named: with both, servers skip what lies between.
    Gtids(GtidSet),
    /// At a place in a log file.
    Position(BinlogPosition),
}

/// Makes the session a replica's and asks for events.
pub(super) fn begin(
    connection: &mut Connection,
    config: &SourceConfig,
    uuid: Uuid,
    start: &DumpStart,
) -> Result<(), SourceError> {
    let dump = request(config.server_id.get(), start)?;
    connection.statement(&session(config, uuid), DOING)?;
    connection.execute(&register(config.server_id.get()), "registering as a replica")?;
    connection.command(&dump, DOING)
}

/// Old servers know the old names only, and a variable that nobody reads does no harm. The checksum says
/// that we know them: whether events carry one, their file decides.
fn session(config: &SourceConfig, uuid: Uuid) -> String {
    let period = config.heartbeat_period.as_nanos();
    let timeout = match config.net_write_timeout_s {
        0 => NET_WRITE_TIMEOUT_S,
        seconds => seconds,
    };
    format!(
        "SET @source_binlog_checksum = 'CRC32', @master_binlog_checksum = 'CRC32', \
         @source_heartbeat_period = {period}, @master_heartbeat_period = {period}, \
         @replica_uuid = '{uuid}', @slave_uuid = '{uuid}', SESSION net_write_timeout = {timeout}"
    )
}

/// Shows us in `SHOW REPLICAS`, with a name that tells what we are.
fn register(server_id: u32) -> Vec<u8> {
    let host = b"outflow";
    let mut bytes = vec![REGISTER_REPLICA];
    bytes.extend_from_slice(&server_id.to_le_bytes());
    bytes.push(u8::try_from(host.len()).unwrap_or_default());
    bytes.extend_from_slice(host);
    // User, password and port, which are empty; rank and source id, which the server fills in.
    bytes.extend_from_slice(&[0; 1 + 1 + 2 + 4 + 4]);
    bytes
}

fn request(server_id: u32, start: &DumpStart) -> Result<Vec<u8>, SourceError> {
    let id = server_id.to_le_bytes();
    let mut bytes = Vec::new();
    match start {
        DumpStart::Gtids(set) => {
            let set = set.to_bytes();
            let length = u32::try_from(set.len()).map_err(|_| SourceError::Protocol(DOING))?;
            bytes.push(BINLOG_DUMP_GTID);
            bytes.extend_from_slice(&BINLOG_THROUGH_GTID.to_le_bytes());
            bytes.extend_from_slice(&id);
            // The length of an empty file name.
            bytes.extend_from_slice(&0_u32.to_le_bytes());
            bytes.extend_from_slice(&FIRST_POSITION.to_le_bytes());
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(&set);
        }
        DumpStart::Position(BinlogPosition { file, pos }) => {
            let pos = u32::try_from((*pos).max(FIRST_POSITION))
                .map_err(|_| SourceError::PositionTooLarge { file: file.clone(), pos: *pos })?;
            bytes.push(BINLOG_DUMP);
            bytes.extend_from_slice(&pos.to_le_bytes());
            bytes.extend_from_slice(&0_u16.to_le_bytes());
            bytes.extend_from_slice(&id);
            bytes.extend_from_slice(file.as_bytes());
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_beyond_32_bits_is_refused() {
        let at = |pos| DumpStart::Position(BinlogPosition { file: "binlog.000001".into(), pos });
        assert!(matches!(request(1, &at(1 << 32)), Err(SourceError::PositionTooLarge { .. })));
        let bytes = request(7, &at(0)).unwrap();
        assert_eq!(bytes, [&[0x12, 4, 0, 0, 0, 0, 0, 7, 0, 0, 0], &b"binlog.000001"[..]].concat());
    }

    #[test]
    fn a_gtid_request_names_no_file() {
        let bytes = request(7, &DumpStart::Gtids(GtidSet::default())).unwrap();
        let expected = [0x1e, 4, 0, 7, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0];
        assert_eq!(bytes[..23], expected);
        assert_eq!(bytes[23..], [0; 8]);
    }
}
