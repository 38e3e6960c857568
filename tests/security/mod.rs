//! A broker that asks for a login, speaks TLS and has access control lists; an admin port that does so too.

mod admin;

use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::support::{
    Broker, Certificates, MySql, Outbox, Outflow, Scratch, free_port, mysql, servers_script, until,
};

/// Until a record arrives or a refusal is told, a debug build on a busy machine.
const TOLD_MAX: Duration = Duration::from_secs(60);
const PASSWORD: &str = "Quiet-Harbour-7";

/// The broker, one for all tests here, which have it one after another.
static SECURE: LazyLock<Mutex<Secure>> = LazyLock::new(|| Mutex::new(Secure::start()));

struct Secure {
    broker: Broker,
    certificates: Certificates,
    scratch: Scratch,
    /// Asks for a login.
    sasl_ssl: String,
    /// Asks for a certificate.
    ssl: String,
}

impl Secure {
    fn get() -> MutexGuard<'static, Self> {
        SECURE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start() -> Self {
        let scratch = Scratch::new("security");
        let certificates = Certificates::make(&scratch);
        let (sasl_ssl, ssl) = (free_port(), free_port());
        let plain = "org.apache.kafka.common.security.plain.PlainLoginModule required";
        let scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;";
        let secured = format!("SASL_SSL://127.0.0.1:{sasl_ssl},SSL://127.0.0.1:{ssl}");
        let options = [
            format!(
                "listeners=PLAINTEXT://127.0.0.1:{{port}},{secured},CONTROLLER://127.0.0.1:{{controller}}"
            ),
            format!("advertised.listeners=PLAINTEXT://127.0.0.1:{{port}},{secured}"),
            "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL"
                .to_owned(),
            "inter.broker.listener.name=PLAINTEXT".to_owned(),
            "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512".to_owned(),
            format!(
                "listener.name.sasl_ssl.plain.sasl.jaas.config={plain} user_outflow=\"{PASSWORD}\";"
            ),
            format!("listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config={scram}"),
            "ssl.keystore.type=PEM".to_owned(),
            format!("ssl.keystore.location={}", certificates.broker.display()),
            "ssl.truststore.type=PEM".to_owned(),
            format!("ssl.truststore.location={}", certificates.authority.display()),
            "listener.name.ssl.ssl.client.auth=required".to_owned(),
            "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer"
                .to_owned(),
            // Tests make topics and read them over the plain listener.
            "super.users=User:ANONYMOUS".to_owned(),
        ];
        // Its certificates are of this run.
        servers_script(&["reset", "kafka:secure"]);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let broker = Broker::started_with("kafka:secure", &options);
        let secure = Self {
            broker,
            certificates,
            scratch,
            sasl_ssl: format!("127.0.0.1:{sasl_ssl}"),
            ssl: format!("127.0.0.1:{ssl}"),
        };
        let user = ["--entity-type", "users", "--entity-name", "outflow"];
        let scram = format!("SCRAM-SHA-512=[password={PASSWORD}]");
        let change = ["--alter", "--add-config", &scram];
        secure.broker.tool("ConfigCommand", &[&change[..], &user].concat());
        secure
    }

    /// Lets a principal write to a topic.
    fn grant(&self, principal: &str, topic: &str) {
        let who = ["--add", "--allow-principal", principal];
        let what = ["--operation", "Write", "--operation", "Describe", "--topic", topic];
        self.broker.tool("AclCommand", &[&who[..], &what].concat());
    }

    /// An outbox whose connector speaks TLS and trusts the authority.
    fn outbox(&self, name: &str, protocol: &str) -> Outbox {
        Outbox::on(name, mysql().clone(), self.broker.clone())
            .with("producer.override.security.protocol", protocol)
            .with("producer.override.ssl.truststore.type", "PEM")
            .with("producer.override.ssl.truststore.location", text(&self.certificates.authority))
    }

