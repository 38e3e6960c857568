use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::support::{MySql, MySqlServer, Outbox, Proxy, broker};

/// One pair of servers at a time.
static PAIR: Mutex<()> = Mutex::new(());
/// The replica's address: the port is the source's.
const REPLICA_HOST: &str = "127.0.0.2";

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
        // It logs a transaction in more events than the other.
        let small = ["--binlog-row-event-max-size=1024".to_owned()];
        let source = MySqlServer::fresh("mysql:failover-source", &[&options[..], &small].concat());
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
        self.replica.replicate(&self.source);
        self
    }

    /// An outbox on the source, whose connector knows both servers.
    pub(super) fn outbox(&self, name: &str) -> Outbox {
        Outbox::on(name, self.source.clone(), broker().clone())
            .with("database.hostname", &format!("{},{REPLICA_HOST}", self.source.host))
    }

    /// An outbox whose connector reaches the source by a way.
    pub(super) fn outbox_behind(&self, name: &str, way: &Proxy) -> Outbox {
        way.lead_to(self.source.port);
        let seen = MySqlServer { port: way.port, ..self.source.clone() };
        Outbox::on(name, seen, broker().clone())
    }

    /// Leads a way to the replica.
    pub(super) fn lead_to_replica(&self, way: &Proxy) {
        let host: IpAddr = REPLICA_HOST.parse().unwrap();
        way.lead_to_address((host, self.replica.port).into());
    }

    /// Makes the replica a server of its own, and the outbox's.
    pub(super) fn promote(&self, outbox: &mut Outbox) -> MySql {
        self.replica.promote();
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
