use super::run;
use crate::support::{Outbox, free_port};

/// `outflow doctor` on the outbox's folder and broker: exit code and output.
fn doctor(outbox: &Outbox, more: &[&str]) -> (i32, String) {
    let (file, data_dir) = (outbox.file(), outbox.scratch.path("data"));
    let mut arguments = vec!["doctor", file.to_str().unwrap()];
    arguments.extend(["--data-dir", data_dir.to_str().unwrap()]);
    if !more.contains(&"--bootstrap-servers") {
        arguments.extend(["--bootstrap-servers", &outbox.broker.bootstrap_servers]);
    }
    arguments.extend(more);
    let (code, output, errors) = run(&arguments);
    (code, output + &errors)
}

#[track_caller]
fn says(told: &(i32, String), code: i32, words: &[&str]) {
    assert_eq!(told.0, code, "{}", told.1);
    for word in words {
        assert!(told.1.contains(word), "{word:?} is not in:\n{}", told.1);
    }
}

#[test]
fn the_doctor_finds_nothing_wrong_where_outflow_runs_well() {
    let outbox = Outbox::new("well");
    says(&doctor(&outbox, &[]), 0, &["fine     127.0.0.1: MySQL", "table t_well"]);
    outbox.start().ready().stop();
    outbox.sql().run(&Outbox::insert(1..3, 2));
    outbox.catch_up();
    let topic = format!("fine     topic {}, partitions: 3", outbox.topic);
    says(&doctor(&outbox, &[]), 0, &["fine     127.0.0.1: the stored position", &topic]);

    // Where the topic follows the rows, those that are there tell it; the broker of the tests makes topics.
    let routed = "transforms.outbox.route.topic.replacement=doctor.${routedByValue}";
    says(&doctor(&outbox, &["--set", routed]), 0, &["topic doctor.Order does not exist yet"]);
    let running = outbox.start().ready();
    says(&doctor(&outbox, &[]), 0, &["taken for the outflow that has the data folder"]);
    assert_eq!(running.stop(), 0);
}

#[test]
fn the_doctor_names_every_fault_with_what_mends_it() {
    let outbox = Outbox::new("ill");
    let mut sql = outbox.sql();
    let user = format!("u{}", outbox.unique());
    sql.run(&format!(
        "CREATE USER {user}@'%' IDENTIFIED BY 'pw'; GRANT SELECT ON {}.* TO {user}@'%'",
        outbox.schema
    ));
    let user_option = format!("database.user={user}");
    let nobody = format!("127.0.0.1:{}", free_port());
    let told = doctor(
        &outbox,
        &[
            "--set",
            &user_option,
            "--set",
            "database.password=pw",
            "--set",
            "transforms.outbox.table.field.event.payload=body",
            "--bootstrap-servers",
            &nobody,
        ],
    );
    let account = format!("TO '{user}'@'%'");
    let words = ["GRANT REPLICATION SLAVE ON *.*", "GRANT REPLICATION CLIENT ON *.*", &account];
    says(&told, 1, &words);
    says(&told, 1, &["table.field.event.payload", "no Kafka broker of", &nobody]);
    assert!(!told.1.contains("pw\n") && !told.1.contains("dbz_pass"), "{}", told.1);
    sql.run(&format!("DROP USER {user}@'%'"));

    // A position that the server does not have.
    let foreign = r#"{"file":"b.1","pos":4,"gtids":"8a3c0000-0000-4000-8000-00000000000a:1-5"}"#;
    let (file, data_dir) = (outbox.file(), outbox.scratch.path("data"));
    let from = outbox.scratch.write("offset.json", foreign);
    let (code, _, errors) = run(&[
        "offsets",
        "import",
        file.to_str().unwrap(),
        "--data-dir",
        data_dir.to_str().unwrap(),
        "--from",
        from.to_str().unwrap(),
    ]);
    assert_eq!(code, 0, "{errors}");
    says(&doctor(&outbox, &[]), 1, &["PROBLEM  127.0.0.1: the server lacks transactions"]);
    let wrong = ["--set", "snapshot.mode=sometimes"];
    says(&doctor(&outbox, &wrong), 2, &["snapshot.mode"]);
}
