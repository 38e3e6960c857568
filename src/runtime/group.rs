use std::sync::Arc;
use std::time::{Duration, Instant};

use super::clock::now_us;
use crate::checkpoint::{Boundary, InFlight};
use crate::config::ExactlyOnce;
use crate::metrics::ConnectorMetrics;
use crate::offset::BinlogPosition;

/// Records of a Kafka transaction at the most, its last MySQL transaction aside: so many that the commit's cost
/// vanishes, so few that their places take some megabytes.
const ROWS_MAX: u64 = 50_000;
/// A Kafka transaction is open no longer than this, its last MySQL transaction aside: far behind, where it is for the
/// backlog's speed, and close to the end of the log, where it is for the consumers' sake.
const OPEN_FAR_BEHIND_MAX: Duration = Duration::from_secs(1);
const OPEN_MAX: Duration = Duration::from_millis(100);
/// Beyond so many records a moment without more of them is a backlog's pause for breath, not its end.
const BULK_ROWS: u64 = 2_000;
/// A position without records is committed this often, so that quiet outboxes let old logs be purged.
const QUIET_EVERY: Duration = Duration::from_secs(60);
/// After a change of log files, which may come in any number, it is committed this often.
const ROTATED_EVERY: Duration = Duration::from_secs(1);

/// The Kafka transaction that is being filled with whole MySQL transactions.
pub(super) struct Group {
    /// The number of its first record.
    start: u64,
    /// Every record before this number is covered by a place behind it.
    covered: u64,
    /// When the last one was committed.
    committed: Instant,
    /// The log file of the latest place, and whether it is another than the last commit's.
    file: Arc<str>,
    rotated: bool,
    far_behind: bool,
    /// Whether there are places since the last commit.
    moved: bool,
    /// The longest time without an acknowledgement, or without a look at the group as in a frozen process.
    pause: Duration,
    looked: Instant,
    split_rows: Option<u64>,
    /// An unfinished MySQL transaction may take this long, which leaves time for the commit.
    open_max: Duration,
    /// Where a MySQL transaction begins that is to stand alone.
    border: Option<BinlogPosition>,
    metrics: ConnectorMetrics,
}

/// What the moment of a look at the group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// More of the log is here.
    Reading,
    /// All that has come is read.
    CaughtUp,
    /// Either of them in a backlog: more will come at once.
    FarBehind,
    /// Nothing more has come for a while.
    Idle,
}

impl Group {
    /// An empty one, whose position must be committed at once. A MySQL transaction that begins at `border` is to
    /// stand alone.
    pub(super) fn new(
        exactly_once: &ExactlyOnce,
        border: Option<BinlogPosition>,
        metrics: ConnectorMetrics,
    ) -> Self {
        Self {
            start: 0,
            covered: 0,
            committed: Instant::now(),
            file: Arc::from(""),
            rotated: false,
            far_behind: false,
            moved: false,
            pause: Duration::ZERO,
            looked: Instant::now(),
            split_rows: exactly_once.split_rows,
            open_max: exactly_once.transaction_timeout * 3 / 4,
            border,
            metrics,
        }
    }

    /// Takes note of the place behind the record before `sequence`; whether to commit there.
    pub(super) fn note(&mut self, boundary: &Boundary, open_since: Option<Instant>) -> bool {
        self.covered = boundary.sequence;
        self.moved = true;
        if !Arc::ptr_eq(&self.file, &boundary.file) {
            self.rotated |= !self.file.is_empty() && self.file != boundary.file;
            self.file = Arc::clone(&boundary.file);
        }
        let rows = boundary.sequence - self.start;
        let open_max = if self.far_behind { OPEN_FAR_BEHIND_MAX } else { OPEN_MAX };
        rows >= ROWS_MAX
            || open_since.is_some_and(|since| since.elapsed() >= open_max)
            || rows > 0 && self.border.take_if(|at| *at == boundary.position()).is_some()
    }

    /// Records without a place of their own, such as heartbeats, were sent between MySQL transactions.
    pub(super) fn cover(&mut self, sequence: u64) {
        self.covered = sequence;
    }

