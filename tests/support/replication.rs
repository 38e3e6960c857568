use std::time::Duration;

use super::{MySqlServer, until};

/// Until a replica has what its source has, on a busy machine.
const REPLICATED_MAX: Duration = Duration::from_secs(120);

/// Replication from one server to another, by GTID.
impl MySqlServer {
    /// Replicates from `source` from now on, however often that is away.
    pub(crate) fn replicate(&self, source: &Self) {
        let mut sql = self.connect();
        sql.run(&format!(
            "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '{}', SOURCE_PORT = {}, SOURCE_USER = 'debezium',
             SOURCE_PASSWORD = 'dbz_pass', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1,
             SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 1000000, SOURCE_HEARTBEAT_PERIOD = 1",
            source.host, source.port
        ));
        sql.run("START REPLICA");
    }

    /// Replicates no more and is a server of its own.
    pub(crate) fn promote(&self) {
        self.connect().run("STOP REPLICA; RESET REPLICA ALL");
    }

    /// The GTIDs of what it has committed.
    pub(crate) fn executed(&self) -> String {
        self.connect().rows("SELECT @@global.gtid_executed").remove(0).remove(0)
    }

    /// Waits until it has all that `source` has committed.
    pub(crate) fn until_replicated(&self, source: &Self) {
        self.until_has("@@global.gtid_executed", source);
    }

    /// Waits until it has received, applied or not, what `source` has committed.
    pub(crate) fn until_received(&self, source: &Self) {
        let received =
            "SELECT received_transaction_set FROM performance_schema.replication_connection_status";
        self.until_has(&format!("({received})"), source);
    }

    fn until_has(&self, set: &str, source: &Self) {
        let wanted = source.executed();
        let mut sql = self.connect();
        until("the replica to have it all", REPLICATED_MAX, || {
            let errors = sql.rows(
                "SELECT last_error_message FROM performance_schema.replication_applier_status_by_worker \
                 WHERE last_error_number <> 0",
            );
            assert!(errors.is_empty(), "the replica has stopped: {errors:?}");
            sql.rows(&format!("SELECT GTID_SUBSET('{wanted}', {set})"))[0][0] == "1"
        });
    }
}
