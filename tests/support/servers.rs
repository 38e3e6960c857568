use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::{Kafka, MySql};

/// A MySQL server.
#[derive(Clone, Debug)]
pub(crate) struct MySqlServer {
    pub(crate) instance: String,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: String,
    pub(crate) password: String,
}

/// A Kafka cluster.
#[derive(Clone, Debug)]
pub(crate) struct Broker {
    pub(crate) instance: String,
    pub(crate) bootstrap_servers: String,
}

/// The MySQL that tests share; it is not to be disturbed.
pub(crate) fn mysql() -> &'static MySqlServer {
    static SERVER: OnceLock<MySqlServer> = OnceLock::new();
    SERVER.get_or_init(|| MySqlServer::started("mysql"))
}

/// The Kafka that tests share; it is not to be disturbed.
pub(crate) fn broker() -> &'static Broker {
    static SERVER: OnceLock<Broker> = OnceLock::new();
    SERVER.get_or_init(|| Broker::started("kafka"))
}

/// A Kafka Connect worker with Debezium, on the broker of its own name.
#[derive(Clone, Debug)]
pub(crate) struct Connect {
    instance: String,
    pub(crate) address: String,
}

/// Runs tests/servers.sh and gives what it prints.
pub(crate) fn servers_script(arguments: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers.sh");
    let output = Command::new(script)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("tests/servers.sh cannot be run");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "tests/servers.sh {}: {errors}", arguments.join(" "));
    String::from_utf8(output.stdout).unwrap()
}

fn start_anew(instance: &str, options: &[&str]) {
    servers_script(&["stop", instance]);
    servers_script(&[&["start", instance, "--"], options].concat());
}

/// Sends a signal to an instance that runs.
fn signal(instance: &str, name: &str, pid: &str) {
    let kill = format!("kill -{name} {}", environment(instance)[pid]);
    assert!(Command::new("bash").args(["-c", &kill]).status().unwrap().success(), "{kill}");
}

/// What `env` prints for an instance, by the name's last part.
fn environment(instance: &str) -> HashMap<String, String> {
    let name =
        instance.split_once(':').map_or(String::new(), |(_, name)| name.replace('-', "_") + "_");
    let prefix = format!("export OUTFLOW_TEST_{}", name.to_uppercase());
    let lines = servers_script(&["env", instance]);
    let pairs = lines.lines().filter_map(|line| line.strip_prefix(&prefix)?.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.replace(['\'', '\\'], ""))).collect()
}

impl MySqlServer {
    /// Starts an instance of tests/servers.sh, unless it runs.
    pub(crate) fn started(instance: &str) -> Self {
        servers_script(&["start", instance]);
        Self::running(instance)
    }

    /// Starts an instance anew with these options of mysqld.
    pub(crate) fn started_with(instance: &str, options: &[&str]) -> Self {
        start_anew(instance, options);
        Self::running(instance)
    }

    fn running(instance: &str) -> Self {
        let environment = environment(instance);
        let (host, port) = environment["MYSQL"].rsplit_once(':').expect("host:port");
        let server = Self {
            instance: instance.to_owned(),
            host: host.to_owned(),
            port: port.parse().unwrap(),
            user: environment["MYSQL_USER"].clone(),
            password: environment["MYSQL_PASSWORD"].clone(),
        };
        // A server that the environment names need not have the connector's user.
        server.connect().run(
            "CREATE USER IF NOT EXISTS debezium@'%' IDENTIFIED BY 'dbz_pass';
             GRANT REPLICATION SLAVE, REPLICATION CLIENT, SELECT ON *.* TO debezium@'%'",
        );
        server
    }

    /// Starts an instance without what was in it before, with these options. One that shall be reached by another
    /// address than the first has it as `--bind-address` and `--port`.
    pub(crate) fn fresh(instance: &str, options: &[String]) -> Self {
        servers_script(&["reset", instance]);
        let mut arguments = vec!["start", instance, "--"];
        arguments.extend(options.iter().map(String::as_str));
        servers_script(&arguments);
        let environment = environment(instance);
        let (host, port) = environment["MYSQL"].rsplit_once(':').expect("host:port");
        let option = |name: &str| options.iter().find_map(|option| option.strip_prefix(name));
        Self {
            instance: instance.to_owned(),
            host: option("--bind-address=").unwrap_or(host).to_owned(),
            port: option("--port=").unwrap_or(port).parse().unwrap(),
            user: environment["MYSQL_USER"].clone(),
            password: environment["MYSQL_PASSWORD"].clone(),
        }
    }

