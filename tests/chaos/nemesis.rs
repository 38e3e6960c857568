use std::time::{Duration, Instant};

use outflow::offset::{BinlogPosition, GtidSet, Offset};

use super::alterer::alter;

use super::relay::Relay;
use super::stage::{Setting, Stage};
use super::timeline::{Effect, Fault, Timeline};
use crate::support::{MySql, Random, Way, now_ms};

/// The pause between faults.
const PAUSE_MS: u64 = 6_000;
/// How long a server is away, frozen or cut off.
const AWAY_MS: u64 = 8_000;
/// Now and then it is away longer than any time-out of the relay's.
const LONG_AWAY_MS: u64 = 30_000;
/// After so many faults the relay must have published what was committed before them.
const SETTLES_EVERY: u32 = 12;
/// How long that may take, on a busy machine.
const SETTLES_MAX: Duration = Duration::from_secs(180);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    KillRelay,
    StopRelay,
    KillRelayOften,
    RestartMySql,
    KillMySql,
    FreezeMySql,
    CutMySql,
    HangMySql,
    KillDump,
    RestartBroker,
    KillBroker,
    FreezeBroker,
    CutBroker,
    HangBroker,
    FlushLogs,
    PurgeLogs,
    Alter,
    MoveToReplica,
}

const ACTIONS: [(u64, Action); 18] = [
    (14, Action::KillRelay),
    (10, Action::StopRelay),
    (3, Action::KillRelayOften),
    (4, Action::RestartMySql),
    (5, Action::KillMySql),
    (4, Action::FreezeMySql),
    (5, Action::CutMySql),
    (3, Action::HangMySql),
    (6, Action::KillDump),
    (4, Action::RestartBroker),
    (5, Action::KillBroker),
    (5, Action::FreezeBroker),
    (5, Action::CutBroker),
    (3, Action::HangBroker),
    (5, Action::FlushLogs),
    (6, Action::PurgeLogs),
    (5, Action::Alter),
    // Where there is one.
    (5, Action::MoveToReplica),
];

/// Disturbs everything, one thing after another and some at a time, as its seed says.
pub(super) struct Nemesis<'s> {
    stage: &'s Stage,
    relay: &'s mut dyn Relay,
    random: Random,
    pub(super) timeline: Timeline,
    /// What was seen to go wrong meanwhile.
    pub(super) problems: Vec<String>,
}

impl<'s> Nemesis<'s> {
    pub(super) fn new(stage: &'s Stage, relay: &'s mut dyn Relay, seed: u64) -> Self {
        let (timeline, problems) = (Timeline::default(), Vec::new());
        Self { stage, relay, random: Random::seeded(seed), timeline, problems }
    }

    /// Disturbs until the time is over, or something is wrong that more faults would only hide.
    pub(super) fn run(&mut self, time: Duration) {
        let end = Instant::now() + time;
        let mut count = 0;
        // Chance may have none in a short run.
        if self.stage.servers.replica().is_some() {
            self.pause(PAUSE_MS);
            self.move_to_replica();
        }
        while Instant::now() < end && self.problems.is_empty() {
            self.pause(PAUSE_MS);
            let action = self.choose();
            self.act(action);
            count += 1;
            if count % SETTLES_EVERY == 0 {
                self.settles();
            }
            self.look();
        }
    }

    /// Looks after the relay; what it gave up may come again.
    fn look(&mut self) {
        self.problems.extend(self.relay.look());
        self.timeline.look(self.relay);
    }

    fn choose(&mut self) -> Action {
        let has_replica = self.stage.servers.replica().is_some();
        let mut actions = ACTIONS.to_vec();
        actions.retain(|(_, action)| has_replica || *action != Action::MoveToReplica);
        let all: u64 = actions.iter().map(|(weight, _)| weight).sum();
        let mut at = self.random.below(all);
        for (weight, action) in actions {
            if at < weight {
                return action;
            }
            at -= weight;
        }
        Action::KillRelay
    }

