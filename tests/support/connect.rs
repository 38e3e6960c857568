use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Connect, Outbox, broker, servers_script, until};

/// Until Debezium streams, or has stopped; a Java process on a busy machine.
const STATE_MAX: Duration = Duration::from_secs(90);

impl Connect {
    /// Starts the one on the broker that tests share, unless it runs.
    pub(crate) fn started() -> Self {
        broker();
        servers_script(&["start", "connect"]);
        Self::running("connect")
    }

    /// The worker's file, as its operator has it.
    pub(crate) fn worker_file() -> PathBuf {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        root.join(".servers/run/connect/worker.properties")
    }

    /// Makes the outbox's connector and waits until it streams.
    pub(crate) fn create(&self, outbox: &Outbox) {
        let connector = json!({ "name": outbox.schema, "config": outbox.config });
        let (status, answer) = self.request("POST", "/connectors", &connector.to_string());
        assert_eq!(status, 201, "{answer}");
        self.until_running(outbox);
    }

    /// Asks the outbox's connector to stop, and waits until it has left the server and stored its offset.
    pub(crate) fn stop_connector(&self, outbox: &Outbox) {
        self.ask(outbox, "stop");
        until("the connector to be stopped", STATE_MAX, || {
            let status = self.status(outbox);
            status["connector"]["state"] == "STOPPED" && status["tasks"] == json!([])
        });
        until("Debezium to leave the server", STATE_MAX, || !is_read_by_debezium(outbox));
    }

    /// Waits until an offset of the outbox's connector is stored: before that Debezium itself would begin anew.
    pub(crate) fn until_stored(&self, outbox: &Outbox) {
        let path = format!("/connectors/{}/offsets", outbox.schema);
        until("an offset to be stored", STATE_MAX, || {
            self.request("GET", &path, "").1.contains(r#""pos""#)
        });
    }

    /// Lets the outbox's connector go on, and waits until it streams.
    pub(crate) fn resume_connector(&self, outbox: &Outbox) {
        self.ask(outbox, "resume");
        self.until_running(outbox);
    }

    /// Forgets the outbox's connector.
    pub(crate) fn delete(&self, outbox: &Outbox) {
        let (status, answer) =
            self.request("DELETE", &format!("/connectors/{}", outbox.schema), "");
        assert_eq!(status, 204, "{answer}");
    }

    fn until_running(&self, outbox: &Outbox) {
        until("Debezium to stream", STATE_MAX, || {
            let status = self.status(outbox);
            assert_ne!(status["tasks"][0]["state"], "FAILED", "{}", status["tasks"][0]["trace"]);
            status["tasks"][0]["state"] == "RUNNING" && is_read_by_debezium(outbox)
        });
    }

    fn ask(&self, outbox: &Outbox, what: &str) {
        let path = format!("/connectors/{}/{what}", outbox.schema);
        let (status, answer) = self.request("PUT", &path, "");
        assert!(matches!(status, 202 | 204), "{answer}");
    }

    fn status(&self, outbox: &Outbox) -> Value {
        let (_, answer) = self.request("GET", &format!("/connectors/{}/status", outbox.schema), "");
        serde_json::from_str(&answer).unwrap_or(Value::Null)
    }

    fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("Connect answers");
        stream.set_read_timeout(Some(STATE_MAX)).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}

/// Whether Debezium reads the log: it does not register as a replica, but the outbox has a user of its own.
fn is_read_by_debezium(outbox: &Outbox) -> bool {
    let user = outbox.config["database.user"].as_str().unwrap();
    let query = format!(
        "SELECT id FROM performance_schema.processlist WHERE user = '{user}' AND command LIKE 'Binlog Dump%'"
    );
    !outbox.server.connect().rows(&query).is_empty()
}
