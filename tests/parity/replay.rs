use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::case::{Case, Ending, Stop};
use super::compare::compare;
use super::event::{Event, Timestamp};
use super::varying::settle;
use crate::support::{self, Broker, Kafka, MySqlServer, Outflow, Scratch, TOPIC_PREFIX, now_ms};

/// Until everything of a case is on its topics.
const PUBLISHED_MAX: Duration = Duration::from_secs(10);
/// Until the program has ended by itself.
const ENDED_MAX: Duration = Duration::from_secs(30);

/// The servers that a connector of a file runs on, whatever the file says.
pub(crate) struct Servers {
    pub(crate) mysql: MySqlServer,
    pub(crate) broker: Broker,
}

/// Replays cases one after another.
pub(super) struct Replay {
    servers: Servers,
    kafka: Kafka,
    /// What the last run warned of, which may explain what differs.
    warned: String,
}

impl Servers {
    /// Those that tests share.
    pub(crate) fn shared() -> Self {
        Self { mysql: support::mysql().clone(), broker: support::broker().clone() }
    }

    /// Some of their own.
    pub(super) fn named(name: &str) -> Self {
        Self {
            mysql: MySqlServer::started(&format!("mysql:{name}")),
            broker: Broker::started(&format!("kafka:{name}")),
        }
    }

    /// Starts a connector of a file.
    pub(crate) fn run(&self, connector: &Path, scratch: &Scratch, options: &[&str]) -> Outflow {
        let set = |property: &str, value: &str| {
            ["--set".to_owned(), format!("database.{property}={value}")]
        };
        let mut arguments = vec!["run".to_owned(), connector.to_str().unwrap().to_owned()];
        arguments.extend(set("hostname", &self.mysql.host));
        arguments.extend(set("port", &self.mysql.port.to_string()));
        arguments.extend(set("user", "debezium"));
        arguments.extend(set("password", "dbz_pass"));
        let data = scratch.path("data");
        for (option, value) in [
            ("--bootstrap-servers", self.broker.bootstrap_servers.as_str()),
            ("--data-dir", data.to_str().unwrap()),
            ("--listen", "127.0.0.1:0"),
        ] {
            arguments.extend([option, value].map(str::to_owned));
        }
        arguments.extend(options.iter().map(|&option| option.to_owned()));
        Outflow::start(&scratch.path(""), &arguments)
    }
}

impl Replay {
    pub(super) fn on(servers: Servers) -> Self {
        let kafka = Kafka::connect(&servers.broker.bootstrap_servers);
        Self { servers, kafka, warned: String::new() }
    }

    /// Replays a case; what differs is the error.
    pub(super) fn case(&mut self, case: &Case) -> Result<(), String> {
        let mut sql = self.servers.mysql.connect();
        for database in case.databases() {
            sql.run(&format!("DROP DATABASE IF EXISTS {database}"));
        }
        sql.run(&case.before);
        drop(sql);
        let ends = self.kafka.ends(is_published);
        let started_ms = now_ms();
        let ending = self.run(case, &ends);
        let run_ms = started_ms..=now_ms();
        let records = self.kafka.read(&ends, &self.kafka.ends(is_published));
        let actual: Vec<Event> =
            records.into_iter().map(|record| Event::of(record, &run_ms)).collect();
        self.check_partitions(&actual)?;
        let timed = actual.iter().find(|event| event.timestamp != Timestamp::Processing);
        if let (false, Some(event)) = (case.has_event_time, timed) {
            return Err(format!("the timestamp is not the time of processing: {}", event.line()));
        }
        let records = compare(&settle(case, &case.expected), &settle(case, &actual));
        match (ending, records) {
            (Ok(()), Err(records)) => Err(format!("{records}{}", self.warned)),
            (ending, Ok(())) => ending,
            (Err(ending), Err(records)) => Err(format!("{records}{ending}")),
        }
    }

