use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::{Broker, Follower, Kafka, MySql, MySqlServer, Outflow, Scratch, broker, mysql};

/// Begins the name of every topic but those of the recordings.
pub(crate) const TOPIC_PREFIX: &str = "outflow-test.";
/// How long reading a backlog to its end may take.
const CATCH_UP_MAX: Duration = Duration::from_secs(120);

/// An outbox table of its own, a topic of its own, and a connector between them.
pub(crate) struct Outbox {
    pub(crate) schema: String,
    pub(crate) topic: String,
    pub(crate) server: MySqlServer,
    pub(crate) broker: Broker,
    pub(crate) scratch: Scratch,
    pub(crate) config: Map<String, Value>,
    /// Options of every start besides.
    pub(crate) options: Vec<String>,
}

impl Outbox {
    /// On the servers that tests share.
    pub(crate) fn new(name: &str) -> Self {
        Self::on(name, mysql().clone(), broker().clone())
    }

    /// On servers of its own.
    pub(crate) fn on(name: &str, server: MySqlServer, broker: Broker) -> Self {
        static NEXT_SERVER_ID: AtomicU32 = AtomicU32::new(0);
        let unique = format!("{name}-{}", run_id());
        let schema = format!("t_{}", unique.replace('-', "_"));
        let topic = format!("{TOPIC_PREFIX}{unique}");
        server.connect().run(&format!(
            "CREATE DATABASE {schema};
             CREATE TABLE {schema}.outbox (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL,
               aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON)"
        ));
        Kafka::connect(&broker.bootstrap_servers).create(&topic);
        let server_id = 1_000_000 + run_id() % 1_000_000 * 100;
        let server_id = server_id + u64::from(NEXT_SERVER_ID.fetch_add(1, Ordering::Relaxed));
        let config = json!({
            "connector.class": "io.debezium.connector.mysql.MySqlConnector",
            "database.hostname": server.host,
            "database.port": server.port.to_string(),
            "database.user": "debezium",
            "database.password": "dbz_pass",
            "database.server.id": server_id.to_string(),
            "topic.prefix": unique,
            "database.include.list": schema,
            "table.include.list": format!("{schema}.outbox"),
            "snapshot.mode": "no_data",
            "include.schema.changes": "false",
            "transforms": "outbox",
            "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
            "transforms.outbox.route.topic.replacement": topic,
        });
        let Value::Object(config) = config else { unreachable!("json! made an object") };
        Self {
            schema,
            topic,
            server,
            broker,
            scratch: Scratch::new(&unique),
            config,
            options: Vec::new(),
        }
    }

    /// The same with a worker's file.
    pub(crate) fn with_worker(mut self, text: &str) -> Self {
        let file = self.scratch.write("worker.properties", text);
        self.options = vec!["--worker".to_owned(), file.to_str().unwrap().to_owned()];
        self
    }

    /// The same with a property set.
    pub(crate) fn with(mut self, property: &str, value: &str) -> Self {
        self.set(property, value);
        self
    }

    /// Sets a property for the next start.
    pub(crate) fn set(&mut self, property: &str, value: &str) {
        self.config.insert(property.to_owned(), json!(value));
    }

    /// What tells this run from others on the same servers.
    pub(crate) fn unique(&self) -> u64 {
        run_id()
    }

    /// Writes the connector's file.
    pub(crate) fn file(&self) -> PathBuf {
        let file = json!({ "name": self.schema, "config": self.config });
        self.scratch.write("connector.json", &format!("{file:#}"))
    }

    /// Starts outflow on it, publishing to Kafka.
    pub(crate) fn start(&self) -> Outflow {
        self.start_with(&["--bootstrap-servers", &self.broker.bootstrap_servers])
    }

    /// The same, to die at a fault point.
    pub(crate) fn start_to_die(&self, fault_point: &str) -> Outflow {
        let options = ["--bootstrap-servers", &self.broker.bootstrap_servers];
        self.start_at(&self.scratch.path("data"), &options, fault_point)
    }

    /// Starts outflow on it with these options besides file, data folder and admin port.
    pub(crate) fn start_with(&self, options: &[&str]) -> Outflow {
        self.start_at(&self.scratch.path("data"), options, "")
    }

    /// Starts outflow on it with another data folder.
    pub(crate) fn start_elsewhere(&self, data_dir: &Path, options: &[&str]) -> Outflow {
        self.start_at(data_dir, options, "")
    }

    fn start_at(&self, data_dir: &Path, options: &[&str], fault_point: &str) -> Outflow {
        let file = self.file();
        let mut arguments =
            vec!["run", file.to_str().unwrap(), "--data-dir", data_dir.to_str().unwrap()];
        arguments.extend(["--listen", "127.0.0.1:0"]);
        arguments.extend(options);
        arguments.extend(self.options.iter().map(String::as_str));
        Outflow::start_to_die(&self.scratch.path(""), &arguments, fault_point)
    }

    /// The place that outflow has stored, while it is stopped.
    pub(crate) fn stored(&self) -> serde_json::Value {
        let (file, data_dir) = (self.file(), self.scratch.path("data"));
        let (file, data_dir) = (file.to_str().unwrap(), data_dir.to_str().unwrap());
        let arguments = ["offsets", "show", file, "--data-dir", data_dir];
        let mut shown = Outflow::start(&self.scratch.path(""), &arguments);
        assert_eq!(shown.ended(CATCH_UP_MAX), 0, "offsets show:\n{}", shown.log());
        let mut shown: Value = serde_json::from_str(&shown.output()).unwrap();
        shown["offset"].take()
    }

    /// Runs outflow until everything that MySQL has is acknowledged.
    #[track_caller]
    pub(crate) fn catch_up(&self) {
        let servers = &self.broker.bootstrap_servers;
        let mut outflow = self.start_with(&["--bootstrap-servers", servers, "--until-caught-up"]);
        assert_eq!(outflow.ended(CATCH_UP_MAX), 0, "catching up");
    }

    /// A session in the outbox's schema.
    pub(crate) fn sql(&self) -> MySql {
        let mut session = self.server.connect();
        session.run(&format!("USE {}", self.schema));
        session
    }

    /// A reader of its topic.
    pub(crate) fn follow(&self) -> Follower {
        Follower::new(&self.broker.bootstrap_servers, &self.topic)
    }

    /// A statement that inserts rows with these ids, spread over so many keys.
    pub(crate) fn insert(ids: Range<u64>, keys: u64) -> String {
        let columns = "id, aggregatetype, aggregateid, type, payload";
        let mut statement = format!("INSERT INTO outbox ({columns}) VALUES ");
        let start = ids.start;
        for id in ids {
            let comma = if id == start { "" } else { "," };
            write!(statement, "{comma}({id},'Order','key-{}','T','{{\"n\":{id}}}')", id % keys)
                .unwrap();
        }
        statement
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            Kafka::connect(&self.broker.bootstrap_servers).delete(&self.topic);
            self.server.connect().run(&format!("DROP DATABASE {}", self.schema));
        }
    }
}

/// Tells runs on the same servers apart.
fn run_id() -> u64 {
    static RUN: OnceLock<u64> = OnceLock::new();
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    *RUN.get_or_init(|| u64::try_from(now()).unwrap() % 10_000_000_000)
}
