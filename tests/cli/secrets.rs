use super::{ENDED_MAX, run};
use crate::support::Outbox;

#[test]
fn no_password_and_no_payload_is_ever_written() {
    let outbox = Outbox::new("secrets").with("snapshot.mode", "initial");
    let mut sql = outbox.sql();
    let user = format!("s{}", outbox.unique());
    sql.run(&format!(
        "CREATE USER {user}@'%' IDENTIFIED BY 'Gr4nite-Lantern';
         GRANT REPLICATION SLAVE, REPLICATION CLIENT, SELECT ON *.* TO {user}@'%';
         INSERT INTO outbox VALUES (1, 'Order', 'key-1', 'T', '{{\"card\": \"4111-Velvet\"}}')"
    ));
    let secrets = outbox.scratch.write("secrets.properties", "password=Gr4nite-Lantern\n");
    let reference = format!("${{file:{}:password}}", secrets.display());
    let outbox = outbox
        .with("database.user", &user)
        .with("database.password", &reference)
        .with("producer.override.ssl.key.password", "Amber-Whistle");
    let servers = outbox.broker.bootstrap_servers.clone();
    let common = ["--bootstrap-servers", servers.as_str(), "--log", "trace"];
    let outflow = outbox.start_with(&common).ready();
    sql.run("INSERT INTO outbox VALUES (2, 'Order', 'key-2', 'T', '{\"card\": \"4111-Velvet\"}')");
    outbox.follow().until(2, ENDED_MAX);
    let mut written = outflow.log() + &outflow.output();
    for path in ["/metrics", "/readyz", "/livez"] {
        written += &outflow.get(path).expect("the admin port answers").1;
    }
    assert!(written.contains(" TRACE "), "nothing was logged at trace");
    assert_eq!(outflow.stop(), 0);
    // A password that MySQL refuses, and the offline check.
    let mut refused =
        outbox.start_with(&["--set", "database.password=Copper-Thistle", common[0], common[1]]);
    assert_eq!(refused.ended(ENDED_MAX), 1);
    written += &refused.log();
    let (_, output, errors) = run(&["validate", outbox.file().to_str().unwrap()]);
    written = written + &output + &errors;
    for secret in ["Gr4nite", "Lantern", "Velvet", "Amber-Whistle", "Copper-Thistle"] {
        let line = written.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} is written");
    }
    sql.run(&format!("DROP USER {user}@'%'"));
}
