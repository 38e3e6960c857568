mod exactly_once;

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tracing::{info, warn};
use uuid::Uuid;

use exactly_once::Border;

use super::backoff::Backoff;
use super::checkpointer::Checkpointer;
use super::claim::Claim;
use super::hosts::{Hosts, Next};
use super::pipeline::Pipeline;
use super::queries::Queries;
use super::routing::Routing;
use super::sender::Sender;
use super::snapshot::{InitialSnapshot, Publisher};
use super::start::{Carried, Start, start};
use super::stream::Stream;
use super::until::CaughtUp;
use super::worker::{Shared, SinkKind};
use super::{ConnectorState, ConnectorStatus, Failure};
use crate::checkpoint::{InFlight, OffsetsTopic, Store};
use crate::config::{ConnectorConfig, SnapshotMode};
use crate::error::Remedy;
use crate::metrics::ConnectorMetrics;
use crate::sink::{KafkaSink, LineSink, NullSink, Sink, SinkError, TransactionalSink};
use crate::source::{DumpStart, Replica, Snapshot, SourceError};

/// How long acknowledgements are waited for at a stop.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// A connection that lasted this long was a good one: the next pause is short again.
const GOOD_CONNECTION: Duration = Duration::from_secs(10);
/// How often in a row another replica with our server id may throw us out before we give way.
const CLASHES_MAX: u32 = 3;

/// One connector's life: checks, snapshot, stream, and what happens after a failure.
pub(super) struct Connector {
    config: Arc<ConnectorConfig>,
    status: Arc<ConnectorStatus>,
    shared: Arc<Shared>,
    metrics: ConnectorMetrics,
    /// Records go one by one, since the broker refused a batch of them as too large.
    alone: AtomicBool,
    /// Exactly-once delivery.
    claim: Option<Claim>,
    /// In Kafka transactions: where a MySQL transaction begins that cannot be published, so that those before it are.
    border: Mutex<Border>,
}

/// What lives as long as one producer does.
struct Session {
    uuid: Uuid,
    in_flight: Arc<InFlight>,
    checkpointer: Checkpointer,
    sender: Sender,
}

impl Connector {
    pub(super) fn new(
        config: ConnectorConfig,
        status: Arc<ConnectorStatus>,
        shared: Arc<Shared>,
    ) -> Self {
        let metrics = shared.metrics.connector(&config.name);
        let config = Arc::new(config);
        let claim = Claim::new(&config).filter(|_| shared.sink == SinkKind::Kafka);
        if config.exactly_once.is_some() && claim.is_none() {
            warn!(connector = %config.name, "exactly-once delivery is for --sink kafka alone");
        }
        Self {
            config,
            status,
            shared,
            metrics,
            alone: AtomicBool::new(false),
            claim,
            border: Mutex::default(),
        }
    }

    /// Runs until a stop is requested or a person must act.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let store = Arc::new(Mutex::new(Store::open(&self.shared.data_dir, &self.config.name)?));
        let mut backoff = Backoff::new(self.config.source.retry_wait_max);
        let mut carried = Carried::default();
        let mut hosts = Hosts::new(&self.config.source.hosts);
        loop {
            let result = self.session(&store, hosts.present(), &mut backoff, &mut carried);
            let failure = match result {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            if failure.is_of_batch() && !self.alone.swap(true, Ordering::Relaxed) {
                let error = failure.chain();
                warn!(connector = %self.config.name, error, "a batch was refused: its records are sent again, from now on one by one, which is slower; where it was too large, a producer.override.batch.size below the topic's max.message.bytes avoids this");
                continue;
            }
            if failure.is_without_gtids() && !carried.by_position {
                carried.by_position = true;
                let error = failure.chain();
                warn!(connector = %self.config.name, error, "going on from the place in the log");
                continue;
            }
            if self.takes_border() {
                let error = failure.chain();
                warn!(connector = %self.config.name, error, "a transaction cannot be published: those before it are sent once more without it");
                continue;
            }
            match hosts.after(&failure) {
                Next::Host => {
                    let error = failure.chain();
                    warn!(connector = %self.config.name, host = hosts.present(), error, "trying the next host");
                }
                Next::Pause => self.pause(failure, &mut backoff)?,
                Next::Stop => return Err(failure),
            }
            if self.shared.stop.requested() {
                return Err(Failure::StopRequested);
            }
        }
    }