    /// The same with a login.
    fn login(&self, name: &str, mechanism: &str, password: &str) -> Outbox {
        let module = match mechanism {
            "PLAIN" => "plain.PlainLoginModule",
            _ => "scram.ScramLoginModule",
        };
        let jaas = format!(
            "org.apache.kafka.common.security.{module} required username=\"outflow\" password=\"{password}\";"
        );
        self.outbox(name, "SASL_SSL")
            .with("producer.override.sasl.mechanism", mechanism)
            .with("producer.override.sasl.jaas.config", &jaas)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn tool(name: &str, arguments: &[&str]) {
    let done = std::process::Command::new(name).args(arguments).output().unwrap();
    assert!(done.status.success(), "{name}: {done:?}");
}

/// Starts on a listener, inserts rows, and sees them arrive once.
fn arrives(outbox: &Outbox, servers: &str) {
    let (mut sql, mut followed) = (outbox.sql(), outbox.follow());
    let outflow = outbox.start_with(&["--bootstrap-servers", servers]).ready();
    sql.run(&Outbox::insert(1..11, 3));
    followed.until(10, TOLD_MAX);
    assert!(!outflow.log().contains(PASSWORD), "the password is in the log");
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}

/// Starts on a listener that lets it not in; what `/readyz` and the log say names each of `words`.
#[track_caller]
fn refused(outbox: &Outbox, servers: &str, words: &[&str]) -> (Outflow, MySql) {
    let mut outflow = outbox.start_with(&["--bootstrap-servers", servers]);
    for word in words {
        outflow.logs(word, TOLD_MAX);
        until("the reason on /readyz", TOLD_MAX, || {
            outflow.get("/readyz").is_some_and(|(code, text)| code == 503 && text.contains(word))
        });
    }
    assert!(!outflow.log().contains(PASSWORD), "the password is in the log");
    (outflow, outbox.sql())
}

#[test]
fn it_logs_in_by_scram_and_by_plain_over_tls() {
    let secure = Secure::get();
    for mechanism in ["SCRAM-SHA-512", "PLAIN"] {
        let outbox = secure.login(&mechanism.to_lowercase(), mechanism, PASSWORD);
        secure.grant("User:outflow", &outbox.topic);
        arrives(&outbox, &secure.sasl_ssl);
    }
}

#[test]
fn it_shows_its_certificate_where_the_broker_asks_for_one() {
    let secure = Secure::get();
    let files = &secure.certificates;
    let outbox = secure
        .outbox("mutual", "SSL")
        .with("producer.override.ssl.keystore.type", "PEM")
        .with("producer.override.ssl.keystore.location", text(&files.client));
    secure.grant("User:CN=outflow", &outbox.topic);
    arrives(&outbox, &secure.ssl);
    let outbox = secure
        .outbox("mutual-native", "SSL")
        .with("producer.override.ssl.certificate.location", text(&files.client_chain))
        .with("producer.override.ssl.key.location", text(&files.client_key));
    secure.grant("User:CN=outflow", &outbox.topic);
    arrives(&outbox, &secure.ssl);
}

#[test]
fn it_reads_the_stores_that_java_makes() {
    let secure = Secure::get();
    let files = &secure.certificates;
    let pass = "changeit";
    let store = |name: &str| secure.scratch.path(name);
    let (trusted, pkcs12, jks) = (store("trusted.jks"), store("client.p12"), store("client.jks"));
    tool(
        "openssl",
        &[
            "pkcs12",
            "-export",
            "-in",
            text(&files.client),
            "-out",
            text(&pkcs12),
            "-passout",
            "pass:changeit",
        ],
    );
    let new = ["-noprompt", "-storetype", "JKS", "-storepass", pass, "-keystore"];
    let keytool = |command: &[&str]| tool("keytool", &[command, &["-J-Xmx64m"]].concat());
    keytool(
        &[&["-importcert", "-file", text(&files.authority)], &new[..], &[text(&trusted)]].concat(),
    );
    let from = ["-importkeystore", "-srckeystore", text(&pkcs12), "-srcstorepass", pass];
    let to = ["-deststoretype", "JKS", "-deststorepass", pass, "-destkeystore", text(&jks)];
    keytool(&[&from[..], &to].concat());
    for keystore in [&pkcs12, &jks] {
        let outbox = secure
            .outbox("java-stores", "SSL")
            .with("producer.override.ssl.truststore.type", "JKS")
            .with("producer.override.ssl.truststore.location", text(&trusted))
            .with("producer.override.ssl.truststore.password", pass)
            .with("producer.override.ssl.keystore.location", text(keystore))
            .with("producer.override.ssl.keystore.password", pass);
        secure.grant("User:CN=outflow", &outbox.topic);
        arrives(&outbox, &secure.ssl);
    }
}

#[test]
fn a_wrong_password_is_told_as_such() {
    let secure = Secure::get();
    let outbox = secure.login("password", "SCRAM-SHA-512", "wrong");
    let words = ["refuses the login", "producer.override.sasl.mechanism"];
    let (outflow, _) = refused(&outbox, &secure.sasl_ssl, &words);
    assert_eq!(outflow.stop(), 0);
}

#[test]
fn a_broker_that_is_not_trusted_is_not_spoken_to() {
    let secure = Secure::get();
    let stranger = text(&secure.certificates.stranger);
    let outbox = secure
        .login("stranger", "SCRAM-SHA-512", PASSWORD)
        .with("producer.override.ssl.truststore.location", stranger);
    let words = ["no TLS connection", "certificate"];
    let (outflow, _) = refused(&outbox, &secure.sasl_ssl, &words);
    assert_eq!(outflow.stop(), 0);
    // The certificate is for the address, not for the name.
    let by_name = secure.sasl_ssl.replace("127.0.0.1", "localhost");
    let outbox = secure.login("name", "SCRAM-SHA-512", PASSWORD);
    let (outflow, _) = refused(&outbox, &by_name, &words);
    assert_eq!(outflow.stop(), 0);
    let outbox = outbox.with("producer.override.ssl.endpoint.identification.algorithm", "");
    secure.grant("User:outflow", &outbox.topic);
    arrives(&outbox, &by_name);
}

#[test]
fn rows_for_a_topic_without_the_right_to_write_wait_for_it() {
    let secure = Secure::get();
    let outbox = secure.login("denied", "SCRAM-SHA-512", PASSWORD);
    let mut followed = outbox.follow();
    let mut outflow = outbox.start_with(&["--bootstrap-servers", &secure.sasl_ssl]).ready();
    let mut sql = outbox.sql();
    sql.run(&Outbox::insert(1..11, 3));
    outflow.logs(&format!("no right to write to topic \\\"{}\\\"", outbox.topic), TOLD_MAX);
    until("the reason on /readyz", TOLD_MAX, || {
        outflow
            .get("/readyz")
            .is_some_and(|(code, text)| code == 503 && text.contains(&outbox.topic))
    });
    secure.grant("User:outflow", &outbox.topic);
    followed.until(10, TOLD_MAX);
    sql.run(&Outbox::insert(11..21, 3));
    followed.until(20, TOLD_MAX);
    assert_eq!(outflow.stop(), 0);
    followed.compare_once(&mut sql);
}