    fn act(&mut self, action: Action) {
        let stage = self.stage;
        match action {
            Action::KillRelay => {
                self.kill_relay();
                self.start_relay();
            }
            Action::StopRelay => {
                self.stop_relay();
                self.start_relay();
            }
            Action::KillRelayOften => {
                for _ in 0..4 {
                    self.kill_relay();
                    self.start_relay();
                    self.pause(1_500);
                }
            }
            Action::RestartMySql => self.away("mysql restart", Effect::None, |away| {
                if away { stage.servers.source().stop() } else { stage.servers.source().start() }
            }),
            Action::KillMySql => self.away("mysql kill", Effect::None, |away| {
                if away { stage.servers.source().kill() } else { stage.servers.source().start() }
            }),
            Action::FreezeMySql => {
                let freeze = |away| stage.servers.source().freeze(away);
                self.away("mysql freeze", Effect::None, freeze);
            }
            Action::CutMySql => self.way_away("mysql cut", Effect::None, Way::Cut),
            Action::HangMySql => self.way_away("mysql hang", Effect::None, Way::Hung),
            Action::KillDump => self.kill_dump(),
            Action::RestartBroker => self.away("broker restart", Effect::Silence, |away| {
                if away { stage.broker.stop() } else { stage.broker.start() }
            }),
            Action::KillBroker => self.away("broker kill", Effect::Silence, |away| {
                if away { stage.broker.kill() } else { stage.broker.start() }
            }),
            Action::FreezeBroker => {
                self.away("broker freeze", Effect::Silence, |away| stage.broker.freeze(away));
            }
            Action::CutBroker => self.way_away("broker cut", Effect::Silence, Way::Cut),
            Action::HangBroker => self.way_away("broker hang", Effect::Silence, Way::Hung),
            Action::FlushLogs => self.momentary("flush logs", |sql, _| {
                let _refused = sql.try_run("FLUSH BINARY LOGS");
            }),
            Action::PurgeLogs => self.momentary("purge logs", |sql, nemesis| nemesis.purge(sql)),
            Action::Alter => self.alter(),
            Action::MoveToReplica => self.move_to_replica(),
        }
    }

    fn pause(&mut self, below_ms: u64) {
        std::thread::sleep(Duration::from_millis(self.random.below(below_ms)));
    }

    fn note(&mut self, kind: &'static str, from_ms: i64, effect: Effect) {
        let until_ms = now_ms();
        eprintln!("chaos: {kind}, {} ms", until_ms - from_ms);
        self.timeline.0.push(Fault { kind, from_ms, until_ms, effect });
    }

    fn kill_relay(&mut self) {
        let from_ms = now_ms();
        self.look();
        self.relay.kill();
        self.note("relay kill", from_ms, Effect::Crash);
    }

    fn stop_relay(&mut self) {
        let from_ms = now_ms();
        self.look();
        let clean = self.relay.stop();
        let (kind, effect) = if clean {
            ("relay stop", Effect::None)
        } else {
            ("relay stop without all acks", Effect::Crash)
        };
        self.note(kind, from_ms, effect);
    }

    /// At once, or later.
    fn start_relay(&mut self) {
        if self.random.chance(50) {
            self.pause(4_000);
        }
        self.relay.start(&self.stage.outbox);
    }

    /// A server is away for a while; now and then the relay dies or stops meanwhile.
    fn away(&mut self, kind: &'static str, effect: Effect, set: impl Fn(bool)) {
        let from_ms = now_ms();
        set(true);
        let longest = if self.random.chance(15) { LONG_AWAY_MS } else { AWAY_MS };
        self.pause(longest / 2);
        let mut is_down = true;
        match self.random.below(10) {
            0 | 1 => self.kill_relay(),
            2 => self.stop_relay(),
            _ => is_down = false,
        }
        if is_down && self.relay.starts_alone() {
            self.start_relay();
            is_down = false;
        }
        self.pause(longest / 2);
        set(false);
        self.note(kind, from_ms, effect);
        if is_down {
            self.start_relay();
        }
    }

    fn way_away(&mut self, kind: &'static str, effect: Effect, way: Way) {
        let stage = self.stage;
        let of_broker = effect == Effect::Silence;
        let proxy = if of_broker { &stage.kafka_way } else { &stage.mysql_way };
        self.away(kind, effect, |away| proxy.set(if away { way } else { Way::Open }));
    }

    /// What takes a session and no time.
    fn momentary(&mut self, kind: &'static str, act: impl FnOnce(&mut MySql, &mut Self)) {
        let from_ms = now_ms();
        act(&mut self.stage.servers.source().connect(), self);
        self.note(kind, from_ms, Effect::None);
    }

