use std::io;
use std::time::Duration;

use mysql_async::DriverError;

use super::event::EventError;
use super::preflight::PreflightProblem;
use crate::error::Remedy;

/// What went wrong between us and MySQL. No variant carries the password.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// No connection to be had.
    #[error("connecting to MySQL at {address}")]
    Connect {
        /// Host and port.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// The connection ended, or the server closed it.
    #[error("lost the connection to MySQL while {doing}")]
    Disconnected {
        /// What was being done.
        doing: &'static str,
        /// Why, where there is more to say than that it ended.
        source: Option<io::Error>,
    },
    /// Neither events nor heartbeats.
    #[error("no sign of life from MySQL in {0:?}, although heartbeats were asked for")]
    Silent(Duration),
    /// The address leads to another server than the session began with.
    #[error("the address leads to another server than before ({0})")]
    OtherServer(String),
    /// The server has no TLS and the mode asks for it.
    #[error("MySQL at {0} offers no TLS, and database.ssl.mode does not allow to go without")]
    TlsUnavailable(String),
    /// No TLS session with this server.
    #[error("setting up TLS with MySQL at {address}")]
    Tls {
        /// Host and port.
        address: String,
        /// Why.
        source: rustls::Error,
    },
    /// A truststore or keystore cannot be used.
    #[error("{property} {path:?}: {problem}")]
    Store {
        /// The property that names it.
        property: &'static str,
        /// Where it is.
        path: std::path::PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// User, password or a right is wrong (1044, 1045, 1142, 1227, 1698 and their like).
    #[error(
        "MySQL refuses user {user:?}: {message}; look at database.user, database.password and the account's grants (REPLICATION SLAVE, \
         REPLICATION CLIENT and SELECT)"
    )]
    AccessDenied {
        /// Who.
        user: String,
        /// The server's words.
        message: String,
    },
    /// The account uses a plugin that outflow does not know.
    #[error("the account uses the authentication plugin {0:?}, which is not supported")]
    UnsupportedPlugin(String),
    /// Another kind of server.
    #[error("the server is MariaDB {0}, which is not supported: its GTIDs and events differ")]
    MariaDb(String),
    /// The transactions we need next are purged (1236).
    #[error("MySQL has purged transactions that are needed next: {0}")]
    Purged(String),
    /// The log file we need next is gone (1236).
    #[error("MySQL no longer has the binary log file that is needed next: {0}")]
    MissingLog(String),
    /// Another replica took our place (1236).
    #[error("another replica uses the same database.server.id: {0}")]
    ClashingReplica(String),
    /// We have transactions that the server lacks (1236).
    #[error("MySQL lacks transactions that were read before; is it the same server? {0}")]
    AheadOfSource(String),
    /// The log goes on with transactions that have no GTID, or the server has none any more (1236).
    #[error("GTIDs were switched off, so that the binlog cannot be read on by them: {0}")]
    WithoutGtids(String),
    /// An event is larger than the server is willing to send (1236, 1153).
    #[error("MySQL cannot send an event that exceeds its max_allowed_packet: {0}")]
    MaxAllowedPacket(String),
    /// A file position beyond what the protocol can ask for.
    #[error("position {pos} of {file} is beyond 4 GiB and cannot be asked for without GTIDs")]
    PositionTooLarge {
        /// The log file.
        file: String,
        /// The position.
        pos: u64,
    },
    /// Any other error of the server.
    #[error("MySQL error {code} while {doing}: {message}")]
    Server {
        /// Its number.
        code: u16,
        /// What was being done.
        doing: &'static str,
        /// The server's words.
        message: String,
    },
    /// Bytes that are no packet of the protocol.
    #[error("malformed packet while {0}")]
    Protocol(&'static str),
    /// An event's bytes are not what they should be.
    #[error("{event} at {file} {pos}")]
    Event {
        /// The event's type.
        event: String,
        /// The log file.
        file: String,
        /// Where the event ends in it.
        pos: u32,
        /// What is wrong.
        source: EventError,
    },
    /// An event's checksum does not match its bytes.
    #[error("checksum of {event} at {file} {pos} does not match")]
    Checksum {
        /// The event's type.
        event: String,
        /// The log file.
        file: String,
        /// Where the event ends in it.
        pos: u32,
    },
    /// A compressed transaction cannot be unpacked.
    #[error("unpacking a compressed transaction: {0}")]
    Payload(String),
    /// Something about the server or the account must be mended first.
    #[error("MySQL is not ready for outflow: {}", join(.0))]
    Preflight(Vec<PreflightProblem>),
    /// A table vanished or cannot be read.
    #[error(
        "table {0} does not exist or cannot be read, so that its columns are not known; grant SELECT on it, or make it \
         as it was; SET GLOBAL binlog_row_metadata=FULL has the log name the columns of rows to come"
    )]
    NoTable(String),
    /// A query's answer is not what it should be.
    #[error("unexpected answer of MySQL to {0}")]
    Answer(&'static str),
    /// An ordinary query failed on the client's side.
    #[error("querying MySQL while {doing}")]
    Query {
        /// What was being done.
        doing: &'static str,
        /// Why.
        source: Box<mysql_async::Error>,
    },
    /// A table of a snapshot is another than when its layout was read.
    #[error("a table was altered while its snapshot was read: {0}")]
    Altered(String),
    /// No safe start without GTIDs while transactions never cease to be in flight.
    #[error("no quiet moment in {0:?} in which a snapshot could begin on a server without GTIDs")]
    NeverQuiet(Duration),
}

