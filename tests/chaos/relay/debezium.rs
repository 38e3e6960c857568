use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use outflow::offset::Offset;
use serde_json::{Value, json};

use super::Relay;
use crate::chaos::stage::Stage;
use crate::support::{Connect, Kafka, MySql, MySqlServer, Outbox, until};

/// Between looks at the task.
const LOOK: Duration = Duration::from_secs(1);
/// Until the worker takes the connector.
const TAKEN_MAX: Duration = Duration::from_secs(60);
/// Everything is published when nothing came for so long.
const QUIET: Duration = Duration::from_secs(45);
/// How long it may take until then.
const CATCH_UP_MAX: Duration = Duration::from_secs(600);

/// Debezium's connector in a Kafka Connect worker. A task that died is started again as soon as MySQL can be reached,
/// and counted.
pub(in crate::chaos) struct Debezium {
    worker: Connect,
    name: String,
    config: Value,
    deaths: Arc<Mutex<BTreeMap<String, usize>>>,
    ends: Arc<AtomicBool>,
    watch: Option<JoinHandle<()>>,
    known: bool,
    server: MySqlServer,
}

impl Debezium {
    pub(in crate::chaos) fn new(name: &str, stage: &Stage) -> Self {
        let converter = "org.apache.kafka.connect.storage.StringConverter";
        let worker = Connect::started_with(
            &format!("connect:{name}"),
            &[&format!("key.converter={converter}"), &format!("value.converter={converter}")],
        );
        // Even a snapshot without rows locks.
        stage
            .servers
            .source()
            .connect()
            .run("GRANT RELOAD, LOCK TABLES, SHOW DATABASES ON *.* TO debezium@'%'");
        let outbox = &stage.outbox;
        let mut config = outbox.config.clone();
        config.retain(|property, _| !property.starts_with("outflow."));
        let history = "schema.history.internal.kafka";
        config
            .insert(format!("{history}.bootstrap.servers"), json!(outbox.broker.bootstrap_servers));
        config.insert(format!("{history}.topic"), json!(format!("{}.history", outbox.topic)));
        let (deaths, ends) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let name = outbox.schema.clone();
        let config = Value::Object(config);
        let server = outbox.server.clone();
        Self { worker, name, config, deaths, ends, watch: None, known: false, server }
    }

    /// How often the task died, and of what.
    pub(in crate::chaos) fn tell(&self) {
        let deaths = self.deaths.lock().unwrap();
        eprintln!("chaos: {} task deaths {deaths:#?}", deaths.values().sum::<usize>());
    }

    fn watch(&mut self) {
        let (deaths, ends) = (Arc::clone(&self.deaths), Arc::clone(&self.ends));
        let (address, name) = (self.worker.address.clone(), self.name.clone());
        let server = self.server.clone();
        self.watch = Some(std::thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                std::thread::sleep(LOOK);
                let Some(status) = ask(&address, "GET", &format!("/connectors/{name}/status"), "")
                else {
                    continue;
                };
                let task = &status["tasks"][0];
                if task["state"] == "FAILED" && MySql::connect(&server).is_ok() {
                    let trace = task["trace"].as_str().unwrap_or_default();
                    let cause = trace.lines().rfind(|line| line.starts_with("Caused by"));
                    let cause = cause.or(trace.lines().next()).unwrap_or_default().to_owned();
                    *deaths.lock().unwrap().entry(cause).or_default() += 1;
                    let path = format!("/connectors/{name}/tasks/0/restart");
                    let _asked_again_next_time = ask(&address, "POST", &path, "");
                }
            }
        }));
    }
}

impl Relay for Debezium {
    fn start(&mut self, _outbox: &Outbox) {
        self.worker.start();
        if !self.known {
            let path = format!("/connectors/{}/config", self.name);
            until("the worker to take the connector", TAKEN_MAX, || {
                ask(&self.worker.address, "PUT", &path, &self.config.to_string())
                    .is_some_and(|answer| answer["name"] == self.name.as_str())
            });
            self.known = true;
            self.watch();
        }
    }

    fn kill(&mut self) {
        self.worker.kill();
    }

    fn stop(&mut self) -> bool {
        self.worker.stop();
        true
    }

    fn look(&mut self) -> Option<String> {
        None
    }

    fn stored(&self, _outbox: &Outbox) -> Option<Offset> {
        let path = format!("/connectors/{}/offsets", self.name);
        let answer = ask(&self.worker.address, "GET", &path, "")?;
        Offset::from_json(&answer["offsets"][0]["offset"]).ok()
    }

    fn follows_the_log(&self) -> bool {
        false
    }

    fn starts_alone(&self) -> bool {
        false
    }

    fn finish(&mut self, outbox: &Outbox) {
        let kafka = Kafka::connect(&outbox.broker.bootstrap_servers);
        let started = Instant::now();
        let (mut ends, mut moved) = (kafka.ends(|name| name == outbox.topic), Instant::now());
        while moved.elapsed() < QUIET && started.elapsed() < CATCH_UP_MAX {
            std::thread::sleep(LOOK);
            let now = kafka.ends(|name| name == outbox.topic);
            if now != ends {
                (ends, moved) = (now, Instant::now());
            }
        }
        self.ends.store(true, Ordering::Relaxed);
        if let Some(watch) = self.watch.take() {
            let _panicked = watch.join();
        }
        self.worker.stop();
    }
}

/// A request to the worker; none while it does not answer with JSON or nothing.
fn ask(address: &str, method: &str, path: &str, body: &str) -> Option<Value> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    if body.is_empty() { Some(Value::Null) } else { serde_json::from_str(body).ok() }
}