    fn kill_dump(&mut self) {
        self.momentary("dump kill", |sql, _| {
            for row in sql.rows(
                "SELECT id FROM performance_schema.processlist WHERE command LIKE 'Binlog Dump%'",
            ) {
                let _gone_by_itself = sql.try_run(&format!("KILL {}", row[0]));
            }
        });
    }

    /// Purges the logs that the relay and the replica have behind them.
    fn purge(&mut self, sql: &mut MySql) {
        let Some(stored) = self.relay.stored(&self.stage.outbox) else { return };
        let file = match self.stage.servers.replica() {
            None => Some(stored.position.file),
            Some(replica) => {
                let replicated: GtidSet = replica.executed().parse().unwrap();
                last_log_behind(sql, &replicated.intersect(&stored.gtids.unwrap_or_default()))
            }
        };
        let Some(file) = file else { return };
        let _refused = sql.try_run(&format!("PURGE BINARY LOGS TO '{file}'"));
    }

    /// The replica takes the source's place, in order or after its death. It may log the transaction that the relay
    /// has published in part in other events, so all of that comes again.
    fn move_to_replica(&mut self) {
        let stage = self.stage;
        let dies = self.random.chance(50);
        let kind = if dies { "mysql kill and move" } else { "mysql move" };
        self.away(kind, Effect::Crash, |away| {
            if away { stage.servers.close(dies) } else { stage.servers.open(&stage.mysql_way) }
        });
    }

    /// Without columns' names in the log, rows between two changes must be read before the second one.
    fn alter(&mut self) {
        let from_ms = now_ms();
        let waits = self.stage.setting == Setting::Minimal;
        if waits && !self.settles() {
            return;
        }
        let schema = &self.stage.outbox.schema;
        let done = alter(self.stage.servers.source(), schema, &mut self.random).is_ok();
        if waits {
            std::thread::sleep(Duration::from_millis(500));
            self.settles();
        }
        self.note(if done { "alter" } else { "alter refused" }, from_ms, Effect::None);
    }

    /// What is committed by now is published and stored in time.
    fn settles(&mut self) -> bool {
        if !self.relay.follows_the_log() {
            return true;
        }
        let goal = self.committed();
        let deadline = Instant::now() + SETTLES_MAX;
        loop {
            let stored = self.relay.stored(&self.stage.outbox);
            if stored.as_ref().is_some_and(|stored| has_reached(stored, &goal)) {
                return true;
            }
            if Instant::now() > deadline {
                let stored = stored.map(|stored| stored.to_json());
                let goal = goal.to_json();
                self.problems.push(format!("it stands at {stored:?} and does not reach {goal}"));
                return false;
            }
            if let Some(problem) = self.relay.look() {
                self.problems.push(problem);
                return false;
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    /// Up to which place of the source's log transactions are committed.
    fn committed(&self) -> Offset {
        let status = self.stage.servers.source().connect().rows("SHOW BINARY LOG STATUS").remove(0);
        let position = BinlogPosition { file: status[0].clone(), pos: status[1].parse().unwrap() };
        let gtids = self.stage.setting.has_gtids().then(|| status[4].parse().unwrap());
        Offset { position, gtids, ..Offset::default() }
    }
}

/// Whether all that is before `goal` is before `stored`; only transactions have the same names on all servers.
fn has_reached(stored: &Offset, goal: &Offset) -> bool {
    match &goal.gtids {
        Some(goal) => stored.gtids.as_ref().is_some_and(|stored| goal.is_subset_of(stored)),
        None => goal.position.is_behind(&stored.position),
    }
}

/// The last log before which there are only these transactions.
fn last_log_behind(sql: &mut MySql, gtids: &GtidSet) -> Option<String> {
    let logs = sql.rows("SHOW BINARY LOGS");
    let mut files = logs.into_iter().rev().map(|mut log| log.remove(0));
    files.find(|file| {
        let events = sql.rows(&format!("SHOW BINLOG EVENTS IN '{file}' LIMIT 2"));
        let previous = events.iter().find(|event| event[2] == "Previous_gtids");
        previous.is_some_and(|event| event[5].parse::<GtidSet>().unwrap().is_subset_of(gtids))
    })
}
