//! Transactions at a steady rate, and the moments of each: sent, committed, consumed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use mysql_async::Value;
use rdkafka::Message;
use rdkafka::consumer::BaseConsumer;

use crate::numbers::count;
use crate::sql::Sql;

const INSERT: &str = "INSERT INTO bench.outbox_0 (aggregatetype, aggregateid, type, payload) VALUES ('Order', ?, 'OrderCreated', ?)";
/// The key of rows that only show that everything flows.
const WARM: &str = "warm";
/// How long a consumer waits before it looks whether it shall end.
const LOOK: Duration = Duration::from_millis(20);
/// Transactions a second that one connection is asked for: far fewer than it could.
const RATE_MAX: u64 = 250;

/// When each of the numbered records was sent, committed and consumed, in nanoseconds from the origin on.
pub(crate) struct Moments {
    origin: Instant,
    sent: Vec<AtomicU64>,
    committed: Vec<AtomicU64>,
    consumed: Vec<AtomicU64>,
    warm: AtomicBool,
    end: AtomicBool,
}

impl Moments {
    pub(crate) fn new(records: usize) -> Self {
        let moments = || (0..records).map(|_| AtomicU64::new(0)).collect();
        Self {
            origin: Instant::now(),
            sent: moments(),
            committed: moments(),
            consumed: moments(),
            warm: AtomicBool::new(false),
            end: AtomicBool::new(false),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(crate) fn note_sent(&self, record: usize) {
        note(&self.sent, record, self.now());
    }

    pub(crate) fn note_committed(&self, record: usize) {
        note(&self.committed, record, self.now());
    }

    /// Whether a row that shows the way has been consumed.
    pub(crate) fn is_warm(&self) -> bool {
        self.warm.load(Ordering::Relaxed)
    }

    /// Ends the consumer.
    pub(crate) fn end(&self) {
        self.end.store(true, Ordering::Relaxed);
    }

    /// How many records have not been consumed.
    pub(crate) fn missing(&self) -> usize {
        self.consumed.iter().filter(|moment| moment.load(Ordering::Relaxed) == 0).count()
    }

    /// Sorted times from commit to consumer; a record that was faster than the server's answer took none.
    pub(crate) fn since_commit(&self) -> Vec<Duration> {
        self.between(&self.committed)
    }

    /// Sorted times from sending to consumer.
    pub(crate) fn since_sending(&self) -> Vec<Duration> {
        self.between(&self.sent)
    }

    fn between(&self, from: &[AtomicU64]) -> Vec<Duration> {
        let times = from.iter().zip(&self.consumed).map(|(from, to)| {
            let (from, to) = (from.load(Ordering::Relaxed), to.load(Ordering::Relaxed));
            Duration::from_nanos(to.saturating_sub(from))
        });
        let mut times: Vec<_> = times.collect();
        times.sort_unstable();
        times
    }

    /// Records a second that were really sent.
    pub(crate) fn rate(&self) -> f64 {
        let moments = || self.sent.iter().map(|moment| moment.load(Ordering::Relaxed));
        let (first, last) = (moments().min().unwrap_or(0), moments().max().unwrap_or(0));
        let nanoseconds = last.saturating_sub(first).max(1);
        count(u64::try_from(self.sent.len()).unwrap_or(0).saturating_sub(1)) * 1e9
            / count(nanoseconds)
    }

    /// Consumes until the end.
    pub(crate) fn consume(&self, consumer: &BaseConsumer) -> anyhow::Result<()> {
        while !self.end.load(Ordering::Relaxed) {
            let Some(message) = consumer.poll(LOOK) else { continue };
            let now = self.now();
            let message = message?;
            let key = message.key().map(String::from_utf8_lossy).unwrap_or_default();
            match key.parse() {
                Ok(record) => note(&self.consumed, record, now),
                Err(_) => self.warm.store(true, Ordering::Relaxed),
            }
        }
        Ok(())
    }
}

fn note(moments: &[AtomicU64], record: usize, now: u64) {
    if let Some(moment) = moments.get(record) {
        // A repeat is not what is measured.
        let _already_there = moment.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// A payload of 262 bytes.
pub(crate) fn payload(record: usize) -> String {
    format!(
        "{{\"order_id\": \"order-{record:08}\", \"user_id\": \"user-{:04}\", \"amount\": 19.99, \"currency\": \"EUR\", \"items\": [1, 2, 3], \"note\": \"{}\", \"paid\": true}}",
        record % 1000,
        "leave it at the second floor ".repeat(4)
    )
}

/// Commits a row that only shows the way.
pub(crate) fn warm_up(sql: &mut Sql) -> anyhow::Result<()> {
    sql.execute(INSERT, vec![Value::from(WARM), Value::from(payload(0))])
}

/// Commits every record in a transaction of its own, at this rate, over as many connections as it takes.
/// A transaction is late rather than left out.
pub(crate) fn transactions(port: u16, moments: &Moments, rate: u64) -> anyhow::Result<()> {
    let connections = usize::try_from(rate.div_ceil(RATE_MAX).max(2))?;
    let begin = Instant::now() + Duration::from_millis(200);
    std::thread::scope(|scope| {
        let send = |first: usize| -> anyhow::Result<()> {
            let mut sql = Sql::connect(port)?;
            for record in (first..moments.sent.len()).step_by(connections) {
                wait_for(begin + due(record, rate));
                let values = vec![Value::from(record.to_string()), Value::from(payload(record))];
                moments.note_sent(record);
                sql.execute(INSERT, values)?;
                moments.note_committed(record);
            }
            Ok(())
        };
        let threads: Vec<_> =
            (0..connections).map(|first| scope.spawn(move || send(first))).collect();
        for thread in threads {
            thread.join().map_err(|_| anyhow!("a sender panicked"))?.context("sending rows")?;
        }
        Ok(())
    })
}

/// When a record is due, from the first one on.
pub(crate) fn due(record: usize, rate: u64) -> Duration {
    let record = u64::try_from(record).unwrap_or(u64::MAX);
    Duration::from_nanos(record.saturating_mul(1_000_000_000) / rate.max(1))
}

/// Sleeps: the kernel wakes a thread some 60 microseconds late, which costs nobody anything.
pub(crate) fn wait_for(moment: Instant) {
    std::thread::sleep(moment.saturating_duration_since(Instant::now()));
}
