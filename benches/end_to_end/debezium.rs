use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Map, Value, json};

use crate::bench::Bench;
use crate::connector::{self, TOPIC};
use crate::process;
use crate::rest;
use crate::servers::Server;
use crate::sql::{Place, Sql};

/// How long a connector may take to get into a state.
const STATE_MAX: Duration = Duration::from_secs(90);
/// What a user would set who has read about tuning it.
const TUNED: [(&str, &str); 8] = [
    ("poll.interval.ms", "1"),
    ("max.batch.size", "8192"),
    ("max.queue.size", "32768"),
    ("producer.override.linger.ms", "0"),
    ("producer.override.batch.size", "524288"),
    ("producer.override.compression.type", "lz4"),
    ("producer.override.buffer.memory", "67108864"),
    ("producer.override.max.request.size", "4194304"),
];

/// Debezium's connector in a Connect worker. It has seen the tables once, so its schema history is there.
pub(crate) struct Debezium {
    url: String,
    pub(crate) pid: u32,
    name: String,
    config: Map<String, Value>,
    /// What the worker has stored of its position.
    offset: Value,
}

impl Debezium {
    /// Makes a connector, lets it publish one row, so that its position is stored, and stops it.
    pub(crate) fn prepare(bench: &Bench, connect: &Server) -> anyhow::Result<Self> {
        let unique = bench.topics.unique();
        let name = format!("bench-{unique}");
        let file = std::fs::read_to_string(bench.connector_file())?;
        let mut file: Value = serde_json::from_str(&file)?;
        let config = file.get_mut("config").and_then(Value::as_object_mut);
        let mut config = config.context("the connector's file has no config")?.clone();
        config.insert("topic.prefix".to_owned(), json!(name));
        config.insert("database.server.id".to_owned(), json!("7002"));
        let history = format!("{}-{name}", connector::NAME);
        config.insert("schema.history.internal.kafka.topic".to_owned(), json!(history));
        let first = format!("{name}-first");
        config.insert(TOPIC.to_owned(), json!(first));
        let mut this = Self {
            url: connect.value("CONNECT_URL")?.to_owned(),
            pid: connect.pid()?,
            name,
            config,
            offset: Value::Null,
        };
        this.first_row(bench, &first)?;
        Ok(this)
    }

    fn first_row(&mut self, bench: &Bench, topic: &str) -> anyhow::Result<()> {
        bench.topics.create(&[topic.to_owned()], crate::topic::PARTITIONS)?;
        let connector = json!({"name": self.name, "config": self.config});
        rest::request(&self.url, "POST", "/connectors", Some(&connector))?;
        self.wait_for("RUNNING")?;
        let mut sql = Sql::connect(bench.mysql_port)?;
        let deadline = Instant::now() + STATE_MAX;
        // What is committed before it streams is not published.
        while bench.topics.count(topic)? == 0 {
            if Instant::now() > deadline {
                bail!("Debezium publishes nothing");
            }
            self.check()?;
            sql.run(
                "INSERT INTO bench.outbox_0 VALUES (DEFAULT, 'first', 'first', 'first', '{}')",
            )?;
            std::thread::sleep(Duration::from_millis(500));
        }
        self.halt()?;
        let path = format!("/connectors/{}/offsets", self.name);
        let offsets = rest::request(&self.url, "GET", &path, None)?;
        let first = offsets.pointer("/offsets/0").cloned();
        self.offset = first.with_context(|| format!("no stored offset: {offsets}"))?;
        bench.topics.delete(&[topic.to_owned()])
    }

    /// Starts from a place into a topic; the moment of it.
    pub(crate) fn go(
        &mut self,
        place: &Place,
        topic: &str,
        tuned: bool,
    ) -> anyhow::Result<Instant> {
        let mut offset = self.offset.clone();
        let position = offset.get_mut("offset").and_then(Value::as_object_mut);
        let position = position.context("a stored offset without a position")?;
        position.insert("file".to_owned(), json!(place.file));
        position.insert("pos".to_owned(), json!(place.pos));
        position.insert("gtids".to_owned(), json!(place.gtids));
        position.retain(|member, _| !["row", "event"].contains(&member.as_str()));
        let offsets = json!({"offsets": [offset]});
        let path = format!("/connectors/{}", self.name);
        rest::request(&self.url, "PATCH", &format!("{path}/offsets"), Some(&offsets))?;
        let mut config = self.config.clone();
        config.insert(TOPIC.to_owned(), json!(topic));
        if tuned {
            config.extend(TUNED.map(|(name, value)| (name.to_owned(), json!(value))));
        }
        rest::request(&self.url, "PUT", &format!("{path}/config"), Some(&Value::Object(config)))?;
        process::forget_peak(self.pid);
        let started = Instant::now();
        rest::request(&self.url, "PUT", &format!("{path}/resume"), None)?;
        Ok(started)
    }

    /// Stops it; its position stays.
    pub(crate) fn halt(&self) -> anyhow::Result<()> {
        rest::request(&self.url, "PUT", &format!("/connectors/{}/stop", self.name), None)?;
        self.wait_for("STOPPED")
    }

    pub(crate) fn delete(self) -> anyhow::Result<()> {
        rest::request(&self.url, "DELETE", &format!("/connectors/{}", self.name), None).map(drop)
    }

    /// An error once its task has failed.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let status = self.status()?;
        if status.to_string().contains("\"FAILED\"") {
            bail!("Debezium failed: {status}");
        }
        Ok(())
    }

    fn status(&self) -> anyhow::Result<Value> {
        rest::request(&self.url, "GET", &format!("/connectors/{}/status", self.name), None)
    }

    /// Waits until the connector, and its task where it has one, is in this state.
    fn wait_for(&self, state: &str) -> anyhow::Result<()> {
        let deadline = Instant::now() + STATE_MAX;
        loop {
            // Right after it was made nobody knows of it yet.
            let status = self.status().unwrap_or_default();
            let of =
                |place: &str| status.pointer(place).and_then(Value::as_str).unwrap_or_default();
            let task = of("/tasks/0/state");
            let task_agrees = if state == "STOPPED" { task.is_empty() } else { task == state };
            if of("/connector/state") == state && task_agrees {
                return Ok(());
            }
            if Instant::now() > deadline || task == "FAILED" {
                bail!("Debezium does not get {state}: {status}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}
