use super::servers::Servers;
use super::transaction::{KEYS, TABLES};
use crate::support::{Broker, Kafka, MySqlServer, Outbox, Proxy};

/// How the servers of a run are set up; the seed decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    /// GTIDs, and table maps that name columns.
    Full,
    /// GTIDs, and table maps without names.
    Minimal,
    /// File and position, and table maps that name columns.
    NoGtids,
}

impl Setting {
    pub(super) fn of(seed: u64) -> Self {
        match seed % 3 {
            0 => Self::NoGtids,
            1 => Self::Full,
            _ => Self::Minimal,
        }
    }

    pub(super) fn has_gtids(self) -> bool {
        self != Self::NoGtids
    }

    /// The options of each server, whether it is the source or a replica.
    pub(super) fn options(self) -> Vec<String> {
        let mut options = vec![
            "--max-binlog-size=16M",
            "--innodb-lock-wait-timeout=2",
            "--binlog-expire-logs-auto-purge=OFF",
            "--relay-log-recovery=ON",
            "--replica-net-timeout=4",
            // The applier waits for rows that a prepared transaction holds.
            "--replica-transaction-retries=1000",
        ];
        if self.has_gtids() {
            // Beyond PREPARE the applier would keep locks on gaps, which a transaction before the COMMIT may wait for
            // without end.
            options.push("--transaction-isolation=READ-COMMITTED");
        }
        match self {
            Self::Full => options.push("--binlog-row-metadata=FULL"),
            Self::Minimal => options.push("--binlog-row-metadata=MINIMAL"),
            Self::NoGtids => options.extend([
                "--binlog-row-metadata=FULL",
                "--gtid-mode=OFF",
                "--enforce-gtid-consistency=OFF",
            ]),
        }
        options.into_iter().map(str::to_owned).collect()
    }
}

/// Servers that are disturbed, proxies before them, and the tables and the topic of a run.
pub(super) struct Stage {
    /// Its servers are the proxies, so it goes before them.
    pub(super) outbox: Outbox,
    pub(super) setting: Setting,
    pub(super) servers: Servers,
    pub(super) broker: Broker,
    /// The relay's way to the source.
    pub(super) mysql_way: Proxy,
    pub(super) kafka_way: Proxy,
}

impl Stage {
    /// Sets up everything; `name` tells runs at one time apart.
    pub(super) fn new(name: &str, setting: Setting) -> Self {
        let (mysql_way, kafka_way) = (Proxy::open(), Proxy::open());
        let servers = Servers::start(name, setting);
        let (broker, seen_broker) = Broker::behind(&format!("kafka:{name}"), kafka_way.port);
        mysql_way.lead_to(servers.source().port);
        kafka_way.lead_to(broker.port());
        let seen = MySqlServer { port: mysql_way.port, ..servers.source().clone() };
        let outbox = Outbox::on(name, seen, seen_broker);
        let tables: Vec<String> =
            TABLES.iter().map(|table| format!("{}.{table}", outbox.schema)).collect();
        let outbox = outbox
            .with("table.include.list", &tables.join(","))
            .with("transforms.outbox.table.fields.additional.placement", "type:header")
            .with("outflow.heartbeat.period.ms", "1000");
        make_tables(&outbox);
        let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
        // When a record arrived, whoever sent it.
        kafka.set(&outbox.topic, "message.timestamp.type", "LogAppendTime");
        Self { outbox, setting, servers, broker, mysql_way, kafka_way }
    }
}

fn make_tables(outbox: &Outbox) {
    let mut sql = outbox.sql();
    sql.run(&format!("CREATE TABLE {} LIKE {}", TABLES[1], TABLES[0]));
    sql.run(
        "CREATE TABLE ledger (id BIGINT UNSIGNED PRIMARY KEY, k INT NOT NULL, n INT NOT NULL, at_ms BIGINT NOT NULL);
         CREATE TABLE counters (k INT PRIMARY KEY, n INT NOT NULL);
         CREATE TABLE noise (id INT PRIMARY KEY, filler LONGTEXT)",
    );
    let zeros: Vec<String> = (0..KEYS).map(|key| format!("({key},0)")).collect();
    sql.run(&format!("INSERT INTO counters VALUES {}", zeros.join(",")));
}