    /// Runs the connector: live until what is expected is there, then once more to its end, so that what is
    /// published too much or twice is there as well.
    fn run(&mut self, case: &Case, ends: &support::Offsets) -> Result<(), String> {
        self.warned.clear();
        let scratch = Scratch::new(&case.name);
        let mut outflow = self.servers.run(&case.connector, &scratch, &[]);
        let ready = outflow.ready_or_ended();
        match &case.ending {
            Ending::Refused(stop) if ready => {
                Err(format!("it streams, though it should refuse with {stop:?}"))
            }
            Ending::Refused(stop) | Ending::Ended(stop) => check_stop(&mut outflow, stop),
            Ending::Asked | Ending::Stopped(_) if !ready => Err(ended_by_itself(&mut outflow)),
            Ending::Stopped(stop) => {
                self.servers.mysql.connect().run(&case.input);
                check_stop(&mut outflow, stop)
            }
            Ending::Asked => {
                self.servers.mysql.connect().run(&case.input);
                self.await_published(case, ends, &mut outflow)?;
                self.warned = warnings(&outflow.log());
                let mut code = outflow.stop();
                if code == 0 && !case.reads_all_again {
                    let mut again =
                        self.servers.run(&case.connector, &scratch, &["--until-caught-up"]);
                    code = again.ended(ENDED_MAX);
                    self.warned += &warnings(&again.log());
                    outflow = again;
                    if code != 0 {
                        return Err(ended_by_itself(&mut outflow));
                    }
                }
                (code == 0).then_some(()).ok_or_else(|| format!("exit code {code} after SIGTERM"))
            }
        }
    }

    /// Waits until as many records as are expected were published, or none comes any more.
    fn await_published(
        &self,
        case: &Case,
        ends: &support::Offsets,
        outflow: &mut Outflow,
    ) -> Result<(), String> {
        let topics: BTreeSet<&str> =
            case.expected.iter().map(|event| event.topic.as_str()).collect();
        let deadline = Instant::now() + PUBLISHED_MAX;
        let wanted = i64::try_from(case.expected.len()).unwrap();
        while Instant::now() < deadline {
            let now = self.kafka.ends(|topic| topics.contains(topic));
            let before: i64 = now.keys().map(|place| ends.get(place).copied().unwrap_or(0)).sum();
            if now.values().sum::<i64>() - before >= wanted {
                return Ok(());
            }
            if outflow.exit_code().is_some() {
                return Err(ended_by_itself(outflow));
            }
        }
        // What is missing shows when the records are compared.
        Ok(())
    }

    /// The recordings were made on topics of three partitions.
    fn check_partitions(&self, events: &[Event]) -> Result<(), String> {
        let topics: BTreeSet<&str> = events.iter().map(|event| event.topic.as_str()).collect();
        let found = self.kafka.ends(|topic| topics.contains(topic)).len();
        let right = found == 3 * topics.len();
        right.then_some(()).ok_or_else(|| {
            format!("{topics:?} have {found} partitions; the broker needs num.partitions=3")
        })
    }
}

/// It ends by itself, with this code and these words, and says nothing of a panic.
fn check_stop(outflow: &mut Outflow, stop: &Stop) -> Result<(), String> {
    let deadline = Instant::now() + ENDED_MAX;
    while outflow.exit_code().is_none() {
        if Instant::now() > deadline {
            return Err(format!("it does not end, though it should with {stop:?}"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let (code, log) = (outflow.exit_code(), outflow.log());
    let missing: Vec<&String> = stop.words.iter().filter(|words| !log.contains(*words)).collect();
    if code == Some(stop.exit_code) && missing.is_empty() && !log.contains("panic") {
        return Ok(());
    }
    Err(format!(
        "exit code {code:?}, expected {}; missing words {missing:?} in:\n{log}",
        stop.exit_code
    ))
}

fn warnings(log: &str) -> String {
    let lines = log.lines().filter(|line| line.contains(" WARN ") || line.contains("ERROR"));
    lines.map(|line| format!("{line}\n")).collect()
}

fn ended_by_itself(outflow: &mut Outflow) -> String {
    format!("it ended with {:?}:\n{}", outflow.exit_code(), outflow.log())
}

/// Topics that a case may publish to: not the broker's own and not those of other tests.
fn is_published(topic: &str) -> bool {
    !topic.starts_with("__consumer")
        && !topic.starts_with("__transaction")
        && !topic.starts_with("connect-") // A worker's own, of the tests of migration.
        && !topic.starts_with(TOPIC_PREFIX)
}