fn join(problems: &[PreflightProblem]) -> String {
    let lines =
        problems.iter().map(|problem| format!("{problem} (to mend it: {})", problem.cure()));
    lines.collect::<Vec<_>>().join("; ")
}

impl SourceError {
    /// Whether waiting can cure it.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            // Back off, resume from the checkpoint.
            Self::Connect { .. }
            | Self::Disconnected { .. }
            | Self::Silent(_)
            | Self::OtherServer(_) // A new session checks it.
            | Self::Altered(_)
            | Self::NeverQuiet(_) => Remedy::Retry,
            Self::Server { code, .. } if PASSING.contains(code) => Remedy::Retry,
            // A server that gives up before TLS begins says so in plain bytes; certificates are other errors.
            Self::Tls { source: rustls::Error::InvalidMessage(_), .. } => Remedy::Retry,
            Self::Preflight(problems) if problems.iter().all(PreflightProblem::may_pass) => {
                Remedy::Retry
            }
            // A driver's error that is not a lost connection comes back each time.
            Self::Query { source, .. } if matches!(**source, mysql_async::Error::Io(_)) => {
                Remedy::Retry
            }
            // A person must act.
            Self::TlsUnavailable(_)
            | Self::Tls { .. }
            | Self::Store { .. }
            | Self::AccessDenied { .. }
            | Self::UnsupportedPlugin(_)
            | Self::MariaDb(_)
            | Self::Purged(_)
            | Self::MissingLog(_)
            | Self::ClashingReplica(_)
            | Self::AheadOfSource(_)
            | Self::WithoutGtids(_)
            | Self::MaxAllowedPacket(_)
            | Self::PositionTooLarge { .. }
            | Self::Server { .. }
            | Self::Protocol(_)
            | Self::Event { .. }
            | Self::Checksum { .. }
            | Self::Payload(_)
            | Self::Preflight(_)
            | Self::NoTable(_)
            | Self::Answer(_)
            | Self::Query { .. } => Remedy::Stop,
        }
    }

    /// An error packet of the server by its meaning. Source: MySQL 9.7 error reference; the texts of 1236
    /// in `share/messages_to_clients.txt` and the dump thread.
    pub(super) fn server(code: u16, message: String, user: &str, doing: &'static str) -> Self {
        const DUMP_FAILED: u16 = 1236;
        let has = |words: &str| message.contains(words);
        match code {
            1044 | 1045 | 1095 | 1142 | 1143 | 1227 | 1370 | 1396 | 1410 | 1698 | 1862 | 3118
            | 3878 | 3955 => Self::AccessDenied { user: user.to_owned(), message },
            1153 => Self::MaxAllowedPacket(message),
            1789 => Self::Purged(message),
            DUMP_FAILED if has("same server_uuid/server_id") => Self::ClashingReplica(message),
            DUMP_FAILED if has("purged") => Self::Purged(message),
            DUMP_FAILED if has("more GTIDs") || has("position > file size") => {
                Self::AheadOfSource(message)
            }
            DUMP_FAILED if has("AUTO_POSITION") => Self::WithoutGtids(message),
            DUMP_FAILED if has("max_allowed_packet") => Self::MaxAllowedPacket(message),
            DUMP_FAILED if has("Could not find first log") || has("could not find next log") => {
                Self::MissingLog(message)
            }
            _ => Self::Server { code, doing, message },
        }
    }

    /// An error of an ordinary query by its meaning.
    pub(super) fn query(error: mysql_async::Error, user: &str, doing: &'static str) -> Self {
        match error {
            mysql_async::Error::Server(error) => {
                Self::server(error.code, error.message, user, doing)
            }
            mysql_async::Error::Io(mysql_async::IoError::Io(source)) => {
                Self::Disconnected { doing, source: Some(source) }
            }
            // A server that gives up does not wait for its turn.
            mysql_async::Error::Driver(
                DriverError::ConnectionClosed | DriverError::PacketOutOfOrder,
            ) => Self::Disconnected { doing, source: None },
            mysql_async::Error::Driver(DriverError::UnknownAuthPlugin { name }) => {
                Self::UnsupportedPlugin(name)
            }
            other => Self::Query { doing, source: Box::new(other) },
        }
    }
}

