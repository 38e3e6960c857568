use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::support::{MySql, MySqlServer, Outbox, broker, until};

/// One pair of servers at a time.
static PAIR: Mutex<()> = Mutex::new(());
/// The replica's address: the port is the source's.
const REPLICA_HOST: &str = "127.0.0.2";
/// Until the replica has what the source has.
const REPLICATED_MAX: Duration = Duration::from_secs(60);

/// A source and a server that can be its replica.
pub(super) struct Pair {
    pub(super) source: MySqlServer,
    pub(super) replica: MySqlServer,
    _alone: MutexGuard<'static, ()>,
}

impl Pair {
    /// Starts both afresh with these options.
    pub(super) fn new(options: &[&str]) -> Self {
        let alone = PAIR.lock().unwrap_or_else(PoisonError::into_inner);
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let source = MySqlServer::fresh("mysql:failover-source", &options);
        let address = [format!("--bind-address={REPLICA_HOST}"), format!("--port={}", source.port)];
        // The account that outflow uses for the outbox; the source's own is for this machine's first address.
        source.connect().run("CREATE USER root@'%'; GRANT ALL ON *.* TO root@'%'");
        let replica =
            MySqlServer::fresh("mysql:failover-replica", &[&options[..], &address].concat());
        Self { source, replica, _alone: alone }
    }

    /// Has the one replicate from the other, by GTID.
    pub(super) fn replicating(self) -> Self {
        for server in [&self.source, &self.replica] {
            server.connect().run("RESET BINARY LOGS AND GTIDS");
        }
        self.replica.connect().run(&self.change_source());
        self.replica.connect().run("START REPLICA");
        self
    }

    /// The statement that names the source.
    pub(super) fn change_source(&self) -> String {
        format!(
            "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '{}', SOURCE_PORT = {}, SOURCE_USER = 'debezium',
             SOURCE_PASSWORD = 'dbz_pass', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1",
            self.source.host, self.source.port
        )
    }

    /// An outbox on the source, whose connector knows both servers.
    pub(super) fn outbox(&self, name: &str) -> Outbox {
        Outbox::on(name, self.source.clone(), broker().clone())
            .with("database.hostname", &format!("{},{REPLICA_HOST}", self.source.host))
    }

    /// Waits until the replica has all that the source has committed.
    pub(super) fn until_replicated(&self) {
        let executed = "SELECT @@global.gtid_executed";
        let wanted = self.source.connect().rows(executed).remove(0).remove(0);
        let mut replica = self.replica.connect();
        until("the replica to have it all", REPLICATED_MAX, || {
            let query = format!("SELECT GTID_SUBSET('{wanted}', @@global.gtid_executed)");
            replica.rows(&query)[0][0] == "1"
        });
    }

    /// Waits until the replica has received, applied or not, what the source has committed.
    pub(super) fn until_received(&self) {
        let executed = "SELECT @@global.gtid_executed";
        let wanted = self.source.connect().rows(executed).remove(0).remove(0);
        let received =
            "SELECT received_transaction_set FROM performance_schema.replication_connection_status";
        let mut replica = self.replica.connect();
        until("the replica to have received it all", REPLICATED_MAX, || {
            replica.rows(&format!("SELECT GTID_SUBSET('{wanted}', ({received}))"))[0][0] == "1"
        });
    }

    /// Makes the replica a server of its own, and the outbox's.
    pub(super) fn promote(&self, outbox: &mut Outbox) -> MySql {
        self.replica.connect().run("STOP REPLICA; RESET REPLICA ALL");
        outbox.server = self.replica.clone();
        outbox.sql()
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.source.stop();
        self.replica.stop();
    }
}