    /// Whether records of an unfinished MySQL transaction are in it; `next` is the number of the next record.
    pub(super) fn is_partial(&self, next: u64) -> bool {
        next > self.covered
    }

    /// Whether there is anything to commit.
    pub(super) fn is_empty(&self, next: u64) -> bool {
        next == self.start && !self.moved
    }

    /// Whether it has records, so that there is something to do as soon as no more come.
    pub(super) fn has_records(&self, next: u64) -> bool {
        next > self.start
    }

    /// Whether it has records of whole MySQL transactions.
    pub(super) fn has_whole(&self) -> bool {
        self.covered > self.start
    }

    /// Whether to commit between MySQL transactions. With `eager` a position alone does not wait either.
    pub(super) fn is_due(&mut self, next: u64, moment: Moment, eager: bool) -> bool {
        match moment {
            Moment::FarBehind => self.far_behind = true,
            Moment::CaughtUp | Moment::Idle => self.far_behind = false,
            Moment::Reading => {}
        }
        if self.is_partial(next) || self.is_empty(next) || moment == Moment::Reading {
            return false;
        }
        let rows = next - self.start;
        if rows > 0 {
            return match moment {
                Moment::CaughtUp => rows < BULK_ROWS,
                Moment::Idle => true,
                Moment::FarBehind | Moment::Reading => false,
            };
        }
        let quiet = self.committed.elapsed();
        eager || quiet >= QUIET_EVERY || self.rotated && quiet >= ROTATED_EVERY
    }

    /// Whether an unfinished MySQL transaction, or a snapshot, is to be split before the record `next`.
    pub(super) fn splits(&self, next: u64, open_since: Option<Instant>) -> bool {
        let late = open_since.is_some_and(|since| since.elapsed() >= self.open_max / 2);
        self.split_rows.is_some_and(|rows| next - self.start >= rows || late)
    }

    /// How many records of an unfinished MySQL transaction have been sent for how long, where that is too long.
    pub(super) fn overdue(&self, next: u64, since: Instant) -> Option<(u64, Duration)> {
        let open = since.elapsed();
        (self.is_partial(next) && open >= self.open_max).then_some((next - self.start, open))
    }

    /// Somebody looks whether it is overdue.
    pub(super) fn note_look(&mut self) {
        self.note_pause(self.looked.elapsed());
        self.looked = Instant::now();
    }

    /// Whether something else than the transaction's size made it late.
    pub(super) fn was_held_up(&self) -> bool {
        self.pause >= self.open_max / 4
    }

    /// No acknowledgement has come for so long.
    pub(super) fn note_pause(&mut self, pause: Duration) {
        self.pause = self.pause.max(pause);
    }

    /// Everything before `next` is committed.
    pub(super) fn committed(&mut self, next: u64, in_flight: &InFlight) {
        if self.is_partial(next) {
            self.metrics.splits.inc();
        }
        let rows = next - self.start;
        self.metrics.kafka_commits.inc();
        self.metrics.kafka_transaction_rows.observe(rows_f64(rows));
        self.metrics.published.inc_by(rows);
        let now_us = now_us();
        for sequence in self.start.max(next.saturating_sub(crate::checkpoint::IN_FLIGHT_MAX))..next
        {
            let commit_us = in_flight.committed_us(sequence);
            if commit_us > 0 {
                self.metrics.relayed(commit_us, now_us);
            }
        }
        (self.start, self.covered) = (next, next);
        (self.moved, self.rotated) = (false, false);
        self.pause = Duration::ZERO;
        self.committed = Instant::now();
        self.looked = self.committed;
    }
}