    /// Waits after a failure, unless the file's patience is at its end.
    fn pause(&self, failure: Failure, backoff: &mut Backoff) -> Result<(), Failure> {
        let given_up = self.config.source.retries_max.is_some_and(|max| backoff.failures() >= max);
        if given_up {
            return Err(failure);
        }
        if self.shared.stop.requested() {
            let error = failure.chain();
            warn!(connector = %self.config.name, error, "stopping meanwhile");
            return Err(Failure::StopRequested);
        }
        if matches!(failure, Failure::Sink(_) | Failure::Delivery { .. }) {
            self.status.set_stalled(true);
        }
        let error = failure.chain();
        let pause = backoff.next_pause();
        warn!(connector = %self.config.name, error, pause_ms = pause.as_millis(), "trying again");
        self.status.enter(ConnectorState::Starting(error));
        if self.shared.stop.sleep(pause) {
            return Err(Failure::StopRequested);
        }
        Ok(())
    }

    /// Waits after a lost connection, where waiting can cure it. A clash of server ids may pass: the other
    /// replica may be our own that was killed a moment ago.
    fn pause_after(
        &self,
        source: Box<SourceError>,
        clashes: u32,
        backoff: &mut Backoff,
    ) -> Result<(), Failure> {
        let may_pass = matches!(*source, SourceError::ClashingReplica(_)) && clashes <= CLASHES_MAX;
        let failure = Failure::Source(source);
        if may_pass || failure.remedy() == Remedy::Retry {
            self.pause(failure, backoff)
        } else {
            Err(failure)
        }
    }

    /// From the stored offset to a failure, with one producer.
    fn session(
        &self,
        store: &Arc<Mutex<Store>>,
        host: &str,
        backoff: &mut Backoff,
        carried: &mut Carried,
    ) -> Result<(), Failure> {
        let queries = Queries::new(&self.shared.handle, Arc::clone(&self.config), host);
        let routing = Rc::new(Routing::new(&self.config)?);
        let (in_flight, sink) = self.claim(store)?;
        // In exactly-once delivery the claim has read it.
        let takes_over = self.shared.sink == SinkKind::Kafka && self.claim.is_none();
        let offsets_topic = OffsetsTopic::of(&self.config).filter(|_| takes_over);
        let topic = offsets_topic.as_ref();
        let stop = &self.shared.stop;
        let start = start(&self.config, &queries, store, &routing, topic, carried, stop)?;
        carried.started = true;
        let caught_up =
            self.shared.until_caught_up.then(|| CaughtUp::new(start.end.clone(), &start.offset));
        in_flight.begin_at(start.offset.clone());
        let mut session = self.open_session(&start, store, in_flight, sink)?;
        let begun = session.sender.commit_start().and_then(|()| match &self.claim {
            Some(claim) => Ok(claim.mark(store)?),
            None => Ok(Store::lock(store).forget_given()?),
        });
        let result = begun.and_then(|()| {
            self.read(start, &mut session, store, &queries, routing, caught_up, backoff)
        });
        self.close_session(session, result)
    }