/// Errors of a server that is starting, stopping, full, offline or interrupted, of a session that it ended, of
/// locks, and of a table that was altered under a snapshot.
const PASSING: [u16; 26] = [
    1037, 1038, 1040, 1041, 1053, 1077, 1080, 1129, 1135, 1152, 1158, 1159, 1160, 1161, 1184, 1203,
    1205, 1213, 1226, 1317, 1412, 3024, 3032, 3169, 3572, 4031,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dump_errors_are_told_apart() {
        let dump = |message: &str| SourceError::server(1236, message.to_owned(), "u", "reading");
        assert!(matches!(
            dump(
                "A replica with the same server_uuid/server_id as this replica has connected to the source"
            ),
            SourceError::ClashingReplica(_)
        ));
        assert!(matches!(
            dump(
                "Cannot replicate because the source purged required binary logs. Missing transactions"
            ),
            SourceError::Purged(_)
        ));
        assert!(matches!(
            dump("Could not find first log file name in binary log index file"),
            SourceError::MissingLog(_)
        ));
        assert!(matches!(
            dump("Replica has more GTIDs than the source has"),
            SourceError::AheadOfSource(_)
        ));
        assert!(matches!(
            dump("log event entry exceeded max_allowed_packet; Increase max_allowed_packet"),
            SourceError::MaxAllowedPacket(_)
        ));
        for without in [
            "Cannot replicate anonymous transaction when AUTO_POSITION = 1, at file ./b.1, position 4.",
            "The replication sender thread cannot start in AUTO_POSITION mode: this server has GTID_MODE = OFF \
             instead of ON.",
        ] {
            assert!(matches!(dump(without), SourceError::WithoutGtids(_)));
        }
        assert!(matches!(dump("Binary log is not open"), SourceError::Server { code: 1236, .. }));
    }

    #[test]
    fn waiting_cures_passing_errors_only() {
        let of = |code| SourceError::server(code, String::new(), "u", "logging in").remedy();
        assert_eq!(of(1053), Remedy::Retry);
        assert_eq!(of(1040), Remedy::Retry);
        assert_eq!(of(1045), Remedy::Stop);
        assert_eq!(of(1236), Remedy::Stop);
    }
}