/// A histogram counts in floating point numbers; beyond 32 bits a bucket more or less says nothing.
fn rows_f64(rows: u64) -> f64 {
    f64::from(u32::try_from(rows).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::CompletedGtids;
    use crate::metrics::Metrics;
    use crate::offset::Offset;

    fn group(split_rows: Option<u64>, border: Option<u64>) -> Group {
        let exactly_once = ExactlyOnce {
            transactional_id: "g-c-0".into(),
            offsets_topic: "t".into(),
            transaction_timeout: Duration::from_secs(15),
            split_rows,
        };
        let border = border.map(|pos| BinlogPosition { file: "b.1".into(), pos });
        Group::new(&exactly_once, border, Metrics::new().unwrap().connector("c"))
    }

    fn place(sequence: u64, file: &str, pos: u64) -> Boundary {
        let gtids = CompletedGtids::None;
        let file = Arc::from(file);
        Boundary {
            sequence,
            gtids,
            file,
            pos,
            event: 0,
            row: 0,
            ts_sec: 0,
            server_id: 0,
            snapshot: None,
        }
    }

    #[test]
    fn a_caught_up_group_is_due_at_once_and_a_backlogs_when_it_is_large() {
        let mut group = group(None, None);
        assert!(!group.is_due(0, Moment::Idle, true), "nothing to commit");
        assert!(!group.note(&place(3, "b.1", 9), None));
        assert!(group.is_due(3, Moment::CaughtUp, false));
        assert!(!group.is_due(3, Moment::FarBehind, false), "more will come at once");
        assert!(!group.is_due(3, Moment::Reading, false), "more is here");
        assert!(!group.is_due(4, Moment::Idle, true), "an unfinished MySQL transaction");
        assert!(!group.note(&place(BULK_ROWS, "b.1", 10), None));
        assert!(!group.is_due(BULK_ROWS, Moment::CaughtUp, false), "a pause for breath");
        assert!(group.is_due(BULK_ROWS, Moment::Idle, false));
        assert!(group.note(&place(ROWS_MAX, "b.1", 11), None));
        let long_ago = Instant::now().checked_sub(OPEN_MAX);
        assert!(group.note(&place(BULK_ROWS, "b.1", 12), long_ago));
        assert!(!group.is_due(BULK_ROWS, Moment::FarBehind, false));
        assert!(!group.note(&place(BULK_ROWS, "b.1", 13), long_ago), "a backlog takes longer");
    }

    #[test]
    fn a_position_alone_waits_unless_somebody_is_eager() {
        let in_flight = InFlight::new(Offset::default());
        let mut group = group(None, None);
        group.note(&place(0, "b.1", 9), None);
        assert!(!group.is_due(0, Moment::Idle, false) && group.is_due(0, Moment::CaughtUp, true));
        group.committed(0, &in_flight);
        assert!(group.is_empty(0));
        group.note(&place(0, "b.2", 9), None);
        assert!(!group.is_due(0, Moment::Idle, false), "a change of files waits too, not so long");
        group.committed = Instant::now().checked_sub(ROTATED_EVERY).unwrap();
        assert!(group.is_due(0, Moment::Idle, false));
    }

    #[test]
    fn the_border_parts_what_can_be_published_from_what_cannot() {
        let mut group = group(None, Some(20));
        assert!(!group.note(&place(3, "b.1", 10), None));
        assert!(group.note(&place(6, "b.1", 20), None));
        assert!(!group.note(&place(9, "b.1", 20), None), "once");
    }

    #[test]
    fn only_what_may_be_split_is_split_and_only_progress_makes_it_too_large() {
        let long_ago = Instant::now().checked_sub(Duration::from_secs(12)).unwrap();
        let mut whole = group(None, None);
        assert!(!whole.splits(1 << 40, Some(long_ago)));
        assert!(group(Some(5), None).splits(5, None) && !group(Some(5), None).splits(4, None));
        assert!(group(Some(5), None).splits(4, Some(long_ago)));
        assert!(whole.overdue(0, long_ago).is_none(), "nothing unfinished is in it");
        assert_eq!(whole.overdue(7, long_ago).map(|(rows, _)| rows), Some(7));
        assert!(!whole.was_held_up());
        whole.looked = long_ago;
        whole.note_look();
        assert!(whole.was_held_up(), "the process was frozen");
    }
}