    fn open_session(
        &self,
        start: &Start,
        store: &Arc<Mutex<Store>>,
        in_flight: Arc<InFlight>,
        claimed: Option<TransactionalSink>,
    ) -> Result<Session, Failure> {
        let sink = match claimed {
            Some(sink) => Box::new(sink),
            None => self.sink(&in_flight)?,
        };
        let checkpointer = Checkpointer::start(
            &self.config.name,
            Arc::clone(&in_flight),
            Arc::clone(store),
            sink.reports(),
            self.metrics.clone(),
        )
        .map_err(|err| Failure::Panic(err.to_string()))?;
        let sender = Sender::new(
            sink,
            Arc::clone(&in_flight),
            Arc::clone(&self.status),
            self.shared.stop.clone(),
        );
        let sender = self.in_transactions(sender);
        Ok(Session { uuid: start.uuid, in_flight, checkpointer, sender })
    }

    fn sink(&self, in_flight: &Arc<InFlight>) -> Result<Box<dyn Sink>, SinkError> {
        let (in_flight, metrics) = (Arc::clone(in_flight), self.metrics.clone());
        let sink: Box<dyn Sink> = match self.shared.sink {
            SinkKind::Kafka | SinkKind::Embedded => Box::new(KafkaSink::connect(
                &self.config.sink,
                self.alone.load(Ordering::Relaxed),
                in_flight,
                metrics,
                &self.shared.handle,
            )?),
            SinkKind::Stdout => Box::new(LineSink::new(in_flight, metrics)),
            SinkKind::Null => Box::new(NullSink::new(in_flight, metrics)),
        };
        self.metrics.kafka_connected.set(1); // Sinks without brokers have none that could be away.
        Ok(sink)
    }

    /// Ends a session: what is queued is waited for, or given up behind a failed delivery; then the last
    /// checkpoint is stored.
    fn close_session(
        &self,
        mut session: Session,
        result: Result<(), Failure>,
    ) -> Result<(), Failure> {
        if matches!(result, Err(Failure::Sink(_) | Failure::Delivery { .. }))
            || session.sender.is_partial()
        {
            session.sender.purge();
        } else if !session.sender.drain(Instant::now() + DRAIN_MAX)
            && !self.outlasts(result.as_ref().err(), &mut session.sender)
        {
            warn!(connector = %self.config.name, "records are left unacknowledged; a start sends them again");
            session.sender.purge();
        }
        session.checkpointer.finish()?;
        result
    }

