use std::cell::Cell;
use std::time::Duration;

use super::stage::Setting;
use crate::support::{MySqlServer, Proxy, Way, until};

/// Until the last sessions that write have ended.
const ENDED_MAX: Duration = Duration::from_secs(60);

/// The MySQL servers of a run: the source and, with GTIDs, a replica that can take its place.
pub(super) struct Servers {
    all: Vec<MySqlServer>,
    /// Which of them is the source now.
    source: Cell<usize>,
    /// The way to the source for all but the relay.
    way: Proxy,
}

impl Servers {
    /// Starts them afresh; `name` tells runs at one time apart.
    pub(super) fn start(name: &str, setting: Setting) -> Self {
        let options = setting.options();
        let mut all = vec![MySqlServer::fresh(&format!("mysql:{name}"), &options)];
        if setting.has_gtids() {
            // It logs a transaction in other events.
            let options = [&options[..], &["--binlog-row-event-max-size=1024".to_owned()]].concat();
            all.push(MySqlServer::fresh(&format!("mysql:{name}-replica"), &options));
            follow(&all[1], &all[0]);
        }
        let way = Proxy::open();
        way.lead_to(all[0].port);
        Self { all, source: Cell::new(0), way }
    }

    pub(super) fn all(&self) -> &[MySqlServer] {
        &self.all
    }

    /// The one that is written to.
    pub(super) fn source(&self) -> &MySqlServer {
        &self.all[self.source.get()]
    }

    pub(super) fn replica(&self) -> Option<&MySqlServer> {
        self.all.iter().find(|server| server.port != self.source().port)
    }

    /// The source, whichever it is, for sessions that end with a move.
    pub(super) fn written(&self) -> MySqlServer {
        MySqlServer { port: self.way.port, ..self.source().clone() }
    }

    /// Lets nobody write until the replica has everything; then the source may die.
    pub(super) fn close(&self, dies: bool) {
        let (source, replica) = (self.source(), self.replica().expect("there are two"));
        self.way.set(Way::Cut);
        let mut sql = source.connect();
        until("the end of all sessions that write", ENDED_MAX, || {
            let others = "SELECT id FROM performance_schema.processlist \
                          WHERE user = 'root' AND id <> CONNECTION_ID()";
            sql.rows(others).is_empty()
        });
        sql.run("SET GLOBAL super_read_only = ON");
        replica.until_replicated(source);
        if dies {
            source.kill();
        }
    }

    /// The replica becomes the source, to which this way leads as well, and the source its replica.
    pub(super) fn open(&self, relays_way: &Proxy) {
        let (old, new) = (self.source(), self.replica().expect("there are two"));
        new.promote();
        new.connect().run("SET GLOBAL read_only = OFF");
        self.source.set(1 - self.source.get());
        self.way.lead_to(new.port);
        relays_way.lead_to(new.port);
        self.way.set(Way::Open);
        old.start();
        follow(old, new);
    }
}

/// Has the one replicate from the other and take no other writes.
fn follow(replica: &MySqlServer, source: &MySqlServer) {
    replica.connect().run("SET GLOBAL super_read_only = ON");
    replica.replicate(source);
}