    /// A session as a user who may do everything.
    pub(crate) fn connect(&self) -> MySql {
        MySql::connect(self).expect("MySQL accepts a session")
    }

    pub(crate) fn start(&self) {
        servers_script(&["start", &self.instance]);
    }

    pub(crate) fn stop(&self) {
        servers_script(&["stop", &self.instance]);
    }

    pub(crate) fn kill(&self) {
        servers_script(&["stop", &self.instance, "--kill"]);
    }

    /// Holds its process still, or lets it go on.
    pub(crate) fn freeze(&self, frozen: bool) {
        signal(&self.instance, if frozen { "STOP" } else { "CONT" }, "MYSQL_PID");
    }
}

impl Broker {
    /// Starts an instance of tests/servers.sh, unless it runs.
    pub(crate) fn started(instance: &str) -> Self {
        servers_script(&["start", instance]);
        Self::running(instance)
    }

    /// Starts an instance anew with these options of the broker.
    pub(crate) fn started_with(instance: &str, options: &[&str]) -> Self {
        start_anew(instance, options);
        Self::running(instance)
    }

    /// Starts an instance anew whose clients are sent to a way at this port: the broker itself, and as they see it.
    pub(crate) fn behind(instance: &str, way_port: u16) -> (Self, Self) {
        let seen_at = format!("127.0.0.1:{way_port}");
        let advertised = format!("advertised.listeners=PLAINTEXT://{seen_at}");
        let broker = Self::started_with(instance, &[&advertised]);
        let seen = Self { bootstrap_servers: seen_at, ..broker.clone() };
        (broker, seen)
    }

    /// The port at which it listens.
    pub(crate) fn port(&self) -> u16 {
        self.bootstrap_servers.rsplit_once(':').expect("host:port").1.parse().unwrap()
    }

    fn running(instance: &str) -> Self {
        let bootstrap_servers = environment(instance)["BOOTSTRAP_SERVERS"].clone();
        Self { instance: instance.to_owned(), bootstrap_servers }
    }

    pub(crate) fn start(&self) {
        servers_script(&["start", &self.instance]);
    }

    pub(crate) fn stop(&self) {
        servers_script(&["stop", &self.instance]);
    }

    pub(crate) fn kill(&self) {
        servers_script(&["stop", &self.instance, "--kill"]);
    }

    /// Holds its process still, or lets it go on.
    pub(crate) fn freeze(&self, frozen: bool) {
        signal(&self.instance, if frozen { "STOP" } else { "CONT" }, "KAFKA_PID");
    }

    /// The options of a further broker in this one's cluster, which follows this one's controller.
    pub(crate) fn options_of_a_member(&self, node_id: u8) -> Vec<String> {
        let controller = &environment(&self.instance)["KAFKA_CONTROLLER"];
        vec![
            "process.roles=broker".to_owned(),
            format!("node.id={node_id}"),
            "listeners=PLAINTEXT://127.0.0.1:{port}".to_owned(),
            format!("controller.quorum.bootstrap.servers={controller}"),
            format!("cluster.id={}", Kafka::connect(&self.bootstrap_servers).cluster()),
        ]
    }

    /// Runs one of the broker's own tools.
    pub(crate) fn tool(&self, class: &str, arguments: &[&str]) {
        let servers = ["kafka", class, "--bootstrap-server", &self.bootstrap_servers];
        servers_script(&[&servers, arguments].concat());
    }
}

impl Connect {
    /// Starts an instance anew with these options of the worker.
    pub(crate) fn started_with(instance: &str, options: &[&str]) -> Self {
        start_anew(instance, options);
        Self::running(instance)
    }

    pub(super) fn running(instance: &str) -> Self {
        let url = environment(instance)["CONNECT_URL"].clone();
        let address = url.trim_start_matches("http://").to_owned();
        Self { instance: instance.to_owned(), address }
    }

    pub(crate) fn start(&self) {
        servers_script(&["start", &self.instance]);
    }

    pub(crate) fn stop(&self) {
        servers_script(&["stop", &self.instance]);
    }

    pub(crate) fn kill(&self) {
        servers_script(&["stop", &self.instance, "--kill"]);
    }
}