    /// Waits longer where the next try could not publish anything either, and would repeat what is on its way; whether
    /// everything is acknowledged then.
    fn outlasts(&self, failure: Option<&Failure>, sender: &mut Sender) -> bool {
        let curable = failure.filter(|failure| failure.remedy() == Remedy::Retry);
        let Some(failure) = curable.filter(|_| self.claim.is_none()) else { return false };
        let error = failure.chain();
        warn!(connector = %self.config.name, error, "waiting for Kafka to acknowledge what was sent before trying again");
        sender.outlast(DRAIN_MAX)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one session, used nowhere else")]
    fn read(
        &self,
        start: Start,
        session: &mut Session,
        store: &Arc<Mutex<Store>>,
        queries: &Queries,
        routing: Rc<Routing>,
        caught_up: Option<CaughtUp>,
        backoff: &mut Backoff,
    ) -> Result<(), Failure> {
        let (mut rows, overlap) = start.snapshot.unzip();
        let mut stream = Stream::new(
            Arc::clone(&self.config),
            queries.clone(),
            Rc::clone(&routing),
            self.metrics.clone(),
            Arc::clone(store),
            &start.offset,
            overlap,
        )?;
        if rows.is_some() {
            self.status.enter(ConnectorState::Snapshot);
            self.wait(self.config.source.snapshot_delay)?;
        }
        let rows_only = self.config.snapshot_mode == SnapshotMode::InitialOnly;
        let mut clashes = 0;
        loop {
            if rows_only && !stream.is_before_snapshot() {
                info!(connector = %self.config.name, "all rows are read, and snapshot.mode=initial_only asks for no more");
                return Ok(());
            }
            let connected = Instant::now();
            let failure = match self.stream(session, queries, &mut stream, caught_up.as_ref()) {
                Ok(()) => return Ok(()),
                Err(Failure::SnapshotReached) => {
                    session.sender.publish();
                    if let Some(snapshot) = stream.reach_snapshot() {
                        self.publish_rows(rows.take(), snapshot, session, queries, &routing)?;
                        self.wait(self.config.source.streaming_delay)?;
                    }
                    stream.resume(&session.in_flight.read_offset(), &mut session.sender);
                    continue;
                }
                Err(failure) => failure,
            };
            stream.place_inside(&mut session.sender)?;
            session.sender.publish();
            // Another server may have gone on in this one's place; a snapshot goes with its session.
            let ends = self.config.source.hosts.len() > 1
                || stream.is_before_snapshot()
                || failure.is_of_changed_server();
            if ends && matches!(failure, Failure::Source(_)) {
                self.metrics.disconnects.inc();
                return Err(failure);
            }
            let Failure::Source(source) = failure else {
                self.note_border(&failure, &mut session.sender);
                return Err(stream.explain(failure, &session.in_flight));
            };
            self.metrics.disconnects.inc();
            if connected.elapsed() >= GOOD_CONNECTION {
                backoff.reset();
                clashes = 0;
            }
            clashes += u32::from(matches!(*source, SourceError::ClashingReplica(_)));
            if self.claim.is_some() {
                self.settle(&mut session.sender)?;
            }
            self.pause_after(source, clashes, backoff)?;
            stream.resume(&session.in_flight.read_offset(), &mut session.sender);
        }
    }

    /// Publishes the rows of a snapshot that the stream has reached, and closes it.
    fn publish_rows(
        &self,
        rows: Option<InitialSnapshot>,
        mut snapshot: Snapshot,
        session: &mut Session,
        queries: &Queries,
        routing: &Routing,
    ) -> Result<(), Failure> {
        let Some(rows) = rows else { return Ok(()) };
        let publisher = Publisher {
            config: &self.config,
            queries,
            routing,
            status: &self.status,
            metrics: &self.metrics,
            stop: &self.shared.stop,
            offset: &session.in_flight.read_offset(),
        };
        rows.publish(&mut snapshot, &publisher, &mut session.sender)?;
        queries.wait(snapshot.close());
        Ok(())
    }

    /// A wait that the file asks for.
    fn wait(&self, time: Duration) -> Result<(), Failure> {
        if self.shared.stop.sleep(time) { Err(Failure::StopRequested) } else { Ok(()) }
    }

    /// One connection's stream.
    fn stream(
        &self,
        session: &mut Session,
        queries: &Queries,
        stream: &mut Stream,
        caught_up: Option<&CaughtUp>,
    ) -> Result<(), Failure> {
        let offset = session.in_flight.read_offset();
        let start = match &offset.gtids {
            Some(gtids) => DumpStart::Gtids(gtids.clone()),
            None => DumpStart::Position(offset.position.clone()),
        };
        let (host, server_uuid) = (queries.host(), queries.server_uuid());
        let mut replica =
            Replica::connect(&self.config.source, host, server_uuid, session.uuid, &start)?;
        let (file, pos) = (&offset.position.file, offset.position.pos);
        let gtids = offset.gtids.as_ref().map(tracing::field::display);
        if stream.is_before_snapshot() {
            info!(connector = %self.config.name, %file, pos, gtids, "reading the log up to the snapshot");
        } else {
            info!(connector = %self.config.name, %file, pos, gtids, "streaming");
            self.status.enter(ConnectorState::Streaming);
        }
        let caught_up = caught_up.filter(|_| !stream.is_before_snapshot());
        let mut pipeline = Pipeline {
            stream,
            sender: &mut session.sender,
            checkpointer: &session.checkpointer,
            in_flight: &session.in_flight,
            status: &self.status,
            metrics: &self.metrics,
            caught_up,
        };
        pipeline.run(&mut replica)
    }
}
